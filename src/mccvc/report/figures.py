"""Which figures show the rows of the paper's experiments."""

from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from mccvc.report.drawing import save_figures
from mccvc.report.elm_figures import dataset, hyperparameters, test_rmse
from mccvc.report.labels import Labels
from mccvc.report.linear_figures import kernel_and_error_density, linear_convergence
from mccvc.report.roles import roles_of


def write_figures(study, runs, traces, out):
    """Draw the figures that show rows.

    Parameters
    ----------
    study : ResolvedStudy
        The resolved study.
    runs, traces, out : path-like
        Directories of the shards, the traces and the figures to write.
    """
    label, roles, linear = Labels.of(study), roles_of(study["elm"]), study["linear"]
    convergence = pd.read_parquet(Path(traces) / "convergence.parquet")
    errors = pd.read_parquet(Path(traces) / "errors.parquet")
    elm = study["elm"].rows(runs)
    elm = elm[elm["error"].isna()]
    figures: dict[str, Any] = {
        "kernel_and_error_density": lambda: kernel_and_error_density(errors, linear.titles, label),
        "linear_convergence": lambda: linear_convergence(linear, convergence, label),
        "test_rmse": lambda: test_rmse(elm, roles, label),
        "hyperparameters": lambda: hyperparameters(elm, roles, label),
    }
    for name in study["elm"].problems:
        rows = elm[elm["dataset"] == name]
        figures[f"dataset_{name}"] = partial(dataset, rows, name, roles, label)
    save_figures(figures, out)
