"""The search (18) for kernel width and center, over finite sets, for many problems at once."""

import numpy as np

from mccvc.arrays import Array
from mccvc.correntropy import SQRT_2PI
from mccvc.scale import weighted_quantile

# A smaller objective counts as smaller only beyond rounding, so that ties (two equal modes,
# for instance) do not depend on the order of the rows.
_TIE = 1e-12
# Beyond this many widths kernel values are below 1e-31 of the peak and do not count.
_REACH = 12.0
_LARGEST_EXPONENT = 500.0
_LOWEST_EXPONENT = -700.0  # beyond it exp is slow, and nothing counts
_FEW_CENTERS = 16
# Widths tried at once for fewer errors than this.
_FEW_ERRORS = 4096
_MOST_TOGETHER = 4
# Numbers held at once in the search.
_CHUNK = 2**18
# (18) is (_AT_BEST - _PER_MATCH m) / sigma, with m the mean of exp(-(e - c)^2 / 2 sigma^2).
_AT_BEST = 1 / (2 * np.sqrt(np.pi))
_PER_MATCH = 2 / SQRT_2PI
_LEAST = _AT_BEST - _PER_MATCH


@np.errstate(over="ignore", under="ignore", divide="ignore")
def select_width_center(
    errors: Array, widths: Array, centers: Array | str, sample_weight: Array | None = None
) -> tuple[Array, Array]:
    """Solve (18) over a finite set of widths and centers.

    Widths are tried in ascending order and left out when no center could make them better than
    the best so far. With m the mean of exp(-(e - c)^2 / 2 sigma^2), (18) falls with m, and at a
    wider sigma' m is at most m^((sigma / sigma')^2), by Jensen's inequality, and at most 1.
    Among equal values the
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
    share, candidates = _candidates(errors, centers, sample_weight)
    spacing = _spacing(centers)
    best = np.full(len(errors), np.inf)
    sigma = np.full(len(errors), widths[0], dtype=float)
    chosen = np.zeros(candidates.shape)
    # The narrower width tried last, and the largest mean kernel there.
    tried, top = np.full(len(errors), widths[0], dtype=float), np.ones(len(errors))
    # Few errors: several widths at once, after the narrowest one, cost little more than one.
    together = max(1, min(_MOST_TOGETHER, _FEW_ERRORS // errors.size))
    rows, begin = np.arange(len(errors)), 0
    while True:
        group = widths[begin : begin + together if begin else 1]
        matches = _mean_kernels(errors[rows], group, candidates[rows], share, spacing)
        tops = matches.max(axis=2)
        values = (_AT_BEST - _PER_MATCH * tops) / group
        for j, width in enumerate(group):
            better = values[:, j] < best[rows] - _TIE / width
            if np.count_nonzero(better):
                to = rows[better]
                best[to], sigma[to], chosen[to] = values[better, j], width, matches[better, j]
        tried[rows], top[rows] = group[-1], tops[:, -1]
        begin += len(group)
        wider = widths[begin:]
        highest = top[:, None] ** (tried[:, None] / wider) ** 2
        promising = (_AT_BEST - _PER_MATCH * highest) / wider < best[:, None]
        some = np.flatnonzero(promising.any(axis=0))
        if not len(some):
            break
        group_end = some[0] + together
        rows = np.flatnonzero(promising[:, some[0] : group_end].any(axis=1))
        begin += int(some[0])
    return sigma, _first_best(chosen, candidates)


@np.errstate(over="ignore", under="ignore", divide="ignore")
def select_with_share(
    errors: Array, widths: Array, centers: Array | str, sample_weight: Array | None = None
) -> tuple[Array, Array]:
    """Width and center for a kernel that need not account for all errors.

    Where (18) matches G_sigma(e - c) to the density of the errors, this matches w G_sigma(e - c)
    with a free share w; see :func:`mccvc.scale.matched_scale`. The pair has the largest
    sqrt(sigma) mean G_sigma(e - c).

    Parameters
    ----------
    errors, widths, centers, sample_weight
        As for :func:`select_width_center`.

    Returns
    -------
    sigma, center : ndarray of shape (n_problems,)
        The optimal pair for each problem; among equals the smallest width, then the first center.
    """
    share, candidates = _candidates(errors, centers, sample_weight)
    matches = _mean_kernels(errors, widths, candidates, share, _spacing(centers))
    values = matches.max(axis=2) / np.sqrt(widths)
    best = np.argmax(values >= values.max(axis=1, keepdims=True) * (1 - _TIE), axis=1)
    return widths[best], _first_best(matches[np.arange(len(errors)), best], candidates)


def _candidates(
    errors: Array, centers: Array | str, sample_weight: Array | None
) -> tuple[Array, Array]:
    """Shares of the samples, and the admissible centers of each problem."""
    share = np.ones(errors.shape[1]) if sample_weight is None else sample_weight
    share = share / share.sum()
    if isinstance(centers, str) and centers == "mean":
        candidates = (errors @ share)[:, None]
    elif isinstance(centers, str):
        candidates = weighted_quantile(errors, 0.5, sample_weight)[:, None]
    else:
        candidates = np.broadcast_to(centers, (len(errors), np.shape(centers)[-1]))
    return share, candidates


def _first_best(matches: Array, candidates: Array) -> Array:
    """First center of each problem whose mean kernel is the largest up to rounding."""
    within = matches.max(axis=1, keepdims=True) - _TIE / _PER_MATCH
    return candidates[np.arange(len(candidates)), np.argmax(matches >= within, axis=1)]


def _spacing(centers: Array | str) -> float:
    """Distance of equally spaced centers, 0 for any others."""
    if isinstance(centers, str) or np.ndim(centers) != 1 or len(centers) < _FEW_CENTERS:
        return 0.0
    spacing = (centers[-1] - centers[0]) / (len(centers) - 1)
    regular = centers[0] + spacing * np.arange(len(centers))
    largest = np.abs(centers).max()
    return float(spacing) if np.abs(centers - regular).max() <= 4e-16 * largest else 0.0


def _mean_kernels(
    errors: Array, widths: Array, candidates: Array, share: Array, spacing: float
) -> Array:
    """Weighted means of exp(-(e - c)^2 / (2 sigma^2)): (n_problems, n_widths, n_centers)."""
    (n_problems, n_samples), n_widths = errors.shape, len(widths)
    n_centers = candidates.shape[1]
    segment = _segment_length(widths[0], n_centers, spacing) if spacing else 1
    held = n_centers if segment == 1 else n_centers // segment + segment
    step = max(1, _CHUNK // (n_problems * n_widths * held))
    means = np.zeros((n_problems, n_widths, n_centers))
    for start in range(0, n_samples, step):
        part, weight = errors[:, start : start + step], share[start : start + step]
        if segment == 1:
            scaled = (part[:, None, :] - candidates[:, :, None]) / widths[0]
            scaled *= scaled
            exponents = scaled[:, None] * (-0.5 * (widths[0] / widths) ** 2)[:, None, None]
            means += np.exp(exponents, out=exponents) @ weight
        else:
            rows = np.repeat(part, n_widths, axis=0)
            each = np.tile(widths, n_problems)[:, None]
            sums = _segment_sums(rows, each, candidates[0], weight, spacing, segment)
            means += sums.reshape(means.shape)
    return means


def _segment_length(width: float, n_centers: int, spacing: float) -> int:
    """Centers per segment, so that no factor of the kernel overflows; 1 if segments do not pay."""
    reach = 0.5 * n_centers * spacing + _REACH * width
    longest = 2 * _LARGEST_EXPONENT * width**2 / (spacing * reach)
    segment = int(min(np.sqrt(n_centers), longest))
    return segment if segment >= 3 else 1


def _segment_sums(
    errors: Array, width: Array, centers: Array, weight: Array, spacing: float, segment: int
) -> Array:
    """Sums of kernels at equally spaced centers, with an exponential per segment, not per center.

    With r the middle of a segment, m that of the middle segment and c = r + j d,
    exp(-(e - c)^2 / 2 s^2) = exp(-(e - r)^2 / 2 s^2) exp((e - m) j d / s^2)
    exp((m - r) j d / s^2 - j^2 d^2 / 2 s^2): the first factor depends on the segment, the second
    on the place j in it, the third on no error. The sum over errors is a matrix product.
    Row b has the errors `errors[b]` and the width `width[b, 0]`, the first one the narrowest.
    """
    n_centers, half = len(centers), (segment - 1) // 2
    n_segments = -(-n_centers // segment)
    span = (spacing * segment) * (np.arange(n_segments) - n_segments // 2)
    middle = centers[0] + spacing * half - span[0]
    place = spacing * (np.arange(segment) - half)
    precision = 1 / width**2
    # Errors out of reach of all centers add nothing; clipped, they cannot overflow.
    low, high = centers[0] - _REACH * width, centers[-1] + _REACH * width
    offset = np.minimum(np.maximum(errors, low), high) - middle
    ratio = np.exp((spacing * precision) * offset)
    at_place = _outward(1.0, ratio, segment, half)
    between = -place * (span[:, None] + 0.5 * place)
    farthest = max(high[0, 0] - middle, middle - low[0, 0])
    if max(-span[0], span[-1]) * farthest * precision[0, 0] <= _LARGEST_EXPONENT:
        nearest = weight * np.exp(-0.5 * precision * offset * offset)
        jump = at_place[:, -1] / at_place[:, 0] * ratio
        at_segment = _outward(nearest, jump, n_segments, n_segments // 2)
        between -= 0.5 * (span * span)[:, None]
    else:
        at_segment = offset[:, None, :] - span[:, None]
        at_segment *= at_segment
        at_segment *= -0.5 * precision[:, :, None]
        np.exp(np.maximum(at_segment, _LOWEST_EXPONENT, out=at_segment), out=at_segment)
        at_segment *= weight
    sums = at_segment @ at_place.transpose(0, 2, 1)
    sums *= np.exp(precision[:, :, None] * between)
    return sums.reshape(len(errors), -1)[:, :n_centers]


def _outward(factor: Array | float, ratio: Array, count: int, first: int) -> Array:
    """Rows factor * ratio^(j - first), j < count: exponentials whose exponents grow evenly."""
    rows = np.empty((count, *ratio.shape))
    rows[first] = factor
    for j in range(first + 1, count):
        np.multiply(rows[j - 1], ratio, out=rows[j])
    inverse = 1 / ratio
    for j in range(first - 1, -1, -1):
        np.multiply(rows[j + 1], inverse, out=rows[j])
    return rows.transpose(1, 0, 2)
