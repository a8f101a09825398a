"""M-estimators: weights of errors over a robust scale.

Each class follows its source up to the scale of lambda'.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mccvc.arrays import Array
from mccvc.criteria.base import POSITIVE, SMALLEST_SHARE, Criterion, floored
from mccvc.scale import weighted_quantile

# A median absolute deviation times this is the standard deviation of normal errors.
_NORMAL = 1.482602218505602


class _Bounded(Criterion):
    """Weights of at most 1."""

    @property
    def largest_weight(self) -> float:
        """Weight of an error of 0."""
        return 1.0


class Huber(_Bounded):
    """Huber's criterion, ``min(1, 1.345 s / |e|)``, s the normalized median absolute deviation.

    Huber, "Robust estimation of a location parameter", 1964; on the hidden layer: Chen, Lv, Lu
    and Dou, Neurocomputing 230, 2017.
    """

    def weight(self, errors: Array, sample_weight: Array | None = None) -> Array:
        """Weights of the errors."""
        return np.minimum(1.0, 1.345 / np.maximum(_standardized(errors, sample_weight), 1e-300))


class Tukey(_Bounded):
    """Tukey's biweight, (1 - (e / 4.685 s)^2)^2 within 4.685 s, from the solution of Huber's.

    Beaton and Tukey, Technometrics 16, 1974.
    """

    @property
    def preliminary(self) -> Criterion:
        """Huber's criterion: this one has many local optima."""
        return Huber()

    def weight(self, errors: Array, sample_weight: Array | None = None) -> Array:
        """Weights of the errors."""
        return np.maximum(0.0, 1 - (_standardized(errors, sample_weight) / 4.685) ** 2) ** 2


class Welsch(_Bounded):
    """Welsch's criterion, exp(-(e / 2.985 s)^2): correntropy whose width follows the scale.

    Dennis and Welsch, Communications in Statistics B7, 1978.
    """

    def weight(self, errors: Array, sample_weight: Array | None = None) -> Array:
        """Weights of the errors."""
        return np.exp(-((_standardized(errors, sample_weight) / 2.985) ** 2))


class Cauchy(_Bounded):
    """Cauchy's criterion, 1 / (1 + (e / 2.385 s)^2).

    Holland and Welsch, Communications in Statistics A6, 1977.
    """

    def weight(self, errors: Array, sample_weight: Array | None = None) -> Array:
        """Weights of the errors."""
        return 1 / (1 + (_standardized(errors, sample_weight) / 2.385) ** 2)


@dataclass(frozen=True)
class StudentT(Criterion):
    """Likelihood of Student's t, (nu + 1) / (nu + e^2 / s^2), with s its own estimate.

    s^2 solves s^2 = mean(w e^2), which the EM steps of the source converge to: Lange, Little and
    Taylor, JASA 84, 1989.

    Parameters
    ----------
    nu : ndarray of shape (n_problems,)
        Degrees of freedom, > 0.
    """

    nu: Array
    limits: ClassVar = {"nu": POSITIVE}

    def weight(self, errors: Array, sample_weight: Array | None = None) -> Array:
        """Weights of the errors."""
        nu = self.nu[:, None]
        squares = errors**2
        smallest = (SMALLEST_SHARE * np.abs(errors).max(axis=1, keepdims=True)) ** 2 + 1e-300
        scale = _scale(errors, sample_weight)[:, None]
        level = np.log(np.maximum(scale**2, smallest))
        mean: dict[str, Any] = {"axis": 1, "weights": sample_weight, "keepdims": True}
        # Newton's method for mean(w e^2) / s^2 = 1, which falls with log s^2.
        for _ in range(_NEWTON_STEPS):
            shares = squares / (nu * np.exp(level) + squares)
            excess = (nu + 1) * np.average(shares, **mean) - 1
            slope = (nu + 1) * np.average(shares * (1 - shares), **mean)
            step = np.clip(excess / np.maximum(slope, 1e-300), -1.0, 1.0)
            level = np.maximum(level + step, np.log(smallest))
            if (np.abs(step) <= 1e-10).all():
                break
        return (nu + 1) / (nu + squares / np.exp(level))


_NEWTON_STEPS = 50


class LAD(Criterion):
    """Least absolute deviations, ``1 / |e|``; ``|e|`` is at least 10^-6 of the largest error.

    Schlossmacher, JASA 68, 1973.
    """

    def weight(self, errors: Array, sample_weight: Array | None = None) -> Array:
        """Weights of the errors."""
        return 1 / floored(errors)


def _scale(errors: Array, sample_weight: Array | None) -> Array:
    """1.4826 times the median absolute deviation from the median: (n_problems,)."""
    median = weighted_quantile(errors, 0.5, sample_weight)
    deviations = np.abs(errors - median[:, None])
    return _NORMAL * weighted_quantile(deviations, 0.5, sample_weight)


def _standardized(errors: Array, sample_weight: Array | None) -> Array:
    """\\|e\\| / s; where more than half of the errors are equal, s is 10^-6 of the largest."""
    size = np.abs(errors)
    smallest = np.maximum(SMALLEST_SHARE * size.max(axis=1), 1e-300)
    return size / np.maximum(_scale(errors, sample_weight), smallest)[:, None]
