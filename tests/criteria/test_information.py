"""Information-theoretic criteria: special cases, other forms, and steps that do not cycle."""

import math

import numpy as np
import pytest
from criteria.literal import codebook, criterion

from mccvc.criteria.information import GMCC, KMPE, quantized
from mccvc.criteria.paper import MCC
from mccvc.criteria.registry import CRITERIA
from mccvc.hidden_layer import HiddenLayer
from mccvc.solvers.batch import fit_batch
from mccvc.solvers.irls import irls


def test_minimum_error_entropy_is_stationary_in_its_own_form(problem):
    """H' L (t - H beta) = lambda' beta with the Laplacian L = D - K of the source."""
    design, target = problem
    fit = irls(design, target, criterion("mee"), [0.3], max_iter=5000, tol=1e-13)
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
    found = irls(*problem, special, [0.0], max_iter=500, tol=1e-12)
    mcc = irls(*problem, MCC(0.9), [0.0], start=found.beta, max_iter=500, tol=1e-14)
    np.testing.assert_allclose(found.beta, mcc.beta, rtol=1e-6)


def test_codebook_is_that_of_the_search_through_all_words():
    errors = np.random.default_rng(2).normal(size=200)
    words, counts = codebook(errors.tolist(), 0.1)
    order = np.argsort(words)
    ours = quantized(errors, 0.1)
    np.testing.assert_array_equal(ours[0], np.array(words)[order])
    np.testing.assert_array_equal(ours[1], np.array(counts)[order])
    np.testing.assert_array_equal(quantized(errors, 0.0)[1], np.ones(200))


# Losses that grow as |e|^3 or faster near 0.
STEEP = [
    (GMCC, {"alpha": 3.0, "b": 0.8}),
    (GMCC, {"alpha": 4.0, "b": 0.8}),
    (GMCC, {"alpha": 6.0, "b": 0.8}),
    (KMPE, {"sigma": 0.8, "p": 3.0}),
    (KMPE, {"sigma": 0.8, "p": 4.0}),
]


@pytest.fixture(scope="module")
def hidden():
    """A hidden layer on as many rows and inputs as Housing's training folds, and a target."""
    rng = np.random.default_rng(1)
    inputs = rng.random((200, 13))
    target = np.sin(3 * inputs[:, 0]) * inputs[:, 1] + rng.laplace(0, 0.05, 200)
    return HiddenLayer(13, 100, rng)(inputs), target


@pytest.mark.parametrize(("kind", "point"), STEEP)
def test_steep_losses_converge(kind, point, hidden):
    """A whole step runs into a cycle, so that the result would be the parity of K."""
    steep = kind(**{name: np.array([value]) for name, value in point.items()})
    options = {"intercept": True, "tol": 1e-9}
    fit = fit_batch(*hidden, steep, [1e-3], max_iter=500, **options)
    assert fit.converged[0]
    n = int(fit.n_iter[0])
    assert n < 150
    final = fit.predict(hidden[0])
    for earlier in (n - 1, n - 2):
        near = fit_batch(*hidden, steep, [1e-3], max_iter=earlier, **options)
        np.testing.assert_allclose(near.predict(hidden[0]), final, atol=1e-6)


@pytest.mark.parametrize(("kind", "point"), STEEP)
def test_whole_steps_of_steep_losses_cycle(monkeypatch, kind, point, hidden):
    monkeypatch.setattr(kind, "step_length", 1.0)
    steep = kind(**{name: np.array([value]) for name, value in point.items()})
    fit = fit_batch(*hidden, steep, [1e-3], intercept=True, max_iter=500, tol=1e-9)
    assert not fit.converged[0]


def test_steps_below_the_third_power_stay_whole():
    powers = np.array([0.5, 1.0, 2.0, 2.99, 3.0, 5.0])
    expected = [1.0, 1.0, 1.0, 1.0, 0.5, 0.25]
    ones = np.ones(6)
    np.testing.assert_array_equal(GMCC(alpha=powers, b=ones).step_length, expected)
    np.testing.assert_array_equal(KMPE(sigma=ones, p=powers).step_length, expected)
