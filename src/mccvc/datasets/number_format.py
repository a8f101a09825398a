"""Which marks the numbers of an unknown file have, and what stands for missing ones."""

import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from mccvc.datasets.cells import (
    FORMATS,
    GROUPS,
    MISSING,
    NO_NUMBERS,
    NO_NUMBERS_OR_TEXT,
    Cell,
    NumberFormat,
)
from mccvc.datasets.spec import Layout

_POINT, _COMMA = NumberFormat("."), NumberFormat(",")
_COMMA_GROUPS, _POINT_GROUPS = NumberFormat(".", ","), NumberFormat(",", ".")
_DOUBT = ", which could be read otherwise: see that it is right"


@dataclass(frozen=True, eq=False)
class Column:
    """Cells of a column, with where each stands."""

    name: str
    cells: list[Cell]
    lines: list[int]
    unit: str

    def where(self, wanted) -> str:
        """The first cell for which `wanted` holds, and where it stands."""
        i = next(i for i, cell in enumerate(self.cells) if wanted(cell))
        return f"{self.cells[i]!r} in {self.unit} {self.lines[i]}"

    @cached_property
    def missing(self) -> int:
        """Number of cells that stand for a missing value in any column."""
        return sum(cell in MISSING for cell in self.cells)

    @cached_property
    def texts(self) -> Counter[str]:
        """Cells that are text and stand for no missing value, each with how often it occurs."""
        return Counter(c for c in self.cells if isinstance(c, str) and c not in MISSING)


def guess_numbers(columns: list[Column], layout: Layout) -> tuple[dict[str, Any], list[str]]:
    """The keys ``decimal``, ``thousands``, ``missing_values`` and ``text_values``.

    Parameters
    ----------
    columns : list of Column
        All of the file below its header.
    layout : Layout
        Where cells are separated by commas, a comma is rather no decimal mark.

    Returns
    -------
    keys : dict
        Those not at their defaults.
    notes : list of str
        What decided them.
    """
    marks, notes = _guess_marks(columns, layout)
    keys: dict[str, Any] = {}
    if marks.decimal != ".":
        keys["decimal"] = marks.decimal
    if marks.thousands:
        keys["thousands"] = marks.thousands
    missing, kept, more = _guess_missing(columns, marks)
    if missing:
        keys["missing_values"] = missing
    if kept:
        keys["text_values"] = kept
    return keys, [*notes, *more]


def _guess_marks(columns, layout):
    fitting = {_POINT: [c for c in columns if _fits(c, _POINT)]}
    others = [column for column in columns if column not in fitting[_POINT]]
    for marks in FORMATS[1:]:
        if any(_fits(c, marks) for c in others) or marks == _POINT_GROUPS:
            fitting[marks] = [c for c in columns if _fits(c, marks)]
    most = max(len(found) for found in fitting.values())
    best = [marks for marks, found in fitting.items() if len(found) == most]
    marks, doubt = best[0], ""
    if marks == _COMMA and _COMMA_GROUPS in best:
        doubt = _DOUBT
        if layout is Layout.CSV or any(_is_grouped(c, ",") for c in columns):
            marks = _COMMA_GROUPS
    if marks == _POINT:
        # A decimal that ends with 0 stands in no column with whole numbers: 1.000 is a thousand.
        grouped = [c for c in fitting[_POINT] if _is_grouped(c, ".")]
        ending = any(cell.endswith("0") and "." in cell for c in grouped for cell in c.texts)
        if not ending or _POINT_GROUPS not in best:
            return marks, [_may_be_groups(column) for column in grouped]
        marks, doubt = _POINT_GROUPS, _DOUBT
    mark = marks.thousands or marks.decimal
    odd = next(c for c in fitting[marks] if any(_tells(cell, mark) for cell in c.texts))
    keys = [f"decimal: {marks.decimal!r}"] if marks.decimal != "." else []
    keys += [f"thousands: {marks.thousands!r}"] if marks.thousands else []
    reason = f"by {odd.where(lambda cell: _tells(cell, mark))} of {odd.name!r}{doubt}"
    return marks, [f"{', '.join(keys)}: {reason}."]


def _fits(column, marks):
    """Whether a column is of numbers with these marks, and what stands for missing ones."""
    numbers = len(column.cells) - column.missing - column.texts.total()
    others = 0
    for cell, count in column.texts.items():
        if marks.fits(cell):
            numbers += count
        elif cell.casefold() in NO_NUMBERS_OR_TEXT:
            others += count
        elif cell.casefold() not in NO_NUMBERS:
            return False
    return numbers > 0 and numbers >= others


def _tells(cell, mark):
    """Whether a cell has a mark between its digits."""
    return isinstance(cell, str) and re.search(rf"\d{GROUPS.get(mark, re.escape(mark))}\d", cell)


def _is_grouped(column, mark):
    """Whether a mark stands before three digits only, and not in all numbers of a column."""
    marked = [cell for cell in column.texts if mark in cell]
    groups = _COMMA_GROUPS if mark == "," else _POINT_GROUPS
    whole = any(cell.isdigit() for cell in column.texts)
    return bool(marked) and whole and all(map(groups.fits, marked))


def _may_be_groups(column):
    shown = column.where(lambda cell: _tells(cell, "."))
    return (
        f"{column.name!r} has {shown} beside whole numbers: if that is a thousand, set thousands:"
        ' "." (and decimal: ",").'
    )


def _guess_missing(columns, marks):
    """Texts that stand for missing numbers; those of them that are text elsewhere; notes."""
    missing: dict[str, list[Column]] = {}
    of_numbers = [column for column in columns if _fits(column, marks)]
    for column in of_numbers:
        for cell in column.texts:
            if not marks.fits(cell):
                missing.setdefault(cell, []).append(column)
    notes = []
    for cell, found in missing.items():
        first = found[0].where(lambda other, cell=cell: other == cell)
        notes.append(f"missing_values: {first} of {found[0].name!r}, among numbers.")
    kept = []
    for cell in missing:
        also = [c for c in columns if c not in of_numbers and cell in c.cells]
        if also and cell.casefold() in NO_NUMBERS_OR_TEXT:
            kept.append(cell)
            notes.append(f"text_values: {cell!r} is a category of {also[0].name!r}.")
    for column in columns:
        if column not in of_numbers and (gaps := [c for c in column.cells if c in MISSING - {""}]):
            shown = column.where(lambda other, cell=gaps[0]: other == cell)
            notes.append(
                f"{shown} of {column.name!r} is read as missing; if it is a category, set"
                f" text_values: [{gaps[0]}]."
            )
    return list(missing), kept, notes
