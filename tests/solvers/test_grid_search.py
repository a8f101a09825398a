import numpy as np
import pytest

from mccvc.criteria.paper import MCC, MCCVC, MMSE
from mccvc.hidden_layer import HiddenLayer
from mccvc.solvers.batch import fit_batch
from mccvc.solvers.grid_search import grid_search

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


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("name", ["mmse", "mcc", "mcc-vc"])
def test_choice_is_that_of_the_full_search(name, seed):
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
    }[name]
    options = {"max_iter": 20, "tol": 1e-6}
    selected = grid_search(design, target, folds, SIZES, criterion, lam, **options)
    scores = full_search(design, target, folds, SIZES, criterion, lam, **options)
    i, problem = np.unravel_index(np.argmin(scores), scores.shape)
    assert (selected.n_columns, selected.problem) == (SIZES[i], problem)
    assert selected.cv_rmse == pytest.approx(scores.min(), rel=1e-6)
