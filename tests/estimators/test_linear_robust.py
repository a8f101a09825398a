"""The linear estimators on other people's data: leverage, ties, far inputs, weights, intervals."""

import csv
import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from paths import ROOT
from reference import lip_mcc_vc
from scipy.stats import t as student_t
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LinearRegression

from mccvc import MCCRegressor, MCCVCRegressor
from mccvc.estimators._robust_distance import ordinary_rows
from mccvc.estimators._sample import distinct_rows
from mccvc.scale import efficient_width, matched_scale, matched_share

BOTH = [MCCRegressor(), MCCVCRegressor()]
each = pytest.mark.parametrize
model_of = each("model", BOTH, ids=lambda m: type(m).__name__)


def quiet(model, *data, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return clone(model).fit(*data, **options)


def contaminated(p, share, kind, rep):
    """Outliers in the first rows: in the target, at leverage points, or in a tight cluster."""
    rng = np.random.default_rng([p, int(share * 100), len(kind), rep, 7])
    n = max(100, 10 * p)
    X, slopes = rng.normal(size=(n, p)), rng.normal(size=p)
    y, m = X @ slopes + rng.normal(size=n) + 1, int(share * n)
    if kind == "vertical":
        y[:m] += rng.uniform(10, 30, m)
        return X, y, m
    if kind == "leverage":
        X[:m] = rng.normal(size=(m, p)) + 6
    else:
        X[:m] = 0.1 * rng.normal(size=(m, p)) + 2
    y[:m] = 1 + X[:m] @ slopes + (20 if kind == "leverage" else 10) + rng.normal(size=m)
    return X, y, m


# --- outliers -------------------------------------------------------------------------------


@pytest.mark.slow
@model_of
@each(
    ("p", "share", "kind"),
    [
        (2, 0.4, "vertical"),
        (5, 0.4, "vertical"),
        (10, 0.3, "vertical"),
        (20, 0.3, "vertical"),
        (2, 0.4, "leverage"),
        (5, 0.3, "leverage"),
        (10, 0.1, "leverage"),
        (20, 0.1, "leverage"),
        (2, 0.2, "cluster"),
        (5, 0.2, "cluster"),
        (10, 0.1, "cluster"),
        (20, 0.1, "cluster"),
    ],
)
def test_outliers_do_not_move_the_slopes(model, p, share, kind):
    held = []
    for rep in range(5):
        X, y, m = contaminated(p, share, kind, rep)
        oracle = LinearRegression().fit(X[m:], y[m:]).coef_
        fitted = quiet(model, X, y)
        near = np.linalg.norm(fitted.coef_ - oracle) < 1.5 * np.sqrt(p / (len(y) - m))
        rejected = np.median(fitted.weights_[:m]) < 0.01
        held.append(near and rejected and abs(fitted.inlier_share_ - 1 + share) < 0.12)
    assert sum(held) >= 4


@model_of
def test_few_rows_with_several_masked_outliers(model):
    """Twenty rows and six unknowns, as in Rousseeuw's wood data."""
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(20, 5))
        y = X @ [1, -1, 2, 0, 1] + 0.1 * rng.normal(size=20)
        X[:4] = X[:4] * 0.1 + 1
        y[:4] += 10
        fitted = quiet(model, X, y)
        assert fitted.weights_[:4].max() < 0.1
        assert_allclose(fitted.coef_, [1, -1, 2, 0, 1], atol=0.4)


def test_stackloss_rejects_the_rows_that_everyone_rejects():
    api = pytest.importorskip("statsmodels.api")
    data = api.datasets.stackloss.load_pandas()
    for model in BOTH:
        fitted = quiet(model, data.exog, data.endog)
        # lmrob (KS2014): 0.939, 0.580, -0.113 with standard errors 0.117, 0.263, 0.070.
        z = (fitted.coef_ - [0.93885, 0.57955, -0.11292]) / [0.11743, 0.26296, 0.06989]
        assert np.abs(z).max() < 1
        assert np.argmin(fitted.weights_) == 20
        assert fitted.weights_[20] < 0.1


@pytest.mark.slow
@model_of
def test_efficiency_is_that_of_least_squares_on_clean_data(model):
    ratios = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(200, 3)), rng.normal(size=200)
        robust = np.sum(quiet(model, X, y).coef_ ** 2)
        ratios.append((robust, np.sum(LinearRegression().fit(X, y).coef_ ** 2)))
    robust, least = np.mean(ratios, axis=0)
    assert least / robust > 0.88


def test_efficient_width_inverts_the_efficiency_of_a_kernel():
    assert efficient_width(0.95) == pytest.approx(2.985 / np.sqrt(2), abs=1e-3)
    assert efficient_width(3 * np.sqrt(3) / 8) == pytest.approx(1.0)


def test_matched_scale_and_share_do_not_see_far_outliers():
    errors = np.random.default_rng(0).normal(size=20_000)
    errors[:6000] = 50
    ones = np.ones(len(errors))
    sigma, _ = matched_scale(errors[None], ones, np.array([0.5]))
    assert sigma[0] == pytest.approx(1.0, abs=0.05)
    assert matched_share(errors, sigma[0], ones) == pytest.approx(0.7, abs=0.03)


# --- ties and exact fits --------------------------------------------------------------------


def wine():
    with (ROOT / "data/bundled/winequality-red.csv").open(newline="", encoding="utf-8") as file:
        rows = np.array(list(csv.reader(file, delimiter=";"))[1:], dtype=float)
    return rows[:, :-1], rows[:, -1]


def tied(name):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(400, 3))
    mean = X @ [1, 0.5, -1]
    noisy = mean + rng.normal(size=400)
    return {
        "wine-red": wine,
        "counts": lambda: (X, rng.poisson(np.exp(1 + 0.3 * mean)).astype(float)),
        "ratings": lambda: (X, np.clip(np.round(3 + noisy), 1, 5)),
        "half and half": lambda: (X, (noisy > np.median(noisy)).astype(float)),
        "limit of detection": lambda: (X, np.maximum(noisy, np.quantile(noisy, 0.3))),
        "zeros": lambda: (X, np.maximum(mean + 0.3 * rng.normal(size=400) + 0.4, 0)),
        "rounded": lambda: (X, 2 * np.round(noisy / 2)),
        "few inputs too": lambda: (np.round(X), np.round(np.round(X) @ [1, 0.5, -1] + noisy)),
    }[name]()


@model_of
@each(
    "name",
    [
        "wine-red",
        "counts",
        "ratings",
        "half and half",
        "limit of detection",
        "zeros",
        "rounded",
        "few inputs too",
    ],
)
def test_tied_targets(model, name):
    X, y = tied(name)
    assert np.unique(y, return_counts=True)[1].max() <= 0.5 * len(y)
    fitted = quiet(model, X, y)
    assert fitted.score(X, y) > LinearRegression().fit(X, y).score(X, y) - 0.1
    if name == "wine-red":
        assert fitted.score(X, y) >= 0.33


@model_of
@each("share", [0.51, 0.6, 0.9])
def test_exact_fit_of_more_than_half_warns_with_the_share(model, share):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(200, 2))
    y = X @ [1.0, 2.0] + 3
    m = round(200 * (1 - share))
    y[:m] += rng.uniform(1, 30, m)
    with pytest.warns(ConvergenceWarning, match=f"{share:.1%} of the samples are fitted exactly"):
        fitted = clone(model).fit(X, y)
    assert_allclose(fitted.coef_, [1, 2], rtol=1e-7)


@model_of
def test_as_many_rows_as_unknowns_are_no_exact_fit(model):
    rng = np.random.default_rng(5)
    quiet(model, rng.normal(size=(6, 4)), rng.normal(size=6))


@model_of
def test_precise_targets_are_no_exact_fit(model):
    X = np.random.default_rng(6).normal(size=(100, 2))
    quiet(model, X.astype(np.float32), (X @ [1.0, 2.0]).astype(np.float32))


# --- far inputs, weights, order -------------------------------------------------------------


@model_of
@each("value", [1e3, 1e6, 1e14, -3.4e38])
def test_far_inputs(model, value):
    rng = np.random.default_rng(7)
    X = rng.normal(size=(200, 3))
    y = X @ [3, 1, -2] + 1 + 0.1 * rng.normal(size=200)
    X[:2, 1] = value
    fitted = quiet(model, X, y)
    assert_allclose(fitted.coef_, [3, 1, -2], atol=0.05)
    assert fitted.weights_[:2].max() < 1e-6
    assert np.isfinite(fitted.covariance_).all()


@model_of
def test_far_inputs_on_the_line_are_kept(model):
    rng = np.random.default_rng(8)
    X = np.exp(4 * rng.normal(size=(200, 1)))
    fitted = quiet(model, X, 3 * X[:, 0] + 0.1 * rng.normal(size=200))
    assert fitted.weights_.min() > 0.01


@model_of
@each("alpha", [0.0, 0.5])
@each("n", [60, 300, 12_000])
def test_weights_are_repeats_and_order_does_not_matter(model, alpha, n):
    rng = np.random.default_rng(n)
    X, weight = rng.normal(size=(n, 2)), rng.integers(1, 5, n)
    y = X @ [1, 2] + rng.normal(size=n)
    y[: n // 5] += 20
    model = clone(model).set_params(alpha=alpha)
    weighted = quiet(model, X, y, sample_weight=weight)
    order = rng.permutation(weight.sum())
    rows = np.repeat(np.arange(n), weight)[order]
    repeated = quiet(model, X[rows], y[rows])
    assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-7)
    assert weighted.sigma_ == pytest.approx(repeated.sigma_, rel=1e-9)
    assert weighted.inlier_share_ == pytest.approx(repeated.inlier_share_, rel=1e-9)
    if alpha == 0:
        assert_allclose(weighted.covariance_, repeated.covariance_, rtol=1e-3)


def test_distinct_rows_merge_and_thin():
    X, y = np.array([[1.0], [2.0], [1.0], [1.0]]), np.array([1.0, 1.0, 1.0, 2.0])
    found = distinct_rows(X, y, np.array([1.0, 2.0, 3.0, 4.0]))
    merged = {(X[r, 0], y[r]): w for r, w in zip(found.rows, found.weight, strict=True)}
    assert merged == {(1.0, 1.0): 4.0, (2.0, 1.0): 2.0, (1.0, 2.0): 4.0}
    assert found.total == 10
    few = found.thinned(2)
    assert len(few.rows) <= 2
    assert few.weight.sum() == 2


def test_ordinary_rows_leave_out_what_is_far():
    rng = np.random.default_rng(9)
    inputs = rng.normal(size=(200, 4)) @ rng.normal(size=(4, 4))
    inputs[:60] += 50
    found = ordinary_rows(inputs, np.ones(200), 200.0)
    assert not found[:60].any()
    assert found[60:].mean() > 0.9
    assert ordinary_rows(np.ones((50, 2)), np.ones(50), 50.0).all()


# --- shapes that used to crash or take long -------------------------------------------------


@each("model", [*BOTH, MCCVCRegressor(efficiency=None), MCCRegressor(fit_intercept=False)])
@each("shape", [(30, 3), (30, 40), (2, 1), (1, 1)])
def test_design_of_zeros(model, shape):
    y = np.random.default_rng(10).normal(size=shape[0]) + 5
    fitted = quiet(model, np.zeros(shape), y)
    assert_allclose(fitted.coef_, 0)
    assert np.isfinite(fitted.predict(np.zeros(shape))).all()


@model_of
def test_many_columns_are_least_squares_of_least_norm(model):
    rng = np.random.default_rng(11)
    X, y = rng.normal(size=(30, 800)), rng.normal(size=30)
    expected = LinearRegression().fit(X, y)
    fitted = quiet(model, X, y)
    assert_allclose(fitted.coef_, expected.coef_, atol=1e-8)
    with pytest.raises(AttributeError, match="no more samples than unknowns"):
        fitted.covariance_  # noqa: B018


@model_of
def test_many_columns_of_few_directions(model):
    rng = np.random.default_rng(12)
    scores = rng.normal(size=(60, 2))
    X = scores @ rng.normal(size=(2, 200))
    y = scores @ [1.0, 2.0] + 0.1 * rng.normal(size=60)
    y[:12] += 30
    fitted = quiet(model, X, y)
    assert fitted.weights_[:12].max() < 1e-6
    assert np.abs(fitted.predict(X)[12:] - y[12:]).max() < 0.5


def test_series_and_words_get_one_clear_error():
    with pytest.raises(ValueError, match=r"2-dimensional|2D array"):
        MCCRegressor().fit(pd.Series([1.0, 2.0, 3.0]), [1, 2, 3])
    with pytest.raises(ValueError, match=r"'sigma' .*'auto'.* Got 'scott'"):
        MCCRegressor("scott").fit([[1.0], [2.0]], [1, 2])
    for name, value in (("efficiency", 1.0), ("efficiency", "high"), ("inlier_share", 0.5)):
        with pytest.raises(ValueError, match=f"'{name}' .* None or"):
            MCCVCRegressor(**{name: value}).fit([[1.0], [2.0]], [1, 2])


def test_text_columns_of_other_frames_are_named():
    class Frame:
        """As polars has it: names, and types that print as String."""

        columns, dtypes = ("a", "b"), ("Float64", "String")

        def __array__(self, dtype=None, copy=None):
            return np.array([[1.0, "x"], [2.0, "y"]], dtype=object).astype(dtype or object)

        def __len__(self):
            return 2

        shape = (2, 2)

    with pytest.raises(ValueError, match=r"text in columns \['b'\]"):
        MCCRegressor().fit(Frame(), [1.0, 2.0])


# --- the paper's settings -------------------------------------------------------------------


@each("seed", range(3))
def test_the_papers_settings_are_algorithm_1(seed):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, (60, 2))
    y = X @ [1, 2] + rng.normal(3, 1, 60)
    y[:6] = rng.normal(0, 100, 6)
    widths, centers = np.arange(1, 26) * 0.2, np.arange(-50, 51, 5) * 0.1
    model = MCCVCRegressor(
        widths, centers, alpha=0.1, inlier_share=1, efficiency=None, init="zeros", tol=1e-8
    ).fit(X, y)
    beta, sigma, c, k, _ = lip_mcc_vc(X, y, 0.1, list(widths), list(centers), 100, 1e-8)
    assert_allclose(model.coef_, beta, rtol=1e-9)
    assert (model.sigma_, model.center_, model.n_iter_) == pytest.approx((sigma, c, k), rel=1e-9)


def test_without_the_efficient_step_width_and_center_are_of_the_sets():
    X, y, _ = contaminated(2, 0.2, "vertical", 0)
    widths, centers = [0.5, 1.0, 2.0], [0.0, 1.0, 2.0]
    for share in (None, 1):
        fitted = quiet(MCCVCRegressor(widths, centers, efficiency=None, inlier_share=share), X, y)
        assert fitted.sigma_ in [pytest.approx(w) for w in widths]
        assert fitted.center_ in [pytest.approx(c) for c in centers]


# --- uncertainty ----------------------------------------------------------------------------


@pytest.mark.slow
@each(("p", "n", "off"), [(3, 50, 20), (10, 50, 4), (3, 200, 4)])
def test_intervals_cover(p, n, off):
    hits = []
    for seed in range(100):
        rng = np.random.default_rng([p, n, off, seed])
        X, slopes = rng.normal(size=(n, p)), rng.normal(size=p)
        y = X @ slopes + rng.normal(size=n)
        y[: n // 10] += off
        fitted = quiet(MCCRegressor(), X, y)
        half = student_t.ppf(0.975, n - p - 1) * np.sqrt(np.diag(fitted.covariance_))
        hits.append(np.abs(fitted.coef_ - slopes) <= half)
    assert 0.9 < np.mean(hits) < 0.985


@each("model", [MCCRegressor(), MCCVCRegressor()])
def test_covariance_beside_outliers_of_any_size(model):
    X, y, _ = contaminated(2, 0.1, "vertical", 0)
    y[:5] = [1e50, 1e50, 1e50, 1e50, -1e50]
    known = quiet(model, X, y)
    y[:5] *= 1e200
    assert_allclose(quiet(model, X, y).covariance_, known.covariance_, rtol=1e-6)


def test_covariance_in_the_data_s_units_for_each_target():
    X, y, _ = contaminated(2, 0.1, "vertical", 0)
    one = quiet(MCCRegressor(), X, y)
    units = np.array([10.0, 1e-3])
    both = quiet(MCCRegressor(), X * units, np.column_stack([y, 2 * y]))
    assert both.covariance_.shape == (2, 2, 2)
    assert_allclose(both.covariance_[0], one.covariance_ / np.outer(units, units), rtol=1e-6)
    assert_allclose(both.covariance_[1], 4 * both.covariance_[0], rtol=1e-6)


@each(
    ("model", "columns", "reason"),
    [
        (MCCRegressor(alpha=0.1), 2, "penalty"),
        (MCCVCRegressor(alpha=0.1), 2, "penalty"),
        (MCCRegressor(), 3, "depend on each other"),
    ],
)
def test_no_covariance_says_why(model, columns, reason):
    X, y, _ = contaminated(2, 0.1, "vertical", 0)
    X = np.column_stack([X, X.sum(axis=1)])[:, :columns]
    fitted = quiet(model, X, y)
    assert not hasattr(fitted, "covariance_")
    with pytest.raises(AttributeError, match=reason):
        fitted.covariance_  # noqa: B018
    assert reason in fitted.summary()


def test_summary_names_coefficients_errors_share_and_rejected_rows():
    X, y, m = contaminated(2, 0.1, "vertical", 0)
    fitted = quiet(MCCVCRegressor(), pd.DataFrame(X, columns=["dose", "age"]), y)
    text = fitted.summary()
    for name, value, variance in zip(
        ("dose", "age"), fitted.coef_, np.diag(fitted.covariance_), strict=True
    ):
        line = next(row for row in text.splitlines() if row.startswith(name))
        assert line.split()[1:] == [f"{value:.5g}", f"{np.sqrt(variance):.5g}"]
    assert f"inlier share {fitted.inlier_share_:.1%}" in text
    assert f"{m} of 100 samples rejected: 0, 1, 2" in text
    several = quiet(MCCRegressor(), X, np.column_stack([y, -y])).summary()
    assert several.count("target") == 2
