"""The ELM that chooses everything by itself: outliers, units, parts, wrong parameters."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

from mccvc import ELMAveragedRegressor, RandomHiddenLayer, RELMRegressor
from mccvc.estimators.averaged import ordinary_range
from mccvc.solvers.hedged import WHOLE, hedged
from mccvc.solvers.judging import Parts

pytestmark = pytest.mark.slow
each = pytest.mark.parametrize
SMALL = ELMAveragedRegressor(n_hidden=(10, 30), alpha=[1e-8, 1e-5, 1e-2], random_state=0)


def wave(n=200, seed=0, share=0.0, size=(1, 3)):
    """Inputs, a target of range 1 of which a share is raised, and the target without."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (n, 2))
    clean = 0.5 + 0.35 * np.sin(2 * X[:, 0]) + 0.15 * X[:, 1]
    y = clean + 0.02 * rng.normal(size=n)
    m = round(share * n)
    y[:m] += rng.uniform(*size, m)
    return X, y, clean


def quiet(model, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return clone(model).fit(X, y)


def rmse(a, b):
    return np.sqrt(np.mean((a - b) ** 2))


@parametrize_with_checks([ELMAveragedRegressor(n_hidden=(5, 10))])
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@each("share", [0.0, 0.1, 0.3, 0.4])
@each("sign", [1, -1])
def test_outliers_do_not_move_it(share, sign):
    X, y, clean = wave(share=share)
    fit = quiet(SMALL, X, clean + sign * (y - clean))
    assert rmse(fit.predict(X), clean) < 0.03
    assert fit.target_range_ == pytest.approx(1, rel=0.35)


def test_real_data_with_outliers_cost_little():
    X, y = load_diabetes(return_X_y=True)
    rng = np.random.default_rng(1)
    rows = rng.permutation(len(y))
    train, test = rows[:221], rows[221:]
    clean = quiet(ELMAveragedRegressor(random_state=0), X[train], y[train]).predict(X[test])
    target = y[train].copy()
    target[:66] += rng.uniform(1, 3, 66) * np.ptp(y)
    spoilt = quiet(ELMAveragedRegressor(random_state=0), X[train], target).predict(X[test])
    least = quiet(RELMRegressor(random_state=0), X[train], y[train]).predict(X[test])
    assert rmse(clean, y[test]) < 1.05 * rmse(least, y[test])
    assert rmse(spoilt, y[test]) < 1.1 * rmse(clean, y[test])


@each("share", [0.0, 0.3])
def test_units_of_the_target_do_not_matter(share):
    X, y, _ = wave(share=share)
    plain = quiet(SMALL, X, y)
    other = quiet(SMALL, X, 1e6 * y - 3e5)
    assert other.predict(X) == pytest.approx(1e6 * plain.predict(X) - 3e5, rel=1e-6, abs=1)
    assert other.target_range_ == pytest.approx(1e6 * plain.target_range_)
    assert other.alpha_ == plain.alpha_


def test_same_seed_same_result_and_two_targets_are_two_fits():
    X, y, clean = wave(share=0.2)
    one, again = quiet(SMALL, X, y), quiet(SMALL, X, y)
    assert (one.predict(X) == again.predict(X)).all()
    both = quiet(SMALL, X, np.column_stack([y, clean]))
    assert (both.predict(X)[:, 0] == one.predict(X)).all()
    assert both.n_averaged_.shape == both.alpha_.shape == (2,)
    assert both.n_averaged_[0] == one.n_averaged_


def test_with_all_parts_it_is_the_hedged_method_on_the_scaled_target():
    X, y, _ = wave(share=0.2)
    options = {"criterion": "mcc-vc-efficient", "clip": True, "hedge": True}
    fit = quiet(ELMAveragedRegressor(**SMALL.get_params() | options), X, y)
    rng = np.random.RandomState(0)
    layer = RandomHiddenLayer(30, random_state=rng).fit(X)
    H = layer.transform(X)
    folds = np.array_split(rng.permutation(len(X)), 5)
    low, high = ordinary_range(H, y)
    parts = WHOLE._replace(scale="fixed")
    target = (y - low) / (high - low)
    whole = hedged(H, target, folds, [10, 30], [1e-8, 1e-5, 1e-2], parts=parts)
    assert fit.predict(X) == pytest.approx(low + (high - low) * whole.predict(H))
    assert fit.hedged_ == (whole.ridge is not None)
    assert fit.n_averaged_ == whole.average.members.sum() > 1


@each("part", [{}, {"clip": True}, {"hedge": True}, {"combine": "best"}, {"scoring": "squared"}])
def test_each_part_is_an_argument(part):
    X, y, _ = wave(share=0.1)
    fit = quiet(ELMAveragedRegressor(**SMALL.get_params() | part), X, y)
    used = {("score" if name == "scoring" else name): value for name, value in part.items()}
    assert fit._fits[0].judged.parts == Parts("truncated", "mean")._replace(**used)
    assert (fit.clip_[1] < 1.3) == ("clip" in part) and fit.clip_[0] < 0.3
    assert (fit.n_averaged_ == 1) == (part.get("combine") == "best")


@each(
    ("criterion", "parameters"),
    [
        ("mcc-vc-efficient", None),
        ("mcc", {"sigma": [0.1, 0.3]}),
        ("tukey", None),
        ("krsl", {"sigma": 0.1, "mu": 1}),
    ],
)
def test_other_criteria_take_the_parts(criterion, parameters):
    X, y, clean = wave(share=0.2)
    options = SMALL.get_params() | {"criterion": criterion, "parameters": parameters}
    assert rmse(quiet(ELMAveragedRegressor(**options), X, y).predict(X), clean) < 0.1


def test_predictions_are_cut_off_at_ordinary_targets():
    X, y, clean = wave(share=0.2)
    fit = quiet(ELMAveragedRegressor(**SMALL.get_params() | {"clip": True}), X, y)
    low, high = fit.clip_
    assert low == pytest.approx(clean.min(), abs=0.1) and high == pytest.approx(
        clean.max(), abs=0.1
    )
    far = fit.predict(50 * X)
    assert far.min() >= low and far.max() <= high


def test_the_range_can_be_given():
    X, y, clean = wave(share=0.4, size=(0.3, 1))
    fit = quiet(ELMAveragedRegressor(**SMALL.get_params() | {"target_range": 1.0}), X, y)
    assert fit.target_range_ == 1.0
    assert rmse(fit.predict(X), clean) < 0.15


@each("given", [1e-300, 1e-3])
def test_a_range_far_too_small_is_told(given):
    X, y, _ = wave()
    model = ELMAveragedRegressor(**SMALL.get_params() | {"target_range": given})
    with pytest.warns(
        ConvergenceWarning, match=f"target_range is {given:.3g}, but .* interquartile"
    ):
        model.fit(X, y)


@each("value", [7.0, 0.0])
def test_constant_targets_are_predicted(value):
    X, _, _ = wave(40)
    fit = quiet(SMALL, X, np.full(40, value))
    assert fit.predict(X) == pytest.approx(value, abs=1e-6)


@each(
    ("options", "message"),
    [
        ({"criterion": "mcc-vc"}, "'criterion' parameter .* must be one of"),
        ({"scoring": "mse"}, "'scoring' parameter .* must be one of"),
        ({"scoring": "median"}, "combine='mean' .* scoring='median'"),
        ({"n_hidden": [10, 0]}, "'n_hidden' parameter .* whole numbers >= 1"),
        ({"n_hidden": 2.5}, "'n_hidden' parameter .* whole numbers >= 1"),
        ({"n_hidden": []}, "'n_hidden' parameter .* whole numbers >= 1"),
        ({"alpha": [0.0, 1.0]}, "'alpha' parameter .* finite numbers > 0"),
        ({"cv": 1}, "'cv' parameter"),
        ({"cv": 300}, "'cv' parameter .* at most the number of samples.*n_samples=200"),
        ({"target_range": 0}, "'target_range' parameter"),
        ({"criterion": "krsl"}, r"values of \['mu', 'sigma'\] for criterion 'krsl'. Got \[\]"),
        ({"criterion": "mcc", "parameters": {"sigma": [-1]}}, "Parameter 'sigma' .* must be"),
        (
            {"criterion": "mcc-vc-efficient", "parameters": {"kappa": [2]}},
            "values of .* Got .*kappa",
        ),
        ({"activation": "cubic"}, "'activation' parameter"),
    ],
)
def test_mistakes_are_told(options, message):
    X, y, _ = wave()
    with pytest.raises(ValueError, match=message):
        ELMAveragedRegressor(**options).fit(X, y)


@each("clip", [False, True])
def test_targets_of_which_most_are_equal_are_told(clip):
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(200, 2))
    y = rng.poisson(0.2 + (X[:, 0] > 0.6)) * 1.0
    model = ELMAveragedRegressor(**SMALL.get_params() | {"clip": clip})
    with pytest.warns(ConvergenceWarning, match=r"5\d.*% of the targets equal 0; the others may"):
        fit = clone(model).fit(X, y)
    assert fit.target_range_ > 0.9
    with pytest.warns(ConvergenceWarning):
        small = clone(model).fit(X, 1e-6 * y)
    assert 1e6 * small.predict(X) == pytest.approx(fit.predict(X), rel=1e-6, abs=1e-6)


@each("size", [1e6, 1e155, 1e300])
def test_outliers_of_any_size(size):
    X, y, clean = wave()
    y[::10] = size
    assert rmse(quiet(SMALL, X, y).predict(X), clean) < 0.05


def test_a_range_beyond_all_numbers_is_told():
    X = wave(40)[0]
    with pytest.raises(ValueError, match=r"Input y reaches from -1.7e.308 to 1.7e.308; scale it"):
        ELMAveragedRegressor(n_hidden=5).fit(X, np.where(np.arange(40) % 2, 1.7e308, -1.7e308))
