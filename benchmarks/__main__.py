"""``python -m benchmarks [ITEM ...]``: prints a table and writes it as JSON.

``python -m benchmarks rows OLD NEW`` compares the rows of two studies instead.
"""

import os

for _library in ("OMP", "OPENBLAS", "MKL", "BLIS", "NUMEXPR", "VECLIB_MAXIMUM"):
    os.environ[f"{_library}_NUM_THREADS"] = "1"

import argparse  # noqa: E402
import json  # noqa: E402
import sys  # noqa: E402
from importlib import import_module  # noqa: E402
from pathlib import Path  # noqa: E402

from benchmarks import rows as rows_of_two  # noqa: E402
from benchmarks.pipeline import summary  # noqa: E402
from mccvc.study.provenance import environment  # noqa: E402

ITEMS = (
    "grid-search",
    "peak",
    "fixed-point",
    "width-center",
    "relm",
    "linear-robust",
    "robust",
    "large-n",
    "pipeline",
    "agreement",
)


def main():
    """Run the items asked for, print them, and compare with an earlier file if asked to."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("items", nargs="*", metavar="ITEM", help=f"of {', '.join(ITEMS)}; all")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--out", type=Path, help="JSON file to write")
    parser.add_argument("--check", type=Path, help="fail if a ratio is below half of this file's")
    parser.add_argument("--study", type=Path, help="results of a finished study, to set against")
    parser.add_argument("--wall", type=float, help="the study's wall time in seconds")
    options = parser.parse_args()
    unknown = set(options.items) - set(ITEMS)
    if unknown:
        parser.error(f"unknown item {sorted(unknown)[0]}; expected of {', '.join(ITEMS)}")
    rows = []
    if options.study:
        rows.append(summary("study", options.study, options.wall, 2))
        _write(rows, options.out)
    for item in options.items or (() if options.study else ITEMS):
        module = import_module(f"benchmarks.{item.replace('-', '_')}")
        for row in module.run(options.repeats):
            rows.append({key: _plain(value) for key, value in row.items()})
            print(_line(rows[-1]), flush=True)
        _write(rows, options.out)
    print(json.dumps(environment()))
    return _halved(rows, options.check) if options.check else 0


def _write(rows, out):
    if out:
        text = json.dumps({"machine": environment(), "rows": rows}, indent=2)
        out.write_text(text + "\n", encoding="utf-8")


def _plain(value):
    return value.item() if hasattr(value, "item") else value


def _line(row):
    shown = {
        key: f"{value:.4g}" if isinstance(value, float) else value for key, value in row.items()
    }
    rest = (f"{key} {value}" for key, value in shown.items() if key not in ("item", "case"))
    return f"{row['item']:14} {row['case']:42} {'; '.join(rest)}"


def _halved(rows, path):
    recorded = json.loads(path.read_text(encoding="utf-8"))["rows"]
    before = {(r["item"], r["case"], r.get("reference")): r.get("ratio") for r in recorded}
    status = 0
    for row in rows:
        expected = before.get((row["item"], row["case"], row.get("reference")))
        if expected and row["ratio"] < expected / 2:
            status = 1
            print(f"halved: {_line(row)}; recorded ratio {expected:.3g}", file=sys.stderr)
        if row.get("same_selection") is False:
            status = 1
            print(f"other selection: {_line(row)}", file=sys.stderr)
    return status


raise SystemExit(rows_of_two.main(sys.argv[2:]) if sys.argv[1:2] == ["rows"] else main())
