"""A look at an unknown data file, and the config entry that reads it."""

import re
import tempfile
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import numpy as np
import pandas as pd
import yaml

from mccvc.datasets.fetch import obtain
from mccvc.datasets.normalize import value_digest
from mccvc.datasets.parsing import DataError, parse

_SEPARATORS = {"semicolon": ";", "tab": "\t", "csv": ",", "whitespace": None}
_LINES = 200
# Text columns with more values than this are rather names than categories.
_MOST_CATEGORIES = 20
# Share of the target's variation that a relation may leave unexplained to count as exact.
_EXACT = 1e-9


def describe(source, timeout=20.0):
    """A config entry for a data file, with what a user should know about it as comments.

    Parameters
    ----------
    source : str
        Path, or https address; of an archive, the address with ``#member``.
    timeout : float, default 20
        Seconds without an answer after which a download fails.

    Returns
    -------
    str
        YAML to paste below ``datasets:``.

    Raises
    ------
    DataError
        If the file cannot be had or read.
    """
    address, _, member = source.partition("#")
    with tempfile.TemporaryDirectory() as scratch:
        if "://" in address:
            where = {"urls": [address]} | ({"member": member} if member else {})
            path = obtain(address, where, Path(scratch), timeout)
            name = Path(member or unquote(urlsplit(address).path)).stem
        else:
            where, path = {"file": source}, Path(source)
            name = path.stem
            if not path.is_file():
                raise DataError(f"{path}: no such file")
        spec = where | layout(path)
        frame = parse(path, spec | {"missing": "drop"})
    return _entry(name, spec, frame)


def layout(path):
    """Guess how to read a file: the keys ``layout``, ``header``, ``decimal`` and ``columns``.

    Parameters
    ----------
    path : path-like
        The file.

    Returns
    -------
    dict
        Only keys that differ from their defaults.
    """
    start = Path(path).read_bytes()[: 2**20]
    if start.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0")):
        return {"layout": "excel"}
    text = start.decode("utf-8", errors="replace")
    if re.match(r"\s*(%.*\s+)*@relation", text, re.IGNORECASE):
        return {"layout": "keel"}
    lines = [line for line in text.splitlines() if line.strip()][:_LINES]
    if len(lines) < 2:
        raise DataError(f"{path}: fewer than two lines of text")
    kind = max(_SEPARATORS, key=lambda name: _consistency(lines, _SEPARATORS[name]))
    rows = [[cell.strip().strip('"') for cell in line.split(_SEPARATORS[kind])] for line in lines]
    found: dict[str, Any] = {} if kind == "csv" else {"layout": kind}
    commas = sum(bool(re.fullmatch(r"-?\d*,\d+", cell)) for row in rows for cell in row)
    points = sum(bool(re.fullmatch(r"-?\d*\.\d+", cell)) for row in rows for cell in row)
    if kind != "csv" and commas > points:
        found["decimal"] = ","
    decimal = found.get("decimal", ".")
    # Names are no numbers; where all cells are text, the first row is taken for names.
    if any(_is_number(cell, decimal) for cell in rows[0]):
        found |= {"header": False, "columns": [f"x{i + 1}" for i in range(len(rows[0]))]}
    return found


def _consistency(lines, separator):
    """Share of lines with the commonest number of cells, 0 if that is one; then that number."""
    counts = [len(line.split(separator)) for line in lines]
    commonest = max(set(counts), key=counts.count)
    return (counts.count(commonest) / len(counts), commonest) if commonest > 1 else (0.0, 0)


def _is_number(cell, decimal):
    try:
        float(cell.replace(decimal, ".") if decimal != "." else cell)
    except ValueError:
        return False
    return True


def _entry(name, spec, frame):
    target = frame.columns[-1]
    notes = [f"{len(frame)} rows, {frame.shape[1]} columns. Target guessed: the last column."]
    spec = spec | {"target": target}
    text = [c for c in frame if not pd.api.types.is_numeric_dtype(frame[c])]
    names = [c for c in text if frame[c].nunique() > _MOST_CATEGORIES]
    categories = [c for c in text if c not in names]
    for column in categories:
        levels = sorted(frame[column].dropna().unique(), key=str)
        notes.append(f"{column}: text with the values {levels}; ordinal if they have an order.")
    for column in names:
        notes.append(f"{column}: text with {frame[column].nunique()} values, left out.")
    missing = frame.columns[frame.isna().any()].tolist()
    if missing:
        notes.append(f"Missing values in {missing}: drop these columns, or keep missing: drop.")
        spec["missing"] = "drop"
    notes += _warnings(frame, target)
    spec |= {"drop": names} if names else {}
    spec |= {"one_hot": categories} if categories else {}
    spec["digest"] = value_digest(frame)
    slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "data"
    body = yaml.safe_dump({slug: {"title": name} | spec}, sort_keys=False, width=1000)
    comments = "".join(f"  # {note}\n" for note in notes)
    return comments + "".join(f"  {line}\n" for line in body.splitlines())


def _warnings(frame, target):
    """What could make a benchmark on this file mean less than it seems."""
    constant = frame.columns[frame.nunique(dropna=False) < 2].tolist()
    inputs = frame.drop(columns=target)
    repeated, same_inputs = int(frame.duplicated().sum()), int(inputs.duplicated().sum())
    notes = [f"Distinct targets: {frame[target].nunique()}."]
    if constant:
        notes.append(f"Constant columns: {constant}.")
    if same_inputs:
        notes.append(
            f"Rows that repeat earlier ones: {repeated}; their inputs: {same_inputs}. Set"
            " duplicates: drop, or together, to keep equal rows on one side of the split."
        )
    return notes + _relations(frame, target)


def _relations(frame, target):
    numbers = frame.select_dtypes("number").dropna()
    if target not in numbers or len(numbers) <= numbers.shape[1]:
        return []
    columns = numbers.drop(columns=target)
    columns = columns.loc[:, columns.nunique() >= 2]
    goal = numbers[target] - numbers[target].mean()
    if not (goal != 0).any() or columns.empty:
        return []
    centered = columns - columns.mean()
    alone = [c for c in columns if _unexplained(centered[[c]], goal)[0] < _EXACT]
    notes = [f"{c} alone determines the target: drop it." for c in alone]
    rest = centered.drop(columns=alone)
    if not rest.empty and not alone:
        left, weights = _unexplained(rest / rest.std(), goal)
        if left < _EXACT:
            weighty = np.abs(weights) > 1e-6 * np.abs(weights).max()
            notes.append(f"Together {list(rest.columns[weighty])} determine the target exactly.")
    return notes


def _unexplained(columns, goal):
    """Share of the goal's square that a linear combination leaves, and the combination."""
    weights = np.linalg.lstsq(columns.to_numpy(), goal.to_numpy(), rcond=None)[0]
    left = goal - columns.to_numpy() @ weights
    return float((left**2).sum() / (goal**2).sum()), weights
