"""The hidden-layer estimators by default: few nodes, ties, far inputs, weights, penalties."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.datasets import load_diabetes
from sklearn.linear_model import LinearRegression

from mccvc import (
    ELMMCCVCRegressor,
    ELMRCCRegressor,
    RandomHiddenLayer,
    RELMRegressor,
    RobustELMRegressor,
)
from mccvc.estimators._layer_starts import PENALTIES, RidgePath

ROBUST = [ELMRCCRegressor, ELMMCCVCRegressor, RobustELMRegressor]
pytestmark = pytest.mark.slow
each = pytest.mark.parametrize


def quiet(model, *data, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return clone(model).fit(*data, **options)


def wave(n=300, seed=1):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (n, 2))
    return X, np.sin(3 * X[:, 0]) * X[:, 1] + 0.05 * rng.normal(size=n)


# --- defaults -------------------------------------------------------------------------------


@each("kind", [ELMRCCRegressor, ELMMCCVCRegressor])
@each("n_hidden", [3, 8, 11])
def test_few_nodes_are_no_worse_than_least_squares(kind, n_hidden):
    X, y = wave()
    lost = []
    for seed in range(6):
        options = {"n_hidden": n_hidden, "random_state": seed}
        least = quiet(RELMRegressor(**options), X, y).score(X, y)
        lost.append(least - quiet(kind(**options), X, y).score(X, y))
    assert np.median(lost) < 0.05
    assert max(lost) < 0.25


@pytest.mark.slow
@each("kind", ROBUST)
@each("share", [0.1, 0.3])
def test_automatic_penalty_is_near_the_best_one_under_outliers(kind, share):
    X, y = load_diabetes(return_X_y=True)
    rng = np.random.default_rng(0)
    rows = rng.permutation(len(y))
    train, test = rows[:221], rows[221:]
    target = y[train].copy()
    m = int(share * len(train))
    target[:m] += rng.uniform(1, 3, m) * np.ptp(y)

    def error(alpha):
        model = kind(alpha=alpha, random_state=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            predicted = model.fit(X[train], target).predict(X[test])
        return np.sqrt(np.mean((predicted - y[test]) ** 2))

    assert error("auto") <= 1.1 * min(error(alpha) for alpha in 10.0 ** np.arange(-8, 3, 2))


def test_automatic_penalty_of_least_squares_does_not_overfit():
    X, y = load_diabetes(return_X_y=True)
    model = quiet(RELMRegressor(random_state=0), X[:221], y[:221])
    assert model.score(X[221:], y[221:]) > 0.4
    assert model.alpha_ in [pytest.approx(value) for value in PENALTIES / 4]


def test_errors_left_out_are_those_of_fits_without_the_row():
    rng = np.random.default_rng(2)
    design, target, weight = rng.normal(size=(20, 4)), rng.normal(size=20), rng.uniform(1, 3, 20)
    for level in (False, True):
        path = RidgePath(design, target, weight, np.array([0.1, 3.0]), level=level)
        for i in range(20):
            kept = np.arange(20) != i
            without = RidgePath(
                design[kept], target[kept], weight[kept], np.array([0.1, 3.0]), level=level
            )
            expected = target[i] - without.beta @ np.append(design[i], 1.0)
            assert_allclose(path.left_out[:, i], expected, rtol=1e-8)


@each("kind", ROBUST)
def test_blocks_and_several_targets(kind, monkeypatch):
    from mccvc.estimators import _layer_base as base

    X, y = wave(800)
    y[:200] += 5
    options = {"n_hidden": 30, "random_state": 0}
    both = quiet(kind(**options), X, np.column_stack([y, -y]))
    assert both.alpha_.shape == (2,)
    assert_allclose(both.predict(X)[:, 0], quiet(kind(**options), X, y).predict(X), atol=1e-7)
    monkeypatch.setattr(base, "_LARGEST_HELD", 0)
    blocked = quiet(kind(**options), X, y)
    assert_allclose(blocked.predict(X), both.predict(X)[:, 0], atol=1e-3)


# --- ties, far inputs, weights --------------------------------------------------------------


@each("kind", ROBUST)
@each("name", ["ratings", "half and half", "counts", "limit"])
def test_tied_targets(kind, name):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 3))
    mean = X @ [1, 0.5, -1]
    noisy = mean + rng.normal(size=300)
    y = {
        "ratings": np.clip(np.round(3 + noisy), 1, 5),
        "half and half": (noisy > np.median(noisy)).astype(float),
        "counts": rng.poisson(np.exp(1 + 0.3 * mean)).astype(float),
        "limit": np.maximum(noisy, np.quantile(noisy, 0.3)),
    }[name]
    least = LinearRegression().fit(X, y).score(X, y)
    assert quiet(kind(random_state=0), X, y).score(X, y) > least - 0.1


@each("kind", [RELMRegressor, *ROBUST])
@each("value", [1000.0, 1e14, -3.4e38])
def test_far_inputs_do_not_flatten_the_others(kind, value):
    rng = np.random.default_rng(4)
    X = rng.random((200, 3))
    y = np.sin(3 * X[:, 0]) + X[:, 1] + 0.05 * rng.normal(size=200)
    X[7, 1] = value
    others = np.arange(200) != 7
    assert quiet(kind(random_state=0), X, y).score(X[others], y[others]) > 0.95


@each("kind", [RELMRegressor, *ROBUST])
def test_weights_are_repeats(kind):
    X, y = wave(200)
    y[:40] += 5
    weight = np.random.default_rng(5).integers(1, 5, 200)
    options = {"n_hidden": 40, "random_state": 0}
    weighted = quiet(kind(**options), X, y, sample_weight=weight)
    repeated = quiet(kind(**options), np.repeat(X, weight, axis=0), np.repeat(y, weight))
    assert_allclose(weighted.predict(X), repeated.predict(X), atol=1e-6)


def test_robust_scaling_of_inputs():
    rng = np.random.default_rng(6)
    columns = np.column_stack(
        [rng.random(1000), rng.random(1000), np.full(1000, 3.0), rng.integers(0, 2, 1000)]
    )
    columns[0, 1] = 1e9
    layer = RandomHiddenLayer(5, random_state=0).fit(columns)
    scaled = (columns - layer.minimum_) / layer.span_
    for j in (0, 1):
        assert_allclose(np.quantile(scaled[:, j], [0.1, 0.5, 0.9]), [0.1, 0.5, 0.9], atol=0.05)
    assert_allclose(scaled[:, 2], 0)
    assert_allclose(np.unique(scaled[:, 3]), [0, 1])
    least = RandomHiddenLayer(5, input_scaling="minmax", random_state=0).fit(columns)
    assert_allclose(least.minimum_, columns.min(axis=0))
    with pytest.raises(ValueError, match="'input_scaling'"):
        RandomHiddenLayer(input_scaling="none").fit(columns)
    with pytest.raises(ValueError, match=r"'alpha' .*, if not 'auto', must"):
        RELMRegressor(alpha="best").fit(columns, columns[:, 0])
