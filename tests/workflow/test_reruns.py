"""Which jobs a change starts, counted from dry runs on a finished study."""

import re
import shutil

import pytest
from checkout import Checkout, small_study

# What gathers the rows runs again whenever they change.
REPORT = {"all": 1, "study": 1, "tables": 1, "figures": 1, "page": 1, "provenance": 1}


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    checkout = small_study(tmp_path_factory.mktemp("reruns") / "base")
    config = checkout.config
    config["data"]["mirror"] = "data/bundled"
    config["datasets"] = {"servo": config["datasets"]["servo"]}
    config["linear"]["cases"] = {"case2": config["linear"]["cases"]["case2"]}
    config["elm"] |= {"n_hidden": [5], "lam": [0.01]}
    checkout.write_config()
    status, output = checkout.snakemake("--cores", "2")
    assert status == 0, output
    return checkout


@pytest.fixture
def study(finished, tmp_path):
    """A copy of the finished study, with what Snakemake remembers of it."""
    path = tmp_path / "copy"
    shutil.copytree(finished.path, path, copy_function=shutil.copy2)
    return Checkout.existing(path)


def jobs(checkout):
    """Number of jobs of each rule that a dry run would start."""
    status, output = checkout.snakemake("--cores", "2", "-n", "--quiet", "rules")
    assert status == 0, output
    if "Nothing to be done" in output:
        return {}
    counts = dict(re.findall(r"^([a-z_]+)\s+(\d+)$", output, re.MULTILINE))
    total = int(counts.pop("total"))
    found = {rule: int(number) for rule, number in counts.items()}
    assert sum(found.values()) == total
    return found


def replace(checkout, file, old, new):
    path = checkout.path / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_nothing(study):
    assert jobs(study) == {}


def test_new_dataset(study):
    study.config["datasets"]["slump"] = small_study(study.path / "other").config["datasets"][
        "slump"
    ]
    study.write_config()
    assert jobs(study) == REPORT | {"fetch": 1, "normalize": 1, "elm_shard": 3}


def test_new_method(study):
    study.config["elm"]["methods"]["relm-intercept"] = {"criterion": "mmse", "intercept": True}
    study.write_config()
    assert jobs(study) == REPORT | {"elm_shard": 1}


def test_grid_of_one_method(study):
    study.config["elm"]["methods"]["elm-rcc"]["sigma"] = [0.2, 0.7]
    study.write_config()
    assert jobs(study) == REPORT | {"elm_shard": 1}


def test_code_of_the_search(study):
    replace(study, "src/mccvc/search.py", "_ROUNDING = 1e-6", "_ROUNDING = 2e-6")
    assert jobs(study) == REPORT | {"elm_shard": 3}


def test_comments_and_layout_of_code(study):
    replace(study, "src/mccvc/search.py", "_ROUNDING = 1e-6", "_ROUNDING = 1.0e-6  # rounding")
    assert jobs(study) == {}


def test_more_runs(study):
    study.config["runs"] = 4
    study.write_config()
    assert jobs(study) == REPORT | {"elm_shard": 3, "linear_shard": 3, "traces": 1}


def test_style_of_a_figure(study):
    replace(study, "src/mccvc/report/plots.py", "font_scale=1.1", "font_scale=1.2")
    assert jobs(study) == {"all": 1, "figures": 1, "page": 1}


@pytest.mark.parametrize(
    "pattern", ["src/**/*.py", "config.yaml", "data/raw/*", "data/normalized/*"]
)
def test_touched_files(study, pattern):
    for path in study.path.glob(pattern):
        path.touch()
    assert jobs(study) == {}


def test_fresh_clone_with_old_results(study):
    shutil.rmtree(study.path / ".snakemake")
    assert jobs(study) == {}


def test_order_of_keys(study):
    def turned(value):
        return (
            {k: turned(v) for k, v in reversed(value.items())} if isinstance(value, dict) else value
        )

    config = study.config
    study.config = dict(reversed(config.items()))
    for section in ("linear", "elm"):
        study.config[section] = dict(reversed(config[section].items()))
    study.config["datasets"] = {k: turned(v) for k, v in config["datasets"].items()}
    study.config["elm"]["methods"] = {k: turned(v) for k, v in config["elm"]["methods"].items()}
    study.write_config()
    assert jobs(study) == {}
