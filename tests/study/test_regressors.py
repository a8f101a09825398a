"""Methods that are any regressor, by their import path."""

import json

import numpy as np
import pytest
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV

from mccvc.study.elm import elm_row
from mccvc.study.regressors import regressor, search
from mccvc.study.seeds import generator

SPEC = {
    "seed": 3,
    "dataset": "toy",
    "method": "ridge",
    "n_train": None,
    "n_test": None,
    "n_hidden": [5, 20],
    "folds": 4,
    "max_iter": 30,
    "tol": 1e-5,
}
RIDGE = {
    "estimator": "sklearn.linear_model.Ridge",
    "parameters": {"fit_intercept": False},
    "grid": {"alpha": [1e-4, 0.1, 10.0]},
    "features": "hidden",
}


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    inputs = rng.random((81, 3))
    return inputs, np.sin(4 * inputs[:, 0]) * inputs[:, 1] + rng.normal(0, 0.01, 81)


def test_search_is_grid_search_cv(data):
    inputs, target = data
    folds = np.array_split(np.random.default_rng(1).permutation(81), 4)
    model, size, chosen = search(RIDGE, {None: inputs}, target, folds, 0)
    splits = [(np.setdiff1d(np.arange(81), fold), fold) for fold in folds]
    theirs = GridSearchCV(
        Ridge(fit_intercept=False), RIDGE["grid"], scoring="neg_root_mean_squared_error", cv=splits
    ).fit(inputs, target)
    assert size is None
    assert json.loads(chosen["parameters"]) == theirs.best_params_
    assert chosen["cv_rmse"] == pytest.approx(-theirs.best_score_)
    assert model.alpha == theirs.best_params_["alpha"]


def test_row_on_the_hidden_layer_is_that_of_the_fast_ridge(data):
    """RELM and scikit-learn's Ridge without intercept are one method."""
    lam = RIDGE["grid"]["alpha"]
    external = elm_row(SPEC | {"fit": RIDGE}, *data, 2)
    fast = elm_row(SPEC | {"fit": {"criterion": "mmse", "lam": lam}}, *data, 2)
    for key in ("train_rmse", "test_rmse", "cv_rmse", "n_hidden", "n_train", "n_test"):
        assert external[key] == pytest.approx(fast[key], rel=1e-6)
    assert json.loads(external["parameters"]) == {"alpha": fast["lam"]}


def test_bias_of_the_fast_methods_is_ridge_with_intercept(data):
    fit = RIDGE | {"parameters": {}}
    external = elm_row(SPEC | {"fit": fit}, *data, 0)
    fast = {"criterion": "mmse", "lam": RIDGE["grid"]["alpha"], "intercept": True}
    row = elm_row(SPEC | {"fit": fast}, *data, 0)
    assert row["test_rmse"] == pytest.approx(external["test_rmse"], rel=1e-6)


def test_row_on_the_inputs_is_seeded_by_names(data):
    fit = {
        "estimator": "sklearn.ensemble.RandomForestRegressor",
        "parameters": {"n_estimators": 5},
        "grid": {},
        "features": "inputs",
    }
    row = elm_row(SPEC | {"fit": fit}, *data, 1)
    assert row["n_hidden"] is None
    assert row["parameters"] == "{}"
    again = elm_row(SPEC | {"fit": fit}, *data, 1)
    assert row["test_rmse"] == again["test_rmse"]
    inputs, target = data
    order = generator(3, "elm", "toy", 1, "split").permutation(81)
    train, test = order[:40], order[40:80]
    seed = int(generator(3, "elm", "toy", 1, "estimator").integers(2**31))
    model = RandomForestRegressor(n_estimators=5, random_state=seed)
    errors = target[test] - model.fit(inputs[train], target[train]).predict(inputs[test])
    assert row["test_rmse"] == pytest.approx(np.sqrt(np.mean(errors**2)))


def test_wrong_estimators_are_named():
    with pytest.raises(ValueError, match=r"estimator sklearn\.nothing\.X cannot be imported"):
        regressor("sklearn.nothing.X", {})
    with pytest.raises(ValueError, match=r"estimator sklearn\.linear_model\.Ridge: .*beta"):
        regressor("sklearn.linear_model.Ridge", {"beta": 1})
