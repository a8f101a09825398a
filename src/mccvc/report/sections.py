"""What the report says of the experiments beside the paper's: their tables, figures and places."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from mccvc.report import ambiguity, contamination, linear_contamination
from mccvc.study.plan import ResolvedStudy

Paths = str | Path


class Section(NamedTuple):
    """The part of the report on one experiment.

    Attributes
    ----------
    title, heading : str
        Its name in the list of sections, and above it.
    write : callable
        ``write(study, runs, tables, figures)`` writes the files of its tables and figures.
    tables : dict
        Names of the tables shown, each with a function that gives its lines as texts, from the
        file's data frame and the labels. A caption has the name of its table or figure.
    figures : tuple of str
        Names of the figures.
    answer : callable
        ``answer(tables)``: sentences to begin with, from the data frames of all tables by name.
    """

    title: str
    heading: str
    write: Callable[[ResolvedStudy, Paths, Paths, Paths], None]
    tables: Mapping[str, Callable[..., list[dict[str, Any]]]]
    figures: tuple[str, ...]
    answer: Callable[[dict[str, Any]], list[str]] = lambda tables: []


# By the names of the experiments, not by these: their code is not that of the report.
SECTIONS = {
    "contamination": Section(
        title="Outliers",
        heading="With outliers among the training rows",
        write=contamination.write_contamination,
        tables={
            "contamination_conditions": contamination.present_conditions,
            "contamination_methods": contamination.present_methods,
            "contamination_parts": contamination.present_parts,
        },
        figures=("contamination", "contamination_map"),
    ),
    "linear-contamination": Section(
        title="Linear curves",
        heading="Linear regression: one property of the data at a time",
        write=linear_contamination.write_linear_contamination,
        tables={"linear_breakdown": linear_contamination.present_breakdown},
        figures=("linear_contamination",),
    ),
    "ambiguity": Section(
        title="Readings",
        heading="What did the paper do?",
        write=ambiguity.write_ambiguity,
        tables={
            "ambiguity_cells": ambiguity.present_cells,
            "ambiguity_readings": ambiguity.present_readings,
        },
        figures=("ambiguity",),
        answer=lambda tables: ambiguity.why_yacht(tables["ambiguity"]),
    ),
}
