"""Cross-validated grid search that shares work between the points of the grid."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mccvc.arrays import Array, Indices
from mccvc.criteria.base import Criterion
from mccvc.solvers.batch import HeldDesign

# Fits alone and in a batch differ by rounding; the bound must not exclude a point for that.
_ROUNDING = 1e-6
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

    search = _Search(design, target, folds, sizes, criterion, lam, intercept, max_iter, tol)
    # Large models first: what they reach leaves out small ones that cannot.
    for i in reversed(range(len(sizes))):
        search.add(0, i)
        search.complete_leader()
    for fold in range(1, len(folds)):
        for i in range(len(sizes)):
            search.add(fold, i)
        search.complete_leader()
    totals = np.where(search.errors.max(axis=0) < np.inf, search.errors.sum(axis=0), np.inf)
    best, problem = map(int, np.unravel_index(np.argmin(totals), totals.shape))
    score = float(totals[best, problem] / len(folds))
    return Selected(sizes[best], problem, score, tuple(map(int, search.solves)))


class _Search:
    """Held-out errors of the grid points, and who can still win.

    Fold errors only add up: a point is out once the sum of those that are known, and of the least
    that any weights can reach on the other folds, exceeds the total of some other point.
    """

    def __init__(
        self,
        design: Array,
        target: Array,
        folds: Sequence[Indices],
        sizes: Sequence[int],
        criterion: Criterion,
        lam: Array,
        intercept: bool,
        max_iter: int,
        tol: float,
    ) -> None:
        self.design, self.target, self.folds, self.sizes = design, target, folds, sizes
        self.criterion, self.lam, self.intercept = criterion, lam, intercept
        self.iteration = {"max_iter": max_iter, "tol": tol}
        # NaN: not known.
        self.errors = np.full((len(folds), len(sizes), len(lam)), np.nan)
        shifted = intercept or criterion.has_center
        floors = [_floors(design[fold], target[fold], sizes, shifted) for fold in folds]
        self.floors = np.array(floors)[:, :, None]
        # Errors of the best point of those known on all folds.
        self.incumbent = np.full(len(folds), np.inf)
        self.solves = np.zeros(len(sizes), dtype=int)
        self.designs: dict[tuple[int, int], HeldDesign] = {}

    def add(self, fold: int, i: int) -> None:
        """Find the errors on one fold of all points of one size that can still win."""
        unknown = np.isnan(self.errors[:, i])
        least = np.where(unknown, self.floors[:, i], self.errors[:, i]).sum(axis=0)
        self._fit(fold, i, np.flatnonzero(unknown[fold] & (least <= self.bound)))

    def complete_leader(self) -> None:
        """Find all errors of the point that leads by far on some folds: its total is a bound."""
        known = ~np.isnan(self.errors)
        least = np.where(known, self.errors, self.floors).sum(axis=0)
        least[~known[0]] = np.inf
        i, problem = map(int, np.unravel_index(np.argmin(least), least.shape))
        folds = known[:, i, problem]
        if self.errors[folds, i, problem].sum() > _LEAD * self.incumbent[folds].sum():
            return
        for fold in np.flatnonzero(~folds):
            self._fit(int(fold), i, np.array([problem]))
        errors = self.errors[:, i, problem]
        if errors.sum() < self.incumbent.sum():
            self.incumbent = errors

    @property
    def bound(self) -> float:
        """Points with a larger sum are out."""
        return float(self.incumbent.sum() * (1 + _ROUNDING))

    def _fit(self, fold: int, i: int, problems: Indices) -> None:
        if not len(problems):
            return
        held_out = self.folds[fold]
        columns = self.design[:, : self.sizes[i]]
        train = np.ones(len(self.target), dtype=bool)
        train[held_out] = False
        if (fold, i) not in self.designs:
            self.designs[fold, i] = HeldDesign(columns[train], intercept=self.intercept)
        fits = self.designs[fold, i].fit(
            self.target[train],
            self.criterion.take(problems),
            self.lam[problems],
            **self.iteration,
        )
        self.solves[i] += np.maximum(fits.n_iter, 1).sum()
        deviations = self.target[held_out] - fits.predict(columns[held_out])
        errors = np.sqrt(np.mean(deviations**2, axis=1))
        self.errors[fold, i, problems] = np.where(np.isfinite(errors), errors, np.inf)


def _floors(design: Array, target: Array, sizes: Sequence[int], shifted: bool) -> Array:
    """Root mean squared errors that no weights of each size come below, on the rows held out.

    Those of least squares on these very rows; from one QR factorization, as smaller models use
    the first columns of larger ones.
    """
    columns = np.hstack([np.ones((len(design), int(shifted))), design])
    q = np.linalg.qr(columns)[0]
    parts = target @ q
    beyond = np.sum((target - q @ parts) ** 2)
    tails = np.append(np.cumsum(parts[::-1] ** 2)[::-1], 0.0) + beyond
    used = np.minimum(np.array(sizes) + int(shifted), len(parts))
    rounding = 1e-9 * tails[used] + 1e-20 * (target @ target)
    return np.sqrt(np.maximum(tails[used] - rounding, 0.0) / len(target))
