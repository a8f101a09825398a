"""How far the searches are from the speed at which this processor multiplies matrices."""

import tempfile
import time
from unittest import mock

import numpy as np

from benchmarks.data import default_study, normalized
from mccvc.solvers.conjugate_gradients import ConjugateGradients
from mccvc.solvers.normal_equations import NormalEquations
from mccvc.solvers.weighted_ridge import DoublePrecision
from mccvc.study.elm import elm_rows

_SIZE = 1536


def run(repeats):
    """A row for each method over run 0 of all datasets: CPU seconds, and those at peak speed.

    Counted are the products with the design in conjugate gradients, Gram matrices and Cholesky
    factors, in the precision that they are done in; not RELM's SVDs, kernels and bookkeeping.
    """
    study = default_study()
    speeds = {kind: _peak(kind, max(repeats, 1)) for kind in (np.float32, np.float64)}
    for method in ("elm-rcc", "elm-mcc-vc"):
        ours = floor = 0.0
        for dataset in study.resolved["elm"].problems:
            with tempfile.TemporaryDirectory() as directory:
                data = normalized(study, dataset, directory)
            spec = study.elm_spec(dataset, method)
            started = time.process_time()
            elm_rows(spec, 0, data)
            ours += time.process_time() - started
            counts = _counted(spec, data)
            floor += sum(counts[kind] / speeds[kind] for kind in speeds)
        yield {
            "item": "peak",
            "case": f"{method}, a run of every dataset",
            "reference": "its products at peak speed",
            "ours_seconds": ours,
            "reference_seconds": floor,
            "ratio": floor / ours,
            "gigaflops_single": speeds[np.float32] / 1e9,
            "gigaflops_double": speeds[np.float64] / 1e9,
        }


def _peak(kind, repeats):
    """Operations per second in the product of two large matrices."""
    left = np.ones((_SIZE, _SIZE), dtype=kind)
    fastest = np.inf
    for _ in range(repeats + 1):
        started = time.process_time()
        left @ left
        fastest = min(fastest, time.process_time() - started)
    return 2 * _SIZE**3 / fastest


def _counted(spec, data):
    """Operations of one run, by precision."""
    counts = {np.float32: 0.0, np.float64: 0.0}

    def counting(owner, name, kind, operations):
        method = getattr(owner, name)

        def counted(self, *arguments, **options):
            result = method(self, *arguments, **options)
            counts[kind] += operations(*self.design.shape, result, arguments)
            return result

        return mock.patch.object(owner, name, counted)

    def steps(n, p, result, arguments):
        return 4 * n * p * float((result[1] + 1).sum())

    def corrections(n, p, result, arguments):
        return 4 * n * p * len(result)

    def gram(n, p, result, arguments):
        return n * p**2

    def factor(n, p, result, arguments):
        return p**3 / 3

    def alone(n, p, result, arguments):
        return n * p**2 + p**3 / 3

    def batch(n, p, result, arguments):
        return len(result) * (n * p * (p + 1) + p**3 / 3)

    with (
        counting(ConjugateGradients, "_corrections", np.float32, steps),
        counting(ConjugateGradients, "_gram", np.float32, gram),
        counting(ConjugateGradients, "_factor", np.float32, factor),
        counting(ConjugateGradients, "solve", np.float64, corrections),
        counting(NormalEquations, "solve", np.float64, batch),
        counting(DoublePrecision, "solve_one", np.float64, alone),
    ):
        elm_rows(spec, 0, data)
    return counts
