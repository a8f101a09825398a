"""Gaussian kernels, correntropy with variable center, and the objective of (18).

Equation numbers are those of Chen et al., "Maximum Correntropy Criterion with
Variable Center".
"""

import numpy as np

from mccvc.arrays import Array, ArrayLike

SQRT_2PI = np.sqrt(2 * np.pi)


# Errors of any size: beyond the largest number the kernel is 0.
@np.errstate(over="ignore")
def gaussian_kernel(errors: ArrayLike, sigma: ArrayLike, center: ArrayLike = 0.0) -> Array:
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
    width = np.asarray(sigma, dtype=float)
    scaled = (np.asarray(errors, dtype=float) - np.asarray(center, dtype=float)) / width
    return np.exp(-0.5 * scaled * scaled) / (SQRT_2PI * width)


def correntropy(
    errors: ArrayLike, sigma: ArrayLike, center: ArrayLike = 0.0, sample_weight: Array | None = None
) -> Array:
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


def matching_objective(
    errors: ArrayLike, sigma: ArrayLike, center: ArrayLike, sample_weight: Array | None = None
) -> Array:
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
