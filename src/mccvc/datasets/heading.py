"""Where the data of an unknown file begin, and what the rows above them are."""

import itertools
from typing import Any

from mccvc.datasets.cells import FORMATS, MISSING, Cell, is_number
from mccvc.datasets.parsing import unique_names
from mccvc.datasets.rows import Rows

# Rows that are looked at, and those above the table or above the data at most.
_LOOKED_AT = 200
_ABOVE = 50
_NAME_ROWS = 3
_MOSTLY = 0.8
# Numbers that do not ascend by chance.
_MANY = 8
_YEARS = range(1800, 2101)


def guess_heading(rows: Rows) -> tuple[dict[str, Any], list[str]]:
    """The keys ``header``, ``row_names`` and ``columns``, where not at their defaults.

    Parameters
    ----------
    rows : Rows
        All of the file.

    Returns
    -------
    keys : dict
    notes : list of str
        What decided them.
    """
    keys: dict[str, Any] = {}
    notes: list[str] = []
    width = _width(rows.cells)
    above = next(
        (i for i, row in enumerate(rows.cells[:_ABOVE]) if len(_trimmed(row, width)) == width), 0
    )
    table = [row[:width] for row in rows.cells[above:]]
    names, why = _name_rows(table)
    if above == 1 and not names and _names_all_but_one(rows.cells[0], width):
        keys["row_names"] = True
        notes.append(
            f"row_names: {rows.where(0)} has {width - 1} names, {rows.where(1)} {width} cells."
        )
        return keys, notes
    if above:
        notes.append(
            f"header: {rows.where(0)} has {len(rows.cells[0])} cells, {rows.where(above)} {width};"
            f" what is above {rows.where(above)} is left out."
        )
    if names:
        last = rows.where(above + names - 1)
        notes.append(f"header: {last} is taken for names, {why}.")
    else:
        notes.append(f"header: {rows.where(above)} is taken for values, {why}.")
    if above + names != 1:
        keys["header"] = above + names or False
    best = max(range(names), key=lambda i: _distinct(table[i]), default=None)
    if best is None:
        keys["columns"] = [f"x{i + 1}" for i in range(width)]
    elif best != names - 1:
        keys["columns"] = unique_names(table[best])
        notes.append(f"columns: {rows.where(above + best)} has as many names as {last}, or more.")
    return keys, notes


def _width(cells):
    """The commonest number of cells in a row, without empty ones at the end of all rows."""
    lengths = [len(row) for row in cells[:_LOOKED_AT]]
    width = max(lengths, key=lambda length: (lengths.count(length), length))
    while width and all(row[width - 1] == "" for row in cells if len(row) >= width):
        width -= 1
    return width


def _names_all_but_one(row, width):
    """Whether a row is R's header, which has no name for the names of the rows."""
    return len(row) == width - 1 and (not all(map(is_number, row)) or _are_years(_numbers(row)))


def _trimmed(row, width):
    beyond = row[width:]
    return row[:width] if all(cell == "" for cell in beyond) else row


def _distinct(row):
    return len({cell for cell in row if cell != ""})


def _name_rows(table) -> tuple[int, str]:
    """Number of rows with names at the top, and why."""
    numeric = _numeric_columns(table[1 : _LOOKED_AT + 1])
    if not numeric:
        return 1, "as no column has numbers"
    count, why = 0, ""
    for row in table[: min(_NAME_ROWS, len(table) - 1)]:
        texts = [row[j] for j in numeric if not is_number(row[j])]
        needed = len(numeric) / 2 if count == 0 else len([j for j in numeric if row[j] != ""])
        groups = count == 0 and _is_group_row(row, table, numeric)
        if not groups and (not texts or len(texts) < needed):
            break
        count += 1
        why = f"as {texts[0]!r} stands above numbers" if texts else "as most of it is empty"
    if count:
        return count, why
    if why := _numbers_as_names(table, numeric):
        return 1, why
    return 0, f"as {table[0][numeric[0]]!r} stands above numbers and is one"


def _is_group_row(row, table, numeric):
    """A row of a spreadsheet with few cells above groups of names."""
    empty = sum(row[j] == "" for j in numeric)
    below = table[1] if len(table) > 2 else []
    named = bool(below) and all(not is_number(below[j]) for j in numeric)
    return empty > len(numeric) / 2 and named


def _numeric_columns(rows):
    found = []
    for j in range(len(rows[0]) if rows else 0):
        filled = [row[j] for row in rows if j < len(row) and row[j] not in MISSING]
        if filled and sum(map(is_number, filled)) >= _MOSTLY * len(filled):
            found.append(j)
    return found


def _numbers_as_names(table, numeric) -> str:
    """Why a first row of numbers would be names, or ""."""
    texts = [j for j in range(len(table[0])) if j not in numeric and table[0][j] != ""]
    if any(table[0][j] in {row[j] for row in table[1:]} for j in texts):
        return ""
    first, *others = (_numbers([row[j] for j in numeric]) for row in table[: _LOOKED_AT + 1])
    for are_names, what in (
        (_are_years, "are years"),
        (_ascend_in_steps, "ascend in equal steps"),
        (_ascend_by_no_chance, "ascend"),
    ):
        if are_names(first) and not any(map(are_names, others)):
            return f"as {first[0]} to {first[-1]} {what}, unlike those below"
    return ""


def _numbers(cells: list[Cell]):
    numbers = [next((n for f in FORMATS if (n := f.number(c)) is not None), None) for c in cells]
    return [number for number in numbers if number is not None]


def _ascend(numbers):
    return all(a < b for a, b in itertools.pairwise(numbers))


def _are_years(numbers):
    years = (number in _YEARS for number in numbers)
    return len(numbers) > 1 and all(years) and _ascend(numbers)


def _ascend_in_steps(numbers):
    steps = {round(b - a, 9) for a, b in itertools.pairwise(numbers)}
    return len(numbers) > 3 and len(steps) == 1 and _ascend(numbers)


def _ascend_by_no_chance(numbers):
    return len(numbers) >= _MANY and _ascend(numbers)
