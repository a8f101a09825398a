"""Reading original data files of many layouts into frames."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from mccvc.datasets.cells import MISSING, Cell, NumberFormat, column, text
from mccvc.datasets.errors import DataError
from mccvc.datasets.rows import Rows, read_rows
from mccvc.datasets.spec import DatasetSpec, Layout


def parse(path, spec: DatasetSpec) -> pd.DataFrame:
    """Read an original file into a frame with the columns that the entry names.

    Parameters
    ----------
    path : path-like
        The file.
    spec : DatasetSpec
        How to read it: ``layout``, ``encoding``, ``header``, ``row_names``, ``columns``,
        ``decimal``, ``thousands``, ``widths``, ``sheet``, ``missing_values``, ``text_values``; with
        ``missing: drop`` rows with missing values pass.

    Returns
    -------
    pandas.DataFrame
        All columns, of int64, float64, bool, or text (object, None where missing). The index has
        the line of each row.

    Raises
    ------
    DataError
        If the file cannot be read so, has other columns, misses values or has infinite ones.
    """
    return frame_of(read_rows(path, spec), spec)


def frame_of(rows: Rows, spec: DatasetSpec) -> pd.DataFrame:
    """Give rows of cells names and types; see :func:`parse`."""
    names, body = table_of(rows, spec)
    missing = MISSING | set(spec.missing_values)
    if spec.layout in (Layout.ARFF, Layout.KEEL):
        missing |= {"?"}
    marks = NumberFormat(spec.decimal, spec.thousands)
    columns = {
        name: column([row[i] for row in body.cells], marks, missing, _text_values(spec, name))
        for i, name in enumerate(names)
    }
    frame = pd.DataFrame(columns, index=pd.Index(body.lines, name=body.unit))
    kept = [name for name in names if name not in spec.drop]
    for name in kept:
        _check_finite(name, columns[name], body, names.index(name))
    gaps = frame[kept].isna()
    if spec.missing == "error" and gaps.to_numpy().any():
        first = body.where(int(gaps.any(axis=1).to_numpy().argmax()))
        raise DataError(
            f"missing values in {gaps.columns[gaps.any()].tolist()}; drop the columns, or set"
            f" missing: drop (the first is in {first})"
        )
    return frame


def _text_values(spec, name):
    levels = spec.ordinal.get(name, ())
    return {*spec.text_values, *(level for level in levels if isinstance(level, str))}


def _check_finite(name, values, body, position):
    if values.dtype == np.float64 and (infinite := np.isinf(values)).any():
        at = int(infinite.argmax())
        raise DataError(
            f"{body.where(at)}: column {name!r}: {body.cells[at][position]!r} is no finite number;"
            " name it under missing_values, or drop the column"
        )


def table_of(rows: Rows, spec: DatasetSpec) -> tuple[list[str], Rows]:
    """Names of the columns, and the rows below the header, each with as many cells."""
    at = spec.header_rows
    body = Rows(rows.cells[at:], rows.lines[at:], rows.unit)
    if not body.cells:
        raise DataError(f"no rows below {at} of names")
    header = rows.cells[at - 1] if at else None
    first = len(body.cells[0])
    if spec.row_names:
        body = Rows([row[1:] for row in body.cells], body.lines, rows.unit)
        header = header[1:] if header and len(header) >= first else header
    if spec.columns is not None:
        names, why = list(spec.columns), f"columns {list(spec.columns)}"
    elif header is not None:
        width = _width(header, body.cells)
        lengths = {len(row) for row in body.cells}
        if lengths == {width + 1} and not spec.row_names and body.cells[0][-1] != "":
            raise DataError(
                f"{rows.where(at - 1)} has {width} names, {body.where(0)} {width + 1} cells; set"
                " row_names: true if each row begins with its name"
            )
        names, why = unique_names(header[:width]), f"columns, as {rows.where(at - 1)} names"
    else:
        width = _width([], body.cells)
        names, why = [f"x{i + 1}" for i in range(width)], f"columns, as {body.where(0)} has"
    cells = []
    for position, row in enumerate(body.cells):
        beyond = row[len(names) :]
        if len(row) < len(names) or any(cell != "" for cell in beyond):
            raise DataError(
                f"{body.where(position)}: {len(row) + spec.row_names} cells, read as {spec.layout};"
                f" expected {len(names)} {why}"
            )
        cells.append(row[: len(names)])
    return names, Rows(cells, body.lines, rows.unit)


def _width(header: Sequence[Cell], body: Sequence[Sequence[Cell]]) -> int:
    """Number of columns, without those at the end that have neither a name nor a value."""
    width = len(header) or len(body[0])
    while width and (not header or header[width - 1] == ""):
        if any(row[width - 1] != "" for row in body if len(row) >= width):
            break
        width -= 1
    return width


def unique_names(cells: Sequence[Cell]) -> list[str]:
    """Names of columns: on one line, none empty, repeated ones with .1, .2, ..."""
    names: list[str] = []
    for position, cell in enumerate(cells, start=1):
        name = " ".join(part.strip() for part in text(cell).splitlines()) or f"column {position}"
        count, given = 0, name
        while name in names:
            count += 1
            name = f"{given}.{count}"
        names.append(name)
    return names
