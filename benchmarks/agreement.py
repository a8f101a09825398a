"""The study's rows against those of an exhaustive search solved in double precision throughout."""

import tempfile
from unittest import mock

import numpy as np

from benchmarks.data import default_study, normalized
from mccvc.solvers import held_out, irls
from mccvc.study.elm import elm_rows

RUNS = 10
RMSES = ("train_rmse", "test_rmse", "cv_rmse")
SELECTED = ("n_hidden", "lam", "sigma")


def run(repeats):
    """A row for each dataset and method: equal selections, and how far the RMSEs are apart."""
    study = default_study()
    for dataset in study.resolved["elm"].problems:
        with tempfile.TemporaryDirectory() as directory:
            data = normalized(study, dataset, directory)
        for method in study.resolved["elm"].methods:
            spec = study.elm_spec(dataset, method)
            rows = [elm_rows(spec, i, data)[0] for i in range(RUNS)]
            with (
                mock.patch.object(held_out, "_ROUNDING", np.inf),
                mock.patch.object(irls, "_DIRECT_COLUMNS", max(spec.n_hidden)),
            ):
                exact = [elm_rows(spec, i, data)[0] for i in range(RUNS)]
            pairs = list(zip(rows, exact, strict=True))
            yield {
                "item": "agreement",
                "case": f"{dataset}, {method}, {RUNS} runs",
                "ours_seconds": sum(row["tune_seconds"] for row in rows),
                "exact_seconds": sum(row["tune_seconds"] for row in exact),
                "same_selection": all(
                    a.get(key) == b.get(key) for a, b in pairs for key in SELECTED
                ),
                "largest_difference": max(
                    abs(a[key] / b[key] - 1) for a, b in pairs for key in RMSES
                ),
            }
