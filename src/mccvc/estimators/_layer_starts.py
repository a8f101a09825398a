"""Starts and penalties on a hidden layer, judged by errors that a fit did not interpolate."""

from dataclasses import dataclass

import numpy as np

from mccvc.arrays import Array
from mccvc.correntropy import SQRT_2PI
from mccvc.scale import NORMAL, matched_scale, mode, order_statistic

# Penalties that "auto" compares, for weights of at most 1.
PENALTIES = 10.0 ** np.arange(-8, 2.25, 0.5)
# Those from which reweighting sets out.
_FIRM = 10.0 ** np.array([-6, -4, -2, 0, 2])
# Welsch's constant for 95 % efficiency, in standard deviations of the errors.
EFFICIENT_WIDTH = 2.11
# Errors beyond so many standard deviations count as that many when penalties compare.
_TRUNCATED = 3.0
# Reweightings by bounded influence, then by kernels, until weights move by less than that.
_BOUNDED = 6
_KERNELS = 12
_STILL = 1e-2
_SHARPEST = 0.5
_LEAST_SCALE = 0.8
_LEAST_LEFT = 1e-9
_FARTHEST = 1e9
_GROWTHS = 50
_MOST_GROWTH = 2.0
# Errors within so many standard deviations belong together; the variance of normal ones there.
_GAP = 4.0
_WITHIN = 0.9989


@dataclass(frozen=True)
class LayerStart:
    """Weights and level with which to begin: (1, n_columns + 1), the errors' scale, the penalty."""

    beta: Array
    scale: float
    penalty: float


class RidgePath:
    """Ridge regression for several penalties from one SVD, with the errors left out.

    Parameters
    ----------
    design : ndarray of shape (n_samples, n_columns)
        Outputs of the layer.
    target, weight : ndarray of shape (n_samples,)
        Target, and weights >= 0 of the squared errors.
    penalties : ndarray of shape (n_penalties,)
        Ridge penalties, >= 0.
    level : bool
        Whether there is an unpenalized level.

    Attributes
    ----------
    beta : ndarray of shape (n_penalties, n_columns + 1)
        Weights and level.
    left_out : ndarray of shape (n_penalties, n_samples)
        Error of each row under the fit to all others, by the hat values of the weighted system.
    left_over : ndarray of shape (n_penalties, n_samples)
        1 minus the hat values.
    standardized : ndarray of shape (n_penalties, n_samples)
        Errors in units of their standard deviation over that of the noise: rows at the edge of
        the data, whose errors left out are large, keep their weight.
    """

    def __init__(
        self, design: Array, target: Array, weight: Array, penalties: Array, *, level: bool
    ) -> None:
        self.penalties = penalties
        share = weight / weight.sum() * level
        middle, mean = share @ design, share @ target
        roots = np.sqrt(weight)
        left, singular, right = np.linalg.svd(
            roots[:, None] * (design - middle), full_matrices=False
        )
        squares = singular * singular
        resolved = singular > np.finfo(float).eps * max(design.shape) * singular.max(initial=0.0)
        kept = np.where(resolved, squares, 0.0) / np.where(
            resolved, squares + penalties[:, None], 1.0
        )
        moments = (roots * (target - mean)) @ left
        beta = (kept / np.where(resolved, singular, 1.0) * moments) @ right
        levels = mean - beta @ middle
        errors = target - beta @ design.T - levels[:, None]
        left_over = 1 - kept @ (left * left).T - share
        self.beta = np.column_stack([beta, levels])
        self.left_over = np.maximum(left_over, _LEAST_LEFT)
        self.left_out = errors / self.left_over
        self.standardized = errors / np.sqrt(self.left_over)


def best_ridge(
    design: Array, target: Array, weight: Array, penalties: Array, *, level: bool
) -> float:
    """Penalty with the smallest generalized cross-validation.

    Golub, Heath and Wahba, Technometrics 21, 1979. Unlike errors left out it does not depend on
    single rows far from all others, which no other row predicts.
    """
    path = RidgePath(design, target, weight, penalties, level=level)
    total = weight.sum()
    freedom = 1 - (1 - path.left_over).sum(axis=1) / total
    scores = (path.left_out * path.left_over) ** 2 @ weight / np.maximum(freedom, _LEAST_LEFT) ** 2
    return float(penalties[np.argmin(scores)])


def robust_layer_start(
    design: Array,
    target: Array,
    weight: Array,
    *,
    penalties: Array | None,
    lam: float,
    level: bool,
    floor: float,
) -> LayerStart:
    """Start by reweighting, on errors left out, and the penalty that predicts best.

    Weights are first of bounded influence, for a few penalties of which the best one goes on, then
    kernels 2.11 times as wide as the errors' scale around their mode; each reweighting costs one
    SVD and gives all penalties. Penalties compare by the mean of squared errors left out,
    truncated at three standard deviations.

    Parameters
    ----------
    design : ndarray of shape (n_samples, n_columns)
        Outputs of the layer for distinct rows.
    target, weight : ndarray of shape (n_samples,)
        Target of order 1, and sample weights > 0.
    penalties : ndarray of shape (n_penalties,) or None
        Penalties to choose from; None for that of `lam` and the width.
    lam : float
        Penalty lambda' of (12), if `penalties` is None.
    level : bool
        Whether predictions have a level of their own.
    floor : float
        Errors below this count as none.

    Returns
    -------
    LayerStart
    """
    # An outlier of any size is one, and its square is a number.
    target = np.clip(target, -_FARTHEST, _FARTHEST)
    fixed = None if penalties is not None else SQRT_2PI * EFFICIENT_WIDTH * lam
    firm = _FIRM if fixed is None else np.array([fixed])
    bounded = [_bounded(design, target, weight, one, level=level, floor=floor) for one in firm]
    best, scale = _choose(np.array([errors for errors, _ in bounded]), weight, floor)
    current = bounded[best][1]
    for _ in range(_KERNELS):
        some = np.array([fixed * scale]) if fixed is not None else penalties
        path = RidgePath(design, target, current, np.asarray(some), level=level)
        best, _ = _choose(path.left_out, weight, floor)
        scale, center = mode(path.left_out[best], weight, floor, centered=not level)
        spread = np.abs(path.left_out[best] - center)
        half = order_statistic(spread[None], 0.5 * weight.sum(), weight)[0]
        scale = max(scale, _LEAST_SCALE * NORMAL * float(half), floor)
        scale = _grown(spread, weight, scale)
        scaled = (path.standardized[best] - center) / (EFFICIENT_WIDTH * scale)
        before = current
        current = weight * np.exp(np.maximum(-0.5 * scaled * scaled, -700.0))
        if np.abs(current - before).max() <= _STILL * weight.max():
            break
    return LayerStart(path.beta[best : best + 1], scale, float(path.penalties[best]))


def _bounded(
    design: Array, target: Array, weight: Array, penalty: float, *, level: bool, floor: float
) -> tuple[Array, Array]:
    """Errors left out, and weights, after reweighting by bounded influence."""
    current = weight
    for _ in range(_BOUNDED):
        path = RidgePath(design, target, current, np.array([penalty]), level=level)
        size = np.abs(path.left_out[0])
        half = order_statistic(size[None], 0.5 * weight.sum(), weight)[0] + floor
        current = weight * half / np.maximum(size, half)
    return path.left_out[0], current


def _grown(size: Array, weight: Array, scale: float) -> float:
    """Standard deviation of the errors within four of it, from a smaller one upwards.

    A model that cannot follow the data leaves errors with long tails, which are none of
    outliers: they make the scale grow until there is a gap, up to twice.
    """
    most = _MOST_GROWTH * scale
    for _ in range(_GROWTHS):
        near = size <= _GAP * scale
        grown = float(np.sqrt(np.average(size[near] ** 2, weights=weight[near]) / _WITHIN))
        grown = min(grown, most)
        if grown <= scale * (1 + 1e-3):
            break
        scale = grown
    return scale


def _choose(left_out: Array, weight: Array, floor: float) -> tuple[int, float]:
    """The penalty whose errors left out are smallest once truncated, and their scale."""
    size = np.abs(left_out)
    half = order_statistic(size, 0.5 * weight.sum(), weight)
    smallest = np.maximum(_SHARPEST * NORMAL * half, floor)
    scales, values = matched_scale(left_out, weight, smallest)
    scale = float(scales[np.argmax(values)])
    truncated = np.minimum(size, _TRUNCATED * scale)
    return int(np.argmin(truncated**2 @ weight)), scale
