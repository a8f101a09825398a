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


def correntropy(errors, sigma, center=0.0):
    """Sample correntropy with variable center, equation (3).

    Parameters
    ----------
    errors : array_like of shape (..., n_samples)
        Errors e = t - y.
    sigma, center : float
        Kernel width (> 0) and center.

    Returns
    -------
    ndarray of shape (...)
        Mean of G_sigma(e - c) over the last axis.
    """
    return gaussian_kernel(errors, sigma, center).mean(axis=-1)


def matching_objective(errors, sigma, center):
    """Objective of the width-and-center search, equation (18).

    It is the integrated squared distance between the kernel and the density of the errors,
    up to a term that depends on neither: 1 / (2 sqrt(pi) sigma) - 2 V_{sigma,c}.

    Parameters
    ----------
    errors : array_like of shape (..., n_samples)
        Errors e = t - y.
    sigma, center : float
        Kernel width (> 0) and center.

    Returns
    -------
    ndarray of shape (...)
        The objective; smaller is a better match.
    """
    return 1 / (2 * np.sqrt(np.pi) * sigma) - 2 * correntropy(errors, sigma, center)


def select_width_center(errors, widths, centers):
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
    centers : ndarray of shape (n_centers,), "median" or "mean"
        Admissible centers, or the statistic of the errors that serves as center.

    Returns
    -------
    sigma, center : ndarray of shape (n_problems,)
        The optimal pair for each problem.
    """
    if isinstance(centers, str):
        statistic = {"median": np.median, "mean": np.mean}[centers]
        candidates = statistic(errors, axis=1)[:, None]
    else:
        candidates = np.broadcast_to(centers, (len(errors), len(centers)))
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
        matches = np.exp(exponents / width**2).mean(axis=2)
        values = 1 / (2 * np.sqrt(np.pi) * width) - 2 / (SQRT_2PI * width) * matches
        lowest = values.min(axis=1)
        first = np.argmax(values <= (lowest + _TIE / width)[:, None], axis=1)
        better = lowest < best[live] - _TIE / width
        rows = live[better]
        best[rows] = lowest[better]
        sigma[rows] = width
        center[rows] = candidates[rows, first[better]]
    return sigma, center
