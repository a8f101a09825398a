"""MCC-VC in two stages against its steps, transcribed line by line."""

import numpy as np
import pytest
from reference import efficient, gaussian, lip_mcc_vc, mode

from mccvc.criteria.efficient import EfficientMCCVC
from mccvc.criteria.paper import MCCVC
from mccvc.hidden_layer import HiddenLayer
from mccvc.solvers.batch import fit_batch
from mccvc.solvers.irls import irls
from mccvc.solvers.row_blocks import BlockedDesign

pytestmark = pytest.mark.slow

WIDTHS = np.round(np.arange(1, 26) * 0.2, 10)
CENTERS = np.round(np.arange(-50, 51, 5) * 0.1, 10)
STEPS = 7
MODE = {"widths": np.array([0.1]), "centers": "quantiles"}


@pytest.fixture(scope="module")
def hidden():
    rng = np.random.default_rng(0)
    inputs = rng.random((150, 3))
    target = np.sin(5 * inputs[:, 0]) * inputs[:, 1] / 2 + 0.5 + 0.03 * rng.normal(size=150)
    target[:60] += rng.uniform(1, 3, 60)
    return HiddenLayer(3, 100, rng)(inputs), target


def linear(seed=0, n_samples=120):
    rng = np.random.default_rng(seed)
    design = rng.uniform(-2, 2, (n_samples, 2))
    target = design @ [1.0, 2.0] + rng.normal(3, 1, n_samples)
    target[: n_samples // 5] = rng.normal(0, 100, n_samples // 5)
    return design, target


@pytest.mark.parametrize("solve", [irls, fit_batch])
@pytest.mark.parametrize("n_columns", [15, 100])
def test_hidden_layer_follows_the_steps(hidden, n_columns, solve):
    design, target = hidden[0][:, :n_columns], hidden[1]
    lam, kappa = np.repeat([1e-6, 1e-3, 1.0], 3), np.tile([1.0, 2.11, 3.0], 3)
    fit = solve(design, target, EfficientMCCVC(**MODE, kappa=kappa), lam, max_iter=STEPS, tol=0)
    assert (fit.n_iter == 2 * STEPS).all()
    np.testing.assert_allclose(fit.sigma, 0.1 * kappa)
    for i in range(len(lam)):
        beta, b = mode(design, target, lam[i], 0.1, STEPS)
        first = design @ beta + b
        beta, b = efficient(design, target, lam[i], 0.1 * kappa[i], beta, b, STEPS)
        predicted = design @ fit.beta[i] + fit.center[i]
        np.testing.assert_allclose(predicted, design @ beta + b, atol=1e-3)
        assert np.abs(predicted - first).max() > 3e-3
    # The mode holds where outliers are 40 % on one side.
    assert np.abs(predicted - target)[60:].mean() < 0.2


@pytest.mark.parametrize("solve", [irls, fit_batch])
@pytest.mark.parametrize("lam", [0.0, 0.5])
def test_linear_model_begins_with_algorithm_1(lam, solve):
    """Its penalty is for weights over the largest possible one, at the narrowest kernel."""
    design, target = linear()
    largest = gaussian(0, WIDTHS[0])
    beta, sigma, c, k, _ = lip_mcc_vc(
        design, target, lam * largest, list(WIDTHS), list(CENTERS), 100, 1e-8
    )
    criterion = EfficientMCCVC(WIDTHS, CENTERS, np.array([2.11]))
    fit = solve(design, target, criterion, [lam], max_iter=100, tol=1e-8)
    assert fit.sigma[0] == pytest.approx(2.11 * sigma)
    assert fit.converged[0]
    beta, b = efficient(design, target, lam, 2.11 * sigma, beta, c, fit.n_iter[0] - k)
    np.testing.assert_allclose(fit.beta[0], beta, rtol=1e-8)
    assert fit.center[0] == pytest.approx(b)


def test_efficient_step_comes_nearer_than_the_mode():
    """Root mean squared errors of the weights over 60 samples of normal noise with outliers."""
    errors = []
    for seed in range(60):
        design, target = linear(seed)
        criteria = MCCVC(WIDTHS, CENTERS), EfficientMCCVC(WIDTHS, CENTERS, np.array([2.11]))
        errors.append([irls(design, target, c, [1e-3]).beta[0] - [1, 2] for c in criteria])
    first, second = np.sqrt(np.mean(np.square(errors), axis=(0, 2)))
    assert second < 0.95 * first


def test_batch_gives_what_each_problem_gives_alone(hidden):
    design, target = hidden
    lam, kappa = np.array([1e-6, 1.0, 1e-6, 1e-3]), np.array([1.0, 3.0, 2.11, 2.11])
    options = {"max_iter": 15, "tol": 1e-7}
    together = fit_batch(design, target, EfficientMCCVC(**MODE, kappa=kappa), lam, **options)
    for i in range(len(lam)):
        one = EfficientMCCVC(**MODE, kappa=kappa[[i]])
        alone = fit_batch(design, target, one, lam[[i]], **options)
        both = [f.predict(design)[j] for f, j in ((together, i), (alone, 0))]
        np.testing.assert_allclose(*both, atol=1e-3)


def test_weights_of_samples_count_as_repeated_samples():
    design, target = linear()
    repeats = np.random.default_rng(7).integers(1, 4, len(target))
    rows = np.repeat(np.arange(len(target)), repeats)
    criterion = EfficientMCCVC(np.array([1.0]), "quantiles", np.array([2.11]))
    weighted = fit_batch(design, target, criterion, [0.3], sample_weight=1.0 * repeats)
    repeated = fit_batch(design[rows], target[rows], criterion, [0.3])
    np.testing.assert_allclose(weighted.beta, repeated.beta, rtol=1e-6)
    np.testing.assert_allclose(weighted.center, repeated.center, rtol=1e-6)
    assert np.abs(fit_batch(design, target, criterion, [0.3]).beta - weighted.beta).max() > 1e-3


def test_design_in_blocks_gives_the_same_fit():
    design, target = linear(n_samples=3000)
    blocked = BlockedDesign(lambda part: design[part], *design.shape)
    criterion = EfficientMCCVC(np.array([1.0]), "quantiles", np.array([2.11]))
    held, made = (fit_batch(d, target, criterion, [0.3]) for d in (design, blocked))
    np.testing.assert_allclose(held.beta, made.beta, rtol=1e-5)
    np.testing.assert_allclose(held.center, made.center, rtol=1e-5)


def test_a_second_intercept_is_refused():
    with pytest.raises(ValueError, match="an intercept of its own"):
        fit_batch(*linear(), EfficientMCCVC(**MODE, kappa=np.ones(1)), [0.1], intercept=True)


def test_errors_beyond_any_kernel_are_told():
    design, target = linear()
    far = EfficientMCCVC(np.array([1e-6]), np.array([1e9]), np.ones(1))
    assert fit_batch(design, target, far, [0.1]).vanished.all()
