"""Weighted quantiles and robust scales of errors."""

import numpy as np

from mccvc.arrays import Array, ArrayLike


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
        return np.median(values, axis=-1)
    q = np.asarray(q, dtype=float)
    weight = np.ones(values.shape[-1]) if sample_weight is None else sample_weight
    found = np.empty((*values.shape[:-1], q.size))
    for row in np.ndindex(values.shape[:-1]):
        order = np.argsort(values[row])
        ordered, below = values[row][order], np.cumsum(weight[order])
        goal, slack = q.ravel() * below[-1], 1e-12 * below[-1]
        lower = ordered[np.searchsorted(below, goal - slack, side="left")]
        upper = np.searchsorted(below, goal + slack, side="right")
        upper = ordered[np.minimum(upper, len(ordered) - 1)]
        found[row] = lower + 0.5 * (upper - lower)
    return found.reshape((*values.shape[:-1], *q.shape))


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
        scale = 1.4826 * weighted_quantile(deviations, q, sample_weight)
        if scale > 0:
            return float(scale)
    return float(abs(median)) or 1.0
