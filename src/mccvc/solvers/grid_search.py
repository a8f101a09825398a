"""Cross-validated grid search that shares work between the points of the grid."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mccvc.arrays import Array, Indices
from mccvc.criteria.base import Criterion
from mccvc.solvers.batch import fit_batch

# Fits alone and in a batch differ by rounding; the bound must not exclude a point for that.
_ROUNDING = 1e-6


@dataclass(frozen=True)
class Selected:
    """The grid point with the lowest cross-validated error.

    Attributes
    ----------
    n_columns : int
        Number of design columns (hidden nodes).
    problem : int
        Index into the batch of penalties and criterion parameters.
    cv_rmse : float
        Mean over the folds of the held-out root mean squared error, in target units.
    solves : tuple of int
        Regularized least-squares problems (12) solved on the way, for each size; for MMSE
        one for each penalty.
    """

    n_columns: int
    problem: int
    cv_rmse: float
    solves: tuple[int, ...]


def grid_search(
    design: Array,
    target: Array,
    folds: Sequence[Indices],
    sizes: Sequence[int],
    criterion: Criterion,
    lam: Array,
    *,
    intercept: bool = False,
    max_iter: int = 100,
    tol: float = 1e-6,
) -> Selected:
    """Choose the number of columns and the batch member by cross-validation.

    All members of the batch are fitted together for each fold and size, as long as they can
    still win; the choice is that of the full search.

    Parameters
    ----------
    design : ndarray of shape (n_samples, n_columns)
        Design matrix; a model of size n uses its first n columns.
    target : ndarray of shape (n_samples,)
        Target t.
    folds : sequence of ndarray of int
        Held-out rows of each fold.
    sizes : sequence of int
        Numbers of columns to try.
    criterion, lam, intercept, max_iter, tol
        The batch, as in :func:`mccvc.solvers.batch.fit_batch`.

    Returns
    -------
    Selected
        The best point; among equals the one that comes first, sizes outermost.
    """

    def add_fold(scores: Array, held_out: Indices, i: int, problems: Indices) -> None:
        """Add the error on one fold to the scores of some problems of one size."""
        train = np.ones(len(target), dtype=bool)
        train[held_out] = False
        columns = design[:, : sizes[i]]
        fits = fit_batch(
            columns[train],
            target[train],
            criterion.take(problems),
            lam[problems],
            intercept=intercept,
            max_iter=max_iter,
            tol=tol,
        )
        solves[i] += np.maximum(fits.n_iter, 1).sum()
        deviations = target[held_out] - fits.predict(columns[held_out])
        errors = np.sqrt(np.mean(deviations**2, axis=1))
        scores[i, problems] += np.where(np.isfinite(errors), errors, np.inf)

    everything = np.arange(len(lam))
    scores = np.zeros((len(sizes), len(lam)))
    solves = np.zeros(len(sizes), dtype=int)
    for i in range(len(sizes)):
        add_fold(scores, folds[0], i, everything)
    # Errors only add up: a point whose sum exceeds the total of some other point is out. The
    # best point of the first fold gives the bound.
    first, leader = map(int, np.unravel_index(np.argmin(scores), scores.shape))
    totals = scores.copy()
    for held_out in folds[1:]:
        add_fold(totals, held_out, first, np.array([leader]))
    bound = totals[first, leader] * (1 + _ROUNDING)
    for held_out in folds[1:]:
        for i in range(len(sizes)):
            add_fold(scores, held_out, i, everything[scores[i] <= bound])
    candidates = np.where(scores <= bound, scores, np.inf)
    best, problem = map(int, np.unravel_index(np.argmin(candidates), scores.shape))
    score = float(scores[best, problem] / len(folds))
    return Selected(sizes[best], problem, score, tuple(map(int, solves)))
