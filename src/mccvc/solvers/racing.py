"""Grid search in lock-step: all folds and sizes advance together, points without hope drop out.

It rests on an assumption that no proof backs: that the sum of a point's held-out errors falls, in
each iteration that is left, by at most the larger one of its last two changes.
"""

from dataclasses import dataclass

import numpy as np

from mccvc.arrays import Array, Flags, Indices
from mccvc.solvers.held_out import HeldOut
from mccvc.solvers.irls import Iteration


@dataclass(frozen=True)
class _Lane:
    """Points of one fold and size that iterate together, and the rows held out from them."""

    fold: int
    size: int
    points: Indices
    iteration: Iteration
    columns: Array
    target: Array

    def advance(self, alive: Flags, errors: Array) -> Indices:
        """Take a step with the points that are alive, note their errors, and say which ended."""
        running = self.points[self.iteration.problems]
        if not alive[self.size, running].all():
            self.iteration.keep(alive[self.size, running])
        if not len(self.iteration.problems):
            return running[:0]
        moved = self.iteration.advance()
        predicted = moved.beta @ self.columns.T + moved.center[:, None]
        stepped = self.points[moved.problems]
        rmse = np.sqrt(np.mean((self.target - predicted) ** 2, axis=1))
        errors[self.fold, self.size, stepped] = np.where(np.isfinite(rmse), rmse, np.inf)
        return np.setdiff1d(stepped, self.points[self.iteration.problems], assume_unique=True)


@np.errstate(invalid="ignore")
def race(search: HeldOut, max_iter: int) -> None:
    """Find the errors, on the folds that are left, of all points that stay in the race.

    Parameters
    ----------
    search : HeldOut
        Errors, known on some folds; to be filled in.
    max_iter : int
        Largest number of iterations K.
    """
    lanes = _lanes(search)
    errors = search.errors.copy()
    ended = ~np.isnan(errors)
    alive = search.least() <= search.bound
    errors[np.isnan(errors)] = np.inf
    sums = changes = np.full(alive.shape, np.inf)
    for k in range(1, max_iter + 1):
        for lane in lanes:
            search.solves[lane.size] += alive[lane.size, lane.points[lane.iteration.problems]].sum()
            ended[lane.fold, lane.size, lane.advance(alive, errors)] = True
        before, sums = sums, errors.sum(axis=0)
        last, changes = changes, _distance(sums, before)
        done = ended.all(axis=0) & alive
        search.errors[:, done] = errors[:, done]
        search.renew_incumbent()
        alive &= ~done & (sums - (max_iter - k) * np.maximum(last, changes) <= search.bound)
        if not alive.any():
            break


def _lanes(search: HeldOut) -> list[_Lane]:
    lanes = []
    for fold, rows in enumerate(search.folds):
        for size in range(len(search.sizes)):
            for points, iteration, columns in search.begin(fold, size):
                search.solves[size] += iteration.result.n_iter.sum()  # of a first stage
                lanes.append(_Lane(fold, size, points, iteration, columns, search.target[rows]))
    return lanes


def _distance(now: Array, before: Array) -> Array:
    """How far sums have moved; infinitely where one of them is not finite."""
    known = np.isfinite(now) & np.isfinite(before)
    return np.abs(np.subtract(now, before, out=np.full_like(now, np.inf), where=known))
