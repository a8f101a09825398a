"""Every criterion by name: scikit-learn's checks, literal formulas, outliers, parameters."""

import warnings

import numpy as np
import pytest
from criteria.literal import POINTS, literal
from numpy.testing import assert_allclose
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import check_estimator

from mccvc import RobustELMRegressor, RobustLinearRegressor
from mccvc.criteria.efficient import EfficientMCCVC
from mccvc.criteria.information import GMCC
from mccvc.criteria.registry import CRITERIA
from mccvc.estimators._any_criterion import DEFAULTS

each = pytest.mark.parametrize


def spoilt(n=200, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, (n, 2))
    y = X @ [3, -1] + 1 + 0.1 * rng.normal(size=n)
    y[: n // 5] += 20
    return X, y


def test_every_criterion_has_defaults_within_its_limits():
    assert set(DEFAULTS) == set(CRITERIA) - {"mmse", "mcc-vc", "mcc-vc-efficient"}
    for name, values in DEFAULTS.items():
        limits = CRITERIA[name].limits
        assert set(values) == set(limits)
        assert all(value in limits[key] for key, value in values.items())


@pytest.mark.slow
@each("name", DEFAULTS)
@each("kind", [RobustLinearRegressor, RobustELMRegressor])
def test_scikit_learn_compatibility(kind, name):
    model = kind(name)
    if kind is RobustELMRegressor:
        model.set_params(n_hidden=10, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_estimator(model)


@each("name", DEFAULTS)
def test_outliers_do_not_move_the_fit(name):
    X, y = spoilt()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = RobustLinearRegressor(name).fit(X, y)
    assert_allclose(model.coef_, [3, -1], atol=0.06)
    assert model.intercept_ + model.center_ == pytest.approx(1, abs=0.1)
    if name not in ("mee", "mmkcc", "qmee"):  # There outliers are a mode of their own.
        assert model.weights_[:40].max() < 0.1 * np.median(model.weights_[40:])
    layer = RobustELMRegressor(name, n_hidden=20, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        layer.fit(X, y)
    assert np.abs(layer.predict(X)[40:] - y[40:]).max() < 1


@each("name", sorted(set(POINTS) - {"mmkcc", "mee", "qmee"}))
def test_solution_solves_the_literal_condition(name):
    X, y = spoilt(seed=1)
    unit = 7.0
    model = RobustLinearRegressor(
        name, parameters=POINTS[name], units="target", tol=1e-12, max_iter=5000
    )
    model.fit(X * unit, y)
    columns = np.column_stack([X, np.ones(len(y))])
    errors = y - model.predict(X * unit)
    weights, _ = literal(name, errors)
    left = columns.T @ (weights * errors)
    size = np.abs(columns).T @ (weights * np.abs(errors))
    assert (np.abs(left) <= (2e-2 if name == "lad" else 1e-4) * size).all()


# Sums over pairs; a codebook in another order of the rows differs by up to its radius.
@each(("name", "bound"), [("mee", 1e-8), ("mmkcc", 1e-4), ("qmee", 5e-2)])
def test_solution_solves_the_literal_condition_with_centers(name, bound):
    X, y = spoilt(seed=1)
    model = RobustLinearRegressor(name, parameters=POINTS[name], units="target", tol=1e-10)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        errors = y - model.fit(X, y).predict(X)
    weights, weighted_centers = literal(name, errors)
    parts = weights * errors - weighted_centers
    assert (np.abs(X.T @ parts) <= bound * np.abs(X).T @ np.abs(parts)).all()
    # Least squares is no solution.
    worse = y - X @ np.linalg.lstsq(X, y, rcond=None)[0]
    weights, weighted_centers = literal(name, worse)
    parts = weights * worse - weighted_centers
    assert (np.abs(X.T @ parts) > 2 * bound * np.abs(X).T @ np.abs(parts)).any()


def test_parameters_are_in_units_of_the_errors_unless_told_otherwise():
    X, y = spoilt()
    one = RobustLinearRegressor("gmcc", parameters={"b": 2.0}).fit(X, y)
    thousand = RobustLinearRegressor("gmcc", parameters={"b": 2.0}).fit(X, 1000 * y)
    assert_allclose(thousand.coef_, 1000 * one.coef_, rtol=1e-6)
    given = {"b": 2.0 * one.scale_}
    same = RobustLinearRegressor("gmcc", parameters=given, units="target").fit(X, y)
    assert_allclose(same.coef_, one.coef_, rtol=1e-6)
    instance = GMCC(np.array([2.0]), np.array([given["b"]]))
    assert_allclose(RobustLinearRegressor(instance).fit(X, y).coef_, one.coef_, rtol=1e-6)


@each(
    ("options", "message"),
    [
        ({"criterion": "tuckey"}, "'criterion'"),
        ({"criterion": "gmcc", "parameters": {"c": 1.0}}, "no parameter 'c', only"),
        ({"criterion": "gmcc", "parameters": {"b": -1.0}}, "'b' .* a number > 0"),
        ({"criterion": GMCC(np.ones(1), np.ones(1)), "parameters": {}}, "not with an object"),
        ({"criterion": EfficientMCCVC([1.0], "median", [2.0])}, "MCCVCRegressor"),
        ({"units": "sigma"}, "'units'"),
        ({"alpha": -1.0}, "'alpha'"),
    ],
)
def test_wrong_parameters_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        RobustLinearRegressor(**options).fit(*spoilt(20))


def test_grid_search_over_criteria():
    X, y = spoilt(100)
    search = GridSearchCV(RobustLinearRegressor(), {"criterion": ["huber", "tukey", "lad"]}, cv=3)
    assert search.fit(X, y).best_params_["criterion"] in ("huber", "tukey", "lad")
