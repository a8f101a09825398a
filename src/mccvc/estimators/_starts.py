"""Starting points with a breakdown point: fits of subsets, compared by the mode of their errors."""

from dataclasses import dataclass

import numpy as np

from mccvc.arrays import Array, Flags
from mccvc.correntropy import SQRT_2PI
from mccvc.estimators._robust_distance import ordinary_rows
from mccvc.estimators._subset_fits import SubsetFits
from mccvc.scale import NORMAL, matched_scale, order_statistic

# Random subsets of as many rows as unknowns: of all rows, and of those with ordinary inputs.
_SUBSETS = (100, 50)
_CONCENTRATIONS = 2
# Multiplications that the subsets may cost beyond those of small problems.
_WORK = 2e8
_ABSOLUTE_STEPS = 15
_SMALLEST_ERROR = 1e-3
# Best candidates that are refined, by the values on both sets of rows and on all rows.
_REFINED = (6, 3)
_REFINEMENTS = 8
_STEPS = 3
_REFINING_WIDTH = 1.5
# Smallest widths over the spread of the nearest half of the errors: when candidates are compared,
# and of the final scale.
_SHARPEST = 0.5
_LEAST_SCALE = 0.8
_SEARCHED = 3.0
_LEAST_LEFT = 0.2
# Fewer than half of the errors are a mode of their own only where it is so many times better.
_FAR_BETTER = 5.0


@dataclass(frozen=True)
class Starts:
    """Starting points of an iteration, the best one first.

    Attributes
    ----------
    beta : ndarray of shape (n_starts, n_columns + 1)
        Weights and, last, intercepts.
    scale : float
        Standard deviation of the errors of the best start around 0, without outliers; the
        smallest admissible one where more than half of the rows fit exactly.
    """

    beta: Array
    scale: float


class _Problem:
    """Distinct rows in standard units, the two pools of rows, and the value of candidates."""

    def __init__(
        self,
        design: Array,
        target: Array,
        weight: Array,
        *,
        total: float,
        penalty: float,
        intercept: bool,
        floor: float,
    ) -> None:
        self.weight, self.total, self.floor = weight, total, floor
        self.intercept, self.target = intercept, target
        half = 0.5 * weight.sum()
        middles = order_statistic(design.T, half, weight)
        self.middles = middles * intercept
        self.units = np.ones(design.shape[1]) if penalty else _sizes(design - middles, weight)
        columns = (design - self.middles) / self.units
        self.columns = np.hstack([columns, np.ones((len(design), int(intercept)))])
        penalties = np.append(np.full(design.shape[1], penalty), np.zeros(int(intercept)))
        self.fits = SubsetFits(self.columns, target, penalties)
        self.unknowns = self.columns.shape[1]
        self.everything = np.ones(len(target), dtype=bool)
        ordinary = ordinary_rows(design, weight, total)
        enough = weight[ordinary].sum() > half and not ordinary.all()
        self.ordinary = ordinary if enough else self.everything

    def samples(self, rows: Flags) -> float:
        """Number of samples that a set of rows stands for."""
        return float(self.total * self.weight[rows].sum() / self.weight.sum())

    def half(self, rows: Flags, share: float = 0.5) -> float:
        """Weight of half of the samples, more for the unknowns that fit themselves."""
        samples = self.samples(rows)
        needed = min(share * samples + 0.5 * self.unknowns, samples)
        return needed * self.weight.sum() / self.total

    def sharpest(self, rows: Flags) -> float:
        """Smallest width over the spread of the nearest half, larger where there are few rows.

        A half is chosen among many, and its errors are smaller the more unknowns there are.
        """
        taken = self.unknowns / self.samples(rows)
        return _SHARPEST / max(1 - taken - _SEARCHED * taken * taken, _LEAST_LEFT)

    def correction(self) -> float:
        """What the unknowns take off the spread of all errors."""
        return float(np.sqrt(self.total / max(self.total - self.unknowns, 1.0)))

    def spread(self, errors: Array, rows: Flags, share: float = 0.5) -> Array:
        """Spread of the nearest half of the errors, as a standard deviation; at least the floor."""
        size, weight = np.abs(errors[:, rows]), self.weight[rows]
        nearest = order_statistic(size, self.half(rows, share), weight)
        fitted = size <= self.floor
        for row in np.flatnonzero(fitted.sum(axis=1) > self.unknowns):
            # Exact fits of tied targets: what counts are the errors that are left.
            left = size[row][~fitted[row]], weight[~fitted[row]]
            if len(left[1]):
                nearest[row] = order_statistic(left[0][None], share * left[1].sum(), left[1])[0]
        return np.maximum(NORMAL * nearest, self.floor)

    def value(self, beta: Array, share: float) -> tuple[Array, Array, Array]:
        """Value on both sets of rows, value on all rows, and scale of the errors."""
        errors = self.fits.errors(beta)
        values = []
        for rows in (self.everything, self.ordinary):
            smallest = self.sharpest(rows) * self.spread(errors, rows, share)
            values.append(matched_scale(errors[:, rows], self.weight[rows], smallest))
            if self.ordinary is self.everything:
                values = values * 2
                break
        (scale, on_all), (_, on_ordinary) = values
        return on_all * on_ordinary, on_all, scale

    def has_sharp_quarter(self, beta: Array) -> bool:
        """Whether a quarter of the errors of some candidate is far nearer than half of any."""
        errors = self.fits.errors(beta)
        quarter = self.spread(errors, self.everything, 0.25).min()
        return bool(_FAR_BETTER**2 * quarter < self.spread(errors, self.everything).min())

    def original(self, beta: Array) -> Array:
        """Weights of the design's own columns and, last, intercepts."""
        weights = beta[:, : len(self.units)] / self.units
        levels = beta[:, len(self.units) :].sum(axis=1) - weights @ self.middles
        return np.column_stack([weights, levels])


def robust_starts(
    design: Array,
    target: Array,
    sample_weight: Array,
    *,
    total: float,
    lam: float,
    intercept: bool,
    floor: float,
) -> Starts:
    """Starting points that up to about half of the rows cannot spoil.

    Candidates are fits by absolute errors and fits of random subsets with two concentration steps
    (least squares on the half with the smallest errors), of all rows and of those with ordinary
    inputs. They compare by the product of their values on both, the value being the sharpness of
    the mode of their errors (:func:`mccvc.scale.matched_scale`) at widths from half of the spread
    of the nearest half of the errors, so that neither ties nor fits of few rows win. The best
    are refined by reweighting.

    Parameters
    ----------
    design : ndarray of shape (n_samples, n_columns)
        Distinct rows.
    target : ndarray of shape (n_samples,)
        Target, of order 1 apart from outliers.
    sample_weight : ndarray of shape (n_samples,)
        Weights, > 0.
    total : float
        Number of samples that the weights stand for.
    lam : float
        Penalty lambda' of (12).
    intercept : bool
        Whether the last weight, of a column of ones, may differ from 0.
    floor : float
        Errors below this count as none.

    Returns
    -------
    Starts
    """
    problem = _Problem(
        design,
        target,
        sample_weight,
        total=total,
        penalty=SQRT_2PI * lam,
        intercept=intercept,
        floor=floor,
    )
    candidates, subset_fits = _candidates(problem)
    value, on_all, scale = problem.value(candidates, 0.5)
    share = 0.5
    if problem.has_sharp_quarter(candidates):
        minor = problem.value(candidates, 0.25)
        if minor[1].max() > _FAR_BETTER * on_all.max() and minor[2][np.argmax(minor[1])] > floor:
            share, (value, on_all, scale) = 0.25, minor
    exact = _exact_fit(problem, np.concatenate([candidates, subset_fits]))
    if exact is not None:
        return Starts(problem.original(exact[None]), floor)
    count = min(1.0, _WORK / (design.size * design.shape[1] + 1))
    kept = [
        np.argsort(-by, kind="stable")[: max(1, int(most * count))]
        for most, by in zip(_REFINED, (value, on_all), strict=True)
    ]
    best = np.unique(np.concatenate(kept))
    refined, value, scale = _refined(problem, candidates[best], scale[best], share)
    order = np.argsort(-value, kind="stable")
    errors = problem.fits.errors(refined[order[:1]])
    least = _LEAST_SCALE * problem.spread(errors, problem.everything, share)[0]
    final = max(float(scale[order[0]]), float(least)) * problem.correction()
    return Starts(problem.original(refined[order]), final)


def _candidates(problem: _Problem) -> tuple[Array, Array]:
    """Fits by absolute errors and of concentrated subsets, of both pools; fits of subsets."""
    pools = [problem.everything]
    if problem.ordinary is not problem.everything:
        pools.append(problem.ordinary)
    found = [_absolute_fits(problem, np.array(pools) * problem.weight)]
    rng = np.random.default_rng(0)
    exact = [found[0][:0]]
    work = problem.columns.size * problem.unknowns
    for rows, most in zip(pools, _SUBSETS, strict=False):
        count = int(min(most, _WORK / work))
        if count:
            first, last = _subset_fits(problem, rows, count, rng)
            exact.append(first)
            found.append(last)
    return np.concatenate(found), np.concatenate(exact)


def _absolute_fits(problem: _Problem, weights: Array) -> Array:
    """Least absolute errors, by reweighting, for rows of weights."""
    beta = problem.fits.fit(weights)
    for _ in range(_ABSOLUTE_STEPS):
        size = np.abs(problem.fits.errors(beta))
        least = _SMALLEST_ERROR * np.median(size, axis=1, keepdims=True) + problem.floor
        beta = problem.fits.fit(weights * (least / np.maximum(size, least)))
    return beta


def _subset_fits(
    problem: _Problem, rows: Flags, count: int, rng: np.random.Generator
) -> tuple[Array, Array]:
    """Fits of random subsets of a pool, as they are and after concentration steps."""
    places, weight = np.flatnonzero(rows), problem.weight[rows]
    size = min(problem.unknowns, len(places))
    # Exponential times ranked by weight draw rows without replacement in proportion to it.
    times = rng.exponential(size=(count, len(places))) / weight
    chosen = places[np.argpartition(times, size - 1, axis=1)[:, :size]]
    weights = np.zeros((count, len(problem.weight)))
    np.put_along_axis(weights, chosen, 1.0, axis=1)
    first = beta = problem.fits.fit(weights)
    half = problem.half(rows)
    for _ in range(_CONCENTRATIONS):
        errors = np.abs(problem.fits.errors(beta))
        limits = order_statistic(errors[:, rows], half, weight)
        beta = problem.fits.fit(((errors <= limits[:, None]) & rows) * problem.weight)
    return first, beta


def _refined(
    problem: _Problem, beta: Array, scale: Array, share: float
) -> tuple[Array, Array, Array]:
    """Candidates after reweighting by kernels of a width that follows their errors."""
    value = np.zeros(len(beta))
    for _ in range(_REFINEMENTS):
        width = _REFINING_WIDTH * scale[:, None]
        for _ in range(_STEPS):
            scaled = problem.fits.errors(beta) / width
            kernel = np.exp(np.maximum(-0.5 * scaled * scaled, -700.0))
            beta = problem.fits.fit(kernel * problem.weight, width[:, 0])
        value, _, scale = problem.value(beta, share)
    return beta, value, scale


def _exact_fit(problem: _Problem, candidates: Array) -> Array | None:
    """The candidate that more than half of the rows fit exactly, if there is one."""
    size = np.abs(problem.fits.errors(candidates))
    needed = 0.5 * problem.weight.sum() * (1 + 1e-9)
    limits = order_statistic(size, needed, problem.weight)
    for i in np.argsort(limits, kind="stable")[: _REFINED[0]]:
        rows = size[i] <= limits[i]
        beta = np.linalg.lstsq(problem.columns[rows], problem.target[rows], rcond=None)[0]
        fitted = np.abs(problem.fits.errors(beta[None])[0]) <= problem.floor
        if problem.weight[fitted].sum() > needed and fitted.sum() > problem.unknowns:
            return beta
    return None


def _sizes(centered: Array, weight: Array) -> Array:
    """Scale of each column: median absolute value, or the largest, or 1."""
    size = np.abs(centered)
    spread = NORMAL * order_statistic(size.T, 0.5 * weight.sum(), weight)
    largest = size.max(axis=0)
    return np.where(spread > 0, spread, np.where(largest > 0, largest, 1.0))
