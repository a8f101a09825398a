import json
import os
import pickle
import resource
import subprocess
import sys
import threading
import tracemalloc
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import sklearn
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from reference import lip_mcc_vc
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from mccvc import (
    ELMMCCVCRegressor,
    ELMRCCRegressor,
    MCCRegressor,
    MCCVCRegressor,
    RandomHiddenLayer,
    RELMRegressor,
    correntropy_loss,
    correntropy_score,
    correntropy_scorer,
)

LINEAR = [MCCRegressor(), MCCVCRegressor(), MCCVCRegressor(fit_intercept=True)]
ROBUST_ELM = [
    ELMRCCRegressor(n_hidden=30, random_state=0),
    ELMMCCVCRegressor(n_hidden=30, random_state=0),
]
ROBUST = [*LINEAR, *ROBUST_ELM]
EVERY = [*ROBUST, RELMRegressor(n_hidden=30, random_state=0)]
each = pytest.mark.parametrize
named = {"ids": lambda e: str(e) if hasattr(e, "fit") else None}


def quiet(model, *data, **options):
    """Fit with every warning an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return clone(model).fit(*data, **options)


def line(n=100, noise=0.1, slope=3.0, level=1.0, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, (n, 1))
    return X, slope * X[:, 0] + level + noise * rng.normal(size=n)


def exact(model, *data):
    """Fit data of which more than half are fitted exactly."""
    with pytest.warns(ConvergenceWarning, match="% of the samples are fitted exactly"):
        return clone(model).fit(*data)


def level_of(model):
    return model.intercept_ + model.center_


@pytest.mark.slow
@parametrize_with_checks([*EVERY, RandomHiddenLayer(n_hidden=10)])
def test_scikit_learn_compatibility(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        check(estimator)


# --- the estimators are the paper's methods -------------------------------------------------


def test_mcc_vc_with_the_papers_sets_is_algorithm_1():
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, (80, 2))
    y = X @ [1, 2] + rng.normal(3, 1, 80)
    y[:8] = rng.normal(0, 100, 8)
    widths, centers = np.arange(1, 26) * 0.2, np.arange(-50, 51, 5) * 0.1
    paper = {"inlier_share": 1, "efficiency": None, "init": "zeros"}
    model = MCCVCRegressor(widths, centers, alpha=0.1, tol=1e-8, **paper).fit(X, y)
    beta, sigma, c, k, costs = lip_mcc_vc(X, y, 0.1, list(widths), list(centers), 100, 1e-8)
    assert_allclose(model.coef_, beta, rtol=1e-8)
    assert (model.sigma_, model.center_, model.n_iter_) == pytest.approx((sigma, c, k))
    assert_allclose(model.objective_path_, [after for _, after in costs], rtol=1e-8)
    errors = y - X @ beta - c
    assert_allclose(model.weights_, np.exp(-(errors**2) / (2 * sigma**2)), rtol=1e-6, atol=1e-12)


def test_elm_with_the_papers_sets_is_algorithm_1_on_the_layer():
    rng = np.random.default_rng(1)
    X = rng.random((60, 3))
    y = np.clip(X.sum(axis=1) / 3 + 0.1 * rng.normal(size=60), 0, 1)
    widths = np.arange(1, 21) * 0.1
    model = ELMMCCVCRegressor(
        widths,
        n_hidden=8,
        alpha=0.01,
        scale=False,
        inlier_share=1,
        efficiency=None,
        init="zeros",
        tol=1e-8,
        random_state=3,
    ).fit(X, y)
    H = RandomHiddenLayer(8, scale=False, random_state=3).fit_transform(X)
    beta, sigma, c, k, _ = lip_mcc_vc(H, y, 0.01, list(widths), "median", 100, 1e-8)
    assert_allclose(model.predict(X), H @ beta + c, rtol=1e-7)
    assert (model.sigma_, model.n_iter_) == pytest.approx((sigma, k))


def test_mcc_without_intercept_is_algorithm_1_with_center_zero():
    X, y = line(60, level=0.0)
    model = MCCRegressor(0.5, alpha=0.2, fit_intercept=False, init="zeros", tol=1e-9).fit(X, y)
    beta, *_, k, _ = lip_mcc_vc(X, y, 0.2, [0.5], [0.0], 100, 1e-9)
    assert_allclose(model.coef_, beta, rtol=1e-8)
    assert model.n_iter_ == k


def test_huge_width_is_ridge():
    X, y = line(60)
    sigma = 1e7
    model = MCCRegressor(sigma, alpha=2.0 / (np.sqrt(2 * np.pi) * sigma)).fit(X, y)
    ridge = Ridge(2.0).fit(X, y)
    assert_allclose([*model.coef_, model.intercept_], [*ridge.coef_, ridge.intercept_], rtol=1e-6)


def test_relm_is_ridge_on_the_layer():
    X, y = line(60)
    model = RELMRegressor(20, alpha=0.3, scale=False, random_state=0).fit(X, y)
    H = RandomHiddenLayer(20, scale=False, random_state=0).fit_transform(X)
    ridge = Ridge(0.3, fit_intercept=False).fit(H, y)
    assert_allclose(model.predict(X), ridge.predict(H), rtol=1e-9)


# --- hard cases: right, or a warning, or one clear error ------------------------------------


@each("model", LINEAR, **named)
def test_perfect_fit(model):
    X, y = line(noise=0.0)
    fitted = quiet(model, X, y)
    assert_allclose(fitted.coef_, [3.0], rtol=1e-9)
    assert level_of(fitted) == pytest.approx(1.0, rel=1e-9)
    assert_allclose(fitted.weights_, 1.0, atol=1e-6)


@each("model", LINEAR, **named)
def test_half_on_a_line_and_the_rest_anywhere(model):
    X, y = line(101, noise=0.0)
    y[:50] = np.random.default_rng(1).uniform(-40, 40, 50)
    fitted = exact(model, X, y)
    assert_allclose(fitted.coef_, [3.0], rtol=1e-6)
    assert level_of(fitted) == pytest.approx(1.0, rel=1e-6)


def test_half_on_a_line_with_a_given_small_width():
    X, y = line(101, noise=0.0)
    y[:50] = np.random.default_rng(1).uniform(-40, 40, 50)
    fitted = exact(MCCRegressor(0.01), X, y)
    assert_allclose(fitted.coef_, [3.0], rtol=1e-4)


@each("model", LINEAR, **named)
def test_more_than_half_of_the_targets_equal(model):
    """The mode wins: a constant through the equal targets, with the width at its floor."""
    rng = np.random.default_rng(2)
    X = rng.uniform(-2, 2, (100, 1))
    y = np.where(np.arange(100) < 60, 5.0, rng.uniform(0, 50, 100))
    fitted = exact(model, X, y)
    assert_allclose(fitted.coef_, [0.0], atol=1e-6)
    assert level_of(fitted) == pytest.approx(5.0, rel=1e-6)
    assert fitted.sigma_ > 0


@each("model", LINEAR, **named)
def test_thirty_per_cent_one_sided_outliers(model):
    X, y = line(200)
    y[:60] += 50.0
    fitted = quiet(model, X, y)
    assert_allclose(fitted.coef_, [3.0], atol=0.05)
    assert level_of(fitted) == pytest.approx(1.0, abs=0.05)
    assert fitted.weights_[:60].max() < 1e-6
    assert LinearRegression().fit(X, y).intercept_ > 10


@each("model", LINEAR, **named)
def test_thirty_per_cent_one_sided_outliers_at_leverage_points(model):
    X, y = line(200)
    X[:60] += 20.0
    y[:60] = -100.0
    fitted = quiet(model, X, y)
    assert_allclose(fitted.coef_, [3.0], atol=0.05)


def test_start_decides_between_local_optima():
    X, y = line(200)
    X[:80] += 20.0
    y[:80] = -100.0
    robust = MCCRegressor(0.3).fit(X, y)
    assert_allclose(robust.coef_, [3.0], atol=0.05)
    squares = MCCRegressor(20.0, init="least-squares").fit(X, y)
    assert squares.coef_[0] < 0


@each("model", LINEAR, **named)
def test_more_than_half_outliers_anywhere(model):
    X, y = line(300)
    y[:180] = np.random.default_rng(3).uniform(-500, 500, 180)
    fitted = quiet(model, X, y)
    assert_allclose(fitted.coef_, [3.0], atol=0.1)
    assert level_of(fitted) == pytest.approx(1.0, abs=0.1)


@each("model", LINEAR, **named)
def test_small_slope_under_a_huge_level(model):
    X = np.arange(1000.0)[:, None]
    y = 1e12 + 1e-3 * X[:, 0]
    fitted = quiet(model, X, y)
    assert_allclose(fitted.coef_, [1e-3], rtol=1e-3)
    assert_allclose(fitted.predict(X), y, rtol=1e-15)


@each("model", EVERY, **named)
def test_constant_target(model):
    X = np.random.default_rng(4).random((50, 2))
    assert_allclose(quiet(model, X, np.full(50, 7.5)).predict(X), 7.5, rtol=1e-9)
    three = quiet(model, X[:3], [2.0, 2.0, 2.0], sample_weight=[2.0, 2.0, 2.0])
    assert_allclose(three.predict(X[:3]), 2.0, rtol=1e-9)
    assert_allclose(quiet(model, X, np.zeros(50)).predict(X), 0.0, atol=1e-12)


@each("model", EVERY, **named)
def test_constant_column_changes_nothing_else(model):
    rng = np.random.default_rng(5)
    X = rng.random((80, 2))
    y = X @ [1.0, 2.0] + 0.01 * rng.normal(size=80)
    widened = np.column_stack([X, np.full(80, 4.0)])
    fitted = quiet(model, widened, y)
    assert_allclose(fitted.predict(widened), y, atol=0.2)
    assert np.isfinite(fitted.coef_).all()


@each("model", LINEAR, **named)
def test_duplicated_columns_share_their_weight(model):
    X, y = line()
    twice = quiet(model, np.hstack([X, X]), y)
    assert_allclose(twice.coef_[0], twice.coef_[1], rtol=1e-6)
    assert twice.coef_.sum() == pytest.approx(3.0, abs=0.03)


@each("model", LINEAR, **named)
def test_least_norm_in_the_data_s_own_units(model):
    X, y = line()
    scales = np.array([1, 2, 1024])
    fitted = quiet(model, X * scales, y)
    slope = fitted.coef_ @ scales
    assert slope == pytest.approx(3.0, abs=0.03)
    assert_allclose(fitted.coef_, slope * scales / (scales @ scales), rtol=1e-6)


@each("model", EVERY, **named)
def test_fewer_samples_than_features(model):
    rng = np.random.default_rng(6)
    X, y = rng.normal(size=(8, 20)), rng.normal(size=8)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        fitted = clone(model).fit(X, y)
    assert np.isfinite(fitted.predict(X)).all()
    if not hasattr(model, "n_hidden"):
        assert_allclose(fitted.predict(X), y, atol=1e-6)


@each("model", EVERY, **named)
def test_one_sample(model):
    fitted = quiet(model, [[1.0, 2.0]], [3.0])
    assert_allclose(fitted.predict([[1.0, 2.0]]), [3.0], rtol=1e-6)


@each("model", EVERY, **named)
@each("dtype", [np.int64, bool, np.float32])
def test_other_number_types(model, dtype):
    rng = np.random.default_rng(7)
    X = (rng.random((60, 2)) * 2).astype(dtype)
    y = (X.astype(float) @ [1.0, 2.0]).astype(np.float32 if dtype is np.float32 else np.int64)
    assert_allclose(
        clone(model).fit(X, y).predict(X),
        clone(model).fit(X.astype(float), y.astype(float)).predict(X.astype(float)),
        rtol=1e-6,
        atol=1e-9,
    )


@each("model", [*EVERY, RandomHiddenLayer(5)], **named)
def test_unusable_values_are_named_by_column(model):
    rng = np.random.default_rng(8)
    frame = pd.DataFrame(rng.random((10, 3)), columns=["a", "b", "c"])
    y = rng.random(10)
    for value, word in ((np.nan, "NaN"), (np.inf, "infinity")):
        spoilt = frame.copy()
        spoilt.loc[4, "b"] = value
        with pytest.raises(ValueError, match=rf"X contains {word}.*column 'b', row 4"):
            clone(model).fit(spoilt, y)
        with pytest.raises(ValueError, match=rf"X contains {word}.*column 1, row 4"):
            clone(model).fit(spoilt.to_numpy(), y)
    with pytest.raises(ValueError, match=r"text in columns \['c'\]"):
        clone(model).fit(frame.assign(c="x"), y)


@each("model", EVERY, **named)
def test_missing_target_is_named_by_row(model):
    X, y = line(10)
    y[3] = np.nan
    with pytest.raises(ValueError, match=r"Input y contains NaN \(row 3\)"):
        clone(model).fit(X, y)


@each("model", ROBUST, **named)
def test_outlier_of_1e300(model):
    X, y = line(60)
    clean = quiet(model, X[1:], y[1:])
    y[0] = 1e300
    fitted = quiet(model, X, y)
    assert_allclose(fitted.predict(X[1:]), clean.predict(X[1:]), atol=0.15)
    assert fitted.weights_[0] == 0.0


def test_input_of_1e300_is_an_error_that_names_it():
    X, y = line(60)
    X[5] = 1e300
    with pytest.raises(ValueError, match=r"contains 1e\+300 in column 0"):
        MCCRegressor().fit(X, y)


@each("alpha", [0.0, 0.1])
def test_all_kernel_values_zero_keep_the_start_and_warn(alpha):
    X, y = line(60)
    model = MCCRegressor(1e-9, init="zeros", alpha=alpha, fit_intercept=False)
    with pytest.warns(ConvergenceWarning, match="all kernel values are 0: widths 1e-09"):
        model.fit(X, y)
    assert_allclose(model.coef_, 0.0)
    assert np.isfinite(model.predict(X)).all()


@each("sigma", [1e-300, 1e-12, 1e-3, 1e12, 1e300])
def test_any_width_gives_finite_predictions(sigma):
    X, y = line(60)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for model in (MCCRegressor(sigma), MCCVCRegressor(sigma)):
            assert np.isfinite(model.fit(X, y).predict(X)).all()


def test_widths_that_do_not_cover_the_errors_are_named_with_the_scale_seen():
    rng = np.random.default_rng(9)
    X = rng.random((200, 1))
    y = rng.normal(0, 1000, 200)
    with pytest.warns(ConvergenceWarning, match=r"widths 0\.2 to 5 .* scale [5-9]\d\d|scale 1"):
        MCCVCRegressor(np.arange(1, 26) * 0.2, "median").fit(X, y)


def test_centers_that_exclude_all_errors_warn():
    X, y = line(60)
    with pytest.warns(ConvergenceWarning, match="all kernel values are 0"):
        model = MCCVCRegressor([0.2, 0.4], [1000.0, 2000.0]).fit(X, y)
    assert np.isfinite(model.predict(X)).all()


def test_two_equal_modes_give_one_answer_in_any_order():
    X = np.tile(np.linspace(-1, 1, 20), 2)[:, None]
    y = np.repeat([-4.0, 4.0], 20)
    found = set()
    for seed in range(10):
        order = np.random.default_rng(seed).permutation(40)
        found.add(round(float(level_of(MCCVCRegressor().fit(X[order], y[order]))), 6))
    assert len(found) == 1


def test_widths_and_centers_in_any_form():
    X, y = line(60)
    scalar = MCCVCRegressor(0.5, 1.0).fit(X, y)
    assert scalar.sigma_ == pytest.approx(0.5)
    assert scalar.center_ == pytest.approx(1.0)
    unsorted = MCCVCRegressor([2.0, 0.1, 0.5, 0.1], [1.5, 0.5, 1.0]).fit(X, y)
    ordered = MCCVCRegressor([0.1, 0.5, 2.0], [0.5, 1.0, 1.5]).fit(X, y)
    assert_allclose(unsorted.coef_, ordered.coef_, rtol=0, atol=0)


@each(
    ("model", "message"),
    [
        (MCCVCRegressor([]), "'widths' parameter of MCCVCRegressor"),
        (MCCVCRegressor([0.1, -0.2]), "'widths' .* finite numbers > 0. Got .*-0.2"),
        (MCCVCRegressor("wide"), "'widths'"),
        (MCCVCRegressor(centers="mode"), "'centers' .* 'median', 'mean' or an array"),
        (MCCVCRegressor(centers=[np.nan]), "'centers'"),
        (MCCRegressor(0.0), r"'sigma' .* must be a float in the range \(0, inf\). Got 0.0"),
        (MCCRegressor("small"), "'sigma'"),
        (MCCRegressor(alpha=-1), r"'alpha' .* \[0, inf\)"),
        (MCCRegressor(max_iter=0), "'max_iter' .* an int"),
        (MCCRegressor(tol=-1.0), "'tol'"),
        (MCCRegressor(init="random"), "'init' .* one of .*'robust'"),
        (RELMRegressor(0), "'n_hidden'"),
        (RELMRegressor(activation="sin"), "'activation' .*'logistic'"),
        (RandomHiddenLayer(2.5), "'n_hidden'"),
    ],
    **named,
)
def test_wrong_parameter_is_named(model, message):
    X, y = line(20)
    with pytest.raises(ValueError, match=message):
        model.fit(X, y)


def test_weights_must_not_be_negative_or_all_zero():
    X, y = line(20)
    with pytest.raises(ValueError, match="Negative"):
        MCCRegressor().fit(X, y, sample_weight=-np.ones(20))
    with pytest.raises(ValueError, match=r"zero|0 for all"):
        MCCRegressor().fit(X, y, sample_weight=np.zeros(20))


def test_too_few_iterations_warn():
    X, y = line(200)
    y[:60] += 3.0
    with pytest.warns(ConvergenceWarning, match=r"has not settled within 1e-12 in 2 iterations"):
        MCCRegressor(1.0, max_iter=2, tol=1e-12).fit(X, y)
    assert quiet(MCCRegressor(1.0, max_iter=7, tol=0), X, y).n_iter_ == 7


# --- properties -----------------------------------------------------------------------------

examples = settings(max_examples=15)


def spoilt(seed, n=60):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (n, 2))
    y = X @ rng.normal(size=2) + 0.1 * rng.normal(size=n)
    y[: n // 5] += rng.uniform(5, 20, n // 5)
    return X, y


def fit_quietly(model, *data, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return clone(model).fit(*data, **options)


@each(
    "model",
    [
        MCCRegressor(max_iter=1),
        ELMMCCVCRegressor(widths=[1e-9], random_state=0),
        MCCVCRegressor(widths=[1e-9]),
    ],
)
def test_a_warning_names_the_line_of_the_caller(model):
    X, y = line(60)
    with pytest.warns(ConvergenceWarning) as caught:
        clone(model).fit(X, y)
    assert {Path(warning.filename).name for warning in caught} == {Path(__file__).name}


@pytest.mark.slow
@each("model", EVERY, **named)
@given(st.integers(0, 10**6), st.floats(-1e3, 1e3))
@examples
def test_translation_of_y_moves_predictions(model, seed, shift):
    X, y = spoilt(seed)
    moved = fit_quietly(model, X, y + shift).predict(X)
    assert_allclose(moved, fit_quietly(model, X, y).predict(X) + shift, atol=1e-5)


@pytest.mark.slow
@each("model", EVERY, **named)
@given(st.integers(0, 10**6), st.integers(-9, 9), st.integers(-9, 9))
@examples
def test_units_do_not_matter(model, seed, x_decades, y_decades):
    X, y = spoilt(seed)
    scaled = fit_quietly(model, X * 10.0**x_decades, y * 10.0**y_decades)
    expected = fit_quietly(model, X, y).predict(X) * 10.0**y_decades
    assert_allclose(scaled.predict(X * 10.0**x_decades), expected, atol=1e-5 * 10.0**y_decades)


@pytest.mark.slow
@each("model", EVERY, **named)
@given(st.integers(0, 10**6))
@examples
def test_order_of_rows_does_not_matter(model, seed):
    X, y = spoilt(seed)
    order = np.random.default_rng(seed).permutation(len(y))
    one, other = fit_quietly(model, X, y), fit_quietly(model, X[order], y[order])
    assert_allclose(one.predict(X), other.predict(X), atol=1e-6)


@pytest.mark.slow
@each("model", EVERY, **named)
@given(st.integers(0, 10**6))
@examples
def test_duplicated_rows_equal_doubled_weights(model, seed):
    X, y = spoilt(seed)
    doubled = fit_quietly(model, X, y, sample_weight=np.full(len(y), 2.0))
    twice = fit_quietly(model, np.vstack([X, X]), np.concatenate([y, y]))
    assert_allclose(doubled.predict(X), twice.predict(X), atol=1e-6)


@each("model", ROBUST, **named)
@given(st.integers(0, 10**6))
@examples
def test_objective_never_rises_at_fixed_width_and_center(model, seed):
    X, y = spoilt(seed)
    fixed = clone(model).set_params(max_iter=20, tol=0)
    if hasattr(fixed, "widths"):
        fixed.set_params(widths=0.5, centers=0.2)
    path = fit_quietly(fixed, X, y).objective_path_
    assert len(path) == 20
    assert (np.diff(path) <= 1e-9 * np.abs(path).max()).all()


# --- living with scikit-learn ---------------------------------------------------------------


@each("model", EVERY, **named)
def test_outputs_are_fitted_one_by_one(model):
    X, y = spoilt(1)
    both = fit_quietly(model, X, np.column_stack([y, -2 * y + 1]))
    assert both.predict(X).shape == (60, 2)
    for j, target in enumerate((y, -2 * y + 1)):
        alone = fit_quietly(model, X, target)
        assert_allclose(both.predict(X)[:, j], alone.predict(X), rtol=1e-9)
        assert_allclose(both.coef_[j], alone.coef_, rtol=1e-9)


@each("model", EVERY, **named)
def test_pickle_and_clone(model):
    X, y = spoilt(2)
    fitted = fit_quietly(model, X, y)
    assert_allclose(pickle.loads(pickle.dumps(fitted)).predict(X), fitted.predict(X), rtol=0)
    assert clone(fitted).get_params() == fitted.get_params()


def test_feature_names_and_set_output():
    X, y = spoilt(3)
    frame = pd.DataFrame(X, columns=["left", "right"])
    layer = RandomHiddenLayer(3, random_state=0).set_output(transform="pandas")
    outputs = layer.fit_transform(frame)
    assert list(outputs.columns) == [f"randomhiddenlayer{i}" for i in range(3)]
    model = quiet(MCCRegressor(), frame, y)
    with sklearn.config_context(transform_output="pandas"):
        elm = quiet(RELMRegressor(5, random_state=0), frame, y)
        assert isinstance(elm.predict(frame), np.ndarray)
    assert list(model.feature_names_in_) == ["left", "right"]
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame.rename(columns={"left": "top"}))


def test_layer_in_a_pipeline_is_the_elm():
    X, y = spoilt(4)
    layer = RandomHiddenLayer(20, input_scaling="minmax", random_state=0)
    pipeline = make_pipeline(layer, Ridge(0.1, fit_intercept=False)).fit(X, y)
    elm = RELMRegressor(20, alpha=0.1, scale=False, random_state=0)
    scaled = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    assert_allclose(pipeline.predict(X), elm.fit(scaled, y).predict(scaled), rtol=1e-8)


def test_small_layer_is_the_beginning_of_a_large_one():
    X, _ = spoilt(5)
    large = RandomHiddenLayer(30, random_state=1).fit_transform(X)
    assert_allclose(RandomHiddenLayer(10, random_state=1).fit_transform(X), large[:, :10], rtol=0)


def test_grid_search_in_a_pipeline_with_routed_weights():
    X, y = spoilt(6)
    weight = np.linspace(0.5, 2, len(y))
    with sklearn.config_context(enable_metadata_routing=True):
        model = ELMMCCVCRegressor(n_hidden=15, random_state=0).set_fit_request(sample_weight=True)
        search = GridSearchCV(
            make_pipeline(StandardScaler().set_fit_request(sample_weight=True), model),
            {"elmmccvcregressor__alpha": [1e-4, 1e-2, 1.0]},
            scoring=correntropy_scorer(sigma=0.3).set_score_request(sample_weight=True),
            cv=3,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            search.fit(X, y, sample_weight=weight)
    assert 0.3 < search.best_score_ <= 1


def test_scores():
    errors = np.array([0.0, 1.0, 100.0])
    expected = np.mean(np.exp(-(errors**2) / 8))
    assert correntropy_score(errors, [0, 0, 0], sigma=2.0) == pytest.approx(expected)
    assert correntropy_loss(errors, [0, 0, 0], sigma=2.0) == pytest.approx(1 - expected)
    assert correntropy_score(errors, [-5, -5, -5], sigma=2.0, center=5.0) == pytest.approx(expected)
    weighted = correntropy_score(errors, [0, 0, 0], sigma=2.0, sample_weight=[1, 1, 0])
    assert weighted == pytest.approx(np.mean(np.exp(-(errors[:2] ** 2) / 8)))
    with pytest.raises(ValueError, match="sigma must be > 0"):
        correntropy_score(errors, errors, sigma=0)
    X, y = line(60)
    assert cross_val_score(MCCRegressor(), X, y, scoring=correntropy_scorer(sigma=0.3)).min() > 0.8


# --- many fits, many threads, quick import --------------------------------------------------


@pytest.mark.slow
def test_ten_thousand_tiny_problems_leak_no_memory():
    rng = np.random.default_rng(10)
    X, y = rng.random((6, 1)), rng.random(6)
    model = MCCRegressor(0.3, init="zeros", max_iter=2, tol=1.0)

    def peak_after(fits):
        for _ in range(fits):
            model.fit(X, y)
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    before = peak_after(500)
    assert peak_after(10_000) - before < 5_000  # kilobytes; a leak of 0.5 kB per fit


@pytest.mark.slow
def test_a_hundred_threads_give_the_same_answer():
    X, y = spoilt(7)
    results = [None] * 100

    def work(i):
        results[i] = clone(LINEAR[1]).fit(X, y).coef_

    expected = clone(LINEAR[1]).fit(X, y).coef_
    threads = [threading.Thread(target=work, args=(i,)) for i in range(100)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all((found == expected).all() for found in results)


@pytest.mark.slow
def test_number_of_blas_threads_does_not_matter():
    code = (
        "import numpy as np; from mccvc import ELMMCCVCRegressor; "
        "rng = np.random.default_rng(0); X = rng.random((400, 5)); y = X.sum(axis=1); "
        "y += rng.standard_t(2, 400) / 10; "
        "model = ELMMCCVCRegressor(n_hidden=150, alpha=1e-3, max_iter=10, tol=0, random_state=0); "
        "print(model.fit(X, y).predict(X[:5]).tolist())"
    )
    found = []
    for threads in ("1", "2"):
        environment = os.environ | {"OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads}
        output = subprocess.check_output([sys.executable, "-c", code], env=environment)
        found.append(json.loads(output))
    assert_allclose(found[0], found[1], rtol=1e-8)


def test_import_is_silent_and_loads_no_other_package():
    code = (
        "import sys, mccvc; assert not {'numpy', 'scipy', 'sklearn'} & set(sys.modules); "
        "mccvc.MCCRegressor; assert 'sklearn' in sys.modules"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error::DeprecationWarning:mccvc", "-c", code], capture_output=True
    )
    assert done.returncode == 0, done.stderr
    silent = subprocess.run(
        [sys.executable, "-W", "error", "-c", "import mccvc"], capture_output=True
    )
    assert (silent.returncode, silent.stdout, silent.stderr) == (0, b"", b"")


def test_unknown_name_is_an_attribute_error():
    import mccvc

    assert not hasattr(mccvc, "nothing")
    assert "MCCRegressor" in dir(mccvc)


def test_many_rows_fit_in_little_memory():
    inputs = np.random.default_rng(20).normal(size=(50_000, 3))
    target = inputs @ [1.0, 2.0, 3.0]
    tracemalloc.start()
    model = MCCVCRegressor().fit(inputs, target)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    np.testing.assert_allclose(model.coef_, [1.0, 2.0, 3.0], rtol=1e-6)
    assert peak < 200e6
