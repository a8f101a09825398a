from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import cost, lip_mcc_vc
from scipy.optimize import least_squares
from sklearn.linear_model import Ridge

from mccvc.criteria.paper import MCC, MCCVC, MMSE
from mccvc.solvers.irls import irls

WIDTHS = np.round(np.arange(1, 26) * 0.2, 10)
CENTERS = np.round(np.arange(-50, 51, 5) * 0.1, 10)


def ridge(design, target, lam, **options):
    return irls(design, target, MMSE(), lam, **options).beta


def contaminated(seed, n_samples=60, n_columns=3, shift=2.0):
    """Linear data with shifted normal noise and ten per cent far outliers."""
    rng = np.random.default_rng(seed)
    design = rng.uniform(-2, 2, (n_samples, n_columns))
    target = design @ np.arange(1.0, n_columns + 1) + rng.normal(shift, 0.5, n_samples)
    target[: n_samples // 10] += rng.normal(0, 100, n_samples // 10)
    return design, target


@pytest.mark.parametrize("lam", [1e-6, 0.1, 3.0])
@pytest.mark.parametrize("centers", ["median", CENTERS])
def test_mcc_vc_is_algorithm_1(lam, centers):
    design, target = contaminated(1)
    literal = centers if isinstance(centers, str) else list(centers)
    beta, sigma, c, k, _ = lip_mcc_vc(design, target, lam, list(WIDTHS), literal, 100, 1e-8)
    fit = irls(design, target, MCCVC(WIDTHS, centers), [lam], max_iter=100, tol=1e-8)
    np.testing.assert_allclose(fit.beta[0], beta, rtol=1e-9)
    assert (fit.sigma[0], fit.center[0], fit.n_iter[0]) == pytest.approx((sigma, c, k))
    assert fit.converged[0] == (k < 100)


@pytest.mark.parametrize("sigma", [0.8, 2.0, 20.0])
def test_mcc_is_algorithm_1_with_one_width_and_center_zero(sigma):
    design, target = contaminated(2, shift=0.0)
    beta, *_, k, _ = lip_mcc_vc(design, target, 0.1, [sigma], [0.0], 100, 1e-8)
    fit = irls(design, target, MCC(sigma), [0.1], max_iter=100, tol=1e-8)
    np.testing.assert_allclose(fit.beta[0], beta, rtol=1e-9)
    assert fit.n_iter[0] == k


@pytest.mark.parametrize(("n_columns", "accuracy"), [(20, 1e-8), (90, 5e-6)])
def test_batch_equals_single_problems(n_columns, accuracy):
    """Both forms: direct for narrow designs, iteration with inexact steps for wide ones."""
    rng = np.random.default_rng(3)
    design = rng.random((150, n_columns)) * np.logspace(0, -4, n_columns)
    target = design[:, :5].sum(axis=1) + rng.normal(0, 0.1, 150)
    lam = np.repeat(np.logspace(-8, 1, 6), 4)
    sigma = np.tile([0.05, 0.2, 1.0, 5.0], 6)
    batch = irls(design, target, MCC(sigma), lam, max_iter=50, tol=1e-7)
    for b in range(len(lam)):
        beta, *_, k, _ = lip_mcc_vc(design, target, lam[b], [sigma[b]], [0.0], 50, 1e-7)
        assert batch.n_iter[b] == k
        np.testing.assert_allclose(design @ batch.beta[b], design @ beta, atol=accuracy)


@given(st.integers(0, 1000), st.floats(0, 5), st.sampled_from([0.3, 1.0, 4.0]))
@settings(max_examples=25)
def test_objective_never_rises_at_fixed_width_and_center(seed, lam, sigma):
    design, target = contaminated(seed, n_samples=40)
    values = [cost(design, target, np.zeros(3), sigma, 0.7, lam)]
    fit = irls(
        design,
        target,
        MCCVC([sigma], [0.7]),
        [lam],
        max_iter=15,
        tol=0,
        trace=lambda k, p, beta, s, c, errors: values.append(
            cost(design, target, beta[0], s[0], c[0], lam)
        ),
    )
    assert fit.n_iter[0] == 15
    assert all(after <= before + 1e-12 for before, after in pairwise(values))


def test_wide_kernel_at_the_mean_is_ridge_on_centered_data():
    design, target = contaminated(4)
    sigma, lam = 1e8, 0.7
    fit = irls(design, target, MCCVC([sigma], "mean"), [lam / (np.sqrt(2 * np.pi) * sigma)])
    centered = Ridge(alpha=lam, fit_intercept=False).fit(design, target - fit.center[0])
    np.testing.assert_allclose(fit.beta[0], centered.coef_, rtol=1e-8)


def test_ridge_is_scikit_learns_with_and_without_intercept():
    design, target = contaminated(5)
    ours = ridge(design, target, [0.5, 20.0])
    for beta, alpha in zip(ours, (0.5, 20.0), strict=True):
        theirs = Ridge(alpha=alpha, fit_intercept=False).fit(design, target)
        np.testing.assert_allclose(beta, theirs.coef_, rtol=1e-10)
    with_ones = np.column_stack([design, np.ones(len(design))])
    beta = ridge(with_ones, target, [20.0], penalty=np.array([1.0, 1.0, 1.0, 0.0]))[0]
    theirs = Ridge(alpha=20.0).fit(design, target)
    np.testing.assert_allclose(beta, [*theirs.coef_, theirs.intercept_], rtol=1e-10)


@pytest.mark.parametrize("sigma", [1.0, 2.0])
def test_mcc_reaches_the_optimum_of_welschs_m_estimator(sigma):
    design, target = contaminated(6, shift=0.0)

    def welsch(z):
        decay = np.exp(-z / 2)
        return np.stack([2 * (1 - decay), decay, -decay / 2])

    oracle = least_squares(
        lambda beta: (target - design @ beta) / sigma,
        np.arange(1.0, 4.0),
        loss=welsch,
        xtol=1e-14,
        gtol=1e-12,
    )
    fit = irls(design, target, MCC(sigma), [0.0], max_iter=1000, tol=1e-15)
    np.testing.assert_allclose(fit.beta[0], oracle.x, rtol=1e-6)


def test_collinear_design_without_penalty_gives_the_least_norm_solution():
    rng = np.random.default_rng(7)
    half = rng.normal(size=(200, 2))
    design = np.hstack([half, half])
    target = half.sum(axis=1)
    fit = irls(design, target, MCC(5.0), [0.0])
    np.testing.assert_allclose(fit.beta[0], 0.5, rtol=1e-7)
    np.testing.assert_allclose(ridge(design, target, [0.0])[0], 0.5, rtol=1e-7)


def test_underflowing_weights_stay_finite():
    design, target = contaminated(8)
    fit = irls(design, target + 1e4, MCC([1e-3, 1e-300]), [0.1, 0.1])
    assert np.isfinite(fit.beta).all()


@pytest.mark.parametrize("n_columns", [3, 100])
@pytest.mark.parametrize("size", [1e12, 1e200, 1e300])
def test_outliers_of_any_size_have_no_weight_at_all(size, n_columns):
    design, target = contaminated(0, n_samples=150, n_columns=n_columns)
    start = np.linalg.lstsq(design, target)[0][None]
    known = irls(design[6:], target[6:], MCC(np.ones(1)), [1e-3], start=start)
    target[:6] = size * np.array([1, 1, 1, 1, 1, -1])
    found = irls(design, target, MCC(np.ones(1)), [1e-3], start=start)
    np.testing.assert_allclose(found.beta, known.beta, rtol=1e-6, atol=1e-9)


def test_trace_sees_every_iteration():
    design, target = contaminated(9)
    seen = []
    fit = irls(
        design,
        target,
        MCC([1.0, 3.0]),
        [0.1, 0.1],
        trace=lambda k, p, *_: seen.append((k, list(p))),
    )
    assert seen[0] == (1, [0, 1])
    assert len(seen) == fit.n_iter.max()
    assert sum(len(problems) for _, problems in seen) == fit.n_iter.sum()


@pytest.mark.parametrize("n_columns", [3, 80])
@pytest.mark.parametrize("criterion", [MCC(1.5), MCCVC(WIDTHS, CENTERS)], ids=["mcc", "mcc-vc"])
def test_weights_count_as_repeated_samples(criterion, n_columns):
    design, target = contaminated(10, n_samples=120, n_columns=n_columns)
    repeats = np.random.default_rng(0).integers(1, 4, 120)
    options = {"max_iter": 20, "tol": 0}
    weighted = irls(
        design, target, criterion, [0.3], sample_weight=repeats.astype(float), **options
    )
    rows = np.repeat(np.arange(120), repeats)
    plain = irls(design[rows], target[rows], criterion, [0.3], **options)
    np.testing.assert_allclose(weighted.beta, plain.beta, rtol=1e-6, atol=1e-8)
    assert weighted.sigma[0] == plain.sigma[0]
    assert weighted.center[0] == plain.center[0]


def test_iteration_begins_at_the_start():
    design, target = contaminated(11, shift=0.0)
    options = {"max_iter": 1, "tol": 0}
    start = np.array([[3.0, -1.0, 0.5]])
    found = irls(design, target, MCC(2.0), [0.1], start=start, **options).beta[0]
    kernel = np.exp(-0.5 * ((target - design @ start[0]) / 2) ** 2) / (np.sqrt(2 * np.pi) * 2)
    gram = (design.T * kernel) @ design + 0.1 * np.eye(3)
    np.testing.assert_allclose(
        found, np.linalg.solve(gram, design.T @ (kernel * target)), rtol=1e-9
    )


def test_vanished_kernel_keeps_the_weights_and_says_so():
    design, target = contaminated(12)
    fit = irls(design, target + 1e4, MCC([1e-3, 1e5]), [0.1, 1e-6])
    assert list(fit.vanished) == [True, False]
    assert list(fit.converged) == [False, True]
    np.testing.assert_array_equal(fit.beta[0], 0.0)
    assert fit.n_iter[0] == 1


def test_no_target_gives_no_weights():
    design, _ = contaminated(14)
    np.testing.assert_array_equal(ridge(design, np.zeros(60), [0.1])[0], 0.0)


@pytest.mark.parametrize("seed", range(12))
def test_singular_problems_of_a_batch_get_the_least_norm_solution(seed):
    """Rounding makes the last pivot slightly positive in some, slightly negative in others."""
    rng = np.random.default_rng(seed)
    half = rng.normal(size=(50, 3))
    design = np.hstack([half, half @ rng.normal(size=(3, 2))])
    target = rng.normal(size=50)
    beta = ridge(design, target, [0.0, 1.0])
    np.testing.assert_allclose(beta[0], np.linalg.pinv(design) @ target, rtol=1e-7)
    theirs = Ridge(alpha=1.0, fit_intercept=False).fit(design, target)
    np.testing.assert_allclose(beta[1], theirs.coef_, rtol=1e-8)
