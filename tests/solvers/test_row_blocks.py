"""Long designs in blocks: the same results as when held, in little memory."""

import tracemalloc

import numpy as np
import pytest

from mccvc import ELMMCCVCRegressor, ELMRCCRegressor, RELMRegressor
from mccvc.criteria.paper import MCC, MCCVC, MMSE
from mccvc.estimators import _layer_base as base
from mccvc.solvers import row_blocks as blocks
from mccvc.solvers.batch import fit_batch
from mccvc.solvers.row_blocks import BlockedDesign

WIDTHS = np.linspace(0.1, 2.0, 20)


@pytest.fixture(autouse=True)
def short_blocks(monkeypatch):
    monkeypatch.setattr(blocks, "_BLOCK_ROWS", 64)


def contaminated(n_samples=500, n_columns=24):
    rng = np.random.default_rng(4)
    design = 1 / (1 + np.exp(-rng.uniform(-2, 2, (n_samples, 3)) @ rng.normal(size=(3, n_columns))))
    target = np.sin(3 * design[:, 0]) + rng.normal(0, 0.1, n_samples)
    target[::9] += 3.0
    return design, target


def blocked(design):
    return BlockedDesign(lambda part: design[part], *design.shape)


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("lam", [1e-12, 1e-3])
@pytest.mark.parametrize("criterion", [MMSE(), MCC(0.5), MCCVC(WIDTHS, "median")])
def test_same_fit_as_when_held(criterion, lam, weighted, intercept):
    """Penalties that sums of products do not resolve still give nearly the same outputs."""
    design, target = contaminated()
    options = {"intercept": intercept, "max_iter": 8, "tol": 0}
    if weighted:
        options["sample_weight"] = np.random.default_rng(5).uniform(0.5, 2, len(target))
    held = fit_batch(design, target, criterion, [lam], **options)
    start = np.hstack([held.beta, held.intercept[:, None]])
    streamed = fit_batch(blocked(design), target, criterion, [lam], **options)
    np.testing.assert_allclose(
        streamed.predict(blocked(design)), held.predict(design), atol=1e-6 if lam > 1e-6 else 1e-4
    )
    np.testing.assert_array_equal(streamed.sigma, held.sigma)
    again = fit_batch(blocked(design), target, criterion, [lam], start=start, **options)
    more = fit_batch(design, target, criterion, [lam], start=start, **options)
    np.testing.assert_allclose(again.predict(design), more.predict(design), atol=1e-4)


def test_trace_is_in_the_original_columns():
    design, target = contaminated()
    steps = []
    fit = fit_batch(
        blocked(design),
        target,
        MCC(0.5),
        [1e-3],
        intercept=True,
        max_iter=3,
        trace=lambda k, problems, beta, intercept, *_: steps.append((beta, intercept)),
    )
    np.testing.assert_allclose(steps[-1][0], fit.beta, rtol=1e-12)
    np.testing.assert_allclose(steps[-1][1], fit.intercept, rtol=1e-12)


def test_singular_design_gets_finite_weights():
    design, target = contaminated()
    doubled = np.hstack([design, design])
    fit = fit_batch(blocked(doubled), target, MCC(0.5), [0.0], max_iter=5)
    single = fit_batch(design, target, MCC(0.5), [0.0], max_iter=5)
    np.testing.assert_allclose(fit.predict(doubled), single.predict(design), atol=1e-4)


@pytest.mark.parametrize("estimator", [RELMRegressor, ELMRCCRegressor, ELMMCCVCRegressor])
@pytest.mark.parametrize("n_targets", [1, 2])
def test_estimators_fit_and_predict_alike_in_blocks(monkeypatch, estimator, n_targets):
    rng = np.random.default_rng(6)
    inputs = rng.normal(size=(400, 3))
    target = np.sin(inputs[:, :n_targets]) + rng.normal(0, 0.1, (400, n_targets))
    target = target[:, 0] if n_targets == 1 else target
    model = estimator(n_hidden=20, random_state=0)
    held = model.fit(inputs, target).predict(inputs)
    monkeypatch.setattr(base, "_LARGEST_HELD", 0)
    in_blocks = model.fit(inputs, target).predict(inputs)
    np.testing.assert_allclose(in_blocks, held, atol=1e-4)
    assert in_blocks.shape == target.shape


def test_memory_does_not_hold_the_hidden_layer(monkeypatch):
    monkeypatch.setattr(blocks, "_BLOCK_ROWS", 2048)
    monkeypatch.setattr(blocks, "_HELD_BYTES", 2**21)
    inputs = np.random.default_rng(7).normal(size=(30_000, 4))
    model = ELMMCCVCRegressor(n_hidden=100, max_iter=2, tol=0, random_state=0)
    tracemalloc.start()
    model.fit(inputs, inputs[:, 0])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.6 * 8 * 30_000 * 100


@pytest.mark.parametrize(("held", "made"), [(0, 3 * 8), (3 * 64 * 24 * 8, 8 + 2 * 5), (2**28, 8)])
def test_blocks_are_made_once_as_far_as_memory_goes(monkeypatch, held, made):
    monkeypatch.setattr(blocks, "_HELD_BYTES", held)
    matrix, _ = contaminated()
    calls = []

    def rows(part):
        calls.append(part)
        return matrix[part]

    design = BlockedDesign(rows, *matrix.shape)
    doubled = design.map(lambda block: 2 * block, matrix.shape[1])
    for each in (design, doubled, design):
        factor = 2 if each is doubled else 1
        for part, block in each.blocks():
            np.testing.assert_array_equal(block, factor * matrix[part])
    assert len(calls) == made
