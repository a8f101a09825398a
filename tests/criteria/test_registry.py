"""All criteria beside the paper's: weights, stationary points, batches and sample weights."""

import numpy as np
import pytest
from criteria.literal import POINTS, criterion, literal
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from mccvc.criteria.paper import MMSE
from mccvc.criteria.registry import CRITERIA
from mccvc.solvers.batch import fit_batch
from mccvc.solvers.irls import irls


def test_every_criterion_is_tested():
    """Those of the paper, and its two stages, are tested against Algorithm 1, in tests/solvers."""
    assert {"mmse", "mcc", "mcc-vc", "mcc-vc-efficient", *POINTS} == set(CRITERIA)


@pytest.mark.parametrize("name", POINTS)
def test_weights_are_those_of_the_formula(name):
    errors = np.random.default_rng(1).standard_t(2, size=(3, 60))
    weights, centers = criterion(name, 3).weights(errors)
    centers = np.broadcast_to(centers, weights.shape)
    for row, weight, center in zip(errors, weights, centers, strict=True):
        expected, pulled = literal(name, row)
        np.testing.assert_allclose(weight, expected, rtol=1e-7)
        np.testing.assert_allclose(weight * center, pulled, rtol=1e-7, atol=1e-12)


@pytest.mark.parametrize("name", POINTS)
def test_solution_solves_the_stationary_condition(name, problem):
    """(H' W H + lambda' I) beta = H' W (t - c) with the literal weights of its own errors."""
    design, target = problem
    fit = irls(design, target, criterion(name), [0.3], max_iter=5000, tol=1e-13)
    assert fit.converged.all()
    beta = fit.beta[0]
    weights, pulled = literal(name, target - design @ beta)
    # LAD passes through points, whose weights are limits.
    tolerance = 1e-3 if name == "lad" else 1e-4
    left = (design.T * weights) @ design @ beta + 0.3 * beta
    right = design.T @ (weights * target - pulled)
    np.testing.assert_allclose(left, right, rtol=tolerance, atol=tolerance * abs(right).max())


@pytest.mark.parametrize("name", POINTS)
@pytest.mark.parametrize("n_columns", [4, 80])
def test_batch_gives_what_each_problem_gives_alone(name, n_columns):
    """Both forms of the solver; wide ones correct single precision."""
    rng = np.random.default_rng(9)
    design = rng.normal(size=(120, n_columns))
    target = design[:, 0] + rng.standard_t(2, size=120)
    lam = np.array([0.01, 0.5, 20.0, 3.0, 0.1])
    options = {"max_iter": 15, "tol": 1e-7}
    together = irls(design, target, criterion(name, 5), lam, **options)
    for i in range(5):
        alone = irls(design, target, criterion(name), lam[i : i + 1], **options)
        np.testing.assert_allclose(together.beta[i], alone.beta[0], rtol=1e-4, atol=1e-5)


@settings(max_examples=40, deadline=None)
@given(
    name=st.sampled_from(sorted(POINTS)),
    errors=arrays(float, (2, 12), elements=st.floats(-1e6, 1e6)),
)
def test_weights_are_finite_for_any_errors(name, errors):
    with np.errstate(all="ignore"):
        weights, centers = criterion(name, 2).weights(errors)
    assert np.isfinite(weights).all()
    assert (weights >= 0).all()
    assert np.isfinite(centers).all()


@pytest.mark.parametrize("name", POINTS)
def test_interpolated_target_is_a_solution(name):
    """Errors of zero, as of a hidden layer wider than the training part."""
    rng = np.random.default_rng(3)
    design = rng.normal(size=(20, 30))
    target = rng.random(20)
    fit = fit_batch(design, target, criterion(name), [1e-12], max_iter=30, tol=1e-5)
    assert np.isfinite(fit.predict(design)).all()
    assert np.abs(np.median(fit.predict(design) - target)) < 1e-3


def test_huge_errors_stop_no_batch(problem):
    """A criterion that gives no sample any weight leaves the weights of the iteration before."""
    design, target = problem
    narrow = CRITERIA["krsl"](sigma=np.array([1e-9, 1.0]), mu=np.array([1.0, 1.0]))
    fit = irls(design, target, narrow, [0.1, 0.1])
    assert fit.vanished.tolist() == [True, False]
    ridge = fit_batch(design, target, MMSE(), [0.1])
    np.testing.assert_allclose(fit.beta[0], ridge.beta[0], rtol=1e-8)


@pytest.mark.parametrize("name", POINTS)
@pytest.mark.parametrize("n_columns", [4, 80])
def test_weights_of_samples_count_as_repeated_samples(name, n_columns):
    rng = np.random.default_rng(7)
    design = rng.normal(size=(150, n_columns))
    target = design[:, 0] + rng.standard_t(2, size=150)
    repeats = rng.integers(1, 4, 150)
    rows = np.repeat(np.arange(150), repeats)
    options = {"intercept": True, "max_iter": 5, "tol": 0}
    fits = [
        fit_batch(design, target, criterion(name), [0.3], sample_weight=1.0 * repeats, **options),
        fit_batch(design[rows], target[rows], criterion(name), [0.3], **options),
    ]
    weighted, repeated = (fit.predict(design)[0] for fit in fits)
    # Steps on the way are inexact; LAD passes through points, k-means starts at other quantiles.
    tolerance = 1e-3 if name in ("lad", "mmkcc") else 1e-4
    np.testing.assert_allclose(weighted, repeated, rtol=tolerance, atol=tolerance)
    unweighted = fit_batch(design, target, criterion(name), [0.3], **options).predict(design)[0]
    assert np.abs(weighted - unweighted).max() > 1e-2
