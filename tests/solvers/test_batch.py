import numpy as np
import pytest
from reference import lip_mcc_vc
from sklearn.linear_model import Ridge

from mccvc.criteria.paper import MCC, MCCVC, MMSE
from mccvc.hidden_layer import HiddenLayer
from mccvc.solvers.batch import fit_batch

WIDTHS = np.round(np.arange(1, 21) * 0.1, 10)


@pytest.fixture(scope="module")
def layer_outputs():
    """Outputs of a hidden layer, numerically rank-deficient, and a smooth target."""
    rng = np.random.default_rng(0)
    inputs = rng.random((120, 3))
    target = np.sin(3 * inputs[:, 0]) * inputs[:, 1] + rng.normal(0, 0.02, 120)
    return HiddenLayer(3, 100, rng)(inputs), target


def test_mmse_path_is_ridge(layer_outputs):
    design, target = layer_outputs
    lam = [1e-3, 1.0, 50.0]
    fit = fit_batch(design, target, MMSE(), lam)
    for beta, alpha in zip(fit.beta, lam, strict=True):
        theirs = Ridge(alpha=alpha, fit_intercept=False, solver="svd").fit(design, target)
        np.testing.assert_allclose(beta, theirs.coef_, atol=1e-9)


@pytest.mark.parametrize("n_hidden", [10, 100])
def test_grid_is_algorithm_1_at_every_point(layer_outputs, n_hidden):
    design, target = layer_outputs
    design = design[:, :n_hidden]
    lam = np.repeat([1e-6, 1e-3, 1.0], 2)
    sigma = np.tile([0.1, 1.0], 3)
    fit = fit_batch(design, target, MCC(sigma), lam, max_iter=20, tol=1e-6)
    for b in range(6):
        beta, *_, k, _ = lip_mcc_vc(design, target, lam[b], [sigma[b]], [0.0], 20, 1e-6)
        assert fit.n_iter[b] == k
        np.testing.assert_allclose(design @ fit.beta[b], design @ beta, atol=1e-7)


def test_variable_center_is_algorithm_1(layer_outputs):
    design, target = layer_outputs
    lam = np.array([1e-6, 1e-2])
    fit = fit_batch(design, target, MCCVC(WIDTHS, "median"), lam, max_iter=20, tol=1e-6)
    for b in range(2):
        beta, sigma, c, k, _ = lip_mcc_vc(design, target, lam[b], list(WIDTHS), "median", 20, 1e-6)
        assert (fit.sigma[b], fit.n_iter[b]) == (sigma, k)
        assert fit.center[b] == pytest.approx(c, abs=1e-6)
        np.testing.assert_allclose(design @ fit.beta[b], design @ beta, atol=1e-6)


def test_more_columns_than_rows_without_penalty_interpolates_with_least_norm():
    rng = np.random.default_rng(1)
    design, target = rng.normal(size=(20, 50)), rng.normal(size=20)
    expected = np.linalg.pinv(design) @ target
    for criterion in (MMSE(), MCC(100.0)):
        fit = fit_batch(design, target, criterion, [0.0])
        np.testing.assert_allclose(fit.beta[0], expected, atol=1e-8)


@pytest.mark.parametrize("n_columns", [4, 160])
def test_duplicated_columns_without_penalty_share_their_weight(n_columns):
    rng = np.random.default_rng(2)
    half = rng.normal(size=(200, n_columns // 2))
    design, target = np.hstack([half, half]), half.sum(axis=1)
    for criterion in (MMSE(), MCC(5.0)):
        fit = fit_batch(design, target, criterion, [0.0])
        np.testing.assert_allclose(fit.beta[0], 0.5, rtol=1e-7)


@pytest.mark.parametrize("criterion", [MMSE(), MCC(0.5), MCCVC(WIDTHS, "median")])
def test_intercept_and_weights_are_those_of_repeated_shifted_samples(layer_outputs, criterion):
    design, target = layer_outputs
    design = design[:, :10]
    repeats = np.random.default_rng(0).integers(1, 4, len(target))
    options = {"intercept": True, "max_iter": 30, "tol": 0}
    weighted = fit_batch(
        design, target, criterion, [1e-3], sample_weight=repeats.astype(float), **options
    )
    rows = np.repeat(np.arange(len(target)), repeats)
    plain = fit_batch(design[rows] + 2.0, target[rows] + 5.0, criterion, [1e-3], **options)
    np.testing.assert_allclose(weighted.beta, plain.beta, rtol=1e-5, atol=1e-7)
    predicted = weighted.predict(design) + 5.0
    np.testing.assert_allclose(predicted, plain.predict(design + 2.0), rtol=1e-6)


def test_mmse_with_intercept_is_ridge(layer_outputs):
    design, target = layer_outputs
    weight = np.random.default_rng(1).random(len(target)) + 0.5
    fit = fit_batch(design, target, MMSE(), [0.5], intercept=True, sample_weight=weight)
    theirs = Ridge(alpha=0.5).fit(design, target, sample_weight=weight)
    np.testing.assert_allclose(fit.predict(design)[0], theirs.predict(design), rtol=1e-8)


def test_start_and_trace_are_in_the_original_columns(layer_outputs):
    design, target = layer_outputs
    design = design[:, :10]
    steps = []
    first = fit_batch(design, target, MCC(0.3), [1e-2], intercept=True, max_iter=3, tol=0)
    start = np.hstack([first.beta, first.intercept[:, None]])
    second = fit_batch(
        design,
        target,
        MCC(0.3),
        [1e-2],
        intercept=True,
        start=start,
        max_iter=2,
        tol=0,
        trace=lambda k, problems, beta, intercept, *_: steps.append((beta, intercept)),
    )
    whole = fit_batch(design, target, MCC(0.3), [1e-2], intercept=True, max_iter=5, tol=0)
    np.testing.assert_allclose(second.beta, whole.beta, rtol=1e-6)
    np.testing.assert_allclose(second.intercept, whole.intercept, rtol=1e-6)
    np.testing.assert_allclose(steps[-1][0], second.beta, rtol=1e-12)
    np.testing.assert_allclose(steps[-1][1], second.intercept, rtol=1e-12)


@pytest.mark.parametrize("spread", [1.0, 1e-6])
def test_long_design_is_fitted_as_any_other(spread):
    """A well-conditioned one through H' H, another one through its SVD."""
    rng = np.random.default_rng(9)
    design = rng.normal(size=(600, 4)) * [1.0, 1.0, 1.0, spread]
    target = design @ [1.0, 2.0, 3.0, 4.0 / spread] + rng.normal(0, 0.1, 600)
    target[::7] += 20.0
    fit = fit_batch(design, target, MCC(1.0), [1e-20], max_iter=40, tol=1e-10)
    beta, *_, k, _ = lip_mcc_vc(design / [1, 1, 1, spread], target, 0.0, [1.0], [0.0], 40, 1e-10)
    np.testing.assert_allclose(fit.beta[0] * [1, 1, 1, spread], beta, rtol=1e-6)
    assert fit.n_iter[0] == k
