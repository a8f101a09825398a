"""Covariance of the coefficients of a robust fit."""

import numpy as np

from mccvc.arrays import Array, SingleArray

_LONG = 2**19
# Kernel widths beyond which exp gives 0.
_FARTHEST = 40.0


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
    # Farther errors have no weight, and need not be finite when squared.
    squares = np.minimum(np.abs(errors / sigma), _FARTHEST) ** 2
    kernel = np.exp(-0.5 * squares) * sample_weight
    middle = kernel @ design / kernel.sum() * intercept
    # Sums over so many numbers need no more than single precision.
    kind = np.float32 if design.size > _LONG else np.float64
    columns = np.subtract(design, middle, dtype=kind, casting="same_kind")
    unknowns = design.shape[1] + intercept
    bend = _moments(columns, kernel * (1 - squares))[:unknowns, :unknowns]
    filling = _moments(columns, (errors * kernel) ** 2 / sample_weight)[:unknowns, :unknowns]
    bread = np.linalg.pinv(bend, hermitian=True)
    total = sample_weight.sum()
    covariance = bread @ filling @ bread * (total / (total - unknowns))
    back = np.eye(design.shape[1] + 1)[:, :unknowns]
    back[-1, : design.shape[1]] = -middle
    return back @ covariance @ back.T


def _moments(columns: Array | SingleArray, weights: Array) -> Array:
    """H' W H for the columns and, last, a column of ones."""
    weighted = columns * weights[:, None].astype(columns.dtype)
    sums = weighted.sum(axis=0)
    blocks = [[weighted.T @ columns, sums[:, None]], [sums, weights.sum()]]
    return np.block(blocks).astype(np.float64)
