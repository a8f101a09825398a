"""Rows of the ELM experiment for the criteria beside the paper's, and for direct links."""

import numpy as np
import pytest
import yaml
from criteria.literal import POINTS
from msgspec.structs import replace
from paths import ROOT
from sklearn.linear_model import Ridge
from study.one_run import row

from mccvc.hidden_layer import HiddenLayer
from mccvc.study.config import Study
from mccvc.study.entries import method_of
from mccvc.study.linear import linear_rows
from mccvc.study.seeds import generator

CONFIG = yaml.safe_load((ROOT / "config.yaml").read_text())
SCHEMA = ROOT / "workflow/schemas/config.schema.yaml"


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    inputs = rng.random((81, 3))
    return inputs, np.sin(4 * inputs[:, 0]) * inputs[:, 1] + rng.normal(0, 0.01, 81)


@pytest.mark.parametrize("name", POINTS)
def test_row_of_a_further_criterion(name, data):
    grid = {key: [value, 2 * value] for key, value in POINTS[name].items() if key != "a"}
    grid |= {"a": [0.2, 0.5]} if "a" in POINTS[name] else {}
    fit = {"criterion": name, "lam": [1e-6, 1e-3], "grid": grid, "intercept": True}
    made = row(fit, data, 0)
    assert 0.005 < made["test_rmse"] < 0.3
    assert "sigma" not in made
    assert ("parameters" in made) == bool(grid)


def test_direct_links_are_columns_beside_the_hidden_layer(data):
    """RVFL: ridge regression on [X, H] and a column of ones."""
    inputs, target = data
    fit = {"criterion": "mmse", "lam": [1e-3], "direct": True, "intercept": True}
    made = row(fit, data, 1, n_hidden=(20,))
    layer = HiddenLayer(3, 20, generator(3, "elm", "toy", 1, "hidden"))
    columns = np.hstack([inputs, layer(inputs)])
    order = generator(3, "elm", "toy", 1, "split").permutation(81)
    train, test = order[:40], order[40:80]
    model = Ridge(alpha=1e-3).fit(columns[train], target[train])
    errors = target[test] - model.predict(columns[test])
    assert made["test_rmse"] == pytest.approx(np.sqrt(np.mean(errors**2)), rel=1e-6)
    assert made["n_hidden"] == 20


def test_row_of_the_two_stages(data):
    fit = {
        "criterion": "mcc-vc-efficient",
        "lam": [1e-6, 1e-3],
        "widths": [0.1],
        "centers": "quantiles",
        "grid": {"kappa": [1, 2.11, 3]},
    }
    made = row(fit, data, 0)
    assert 0.005 < made["test_rmse"] < 0.3
    assert round(made["sigma"], 12) in (0.1, 0.211, 0.3)


def test_linear_row_of_the_two_stages():
    """Its width is kappa times that of MCC-VC; data and penalties are the same."""
    sets = {
        "lam": [0.001, 0.1],
        "widths": {"start": 0.2, "stop": 5, "step": 0.2},
        "centers": [-1, 0],
    }
    rows, spec = {}, Study(CONFIG, SCHEMA).linear_spec("case2", "mcc-vc")
    for criterion, grid in (("mcc-vc", {}), ("mcc-vc-efficient", {"kappa": [2.0]})):
        fit = method_of({"criterion": criterion, **sets, "grid": grid}, None)
        rows[criterion] = linear_rows(replace(spec, fit=fit), 0)
    assert [r["lam"] for r in rows["mcc-vc-efficient"]] == [0.001, 0.1]
    for one, two in zip(rows["mcc-vc"], rows["mcc-vc-efficient"], strict=True):
        assert two["sigma"] == pytest.approx(2 * one["sigma"])
        assert two["weight_rmse"] < 0.5
