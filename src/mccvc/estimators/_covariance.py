"""Covariance of the coefficients of a robust fit."""

import numpy as np

from mccvc.arrays import Array


def sandwich(
    design: Array, errors: Array, sigma: float, sample_weight: Array, *, intercept: bool
) -> Array:
    """Sandwich estimate n / (n - p) A^-1 B A^-1 with the criterion's psi.

    psi(e) = e w(e) with w(e) = exp(-e^2 / 2 sigma^2), A = sum psi'(e_i) h_i h_i' and
    B = sum psi(e_i)^2 h_i h_i'; n is the sum of the sample weights, p the number of unknowns. The
    width counts as given.

    Parameters
    ----------
    design : ndarray of shape (n_samples, n_columns)
        Inputs.
    errors : ndarray of shape (n_samples,)
        Errors of the fit.
    sigma : float
        Kernel width.
    sample_weight : ndarray of shape (n_samples,)
        Weights, > 0, that count as repeated samples.
    intercept : bool
        Whether the fit has a level of its own.

    Returns
    -------
    ndarray of shape (n_columns + 1, n_columns + 1)
        Covariance of the weights and, last, of the level (0 without one).

    References
    ----------
    Huber, "The behavior of maximum likelihood estimates under nonstandard conditions", 1967;
    Huber and Ronchetti, "Robust Statistics", 2009, section 7.6.
    """
    squares = (errors / sigma) ** 2
    kernel = np.exp(np.maximum(-0.5 * squares, -700.0)) * sample_weight
    middle = kernel @ design / kernel.sum() * intercept
    columns = np.hstack([design - middle, np.ones((len(design), int(intercept)))])
    unknowns = columns.shape[1]
    bread = np.linalg.pinv(_moments(columns, kernel * (1 - squares)), hermitian=True)
    filling = _moments(columns, (errors * kernel) ** 2 / sample_weight)
    total = sample_weight.sum()
    covariance = bread @ filling @ bread * (total / (total - unknowns))
    back = np.eye(len(middle) + 1)[:, :unknowns]
    back[-1, : len(middle)] = -middle
    return back @ covariance @ back.T


def _moments(columns: Array, weights: Array) -> Array:
    return (columns * weights[:, None]).T @ columns
