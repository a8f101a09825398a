"""Submission through the Slurm profile, on the Slurm that tests/slurm/start brings up."""

import shutil
import subprocess
import threading
import time

import pandas as pd
import pytest
from checkout import small_study

OPTIONS = [
    *("--profile", "workflow/profiles/slurm", "--jobs", "4", "--latency-wait", "5"),
    *("--default-resources", "slurm_partition=test", "mem_mb=200", "runtime=5"),
    *("--slurm-no-account", "--slurm-status-command", "squeue"),
    *("--slurm-init-seconds-before-status-checks", "2", "--seconds-between-status-checks", "2"),
]


def slurm_is_up():
    if shutil.which("sinfo") is None:
        return False
    state = subprocess.run(["sinfo", "-h", "-o", "%T"], capture_output=True, text=True)
    return state.returncode == 0 and state.stdout.strip() in ("idle", "mixed", "allocated")


pytestmark = [
    pytest.mark.slurm,
    pytest.mark.skipif(not slurm_is_up(), reason="no Slurm; tests/slurm/start starts one"),
]


def cancel_one(cancelled):
    """Cancel the first job that has run for a moment; its number goes to `cancelled`."""
    deadline = time.monotonic() + 240
    while time.monotonic() < deadline and not cancelled:
        listed = ["squeue", "-h", "-t", "RUNNING", "-o", "%i %M %k"]
        for line in subprocess.run(listed, capture_output=True, text=True).stdout.splitlines():
            number, elapsed, comment = line.split(maxsplit=2)
            if "elm_shard" in comment and elapsed != "0:00":
                subprocess.run(["scancel", number], check=True)
                cancelled.append(number)
                break
        time.sleep(0.2)


def test_slurm_without_accounts_is_told_in_one_line(tmp_path):
    """With the default status command no job would ever be seen to end."""
    checkout = small_study(tmp_path / "study")
    profile = ("--profile", "workflow/profiles/slurm")
    status, output = checkout.snakemake(*profile, "runs", "--config", "only_experiments=linear")
    assert status != 0
    assert "sacct does not answer: this Slurm keeps no accounts. Add --slurm-no-account" in output
    assert not (checkout.path / "results/runs").exists()


def test_rows_are_those_of_a_local_run_though_a_job_was_killed(tmp_path):
    """A cancelled job is submitted again, and the study ends as if nothing had happened."""
    here, there = small_study(tmp_path / "here"), small_study(tmp_path / "there")
    for checkout in (here, there):
        checkout.config["datasets"] = {"servo": checkout.config["datasets"]["servo"]}
        checkout.config["elm"]["n_hidden"] = [20, 80, 150, 200, 250, 300]
        checkout.write_config()
    status, output = here.snakemake("--cores", "2", "runs")
    assert status == 0, output

    cancelled = []
    killer = threading.Thread(target=cancel_one, args=(cancelled,))
    killer.start()
    status, output = there.snakemake(*OPTIONS, "runs")
    killer.join()
    assert status == 0, output
    assert len(cancelled) == 1
    assert "Trying to restart job" in output
    submitted = output.count("has been submitted with SLURM jobid")
    # Six linear shards in one group, three ELM shards, and the cancelled one again.
    assert submitted == 5, output
    for study in ("elm", "linear"):
        pd.testing.assert_frame_equal(there.rows(study), here.rows(study))
