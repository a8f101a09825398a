"""Cells to values: numbers in their many forms, missing values, text."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

Cell = str | float | int

# What stands for a missing value, beside what an entry names.
MISSING = frozenset({"", "NA", "NaN", "nan", "N/A", "<NA>", "null"})
_TRUE = frozenset({"True", "TRUE", "true"})
_FALSE = frozenset({"False", "FALSE", "false"})
# Forms of each separator of thousands that files have.
GROUPS = {" ": "[ \u00a0\u202f]", "'": "['\u2019]"}
_BEYOND_INTEGERS = 19
_PLAIN = re.compile(r"[-+.0-9eE]*")
_WHOLE = re.compile(r"[-+0-9]*")


@dataclass(frozen=True)
class NumberFormat:
    """The marks in the numbers of a file.

    Parameters
    ----------
    decimal : str
        ``.`` or ``,``.
    thousands : str, optional
        What stands between groups of three digits.
    """

    decimal: str = "."
    thousands: str | None = None

    @cached_property
    def _group(self) -> str:
        mark = self.thousands or ""
        return GROUPS.get(mark, re.escape(mark))

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        grouped = rf"|[1-9]\d{{0,2}}(?:{self._group}\d{{3}})+" if self.thousands else ""
        mark = re.escape(self.decimal)
        whole = rf"(?:\d+{grouped})"
        after = r"\d*" if self.decimal == "." else r"\d+"
        return re.compile(
            rf"[+-]?(?:{whole}(?:{mark}{after})?|{mark}\d+)(?:[eEdD][+-]?\d+)?|[+-]?inf(?:inity)?",
            re.ASCII | re.IGNORECASE,
        )

    def fits(self, cell: Cell) -> bool:
        """Whether a cell is a number with these marks."""
        return not isinstance(cell, str) or self._pattern.fullmatch(cell) is not None

    def number(self, cell: Cell) -> float | int | None:
        """The number that a cell is, or None."""
        if not isinstance(cell, str):
            return cell
        if not self._pattern.fullmatch(cell):
            return None
        if self.thousands:
            cell = re.sub(self._group, "", cell)
        if cell.lstrip("+-").isdigit() and len(cell) < _BEYOND_INTEGERS:
            return int(cell)
        return float(cell.replace(self.decimal, ".").lower().replace("d", "e"))


def column(
    cells: Sequence[Cell], marks: NumberFormat, missing: frozenset[str], kept: Iterable[str] = ()
) -> np.ndarray:
    """Values of a column: numbers, truth values or text.

    Parameters
    ----------
    cells : sequence of str or float
        Texts as they stand in the file, and numbers of a spreadsheet.
    marks : NumberFormat
        Of the numbers.
    missing : frozenset of str
        What stands for a missing value.
    kept : iterable of str
        Members of `missing` that are values where the column holds text.

    Returns
    -------
    numpy.ndarray of int64, float64, bool or object
        Integers and truth values with gaps are float64; text is object, None where missing.
    """
    filled = [cell for cell in cells if cell not in missing]
    if filled and all(cell in _TRUE or cell in _FALSE for cell in filled):
        if len(filled) == len(cells):
            return np.array([cell in _TRUE for cell in cells])
        return np.array([np.nan if c in missing else float(c in _TRUE) for c in cells])
    numbers = _numbers(cells, filled, marks, missing)
    if None not in numbers:
        whole = all(isinstance(number, int) for number in numbers)
        return np.array(numbers, dtype=np.int64 if whole else np.float64)
    gaps = missing.difference(kept)
    return np.array([None if cell in gaps else text(cell) for cell in cells], dtype=object)


def _numbers(
    cells: Sequence[Cell], filled: Sequence[Cell], marks: NumberFormat, missing: frozenset[str]
) -> list[float | int | None]:
    """The number of each cell, or None; NaN where it is missing."""
    convert: Callable[[Any], float | int | None] = marks.number
    texts = [cell for cell in filled if isinstance(cell, str)]
    if marks == NumberFormat() and len(texts) == len(filled):
        joined = "".join(texts)
        if _PLAIN.fullmatch(joined):
            # Python's own conversion agrees then, and is ten times as fast.
            short = max(map(len, texts), default=0) < _BEYOND_INTEGERS
            convert = int if short and _WHOLE.fullmatch(joined) else float
    try:
        return [np.nan if cell in missing else convert(cell) for cell in cells]
    except ValueError:  # no number after all, such as 1-2
        return [np.nan if cell in missing else marks.number(cell) for cell in cells]


def text(cell: Cell) -> str:
    """A cell as text; whole numbers of a spreadsheet without decimals."""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell)


def is_text(column: pd.Series) -> bool:
    """Whether a column holds text."""
    return not pd.api.types.is_numeric_dtype(column)


FORMATS = tuple(
    NumberFormat(decimal, thousands)
    for decimal, thousands in (
        *((".", None), (",", None), (".", ","), (",", ".")),
        *((".", " "), (",", " "), (".", "'"), (",", "'")),
    )
)
# What files have in place of numbers, and never as a category; then what may be one, too.
NO_NUMBERS = frozenset(
    {"?", "na", "n/a", "n.a.", "nan", "-nan", "null", "nil", "#n/a", "#na"}
    | {"#null!", "#value!", "#div/0!", "#ref!", "#num!", "#name?"}
)
NO_NUMBERS_OR_TEXT = frozenset(
    {"none", "missing", "unknown", "undefined", "-", "--", ".", "..", "*"}
)


def is_number(cell: Cell) -> bool:
    """Whether a cell is a number in any form, or stands for a missing one."""
    if not isinstance(cell, str) or cell in MISSING or cell.casefold() in NO_NUMBERS:
        return True
    return any(marks.fits(cell) for marks in FORMATS)
