"""A copy of the repository in which Snakemake runs a small study."""

import os
import re
import shutil
import subprocess
import sys

import pyarrow.dataset as ds
import yaml
from paths import ROOT

TIMES = ["fit_seconds", "tune_seconds"]


class Checkout:
    """A copy of the repository with a config of its own."""

    def __init__(self, path):
        self.path = path
        path.mkdir()
        for name in ("Snakefile", "config.yaml"):
            shutil.copy(ROOT / name, path / name)
        for name in ("workflow", "profiles", "src", "docs", "data/bundled"):
            shutil.copytree(ROOT / name, path / name, ignore=shutil.ignore_patterns("__pycache__"))
        self.config = yaml.safe_load((path / "config.yaml").read_text())

    @classmethod
    def existing(cls, path):
        """A checkout that is already there."""
        checkout = cls.__new__(cls)
        checkout.path = path
        checkout.config = yaml.safe_load((path / "config.yaml").read_text())
        return checkout

    def write_config(self):
        (self.path / "config.yaml").write_text(yaml.safe_dump(self.config, sort_keys=False))

    def snakemake(self, *arguments, **environment):
        """Run Snakemake; returns its exit status and all it printed."""
        done = subprocess.run(
            [sys.executable, "-m", "snakemake", *map(str, arguments)],
            cwd=self.path,
            env=os.environ | {"PYTHONPATH": str(self.path / "src")} | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=600,
        )
        return done.returncode, done.stdout

    def planned(self):
        """Number of jobs of each rule that a dry run would start."""
        status, output = self.snakemake("--cores", "2", "-n", "--quiet", "rules")
        assert status == 0, output
        if "Nothing to be done" in output:
            return {}
        counts = dict(re.findall(r"^([a-z_-]+)\s+(\d+)$", output, re.MULTILINE))
        total = int(counts.pop("total"))
        found = {rule: int(number) for rule, number in counts.items()}
        assert sum(found.values()) == total
        return found

    def rows(self, study):
        """All rows of a study without their times, in a fixed order."""
        frame = ds.dataset(self.path / "results/runs" / study).to_table().to_pandas()
        keys = ["dataset", "method", "run"] if study == "elm" else ["case", "criterion", "run"]
        keys += ["lam", "sigma"]
        frame = frame.drop(columns=[c for c in TIMES if c in frame])
        return frame.sort_values(keys).reset_index(drop=True)


def small_study(path):
    """Two datasets, two linear cases, small grids, addresses that nobody serves."""
    checkout = Checkout(path)
    config = checkout.config
    config["runs"] = 2
    # A trial judges nothing: its tables need no further runs.
    config["linear"]["claim_runs"] = 0
    config["runs_per_shard"] = 2
    config["datasets"] = {name: config["datasets"][name] for name in ("servo", "slump")}
    for dataset in config["datasets"].values():
        dataset["urls"] = ["http://127.0.0.1:9/a", "http://127.0.0.1:9/b"]
    linear = config["linear"]
    linear["cases"] = {name: linear["cases"][name] for name in ("case2", "case4")}
    linear["criteria"]["mcc"]["sigma"] = [1, 4, 10]
    del linear["criteria"]["mmse-intercept"], linear["criteria"]["mcc-intercept"]
    # Wide enough for the solver's iterative form.
    config["elm"] |= {"n_hidden": [20, 80], "lam": [1.0e-8, 1.0e-5, 0.01]}
    config["elm"]["methods"]["elm-rcc"]["sigma"] = [0.1, 0.5]
    checkout.write_config()
    return checkout
