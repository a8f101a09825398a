"""What can go wrong on the way to the rows, done to a small study on purpose."""

import os
import signal
import subprocess
import sys
import time

import pandas as pd
import pytest
from checkout import small_study

# Run by every Python of the checkout before anything else; acts in ELM jobs only.
SABOTAGE = """
import os, sys
if {{"run", "elm"}} < set(sys.orig_argv) and os.path.exists("sabotage"):
    import pyarrow.parquet as pq
    whole = pq.write_table
    def write_table(table, where):
        whole(table, where)
        os.truncate(where, os.path.getsize(where) // 2)
        {act}
    pq.write_table = write_table
"""
SHARD = "results/runs/elm/servo/relm/0000-0001.parquet"


def tiny_study(path):
    checkout = small_study(path)
    checkout.config["datasets"] = {"servo": checkout.config["datasets"]["servo"]}
    linear = checkout.config["linear"]
    linear["cases"] = {"case2": linear["cases"]["case2"]}
    linear["criteria"] = {"mmse": linear["criteria"]["mmse"]}
    checkout.config["elm"]["methods"] = {
        name: checkout.config["elm"]["methods"][name] for name in ("relm", "elm-rcc")
    }
    checkout.write_config()
    return checkout


def runs(checkout, *arguments, **environment):
    return checkout.snakemake("--cores", "2", *arguments, "runs", **environment)


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """Rows of an undisturbed study."""
    checkout = tiny_study(tmp_path_factory.mktemp("faults") / "undisturbed")
    status, output = runs(checkout)
    assert status == 0, output
    return checkout.rows("elm")


@pytest.fixture
def checkout(tmp_path):
    return tiny_study(tmp_path / "study")


def sabotage(checkout, act):
    (checkout.path / "src/sitecustomize.py").write_text(SABOTAGE.format(act=act))
    (checkout.path / "sabotage").touch()


def assert_same_rows(checkout, expected):
    pd.testing.assert_frame_equal(checkout.rows("elm"), expected)
    whole = {path.name for path in checkout.path.glob("results/runs/elm/servo/*/*")}
    assert whole == {"0000-0001.parquet"}


@pytest.mark.parametrize(
    ("act", "message"),
    [
        ("os.kill(os.getpid(), 9)", "Error in rule elm_shard"),
        ("raise OSError(28, 'No space left on device')", "mccvc: error: [Errno 28] No space left"),
        ("raise MemoryError('Unable to allocate')", "out of memory (Unable to allocate)"),
    ],
    ids=["killed", "disk full", "out of memory"],
)
def test_job_that_dies_while_writing_leaves_no_shard(checkout, expected, act, message):
    """The same command then finishes with the same rows."""
    sabotage(checkout, act)
    status, output = runs(checkout, "--keep-going")
    assert status != 0
    assert message in output
    assert not list(checkout.path.glob("results/runs/elm/servo/*/*.parquet"))
    (checkout.path / "sabotage").unlink()
    status, output = runs(checkout)
    assert status == 0, output
    assert_same_rows(checkout, expected)


def interrupted(checkout, number):
    """Start the study and send its processes a signal once fits have begun."""
    started = subprocess.Popen(
        [sys.executable, "-m", "snakemake", "--cores", "2", "runs"],
        cwd=checkout.path,
        env=os.environ | {"PYTHONPATH": str(checkout.path / "src")},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    deadline = time.monotonic() + 120
    while not (checkout.path / "results/logs/elm/servo").exists():
        assert time.monotonic() < deadline
        time.sleep(0.02)
    os.killpg(started.pid, number)
    started.wait()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_after_an_interruption_the_same_command_goes_on(checkout, expected, number):
    interrupted(checkout, number)
    status, output = runs(checkout)
    assert status == 0, output
    assert_same_rows(checkout, expected)


def test_killed_snakemake_leaves_only_its_lock(checkout, expected):
    """It says how to lift it; afterwards the same command goes on."""
    interrupted(checkout, signal.SIGKILL)
    status, output = runs(checkout)
    assert status != 0
    assert "--unlock" in output
    assert checkout.snakemake("--unlock")[0] == 0
    status, output = runs(checkout)
    assert status == 0, output
    assert_same_rows(checkout, expected)


NEVER = """
from sklearn.base import BaseEstimator, RegressorMixin


class Never(RegressorMixin, BaseEstimator):
    def fit(self, X, y):
        raise RuntimeError("never fits")

    def predict(self, X):
        return X[:, 0]
"""


def test_method_whose_every_run_fails_ends_the_study_with_one_line(tmp_path):
    """Tables and page are there all the same, with the failures."""
    checkout = small_study(tmp_path / "study")
    del checkout.config["datasets"]["slump"], checkout.config["elm"]["methods"]["elm-mcc-vc"]
    checkout.config["elm"]["methods"]["never"] = {"estimator": "nevers.Never"}
    checkout.write_config()
    (checkout.path / "nevers.py").write_text(NEVER)
    for _ in range(2):  # what is there does not hide it
        status, output = checkout.snakemake("--cores", "2")
        assert status != 0
        said = [line for line in output.splitlines() if line.startswith("mccvc: error")]
        assert said == [
            "mccvc: error: no run of elm/servo/never succeeded (RuntimeError: never fits);"
            " all failures: results/tables/failures.csv"
        ]
        assert not (checkout.path / "results/partial").exists()
    third = pd.read_csv(checkout.path / "results/tables/table3.csv").set_index("method")
    assert third["n_runs"].to_dict() == {"relm": 2, "elm-rcc": 2, "never": 0}
    assert len(pd.read_csv(checkout.path / "results/tables/failures.csv")) == 2
    assert "never fits" in (checkout.path / "results/report.html").read_text()


def test_damaged_shard_is_named_and_recomputed_when_deleted(checkout, expected):
    assert runs(checkout)[0] == 0
    shard = checkout.path / SHARD
    os.truncate(shard, shard.stat().st_size // 2)
    status, output = checkout.snakemake("--cores", "2", "results/tables/table3.csv")
    assert status != 0
    assert f"{SHARD}: not readable" in output
    assert "delete it to recompute" in output
    shard.unlink()
    status, output = checkout.snakemake("--cores", "2", "results/tables/table3.csv")
    assert status == 0, output
    assert_same_rows(checkout, expected)


def test_second_snakemake_is_turned_away(checkout, expected):
    """Of two at once, one works and the other says that the directory is locked."""
    command = [sys.executable, "-m", "snakemake", "--cores", "1", "runs"]
    environment = os.environ | {"PYTHONPATH": str(checkout.path / "src")}
    both = [
        subprocess.Popen(
            command,
            cwd=checkout.path,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for _ in range(2)
    ]
    printed = [process.communicate(timeout=300)[0] for process in both]
    codes = [process.returncode for process in both]
    assert sorted(codes) == [0, 1], printed
    assert "cannot be locked" in printed[codes.index(1)]
    assert_same_rows(checkout, expected)


def test_results_that_cannot_be_written_are_named(checkout):
    """A file stands where the directory of results should be."""
    (checkout.path / "results").write_text("")
    status, output = runs(checkout)
    assert status != 0
    assert "results" in output
    assert "Not a directory" in output or "File exists" in output


def test_copied_results_of_other_code_are_refused(checkout, tmp_path):
    """Old shards in a fresh clone look up to date to Snakemake; the reader checks their digests."""
    assert runs(checkout)[0] == 0
    clone = tiny_study(tmp_path / "clone")
    for part in ("data", "results"):
        subprocess.run(["cp", "-a", "-T", checkout.path / part, clone.path / part], check=True)
    module = clone.path / "src/mccvc/solvers/held_out.py"
    module.write_text(module.read_text().replace("_ROUNDING = 1e-5", "_ROUNDING = 2e-6"))
    status, output = clone.snakemake("--cores", "2", "results/tables/table3.csv")
    assert status != 0
    assert ": code_digest is [" in output


def test_unreachable_dataset_does_not_stop_the_others(checkout):
    """The tables of what is there name what is missing."""
    checkout.config["datasets"]["gone"] = {"urls": ["http://127.0.0.1:9/gone.csv"], "target": "y"}
    checkout.write_config()
    status, output = checkout.snakemake("--cores", "2", "--keep-going")
    assert status != 0
    assert "dataset gone: not to be had: http://127.0.0.1:9/gone.csv" in output
    assert "results/partial" in output
    tables = checkout.path / "results/partial"
    third = pd.read_csv(tables / "table3.csv").set_index(["dataset", "method"])
    assert third["n_runs"].to_dict() == {
        ("servo", "relm"): 2,
        ("servo", "elm-rcc"): 2,
        ("gone", "relm"): 0,
        ("gone", "elm-rcc"): 0,
    }
    missing = pd.read_csv(tables / "missing.csv")["missing"].tolist()
    assert missing == [f"results/runs/elm/gone/{m}/0000-0001.parquet" for m in ("relm", "elm-rcc")]
    assert "no run" in (tables / "table3.md").read_text()
    assert not (checkout.path / "results/tables/table3.csv").exists()
