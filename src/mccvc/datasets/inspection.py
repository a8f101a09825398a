"""A look at an unknown data file, and the config entry that reads it."""

import re
import tempfile
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import yaml

from mccvc.datasets.cells import is_text
from mccvc.datasets.dialect import guess_layout
from mccvc.datasets.errors import DataError, first_line
from mccvc.datasets.fetch import obtain
from mccvc.datasets.findings import findings
from mccvc.datasets.heading import guess_heading
from mccvc.datasets.keel import outputs
from mccvc.datasets.normalize import normalize, odd_cell, value_digest
from mccvc.datasets.number_format import Column, guess_numbers
from mccvc.datasets.parsing import frame_of, table_of
from mccvc.datasets.rows import Rows, read_rows, sheets
from mccvc.datasets.spec import DatasetSpec, Layout
from mccvc.datasets.text import guess_encoding, read_lines

# Text columns with more values than this are rather names than categories.
_MOST_CATEGORIES = 20
_SHOWN = 80
_PACKED = (".gz", ".xz", ".bz2")
_SPREADSHEETS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")


class Draft:
    """An entry in the making, and the comments on it."""

    def __init__(self, source):
        self.spec = DatasetSpec.of({**source, "target": ""})
        self.notes: list[str] = []

    def set(self, keys, *notes):
        """Set keys of the entry, and say why."""
        self.spec = self.spec.but(**keys)
        self.notes += notes


def describe(source, timeout=20.0, target=None):
    """A config entry for a data file, with what was guessed and why as comments.

    Parameters
    ----------
    source : str
        Path, or https address; of an archive of several files with ``#member``.
    timeout : float, default 20
        Seconds without an answer after which a download fails.
    target : str, optional
        The target's column; default the one that a KEEL file names, or else the last of numbers.

    Returns
    -------
    str
        YAML to paste below ``datasets:``, which the config's checks and
        :func:`mccvc.datasets.normalize.normalize` accept.

    Raises
    ------
    DataError
        If the file cannot be had, or no entry would read it.
    """
    where, address, member = _source(source)
    draft = Draft(where)
    try:
        with tempfile.TemporaryDirectory() as scratch:
            path = obtain(address, draft.spec, Path(scratch), timeout)
            if path.parent == Path(scratch) and "file" in where:
                draft.notes.append(f"Read out of the archive {Path(where['file']).name}.")
            frame, likely = _read(path, draft)
        _choose_target(frame, draft, target, likely)
        _choose_inputs(frame, draft)
        normalize(frame, draft.spec)
    except (DataError, OSError) as error:
        raise DataError(f"{source}: {_printable(first_line(error))}") from error
    name = Path(member or unquote(urlsplit(address).path))
    return _entry(Path(name.stem).stem if name.suffix in _PACKED else name.stem, draft)


def _source(source):
    """Keys of the entry that say where the file is, its address, and the member."""
    if "://" in source:
        address, _, member = source.partition("#")
        if (
            not address.isprintable()
            or " " in address
            or not address.startswith(("https://", "http://"))
        ):
            raise DataError(f"{source}: expected a path or an https address")
        where = {"urls": [address]} | ({"member": member} if member else {})
        return where, address, member
    path, member = source, ""
    if "#" in source and not Path(source).is_file():
        path, _, member = source.rpartition("#")
    if not path.isprintable():
        raise DataError(f"{path!r}: expected a path of printable characters")
    if not Path(path).is_file():
        raise DataError(f"{path}: no such file")
    where = {"file": path} | ({"member": member} if member else {})
    return where, Path(path).resolve().as_uri(), member


def _read(path, draft):
    """The frame behind a file, each guess added to the draft; names likely to be the target."""
    data = path.read_bytes()
    likely: list[str] = []
    if data.startswith(_SPREADSHEETS):
        _guess_sheet(path, draft)
    else:
        encoding, why = guess_encoding(data)
        if why:
            draft.set({"encoding": encoding}, f"encoding: {encoding}, by {why}.")
        lines = read_lines(path, encoding)
        layout, why = guess_layout(lines)
        keys = {} if layout is Layout.CSV else {"layout": str(layout)}
        draft.set(keys, f"layout: {layout}, as {why}.")
        likely = outputs(lines) if layout is Layout.ARFF else []
    rows = read_rows(path, draft.spec)
    if draft.spec.layout is not Layout.ARFF:
        keys, notes = guess_heading(rows)
        draft.set(keys, *notes)
        _guess_row_names(rows, draft)
    names, body = table_of(rows, draft.spec)
    columns = [
        Column(name, [row[i] for row in body.cells], body.lines, body.unit)
        for i, name in enumerate(names)
    ]
    keys, notes = guess_numbers(columns, draft.spec.layout)
    draft.set(keys, *notes)
    return frame_of(rows, draft.spec.but(missing="drop")), likely


def _guess_sheet(path, draft):
    held = sheets(path)
    filled = [name for name, full in held.items() if full]
    if not filled:
        raise DataError("a spreadsheet without values")
    keys = {"layout": "excel"}
    if len(held) > 1:
        keys["sheet"] = filled[0]
        draft.notes.append(f"sheet: {filled[0]!r}, the first with values of {list(held)}.")
    draft.set(keys)


def _guess_row_names(rows: Rows, draft):
    """A first column without a name, and without equal cells, names the rows."""
    spec, at = draft.spec, draft.spec.header_rows
    if not at or spec.row_names or rows.cells[at - 1][0] != "":
        return
    cells = [row[0] for row in rows.cells[at:]]
    if len(set(cells)) == len(cells):
        keys: dict[str, Any] = {"row_names": True}
        if spec.columns is not None:
            keys["columns"] = list(spec.columns[1:])
        draft.set(keys, f"row_names: the first column has no name in {rows.where(at - 1)}.")


def _choose_target(frame, draft, wanted, named_in_file):
    def why_not(name):
        if not is_text(frame[name]):
            return f"{name!r} never varies"
        cell, where = odd_cell(frame[name], draft.spec)
        return f"{name!r} has {cell[:_SHOWN]!r} in {where}"

    if wanted is not None and wanted not in frame:
        raise DataError(f"no column {wanted!r} among {list(frame)}")
    last = frame.columns[-1]
    numbers = [c for c in frame if not is_text(frame[c]) and frame[c].nunique() > 1]
    if not numbers:
        raise DataError(f"no column has different numbers, as a target must: {why_not(last)}")
    named = [wanted] if wanted is not None else [c for c in named_in_file if c in frame]
    target = named[0] if named else numbers[-1]
    if target not in numbers:
        raise DataError(f"column {target!r} cannot be the target: {why_not(target)}")
    if wanted is not None:
        how = "Target: as asked for."
    elif named:
        how = f"Target: the first of @outputs, {named}."
    elif target == last:
        how = "Target guessed: the last column."
    else:
        how = f"Target guessed: the last of numbers; {why_not(last)}."
    draft.set({"target": target}, f"{len(frame)} rows, {frame.shape[1]} columns. {how}")


def _choose_inputs(frame, draft):
    """Columns left out or coded, and what becomes of missing values."""
    target = draft.spec.target
    drop, one_hot = [], []
    for name in frame.columns.drop(target):
        left_out, note = _look_at(frame[name], draft.spec)
        if left_out:
            drop.append(name)
        elif is_text(frame[name]):
            one_hot.append(name)
        draft.notes += [f"{name}: {note}"] if note else []
    first = frame.columns[0]
    if first != target and first not in drop and _counts_rows(frame[first]):
        drop.append(first)
        draft.notes.append(f"{first}: counts the rows, left out.")
    drop += _drop_for_gaps(frame.drop(columns=drop), draft)
    used = frame.drop(columns=drop)
    one_hot = [name for name in one_hot if name not in drop]
    keys = ({"drop": drop} if drop else {}) | ({"one_hot": one_hot} if one_hot else {})
    draft.set(keys | {"digest": value_digest(frame)})
    if used.isna().to_numpy().any():
        draft.set({"missing": "drop"})
    draft.notes += findings(used.dropna(), target)


def _look_at(column, spec):
    """Whether a column is left out, and what is to be said of it."""
    levels = column.dropna().unique()
    if not len(levels):
        return True, "no values, left out."
    if not is_text(column):
        return False, ""
    if len(levels) == 1:
        return True, f"{levels[0]!r} in every row, left out."
    if len(levels) > _MOST_CATEGORIES:
        cell, where = odd_cell(column, spec)
        shown = f"{cell[:_SHOWN]!r} in {where}"
        return True, f"text with {len(levels)} values, such as {shown}, left out."
    return False, f"text with the values {sorted(levels)}; ordinal if they have an order."


def _counts_rows(column):
    if is_text(column) or len(column) < 3:
        return False
    return column.iloc[0] in (0, 1) and (column.diff().iloc[1:] == 1).all()


def _drop_for_gaps(frame, draft):
    """Columns to leave out, those with most gaps first, until half of the rows have none."""
    target = draft.spec.target
    gaps = frame.isna()
    if not gaps.to_numpy().any():
        return []
    draft.notes.append(
        f"Missing values in {gaps.columns[gaps.any()].tolist()}: drop these columns, or keep"
        f" missing: drop. The first is in {_first_gap(gaps)}."
    )
    drop: list[str] = []
    while 2 * (~gaps.any(axis=1)).sum() < len(frame):
        counts = gaps.drop(columns=target).sum()
        if counts.empty or not counts.max():
            break
        drop.append(counts.idxmax())
        gaps = gaps.drop(columns=drop[-1])
        draft.notes.append(f"{drop[-1]}: {counts.max()} values missing, left out.")
    left = int((~gaps.any(axis=1)).sum())
    draft.notes.append(f"Rows without missing values: {left}.")
    return drop


def _first_gap(gaps):
    at = gaps.any(axis=1).to_numpy().argmax()
    return f"{gaps.index.name} {gaps.index[at]}, column {gaps.columns[gaps.iloc[at].argmax()]!r}"


def _printable(text):
    return "".join(c if c.isprintable() or c.isspace() else repr(c)[1:-1] for c in text)


def _entry(name, draft):
    slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "data"
    body = yaml.safe_dump(
        {slug: {"title": name} | draft.spec.as_dict()},
        sort_keys=False,
        allow_unicode=True,
        width=float("inf"),
    )
    notes = (" ".join(_printable(note).split()) for note in draft.notes)
    comments = "".join(f"  # {note}\n" for note in notes)
    return comments + "".join(f"  {line}\n" for line in body.splitlines())
