"""Tuning by errors out of fold that outliers among the held-out rows do not decide.

The validation score is a choice of its own, as is whether the best grid point predicts or the mean
of all that are hardly worse, and whether predictions are cut off. Targets have a range of 1.
"""

import json
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from mccvc.arrays import Array, Flags, Indices
from mccvc.solvers.batch import BatchFit, HeldDesign
from mccvc.study.methods import GridPoints, grid_points
from mccvc.study.specs import JudgedMethod, Row
from mccvc.study.tuning import Tuned, TuningData, TuningSpec

# Errors beyond this share of the target's range count as outliers'.
OUTLYING = 0.3
# Width of the kernel by which correntropy judges.
_WIDTH = 0.1
# Standard errors of the paired difference within which a point is hardly worse.
_HARDLY_WORSE = 2.0


class Score(NamedTuple):
    """A loss of each error, and how losses are summed up over the rows."""

    loss: Callable[[Array], Array]
    over_rows: Callable[..., Any]


SCORES = {
    "squared": Score(np.square, np.mean),
    "truncated": Score(lambda errors: np.minimum(errors**2, OUTLYING**2), np.mean),
    "correntropy": Score(lambda errors: 1 - np.exp(-0.5 * (errors / _WIDTH) ** 2), np.mean),
    "median": Score(np.abs, np.median),
}


def tune_judged(data: TuningData, spec: TuningSpec, rng: np.random.Generator) -> Tuned:
    """Tune and fit a criterion by all its errors out of fold; no point is left out on the way."""
    method = spec.fit
    assert isinstance(method, JudgedMethod)
    started = time.perf_counter()
    points = grid_points(method)
    errors = out_of_fold(data, spec, method, points)
    flat = errors.reshape(-1, errors.shape[-1])
    score = SCORES[method.score]
    losses = score.loss(flat)
    best = int(np.argmin(score.over_rows(losses, axis=1)))
    chosen = np.arange(len(flat)) == best
    if method.combine == "mean":
        chosen = hardly_worse(losses, best)
    kept = np.abs(flat[best]) <= OUTLYING
    low, high = -np.inf, np.inf
    if method.clip and kept.any():
        low, high = data.target[kept].min(), data.target[kept].max()
    tuned = time.perf_counter()
    fits = {
        n_hidden: _fit(data, spec, method, points, n_hidden, np.flatnonzero(part))
        for n_hidden, part in zip(spec.n_hidden, chosen.reshape(errors.shape[:2]), strict=True)
        if part.any()
    }
    size, point = divmod(best, len(points.lam))
    n_hidden = spec.n_hidden[size]
    # The best point's place among those of its size that were fitted.
    place = int(chosen[size * len(points.lam) : best].sum())
    own = fits[n_hidden]
    row: Row = {
        "n_hidden": n_hidden,
        "lam": points.lam[point],
        "cv_rmse": np.sqrt(np.mean(flat[best] ** 2)),
        "n_iter": own.n_iter[place],
        "converged": own.converged[place],
        "fit_seconds": time.perf_counter() - tuned,
        "tune_seconds": tuned - started,
        "parameters": json.dumps({"averaged": int(chosen.sum())}),
    }

    def predict(rows: Array) -> Array:
        parts = [fit.predict(data.design(method, rows, size)) for size, fit in fits.items()]
        return np.clip(np.concatenate(parts).mean(axis=0), low, high)

    return Tuned(predict, row | points.kernel_of(own, place))


def out_of_fold(
    data: TuningData, spec: TuningSpec, method: JudgedMethod, points: GridPoints
) -> Array:
    """Errors of every grid point on rows that its fit did not see: (n_sizes, n_points, n_rows)."""
    n_train = len(data.target)
    errors = np.empty((len(spec.n_hidden), len(points.lam), n_train))
    design = data.design(method, data.inputs)
    n_direct = design.shape[1] - max(spec.n_hidden)
    for held_out in data.folds:
        rest = np.setdiff1d(np.arange(n_train), held_out)
        for i, n_hidden in enumerate(spec.n_hidden):
            columns = design[:, : n_direct + n_hidden]
            fit = HeldDesign(columns[rest], intercept=method.intercept).fit(
                data.target[rest],
                points.criterion,
                points.lam,
                max_iter=spec.max_iter,
                tol=spec.tol,
            )
            errors[i][:, held_out] = data.target[held_out] - fit.predict(columns[held_out])
    return errors


def hardly_worse(losses: Array, best: int) -> Flags:
    """Which candidates have losses within two paired standard errors of the best one's.

    Parameters
    ----------
    losses : ndarray of shape (n_candidates, n_rows)
        Losses out of fold.
    best : int
        The candidate with the smallest mean.

    Returns
    -------
    ndarray of bool, shape (n_candidates,)
    """
    differences = losses - losses[best]
    errors = differences.std(axis=1, ddof=1) / np.sqrt(losses.shape[1])
    return differences.mean(axis=1) <= _HARDLY_WORSE * errors


def _fit(
    data: TuningData,
    spec: TuningSpec,
    method: JudgedMethod,
    points: GridPoints,
    n_hidden: int,
    some: Indices,
) -> BatchFit:
    """Fit some grid points of one size to all training rows."""
    held = HeldDesign(data.design(method, data.inputs, n_hidden), intercept=method.intercept)
    criterion = points.criterion.take(some)
    options = {"max_iter": spec.max_iter, "tol": spec.tol}
    return held.fit(data.target, criterion, points.lam[some], **options)
