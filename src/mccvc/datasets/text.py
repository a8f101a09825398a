"""Bytes to text: encodings read and guessed."""

import codecs
from pathlib import Path

from charset_normalizer import from_bytes

from mccvc.datasets.errors import DataError

_MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
# Encodings that data files are in; with all of Python's, short texts are taken for rare ones.
_WESTERN = "cp1252"
_USUAL = (_WESTERN, "cp1250", "cp1251", "shift_jis", "gb18030", "big5", "euc_kr", "euc_jp")
_GUESSED_FROM = 2**20


def read_lines(path, encoding="utf-8"):
    """Lines of a text file, without their ends.

    Parameters
    ----------
    path : path-like
        The file.
    encoding : str, default "utf-8"
        A codec of Python's; a byte order mark is not part of the text.

    Returns
    -------
    list of str

    Raises
    ------
    DataError
        If the bytes are no text in this encoding, naming the line.
    """
    data = Path(path).read_bytes()
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DataError(
            f"line {line}: byte {data[error.start]:#04x} is not {encoding}; set encoding, as"
            " add-dataset guesses it"
        ) from error
    except LookupError as error:
        raise DataError(f"encoding: {error}") from error
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise DataError(f"line {line}: a NUL character: no text, or its encoding is utf-16")
    return text.split("\n")


def guess_encoding(data):
    """Encoding of the bytes of a text file.

    Parameters
    ----------
    data : bytes
        All of the file.

    Returns
    -------
    encoding : str
        A codec of Python's.
    why : str
        What decided it; "" for plain UTF-8.

    Raises
    ------
    DataError
        If the bytes are no text.
    """
    for mark, encoding in _MARKS.items():
        if data.startswith(mark):
            return encoding, "" if encoding == "utf-8" else "its byte order mark"
    if b"\0" not in data:
        return _guess_of_bytes(data)
    for offset, encoding in ((1, "utf-16-le"), (0, "utf-16-be")):
        # Most characters of a table are ASCII, whose other byte is zero in UTF-16.
        if data[offset::2].count(b"\0") > len(data) / 4 and not data[1 - offset :: 2].count(b"\0"):
            return encoding, "every second byte is zero"
    raise DataError("no text, nor a spreadsheet: it has NUL bytes")


def _guess_of_bytes(data):
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        start = data.rfind(b"\n", 0, error.start) + 1
        line = data.count(b"\n", 0, error.start) + 1
        sample = data[start : start + _GUESSED_FROM]
        encoding = _likeliest(from_bytes(sample, cp_isolation=list(_USUAL)))
        shown = data[start : data.find(b"\n", error.start)].decode(encoding, errors="replace")
        return encoding, f"line {line} is no UTF-8; so it reads {shown.strip()[:60]!r}"
    return "utf-8", ""


def _likeliest(matches):
    """The best match; of those that read as well, the Western one."""
    best = matches.best()
    if best is None:
        return "latin-1"
    western = (m for m in matches if _WESTERN in m.could_be_from_charset)
    if any(m.coherence >= best.coherence for m in western):
        return _WESTERN
    return best.encoding
