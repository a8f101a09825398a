"""The entry that add-dataset prints reads the file, and its comments tell what matters."""

import pytest
import yaml
from paths import ROOT

from mccvc.cli import main
from mccvc.datasets.errors import DataError
from mccvc.datasets.inspection import describe
from mccvc.datasets.normalize import normalize, value_digest
from mccvc.datasets.parsing import parse
from mccvc.datasets.spec import DatasetSpec
from mccvc.study.config import Study

CONFIG = yaml.safe_load((ROOT / "config.yaml").read_text())


def entry(path):
    text = describe(str(path))
    ((name, spec),) = yaml.safe_load(text).items()
    return name, spec, [line.strip(" #") for line in text.splitlines() if line.startswith("  #")]


@pytest.mark.parametrize("name", CONFIG["datasets"])
def test_entry_of_a_bundled_file_reads_the_same_values(name):
    """All seven, by content alone: no header, header, spaces, semicolons, an old Excel file."""
    known = CONFIG["datasets"][name]
    path = ROOT / "data/bundled" / known["bundled"]
    _, spec, _ = entry(path)
    assert spec["digest"] == known["digest"]
    frame = parse(path, DatasetSpec.of(spec))
    assert value_digest(frame) == known["digest"]
    normalize(frame, DatasetSpec.of(spec))
    config = CONFIG | {"datasets": {"new": spec}}
    assert Study(config, ROOT / "workflow/schemas/config.schema.yaml").resolved["elm"].problems == [
        "new"
    ]


def test_what_a_user_should_know_is_in_the_comments(tmp_path):
    path = tmp_path / "My data (2).csv"
    rows = [f"{i % 7},{i % 3},{'ab'[i % 2]},5,id{i},{i % 7 + 2 * (i % 3)}" for i in range(60)]
    path.write_text("\n".join(["first,second,kind,flat,name,y", *rows, rows[0]]) + "\n")
    name, spec, notes = entry(path)
    assert name == "my-data-2"
    assert spec["target"] == "y"
    assert spec["one_hot"] == ["kind"]
    assert spec["drop"] == ["name"]
    comments = "\n".join(notes)
    assert "61 rows, 6 columns" in comments
    assert "kind: text with the values ['a', 'b']" in comments
    assert "Constant columns: ['flat']" in comments
    assert "Rows that repeat earlier ones: 1" in comments
    assert "Together ['first', 'second'] determine the target exactly" in comments


def test_column_that_gives_the_target_away_is_named(tmp_path):
    path = tmp_path / "leak.csv"
    path.write_text("a;b;y\n" + "".join(f"{i * i};{i},5;{2 * i}\n" for i in range(20)))
    _, spec, notes = entry(path)
    assert (spec["layout"], spec["decimal"]) == ("semicolon", ",")
    assert "b alone determines the target: drop it." in notes


def test_missing_values_are_reported(tmp_path):
    path = tmp_path / "gaps.csv"
    path.write_text("a,y\n1,2\n,3\n4,5\n")
    _, spec, notes = entry(path)
    assert spec["missing"] == "drop"
    assert any("Missing values in ['a']" in note for note in notes)


def test_file_that_is_none(tmp_path, capsys):
    with pytest.raises(DataError, match="no such file"):
        describe(str(tmp_path / "none.csv"))
    (tmp_path / "empty.csv").write_text("a\n")
    assert main(["add-dataset", str(tmp_path / "empty.csv")]) == 1
    assert "fewer than two lines" in capsys.readouterr().err
