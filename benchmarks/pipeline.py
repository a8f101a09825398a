"""What the workflow costs beside the fits: cores times wall time over the seconds in fits."""

import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pyarrow.parquet as pq

from benchmarks.data import ROOT
from benchmarks.floor import study_floor

CORES, RUNS = 2, 10
PARTS = ("Snakefile", "workflow", "config.yaml", "src", "docs", "data/bundled")


def run(repeats):
    """One row: a fresh study of 10 runs on 2 cores, with tables, figures and report."""
    with tempfile.TemporaryDirectory() as directory:
        for part in PARTS:
            source, copy = ROOT / part, Path(directory, part)
            copy.parent.mkdir(parents=True, exist_ok=True)
            (shutil.copytree if source.is_dir() else shutil.copy)(source, copy)
        config = Path(directory, "config.yaml")
        text = config.read_text(encoding="utf-8")
        config.write_text(text.replace("mirror: null", "mirror: data/bundled"), encoding="utf-8")
        command = [sys.executable, "-m", "snakemake", "--cores", str(CORES)]
        command += ["--config", f"runs={RUNS}"]
        started = time.perf_counter()
        subprocess.run(command, cwd=directory, check=True, capture_output=True)
        wall = time.perf_counter() - started
        return [summary("pipeline", Path(directory, "results"), wall, CORES)]


def summary(item, results, wall, cores):
    """A row on a finished study: wall time, seconds in fits and searches, and their floor."""
    runs = Path(results, "runs")
    elm = pq.read_table(runs / "elm", partitioning=None)
    linear = pq.read_table(runs / "linear", partitioning=None)
    seconds = (elm["fit_seconds"], elm["tune_seconds"], linear["fit_seconds"])
    # Null for grid points that are fitted together.
    fits = sum(second for column in seconds for second in column.drop_null().to_pylist())
    floor = study_floor(elm.to_pylist())
    searches = sum(elm["tune_seconds"].to_pylist())
    return {
        "item": item,
        "case": f"{len(set(elm['run'].to_pylist()))} runs, {cores} cores",
        "ours_seconds": wall,
        "fit_seconds": fits,
        "ratio": wall * cores / fits,
        "floor_seconds": floor,
        "search_over_floor": searches / floor,
    }
