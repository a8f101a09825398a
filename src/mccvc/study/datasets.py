"""Datasets: fetch with fallbacks, parse, verify by values, normalize."""

import hashlib
import json
import shutil
import tempfile
import warnings
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pandas as pd
import pooch
import requests

from mccvc.study.files import atomic_path, write_json, write_table

_RETRIES = 2
pooch.get_logger().setLevel("WARNING")
_LAYOUTS: dict[str, dict[str, Any]] = {
    "csv": {"sep": ",", "skipinitialspace": True},
    "semicolon": {"sep": ";"},
    "whitespace": {"sep": r"\s+"},
}


class DataError(ValueError):
    """A data file that cannot be had, read or trusted."""


def fetch(name, spec, *, bundled_dir, raw_path, mirror=None, timeout=20.0):
    """Obtain the original file of a dataset and record where it came from.

    Tried in order: the mirror if there is one, else the dataset's addresses; then the bundled
    copy. A file is accepted only if the digest of its parsed values is the recorded one.

    Parameters
    ----------
    name : str
        Name of the dataset.
    spec : dict
        Its entry in the config: ``urls``, ``member``, ``bundled``, ``layout``, ``columns``,
        ``digest``.
    bundled_dir : path-like
        Directory of the bundled copies.
    raw_path : path-like
        Where the file goes; ``raw_path`` with the suffix ``.json`` gets its provenance.
    mirror : str, optional
        Directory, or ``file://`` or ``http(s)://`` base address, that has the files under
        the names of the bundled copies; it replaces the dataset's own addresses.
    timeout : float, default 20
        Seconds without an answer after which a download fails.

    Returns
    -------
    dict
        The provenance written.

    Raises
    ------
    DataError
        If no source gives the recorded values.

    Warns
    -----
    UserWarning
        If the bundled copy serves, naming the dataset and what went wrong before.
    """
    failures, unreachable = [], set()
    bundled = Path(bundled_dir) / spec["bundled"]
    with tempfile.TemporaryDirectory() as scratch:
        for address in _addresses(spec, mirror):
            host = urlsplit(address).netloc
            if host and host in unreachable:
                failures.append(f"{address}: host unreachable")
                continue
            try:
                path = _obtain(address, spec, Path(scratch), timeout)
                digest = value_digest(parse(path, spec))
            except requests.exceptions.ConnectionError as error:
                unreachable.add(host)
                failures.append(f"{address}: {_first_line(error)}")
            except (OSError, ValueError, zipfile.BadZipFile) as error:
                failures.append(f"{address}: {_first_line(error)}")
            else:
                if digest == spec["digest"]:
                    source = "mirror" if mirror else "download"
                    return _accept(name, path, raw_path, source, address, digest, failures)
                failures.append(f"{address}: values have digest {digest}, not {spec['digest']}")
        reasons = "; ".join(failures)
        digest = _digest_of_bundled(name, bundled, spec)
        if digest != spec["digest"]:
            raise DataError(
                f"dataset {name}: bundled copy {bundled} has digest {digest}, expected "
                f"{spec['digest']}; before it: {reasons}"
            )
        warnings.warn(f"dataset {name}: using the bundled copy {bundled} ({reasons})", stacklevel=2)
        return _accept(name, bundled, raw_path, "bundled", str(bundled), digest, failures)


def parse(path, spec):
    """Read an original file into a frame with the columns that the spec names.

    Parameters
    ----------
    path : path-like
        The file.
    spec : dict
        ``layout``: ``csv``, ``semicolon``, ``whitespace`` or ``excel``; ``header``: whether
        the first row holds names (they are replaced by ``columns``); ``columns``: names.

    Returns
    -------
    pandas.DataFrame
        All columns; text stays text.

    Raises
    ------
    DataError
        If the file cannot be read so, has another number of columns, or misses values.
    """
    header = 0 if spec["header"] else None
    try:
        if spec["layout"] == "excel":
            frame = pd.read_excel(path, header=header, engine="calamine")
        else:
            frame = pd.read_csv(path, header=header, index_col=False, **_LAYOUTS[spec["layout"]])
    except Exception as error:  # the readers raise errors of many unrelated types
        raise DataError(
            f"{path}: not readable as {spec['layout']}: {_first_line(error)}"
        ) from error
    if frame.shape[1] != len(spec["columns"]) or frame.empty:
        raise DataError(
            f"{frame.shape[0]} rows of {frame.shape[1]} columns read as "
            f"{spec['layout']}, expected {len(spec['columns'])} columns ({spec['columns']})"
        )
    frame.columns = spec["columns"]
    missing = frame.columns[frame.isna().any()].tolist()
    if missing:
        raise DataError(f"missing values in {missing}")
    return frame


def value_digest(frame):
    """SHA-256 of the values of a frame, column by column.

    Line ends, number formats, column names and wrappers do not matter; any other value,
    order or type of cell does.

    Parameters
    ----------
    frame : pandas.DataFrame
        Parsed table of numbers and text.

    Returns
    -------
    str
        ``sha256:`` and 64 hexadecimal digits.
    """
    digest = hashlib.sha256(repr(frame.shape).encode())
    for position in range(frame.shape[1]):
        column = frame.iloc[:, position]
        if pd.api.types.is_numeric_dtype(column):
            values = column.to_numpy(dtype="<f8") + 0.0  # -0.0 and 0.0 are one value
            digest.update(b"number" + values.tobytes())
        else:
            digest.update(b"text" + "\x1f".join(column.astype(str)).encode())
    return f"sha256:{digest.hexdigest()}"


def normalize(frame, spec):
    """Code categories and scale every column to [0, 1] over the whole dataset.

    Parameters
    ----------
    frame : pandas.DataFrame
        Parsed table.
    spec : dict
        ``target``: its column; ``drop``: columns left out; ``ordinal``: for a text column the
        list of its values in order, coded 0, 1, ...

    Returns
    -------
    pandas.DataFrame
        Inputs, then the target as the last column, float64. A constant column becomes 0.

    Raises
    ------
    DataError
        If a text column has no coding or a value outside of it.
    """
    frame = frame.drop(columns=spec.get("drop", []))
    for column, levels in spec.get("ordinal", {}).items():
        unknown = sorted(set(frame[column]) - set(levels))
        if unknown:
            raise DataError(f"ordinal.{column}: values {unknown} are not among {levels}")
        frame[column] = frame[column].map({level: i for i, level in enumerate(levels)})
    text = [c for c in frame if not pd.api.types.is_numeric_dtype(frame[c])]
    if text:
        raise DataError(f"columns {text} hold text; list their values in order under ordinal")
    frame = frame.astype(float)
    inputs = [c for c in frame if c != spec["target"]]
    frame = frame[[*inputs, spec["target"]]]
    lowest = frame.min()
    span = frame.max() - lowest
    return (frame - lowest) / span.where(span > 0, 1.0)


def normalize_file(name, spec, raw_path, table_path):
    """Parse and normalize a fetched file; write the table and, beside it, its provenance."""
    try:
        table = normalize(parse(raw_path, spec), spec)
    except DataError as error:
        raise DataError(f"dataset {name}: {raw_path}: {error}") from error
    provenance = json.loads(Path(raw_path).with_suffix(".json").read_text())
    provenance |= {"rows": len(table), "inputs": list(table.columns[:-1]), "target": spec["target"]}
    provenance["normalized_digest"] = value_digest(table)
    write_json(Path(table_path).with_suffix(".json"), provenance)
    write_table(table, table_path)


def _addresses(spec, mirror):
    if mirror is None:
        return spec["urls"]
    if "://" in mirror:
        return [f"{mirror.rstrip('/')}/{spec['bundled']}"]
    return [(Path(mirror).resolve() / spec["bundled"]).as_uri()]


def _obtain(address, spec, scratch, timeout):
    """Path of the original file behind an address, taken out of its archive if in one."""
    if address.startswith("file://"):
        path = Path(unquote(urlsplit(address).path))
        if not path.is_file():
            raise DataError("no such file")
        return path
    name = f"download{len(list(scratch.iterdir()))}"
    downloader = pooch.HTTPDownloader(timeout=timeout)
    source = pooch.create(
        scratch, "", registry={name: None}, urls={name: address}, retry_if_failed=_RETRIES
    )
    path = Path(source.fetch(name, downloader=downloader))
    if not zipfile.is_zipfile(path) or spec["bundled"].endswith(".xlsx"):
        return path
    member = scratch / f"{name}-member"
    with zipfile.ZipFile(path) as archive:
        try:
            packed = archive.open(spec["bundled"])
        except KeyError:
            raise DataError(f"no member {spec['bundled']} in {archive.namelist()}") from None
        with packed, member.open("wb") as unpacked:
            shutil.copyfileobj(packed, unpacked)
    return member


def _digest_of_bundled(name, path, spec):
    try:
        return value_digest(parse(path, spec))
    except DataError as error:
        raise DataError(f"dataset {name}: bundled copy {path}: {error}") from error


def _accept(name, path, raw_path, source, address, digest, failures):
    provenance = {
        "dataset": name,
        "source": source,
        "address": address,
        "value_digest": digest,
        "file_digest": f"sha256:{pooch.file_hash(str(path), alg='sha256')}",
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "failures": failures,
    }
    with atomic_path(raw_path) as temporary:
        shutil.copyfile(path, temporary)
    write_json(Path(raw_path).with_suffix(".json"), provenance)
    return provenance


def _first_line(error):
    return (str(error).strip() or type(error).__name__).splitlines()[0]
