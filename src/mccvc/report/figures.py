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


def write_linear_figures(study, traces, out):
    """Draw the figures of the linear experiment.

    Parameters
    ----------
    study : ResolvedStudy
        The resolved study.
    traces, out : path-like
        Directories of the traces and of the figures to write.
    """
    label, linear = Labels.of(study), study["linear"]
    convergence = pd.read_parquet(Path(traces) / "convergence.parquet")
    errors = pd.read_parquet(Path(traces) / "errors.parquet")
    figures = {
        "kernel_and_error_density": lambda: kernel_and_error_density(errors, linear.titles, label),
        "linear_convergence": lambda: linear_convergence(linear, convergence, label),
    }
    save_figures(figures, out)


def write_elm_figures(study, runs, out):
    """Draw the figures of the ELM experiment.

    Parameters
    ----------
    study : ResolvedStudy
        The resolved study.
    runs, out : path-like
        Directories of the shards and of the figures to write.
    """
    label, roles = Labels.of(study), roles_of(study["elm"])
    elm = study["elm"].rows(runs)
    elm = elm[elm["error"].isna()]
    figures: dict[str, Any] = {
        "test_rmse": lambda: test_rmse(elm, roles, label),
        "hyperparameters": lambda: hyperparameters(elm, roles, label),
    }
    for name in study["elm"].problems:
        rows = elm[elm["dataset"] == name]
        figures[f"dataset_{name}"] = partial(dataset, rows, name, roles, label)
    save_figures(figures, out)
