"""Configs of several files, selections, and what a config must not be able to do."""

import re

import pandas as pd
import pytest
import yaml
from checkout import small_study


@pytest.fixture
def checkout(tmp_path):
    return small_study(tmp_path / "study")


def plans(checkout, *arguments):
    """The shards that a dry run would compute, as problem/method."""
    status, output = checkout.snakemake("--cores", "1", "-n", "runs", *arguments)
    assert status == 0, output
    lines = [line.split() for line in output.splitlines() if "output: results/runs/" in line]
    return {"/".join(line[1].split("/")[2:5]) for line in lines}


def test_a_later_file_replaces_a_grid_whole(checkout):
    """The base's start, stop and factor do not meet the later file's step."""
    checkout.config["elm"]["lam"] = {"start": 0.25, "stop": 4, "factor": 2}
    checkout.write_config()
    lam = {"start": 0.1, "stop": 0.3, "step": 0.1}
    (checkout.path / "mine.yaml").write_text(yaml.safe_dump({"elm": {"lam": lam}}))
    status, output = checkout.snakemake(
        "--cores", "1", "results/study.json", "--configfile", "mine.yaml"
    )
    assert status == 0, output
    assert '"lam":[0.1,0.2,0.3]' in (checkout.path / "results/study.json").read_text()


def test_selections(checkout):
    only = ("--config", "only_datasets=servo", "only_experiments=elm", "only_methods=relm,elm-rcc")
    assert plans(checkout, *only) == {"elm/servo/relm", "elm/servo/elm-rcc"}
    only = ("--config", "only_experiments=linear", "only_cases=case2", "only_criteria=[mcc]")
    assert plans(checkout, *only) == {"linear/case2/mcc"}


def test_a_selection_leaves_everything_else_on_disk_and_valid(checkout):
    both = ("--config", "only_experiments=elm", "only_methods=relm")
    status, output = checkout.snakemake("--cores", "2", *both)
    assert status == 0, output
    table = pd.read_csv(checkout.path / "results/tables/table3.csv")
    assert table["dataset"].tolist() == ["servo", "slump"]
    page = (checkout.path / "results/report.html").read_text(encoding="utf-8")
    anchors = set(re.findall(r'id="([^"]+)"', page))
    assert {"table3-section", "comparisons"} <= anchors
    assert not {"linear-section", "table1"} & anchors
    assert set(re.findall(r'href="#([^"]+)"', page)) <= anchors
    before = {p: p.stat().st_mtime for p in checkout.path.glob("results/runs/**/*.parquet")}
    status, output = checkout.snakemake("--cores", "2", "runs", "--config", "only_datasets=servo")
    assert status == 0, output
    assert (
        before.items()
        <= {p: p.stat().st_mtime for p in checkout.path.glob("results/runs/**/*.parquet")}.items()
    )


@pytest.mark.parametrize("form", ["$(touch X)/y", "`touch X`", "a; touch X", "a b' || touch X '"])
def test_a_mirror_is_a_text_and_no_command(checkout, form):
    checkout.config["data"]["mirror"] = form
    checkout.write_config()
    status, output = checkout.snakemake("--cores", "1", "data", "-k")
    assert not list(checkout.path.rglob("X"))
    assert status == 0, output  # the bundled copies serve


@pytest.mark.parametrize(
    ("estimator", "parameters", "message"),
    [
        ("os.system", {"command": "touch X"}, "estimator os.system is no class; expected a regr"),
        ("os.getcwd", {}, "estimator os.getcwd is no class; expected a regressor"),
        ("subprocess.Popen", {"args": ["touch", "X"]}, "expected a regressor: a class with fit"),
        (["subprocess.Popen", "sklearn.linear_model.Ridge"], {}, "a class with fit and transform"),
        ("sklearn.linear_model.LogisticRegression", {}, "expected a regressor: a class with fit"),
        ("pathlib.Path", {}, "expected a regressor: a class with fit"),
        ("builtins.eval", {"source": "open('X', 'w')"}, "is no class; expected a regressor"),
    ],
)
def test_a_method_is_a_regressor_and_no_command(checkout, estimator, parameters, message):
    checkout.config["elm"]["methods"]["x"] = {"estimator": estimator, "parameters": parameters}
    checkout.write_config()
    status, output = checkout.snakemake("--cores", "1", "-n")
    assert status != 0
    assert message in output
    assert "Traceback" not in output
    assert not list(checkout.path.rglob("X"))


@pytest.mark.parametrize(
    ("name", "entry"),
    [
        ("a\n", {"sklearn": "diabetes", "target": "target"}),
        ("../a", {"sklearn": "diabetes", "target": "target"}),
        ("a b", {"sklearn": "diabetes", "target": "target"}),
        ("a", {"bundled": "..", "target": "target"}),
        ("a", {"bundled": "../../etc/passwd", "target": "target"}),
    ],
)
def test_names_that_end_in_a_path_fit_a_pattern(checkout, name, entry):
    checkout.config["datasets"][name] = entry
    checkout.write_config()
    status, output = checkout.snakemake("--cores", "1", "-n")
    assert status != 0
    assert "The configuration (config.yaml, --config) is not valid:" in output
    assert "expected a" in output or "expected the" in output


def test_from_another_directory(checkout, tmp_path):
    """Results go there; the config and what the repository ships come from beside the Snakefile."""
    elsewhere = tmp_path / "else where"
    elsewhere.mkdir()
    status, output = checkout.snakemake(
        *("--cores", "2", "-s", checkout.path / "Snakefile", "--directory", elsewhere),
        *("results/tables/table3.csv", "--config", "only_datasets=slump", "only_methods=relm"),
    )
    assert status == 0, output
    assert len(pd.read_csv(elsewhere / "results/tables/table3.csv")) == 1
    assert not (checkout.path / "results").exists()
