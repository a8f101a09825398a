"""Choosing among the points of a grid by errors out of fold, and predicting with the chosen ones.

Outliers among the held-out rows need not decide: how errors are scored is a part of its own, as are
whether the best point predicts or the mean of all that are hardly worse, whether predictions are
cut off, whether the scale of the ordinary errors is taken from the errors, and whether ridge
regression has a say. Targets have a range of 1.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mccvc.arrays import Array, Flags, Indices
from mccvc.scale import NORMAL, weighted_quantile
from mccvc.solvers.candidates import Fits, Grid
from mccvc.width_center import select_with_share

# Width of the narrowest kernel, three of which are what errors of outliers exceed.
_WIDTH = 0.1
OUTLYING = 3 * _WIDTH
# Standard errors of the paired difference within which a candidate is hardly worse, a ridge
# candidate is, and beyond which a robust average needs no ridge.
_HARDLY_WORSE = 2.0
_HARDLY_WORSE_RIDGE = 1.0
_TRUSTED = 3.0
# Widths of the ordinary errors, from a share of the spread that half of them have; the quantiles
# among which their center is.
_SMALLEST_SHARE, _SMALLEST_WIDTH = 0.5, 0.001
_TIMES = np.geomspace(1, 8, 25)
_QUANTILES = np.linspace(0.02, 0.98, 49)
# Ordinary errors lie within so many of their standard deviations; scores are truncated there.
_ORDINARY, _TRUNCATED = 5.0, 3.0


class Parts(NamedTuple):
    """How candidates are judged and used.

    Attributes
    ----------
    score : {"squared", "truncated", "correntropy", "median"}
        How errors out of fold are judged, see :data:`SCORES`.
    combine : {"best", "mean"}
        Whether the best candidate predicts, or the mean of all that are not worse by two standard
        errors of the paired difference.
    clip : bool
        Whether predictions, those out of fold too, are cut off at the range of the targets whose
        errors are ordinary.
    scale : {"fixed", "matched"}
        Whether errors are ordinary by :data:`OUTLYING`, or by the errors' own scale.
    hedge : bool
        Whether the prediction is halfway to averaged ridge regression, unless that is clearly
        worse.
    """

    score: str = "squared"
    combine: str = "best"
    clip: bool = False
    scale: str = "fixed"
    hedge: bool = False


class Noise(NamedTuple):
    """What errors are ordinary: those within `reach` of `center`; scores end at `outlying`."""

    outlying: float = OUTLYING
    center: float = 0.0
    reach: float = OUTLYING


class Score(NamedTuple):
    """How errors are judged.

    Attributes
    ----------
    loss : callable
        ``loss(errors, outlying)``: the loss of each error.
    total : callable
        ``total(losses, folds)``: of losses (n_candidates, n_rows) one value for each candidate.
    """

    loss: Callable[[Array, float], Array]
    total: Callable[[Array, Sequence[Indices]], Array]


def _over_folds(losses: Array, folds: Sequence[Indices]) -> Array:
    return np.mean([np.sqrt(losses[:, fold].mean(axis=1)) for fold in folds], axis=0)


def _over_rows(losses: Array, folds: Sequence[Indices]) -> Array:
    return losses.mean(axis=1)


def _truncated(errors: Array, outlying: float) -> Array:
    return np.minimum(errors**2, outlying**2)


SCORES = {
    "squared": Score(lambda errors, outlying: errors**2, _over_folds),
    "truncated": Score(_truncated, _over_rows),
    "correntropy": Score(
        lambda errors, outlying: 1 - np.exp(-0.5 * (_TRUNCATED * errors / outlying) ** 2),
        _over_rows,
    ),
    "median": Score(
        lambda errors, outlying: np.abs(errors), lambda losses, folds: np.median(losses, axis=1)
    ),
}


class Average(NamedTuple):
    """Candidates whose mean predicts, each cut off at a range.

    Attributes
    ----------
    best : int
        The best candidate.
    members : ndarray of bool, shape (n_candidates,)
        Those whose predictions are averaged.
    low, high : float
        The range.
    """

    best: int
    members: Flags
    low: float = -np.inf
    high: float = np.inf

    def of(self, predictions: Array) -> Array:
        """Mean over the first axis of the members' predictions, each cut off."""
        return np.clip(predictions, self.low, self.high).mean(axis=0)


def judge(
    predictions: Array,
    target: Array,
    folds: Sequence[Indices],
    parts: Parts,
    telling: Flags | None = None,
) -> tuple[Average, Noise]:
    """Which candidates predict.

    Parameters
    ----------
    predictions : ndarray of shape (n_candidates, n_rows)
        Predictions out of fold.
    target : ndarray of shape (n_rows,)
        Target.
    folds : sequence of ndarray of int
        Held-out rows of each fold.
    parts : Parts
        How; `hedge` does not matter here.
    telling : ndarray of bool, shape (n_candidates,), optional
        Candidates of which the best by the truncated score tells what errors are ordinary.

    Returns
    -------
    average : Average
    noise : Noise
    """
    errors = target - predictions
    told = SCORES["truncated"].total(_truncated(errors, OUTLYING), folds)
    if telling is not None:
        told[~telling] = np.inf
    told_by = errors[np.argmin(told)]
    noise = matched_noise(told_by) if parts.scale == "matched" else Noise()
    low, high = -np.inf, np.inf
    kept = np.abs(told_by - noise.center) <= noise.reach
    if parts.clip and kept.any():
        low, high = target[kept].min(), target[kept].max()
        errors = target - np.clip(predictions, low, high)
    score = SCORES[parts.score]
    losses = score.loss(errors, noise.outlying)
    totals = score.total(losses, folds)
    best = int(np.argmin(totals))
    if not np.isfinite(totals[best]):
        raise ArithmeticError("no grid point gives finite errors out of fold")
    members = np.arange(len(losses)) == best
    if parts.combine == "mean":
        members = hardly_worse(losses, best, _HARDLY_WORSE)
    return Average(best, members, low, high), noise


def matched_noise(errors: Array) -> Noise:
    """Which errors are ordinary by the kernel that, with a share of its own, matches them best.

    Its width s and center c have the largest sqrt(s) mean G_s(e - c), with s up to eight times
    half of the standard deviation that the median absolute deviation gives.
    """
    spread = NORMAL * np.median(np.abs(errors - np.median(errors)))
    widths = max(_SMALLEST_SHARE * spread, _SMALLEST_WIDTH) * _TIMES
    found = select_with_share(errors[None], widths, weighted_quantile(errors[None], _QUANTILES))
    width, center = (float(values[0]) for values in found)
    return Noise(_TRUNCATED * width, center, max(OUTLYING, _ORDINARY * width))


def hardly_worse(losses: Array, best: int, within: float) -> Flags:
    """Which candidates have losses within some paired standard errors of the best one's.

    Parameters
    ----------
    losses : ndarray of shape (n_candidates, n_rows)
        Losses out of fold.
    best : int
        The best candidate.
    within : float
        Standard errors of the mean paired difference.

    Returns
    -------
    ndarray of bool, shape (n_candidates,)
    """
    # Candidates with errors that are not finite are worse; the best one is never.
    finite = np.asarray(np.isfinite(losses).all(axis=1))
    mean, error = _paired(np.where(finite[:, None], losses, 0.0), losses[best])
    return (finite & (mean <= within * error)) | (np.arange(len(losses)) == best)


def _paired(losses: Array, others: Array) -> tuple[Array, Array]:
    """Mean difference over the rows, and its standard error."""
    differences = losses - others
    error = differences.std(axis=-1, ddof=1) / np.sqrt(differences.shape[-1])
    return differences.mean(axis=-1), error


def ridge_average(predictions: Array, target: Array) -> Average:
    """Ridge candidates within a standard error of the best one, cut off at the targets' range.

    Parameters
    ----------
    predictions : ndarray of shape (n_candidates, n_rows)
        Predictions out of fold.
    target : ndarray of shape (n_rows,)
        Target.

    Returns
    -------
    Average
    """
    low, high = target.min(), target.max()
    losses = (target - np.clip(predictions, low, high)) ** 2
    best = int(np.argmin(losses.mean(axis=1)))
    return Average(best, hardly_worse(losses, best, _HARDLY_WORSE_RIDGE), low, high)


def needs_no_ridge(robust: Array, ridge: Array, outlying: float) -> bool:
    """Whether errors out of fold have a smaller truncated score, by three standard errors.

    Parameters
    ----------
    robust, ridge : ndarray of shape (n_rows,)
        Errors of the two averages.
    outlying : float
        Where errors are truncated.

    Returns
    -------
    bool
    """
    mean, error = _paired(_truncated(robust, outlying), _truncated(ridge, outlying))
    return bool(mean < -_TRUSTED * error)


@dataclass(frozen=True)
class Judged:
    """A judged and fitted grid.

    Attributes
    ----------
    parts : Parts
        How it was judged.
    average : Average
        Of the grid's candidates.
    cv_rmse : float
        Mean over the folds of the root mean squared error of the best candidate, held out.
    fits : Fits
        The grid's fits; among them those of the members.
    ridge : tuple of Average and Fits, optional
        Ridge regression, if it has a say.
    """

    parts: Parts
    average: Average
    cv_rmse: float
    fits: Fits
    ridge: tuple[Average, Fits] | None = None

    def predict(self, design: Array) -> Array:
        """Predictions for the rows of a design: (n_rows,)."""
        robust = _predict(self.average, self.fits, design)
        if self.ridge is None:
            return robust
        return (robust + _predict(*self.ridge, design)) / 2


def _predict(average: Average, fits: Fits, design: Array) -> Array:
    return average.of(fits.predict(design)[average.members[fits.candidates]])


def judged(
    design: Array, target: Array, folds: Sequence[Indices], grid: Grid, ways: Sequence[Parts]
) -> list[Judged]:
    """Judge a grid in several ways by one search, and fit all that they chose once.

    Parameters
    ----------
    design : ndarray of shape (n_rows, n_columns)
        Design matrix.
    target : ndarray of shape (n_rows,)
        Target, whose range without outliers is 1.
    folds : sequence of ndarray of int
        Held-out rows of each fold.
    grid : Grid
        The candidates.
    ways : sequence of Parts
        How they are judged and used.

    Returns
    -------
    list of Judged
        One for each way.
    """
    predictions = grid.out_of_fold(design, target, folds)
    telling = None if grid.telling is None else np.tile(grid.telling, len(grid.sizes))
    verdicts = [judge(predictions, target, folds, parts, telling) for parts in ways]
    chosen = np.any([average.members for average, _ in verdicts], axis=0)
    fits = grid.fit(design, target, chosen)
    hedge = _Hedge.of(design, target, folds, grid.ridge) if any(p.hedge for p in ways) else None
    found = []
    for parts, (average, noise) in zip(ways, verdicts, strict=True):
        squares = (target - predictions[average.best]) ** 2
        cv_rmse = float(_over_folds(squares[None], folds)[0])
        ridge = None
        if hedge is not None and parts.hedge:
            errors = target - average.of(predictions[average.members])
            if not needs_no_ridge(errors, hedge.errors, noise.outlying):
                ridge = hedge.average, hedge.fits
        found.append(Judged(parts, average, cv_rmse, fits, ridge))
    return found


class _Hedge(NamedTuple):
    """Averaged ridge regression, and its errors out of fold."""

    average: Average
    fits: Fits
    errors: Array

    @classmethod
    def of(cls, design: Array, target: Array, folds: Sequence[Indices], ridge: Grid) -> "_Hedge":
        predictions = ridge.out_of_fold(design, target, folds)
        average = ridge_average(predictions, target)
        errors = target - average.of(predictions[average.members])
        return cls(average, ridge.fit(design, target, average.members), errors)
