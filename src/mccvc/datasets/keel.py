"""ARFF, and KEEL's kind of it, read by liac-arff after the lines that it does not know."""

import re
from collections.abc import Iterator

import arff

from mccvc.datasets.cells import Cell
from mccvc.datasets.errors import DataError

_RELATION = re.compile(r"\s*@relation\b", re.IGNORECASE)
_ATTRIBUTE = re.compile(
    r"""@attribute\s+("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^\s{\[]+)\s*(.*)$""", re.IGNORECASE
)
_OUTPUTS = re.compile(r"@outputs?\b\s*(.*)$", re.IGNORECASE)
_NUMBERS = re.compile(r"(?:numeric|real|integer)\s*(?:\[[^\]]*\])?$", re.IGNORECASE)
_LEVELS = re.compile(r"(\{.*\})\s*(?:%.*)?$")
_TEXTS = re.compile(r"(?:string|date)\b", re.IGNORECASE)
# An instance weight, as Weka writes it after the values.
_WEIGHT = re.compile(r"[^{].*,\s*\{\s*[-+.\deE]+\s*\}$")
_QUOTED = re.compile(r"""("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')""")


def is_keel(lines):
    """Whether lines are those of an ARFF or KEEL file: the first that is no comment tells."""
    content = (line for line in lines if line.strip() and not line.lstrip().startswith("%"))
    return bool(_RELATION.match(next(content, "")))


def outputs(lines):
    """Names that KEEL's line @outputs has."""
    for line in lines:
        if match := _OUTPUTS.match(line.strip()):
            return [_unquoted(name.strip()) for name in match[1].split(",") if name.strip()]
    return []


def read_keel(lines) -> Iterator[tuple[int, list[Cell]]]:
    """Names, then rows, each with its line.

    Parameters
    ----------
    lines : list of str
        Of the file.

    Yields
    ------
    line : int
    cells : list of str or float
        The names first; ``""`` where a value is missing.

    Raises
    ------
    DataError
        If the file is none, naming the line.
    """
    stripped = [line.strip() for line in lines]
    at_data = next((i for i, line in enumerate(stripped) if line.lower() == "@data"), None)
    if at_data is None:
        raise DataError("no line @data")
    kept = [i for i in range(at_data) if stripped[i].lower().startswith("@attribute")]
    if not kept:
        raise DataError(f"line {at_data + 1}: no line @attribute before @data")
    names, kinds = zip(*(_attribute(i + 1, stripped[i]) for i in kept), strict=True)
    data = [(i, line) for i, line in enumerate(stripped) if i > at_data and _is_row(line)]
    yield kept[0] + 1, [*names]
    header = ["@RELATION table", *(f"@ATTRIBUTE a{i} {k}" for i, k in enumerate(kinds)), "@DATA"]
    rows = (_row(i + 1, line, len(names)) for i, line in data)
    try:
        content = arff.load([*header, *rows], return_type=arff.DENSE_GEN)
    except arff.ArffException as error:
        # Its line is that of the lines it was given, the relation first.
        raise _refused(error, kept[max(error.line - 2, 0)], stripped) from error
    decoded = content["data"]
    for i, _ in data:
        try:
            values = next(decoded)
        except (arff.ArffException, ValueError) as error:
            raise _refused(error, i, stripped) from error
        yield i + 1, ["" if value is None else value for value in values]


def _refused(error, position, lines):
    said = str(getattr(error, "message", error)).partition(" at line")[0].partition(" in line")[0]
    return DataError(f"line {position + 1}: {said.rstrip(', ')}: {lines[position][:60]!r}")


def _is_row(line):
    return line and not line.startswith("%")


def _attribute(number, line):
    """Name of an attribute, and its type as liac-arff knows it."""
    match = _ATTRIBUTE.match(line)
    kind = match[2].partition("%")[0].strip() if match else ""
    if not match or not kind:
        raise DataError(f"line {number}: expected @attribute NAME TYPE, not {line[:60]!r}")
    if _NUMBERS.match(kind):
        # Not INTEGER, of which liac-arff takes the whole part.
        return _unquoted(match[1]), "NUMERIC"
    if _TEXTS.match(kind):
        return _unquoted(match[1]), "STRING"
    if levels := _LEVELS.match(match[2]):
        return _unquoted(match[1]), levels[1]
    raise DataError(f"line {number}: type {kind!r}; expected numeric, string, date or {{values}}")


def _row(number, line, width):
    """A row with commas, in which Weka also takes blanks."""
    if _WEIGHT.match(line):
        raise DataError(f"line {number}: an instance weight, which is not read: {line[-20:]!r}")
    parts = _QUOTED.split(line)
    if width > 1 and not line.startswith("{") and not any("," in part for part in parts[::2]):
        parts[::2] = [re.sub(r"\s+", ",", part) for part in parts[::2]]
    return "".join(parts)


def _unquoted(name):
    if name[:1] in ("'", '"') and name[-1:] == name[:1] and len(name) > 1:
        return re.sub(r"\\(.)", r"\1", name[1:-1])
    return name
