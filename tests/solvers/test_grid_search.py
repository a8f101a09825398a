"""The grid search against every point on every fold, and the bounds that leave points out."""

import numpy as np
import pytest

from mccvc.criteria.efficient import EfficientMCCVC
from mccvc.criteria.paper import MCC, MCCVC, MMSE
from mccvc.hidden_layer import HiddenLayer
from mccvc.solvers import held_out as bounds
from mccvc.solvers.batch import fit_batch
from mccvc.solvers.grid_search import grid_search
from mccvc.solvers.held_out import _floors

LAM = 4.0 ** np.arange(-9, 2)
SIZES = [10, 30, 70]


def full_search(design, target, folds, sizes, criterion, lam, **options):
    """Every grid point on every fold, one fit at a time."""
    scores = np.empty((len(sizes), len(lam)))
    for i, size in enumerate(sizes):
        for b in range(len(lam)):
            errors = []
            for held_out in folds:
                train = np.setdiff1d(np.arange(len(target)), held_out)
                fit = fit_batch(
                    design[train, :size], target[train], criterion.take([b]), lam[[b]], **options
                )
                predicted = design[held_out, :size] @ fit.beta[0] + fit.center[0]
                errors.append(np.sqrt(np.mean((target[held_out] - predicted) ** 2)))
            scores[i, b] = np.mean(errors)
    return scores


@pytest.mark.slow
@pytest.mark.parametrize("racing", [False, True])
@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("name", ["mmse", "mcc", "mcc-vc", "mcc-vc-efficient"])
def test_choice_is_that_of_the_full_search(name, seed, racing):
    rng = np.random.default_rng(seed)
    inputs = rng.random((100, 4))
    target = np.sin(4 * inputs[:, 0]) + inputs[:, 1] ** 2 + rng.laplace(0, 0.1, 100)
    design = HiddenLayer(4, max(SIZES), rng)(inputs)
    folds = np.array_split(rng.permutation(100), 5)
    sigma = np.array([0.05, 0.2, 1.0])
    criterion, lam = {
        "mmse": (MMSE(), LAM),
        "mcc": (MCC(np.tile(sigma, len(LAM))), np.repeat(LAM, len(sigma))),
        "mcc-vc": (MCCVC(np.arange(1, 21) * 0.1, "median"), LAM),
        "mcc-vc-efficient": (
            EfficientMCCVC(np.array([0.1]), "quantiles", np.tile([1, 2.11, 3], len(LAM))),
            np.repeat(LAM, 3),
        ),
    }[name]
    options = {"max_iter": 20, "tol": 1e-6}
    selected = grid_search(design, target, folds, SIZES, criterion, lam, racing=racing, **options)
    scores = full_search(design, target, folds, SIZES, criterion, lam, **options)
    i, problem = np.unravel_index(np.argmin(scores), scores.shape)
    assert (selected.n_columns, selected.problem) == (SIZES[i], problem)
    assert selected.cv_rmse == pytest.approx(scores.min(), rel=1e-6)


@pytest.mark.parametrize("shifted", [False, True])
@pytest.mark.parametrize("n_rows", [12, 60])
def test_floor_is_the_least_squares_error_of_the_held_out_rows(shifted, n_rows):
    rng = np.random.default_rng(3)
    design, target = HiddenLayer(4, 40, rng)(rng.random((n_rows, 4))), rng.random(n_rows)
    sizes = [3, 10, 40]
    for size, floor in zip(sizes, _floors(design, target, sizes, shifted), strict=True):
        columns = np.hstack([np.ones((n_rows, int(shifted))), design[:, :size]])
        residual = target - columns @ np.linalg.lstsq(columns, target, rcond=1e-16)[0]
        least = np.sqrt(np.mean(residual**2))
        assert floor <= least + 1e-12
        assert floor == pytest.approx(least, rel=1e-3, abs=1e-9)


@pytest.mark.parametrize("criterion", [MCC(np.tile([0.05, 0.2, 1.0], len(LAM)))])
def test_bounds_leave_out_points_without_changing_the_choice(monkeypatch, criterion):
    rng = np.random.default_rng(4)
    inputs = rng.random((150, 2))
    target = np.sin(9 * inputs[:, 0]) * inputs[:, 1] + rng.laplace(0, 0.02, 150)
    design = HiddenLayer(2, max(SIZES), rng)(inputs)
    folds = np.array_split(rng.permutation(150), 5)
    lam = np.repeat(LAM, 3)
    options = {"max_iter": 20, "tol": 1e-6}
    bounded = grid_search(design, target, folds, SIZES, criterion, lam, **options)
    raced = grid_search(design, target, folds, SIZES, criterion, lam, racing=True, **options)
    monkeypatch.setattr(bounds, "_ROUNDING", np.inf)
    full = grid_search(design, target, folds, SIZES, criterion, lam, **options)
    for some in (bounded, raced):
        assert (some.n_columns, some.problem) == (full.n_columns, full.problem)
        assert some.cv_rmse == pytest.approx(full.cv_rmse, rel=1e-6)
        assert sum(some.solves) < 0.9 * sum(full.solves)
