"""Reading original data files of many layouts into frames."""

import re
from pathlib import Path
from typing import Any

import pandas as pd

_LAYOUTS: dict[str, dict[str, Any]] = {
    "csv": {"sep": ",", "skipinitialspace": True},
    "semicolon": {"sep": ";"},
    "tab": {"sep": "\t"},
    "whitespace": {"sep": r"\s+"},
}
# What stands for a missing value, beside what the spec names.
_MISSING = ["", "NA", "NaN", "nan", "N/A", "<NA>", "null"]


class DataError(ValueError):
    """A data file that cannot be had, read or trusted."""


def parse(path, spec):
    """Read an original file into a frame with the columns that the spec names.

    Parameters
    ----------
    path : path-like
        The file.
    spec : dict
        ``layout``: ``csv`` (default), ``semicolon``, ``tab``, ``whitespace``, ``fixed``,
        ``excel`` or ``keel``; ``header``: whether the first row holds names (default), or how
        many rows do; ``columns``: names, in place of the file's; ``decimal``: the decimal mark,
        ``.`` (default) or ``,``; ``widths``: characters of each column of a ``fixed`` layout;
        ``sheet``: the sheet of an ``excel`` file (default the first); ``missing_values``: texts
        that stand for a missing value; ``missing``: ``error`` (default) or ``drop``, which lets
        rows with missing values pass.

    Returns
    -------
    pandas.DataFrame
        All columns; text stays text.

    Raises
    ------
    DataError
        If the file cannot be read so, has other columns, or misses values.
    """
    layout = spec.get("layout", "csv")
    try:
        frame = _read_keel(path, spec) if layout == "keel" else _read(path, layout, spec)
    except DataError:
        raise
    except Exception as error:  # the readers raise errors of many unrelated types
        raise DataError(f"{path}: not readable as {layout}: {first_line(error)}") from error
    columns = spec.get("columns", [str(name).strip() for name in frame.columns])
    if frame.shape[1] != len(columns) or frame.empty:
        raise DataError(
            f"{frame.shape[0]} rows of {frame.shape[1]} columns read as {layout}, "
            f"expected {len(columns)} columns ({columns})"
        )
    frame.columns = columns
    kept = frame.drop(columns=spec.get("drop", []), errors="ignore")
    missing = kept.columns[kept.isna().any()].tolist()
    if missing and spec.get("missing", "error") == "error":
        raise DataError(f"missing values in {missing}; drop the columns, or set missing: drop")
    return frame


def _read(path, layout, spec):
    rows = int(spec.get("header", True))
    header = None if rows == 0 else 0
    missing = {"na_values": _missing(spec), "keep_default_na": False}
    before = max(0, rows - 1)
    if layout == "excel":
        book = {"sheet_name": spec.get("sheet", 0), "engine": "calamine"}
        return pd.read_excel(path, header=header, skiprows=before, **book, **missing)
    marks = {"decimal": spec.get("decimal", "."), **missing}
    if layout == "fixed":
        return pd.read_fwf(path, widths=spec["widths"], header=header, skiprows=before, **marks)
    options = _LAYOUTS[layout] | marks
    return pd.read_csv(path, header=header, skiprows=before, index_col=False, **options)


def _read_keel(path, spec):
    """KEEL's format: @attribute lines name the columns, rows follow @data."""
    lines = Path(path).read_text(encoding="utf-8", errors="replace").splitlines()
    stripped = [line.strip() for line in lines]
    at_data = next((i for i, line in enumerate(stripped) if line.lower() == "@data"), None)
    if at_data is None:
        raise DataError(f"{path}: not readable as keel: no line @data")
    attribute = re.compile(r"@attribute\s+('[^']*'|[^\s{\[]+)", re.IGNORECASE)
    matches = (attribute.match(line) for line in stripped)
    return pd.read_csv(
        path,
        skiprows=at_data + 1,
        names=[match[1].strip("'") for match in matches if match],
        index_col=False,
        skipinitialspace=True,
        na_values=_missing(spec),
        keep_default_na=False,
    )


def _missing(spec):
    return [*_MISSING, *spec.get("missing_values", [])]


def first_line(error):
    """The first line of what an error says."""
    return (str(error).strip() or type(error).__name__).splitlines()[0]
