"""``python -m benchmarks rows OLD NEW``: whether two directories of runs have the same rows."""

import argparse
from pathlib import Path

import pyarrow.parquet as pq

# Columns that a change of the code may change without any change of a result.
_UNCOMPARED = ("config_digest", "code_digest", "version", "fit_seconds", "tune_seconds")


def main(arguments):
    """Compare row by row, say what differs, and return 1 if anything does."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks rows", description=__doc__)
    parser.add_argument("old", type=Path, help="results/runs of the code before")
    parser.add_argument("new", type=Path, help="results/runs of the code after")
    parser.add_argument("--without", nargs="*", default=[], metavar="METHOD", help="left out")
    parser.add_argument("--without-columns", nargs="*", default=[], metavar="COLUMN")
    parser.add_argument(
        "--tolerance",
        type=float,
        default=0.0,
        help="relative for RMSEs, absolute for centers; all else is compared bit by bit",
    )
    options = parser.parse_args(arguments)
    uncompared = {*_UNCOMPARED, *options.without_columns}
    old, new = (_shards(path, options.without) for path in (options.old, options.new))
    lines = [f"{key}: only in {options.old}" for key in sorted(old.keys() - new.keys())]
    lines += [f"{key}: only in {options.new}" for key in sorted(new.keys() - old.keys())]
    both = sorted(old.keys() & new.keys())
    n_rows, largest = 0, 0.0
    for key in both:
        tables = [_rows(shards[key], uncompared) for shards in (old, new)]
        differences, distance = _compare(*tables, options.tolerance)
        lines += [f"{key}: {line}" for line in differences]
        n_rows += tables[0].num_rows
        largest = max(largest, distance)
    for line in lines:
        print(line)
    within = f"; within the tolerance up to {largest:.1e}" if options.tolerance else ""
    print(f"{len(both)} shards, {n_rows} rows: {len(lines)} differences{within}")
    return int(bool(lines) or not n_rows)


def _shards(root, without):
    """Files by their place below the root, but for those of some methods."""
    if not root.is_dir():
        raise SystemExit(f"{root} is no directory; expected a results/runs")
    paths = {str(path.relative_to(root)): path for path in root.rglob("*.parquet")}
    return {key: path for key, path in paths.items() if path.parent.name not in without}


def _rows(path, uncompared):
    table = pq.read_table(path, partitioning=None)
    return table.drop_columns([name for name in table.column_names if name in uncompared])


def _compare(old, new, tolerance):
    """What differs between two tables, and how far tolerated numbers are apart."""
    if set(old.column_names) != set(new.column_names):
        return [f"columns {sorted(set(old.column_names) ^ set(new.column_names))}"], 0.0
    if old.num_rows != new.num_rows:
        return [f"{old.num_rows} rows, now {new.num_rows}"], 0.0
    lines, largest = [], 0.0
    for name in old.column_names:
        for i, (a, b) in enumerate(zip(old[name].to_pylist(), new[name].to_pylist(), strict=True)):
            if a == b:
                continue
            distance = _distance(name, a, b)
            if distance <= tolerance:
                largest = max(largest, distance)
            else:
                lines.append(f"run {old['run'][i]}, {name}: {a}, now {b}")
    return lines, largest


def _distance(name, a, b):
    if a is None or b is None or not (name.endswith("_rmse") or name == "center"):
        return float("inf")
    return abs(a - b) / (1.0 if name == "center" else abs(a))
