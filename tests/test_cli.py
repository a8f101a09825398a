"""The commands behind the rules, one after another on a small study, in this process."""

import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from paths import ROOT

from mccvc.cli import main
from mccvc.study.config import Study
from mccvc.study.elm import elm_rows
from mccvc.study.experiments import EXPERIMENTS

SCHEMA = ROOT / "workflow/schemas/config.schema.yaml"


@pytest.fixture(scope="module")
def study():
    config = yaml.safe_load((ROOT / "config.yaml").read_text())
    config |= {"runs": 2, "runs_per_shard": 2}
    config["linear"] |= {"claim_runs": 0}
    config["datasets"] = {name: config["datasets"][name] for name in ("slump",)}
    linear = config["linear"]
    linear["cases"] = {"case2": linear["cases"]["case2"]}
    linear["criteria"]["mcc"]["sigma"] = [1, 10]
    linear["criteria"]["mcc-intercept"]["sigma"] = [1, 10]
    config["elm"] |= {"n_hidden": [10], "lam": [1.0e-5, 0.01]}
    return Study(config, SCHEMA)


def run(*arguments):
    assert main([str(argument) for argument in arguments]) == 0


@pytest.mark.slow
def test_commands_from_download_to_page(study, tmp_path, capsys):
    raw, table = tmp_path / "raw/slump.data", tmp_path / "data/slump.parquet"
    spec = study.dataset_spec("slump").json()
    bundled = ROOT / "data/bundled"
    run(
        "job",
        "fetch",
        "--name",
        "slump",
        "--spec",
        spec,
        "--bundled",
        bundled,
        "--mirror",
        bundled,
        "--out",
        raw,
    )
    assert "slump: mirror file://" in capsys.readouterr().err
    run("job", "normalize", "--name", "slump", "--spec", spec, "--raw", raw, "--out", table)
    runs = tmp_path / "runs"
    for path, spec in study.resolved.shards(runs):
        experiment, method = Path(path).parts[-4], Path(path).parts[-2]
        given = ("--table", table) if experiment == "elm" else ()
        code = study.resolved[experiment].code[method]
        run(
            *("job", "run", "--experiment", experiment, "--spec", spec.json(), "--code", code),
            *("--block", Path(path).stem, "--out", path, *given),
        )
    resolved = tmp_path / "study.json"
    resolved.write_text(study.resolved.json())
    out = tmp_path / "provenance.json"
    run("job", "provenance", "--study", resolved, "--runs", runs, "--out", out)
    provenance = json.loads(out.read_text())
    assert [plan["name"] for plan in provenance["study"]["experiments"]] == ["linear", "elm"]
    assert sum(e["shards"] for e in provenance["environments"]) == 8
    environment = provenance["environments"][0]["environment"]
    assert environment["versions"].keys() == {"python", "mccvc", "numpy", "scipy", "pyarrow"}
    assert environment["blas"][0]["num_threads"] == 1
    assert provenance["started"] <= provenance["ended"]
    assert 50 < provenance["peak_memory_mb"]["value"] < 5000

    capsys.readouterr()
    sql = "select method, count(*) n, avg(test_rmse) e from elm group by method order by e"
    run("query", "--runs", runs, sql)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["method", "n", "e"]
    assert len(lines) == 4
    run("query", "--runs", runs, "select count(distinct run) from linear")
    assert capsys.readouterr().out.splitlines()[1].strip() == "2"
    assert main(["query", "--runs", str(runs), "select nothing from elm"]) == 1
    assert "mccvc: error: query: " in capsys.readouterr().err
    assert main(["query", "--runs", str(tmp_path / "none"), "select 1"]) == 1
    assert "no shards there" in capsys.readouterr().err

    config = tmp_path / "config.yaml"
    config.write_text(yaml.safe_dump(study.config | {"runs": 4}))
    run("status", "--config", config, "--schema", SCHEMA, "--runs", runs)
    lines = capsys.readouterr().out.splitlines()
    assert "elm/slump/relm 1 of 2 shards" in [" ".join(line.split()) for line in lines]
    assert lines[-1].startswith("8 of 16 shards done; about 0.00 core hours left")
    config.write_text(yaml.safe_dump(study.config | {"seed": 1}))
    run("status", "--config", config, "--schema", SCHEMA, "--runs", runs)
    assert "0 of 8 shards done" in capsys.readouterr().out.splitlines()[-1]
    tables, traces, figures = (tmp_path / name for name in ("tables", "traces", "figures"))
    given = ("--study", resolved)
    run("job", "tables", *given, "--runs", runs, "--data", table.parent, "--out", tables)
    run("job", "traces", *given, "--runs", runs, "--out", traces)
    rows = ("--runs", runs, "--traces", traces)
    run("job", "evidence", *given, *rows, "--tables", tables, "--out", tables)
    run("job", "linear-figures", *given, "--traces", traces, "--out", figures)
    run("job", "elm-figures", *given, "--runs", runs, "--out", figures)
    run("job", "comparison-figures", *given, "--tables", tables, "--out", figures)
    page = tmp_path / "report.html"
    run(
        *("job", "page", *given, "--tables", tables, "--figures", figures, "--data", table.parent),
        *("--provenance", out, "--protocol", ROOT / "docs/protocol.md", "--out", page),
    )
    assert page.read_text().count("<img") == 8
    run("power", *given, "--runs", runs, "--difference", "0.01")
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("| Data | Comparison | Spread | Runs needed |")
    assert any(line.startswith("| Slump | ELM-MCC-VC − RELM |") for line in lines)
    arguments = ["power", "--study", str(resolved), "--runs", str(runs), "--difference", "0"]
    assert main(arguments) == 1
    assert "difference 0; expected a number > 0" in capsys.readouterr().err
    convergence = pd.read_parquet(traces / "convergence.parquet")
    last = (
        convergence.groupby(["criterion", "run"])["weight_rmse"].last().groupby("criterion").mean()
    )
    table1 = pd.read_csv(tables / "table1.csv").set_index("criterion")["rmse_mean"]
    for criterion in ("mcc", "mcc-vc", "mcc-intercept"):
        assert last[criterion] == pytest.approx(table1[criterion], rel=1e-9)
    errors = pd.read_parquet(traces / "errors.parquet")
    assert errors.groupby("iteration").size().to_dict() == {1: 400, 2: 400}
    assert json.loads(table.with_suffix(".json").read_text())["rows"] == 103


def test_cite_prints_bibtex_of_software_paper_and_datasets(capsys):
    run("cite", "--config", ROOT / "config.yaml", "--citation", ROOT / "CITATION.cff")
    text = capsys.readouterr().out
    keys = re.findall(r"^@\w+\{([^,]+),$", text, re.MULTILINE)
    datasets = yaml.safe_load((ROOT / "config.yaml").read_text())["datasets"]
    assert keys == ["mccvc", "chen2019maximum", *datasets]
    assert "author = {Chen, Badong and Wang, Xin and Li, Yingsong and Principe, Jose C.}" in text
    assert "  doi = {10.24432/C5Q30F}," in text
    assert text.count("{") == text.count("}")


def test_error_is_one_line_and_an_exit_status(study, tmp_path, capsys):
    spec = study.dataset_spec("slump").json()
    arguments = [
        "job",
        "normalize",
        "--name",
        "slump",
        "--spec",
        spec,
        "--raw",
        str(tmp_path / "no.data"),
    ]
    assert main([*arguments, "--out", str(tmp_path / "out.parquet")]) == 1
    message = capsys.readouterr().err
    assert message.startswith("mccvc: error: dataset slump:")
    assert len(message.splitlines()) == 1


def test_fit_job_imports_no_slow_library(tmp_path):
    """What a job of the ELM study loads to read its data and write its rows, in a fresh process."""
    table, shard = tmp_path / "table.parquet", tmp_path / "shard.parquet"
    pq.write_table(pa.table({"x": [0.1, 0.2], "y": [1.0, 0.0]}), table)
    program = f"""
import sys, mccvc.cli, mccvc.study.digests, mccvc.study.linear
from mccvc.study.elm import ELM
from mccvc.study.shards import read_normalized, write_shard
inputs, target = read_normalized({str(table)!r})
assert inputs.tolist() == [[0.1], [0.2]] and target.tolist() == [1.0, 0.0]
row = {{"study": "elm", "dataset": "a", "method": "b", "run": 0, "lam": inputs[0, 0]}}
write_shard({str(shard)!r}, ELM, [row], "config", "code")
print([m for m in ('pandas', 'seaborn', 'matplotlib', 'sklearn') if m in sys.modules])"""
    printed = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    ).stdout
    assert printed.strip() == "[]"
    assert pq.read_table(shard)["lam"].to_pylist() == [0.1]


@pytest.mark.parametrize(
    ("outcome", "message"),
    [
        (lambda row: 1 / 0, "ZeroDivisionError: division by zero"),
        (lambda row: row | {"test_rmse": float("nan")}, "ArithmeticError: test_rmse is nan"),
    ],
)
def test_run_that_fails_is_a_row_with_its_error(
    study, tmp_path, monkeypatch, capsys, outcome, message
):
    """The other runs of the shard are kept."""

    def rows_of(spec, run, data):
        rows = elm_rows(spec, run, data)
        return [outcome(row) for row in rows] if run == 1 else rows

    monkeypatch.setitem(EXPERIMENTS, "elm", replace(EXPERIMENTS["elm"], rows=rows_of))
    spec, bundled = study.dataset_spec("slump").json(), ROOT / "data/bundled"
    raw, table, shard = (tmp_path / name for name in ("raw", "table.parquet", "shard.parquet"))
    arguments = ("--name", "slump", "--spec", spec)
    run("job", "fetch", *arguments, "--bundled", bundled, "--mirror", bundled, "--out", raw)
    run("job", "normalize", *arguments, "--raw", raw, "--out", table)
    spec = study.elm_spec("slump", "relm").json()
    arguments = ("--experiment", "elm", "--spec", spec, "--code", "c", "--block", "0000-0002")
    arguments = (*arguments, "--table", table)
    run("job", "run", *arguments, "--out", shard)
    assert f"run 1 failed: {message}" in capsys.readouterr().err
    rows = pd.read_parquet(shard)
    assert rows["error"].isna().tolist() == [True, False, True]
    assert rows["error"][1] == message
    assert rows["test_rmse"].notna().tolist() == [True, False, True]


def test_a_command_without_its_library_names_the_extra(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "duckdb", None)
    monkeypatch.delitem(sys.modules, "mccvc.tools.query", raising=False)
    assert main(["query", "select 1"]) == 1
    expected = "query needs duckdb, which is not installed: pip install 'mccvc[study]'"
    assert capsys.readouterr().err == f"mccvc: error: {expected}\n"
