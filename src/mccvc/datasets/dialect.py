"""How the lines of an unknown text file split into cells."""

import re

import clevercsv
from clevercsv.exceptions import NoDetectionResult

from mccvc.datasets.cells import is_number
from mccvc.datasets.errors import DataError
from mccvc.datasets.keel import is_keel
from mccvc.datasets.rows import SEPARATORS
from mccvc.datasets.spec import Layout

_LINES = 200
_CHARACTERS = 100_000
# Blanks beside another separator, which do not separate.
_BLANKS = re.compile(r" *([,;|]) *")
_LAYOUTS = {separator: layout for layout, separator in SEPARATORS.items()} | {
    " ": Layout.WHITESPACE
}


def guess_layout(lines):
    """Layout of a text file, and what decided it.

    Parameters
    ----------
    lines : list of str
        All of the file.

    Returns
    -------
    layout : Layout
    why : str

    Raises
    ------
    DataError
        If the text is no table.
    """
    numbered = [(i, line) for i, line in enumerate(lines, start=1) if line.strip()][:_LINES]
    if is_keel(lines):
        return Layout.ARFF, "it begins with @relation"
    if len(numbered) < 2:
        raise DataError("fewer than two lines of text")
    if numbered[0][1].lstrip().lower().startswith(("<!doctype", "<html", "<?xml")):
        raise DataError(f"line {numbered[0][0]}: a page, no table: {numbered[0][1].strip()[:40]!r}")
    sample = [line for _, line in numbered]
    if _is_blank_separated(sample):
        return Layout.WHITESPACE, f"line {numbered[-1][0]} has numbers between blanks only"
    text = _BLANKS.sub(r"\1", "\n".join(sample)[:_CHARACTERS])
    try:
        dialect = clevercsv.Sniffer().sniff(text, delimiters=list(_LAYOUTS))
    except NoDetectionResult:
        dialect = None
    separator = dialect.delimiter if dialect else ""
    if separator not in _LAYOUTS:
        raise DataError(
            f"line {numbered[-1][0]} does not split at commas, semicolons, tabs, bars or blanks:"
            " expected at least an input and the target"
        )
    number, line = next(item for item in reversed(numbered) if separator in item[1])
    shown = {"\t": "tabs", " ": "blanks"}.get(separator, f"{separator!r}")
    return _LAYOUTS[separator], f"line {number} has {line.count(separator)} {shown}"


def _is_blank_separated(lines):
    """Whether all lines but a header are as many numbers between blanks.

    A decimal comma would else be taken for the separator.
    """
    widths = {len(line.split()) for line in lines[1:]}
    if len(widths) != 1 or widths == {1}:
        return False
    if not all(is_number(cell) for line in lines[1:] for cell in line.split()):
        return False
    width = widths.pop()
    tabs = {line.strip().count("\t") for line in lines}
    return tabs == {0} or (len(tabs) > 1 and len(lines[0].split()) in (width - 1, width))
