"""``python docs/update_results.py RESULTS``: docs/results, and what the guide takes from it.

Copies tables and pictures of a finished study to docs and fills the places between
``<!-- name -->`` and ``<!-- /name -->`` in README.md and docs/evidence.md.
"""

import re
import shutil
import sys
from pathlib import Path

import pandas as pd

DOCS = Path(__file__).parent
RECORDED = DOCS / "results"
TABLES = ("table1.md", "table3.md", "comparisons.md", "across_datasets.md", "claims.md")
PICTURES = (
    "kernel_and_error_density.png",
    "test_rmse.png",
    "differences.png",
    "critical_difference.png",
)
CSV = ("claims.csv", "published_vs_reproduced.csv")


def main(results):
    """Copy tables and pictures of a study and fill the guide."""
    for name in (*TABLES, *CSV):
        shutil.copy(Path(results) / "tables" / name, RECORDED / name)
    for name in PICTURES:
        shutil.copy(Path(results) / "figures" / name, DOCS / "pictures" / name)
    fill()


def fill():
    """Fill README.md and docs/evidence.md from docs/results."""
    for path in (DOCS.parent / "README.md", DOCS / "evidence.md"):
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


PLACES = {
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
