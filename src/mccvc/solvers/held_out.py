"""Held-out errors of the points of a grid, and which of them can still win."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from mccvc.arrays import Array, Flags, Indices
from mccvc.criteria.base import Criterion
from mccvc.solvers.batch import HeldDesign
from mccvc.solvers.irls import Iteration

# Steps of fits that are only judged need not be as near as those of the fit that is used.
_STEP_TOLERANCE = 1e-5
# Fits alone and in a batch differ by rounding, and by what their steps are off; the bound must not
# exclude a point for that. More apart are only iterations that are chaotic, at any precision.
_ROUNDING = 1e-5


class HeldOut:
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
        self.iteration: dict[str, Any] = {
            "max_iter": max_iter,
            "tol": tol,
            "step_tol": _STEP_TOLERANCE,
        }
        # NaN: not known.
        self.errors = np.full((len(folds), len(sizes), len(lam)), np.nan)
        shifted = intercept or criterion.has_center
        floors = [_floors(design[fold], target[fold], sizes, shifted) for fold in folds]
        self.floors = np.array(floors)[:, :, None]
        # Errors of the best point of those known on all folds.
        self.incumbent = np.full(len(folds), np.inf)
        self.solves = np.zeros(len(sizes), dtype=int)
        self.designs: dict[tuple[int, int], HeldDesign] = {}

    def least(self) -> Array:
        """What the sum of each point's errors is at least: (n_sizes, n_points)."""
        return np.where(np.isnan(self.errors), self.floors, self.errors).sum(axis=0)

    def add(self, fold: int, i: int) -> None:
        """Find the errors on one fold of all points of one size that can still win."""
        self._fit(fold, i, self._open(fold, i))

    def _open(self, fold: int, i: int) -> Indices:
        """Points of one size that can still win and are not known on a fold."""
        return np.flatnonzero(np.isnan(self.errors[fold, i]) & (self.least()[i] <= self.bound))

    def leader(self) -> tuple[int, int]:
        """Size and point, known on the first fold, that promise most."""
        least = self.least()
        least[np.isnan(self.errors[0])] = np.inf
        i, problem = np.unravel_index(np.argmin(least), least.shape)
        return int(i), int(problem)

    def complete(self, i: int, problem: int, *, enough: float) -> None:
        """Find all errors of a point, unless the known ones exceed `enough` of the best one's."""
        known = ~np.isnan(self.errors[:, i, problem])
        if self.errors[known, i, problem].sum() > enough * self.incumbent[known].sum():
            return
        for fold in np.flatnonzero(~known):
            self._fit(int(fold), i, np.array([problem]))
        self.renew_incumbent()

    def renew_incumbent(self) -> None:
        """Take the best point of those that are known on all folds."""
        i, problem, total = self.best()
        if total < self.incumbent.sum():
            self.incumbent = self.errors[:, i, problem]

    def best(self) -> tuple[int, int, float]:
        """Size, point and total of the best of those that are known on all folds."""
        totals = self.errors.sum(axis=0)
        totals = np.where(np.isnan(totals), np.inf, totals)
        i, problem = np.unravel_index(np.argmin(totals), totals.shape)
        return int(i), int(problem), float(totals[i, problem])

    @property
    def bound(self) -> float:
        """Points with a larger sum are out."""
        return float(self.incumbent.sum() * (1 + _ROUNDING))

    def begin(self, fold: int, i: int) -> Iterator[tuple[Indices, Iteration, Array]]:
        """Open points of one fold and size with their iteration, and the held-out columns."""
        points = self._open(fold, i)
        if not len(points):
            return
        parts = self._design_of(fold, i).begin(
            self.target[self._train(fold)],
            self.criterion.take(points),
            self.lam[points],
            self.design[self.folds[fold], : self.sizes[i]],
            **self.iteration,
        )
        for problems, iteration, columns in parts:
            yield points[problems], iteration, columns

    def _train(self, fold: int) -> Flags:
        train = np.ones(len(self.target), dtype=bool)
        train[self.folds[fold]] = False
        return train

    def _design_of(self, fold: int, i: int) -> HeldDesign:
        if (fold, i) not in self.designs:
            rows = self.design[self._train(fold), : self.sizes[i]]
            self.designs[fold, i] = HeldDesign(rows, intercept=self.intercept)
        return self.designs[fold, i]

    def _fit(self, fold: int, i: int, problems: Indices) -> None:
        if not len(problems):
            return
        held_out = self.folds[fold]
        fits = self._design_of(fold, i).fit(
            self.target[self._train(fold)],
            self.criterion.take(problems),
            self.lam[problems],
            **self.iteration,
        )
        self.solves[i] += np.maximum(fits.n_iter, 1).sum()
        predicted = fits.predict(self.design[held_out, : self.sizes[i]])
        errors = np.sqrt(np.mean((self.target[held_out] - predicted) ** 2, axis=1))
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
