"""Figures: PNG for screens, PDF with embedded fonts for print, data as CSV."""

from functools import partial
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd

from mccvc.report.elm_figures import (
    critical_difference,
    dataset,
    differences,
    hyperparameters,
    test_rmse,
)
from mccvc.report.labels import Labels
from mccvc.report.linear_figures import kernel_and_error_density, linear_convergence
from mccvc.report.reproduction import reproduction
from mccvc.report.roles import roles_of
from mccvc.report.style import styled
from mccvc.report.tables import write_csv
from mccvc.study.files import atomic_path


def write_figures(study, runs, traces, tables, out):
    """Draw all figures.

    Parameters
    ----------
    study : ResolvedStudy
        The resolved study.
    runs, traces, tables, out : path-like
        Directories of the shards, the traces, the comparisons and the figures to write.
    """
    out, linear = Path(out), study["linear"]
    label, roles = Labels.of(study), roles_of(study["elm"])
    convergence = pd.read_parquet(Path(traces) / "convergence.parquet")
    errors = pd.read_parquet(Path(traces) / "errors.parquet")
    paired = pd.read_csv(Path(tables) / "comparisons.csv").query("study == 'elm'")
    ranks = pd.read_csv(Path(tables) / "ranks.csv")
    elm = study["elm"].rows(runs)
    elm = elm[elm["error"].isna()]
    reproduced = pd.read_csv(Path(tables) / "published_vs_reproduced.csv")
    figures: dict[str, Any] = {
        "reproduction": lambda: reproduction(reproduced, roles, label),
        "kernel_and_error_density": lambda: kernel_and_error_density(errors, linear.titles, label),
        "linear_convergence": lambda: linear_convergence(linear, convergence, label),
        "test_rmse": lambda: test_rmse(elm, roles, label),
        "differences": lambda: differences(paired, roles, label),
        "critical_difference": lambda: critical_difference(ranks, label),
        "hyperparameters": lambda: hyperparameters(elm, roles, label),
    }
    for name in study["elm"].problems:
        rows = elm[elm["dataset"] == name]
        figures[f"dataset_{name}"] = partial(dataset, rows, name, roles, label)
    for name, draw in figures.items():
        write_csv(save_figure(draw, out, name), out / f"{name}.csv")


def save_figure(draw, out, name):
    """Draw a figure and write its files.

    Parameters
    ----------
    draw : callable
        Gives the figure and its data.
    out : path-like
        Directory.
    name : str
        Name of the files.

    Returns
    -------
    pandas.DataFrame
        The data.
    """
    with styled():
        figure, data = draw()
        for kind, metadata in (("png", None), ("pdf", {"CreationDate": None})):
            with atomic_path(out / f"{name}.{kind}") as temporary:
                figure.savefig(temporary, format=kind, dpi=150, metadata=metadata)
            # The layout of the first serves the others.
            figure.set_layout_engine("none")
        plt.close(figure)
    return data
