"""``python docs/update_results.py RESULTS``: docs/results, and what the guide takes from it.

Copies the tables and pictures that a finished study has to docs, with the commit, and fills the
places between ``<!-- name -->`` and ``<!-- /name -->`` in README.md and docs.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd

from mccvc.report.ambiguity import why_yacht
from mccvc.report.labels import default_label

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
    "contamination.png",
    "contamination_map.png",
    "ambiguity.png",
)
CSV = (
    "claims.csv",
    "published_vs_reproduced.csv",
    "contamination.csv",
    "contamination_methods.csv",
    "contamination_conditions.csv",
    "ambiguity.csv",
    "ambiguity_cells.csv",
    "ambiguity_readings.csv",
)
# Experiments with a config of their own, recorded each at the commit that it was run at.
EXPERIMENTS = ("contamination", "ambiguity")


def main(results):
    """Copy tables and pictures of a study and fill the guide."""
    for folder, names, home in (
        ("tables", (*TABLES, *CSV), RECORDED),
        ("figures", PICTURES, DOCS / "pictures"),
    ):
        for name in names:
            # A study of one experiment has not all of them.
            if (source := Path(results) / folder / name).exists():
                shutil.copy(source, home / name)
    for experiment in EXPERIMENTS:
        if (Path(results) / f"tables/{experiment}.csv").exists():
            command = ["git", "-C", str(results), "rev-parse", "--short", "HEAD"]
            commit = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            (RECORDED / f"{experiment}_commit.txt").write_text(commit, encoding="utf-8")
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


def contamination_study():
    """What was run."""
    table = pd.read_csv(RECORDED / "contamination.csv")
    shares = ", ".join(f"{share:.0%}" for share in sorted(table["share"].unique()))
    return (
        f"{_origin('contamination')}: {table['dataset'].nunique()} datasets,"
        f" shares of {shares}, {table['n_runs'].max()} runs.\n"
    )


def _origin(experiment):
    commit = (RECORDED / f"{experiment}_commit.txt").read_text(encoding="utf-8").strip()
    return f"`config/{experiment}.yaml` at commit {commit}"


def contamination_methods():
    """Ratios of each method to the better of RELM and ELM-MCC-VC."""
    table = pd.read_csv(RECORDED / "contamination_methods.csv").sort_values("spoilt")
    body = [
        [
            default_label(row.method),
            f"{row.clean:.3f}",
            f"{row.spoilt:.3f}",
            f"{row.worse} of {row.n_cells}",
            f"{row.better} of {row.n_cells}",
        ]
        for row in table.itertuples()
    ]
    return _markdown(["method", "clean", "with outliers", "worse", "better"], body)


def contamination_conditions():
    """The method to use under each condition."""
    table = pd.read_csv(RECORDED / "contamination_conditions.csv")
    body = [
        [
            "clean" if row.share == 0 else f"{row.share:.0%} {row.kind}",
            default_label(row.method),
            f"{row.ratio:.3f}",
            f"{row.largest_ratio:.3f}",
        ]
        for row in table.itertuples()
    ]
    return _markdown(["training rows", "use", "mean ratio", "largest ratio"], body)


def contamination_parts():
    """What each part of the best ELM-RCC gives, each left out in turn."""
    table = pd.read_csv(RECORDED / "contamination_methods.csv").set_index("method")
    whole = table.loc["elm-rcc-averaged"]
    body = [
        [what, f"{table.loc[name, 'clean']:.3f}", f"{table.loc[name, 'spoilt']:.3f}"]
        for what, name in _PARTS.items()
        if name in table.index
    ]
    first = ["all of them", f"{whole['clean']:.3f}", f"{whole['spoilt']:.3f}"]
    return _markdown(["ELM-RCC with", "clean", "with outliers"], [first, *body])


_PARTS = {
    "squared instead of truncated errors as score": "elm-rcc-averaged-squared",
    "the best grid point instead of the average": "elm-rcc-clipped-only",
    "no clip": "elm-rcc-averaged-only",
    "the truncated score alone": "elm-rcc-truncated",
    "none (the paper's)": "elm-rcc",
}


def ambiguity_study():
    """What was run."""
    table = pd.read_csv(RECORDED / "ambiguity.csv")
    cells = pd.read_csv(RECORDED / "ambiguity_cells.csv").drop_duplicates(["dataset", "method"])
    readings = pd.read_csv(RECORDED / "ambiguity_readings.csv")
    point = readings[readings["choice"] == "nearest"].iloc[0]
    return (
        f"{_origin('ambiguity')}: {table['reading'].nunique()} readings, {table['n_runs'].max()}"
        f" runs. Of {len(cells)} printed pairs {readings['pairs'].iloc[0]} are compatible with the"
        " default in both means and both standard deviations,"
        f" {(cells['distance'] <= 1).sum()} with some reading that sets no point for that pair"
        f" alone, {point['pairs']} with a number of nodes and a penalty (and σ) fixed over the"
        f" runs that the print itself chooses: {point['choices']} values for"
        f" {2 * point['n_cells']} printed figures.\n"
    )


def ambiguity_answer():
    """Why the paper's RELM on Yacht is so much worse than a tuned one."""
    return " ".join(why_yacht(pd.read_csv(RECORDED / "ambiguity.csv"))) + "\n"


def ambiguity_cells():
    """The nearest reading of each printed pair."""
    return _recorded_table("ambiguity_cells")


def ambiguity_readings():
    """What each reading explains."""
    return _recorded_table("ambiguity_readings")


def _recorded_table(name):
    lines = (RECORDED / f"{name}.md").read_text(encoding="utf-8").splitlines(keepends=True)
    return "".join(line for line in lines if line.startswith("|"))


PLACES = {
    "ambiguity study": ambiguity_study,
    "ambiguity answer": ambiguity_answer,
    "ambiguity cells": ambiguity_cells,
    "ambiguity readings": ambiguity_readings,
    "contamination study": contamination_study,
    "contamination methods": contamination_methods,
    "contamination conditions": contamination_conditions,
    "contamination parts": contamination_parts,
    "claims": claims,
    "agreement": agreement,
    "table3": table3,
    "calibration": calibration,
    "calibration datasets": calibration_datasets,
}


def _markdown(head, body):
    rows = [head, ["---"] * len(head), *body]
    return "".join("| " + " | ".join(row) + " |\n" for row in rows)


if __name__ == "__main__":
    main(sys.argv[1])
