"""Starting points of the estimators, for data in any unit and with any share of outliers."""

from typing import Any

import numpy as np

from mccvc.arrays import Array
from mccvc.correntropy import matching_objective
from mccvc.criteria.paper import MCC, MMSE
from mccvc.scale import weighted_quantile
from mccvc.solvers.batch import fit_batch
from mccvc.solvers.row_blocks import BlockedDesign
from mccvc.width_center import select_width_center

# Subsets of as many points as there are unknowns: exact fits, some of them free of outliers.
_SUBSETS = 40
_SUBSET_UNKNOWNS = 12
_ROWS_PER_UNKNOWN = 6
_SUBSET_ROWS = 10_000
# Errors enter the scale through at most this many of their quantiles.
_QUANTILES = 256
_CENTERS = 21
_WIDTHS = 40
_ANNEALING = (4.0, 2.0, 1.0, 0.5, 0.25)
# Errors below this share of the target's scale count as none.
SCALE_FLOOR = 1e-8


@np.errstate(over="ignore", invalid="ignore")
def error_scale(
    errors: Array, sample_weight: Array, *, centered: bool, floor: float
) -> tuple[Array, Array, Array]:
    """Width and center that (18) would choose from a fine set, for several candidates.

    Around the mode of the errors the width equals their standard deviation if they are normal
    there, however many others lie elsewhere.

    Parameters
    ----------
    errors : ndarray of shape (n_candidates, n_samples)
        Errors of each candidate.
    sample_weight : ndarray of shape (n_samples,)
        Weights, > 0.
    centered : bool
        Whether the center is 0; otherwise it is searched among quantiles of the errors.
    floor : float
        Smallest width.

    Returns
    -------
    scale, center, objective : ndarray of shape (n_candidates,)
        The choice, and its value of (18), by which candidates compare.
    """
    if errors.shape[1] > _QUANTILES:
        probabilities = (np.arange(_QUANTILES) + 0.5) / _QUANTILES
        errors = weighted_quantile(errors, probabilities, sample_weight)
        sample_weight = np.ones(_QUANTILES)
    grid = np.linspace(0, 1, _CENTERS)
    if centered:
        centers = np.zeros((len(errors), 1))
    else:
        centers = weighted_quantile(errors, grid, sample_weight)
    spread = np.abs(errors - np.median(errors, axis=1)[:, None])
    smallest = np.quantile(spread, 0.1, axis=1).min()
    largest = np.quantile(np.abs(errors) if centered else spread, 0.75, axis=1).min()
    low = max(floor, smallest / 2)
    widths = np.geomspace(low, max(2 * largest, 4 * low), _WIDTHS)
    scale, center = select_width_center(errors, widths, centers, sample_weight)
    objective = matching_objective(errors, scale, center, sample_weight)
    return scale, center, objective


def candidate_starts(
    design: Array | BlockedDesign,
    target: Array,
    lam: float,
    *,
    intercept: bool,
    sample_weight: Array,
    rng: np.random.Generator,
) -> Array:
    """Initial weights to choose from: zero, least squares, annealed, and exact fits of subsets.

    Parameters
    ----------
    design : ndarray or BlockedDesign of shape (n_samples, n_columns)
        Design matrix, of order 1.
    target : ndarray of shape (n_samples,)
        Target, of order 1 apart from outliers.
    lam : float
        Penalty lambda'.
    intercept : bool
        Whether the last weight, of a column of ones, may differ from 0.
    sample_weight : ndarray of shape (n_samples,)
        Weights, > 0.
    rng : numpy.random.Generator
        Chooses the subsets, from the rows in an order that depends on their values only.

    Returns
    -------
    ndarray of shape (n_candidates, n_columns + 1)
    """
    n_samples, n_columns = design.shape
    options: dict[str, Any] = {"intercept": intercept, "sample_weight": sample_weight}
    zero = np.zeros((1, n_columns + 1))
    least_squares = fit_batch(design, target, MMSE(), [lam], **options)
    annealed = zero
    for width in _ANNEALING:
        fit = fit_batch(design, target, MCC(width), [lam], start=annealed, max_iter=2, **options)
        annealed = np.hstack([fit.beta, fit.intercept[:, None]])
    starts = [
        zero,
        np.hstack([least_squares.beta, least_squares.intercept[:, None]]),
        annealed,
    ]
    # A subset that is a large part of the data would pass for a sharp mode.
    unknowns = n_columns + intercept
    few = unknowns <= min(_SUBSET_UNKNOWNS, n_samples / _ROWS_PER_UNKNOWN)
    if few and isinstance(design, np.ndarray):
        starts.append(_exact_fits(design, target, intercept, rng))
    stacked = np.concatenate(starts)
    return stacked[np.isfinite(stacked).all(axis=1)]


def _exact_fits(design: Array, target: Array, intercept: bool, rng: np.random.Generator) -> Array:
    unknowns = np.hstack([design, np.ones((len(design), int(intercept)))])
    rows = np.unique(np.column_stack([target, unknowns]), axis=0)
    if len(rows) > _SUBSET_ROWS:
        rows = rows[np.linspace(0, len(rows) - 1, _SUBSET_ROWS).astype(int)]
    size = unknowns.shape[1]
    if len(rows) <= size:
        return np.zeros((0, design.shape[1] + 1))
    picks = np.stack([rng.choice(len(rows), size, replace=False) for _ in range(_SUBSETS)])
    systems, values = rows[picks][:, :, 1:], rows[picks][:, :, :1]
    solutions = (np.linalg.pinv(systems) @ values)[:, :, 0]
    return np.hstack([solutions, np.zeros((len(solutions), 1 - int(intercept)))])
