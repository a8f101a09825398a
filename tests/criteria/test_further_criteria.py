"""Every further criterion against a literal transcription of its source's formula."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats
from sklearn.cluster import KMeans
from sklearn.linear_model import QuantileRegressor, Ridge

from mccvc.criteria.information import quantized
from mccvc.criteria.paper import MCC, MMSE
from mccvc.criteria.registry import CRITERIA
from mccvc.hidden_layer import HiddenLayer
from mccvc.solvers.batch import fit_batch
from mccvc.solvers.irls import fixed_point, reweighted
from mccvc.study.elm import elm_row
from mccvc.study.seeds import generator

# One grid point for each criterion.
POINTS = {
    "huber": {},
    "tukey": {},
    "welsch": {},
    "cauchy": {},
    "student-t": {"nu": 3.0},
    "lad": {},
    "gmcc": {"alpha": 1.5, "b": 0.7},
    "kmpe": {"sigma": 0.8, "p": 3.0},
    "krsl": {"sigma": 0.8, "mu": 2.0},
    "mixture-mcc": {"sigma": 0.3, "sigma2": 1.5, "a": 0.4},
    "mmkcc": {"sigma": 0.4, "sigma2": 1.2, "n_centers": 2.0, "gamma": 0.1},
    "mee": {"sigma": 0.8},
    "qmee": {"sigma": 0.8, "epsilon": 0.15},
}


def mad_scale(e):
    median = float(np.median(e))
    return float(np.median([abs(x - median) for x in e])) / stats.norm.ppf(0.75)


def kappa(x, sigma):
    return math.exp(-(x**2) / (2 * sigma**2))


def gauss(x, sigma):
    return kappa(x, sigma) / (math.sqrt(2 * math.pi) * sigma)


def huber(e):
    s = mad_scale(e)
    return [min(1, 1.345 * s / abs(x)) for x in e]


def tukey(e):
    s = mad_scale(e)
    return [(1 - (x / (4.685 * s)) ** 2) ** 2 if abs(x) < 4.685 * s else 0 for x in e]


def welsch(e):
    s = mad_scale(e)
    return [math.exp(-((x / (2.985 * s)) ** 2)) for x in e]


def cauchy(e):
    s = mad_scale(e)
    return [1 / (1 + (x / (2.385 * s)) ** 2) for x in e]


def student_t(e, nu):
    """EM: the scale from the weights, the weights from the scale."""
    s2 = 1.0
    for _ in range(5000):
        w = [(nu + 1) / (nu + x**2 / s2) for x in e]
        s2 = sum(wi * x**2 for wi, x in zip(w, e, strict=True)) / len(e)
    return w


def lad(e):
    return [1 / abs(x) for x in e]


def gmcc(e, alpha, b):
    return [abs(x) ** (alpha - 2) * math.exp(-(abs(x / b) ** alpha)) for x in e]


def kmpe(e, sigma, p):
    return [(1 - kappa(x, sigma)) ** ((p - 2) / 2) * kappa(x, sigma) for x in e]


def krsl(e, sigma, mu):
    return [kappa(x, sigma) * math.exp(mu * (1 - kappa(x, sigma))) for x in e]


def mixture_mcc(e, sigma, sigma2, a):
    return [a / sigma**2 * kappa(x, sigma) + (1 - a) / sigma2**2 * kappa(x, sigma2) for x in e]


def mmkcc(e, sigma, sigma2, n_centers, gamma):
    """Weights, and the sums that stand in place of W c on the right-hand side."""
    start = np.quantile(e, (np.arange(n_centers) + 0.5) / n_centers)[:, None]
    found = KMeans(int(n_centers), init=start, n_init=1, tol=0).fit(np.reshape(e, (-1, 1)))
    means = np.sort(found.cluster_centers_.ravel())
    c = [*means, *means]
    s = [sigma] * len(means) + [sigma2] * len(means)
    m = len(c)
    K = [[gauss(c[i] - c[j], math.hypot(s[i], s[j])) for j in range(m)] for i in range(m)]
    h = [sum(gauss(x - c[i], s[i]) for x in e) / len(e) for i in range(m)]
    a = [max(x, 0) for x in np.linalg.solve(np.array(K) + gamma * np.eye(m), h)]
    terms = [[a[i] / s[i] ** 2 * gauss(x - c[i], s[i]) for i in range(m)] for x in e]
    return (
        [sum(row) for row in terms],
        [sum(t * ci for t, ci in zip(row, c, strict=True)) for row in terms],
    )


def mee(e, sigma):
    D = [sum(kappa(x - y, sigma) for y in e) for x in e]
    return D, [sum(kappa(x - y, sigma) * y for y in e) for x in e]


def codebook(e, epsilon):
    words, counts = [], []
    for x in e:
        distances = [abs(x - w) for w in words]
        if words and min(distances) <= epsilon:
            counts[distances.index(min(distances))] += 1
        else:
            words.append(x)
            counts.append(1)
    return words, counts


def qmee(e, sigma, epsilon):
    pairs = list(zip(*codebook(e, epsilon), strict=True))
    weights = [sum(M * kappa(x - c, sigma) for c, M in pairs) for x in e]
    return weights, [sum(M * c * kappa(x - c, sigma) for c, M in pairs) for x in e]


LITERAL = {name.replace("_", "-"): f for name, f in globals().items() if callable(f)}


def literal(name, errors):
    """Weights, and weights times centers."""
    found = LITERAL[name](list(errors), **POINTS[name])
    if not isinstance(found, tuple):
        found = (found, [0.0] * len(errors))
    return tuple(np.array(part) for part in found)


def criterion(name, n_problems=1):
    return CRITERIA[name](**{k: np.full(n_problems, v) for k, v in POINTS[name].items()})


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(4)
    design = rng.normal(size=(90, 4))
    noise = np.where(rng.random(90) < 0.15, rng.normal(6, 4, 90), rng.normal(0.3, 0.5, 90))
    return design, design @ [1.0, -2.0, 0.5, 0.0] + noise


def test_every_criterion_is_tested():
    assert set(POINTS) == set(CRITERIA)


@pytest.mark.parametrize("name", CRITERIA)
def test_weights_are_those_of_the_formula(name):
    errors = np.random.default_rng(1).standard_t(2, size=(3, 60))
    weights, centers = criterion(name, 3).weights(errors)
    centers = np.broadcast_to(centers, weights.shape)
    for row, weight, center in zip(errors, weights, centers, strict=True):
        expected, pulled = literal(name, row)
        np.testing.assert_allclose(weight, expected, rtol=1e-7)
        np.testing.assert_allclose(weight * center, pulled, rtol=1e-7, atol=1e-12)


@pytest.mark.parametrize("name", CRITERIA)
def test_solution_solves_the_stationary_condition(name, problem):
    """(H' W H + lambda' I) beta = H' W (t - c) with the literal weights of its own errors."""
    design, target = problem
    fit = reweighted(design, target, criterion(name), [0.3], max_iter=5000, tol=1e-13)
    assert fit.converged.all()
    beta = fit.beta[0]
    weights, pulled = literal(name, target - design @ beta)
    # LAD passes through points, whose weights are limits.
    tolerance = 1e-3 if name == "lad" else 1e-6
    left = (design.T * weights) @ design @ beta + 0.3 * beta
    right = design.T @ (weights * target - pulled)
    np.testing.assert_allclose(left, right, rtol=tolerance, atol=tolerance * abs(right).max())


def test_minimum_error_entropy_is_stationary_in_its_own_form(problem):
    """H' L (t - H beta) = lambda' beta with the Laplacian L = D - K of the source."""
    design, target = problem
    fit = reweighted(design, target, criterion("mee"), [0.3], max_iter=5000, tol=1e-13)
    errors = target - design @ fit.beta[0]
    kernel = np.exp(-((errors[:, None] - errors) ** 2) / (2 * 0.8**2))
    laplacian = np.diag(kernel.sum(axis=1)) - kernel
    gradient = design.T @ laplacian @ errors
    np.testing.assert_allclose(gradient, 0.3 * fit.beta[0], rtol=1e-5)
    assert fit.center[0] == pytest.approx(np.median(errors))


@pytest.mark.parametrize(
    ("name", "point"),
    [
        ("gmcc", {"alpha": 2.0, "b": 0.9 * math.sqrt(2)}),
        ("kmpe", {"sigma": 0.9, "p": 2.0}),
        ("krsl", {"sigma": 0.9, "mu": 0.0}),
        ("mixture-mcc", {"sigma": 0.9, "sigma2": 5.0, "a": 1.0}),
    ],
)
def test_special_cases_are_correntropy(name, point, problem):
    special = CRITERIA[name](**{k: np.array([v]) for k, v in point.items()})
    found = reweighted(*problem, special, [0.0], max_iter=500, tol=1e-12)
    mcc = fixed_point(*problem, MCC(0.9), [0.0], start=found.beta, max_iter=500, tol=1e-14)
    np.testing.assert_allclose(found.beta, mcc.beta, rtol=1e-6)


def test_least_absolute_deviations_are_the_median_regression(problem):
    design, target = problem
    found = fit_batch(design, target, criterion("lad"), [0.0], intercept=True, max_iter=3000, tol=0)
    theirs = QuantileRegressor(quantile=0.5, alpha=0.0).fit(design, target)
    ours, best = (
        np.abs(target - design @ beta - level).sum()
        for beta, level in ((found.beta[0], found.intercept[0]), (theirs.coef_, theirs.intercept_))
    )
    assert ours == pytest.approx(best, rel=1e-5)


def test_student_t_is_its_maximum_likelihood():
    """On a column of ones: location and scale of scipy's t distribution."""
    sample = stats.t.rvs(3, loc=2.0, scale=0.7, size=400, random_state=5)
    ones = np.ones((400, 1))
    found = reweighted(ones, sample, criterion("student-t"), [0.0], max_iter=500, tol=1e-13)
    _, location, _ = stats.t.fit(sample, fix_df=3)
    assert found.beta[0, 0] == pytest.approx(location, abs=1e-4)


def test_tukey_starts_from_huber(problem):
    design, target = problem
    huber_fit = reweighted(design, target, criterion("huber"), [0.1], max_iter=100, tol=1e-6)
    first = []
    reweighted(
        design,
        target,
        criterion("tukey"),
        [0.1],
        tol=1e-6,
        trace=lambda k, problems, beta, *rest: first.append(beta.copy()),
    )
    weights = literal("tukey", target - design @ huber_fit.beta[0])[0]
    root = np.sqrt(weights / weights.max())[:, None]
    ridge = Ridge(alpha=0.1 / weights.max(), fit_intercept=False).fit(
        root * design, root[:, 0] * target
    )
    np.testing.assert_allclose(first[0][0], ridge.coef_, rtol=1e-6)


def test_codebook_is_that_of_the_search_through_all_words():
    errors = np.random.default_rng(2).normal(size=200)
    words, counts = codebook(errors.tolist(), 0.1)
    order = np.argsort(words)
    ours = quantized(errors, 0.1)
    np.testing.assert_array_equal(ours[0], np.array(words)[order])
    np.testing.assert_array_equal(ours[1], np.array(counts)[order])
    np.testing.assert_array_equal(quantized(errors, 0.0)[1], np.ones(200))


@pytest.mark.parametrize("name", CRITERIA)
@pytest.mark.parametrize("n_columns", [4, 80])
def test_batch_gives_what_each_problem_gives_alone(name, n_columns):
    """Both forms of the solver; wide ones correct single precision."""
    rng = np.random.default_rng(9)
    design = rng.normal(size=(120, n_columns))
    target = design[:, 0] + rng.standard_t(2, size=120)
    lam = np.array([0.01, 0.5, 20.0, 3.0, 0.1])
    options = {"max_iter": 15, "tol": 1e-7}
    together = reweighted(design, target, criterion(name, 5), lam, **options)
    for i in range(5):
        alone = reweighted(design, target, criterion(name), lam[i : i + 1], **options)
        np.testing.assert_allclose(together.beta[i], alone.beta[0], rtol=1e-4, atol=1e-5)


@settings(max_examples=40, deadline=None)
@given(
    name=st.sampled_from(sorted(CRITERIA)),
    errors=arrays(float, (2, 12), elements=st.floats(-1e6, 1e6)),
)
def test_weights_are_finite_for_any_errors(name, errors):
    with np.errstate(all="ignore"):
        weights, centers = criterion(name, 2).weights(errors)
    assert np.isfinite(weights).all()
    assert (weights >= 0).all()
    assert np.isfinite(centers).all()


@pytest.mark.parametrize("name", CRITERIA)
def test_interpolated_target_is_a_solution(name):
    """Errors of zero, as of a hidden layer wider than the training part."""
    rng = np.random.default_rng(3)
    design = rng.normal(size=(20, 30))
    target = rng.random(20)
    fit = fit_batch(design, target, criterion(name), [1e-12], max_iter=30, tol=1e-5)
    assert np.isfinite(fit.predict(design)).all()
    assert np.abs(np.median(fit.predict(design) - target)) < 1e-3


SPEC = {
    "seed": 3,
    "dataset": "toy",
    "method": "new",
    "n_train": None,
    "n_test": None,
    "n_hidden": [5, 20],
    "folds": 4,
    "max_iter": 30,
    "tol": 1e-5,
}


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    inputs = rng.random((81, 3))
    return inputs, np.sin(4 * inputs[:, 0]) * inputs[:, 1] + rng.normal(0, 0.01, 81)


@pytest.mark.parametrize("name", CRITERIA)
def test_row_of_a_further_criterion(name, data):
    grid = {key: [value, 2 * value] for key, value in POINTS[name].items() if key != "a"}
    grid |= {"a": [0.2, 0.5]} if "a" in POINTS[name] else {}
    fit = {"criterion": name, "lam": [1e-6, 1e-3], "grid": grid, "intercept": True}
    row = elm_row(SPEC | {"fit": fit}, *data, 0)
    assert 0.005 < row["test_rmse"] < 0.3
    assert row["sigma"] is None
    assert ("parameters" in row) == bool(grid)


def test_direct_links_are_columns_beside_the_hidden_layer(data):
    """RVFL: ridge regression on [X, H] and a column of ones."""
    inputs, target = data
    fit = {"criterion": "mmse", "lam": [1e-3], "direct": True, "intercept": True}
    row = elm_row(SPEC | {"fit": fit, "n_hidden": [20]}, inputs, target, 1)
    layer = HiddenLayer(3, 20, generator(3, "elm", "toy", 1, "hidden"))
    columns = np.hstack([inputs, layer(inputs)])
    order = generator(3, "elm", "toy", 1, "split").permutation(81)
    train, test = order[:40], order[40:80]
    model = Ridge(alpha=1e-3).fit(columns[train], target[train])
    errors = target[test] - model.predict(columns[test])
    assert row["test_rmse"] == pytest.approx(np.sqrt(np.mean(errors**2)), rel=1e-6)
    assert row["n_hidden"] == 20


def test_huge_errors_stop_no_batch(problem):
    """A criterion that gives no sample any weight leaves the weights of the iteration before."""
    design, target = problem
    narrow = CRITERIA["krsl"](sigma=np.array([1e-9, 1.0]), mu=np.array([1.0, 1.0]))
    fit = reweighted(design, target, narrow, [0.1, 0.1])
    assert fit.vanished.tolist() == [True, False]
    ridge = fit_batch(design, target, MMSE(), [0.1])
    np.testing.assert_allclose(fit.beta[0], ridge.beta[0], rtol=1e-8)
