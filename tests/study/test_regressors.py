"""Methods that are any regressor, by their import path."""

import json

import numpy as np
import pytest
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV
from study.one_run import row

from mccvc.study.entries import method_of
from mccvc.study.regressors import regressor, search
from mccvc.study.seeds import generator
from mccvc.study.specs import RegressorMethod

LAM = [1e-4, 0.1, 10.0]
RIDGE = {
    "estimator": "sklearn.linear_model.Ridge",
    "parameters": {"fit_intercept": False},
    "grid": {"alpha": LAM},
}


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    inputs = rng.random((81, 3))
    return inputs, np.sin(4 * inputs[:, 0]) * inputs[:, 1] + rng.normal(0, 0.01, 81)


def test_search_is_grid_search_cv(data):
    inputs, target = data
    folds = np.array_split(np.random.default_rng(1).permutation(81), 4)
    selected = search(method_of(RIDGE, None), {None: inputs}, target, folds, 0)
    splits = [(np.setdiff1d(np.arange(81), fold), fold) for fold in folds]
    theirs = GridSearchCV(
        Ridge(fit_intercept=False), RIDGE["grid"], scoring="neg_root_mean_squared_error", cv=splits
    ).fit(inputs, target)
    assert selected.n_hidden is None
    assert selected.parameters == theirs.best_params_
    assert selected.cv_rmse == pytest.approx(-theirs.best_score_)
    assert selected.model.alpha == theirs.best_params_["alpha"]


def test_row_on_the_hidden_layer_is_that_of_the_fast_ridge(data):
    """RELM and scikit-learn's Ridge without intercept are one method."""
    external = row(RIDGE, data, 2)
    fast = row({"criterion": "mmse", "lam": LAM}, data, 2)
    for key in ("train_rmse", "test_rmse", "cv_rmse", "n_hidden", "n_train", "n_test"):
        assert external[key] == pytest.approx(fast[key], rel=1e-6)
    assert json.loads(external["parameters"]) == {"alpha": fast["lam"]}


def test_bias_of_the_fast_methods_is_ridge_with_intercept(data):
    external = row(RIDGE | {"parameters": {}}, data, 0)
    fast = row({"criterion": "mmse", "lam": LAM, "intercept": True}, data, 0)
    assert fast["test_rmse"] == pytest.approx(external["test_rmse"], rel=1e-6)


def test_row_on_the_inputs_is_seeded_by_names(data):
    fit = {
        "estimator": "sklearn.ensemble.RandomForestRegressor",
        "parameters": {"n_estimators": 5},
        "features": "inputs",
    }
    made = row(fit, data, 1)
    assert made["n_hidden"] is None
    assert made["parameters"] == "{}"
    assert made["test_rmse"] == row(fit, data, 1)["test_rmse"]
    inputs, target = data
    order = generator(3, "elm", "toy", 1, "split").permutation(81)
    train, test = order[:40], order[40:80]
    seed = int(generator(3, "elm", "toy", 1, "estimator").integers(2**31))
    model = RandomForestRegressor(n_estimators=5, random_state=seed)
    errors = target[test] - model.fit(inputs[train], target[train]).predict(inputs[test])
    assert made["test_rmse"] == pytest.approx(np.sqrt(np.mean(errors**2)))


LM = "sklearn.linear_model"


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        (["sklearn.nothing.X"], r"estimator sklearn\.nothing\.X cannot be imported"),
        (["os.system"], r"estimator os\.system is no class"),
        (["os.getcwd"], r"estimator os\.getcwd is no class"),
        (["subprocess.Popen"], "expected a regressor: a class with fit and predict"),
        (["pathlib.Path"], "expected a regressor"),
        ([f"{LM}.LogisticRegression"], "expected a regressor"),
        (["sklearn.preprocessing.StandardScaler"], "expected a regressor"),
        ([f"{LM}.ridge_regression"], "is no class"),
        (["subprocess.Popen", f"{LM}.Ridge"], "expected a class with fit and transform"),
        ([f"{LM}.Lasso", f"{LM}.Ridge"], "expected a class with fit and transform"),
        (["os.system", f"{LM}.Ridge"], "is no class"),
    ],
)
def test_only_regressors_are_made(tmp_path, steps, message):
    """Nothing is called before all of it has been judged."""
    mark = tmp_path / "mark"
    parameters = {"command": f"touch {mark}", "args": ["touch", str(mark)]}
    with pytest.raises(ValueError, match=message):
        regressor(RegressorMethod(estimator=tuple(steps), parameters=parameters))
    assert not mark.exists()


def test_parameter_that_a_regressor_does_not_have_is_named():
    for steps in ([f"{LM}.Ridge"], ["sklearn.preprocessing.StandardScaler", f"{LM}.Ridge"]):
        with pytest.raises(ValueError, match=r"estimator .*Ridge: .*beta"):
            regressor(RegressorMethod(estimator=tuple(steps), parameters={"beta": 1}))
