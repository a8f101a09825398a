"""Rows whose inputs lie where most inputs lie: a deterministic minimum covariance determinant."""

import numpy as np
from scipy.stats import chi2

from mccvc.arrays import Array, Flags
from mccvc.estimators._subset_fits import SubsetFits
from mccvc.scale import NORMAL, order_statistic

# Rows within this quantile of the distances of normal inputs pass for ordinary.
_ORDINARY = 0.975
# With fewer rows than this for each column, a half of small determinant says little.
_ROWS_PER_COLUMN = 5
_CONCENTRATIONS = 20
_REWEIGHTINGS = 3
_SMALLEST_SPREAD = 1e-6


def ordinary_rows(inputs: Array, sample_weight: Array, total: float) -> Flags:
    """Flag the rows whose robust Mahalanobis distance is within its 97.5 % quantile.

    Four orders of the rows (by their distance from the medians in units of the median absolute
    deviations, and by robust distances in the principal axes of the signs, of bounded values and
    of weighted signs) start concentration steps: mean and covariance of the nearest half, then
    the half nearest to those. The half of least determinant is reweighted, as usual.

    Parameters
    ----------
    inputs : ndarray of shape (n_samples, n_features)
        Inputs. Columns with more than half of their values equal are left out: nothing is far
        in units of a scale of 0.
    sample_weight : ndarray of shape (n_samples,)
        Weights, > 0.
    total : float
        Number of samples that the weights stand for.

    Returns
    -------
    ndarray of bool, shape (n_samples,)
        All true if there are too few rows to tell.

    References
    ----------
    Hubert, Rousseeuw and Verdonck, "A deterministic algorithm for robust location and scatter",
    2012.
    """
    scaled = _standardized(inputs, sample_weight)
    n_columns = scaled.shape[1]
    everything = np.ones(len(inputs), dtype=bool)
    half = 0.5 * (total + n_columns + 1) * sample_weight.sum() / total
    if not n_columns or len(inputs) <= _ROWS_PER_COLUMN * n_columns:
        return everything
    ones = np.ones((len(inputs), 1))
    fits = SubsetFits(np.hstack([ones, scaled]), np.zeros(len(inputs)), np.zeros(n_columns + 1))
    distances = _first_distances(scaled, sample_weight)
    nearest = np.zeros(distances.shape, dtype=bool)
    for _ in range(_CONCENTRATIONS):
        limits = order_statistic(distances, half, sample_weight)[:, None]
        before, nearest = nearest, distances <= limits
        if (before == nearest).all():
            break
        distances, log_determinants = fits.leverages(nearest * sample_weight)
    best = int(np.argmin(log_determinants))
    ordinary = nearest[best]
    for _ in range(_REWEIGHTINGS):
        # A leverage among the rows of a subset is 1/n + d^2/n, with d the distance from them.
        weight = ordinary * sample_weight
        squares = np.maximum(fits.leverages(weight[None])[0] * weight.sum() - 1, 0)
        middle = order_statistic(squares, 0.5 * sample_weight.sum(), sample_weight)[0]
        limit = middle * chi2.ppf(_ORDINARY, n_columns) / chi2.ppf(0.5, n_columns)
        ordinary = squares[0] <= limit
    return ordinary


def _standardized(inputs: Array, sample_weight: Array) -> Array:
    """Columns from their medians in units of their median absolute deviations, if these are > 0."""
    half = 0.5 * sample_weight.sum()
    centered = inputs - order_statistic(inputs.T, half, sample_weight)
    spread = NORMAL * order_statistic(np.abs(centered.T), half, sample_weight)
    return centered[:, spread > 0] / spread[spread > 0]


def _first_distances(scaled: Array, sample_weight: Array) -> Array:
    """Squared distances by which the concentration starts: (n_starts, n_samples)."""
    half = 0.5 * sample_weight.sum()
    lengths = np.sqrt((scaled * scaled).sum(axis=1, keepdims=True))
    signs = scaled / np.where(lengths > 0, lengths, 1.0)
    nearer = signs / np.maximum(lengths, np.median(lengths) * _SMALLEST_SPREAD + 1e-300)
    found = [lengths[:, 0] ** 2]
    for bounded in (signs, np.tanh(scaled), nearer):
        axes = np.linalg.eigh((bounded * sample_weight[:, None]).T @ bounded)[1]
        scores = (scaled @ axes).T
        scores = scores - order_statistic(scores, half, sample_weight)[:, None]
        spread = NORMAL * order_statistic(np.abs(scores), half, sample_weight)
        found.append(((scores.T / np.maximum(spread, _SMALLEST_SPREAD)) ** 2).sum(axis=1))
    return np.array(found)
