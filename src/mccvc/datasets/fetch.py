"""Original data files: fetched with fallbacks, verified by their values."""

import shutil
import tempfile
import warnings
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pooch
import requests

from mccvc.datasets.normalize import value_digest
from mccvc.datasets.parsing import DataError, first_line, parse
from mccvc.study.files import atomic_path, write_json, write_text

_RETRIES = 2
pooch.get_logger().setLevel("WARNING")
# Largest download and largest member taken out of an archive, in bytes.
_LARGEST = 2**30
_CHUNK = 2**20


def fetch(name, spec, *, bundled_dir, raw_path, mirror=None, timeout=20.0, locks="data/locks"):
    """Obtain the original file of a dataset and record where it came from.

    Tried in order: the mirror if there is one, else the dataset's own sources; then the bundled
    copy. A file is accepted only if the digest of its parsed values is the recorded one: that of
    the config, or else the one that the first file had, which is kept in `locks`.

    Parameters
    ----------
    name : str
        Name of the dataset.
    spec : dict
        Its entry in the config: where it comes from (``urls``, ``file``, ``openml``, ``sklearn``,
        ``bundled``, ``member``), how to read it (see :func:`mccvc.datasets.parsing.parse`) and
        ``digest``.
    bundled_dir : path-like
        Directory of the bundled copies.
    raw_path : path-like
        Where the file goes; ``raw_path`` with the suffix ``.json`` gets its provenance.
    mirror : str, optional
        Directory, or ``file://`` or ``http(s)://`` base address, that has the files under
        the names of the bundled copies, or else of the downloads; it replaces the dataset's own
        addresses.
    timeout : float, default 20
        Seconds without an answer after which a download fails.
    locks : path-like, default "data/locks"
        Directory of the digests of datasets whose entry has none.

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
    lock = Path(locks) / f"{name}.sha256"
    expected = spec.get("digest") or (lock.read_text().strip() if lock.exists() else None)
    failures: list[str] = []
    unreachable = set()

    def accept(path, source, address):
        digest = value_digest(parse(path, spec))
        if expected is not None and digest != expected:
            hint = "" if spec.get("digest") else f", that of {lock}; delete it if they are right"
            raise DataError(f"values have digest {digest}, expected {expected}{hint}")
        if expected is None:
            write_text(lock, digest + "\n")
        return _accept(name, path, raw_path, source, address, digest, failures)

    with tempfile.TemporaryDirectory() as scratch:
        for address in _addresses(spec, mirror):
            host = urlsplit(address).netloc
            if host and host in unreachable:
                failures.append(f"{address}: host unreachable")
                continue
            try:
                path = obtain(address, spec, Path(scratch), timeout)
                return accept(path, "mirror" if mirror else _source_of(address), address)
            except requests.exceptions.ConnectionError as error:
                unreachable.add(host)
                failures.append(f"{address}: {first_line(error)}")
            except (OSError, ValueError, zipfile.BadZipFile) as error:
                failures.append(f"{address}: {first_line(error)}")
    reasons = "; ".join(failures)
    if "bundled" not in spec:
        raise DataError(f"dataset {name}: not to be had: {reasons}")
    bundled = Path(bundled_dir) / spec["bundled"]
    try:
        provenance = accept(bundled, "bundled", str(bundled))
    except DataError as error:
        before = f"; before it: {reasons}" if reasons else ""
        raise DataError(f"dataset {name}: bundled copy {bundled}: {error}{before}") from error
    warnings.warn(f"dataset {name}: using the bundled copy {bundled} ({reasons})", stacklevel=2)
    return provenance


def _addresses(spec, mirror):
    if mirror is None or _file_name(spec) is None:
        local = [Path(spec["file"]).resolve().as_uri()] if "file" in spec else []
        named = [f"{kind}:{spec[kind]}" for kind in ("openml", "sklearn") if kind in spec]
        return [*local, *spec.get("urls", []), *named]
    if "://" in mirror:
        return [f"{mirror.rstrip('/')}/{_file_name(spec)}"]
    return [(Path(mirror).resolve() / _file_name(spec)).as_uri()]


def _file_name(spec):
    """Name of the original file: of the bundled copy, the archive's member, or the download."""
    last = unquote(urlsplit(spec["urls"][0]).path).rsplit("/", 1)[-1] if spec.get("urls") else None
    return spec.get("bundled") or spec.get("member") or last


def _source_of(address):
    scheme = address.split(":", 1)[0]
    return scheme if scheme in ("file", "openml", "sklearn") else "download"


def obtain(address, spec, scratch, timeout):
    """Path of the original file behind an address, taken out of its archive if in one.

    Parameters
    ----------
    address : str
        ``https://``, ``http://`` or ``file://`` address, ``openml:ID`` or ``sklearn:NAME``.
    spec : dict
        ``member``, ``bundled`` or ``urls`` name the file in an archive.
    scratch : pathlib.Path
        Directory for what is downloaded.
    timeout : float
        Seconds without an answer after which a download fails.

    Returns
    -------
    pathlib.Path

    Raises
    ------
    DataError, OSError
        If the file is not to be had.
    """
    kind, rest = address.split(":", 1)
    if kind in ("openml", "sklearn"):
        return _from_scikit_learn(kind, rest, scratch)
    if kind == "file":
        path = Path(unquote(urlsplit(address).path))
        if not path.is_file():
            raise DataError("no such file")
        return path
    name = f"download{len(list(scratch.iterdir()))}"
    source = pooch.create(
        scratch, "", registry={name: None}, urls={name: address}, retry_if_failed=_RETRIES
    )
    path = Path(source.fetch(name, downloader=_Download(timeout)))
    wanted = _file_name(spec)
    if not zipfile.is_zipfile(path) or wanted.endswith(".xlsx"):
        return path
    member = scratch / f"{name}-member"
    with zipfile.ZipFile(path) as archive:
        if wanted not in archive.namelist():
            raise DataError(f"no member {wanted} in {archive.namelist()}")
        with archive.open(wanted) as packed, member.open("wb") as unpacked:
            _copy(iter(lambda: packed.read(_CHUNK), b""), unpacked)
    return member


class _Download:
    """Downloader for pooch: of limited size, whole or not at all, redirected to https only."""

    def __init__(self, timeout):
        self.timeout = timeout

    def __call__(self, url, output_file, source):
        with requests.Session() as session:
            session.hooks["response"].append(_check_redirect)
            with session.get(url, stream=True, timeout=self.timeout) as response:
                response.raise_for_status()
                with Path(output_file).open("wb") as file:
                    _copy(response.iter_content(_CHUNK), file)


def _check_redirect(response, *arguments, **others):
    target = response.headers.get("Location", "")
    if response.is_redirect and "://" in target and not target.startswith("https://"):
        raise DataError(f"redirected to {target}, which is not https")


def _copy(chunks, target):
    """Write chunks of bytes, at most `_LARGEST` of them."""
    copied = 0
    for chunk in chunks:
        copied += len(chunk)
        if copied > _LARGEST:
            raise DataError(f"more than {_LARGEST} bytes")
        target.write(chunk)


def _from_scikit_learn(kind, name, scratch):
    """A dataset that scikit-learn bundles or gets, as a CSV file with a header."""
    import sklearn.datasets as sources

    if kind == "openml":
        bunch = sources.fetch_openml(data_id=int(name), as_frame=True, parser="auto")
    else:
        loader = getattr(sources, f"load_{name}", getattr(sources, f"fetch_{name}", None))
        if loader is None:
            raise DataError(f"scikit-learn has no dataset {name}")
        bunch = loader(as_frame=True)
    path = scratch / f"{kind}.csv"
    bunch.frame.to_csv(path, index=False)
    return path


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
