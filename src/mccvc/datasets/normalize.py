"""Frames to numbers: digests of their values, categories coded, columns scaled to [0, 1]."""

import hashlib
import json
from pathlib import Path

import pandas as pd

from mccvc.datasets.parsing import DataError, parse
from mccvc.study.files import write_json, write_table


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
        if pd.api.types.is_numeric_dtype(column):
            values = column.to_numpy(dtype="<f8") + 0.0  # -0.0 and 0.0 are one value
            digest.update(b"number" + values.tobytes())
        else:
            digest.update(b"text" + "\x1f".join(column.astype(str)).encode())
    return f"sha256:{digest.hexdigest()}"


def normalize(frame, spec):
    """Code categories and scale every column to [0, 1] over the whole dataset.

    Parameters
    ----------
    frame : pandas.DataFrame
        Parsed table.
    spec : dict
        ``target``: its column; ``drop``: columns left out; ``ordinal``: for a text column the
        list of its values in order, coded 0, 1, ...; ``one_hot``: columns coded by a column of
        zeros and ones for each value; ``duplicates``: ``drop`` leaves out repeated rows. Rows
        with missing values, if :func:`mccvc.datasets.parsing.parse` lets them pass, are left out.

    Returns
    -------
    pandas.DataFrame
        Inputs, then the target as the last column, float64. A constant column becomes 0.

    Raises
    ------
    DataError
        If a column is not there, or a text column has no coding or a value outside of it.
    """
    named = [spec["target"], *spec.get("drop", []), *spec.get("ordinal", {})]
    for column in [*named, *spec.get("one_hot", [])]:
        if column not in frame:
            raise DataError(f"no column {column!r} among {list(frame)}")
    frame = frame.drop(columns=spec.get("drop", []))
    frame = frame.dropna()
    if spec.get("duplicates") == "drop":
        frame = frame.drop_duplicates()
    for column, levels in spec.get("ordinal", {}).items():
        unknown = sorted(set(frame[column]) - set(levels), key=str)
        if unknown:
            raise DataError(f"ordinal.{column}: values {unknown} are not among {levels}")
        frame[column] = frame[column].map({level: i for i, level in enumerate(levels)})
    frame = pd.get_dummies(frame, columns=spec.get("one_hot", []), prefix_sep="=")
    text = [c for c in frame if not pd.api.types.is_numeric_dtype(frame[c])]
    if text:
        raise DataError(
            f"columns {text} hold text; list their values in order under ordinal, or name them"
            " under one_hot"
        )
    frame = frame.astype(float)
    inputs = [c for c in frame if c != spec["target"]]
    frame = frame[[*inputs, spec["target"]]].reset_index(drop=True)
    lowest = frame.min()
    span = frame.max() - lowest
    return (frame - lowest) / span.where(span > 0, 1.0)


def normalize_file(name, spec, raw_path, table_path):
    """Parse and normalize a fetched file; write the table and, beside it, its provenance."""
    try:
        table = normalize(parse(raw_path, spec), spec)
    except DataError as error:
        raise DataError(f"dataset {name}: {raw_path}: {error}") from error
    provenance = json.loads(Path(raw_path).with_suffix(".json").read_text())
    provenance |= {"rows": len(table), "inputs": list(table.columns[:-1]), "target": spec["target"]}
    provenance["duplicate_rows"] = int(table.duplicated().sum())
    provenance["normalized_digest"] = value_digest(table)
    write_json(Path(table_path).with_suffix(".json"), provenance)
    write_table(table, table_path)
