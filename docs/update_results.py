"""``python docs/update_results.py RESULTS [NAME]``: docs/results, and what the guide takes from it.

With a NAME only one experiment is taken: ``contamination``, ``method`` (the same experiment with
config/contamination-method.yaml), ``linear-contamination`` or ``ambiguity``.

Copies the tables and pictures that a finished study has to docs, with the commit, and fills the
places between ``<!-- name -->`` and ``<!-- /name -->`` in README.md and docs.
"""

import re
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import stats

from mccvc.report.ambiguity import why_yacht
from mccvc.report.contamination import present_conditions, present_methods, present_parts
from mccvc.report.labels import Labels

DOCS = Path(__file__).parent
RECORDED = DOCS / "results"
PAGES = (DOCS.parent / "README.md", DOCS / "evidence.md", DOCS / "findings.md")
TABLES = (
    "table1.md",
    "table3.md",
    "comparisons.md",
    "across_datasets.md",
    "claims.md",
    "ambiguity_cells.md",
    "ambiguity_readings.md",
)
PICTURES = (
    "kernel_and_error_density.png",
    "test_rmse.png",
    "differences.png",
    "critical_difference.png",
)
CSV = ("claims.csv", "published_vs_reproduced.csv")


class Record(NamedTuple):
    """What is kept of an experiment beside the paper's: its config, tables and pictures.

    Tables are the names in results/tables, each with that in docs/results.
    """

    config: str
    tables: dict[str, str]
    pictures: tuple[str, ...] = ()


def _contamination_tables(name):
    ends = ("", "_ratios", "_methods", "_parts", "_conditions")
    return {f"contamination{end}.csv": f"{name}{end}.csv" for end in ends}


def _same(*names):
    return {name: name for name in names}


RECORDS = {
    "contamination": Record(
        "contamination.yaml",
        _contamination_tables("contamination"),
        ("contamination.png", "contamination_map.png"),
    ),
    "method": Record("contamination-method.yaml", _contamination_tables("method")),
    "linear-contamination": Record(
        "linear-contamination.yaml",
        _same("linear_contamination.csv", "linear_breakdown.csv", "linear_breakdown.md"),
        ("linear_contamination.png",),
    ),
    "ambiguity": Record(
        "ambiguity.yaml",
        _same(
            "ambiguity.csv",
            *(
                f"ambiguity_{part}.{suffix}"
                for part in ("cells", "readings")
                for suffix in ("csv", "md")
            ),
        ),
        ("ambiguity.png",),
    ),
}


def main(results, name=None):
    """Copy tables and pictures of a study and fill the guide."""
    tables, figures = Path(results) / "tables", Path(results) / "figures"
    if name is None:
        for source, target in (
            *((tables / each, RECORDED) for each in (*TABLES, *CSV)),
            *((figures / each, DOCS / "pictures") for each in PICTURES),
        ):
            shutil.copy(source, target)
    elif name in RECORDS:
        for each, kept in RECORDS[name].tables.items():
            shutil.copy(tables / each, RECORDED / kept)
        for each in RECORDS[name].pictures:
            shutil.copy(figures / each, DOCS / "pictures")
        command = ["git", "-C", str(results), "rev-parse", "--short", "HEAD"]
        commit = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        (RECORDED / f"{name}_commit.txt").write_text(commit, encoding="utf-8")
    else:
        sys.exit(f"{name}: no such record; expected one of {list(RECORDS)}")
    fill()


def fill():
    """Fill the guide from docs/results."""
    for path in PAGES:
        path.write_text(filled(path.read_text(encoding="utf-8")), encoding="utf-8")


def filled(text):
    """A text with its marked places filled."""
    for name, content in PLACES.items():
        pattern = rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)"
        text = re.sub(pattern, lambda m, c=content: m[1] + c() + m[2], text, flags=re.DOTALL)
    return text


def claims():
    """Counts of the verdicts, and the first columns of the table of claims."""
    judged = pd.read_csv(RECORDED / "claims.csv")
    counts = "; ".join(
        f"of {len(part)} {kind.replace('claim', 'claims').replace('question', 'questions')} "
        + ", ".join(f"{(part == verdict).sum()} {text}" for verdict, text in _SAID.items())
        for kind, part in judged.groupby("kind", sort=False)["verdict"]
        if kind != "published figure"
    )
    lines = (RECORDED / "claims.md").read_text(encoding="utf-8").splitlines()
    rows = [line.strip("|").split(" | ")[:3] for line in lines if line.startswith("|")]
    table = "\n".join("| " + " | ".join(cell.strip() for cell in row) + " |" for row in rows)
    return f"{counts[0].upper()}{counts[1:]}.\n\n{table}\n"


_SAID = {"holds": "hold", "does not hold": "do not", "cannot be decided": "are open"}


def agreement():
    """How many published RMSEs agree."""
    figures = pd.read_csv(RECORDED / "published_vs_reproduced.csv")
    figures = figures[figures["metric"].str.endswith("rmse")]
    parts = []
    for table, number in (("table1", "I"), ("table3", "III")):
        agrees = figures.loc[figures["table"] == table, "agrees"].dropna().astype(bool)
        parts.append(f"{agrees.sum()} of the {len(agrees)} RMSEs of Table {number}")
    return f"{' and '.join(parts)} are within three standard errors of the paper's.\n"


def table3():
    """Table III with a column for each method."""
    lines = (RECORDED / "table3.md").read_text(encoding="utf-8").splitlines()
    rows = [[c.strip() for c in line.strip("|").split(" | ")] for line in lines[2:] if "|" in line]
    cells: dict[str, dict[str, str]] = {}
    for row in rows:
        paper = row[7].partition(" ±")[0]
        cells.setdefault(row[0], {})[row[1]] = f"{row[5]} ({paper})"
    methods = list(next(iter(cells.values())))
    head = ["dataset", *methods]
    body = [[dataset, *(by_method[m] for m in methods)] for dataset, by_method in cells.items()]
    return _markdown(head, body)


def calibration():
    """Calibration of the tests on one dataset."""
    table = pd.read_csv(RECORDED / "calibration_splits.csv")
    body = [
        [
            f"{row.source}, {row.n_datasets} × {row.n_rows} rows",
            f"{row.first} − {row.second}",
            f"{row.overlap:.3f}",
            f"{row.worth_of_100_splits:.0f}",
            *(f"{getattr(row, f'wrong_{test}'):.0%}" for test in _TESTS),
            *(f"{getattr(row, f'detects_{test}'):.1%}" for test in _TESTS),
        ]
        for row in table.itertuples()
    ]
    wrong, detects = ([f"{what} {test}" for test in _TESTS] for what in ("wrong", "detects"))
    return _markdown(["source", "pair", "c", "worth", *wrong, *detects], body)


_TESTS = ("plain", "resampled", "corrected")


def calibration_datasets():
    """Calibration of the test over datasets."""
    table = pd.read_csv(RECORDED / "calibration_datasets.csv")
    body = [
        [f"{row.median_gain:+.0%}", f"{row.holds:.1%}", f"{row.fails:.1%}", f"{row.open:.1%}"]
        for row in table.itertuples()
    ]
    head = ["median gain over both (spread 3 %)", "holds", "does not hold", "cannot be decided"]
    return _markdown(head, body)


def _run_of(name, *, what):
    """A sentence on which config was run at which commit."""
    commit = (RECORDED / f"{name}_commit.txt").read_text(encoding="utf-8").strip()
    return f"`config/{RECORDS[name].config}` at commit {commit}: {what}.\n"


def contamination_study(name):
    """What was run."""
    table = pd.read_csv(RECORDED / f"{name}.csv")
    shares = ", ".join(f"{share:.0%}" for share in sorted(table["share"].unique()))
    sizes = f"{table['dataset'].nunique()} datasets, shares of {shares}"
    return _run_of(name, what=f"{sizes}, {table['n_runs'].max()} runs")


def contamination_methods(name):
    """Ratios of each method to the better of RELM and ELM-MCC-VC."""
    table = pd.read_csv(RECORDED / f"{name}_methods.csv")
    rows = [list(row.values()) for row in present_methods(table, Labels())]
    return _markdown(["method", "clean", "with outliers", "worse", "better"], rows)


def contamination_conditions(name):
    """The method to use under each condition."""
    table = pd.read_csv(RECORDED / f"{name}_conditions.csv")
    rows = [list(row.values()) for row in present_conditions(table, Labels())]
    return _markdown(["training rows", "use", "mean ratio", "largest ratio"], rows)


def contamination_parts(name):
    """What each part of a method gives, each left out in turn."""
    table = pd.read_csv(RECORDED / f"{name}_parts.csv")
    rows = [list(row.values()) for row in present_parts(table, Labels())]
    return _markdown(["method", "with", "clean", "with outliers"], rows)


def linear_study():
    """What was run."""
    table = pd.read_csv(RECORDED / "linear_contamination.csv")
    what = f"{table['method'].nunique()} methods on {table['curve'].nunique()} curves"
    return _run_of("linear-contamination", what=f"{what}, {table['n_runs'].max()} runs")


def contamination_groups(name):
    """The ways that matter, on the paper's datasets and on the others, and where they are worse."""
    ratios = pd.read_csv(RECORDED / f"{name}_ratios.csv")
    paper = ratios["dataset"].isin(pd.read_csv(RECORDED / "contamination.csv")["dataset"])
    body = []
    for method in _TOLD:
        own = ratios["method"] == method
        for where, group in (("the paper's", paper), ("others", ~paper)):
            part = ratios[own & group]
            clean = part["share"] == 0
            worse = part[part["low"] > 0]
            cells = [
                f"{row.dataset} {row.share:.0%} ({np.exp(row.log_ratio):.2f})"
                for row in worse.itertuples()
            ]
            body.append(
                [
                    Labels()(method),
                    where,
                    *(f"{np.exp(part.loc[m, 'log_ratio'].mean()):.3f}" for m in (clean, ~clean)),
                    f"{(part['high'] < 0).sum()} of {len(part)}",
                    ", ".join(cells) if len(cells) < _MANY else f"{len(cells)} cells",
                ]
            )
    head = ["method", "datasets", "clean", "with outliers", "better", "worse in"]
    return _markdown(head, body)


# From the simplest to the one with all parts.
_TOLD = (
    "relm",
    "elm-rcc",
    "elm-mcc-vc",
    "elm-rcc: truncated",
    "elm-rcc: truncated + mean",
    "elm-hedged: truncated + mean",
    "elm-rcc: averaged",
    "elm-hedged: all parts",
)
_MANY = 4


def contamination_power(name):
    """How many runs would tell a difference of 3 % in a cell."""
    ratios = pd.read_csv(RECORDED / f"{name}_ratios.csv")
    reported = pd.read_csv(RECORDED / f"{name}.csv")["n_runs"].max() // 2
    own = ratios[ratios["method"] == "elm-rcc: truncated + mean"]
    error = (own["high"] - own["low"]) / 2 / stats.t.ppf(0.975, reported - 1)
    needed = (error * np.sqrt(reported) * (stats.norm.ppf(0.975) + stats.norm.ppf(0.8)) / 0.03) ** 2
    enough = (needed <= reported).sum()
    return (
        f"With {reported} runs to report, a difference of 3 % would be seen with a power of 80 % in"
        f" {enough} of {len(own)} cells; half of the cells would need {needed.median():.0f} runs or"
        f" more, nine tenths at most {needed.quantile(0.9):.0f}.\n"
    )


def recorded(name, write):
    """A table of a record, or that there is none."""
    return write(name) if (RECORDED / f"{name}.csv").exists() else "Not run yet.\n"


def ambiguity_study():
    """What was run."""
    table = pd.read_csv(RECORDED / "ambiguity.csv")
    cells = pd.read_csv(RECORDED / "ambiguity_cells.csv").drop_duplicates(["dataset", "method"])
    readings = pd.read_csv(RECORDED / "ambiguity_readings.csv")
    point = readings[readings["choice"] == "nearest"].iloc[0]
    return _run_of(
        "ambiguity",
        what=f"{table['reading'].nunique()} readings, {table['n_runs'].max()}"
        f" runs. Of {len(cells)} printed pairs {readings['pairs'].iloc[0]} are compatible with the"
        " default in both means and both standard deviations,"
        f" {(cells['distance'] <= 1).sum()} with some reading that sets no point for that pair"
        f" alone, {point['pairs']} with a number of nodes and a penalty (and σ) fixed over the"
        f" runs that the print itself chooses: {point['choices']} values for"
        f" {2 * point['n_cells']} printed figures",
    )


def ambiguity_answer():
    """Why the paper's RELM on Yacht is so much worse than a tuned one."""
    return " ".join(why_yacht(pd.read_csv(RECORDED / "ambiguity.csv"))) + "\n"


def recorded_table(name):
    """The lines of a table that was recorded as Markdown, without its caption."""
    lines = (RECORDED / f"{name}.md").read_text(encoding="utf-8").splitlines(keepends=True)
    return "".join(line for line in lines if line.startswith("|"))


PLACES = {
    "ambiguity study": ambiguity_study,
    "ambiguity answer": ambiguity_answer,
    "ambiguity cells": partial(recorded_table, "ambiguity_cells"),
    "ambiguity readings": partial(recorded_table, "ambiguity_readings"),
    "claims": claims,
    "agreement": agreement,
    "table3": table3,
    "calibration": calibration,
    "calibration datasets": calibration_datasets,
    "linear study": linear_study,
    "linear breakdown": partial(recorded_table, "linear_breakdown"),
} | {
    f"{name} {part}": partial(recorded, name, write)
    for name in ("contamination", "method")
    for part, write in {
        "study": contamination_study,
        "methods": contamination_methods,
        "conditions": contamination_conditions,
        "parts": contamination_parts,
        "groups": contamination_groups,
        "power": contamination_power,
    }.items()
    if name == "method" or part not in ("groups", "power")
}


def _markdown(head, body):
    rows = [head, ["---"] * len(head), *body]
    return "".join("| " + " | ".join(row) + " |\n" for row in rows)


if __name__ == "__main__":
    main(*sys.argv[1:])
