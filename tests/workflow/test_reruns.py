"""Which jobs a change starts, counted from dry runs on a finished study."""

import re
import shutil
import time

import pytest
from checkout import ROOT, Checkout, small_study

# What gathers the rows runs again whenever they change.
DRAWN = ("all", "linear_figures", "elm_figures", "comparison_figures", "page", "complete")
REPORT = dict.fromkeys((*DRAWN, "study", "tables", "evidence", "provenance"), 1)


OWN_MODEL = """
import numpy as np
from helpers import level
from sklearn.base import BaseEstimator, RegressorMixin


class Mean(RegressorMixin, BaseEstimator):
    def fit(self, X, y):
        self.level_ = level(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.level_)
"""


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    checkout = small_study(tmp_path_factory.mktemp("reruns") / "base")
    config = checkout.config
    config["data"]["mirror"] = "data/bundled"
    config["datasets"] = {"servo": config["datasets"]["servo"]}
    config["linear"]["cases"] = {"case2": config["linear"]["cases"]["case2"]}
    config["elm"] |= {"n_hidden": [5], "lam": [0.01]}
    config["elm"]["methods"] |= {
        "elm-huber": {"criterion": "huber"},
        "elm-lad": {"criterion": "lad"},
        "ridge": {"estimator": "sklearn.linear_model.Ridge"},
    }
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


def replace(checkout, file, old, new):
    path = checkout.path / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_nothing(study):
    assert study.planned() == {}


def test_new_dataset(study):
    study.config["datasets"]["slump"] = small_study(study.path / "other").config["datasets"][
        "slump"
    ]
    study.write_config()
    assert study.planned() == REPORT | {"fetch": 1, "normalize": 1, "elm_shard": 6}


def test_new_method(study):
    study.config["elm"]["methods"]["relm-intercept"] = {"criterion": "mmse", "intercept": True}
    study.write_config()
    assert study.planned() == REPORT | {"elm_shard": 1}


def test_grid_of_one_method(study):
    study.config["elm"]["methods"]["elm-rcc"]["sigma"] = [0.2, 0.7]
    study.write_config()
    assert study.planned() == REPORT | {"elm_shard": 1}


def test_printed_figures_are_drawn_beside_ours(study):
    file = "src/mccvc/report/published.csv"
    last = (study.path / file).read_text().splitlines()[-1]
    replace(study, file, last, f"{last}1")
    planned = study.planned()
    assert planned["tables"] == planned["elm_figures"] == 1
    assert "elm_shard" not in planned


def test_code_of_the_search(study):
    """All methods but the regressor, which has a search of its own."""
    replace(study, "src/mccvc/solvers/held_out.py", "_ROUNDING = 1e-5", "_ROUNDING = 2e-6")
    assert study.planned() == REPORT | {"elm_shard": 5}


@pytest.mark.parametrize(
    ("module", "old", "new", "linear", "elm"),
    [
        ("width_center", "_FEW_CENTERS = 16", "_FEW_CENTERS = 17", 1, 1),
        ("criteria/m_estimators", "1.345 /", "1.4 /", 0, 1),
        ("criteria/base", "SMALLEST_SHARE = 1e-6", "SMALLEST_SHARE = 1e-7", 0, 2),
        ("study/regressors", "dict.fromkeys(random, seed)", "dict.fromkeys(random, 1)", 0, 1),
        ("solvers/conjugate_gradients", "_TOLERANCE = 1e-9", "_TOLERANCE = 1e-10", 3, 5),
    ],
)
def test_code_of_one_method(study, module, old, new, linear, elm):
    """(18) belongs to MCC-VC alone, a further criterion to its own methods."""
    replace(study, f"src/mccvc/{module}.py", old, new)
    shards = {"linear_shard": linear, "traces": 1} if linear else {}
    assert study.planned() == REPORT | shards | {"elm_shard": elm}


@pytest.mark.parametrize("file", ["mymodels.py", "helpers.py"])
def test_code_of_a_users_own_method(study, file):
    """Its module and what that imports; nobody else's."""
    study.config["elm"]["methods"]["own"] = {"estimator": "mymodels.Mean"}
    study.write_config()
    (study.path / "helpers.py").write_text("def level(y):\n    return y.mean()\n")
    (study.path / "mymodels.py").write_text(OWN_MODEL)
    status, output = study.snakemake("--cores", "2", "runs")
    assert status == 0, output
    assert "elm_shard" not in study.planned()
    replace(study, file, "return ", "return 0.5 * ")
    assert study.planned() == REPORT | {"elm_shard": 1}


def test_code_behind_an_import_path_of_this_package(study):
    study.config["elm"]["methods"]["own"] = {"estimator": "mccvc.MCCRegressor"}
    study.write_config()
    assert study.snakemake("--cores", "2", "runs")[0] == 0
    with (study.path / "src/mccvc/estimators/_base.py").open("a") as file:
        file.write("\n\nUNUSED = 1\n")
    assert "elm_shard" not in study.planned()
    replace(study, "src/mccvc/scale.py", "_QUANTILES = 256", "_QUANTILES = 255")
    assert study.planned() == REPORT | {"elm_shard": 1}


def test_edited_local_file(study):
    """A dataset's own file is an input: its rows, and no others, are computed again."""
    lines = (study.path / "data/bundled/slump_test.data").read_text()
    (study.path / "mine.csv").write_text(lines)
    study.config["datasets"]["mine"] = {
        "file": "mine.csv",
        "target": "Compressive Strength (28-day)(Mpa)",
        "drop": ["No"],
    }
    study.write_config()
    status, output = study.snakemake("--cores", "2", "runs")
    assert status == 0, output
    time.sleep(1.1)
    (study.path / "mine.csv").write_text(lines.replace("273", "274"))
    assert study.planned() == REPORT | {"fetch": 1, "normalize": 1, "elm_shard": 6}
    status, output = study.snakemake("--cores", "2", "runs")
    assert status == 0, output
    assert "elm_shard" not in study.planned()


def test_new_criterion_in_code(study):
    """A class and its name beside the others: nothing that is done runs again."""
    path = "src/mccvc/criteria/registry.py"
    replace(
        study,
        "src/mccvc/criteria/m_estimators.py",
        "class LAD(Criterion)",
        "class New(Criterion):\n    pass\n\n\nclass LAD(Criterion)",
    )
    replace(study, path, '    "lad": LAD,', '    "lad": LAD,\n    "new": New,')
    replace(study, path, "import LAD,", "import LAD, New,")
    assert study.planned() == {}


def test_comments_and_layout_of_code(study):
    replace(
        study,
        "src/mccvc/solvers/held_out.py",
        "_ROUNDING = 1e-5",
        "_ROUNDING = 1.0e-5  # rounding",
    )
    assert study.planned() == {}


def test_more_runs(study):
    study.config["runs"] = 4
    study.write_config()
    assert study.planned() == REPORT | {"elm_shard": 6, "linear_shard": 3, "traces": 1}


def test_style_of_a_figure(study):
    replace(study, "src/mccvc/report/style.py", "font_scale=0.95", "font_scale=1.2")
    assert study.planned() == dict.fromkeys(DRAWN, 1)


@pytest.mark.parametrize(
    ("file", "old", "new", "rules"),
    [
        ("src/mccvc/report/page.html", "<h2", "<h2 class='a'", {"page"}),
        ("docs/protocol.md", "# Protocol", "# The protocol\n\nNew.", {"page"}),
        ("src/mccvc/report/linear_claims.py", "MATCH = 0.05", "MATCH = 0.1", {"evidence", "page"}),
        ("src/mccvc/study/densities.py", "leggauss(12)", "leggauss(14)", {"traces"}),
        ("config.yaml", "title: Servo", "title: Servo motor", {"study"}),
    ],
)
def test_what_reports_depend_on(study, file, old, new, rules):
    """None of it starts a fit."""
    replace(study, file, old, new)
    found = set(study.planned())
    assert rules <= found
    assert not found & {"fetch", "normalize", "elm_shard", "linear_shard"}


@pytest.mark.parametrize(
    "pattern", ["src/**/*.py", "config.yaml", "data/raw/*", "data/normalized/*"]
)
def test_touched_files(study, pattern):
    for path in study.path.glob(pattern):
        path.touch()
    assert study.planned() == {}


def test_fresh_clone_with_old_results(study):
    shutil.rmtree(study.path / ".snakemake")
    assert study.planned() == {}


def test_params_follow_wildcards_only():
    """Snakemake does not track parameters that are functions of input, output or resources."""
    for path in (ROOT / "workflow/rules").glob("*.smk"):
        text = path.read_text()
        for _, block in re.findall(r"^( *)params:\n((?:\1 +.*\n)+)", text, re.MULTILINE):
            for arguments in re.findall(r"lambda ([^:]*):", block):
                assert re.fullmatch(r"w(, \w+=[\w.]+)?", arguments)


def test_dry_run_explains_itself(study):
    """The reason of every job, and nothing that is not new."""
    study.config["elm"]["methods"]["elm-rcc"]["sigma"] = [0.2, 0.7]
    study.write_config()
    status, output = study.snakemake("--cores", "2", "-n")
    assert status == 0
    assert "reason: Params have changed since last execution" in output
    assert "elm-rcc" in output
    assert "wildcards: dataset=servo, method=relm" not in output


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
    assert study.planned() == {}
