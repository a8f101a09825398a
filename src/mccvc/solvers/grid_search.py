"""Cross-validated grid search that shares work between the points of the grid."""

from collections.abc import Sequence
from dataclasses import dataclass

from mccvc.arrays import Array, Indices
from mccvc.criteria.base import Criterion
from mccvc.solvers.held_out import HeldOut
from mccvc.solvers.racing import race

# A point with errors below this share of the best one's is worth fits of its own.
_LEAD = 0.9


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
    racing: bool = False,
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
    racing : bool, default False
        Whether points also drop out on the assumption of :mod:`mccvc.solvers.racing`; then the
        choice is that of the full search nearly always.

    Returns
    -------
    Selected
        The best point; among equals the one that comes first, sizes outermost.
    """

    search = HeldOut(design, target, folds, sizes, criterion, lam, intercept, max_iter, tol)
    # Large models first: what they reach leaves out small ones that cannot.
    for i in reversed(range(len(sizes))):
        search.add(0, i)
        search.complete(*search.leader(), enough=_LEAD)
    if racing and not criterion.closed_form:
        race(search, max_iter)
    else:
        for fold in range(1, len(folds)):
            for i in range(len(sizes)):
                search.add(fold, i)
            search.complete(*search.leader(), enough=_LEAD)
    best, problem, total = search.best()
    score = total / len(folds)
    return Selected(sizes[best], problem, score, tuple(map(int, search.solves)))
