import json
import shutil
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
import yaml
from paths import ROOT

from mccvc.datasets import archives
from mccvc.datasets.errors import DataError
from mccvc.datasets.fetch import fetch
from mccvc.datasets.inspection import describe
from mccvc.datasets.normalize import normalize, normalize_file, value_digest
from mccvc.datasets.parsing import parse
from mccvc.datasets.spec import DatasetSpec
from mccvc.study.shards import read_normalized

pytestmark = pytest.mark.network

BUNDLED = ROOT / "data/bundled"
DATASETS = {
    name: DatasetSpec.of(entry)
    for name, entry in yaml.safe_load((ROOT / "config.yaml").read_text())["datasets"].items()
}

# Rows, inputs, smallest and largest target, from the descriptions of the datasets.
KNOWN = {
    "servo": (167, 4, 0.13124992, 7.1001077),
    "airfoil": (1503, 5, 103.38, 140.987),
    "concrete": (1030, 8, 2.331807832, 82.5992248),
    "housing": (506, 13, 5.0, 50.0),
    "yacht": (308, 6, 0.01, 62.42),
    "wine-red": (1599, 11, 3, 8),
    "slump": (103, 9, 17.19, 58.53),
}


@pytest.mark.parametrize("name", DATASETS)
def test_bundled_file_parses_to_the_known_values(name):
    spec = DATASETS[name]
    frame = parse(BUNDLED / spec.bundled, spec)
    rows, inputs, lowest, highest = KNOWN[name]
    assert len(frame) == rows
    assert frame[spec.target].min() == pytest.approx(lowest)
    assert frame[spec.target].max() == pytest.approx(highest)
    assert value_digest(frame) == spec.digest
    table = normalize(frame, spec)
    assert table.shape == (rows, inputs + 1)
    assert table.columns[-1] == spec.target
    assert (table.min() == 0).all()
    assert (table.max() == 1).all()
    assert spec.n_train + spec.n_test <= rows


def test_servo_letters_are_coded_in_order():
    spec = DATASETS["servo"]
    frame = parse(BUNDLED / spec.bundled, spec)
    table = normalize(frame, spec)
    assert frame["motor"].iloc[0] == "E"
    assert table["motor"].iloc[0] == 1.0
    assert set(table["screw"]) == {0.0, 0.25, 0.5, 0.75, 1.0}


def test_constant_column_becomes_zero():
    frame = pd.DataFrame({"a": [3.0, 3.0], "b": [1.0, 2.0], "y": [0.0, 5.0]})
    np.testing.assert_array_equal(normalize(frame, DatasetSpec(target="y"))["a"], [0.0, 0.0])


def test_value_digest_ignores_form_and_names_but_no_value():
    frame = pd.DataFrame({"a": [1, 2], "b": ["x", "y"]})
    same = pd.DataFrame({"other": [1.0, 2.0], "names": ["x", "y"]})
    assert value_digest(frame) == value_digest(same)
    for changed in (
        frame.assign(a=[1, 3]),
        frame.assign(b=["x", "z"]),
        frame.iloc[::-1],
        frame[["b", "a"]],
    ):
        assert value_digest(changed) != value_digest(frame)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1,2\n3,4\n", "expected 3 columns"),
        ("1,2,3\n4,,6\n", r"missing values in \['b'\]"),
        ("", "no rows, read as csv"),
    ],
)
def test_unusable_file_tells_what_was_expected(tmp_path, text, message):
    path = tmp_path / "file.data"
    path.write_text(text)
    spec = DatasetSpec(target="c", header=False, columns=("a", "b", "c"))
    with pytest.raises(DataError, match=message):
        parse(path, spec)


def test_text_without_coding_is_an_error():
    frame = pd.DataFrame({"a": ["x", "y"], "y": [0.0, 5.0]})
    with pytest.raises(DataError, match=r"columns \['a'\] hold text"):
        normalize(frame, DatasetSpec(target="y"))
    with pytest.raises(DataError, match=r"ordinal\.a: values \['y'\]"):
        normalize(frame, DatasetSpec(target="y", ordinal={"a": ("x",)}))


# --- fetching -------------------------------------------------------------------------------

YACHT = DATASETS["yacht"]
GOOD = (BUNDLED / YACHT.bundled).read_bytes()


def zipped(name, content):
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(name, content)
    return packed.getvalue()


class Handler(BaseHTTPRequestHandler):
    """Serves one file in good and in bad states; counts the requests."""

    requests: ClassVar[list[str]] = []

    def do_GET(self):
        self.requests.append(self.path)
        body = {
            "/good": GOOD,
            "/crlf": GOOD.replace(b"\n", b"\r\n"),
            "/good.zip": zipped(YACHT.bundled, GOOD),
            "/other.zip": zipped("other.data", GOOD),
            "/outside.zip": zipped(f"../{YACHT.bundled}", GOOD),
            "/bomb.zip": zipped(YACHT.bundled, b" " * 10_000_000),
            "/corrupted": GOOD.replace(b"0.5680", b"0.5690", 1).replace(b"-2.3", b"-2.4", 1),
            "/truncated": GOOD[:5000],
            "/cut-off": GOOD,
            "/page": b"<html><body>Service moved</body></html>",
            f"/{YACHT.bundled}": GOOD,
        }.get(self.path)
        if self.path == "/moved":
            self.send_response(302)
            self.send_header("Location", f"http://{self.headers['Host']}/good")
            self.end_headers()
            return
        if self.path == "/hang":
            threading.Event().wait(5)
            return
        if body is None:
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[:2000] if self.path == "/cut-off" else body)

    def log_message(self, *arguments):
        pass


@pytest.fixture(scope="module")
def server():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch):
    monkeypatch.setattr("pooch.core.time.sleep", lambda seconds: None)
    Handler.requests.clear()


def fetch_yacht(tmp_path, urls, **options):
    raw = tmp_path / "raw/yacht.data"
    provenance = fetch("yacht", YACHT.but(urls=urls), bundled_dir=BUNDLED, raw_path=raw, **options)
    assert provenance == json.loads(raw.with_suffix(".json").read_text())
    assert value_digest(parse(raw, YACHT)) == YACHT.digest
    assert sorted(p.name for p in raw.parent.iterdir()) == ["yacht.data", "yacht.json"]
    return provenance


@pytest.mark.parametrize("path", ["good", "crlf", "good.zip"])
def test_values_count_not_wrappers(server, tmp_path, path):
    provenance = fetch_yacht(tmp_path, [f"{server}/{path}"])
    assert (provenance["source"], provenance["address"]) == ("download", f"{server}/{path}")
    assert provenance["value_digest"] == YACHT.digest
    assert provenance["failures"] == []


def test_second_address_serves_when_the_first_does_not(server, tmp_path):
    provenance = fetch_yacht(tmp_path, [f"{server}/missing", f"{server}/good"])
    assert provenance["address"] == f"{server}/good"
    assert "404" in provenance["failures"][0]


@pytest.mark.parametrize(
    ("path", "reason", "requests"),
    [
        ("corrupted", "values have digest", 1),
        ("truncated", "cells, read as whitespace; expected 7 columns", 1),
        ("cut-off", "", 3),
        ("page", "columns", 1),
        ("other.zip", "no member yacht_hydrodynamics.data", 1),
        ("outside.zip", "no member yacht_hydrodynamics.data", 1),
        ("missing", "404", 3),
        ("hang", "timed out", 3),
    ],
)
def test_bundled_copy_serves_and_says_why(server, tmp_path, path, reason, requests):
    with pytest.warns(UserWarning, match=rf"dataset yacht: using the bundled copy .*{reason}"):
        provenance = fetch_yacht(tmp_path, [f"{server}/{path}"], timeout=0.3)
    assert provenance["source"] == "bundled"
    assert len(Handler.requests) == requests


def test_unreachable_host_is_tried_once(tmp_path):
    urls = ["http://127.0.0.1:9/a", "http://127.0.0.1:9/b"]
    with pytest.warns(UserWarning, match="http://127.0.0.1:9/b: host unreachable"):
        fetch_yacht(tmp_path, urls)


def test_mirror_replaces_the_addresses(server, tmp_path):
    for i, mirror in enumerate((server, str(BUNDLED), BUNDLED.as_uri())):
        provenance = fetch_yacht(tmp_path / str(i), [f"{server}/missing"], mirror=mirror)
        assert provenance["source"] == "mirror"
        assert provenance["address"].endswith(YACHT.bundled)
    assert "/missing" not in Handler.requests


def test_nothing_is_written_if_no_source_has_the_values(server, tmp_path):
    spec = YACHT.but(urls=[f"{server}/good"], digest="sha256:" + "0" * 64)
    with pytest.raises(DataError, match=r"dataset yacht: bundled copy .* expected sha256:0000"):
        fetch("yacht", spec, bundled_dir=BUNDLED, raw_path=tmp_path / "raw/yacht.data")
    assert not (tmp_path / "raw").exists()


def test_split_of_more_rows_than_there_are_is_refused(tmp_path):
    raw = tmp_path / "yacht.data"
    shutil.copy(ROOT / "data/bundled/yacht_hydrodynamics.data", raw)
    spec = YACHT.but(n_train=300, n_test=9)
    with pytest.raises(DataError, match=r"n_train 300 and n_test 9; expected at most its 308 rows"):
        normalize_file("yacht", spec, raw, tmp_path / "table.parquet")
    assert [path.name for path in tmp_path.iterdir()] == ["yacht.data"]


def test_normalized_file_and_its_provenance(tmp_path):
    fetch_yacht(tmp_path, [], mirror=str(BUNDLED))
    table_path = tmp_path / "normalized/yacht.parquet"
    normalize_file("yacht", YACHT, tmp_path / "raw/yacht.data", table_path)
    inputs, target = read_normalized(table_path)
    assert inputs.shape == (308, 6)
    assert target.min() == 0
    assert target.max() == 1
    provenance = json.loads(table_path.with_suffix(".json").read_text())
    assert provenance["source"] == "mirror"
    assert provenance["target"] == "residuary resistance"
    assert {"address", "time", "file_digest", "value_digest"} <= set(provenance)


def test_redirects_lead_to_https_only(server, tmp_path):
    Handler.requests.clear()
    with pytest.warns(UserWarning, match=r"redirected to http://.*, which is not https"):
        fetch_yacht(tmp_path, [f"{server}/moved"])
    assert "/good" not in Handler.requests


@pytest.mark.parametrize("path", ["good", "bomb.zip"])
def test_size_is_limited_before_and_after_unpacking(server, tmp_path, monkeypatch, path):
    """A bomb is small to download and large to unpack; only so much of it is."""
    monkeypatch.setattr(archives, "LARGEST", {"good": 5_000, "bomb.zip": 1_000_000}[path])
    monkeypatch.setattr(archives, "CHUNK", 1_000)
    limit = archives.LARGEST
    with pytest.warns(UserWarning, match=f"more than {limit} bytes"):
        fetch_yacht(tmp_path, [f"{server}/{path}"])


def test_add_dataset_looks_at_an_address(server, tmp_path):
    for address in (f"{server}/good", f"{server}/good.zip"):
        ((_, entry),) = yaml.safe_load(describe(address)).items()
        assert entry["urls"] == [address]
        assert entry["digest"] == YACHT.digest
        assert (
            fetch("new", DatasetSpec.of(entry), bundled_dir=tmp_path, raw_path=tmp_path / "raw")[
                "address"
            ]
            == address
        )
    with pytest.raises(DataError, match=f"{server}/good.zip#none: no member none in"):
        describe(f"{server}/good.zip#none")
    for address in ("ftp://host/a.csv", "file:///etc/passwd", "https://a b"):
        with pytest.raises(DataError, match="expected a path or an https address"):
            describe(address)


# --- local files, and bundled copies alone --------------------------------------------------


@pytest.fixture
def local(tmp_path):
    """A local file, and how to fetch it with some keys in its entry."""
    source = tmp_path / "mine.csv"
    source.write_text("a,y\n1,2\n3,4\n")

    def fetched(mirror=None, **keys):
        spec = DatasetSpec.of({"file": str(source), "target": "y"} | keys)
        places = {"bundled_dir": tmp_path, "raw_path": tmp_path / "raw/mine.data"}
        return fetch("mine", spec, **places, locks=tmp_path / "locks", mirror=mirror)

    return source, fetched


def test_edited_local_file_is_read_again_and_told(local, recwarn):
    source, fetched = local
    first = fetched()
    assert first["source"] == "file"
    assert "earlier_value_digests" not in first
    source.write_text("a,y\r\n1.0,2\r\n3,4.0\r\n")
    assert fetched()["value_digest"] == first["value_digest"]
    assert not recwarn.list
    source.write_text("a,y\n1,2\n3,5\n")
    with pytest.warns(UserWarning, match=r"dataset mine: the values of .*mine\.csv have changed"):
        second = fetched()
    assert second["value_digest"] != first["value_digest"]
    assert second["earlier_value_digests"] == [first["value_digest"]]
    assert fetched()["earlier_value_digests"] == [first["value_digest"]]
    source.write_text("a,y\n1,2\n3,6\n")
    with pytest.warns(UserWarning, match="have changed"):
        third = fetched()
    assert third["earlier_value_digests"] == [first["value_digest"], second["value_digest"]]


def test_local_file_with_a_digest_may_not_change(local):
    source, fetched = local
    digest = fetched()["value_digest"]
    source.write_text("a,y\n1,2\n3,5\n")
    with pytest.raises(DataError, match=f"dataset mine: not to be had: .*expected {digest}"):
        fetched(digest=digest)


def test_mirror_does_not_replace_a_local_file(local, tmp_path):
    _, fetched = local
    assert fetched(mirror=str(tmp_path / "none"), member="mine.csv")["source"] == "file"


def test_download_without_digest_is_locked(server, tmp_path):
    spec = YACHT.but(urls=[f"{server}/good"])
    keys = {key: value for key, value in spec.as_dict().items() if key not in ("digest", "bundled")}
    places = {"bundled_dir": tmp_path, "raw_path": tmp_path / "raw", "locks": tmp_path / "locks"}
    first = fetch("yacht", DatasetSpec.of(keys), **places)
    assert (tmp_path / "locks/yacht.sha256").read_text() == first["value_digest"] + "\n"
    changed = DatasetSpec.of(keys | {"urls": [f"{server}/corrupted"]})
    with pytest.raises(DataError, match=r"not to be had: .*yacht\.sha256; delete it"):
        fetch("yacht", changed, **places)


@pytest.mark.parametrize("keys", [{}, {"urls": []}])
def test_bundled_copy_without_an_address_is_no_failure(tmp_path, recwarn, keys):
    entry = {key: value for key, value in YACHT.as_dict().items() if key != "urls"} | keys
    raw = tmp_path / "yacht.data"
    provenance = fetch("yacht", DatasetSpec.of(entry), bundled_dir=BUNDLED, raw_path=raw)
    assert (provenance["source"], provenance["failures"]) == ("bundled", [])
    assert not recwarn.list
    del entry["bundled"]
    with pytest.raises(DataError, match="dataset yacht: not to be had: no address"):
        fetch("yacht", DatasetSpec.of(entry), bundled_dir=BUNDLED, raw_path=raw)
