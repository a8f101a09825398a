"""Time and peak memory of a fit with 200 hidden nodes against the number of rows."""

import json
import subprocess
import sys
import time

import numpy as np

from mccvc.study.provenance import peak_memory

N_HIDDEN, ITERATIONS = 200, 10


def run(repeats):
    """Rows for N = 10^3 .. 10^6; each fit has a process of its own, so that its peak is its own."""
    rows = []
    for n_samples in (1_000, 10_000, 100_000, 1_000_000):
        command = [sys.executable, "-m", "benchmarks.large_n", str(n_samples)]
        printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        rows.append(json.loads(printed))
    return rows


def fit(n_samples):
    """One fit of Algorithm 1 alone, with a fixed number of iterations, so that times compare."""
    from mccvc.estimators.elm import ELMMCCVCRegressor

    rng = np.random.default_rng(0)
    inputs = rng.random((n_samples, 8))
    target = np.sin(4 * inputs[:, 0]) + inputs[:, 1] * inputs[:, 2] + rng.normal(0, 0.1, n_samples)
    target[rng.random(n_samples) < 0.1] += 10
    model = ELMMCCVCRegressor(
        n_hidden=N_HIDDEN,
        alpha=1e-3,
        init="zeros",
        inlier_share=1,
        efficiency=None,
        max_iter=ITERATIONS,
        tol=0,
        random_state=0,
    )
    started = time.process_time()
    model.fit(inputs, target)
    seconds = time.process_time() - started
    return {
        "item": "large-n",
        "case": f"N = {n_samples}, {N_HIDDEN} nodes, {ITERATIONS} iterations",
        "ours_seconds": seconds,
        "microseconds_per_row": seconds / n_samples * 1e6,
        "peak_megabytes": peak_memory() / 1e6,
    }


if __name__ == "__main__":
    print(json.dumps(fit(int(sys.argv[1]))))
