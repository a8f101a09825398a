"""Frames to numbers: digests of their values, categories coded, columns scaled to [0, 1]."""

import hashlib
import json
from pathlib import Path

import numpy as np
import pandas as pd

from mccvc.datasets.cells import NumberFormat, is_text
from mccvc.datasets.errors import DataError
from mccvc.datasets.parsing import parse
from mccvc.datasets.spec import DatasetSpec
from mccvc.study.files import write_json, write_table

# Stands for a missing value among texts; no text of a file holds it.
_NO_TEXT = "\0"


def value_digest(frame):
    """SHA-256 of the values of a frame, column by column.

    Line ends, number formats, column names and wrappers do not matter; any other value,
    order or type of cell does.

    Parameters
    ----------
    frame : pandas.DataFrame
        Parsed table of numbers and text.

    Returns
    -------
    str
        ``sha256:`` and 64 hexadecimal digits.
    """
    digest = hashlib.sha256(repr(frame.shape).encode())
    for position in range(frame.shape[1]):
        column = frame.iloc[:, position]
        if is_text(column):
            texts = [_NO_TEXT if missing else str(cell) for cell, missing in _marked(column)]
            digest.update(b"text" + "\x1f".join(texts).encode())
        else:
            values = column.to_numpy(dtype="<f8", na_value=np.nan) + 0.0  # -0.0 is 0.0
            values[np.isnan(values)] = np.nan  # of which there are many
            digest.update(b"number" + values.tobytes())
    return f"sha256:{digest.hexdigest()}"


def _marked(column):
    return zip(column, column.isna(), strict=True)


def normalize(frame, spec: DatasetSpec):
    """Code categories and scale every column to [0, 1] over the whole dataset.

    Parameters
    ----------
    frame : pandas.DataFrame
        Parsed table.
    spec : DatasetSpec
        ``target``: its column; ``drop``: columns left out; ``ordinal``: for a text column the
        list of its values in order, coded 0, 1, ...; ``one_hot``: columns coded by a column of
        zeros and ones for each value; ``duplicates``: ``drop`` leaves out repeated rows. Rows
        with missing values, if :func:`mccvc.datasets.parsing.parse` lets them pass, are left out.

    Returns
    -------
    pandas.DataFrame
        Inputs, then the target as the last column, float64. A constant input becomes 0.

    Raises
    ------
    DataError
        If a column is not there, a text column has no coding or a value outside of it, no row or
        no input is left, the target is constant, or values are too far apart.
    """
    for problem in spec.problems():
        raise DataError(problem)
    for column in [spec.target, *spec.drop, *spec.ordinal, *spec.one_hot]:
        if column not in frame:
            raise DataError(f"no column {column!r} among {list(frame)}")
    frame = _complete_rows(frame.drop(columns=list(spec.drop)))
    if spec.duplicates == "drop":
        frame = frame.drop_duplicates()
    for column, levels in spec.ordinal.items():
        frame[column] = _coded(frame[column], levels)
    frame = pd.get_dummies(frame, columns=list(spec.one_hot), prefix_sep="=")
    _check_numbers(frame, spec)
    frame = frame.astype(float)
    inputs = [c for c in frame if c != spec.target]
    if not inputs:
        raise DataError(
            f"no input is left beside the target {spec.target!r}; left out: {list(spec.drop)}"
        )
    return _scaled(frame[[*inputs, spec.target]].reset_index(drop=True))


def _complete_rows(frame):
    left = frame.dropna()
    if left.empty:
        missing = frame.isna().sum()
        raise DataError(
            f"each of the {len(frame)} rows misses a value; column {missing.idxmax()!r} misses"
            f" {missing.max()}: drop it"
        )
    return left


def _coded(column, levels):
    unknown = sorted(set(column) - set(levels), key=str)
    if unknown:
        yaml = any(isinstance(level, bool) for level in levels) and is_text(column)
        hint = "; YAML reads yes, no, on and off as true and false: quote them" if yaml else ""
        raise DataError(
            f"ordinal.{column.name}: values {unknown} are not among {list(levels)}{hint}"
        )
    return column.map({level: i for i, level in enumerate(levels)})


def _check_numbers(frame, spec):
    texts = [c for c in frame if is_text(frame[c])]
    if not texts:
        return
    column = spec.target if spec.target in texts else texts[0]
    value, where = odd_cell(frame[column], spec)
    shown = f"column {column!r} has {value!r} in {where}"
    if spec.target in texts:
        raise DataError(f"the target {spec.target!r} holds text, expected numbers: {shown}")
    raise DataError(
        f"columns {texts} hold text; list their values in order under ordinal, or name them"
        f" under one_hot or drop ({shown})"
    )


def odd_cell(column, spec):
    """The first text of a column that is no number, and the line that it stands in."""
    marks = NumberFormat(spec.decimal, spec.thousands)
    filled = column.dropna()
    odd = next((i for i, cell in enumerate(filled) if not marks.fits(cell)), 0)
    return filled.iloc[odd], f"{column.index.name or 'row'} {filled.index[odd]}"


def _scaled(frame):
    lowest = frame.min()
    with np.errstate(over="ignore"):
        span = frame.max() - lowest
    if not np.isfinite(span).all():
        far = span.index[~np.isfinite(span)][0]
        raise DataError(f"column {far!r}: values too far apart to scale")
    if span.iloc[-1] == 0:
        raise DataError(f"the target {frame.columns[-1]!r} has the same value in every row")
    return (frame - lowest) / span.where(span > 0, 1.0)


def normalize_file(name, spec: DatasetSpec, raw_path, table_path):
    """Parse and normalize a fetched file; write the table and, beside it, its provenance.

    Raises
    ------
    DataError
        Naming the dataset and the file that cannot be read, or the rows that it lacks.
    """
    try:
        table = normalize(parse(raw_path, spec), spec)
        wanted = (spec.n_train or 0) + (spec.n_test or 0)
        if wanted > len(table):
            raise DataError(
                f"n_train {spec.n_train} and n_test {spec.n_test}; expected at most its"
                f" {len(table)} rows together"
            )
    except (DataError, OSError) as error:
        raise DataError(f"dataset {name}: {raw_path}: {error}") from error
    provenance = json.loads(Path(raw_path).with_suffix(".json").read_text(encoding="utf-8"))
    provenance |= {"rows": len(table), "inputs": list(table.columns[:-1]), "target": spec.target}
    provenance["duplicate_rows"] = int(table.duplicated().sum())
    provenance["normalized_digest"] = value_digest(table)
    write_json(Path(table_path).with_suffix(".json"), provenance)
    write_table(table, table_path)
