"""Gaussian kernels, correntropy with variable center, and the search (18).

Equation numbers are those of Chen et al., "Maximum Correntropy Criterion with
Variable Center".
"""

import numpy as np

from mccvc.arrays import Array, ArrayLike

SQRT_2PI = np.sqrt(2 * np.pi)

# A smaller objective counts as smaller only beyond rounding, so that ties (two equal modes,
# for instance) do not depend on the order of the rows.
_TIE = 1e-12

# Beyond this many widths kernel values are below 1e-31 of the peak and do not count.
_REACH = 12.0
_LARGEST_EXPONENT = 500.0
_FEW_CENTERS = 16
# Numbers held at once in the search.
_CHUNK = 2**18

# min over (sigma, c) of (18) at one width is at least this over sigma: all errors at the center.
_LEAST = 1 / (2 * np.sqrt(np.pi)) - 2 / SQRT_2PI


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


def select_width_center(
    errors: Array, widths: Array, centers: Array | str, sample_weight: Array | None = None
) -> tuple[Array, Array]:
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
    share = np.ones(errors.shape[1]) if sample_weight is None else sample_weight
    share = share / share.sum()
    if isinstance(centers, str) and centers == "mean":
        candidates = (errors @ share)[:, None]
    elif isinstance(centers, str):
        candidates = weighted_quantile(errors, 0.5, sample_weight)[:, None]
    else:
        candidates = np.broadcast_to(centers, (len(errors), np.shape(centers)[-1]))
    spacing = _spacing(centers)
    best = np.full(len(errors), np.inf)
    sigma = np.full(len(errors), widths[0], dtype=float)
    center = candidates[:, 0].copy()
    live = np.arange(len(errors))
    for width in widths:
        live = live[best[live] > _LEAST / width]
        if not len(live):
            break
        matches = _mean_kernels(errors[live], width, candidates[live], share, spacing)
        values = 1 / (2 * np.sqrt(np.pi) * width) - 2 / (SQRT_2PI * width) * matches
        lowest = values.min(axis=1)
        first = np.argmax(values <= (lowest + _TIE / width)[:, None], axis=1)
        better = lowest < best[live] - _TIE / width
        rows = live[better]
        best[rows] = lowest[better]
        sigma[rows] = width
        center[rows] = candidates[rows, first[better]]
    return sigma, center


def _spacing(centers: Array | str) -> float:
    """Distance of equally spaced centers, 0 for any others."""
    if isinstance(centers, str) or np.ndim(centers) != 1 or len(centers) < _FEW_CENTERS:
        return 0.0
    spacing = (centers[-1] - centers[0]) / (len(centers) - 1)
    regular = centers[0] + spacing * np.arange(len(centers))
    largest = np.abs(centers).max()
    return float(spacing) if np.abs(centers - regular).max() <= 4e-16 * largest else 0.0


def _mean_kernels(
    errors: Array, width: float, candidates: Array, share: Array, spacing: float
) -> Array:
    """Weighted means of exp(-(e - c)^2 / (2 sigma^2)): (n_problems, n_centers)."""
    n_problems, n_samples = errors.shape
    n_centers = candidates.shape[1]
    block = _block_length(width, n_centers, spacing) if spacing else 1
    step = max(
        1, _CHUNK // (n_problems * (n_centers if block == 1 else n_centers // block + block))
    )
    means = np.zeros(candidates.shape)
    for start in range(0, n_samples, step):
        part, weight = errors[:, start : start + step], share[start : start + step]
        if block == 1:
            scaled = (part[:, None, :] - candidates[:, :, None]) / width
            means += np.exp(-0.5 * scaled * scaled) @ weight
        else:
            means += _block_sums(part, width, candidates[0], weight, spacing, block)
    return means


def _block_length(width: float, n_centers: int, spacing: float) -> int:
    """Centers per block, so that no factor of the kernel overflows; 1 if blocks do not pay."""
    reach = 0.5 * n_centers * spacing + _REACH * width
    longest = 2 * _LARGEST_EXPONENT * width**2 / (spacing * reach)
    block = int(min(np.sqrt(n_centers), longest))
    return block if block >= 3 else 1


def _block_sums(
    errors: Array, width: float, centers: Array, weight: Array, spacing: float, block: int
) -> Array:
    """Sums of kernels at equally spaced centers, with an exponential per block, not per center.

    With r the middle of a block, m that of all centers and c = r + j d,
    exp(-(e - c)^2 / 2 s^2) = exp(-(e - r)^2 / 2 s^2) exp((e - m) j d / s^2)
    exp((m - r) j d / s^2 - j^2 d^2 / 2 s^2): the first factor depends on the block, the second
    on the place j in it, the third on no error. The sum over errors is a matrix product.
    """
    n_centers, half = len(centers), (block - 1) // 2
    n_blocks = -(-n_centers // block)
    middle = 0.5 * (centers[0] + centers[-1])
    blocks = centers[0] + spacing * (np.arange(n_blocks) * block + half)
    place = np.arange(block) - half
    step = spacing / width**2
    # Errors out of reach of all centers add nothing; clipped, they cannot overflow.
    low, high = centers[0] - _REACH * width, centers[-1] + _REACH * width
    errors = np.minimum(np.maximum(errors, low), high)
    at_block = errors[:, None, :] - blocks[:, None]
    at_block *= at_block
    at_block *= -0.5 / width**2
    np.exp(at_block, out=at_block)
    at_block *= weight
    at_place = np.empty((len(errors), block, errors.shape[1]))
    offset = (errors - middle) * step
    ratio = np.exp(offset)
    at_place[:, 0] = np.exp(-half * offset)
    for j in range(1, block):
        np.multiply(at_place[:, j - 1], ratio, out=at_place[:, j])
    common = np.exp(
        (middle - blocks)[:, None] * place * step - 0.5 * (place * spacing / width) ** 2
    )
    sums = (at_block @ at_place.transpose(0, 2, 1)) * common
    return sums.reshape(len(errors), -1)[:, :n_centers]


def weighted_quantile(values: Array, q: float, sample_weight: Array | None = None) -> Array:
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
