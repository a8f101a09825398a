"""Files taken out of what they are packed in: gzip, xz, bzip2, zip."""

import bz2
import gzip
import lzma
import zipfile
import zlib
from collections.abc import Iterable
from typing import BinaryIO

from mccvc.datasets.errors import DataError, first_line

# Largest download and largest file taken out of an archive, in bytes.
LARGEST = 2**30
CHUNK = 2**20
_PACKED = {b"\x1f\x8b": gzip, b"\xfd7zXZ\x00": lzma, b"BZh": bz2}
# Names that tell a spreadsheet, itself a zip archive, from an archive of files.
_SPREADSHEET = ("xl/workbook.xml", "xl/workbook.bin", "content.xml")
_SHOWN = 20


def unpack(path, scratch, member=None):
    """Path of the plain file behind a path, taken out of what it is packed in.

    Parameters
    ----------
    path : pathlib.Path
        Any file; one that is not packed, or is a spreadsheet, is given back.
    scratch : pathlib.Path
        Directory for what is unpacked.
    member : str, optional
        Full name of a file in a zip archive, needed if it has several.

    Returns
    -------
    pathlib.Path

    Raises
    ------
    DataError
        If the archive is damaged, encrypted, too large, or has no such member.
    """
    try:
        if is_archive(path):
            with zipfile.ZipFile(path) as archive, archive.open(_member(archive, member)) as packed:
                return unpack(_written(packed, scratch), scratch)
        with path.open("rb") as file:
            start = file.read(265)
        for mark, packer in _PACKED.items():
            if start.startswith(mark):
                with packer.open(path) as packed:
                    return unpack(_written(packed, scratch), scratch)
    except (zipfile.BadZipFile, lzma.LZMAError, zlib.error, EOFError, RuntimeError) as error:
        raise DataError(f"archive not readable: {first_line(error)}") from error
    if start[257:262] == b"ustar":
        raise DataError("a tar archive; give a file taken out of it")
    return path


def is_archive(path):
    """Whether a file is a zip archive of files, and no spreadsheet."""
    if not zipfile.is_zipfile(path):
        return False
    with zipfile.ZipFile(path) as archive:
        return not set(_SPREADSHEET) & set(archive.namelist())


def _names(archive):
    """Names of the files in a zip archive, those left out that a config could not name."""
    names = [info.filename for info in archive.infolist() if not info.is_dir()]
    return [name for name in names if not name.startswith("__MACOSX/") and _is_safe(name)]


def _is_safe(name):
    parts = name.split("/")
    return name.isprintable() and "\\" not in name and parts[0] != "" and ".." not in parts


def _member(archive, wanted):
    names = _names(archive)
    if wanted is None and len(names) == 1:
        return names[0]
    shown = f"{names[:_SHOWN]}{' and more' if len(names) > _SHOWN else ''}"
    if wanted is None:
        raise DataError(f"an archive of {len(names)} files; name one as member: {shown}")
    if wanted not in names:
        raise DataError(f"no member {wanted} in {shown}")
    return wanted


def _written(packed, scratch):
    path = scratch / f"unpacked{len(list(scratch.iterdir()))}"
    with path.open("wb") as file:
        copy(iter(lambda: packed.read(CHUNK), b""), file)
    return path


def copy(chunks: Iterable[bytes], target: BinaryIO) -> None:
    """Write chunks of bytes, at most `LARGEST` of them."""
    copied = 0
    for chunk in chunks:
        copied += len(chunk)
        if copied > LARGEST:
            raise DataError(f"more than {LARGEST} bytes")
        target.write(chunk)
