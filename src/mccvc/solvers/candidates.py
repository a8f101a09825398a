"""Candidates of a search whose errors out of fold are all wanted: a grid, and its fits."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mccvc.arrays import Array, Flags, Indices
from mccvc.criteria.base import Criterion
from mccvc.criteria.paper import MMSE
from mccvc.solvers.batch import BatchFit, HeldDesign


class Grid(NamedTuple):
    """Candidates: every point of a batch with every number of columns, the latter outermost.

    Attributes
    ----------
    criterion : Criterion
        Its parameters have an element for each point.
    lam : ndarray of shape (n_points,)
        Penalties lambda'.
    sizes : sequence of int
        Numbers of columns; a model of size n uses the first n columns of a design.
    intercept : bool
        Whether a column of ones is added, which is not penalized.
    max_iter, tol
        As in :func:`mccvc.solvers.irls.irls`.
    telling : ndarray of bool, shape (n_points,), optional
        Points whose errors may tell which ones are ordinary (default all).
    """

    criterion: Criterion
    lam: Array
    sizes: Sequence[int]
    intercept: bool = False
    max_iter: int = 100
    tol: float = 1e-6
    telling: Flags | None = None

    @property
    def ridge(self) -> "Grid":
        """Ridge regression with an intercept, for the same penalties and sizes."""
        return self._replace(criterion=MMSE(), lam=np.unique(self.lam), intercept=True)

    def fit_size(self, design: Array, target: Array, i: int, points: Indices) -> BatchFit:
        """Fits of some points with the number of columns `sizes[i]`."""
        held = HeldDesign(design[:, : self.sizes[i]], intercept=self.intercept)
        criterion, lam = self.criterion.take(points), self.lam[points]
        return held.fit(target, criterion, lam, max_iter=self.max_iter, tol=self.tol)

    def fit(self, design: Array, target: Array, some: Flags) -> "Fits":
        """Fits of some candidates to all rows."""
        parts = []
        for i, points in enumerate(some.reshape(len(self.sizes), -1)):
            if points.any():
                part = self.fit_size(design, target, i, np.flatnonzero(points))
                parts.append((self.sizes[i], part))
        return Fits(np.flatnonzero(some), parts)

    def out_of_fold(self, design: Array, target: Array, folds: Sequence[Indices]) -> Array:
        """Predictions for each row by fits without its fold: (n_candidates, n_rows)."""
        n_points = len(self.lam)
        found = np.empty((len(self.sizes), n_points, len(target)))
        for fold in folds:
            rest = np.setdiff1d(np.arange(len(target)), fold)
            for i, size in enumerate(self.sizes):
                fit = self.fit_size(design[rest], target[rest], i, np.arange(n_points))
                found[i][:, fold] = fit.predict(design[fold, :size])
        return np.where(np.isfinite(found), found, np.inf).reshape(-1, len(target))


@dataclass(frozen=True)
class Fits:
    """Fitted candidates, by size.

    Attributes
    ----------
    candidates : ndarray of int, shape (n_fitted,)
        Places in the grid, ascending.
    by_size : list of tuple
        Numbers of columns with their fits.
    """

    candidates: Indices
    by_size: list[tuple[int, BatchFit]]

    def predict(self, design: Array) -> Array:
        """Predictions of all for the rows of a design: (n_fitted, n_rows)."""
        return np.concatenate([fit.predict(design[:, :size]) for size, fit in self.by_size])

    def one(self, candidate: int) -> tuple[BatchFit, int]:
        """The batch that has a candidate, and its place there."""
        place = int(np.searchsorted(self.candidates, candidate))
        for _, fit in self.by_size:
            if place < len(fit.n_iter):
                return fit, place
            place -= len(fit.n_iter)
        raise KeyError(candidate)
