"""Gaussian kernels, correntropy with variable center, and the search (18).

Equation numbers are those of Chen et al., "Maximum Correntropy Criterion with
Variable Center".
"""

import numpy as np

SQRT_2PI = np.sqrt(2 * np.pi)

# A smaller objective counts as smaller only beyond rounding, so that ties (two equal modes,
# for instance) do not depend on the order of the rows.
_TIE = 1e-12

# min over (sigma, c) of (18) at one width is at least this over sigma: all errors at the center.
_LEAST = 1 / (2 * np.sqrt(np.pi)) - 2 / SQRT_2PI


def gaussian_kernel(errors, sigma, center=0.0):
    """Gaussian kernel G_sigma(e - c), equation (2) with a center.

    Parameters
    ----------
    errors : array_like
        Errors e = t - y, in the units of the target.
    sigma : float or array_like
        Kernel width, > 0, broadcast against `errors`.
    center : float or array_like, default 0
        Kernel center c.

    Returns
    -------
    ndarray
        Kernel values, in 1 / units of the target.
    """
    scaled = (np.asarray(errors) - center) / sigma
    return np.exp(-0.5 * scaled * scaled) / (SQRT_2PI * np.asarray(sigma))


def correntropy(errors, sigma, center=0.0, sample_weight=None):
    """Sample correntropy with variable center, equation (3).

    Parameters
    ----------
    errors : array_like of shape (..., n_samples)
        Errors e = t - y.
    sigma, center : float or array_like of shape (...)
        Kernel width (> 0) and center.
    sample_weight : array_like of shape (n_samples,), optional
        Weight of each sample (default ones).

    Returns
    -------
    ndarray of shape (...)
        Mean of G_sigma(e - c) over the last axis.
    """
    kernel = gaussian_kernel(errors, np.asarray(sigma)[..., None], np.asarray(center)[..., None])
    return np.average(kernel, axis=-1, weights=sample_weight)


def matching_objective(errors, sigma, center, sample_weight=None):
    """Objective of the width-and-center search, equation (18).

    It is the integrated squared distance between the kernel and the density of the errors,
    up to a term that depends on neither: 1 / (2 sqrt(pi) sigma) - 2 V_{sigma,c}.

    Parameters
    ----------
    errors, sigma, center, sample_weight
        As for :func:`correntropy`.

    Returns
    -------
    ndarray of shape (...)
        The objective; smaller is a better match.
    """
    match = correntropy(errors, sigma, center, sample_weight)
    return 1 / (2 * np.sqrt(np.pi) * np.asarray(sigma)) - 2 * match


def select_width_center(errors, widths, centers, sample_weight=None):
    """Solve (18) over a finite set of widths and centers.

    Widths are tried in ascending order and left out as soon as no center could make them
    better than the best so far: (18) is never below -0.516 / sigma. Among equal values the
    smallest width wins, then the first center.

    Parameters
    ----------
    errors : ndarray of shape (n_problems, n_samples)
        One row of errors for each problem.
    widths : ndarray of shape (n_widths,)
        Admissible widths, ascending and > 0.
    centers : ndarray of shape (n_centers,) or (n_problems, n_centers), "median" or "mean"
        Admissible centers, or the statistic of the errors that serves as center.
    sample_weight : ndarray of shape (n_samples,), optional
        Weight of each sample, > 0 (default ones).

    Returns
    -------
    sigma, center : ndarray of shape (n_problems,)
        The optimal pair for each problem.
    """
    share = np.full(errors.shape[1], 1.0) if sample_weight is None else sample_weight
    share = share / share.sum()
    if isinstance(centers, str) and centers == "mean":
        candidates = (errors @ share)[:, None]
    elif isinstance(centers, str):
        candidates = weighted_quantile(errors, 0.5, sample_weight)[:, None]
    else:
        candidates = np.broadcast_to(centers, (len(errors), np.shape(centers)[-1]))
    best = np.full(len(errors), np.inf)
    sigma = np.full(len(errors), widths[0], dtype=float)
    center = candidates[:, 0].copy()
    live = np.arange(len(errors))
    exponents = -0.5 * (errors[:, None, :] - candidates[:, :, None]) ** 2
    for width in widths:
        keep = best[live] > _LEAST / width
        if not keep.all():
            live, exponents = live[keep], exponents[keep]
        if not len(live):
            break
        matches = np.exp(exponents / width**2) @ share
        values = 1 / (2 * np.sqrt(np.pi) * width) - 2 / (SQRT_2PI * width) * matches
        lowest = values.min(axis=1)
        first = np.argmax(values <= (lowest + _TIE / width)[:, None], axis=1)
        better = lowest < best[live] - _TIE / width
        rows = live[better]
        best[rows] = lowest[better]
        sigma[rows] = width
        center[rows] = candidates[rows, first[better]]
    return sigma, center


def weighted_quantile(values, q, sample_weight=None):
    """Quantile along the last axis; integer weights count as repeated samples.

    Parameters
    ----------
    values : ndarray of shape (..., n_samples)
        Samples.
    q : float
        From 0 to 1. Where a range of values qualifies, its midpoint is taken, so that 0.5
        gives the usual median.
    sample_weight : ndarray of shape (n_samples,), optional
        Weight of each sample, > 0 (default ones).

    Returns
    -------
    ndarray of shape (...)
    """
    if sample_weight is None and q == 0.5:
        return np.median(values, axis=-1)
    weight = np.ones(values.shape[-1]) if sample_weight is None else sample_weight
    order = np.argsort(values, axis=-1)
    ordered = np.take_along_axis(values, order, axis=-1)
    below = np.cumsum(weight[order], axis=-1)
    goal = q * below[..., -1:]
    slack = 1e-12 * below[..., -1:]
    lower = np.argmax(below >= goal - slack, axis=-1)
    upper = np.argmax(below > goal + slack, axis=-1)
    upper = np.where((below > goal + slack).any(axis=-1), upper, values.shape[-1] - 1)
    pick = [np.take_along_axis(ordered, i[..., None], axis=-1)[..., 0] for i in (lower, upper)]
    return pick[0] + 0.5 * (pick[1] - pick[0])
