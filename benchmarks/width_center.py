"""The search (18) with the paper's sets against direct evaluation."""

import tracemalloc

import numpy as np

from benchmarks.timing import against, alternate
from mccvc.correntropy import SQRT_2PI
from mccvc.width_center import select_width_center

WIDTHS = np.linspace(0.2, 5.0, 25)
CENTERS = np.linspace(-5.0, 5.0, 101)


def run(repeats):
    """Rows for N = 400, 10^4 and 10^6; the last would need 20 GB directly."""
    rows = []
    for n_samples in (400, 10_000, 1_000_000):
        rng = np.random.default_rng(0)
        errors = rng.normal(0.7, 1.3, n_samples)
        errors[rng.random(n_samples) < 0.1] += rng.normal(0, 100)

        def ours(errors=errors):
            sigma, center = select_width_center(errors[None], WIDTHS, CENTERS)
            return sigma[0], center[0]

        def direct(errors=errors):
            scaled = (errors - CENTERS[:, None]) / WIDTHS[:, None, None]
            match = np.exp(-0.5 * scaled**2).mean(axis=-1) / (SQRT_2PI * WIDTHS[:, None])
            values = 1 / (2 * np.sqrt(np.pi) * WIDTHS[:, None]) - 2 * match
            i, j = np.unravel_index(np.argmin(values), values.shape)
            return WIDTHS[i], CENTERS[j]

        tracemalloc.start()
        ours()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        case = f"N = {n_samples}, 25 widths x 101 centers"
        functions = {"ours": ours} | ({"direct": direct} if n_samples <= 10_000 else {})
        seconds, found = alternate(functions, repeats)
        if "direct" in found:
            same = {"same_selection": found["ours"] == found["direct"]}
            row = against("width-center", case, "ours", "direct", seconds, **same)
        else:
            row = {"item": "width-center", "case": case, "ours_seconds": seconds["ours"]}
        rows.append(row | {"peak_megabytes": peak / 1e6})
    return rows
