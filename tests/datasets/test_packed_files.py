"""Compressed files, archives and spreadsheets."""

import bz2
import gzip
import lzma
import tarfile
import zipfile

import pytest
from adding import added, lines, varied, write, write_workbook

from mccvc.datasets import archives
from mccvc.datasets.errors import DataError
from mccvc.datasets.fetch import fetch
from mccvc.datasets.inspection import describe
from mccvc.datasets.parsing import parse
from mccvc.datasets.spec import DatasetSpec, Layout

TEXT = "a|b|y\n" + lines(lambda i: f"{varied(i)}|{varied(i * i)}|{varied(i * 3)}")


@pytest.mark.parametrize(("suffix", "packer"), [("gz", gzip), ("xz", lzma), ("bz2", bz2)])
def test_compressed_file(tmp_path, suffix, packer, monkeypatch):
    path = tmp_path / f"table.csv.{suffix}"
    path.write_bytes(packer.compress(TEXT.encode()))
    data = added(path)
    assert data.spec.layout is Layout.PIPE
    assert list(data.frame) == ["a", "b", "y"]
    assert f"Read out of the archive {path.name}." in data.comments
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(DataError, match=f"{path}: archive not readable"):
        describe(str(path))
    path.write_bytes(packer.compress(TEXT.encode() * 10))
    monkeypatch.setattr(archives, "LARGEST", len(TEXT))
    with pytest.raises(DataError, match=f"more than {len(TEXT)} bytes"):
        describe(str(path))


def zipped(path, members):
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def test_zip_with_one_file(tmp_path):
    for i, members in enumerate(
        (
            {"table.csv": TEXT},
            {"folder/": "", "folder/table.csv": TEXT, "__MACOSX/._table.csv": b"\0"},
            {"table.csv.gz": gzip.compress(TEXT.encode())},
        )
    ):
        data = added(zipped(tmp_path / f"{i}.zip", members))
        assert data.spec.member is None
        assert len(data.table) == 24


def test_zip_with_several_files(tmp_path):
    path = zipped(tmp_path / "two.zip", {"one.csv": TEXT, "deep/two.csv": TEXT * 2})
    with pytest.raises(DataError, match=r"archive of 2 files; name one as member: \['one\.csv',"):
        describe(str(path))
    data = added(f"{path}#one.csv")
    assert data.spec.member == "one.csv"
    with pytest.raises(DataError, match=r"no member three\.csv in \['one\.csv', 'deep/two\.csv'\]"):
        describe(f"{path}#three.csv")


def test_unsafe_names_in_an_archive_are_not_there(tmp_path):
    unsafe = {f"{name}.csv": TEXT for name in ("../a", "/a", "a/../b", "a\\b", "a\nb", "a\x07")}
    data = added(zipped(tmp_path / "unsafe.zip", unsafe | {"table.csv": TEXT}))
    assert len(data.table) == 24
    with pytest.raises(DataError, match=r"no member \.\./a\.csv in \['table\.csv'\]"):
        describe(f"{tmp_path / 'unsafe.zip'}#../a.csv")


def test_archives_that_cannot_be_read(tmp_path):
    write(tmp_path / "table.csv", TEXT)
    with tarfile.open(tmp_path / "table.tar.gz", "w:gz") as archive:
        archive.add(tmp_path / "table.csv", "table.csv")
    with pytest.raises(DataError, match="a tar archive; give a file taken out of it"):
        describe(str(tmp_path / "table.tar.gz"))
    zipped(tmp_path / "broken.zip", {"table.csv": TEXT})
    content = (tmp_path / "broken.zip").read_bytes()
    (tmp_path / "broken.zip").write_bytes(content.replace(b"a|b|y", b"a|b|z", 1))
    with pytest.raises(DataError, match="archive not readable: Bad CRC"):
        describe(str(tmp_path / "broken.zip"))


def test_packed_bundled_copy(tmp_path, recwarn):
    (tmp_path / "table.csv.gz").write_bytes(gzip.compress(TEXT.encode()))
    spec = DatasetSpec.of({"bundled": "table.csv.gz", "layout": "pipe", "target": "y"})
    raw = tmp_path / "raw"
    provenance = fetch("t", spec, bundled_dir=tmp_path, raw_path=raw, locks=tmp_path)
    assert (provenance["source"], provenance["failures"]) == ("bundled", [])
    assert len(parse(raw, spec)) == 24
    assert not recwarn.list


# --- spreadsheets ---------------------------------------------------------------------------

NUMBERS = [[float(varied(i)), float(varied(i * i)), float(varied(i * 3))] for i in range(24)]


def test_sheets_are_listed_and_the_first_is_told(tmp_path):
    path = write_workbook(
        tmp_path / "book.xlsx",
        {"empty": [], "Mai & Juni": [["a", "b", "y"], *NUMBERS], "other": [["c", "z"], [1, 2]]},
    )
    data = added(path)
    assert data.spec.sheet == "Mai & Juni"
    assert (
        "sheet: 'Mai & Juni', the first with values of ['empty', 'Mai & Juni', 'other']"
        in data.comments
    )
    assert data.frame.to_numpy().tolist() == NUMBERS
    assert data.frame.index.tolist() == list(range(2, 26))
    with pytest.raises(DataError, match=r"no sheet 'May' among \['empty', 'Mai & Juni', 'other'\]"):
        parse(path, data.spec.but(sheet="May"))


def test_one_sheet_needs_no_name(tmp_path):
    years = [["town", 2001, 2002, 2003], *([f"t{i}", *row] for i, row in enumerate(NUMBERS))]
    data = added(write_workbook(tmp_path / "years.xlsx", {"only": years}))
    assert data.spec.sheet is None
    assert list(data.frame) == ["town", "2001", "2002", "2003"]
    assert "sheet:" not in data.comments


def test_group_row_above_the_names(tmp_path):
    rows = [["inputs", "", ""], ["a", "b", "y"], *NUMBERS]
    data = added(write_workbook(tmp_path / "groups.xlsx", {"only": rows}))
    assert data.spec.header == 2
    assert list(data.frame) == ["a", "b", "y"]


def test_gaps_and_texts_in_a_spreadsheet(tmp_path):
    rows = [
        ["a", "b", "y"],
        *([*row[:2], "?" if row[2] == NUMBERS[5][2] else row[2]] for row in NUMBERS),
    ]
    data = added(write_workbook(tmp_path / "gaps.xlsx", {"only": rows}))
    assert data.spec.missing_values == ("?",)
    assert "'?' in row 7 of 'y'" in data.comments
    assert len(data.table) == 23


@pytest.mark.parametrize("content", [b"PK\x03\x04broken", b"\xd0\xcf\x11\xe0broken"])
def test_broken_spreadsheet(tmp_path, content):
    (tmp_path / "book.xls").write_bytes(content)
    with pytest.raises(DataError, match=r"book\.xls: not readable as excel: "):
        describe(str(tmp_path / "book.xls"))


def test_workbook_without_values(tmp_path):
    path = write_workbook(tmp_path / "none.xlsx", {"one": [], "two": []})
    with pytest.raises(DataError, match="a spreadsheet without values"):
        describe(str(path))
