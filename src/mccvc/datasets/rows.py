"""Rows of cells, as they stand in a file, before names and types are given."""

import csv
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import python_calamine

from mccvc.datasets.cells import Cell
from mccvc.datasets.errors import DataError, first_line
from mccvc.datasets.keel import read_keel
from mccvc.datasets.spec import DatasetSpec, Layout
from mccvc.datasets.text import read_lines

SEPARATORS = {Layout.CSV: ",", Layout.SEMICOLON: ";", Layout.TAB: "\t", Layout.PIPE: "|"}
# Cells between blanks: in double quotes, or without blanks.
_QUOTED_OR_BARE = re.compile(r'"((?:[^"]|"")*)"(?!\S)|(\S+)')


@dataclass(frozen=True)
class Rows:
    """Rows of cells that are not all empty, and where each stands.

    Parameters
    ----------
    cells : list of list of str or float
        Texts without blanks around them; numbers of a spreadsheet.
    lines : list of int
        Number of the line, or of the row of a spreadsheet, in which each begins.
    unit : str
        ``line`` or ``row``.
    """

    cells: list[list[Cell]]
    lines: list[int]
    unit: str = "line"

    def where(self, position: int) -> str:
        """Where a row stands, for messages."""
        return f"{self.unit} {self.lines[position]}"


def read_rows(path, spec: DatasetSpec) -> Rows:
    """Read a file by the layout of its entry.

    Parameters
    ----------
    path : path-like
        The file.
    spec : DatasetSpec
        ``layout``, ``encoding``, ``widths`` and ``sheet``. Names of a header, also those of ARFF,
        are the cells of a row.

    Returns
    -------
    Rows

    Raises
    ------
    DataError
        If the file cannot be read so.
    """
    numbered: Iterable[tuple[int, list[Cell]]]
    if spec.layout is Layout.EXCEL:
        numbered = enumerate(_read_sheet(path, spec.sheet), start=1)
    else:
        lines = read_lines(path, spec.encoding)
        if spec.layout in (Layout.ARFF, Layout.KEEL):
            numbered = read_keel(lines)
        elif spec.layout is Layout.WHITESPACE:
            numbered = enumerate(map(_between_blanks, lines), start=1)
        elif spec.layout is Layout.FIXED:
            numbered = _by_widths(lines, spec.widths)
        else:
            numbered = _separated(lines, SEPARATORS[spec.layout])
    kept = [(line, row) for line, row in numbered if any(cell != "" for cell in row)]
    if not kept:
        raise DataError(f"no rows, read as {spec.layout}")
    unit = "row" if spec.layout is Layout.EXCEL else "line"
    return Rows([row for _, row in kept], [line for line, _ in kept], unit)


def _separated(lines, separator) -> Iterator[tuple[int, list[Cell]]]:
    reader = csv.reader((f"{line}\n" for line in lines), delimiter=separator, skipinitialspace=True)
    before = 0
    try:
        for row in reader:
            yield before + 1, [cell.strip() for cell in row]
            before = reader.line_num
    except csv.Error as error:
        raise DataError(f"line {before + 1}: {first_line(error)}") from error


def _between_blanks(line: str) -> list[Cell]:
    if '"' not in line:
        return list(line.split())
    cells = _QUOTED_OR_BARE.findall(line)
    return [bare or quoted.replace('""', '"').strip() for quoted, bare in cells]


def _by_widths(lines, widths) -> Iterator[tuple[int, list[Cell]]]:
    ends = [sum(widths[: i + 1]) for i in range(len(widths))]
    for number, line in enumerate(lines, start=1):
        if line[ends[-1] :].strip():
            raise DataError(f"line {number}: {len(line)} characters, expected {ends[-1]} (widths)")
        yield number, [line[e - w : e].strip() for e, w in zip(ends, widths, strict=True)]


def sheets(path) -> dict[str, bool]:
    """Names of the sheets of a spreadsheet, and whether each holds anything."""
    with _workbook(path) as book:
        return {name: bool(book.get_sheet_by_name(name).to_python()) for name in _worksheets(book)}


def _read_sheet(path, name) -> list[list[Cell]]:
    with _workbook(path) as book:
        names = _worksheets(book)
        if not names:
            raise DataError("a spreadsheet without sheets of cells")
        if name is not None and name not in names:
            raise DataError(f"no sheet {name!r} among {names}")
        values = book.get_sheet_by_name(name or names[0]).to_python(skip_empty_area=False)
    return [[_cell(value) for value in row] for row in values]


def _worksheets(book):
    sheet_type = python_calamine.SheetTypeEnum.WorkSheet
    return [sheet.name for sheet in book.sheets_metadata if sheet.typ == sheet_type]


def _workbook(path):
    try:
        return python_calamine.CalamineWorkbook.from_path(str(path))
    except (python_calamine.CalamineError, OSError) as error:
        raise DataError(f"not readable as excel: {first_line(error)}") from error


def _cell(value) -> Cell:
    """A number stays one; truth values, dates and times become text."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    return str(value).strip()
