"""The workflow end to end on a small study, in a copy of the repository."""

import base64
import json
import os
import re
import subprocess
import sys
import zipfile

import pandas as pd
import pytest
from checkout import small_study


def test_all_files_of_the_contract_appear(finished):
    results = finished.path / "results"
    for group, methods in (
        ("elm/servo", ("relm", "elm-rcc", "elm-mcc-vc")),
        ("elm/slump", ("relm", "elm-rcc", "elm-mcc-vc")),
        ("linear/case2", ("mmse", "mcc", "mcc-vc")),
        ("linear/case4", ("mmse", "mcc", "mcc-vc")),
    ):
        for method in methods:
            assert (results / "runs" / group / method / "0000-0001.parquet").is_file()
    for table in ("table1", "table2", "table3"):
        for suffix in ("csv", "md", "tex"):
            assert (results / f"tables/{table}.{suffix}").stat().st_size > 100
    figures = {path.name.partition(".")[0] for path in (results / "figures").glob("*.png")}
    assert len(figures) == 9
    for name in figures:
        for suffix in ("png", "pdf"):
            assert (results / f"figures/{name}.{suffix}").stat().st_size > 100
        # Of two runs nothing is ranked: that file has its columns alone.
        assert (results / f"figures/{name}.csv").stat().st_size > 30
    for table in ("comparisons", "across_datasets", "claims"):
        for suffix in ("csv", "md", "tex"):
            assert (results / f"tables/{table}.{suffix}").stat().st_size > 100


def test_tables_hold_the_means_of_the_rows(finished):
    rows = finished.rows("elm")
    table = pd.read_csv(finished.path / "results/tables/table3.csv")
    assert len(table) == 6
    for line in table.itertuples():
        part = rows[(rows["dataset"] == line.dataset) & (rows["method"] == line.method)]
        assert line.n_runs == 2
        assert line.test_rmse_mean == pytest.approx(part["test_rmse"].mean(), rel=1e-12)
        assert line.train_rmse_std == pytest.approx(part["train_rmse"].std(), rel=1e-12)
    rows = finished.rows("linear")
    table = pd.read_csv(finished.path / "results/tables/table1.csv")
    for line in table.itertuples():
        part = rows[(rows["case"] == line.case) & (rows["criterion"] == line.criterion)]
        grid = ["lam", "sigma"] if line.criterion == "mcc" else ["lam"]
        means = part.groupby(grid)["weight_rmse"].mean()
        assert line.rmse_mean == pytest.approx(means.min(), rel=1e-12)


def test_every_published_figure_is_listed(finished):
    comparison = pd.read_csv(finished.path / "results/tables/published_vs_reproduced.csv")
    counts = comparison.groupby(["table", "metric"]).size().to_dict()
    assert counts[("table1", "rmse")] == 12
    assert counts[("table3", "train_rmse")] == counts[("table3", "test_rmse")] == 21
    reproduced = comparison.dropna(subset=["reproduced_mean", "z"])
    assert set(reproduced["row"]) == {"case2", "case4", "servo", "slump"}
    # Two runs judge nothing.
    assert reproduced["agrees"].isna().all()


def test_bundled_copies_serve_without_network_and_say_so(finished):
    for name in ("servo", "slump"):
        warning = rf"mccvc: warning: dataset {name}: using the bundled copy .*127\.0\.0\.1:9/a"
        assert re.search(warning, finished.output)
        text = (finished.path / f"data/normalized/{name}.json").read_text()
        assert json.loads(text)["source"] == "bundled"


def test_report_is_one_self_contained_page(finished):
    text = (finished.path / "results/report.html").read_text()
    assert "src=" in text
    assert not re.search(r'(src|href|srcset)="(?!data:|#|https://doi)', text)
    images = re.findall(r"data:image/png;base64,([A-Za-z0-9+/=]+)", text)
    assert len(images) == 9
    assert all(base64.b64decode(image).startswith(b"\x89PNG") for image in images)


def test_fonts_of_figures_are_embedded_and_widths_those_of_a_page(finished):
    for path in (finished.path / "results/figures").glob("*.pdf"):
        content = path.read_bytes()
        assert b"/FontFile" in content
        width = float(re.search(rb"/MediaBox \[ ?0 0 ([\d.]+)", content)[1])
        assert width == pytest.approx(7.16 * 72, abs=1)


def test_report_of_snakemake_holds_captions_and_categories(finished, tmp_path):
    """Its page takes its libraries from the network; the test gives it empty ones."""
    (tmp_path / "sitecustomize.py").write_text(
        "import requests\n"
        "class Empty:\n"
        "    text, content = '', b''\n"
        "    def raise_for_status(self):\n"
        "        pass\n"
        "requests.get = lambda *args, **kwargs: Empty()\n"
    )
    archive = tmp_path / "report.zip"
    status, output = finished.snakemake(
        "--report", str(archive), PYTHONPATH=f"{finished.path / 'src'}:{tmp_path}"
    )
    assert status == 0, output
    with zipfile.ZipFile(archive) as report:
        names = {name.rpartition("/")[2] for name in report.namelist()}
        page = report.read("report/report.html").decode()
    assert {"claims.csv", "table3.csv", "test_rmse.png", "dataset_servo.png"} <= names
    assert "Average ranks, 1 is best; methods joined by a bar" in page
    for category in ("Figures", "Tables", "Report"):
        assert category in page


def test_second_run_has_nothing_to_do_even_after_touching_the_code(finished):
    status, output = finished.snakemake("--cores", "1")
    assert status == 0
    assert "Nothing to be done" in output
    for path in [finished.path / "Snakefile", *finished.path.glob("src/**/*.*")]:
        path.touch()
    for path in finished.path.glob("workflow/**/*.*"):
        path.touch()
    status, output = finished.snakemake("--cores", "1")
    assert status == 0
    assert "Nothing to be done" in output


def test_rows_do_not_depend_on_cores_shards_or_threads(finished, tmp_path):
    other = small_study(tmp_path / "b")
    other.config["datasets"] = dict(reversed(other.config["datasets"].items()))
    other.write_config()
    status, output = other.snakemake(
        *("--cores", "2", "--config", "runs_per_shard=1", "--until", "elm_shard", "linear_shard"),
        OMP_NUM_THREADS="2",
        OPENBLAS_NUM_THREADS="2",
    )
    assert status == 0, output
    assert len(list((other.path / "results/runs").rglob("*.parquet"))) == 24
    for study in ("linear", "elm"):
        pd.testing.assert_frame_equal(other.rows(study), finished.rows(study), check_exact=True)


def test_invalid_config_is_one_clear_error_before_any_job(tmp_path):
    checkout = small_study(tmp_path / "c")
    checkout.config["elm"]["n_hiden"] = [5]
    checkout.write_config()
    status, output = checkout.snakemake("-n", "--config", "runs=0")
    assert status != 0
    assert "elm: unknown key n_hiden (value [5]); did you mean n_hidden?" in output
    assert "runs: value 0; expected a whole number from 1 to 9999" in output
    assert "Traceback" not in output
    assert "Job stats" not in output


def test_failing_job_names_the_file_and_leaves_the_rest(tmp_path):
    checkout = small_study(tmp_path / "d")
    checkout.config["datasets"]["servo"]["digest"] = "sha256:" + "0" * 64
    checkout.write_config()
    status, output = checkout.snakemake("--cores", "1", "--keep-going", "--", "data")
    assert status != 0
    assert (
        "mccvc: error: dataset servo: bundled copy data/bundled/servo.data: values have digest"
        in output
    )
    assert (checkout.path / "data/normalized/slump.parquet").is_file()
    assert not (checkout.path / "data/raw/servo.data").exists()
    assert "results/partial" not in output


def test_large_study_is_planned_in_a_minute_and_two_gigabytes(tmp_path):
    """Fifty datasets, twenty methods, a thousand runs."""
    checkout = small_study(tmp_path / "large")
    dataset = checkout.config["datasets"]["servo"]
    method = checkout.config["elm"]["methods"]["relm"]
    checkout.config["datasets"] = {f"d{i}": dataset for i in range(50)}
    checkout.config["elm"]["methods"] = {f"m{i}": method for i in range(20)}
    checkout.config |= {"runs": 1000, "runs_per_shard": 250}
    checkout.write_config()
    program = (
        "import resource, runpy, sys\n"
        "resource.setrlimit(resource.RLIMIT_DATA, (2 * 10**9, 2 * 10**9))\n"
        "sys.argv = ['snakemake', '-n', '--quiet', 'rules', '--cores', '2']\n"
        "runpy.run_module('snakemake', run_name='__main__')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=checkout.path,
        env=os.environ | {"PYTHONPATH": str(checkout.path / "src")},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert re.search(r"elm_shard\s+4000", done.stdout + done.stderr)
