"""Weighted quantiles and robust scales of errors."""

import numpy as np

from mccvc.arrays import Array, ArrayLike

# A median absolute deviation times this is the standard deviation of normal values.
NORMAL = 1.4826
# Sums of weights reach a goal up to rounding.
_SLACK = 1e-12
# Widths tried by `matched_scale`: so many, up to this multiple of the smallest.
_STEPS = 9
_WIDEST = 4.0
_LOWEST_EXPONENT = -700.0
_TINY = 1e-300
# A mode is sought among so many quantiles of the errors, of at most so many of their quantiles.
_CENTERS = 21
_QUANTILES = 256


def weighted_quantile(values: Array, q: ArrayLike, sample_weight: Array | None = None) -> Array:
    """Quantiles along the last axis; integer weights count as repeated samples.

    Parameters
    ----------
    values : ndarray of shape (..., n_samples)
        Samples.
    q : float or array_like of shape (n_quantiles,)
        From 0 to 1. Where a range of values qualifies, its midpoint is taken, so that 0.5
        gives the usual median.
    sample_weight : ndarray of shape (n_samples,), optional
        Weight of each sample, > 0 (default ones).

    Returns
    -------
    ndarray of shape (...) or (..., n_quantiles)
    """
    if sample_weight is None and np.ndim(q) == 0 and q == 0.5:
        return _median(values)
    q = np.asarray(q, dtype=float)
    if sample_weight is None or (sample_weight == 1).all():
        return _quantile(values, q)
    weight = sample_weight
    found = np.empty((*values.shape[:-1], q.size))
    for row in np.ndindex(values.shape[:-1]):
        order = np.argsort(values[row])
        ordered, below = values[row][order], np.cumsum(weight[order])
        goal, slack = q.ravel() * below[-1], _SLACK * below[-1]
        lower = ordered[np.searchsorted(below, goal - slack, side="left")]
        upper = np.searchsorted(below, goal + slack, side="right")
        upper = ordered[np.minimum(upper, len(ordered) - 1)]
        found[row] = lower + 0.5 * (upper - lower)
    return found.reshape((*values.shape[:-1], *q.shape))


def _median(values: Array) -> Array:
    """Medians along the last axis, the same as np.median's in a third of the time."""
    middle = values.shape[-1] // 2
    ordered = np.partition(values, middle, axis=-1)
    if values.shape[-1] % 2:
        return ordered[..., middle]
    return 0.5 * (ordered[..., :middle].max(axis=-1) + ordered[..., middle])


def _quantile(values: Array, q: Array) -> Array:
    """Quantiles of samples without weights."""
    last = values.shape[-1] - 1
    goal, slack = q.ravel() * (last + 1), _SLACK * (last + 1)
    low = np.clip(np.ceil(goal - slack).astype(int) - 1, 0, last)
    high = np.minimum(np.floor(goal + slack).astype(int), last)
    ordered = np.partition(values, np.unique([low, high]), axis=-1)
    lower, upper = ordered[..., low], ordered[..., high]
    return (lower + 0.5 * (upper - lower)).reshape((*values.shape[:-1], *q.shape))


def robust_scale(values: Array, sample_weight: Array) -> float:
    """Scale of values around their median, never 0.

    1.4826 times the median absolute deviation; where more than half of the values are equal,
    the smallest of the 75 %, 90 % and 100 % quantiles of the absolute deviations that is not
    0, times the same; for a constant its absolute value, for zeros 1.

    Parameters
    ----------
    values : ndarray of shape (n_samples,)
        Values, finite.
    sample_weight : ndarray of shape (n_samples,)
        Weights, > 0.

    Returns
    -------
    float
    """
    median = weighted_quantile(values, 0.5, sample_weight)
    deviations = np.abs(values - median)
    for q in (0.5, 0.75, 0.9, 1.0):
        scale = NORMAL * weighted_quantile(deviations, q, sample_weight)
        if scale > 0:
            return float(scale)
    return float(abs(median)) or 1.0


def order_statistic(values: Array, below: float, sample_weight: Array) -> Array:
    """Smallest value of each row up to which the weights add up to `below`.

    Parameters
    ----------
    values : ndarray of shape (n_rows, n_samples)
        Samples.
    below : float
        Weight to be reached; with weights of 1, the number of samples.
    sample_weight : ndarray of shape (n_samples,)
        Weights, > 0.

    Returns
    -------
    ndarray of shape (n_rows,)
    """
    last = values.shape[1] - 1
    if (sample_weight == sample_weight[0]).all():
        k = int(np.ceil(below / sample_weight[0] * (1 - _SLACK))) - 1
        return np.partition(values, min(max(k, 0), last), axis=1)[:, min(max(k, 0), last)]
    order = np.argsort(values, axis=1)
    reached = np.cumsum(sample_weight[order], axis=1) >= below * (1 - _SLACK)
    k = np.where(reached[:, -1], reached.argmax(axis=1), last)
    return values[np.arange(len(values)), order[np.arange(len(values)), k]]


def matched_scale(errors: Array, sample_weight: Array, smallest: Array) -> tuple[Array, Array]:
    """Width of the kernel at 0 that, with a share of its own, matches the errors' density best.

    The integrated squared distance between w G_sigma and the density is smallest in w at the
    share w = 2 sqrt(pi) sigma mean G_sigma(e); what is left to maximize over sigma is
    sqrt(sigma) mean G_sigma(e), Scott's partial density component. For normal errors it is their
    standard deviation, whatever the share of others far away. It has no maximum where errors are
    tied, hence the lower bound.

    Parameters
    ----------
    errors : ndarray of shape (n_rows, n_samples)
        Errors of each candidate.
    sample_weight : ndarray of shape (n_samples,)
        Weights, > 0.
    smallest : ndarray of shape (n_rows,)
        Smallest width, > 0; the largest is `_WIDEST` times as large.

    Returns
    -------
    sigma, value : ndarray of shape (n_rows,)
        The width, and sqrt(sigma) mean exp(-e^2 / 2 sigma^2) / sigma, which is comparable between
        candidates: larger is a sharper and fuller mode.

    References
    ----------
    Scott, "Partial mixture estimation and outlier detection in data and regression", 2004.
    """
    shares = sample_weight / sample_weight.sum()
    steps = np.linspace(0, np.log(_WIDEST), _STEPS)
    values = np.empty((len(errors), _STEPS))
    squares = -0.5 * errors * errors
    for j, step in enumerate(steps):
        width = smallest * np.exp(step)
        scaled = np.maximum(squares / (width * width)[:, None], _LOWEST_EXPONENT)
        values[:, j] = np.exp(scaled, out=scaled) @ shares / np.sqrt(width)
    rows, best = np.arange(len(errors)), values.argmax(axis=1)
    inside = np.clip(best, 1, _STEPS - 2)
    left, middle, right = (np.log(values[rows, inside + d] + _TINY) for d in (-1, 0, 1))
    bend = left - 2 * middle + right
    shift = np.where(bend < 0, 0.5 * (left - right) / np.where(bend < 0, bend, 1.0), 0.0)
    shift = np.where(best == inside, np.clip(shift, -0.5, 0.5), 0.0)
    return smallest * np.exp(steps[best] + shift * steps[1]), values[rows, best]


def matched_share(errors: Array, sigma: float, sample_weight: Array) -> float:
    """Share of the errors that belongs to a kernel of a width at 0: 2 sqrt(pi) sigma mean G."""
    kernel = np.exp(np.maximum(-0.5 * (errors / sigma) ** 2, _LOWEST_EXPONENT))
    return float(min(1.0, np.sqrt(2) * np.average(kernel, weights=sample_weight)))


def mode(
    errors: Array, sample_weight: Array, floor: float, *, centered: bool
) -> tuple[float, float]:
    """Scale and center of the sharpest mode of some errors.

    Parameters
    ----------
    errors, sample_weight : ndarray of shape (n_samples,)
        Errors, and their weights > 0.
    floor : float
        Smallest scale.
    centered : bool
        Whether the center is 0; otherwise it is searched among quantiles of the errors.

    Returns
    -------
    sigma, center : float
        See :func:`matched_scale`; the width is at least half of the spread of the nearest half.
    """
    if len(errors) > _QUANTILES:
        probabilities = (np.arange(_QUANTILES) + 0.5) / _QUANTILES
        errors = weighted_quantile(errors, probabilities, sample_weight)
        sample_weight = np.ones(_QUANTILES)
    centers = np.zeros(1)
    if not centered:
        centers = weighted_quantile(errors, np.linspace(0, 1, _CENTERS), sample_weight)
    shifted = errors - centers[:, None]
    needed = 0.5 * sample_weight.sum() * (1 + 1 / len(errors))
    half = order_statistic(np.abs(shifted), needed, sample_weight)
    smallest = np.maximum(0.5 * NORMAL * half, floor)
    sigma, value = matched_scale(shifted, sample_weight, smallest)
    best = int(np.argmax(value))
    return float(sigma[best]), float(centers[best])


def efficient_width(efficiency: float) -> float:
    """Width, in standard deviations of the errors, at which a kernel has an efficiency.

    For normal errors and weights exp(-e^2 / 2 k^2), with a = 1 / k^2, the efficiency relative to
    least squares is (E psi')^2 / E psi^2 = (1 + 2 a)^(3/2) / (1 + a)^3.

    Parameters
    ----------
    efficiency : float
        From 0 to 1, exclusive.

    Returns
    -------
    float
        k: 2.11 for 95 %, 1 for 65 %.
    """
    root = efficiency ** (2 / 3)
    return float(1 / np.sqrt((1 + np.sqrt(1 - root)) / root - 1))
