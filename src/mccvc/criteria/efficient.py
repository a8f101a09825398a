"""MCC-VC in two stages: the mode of the errors, then a wider kernel with a free intercept."""

from typing import ClassVar, Self

import numpy as np

from mccvc.arrays import Array, ArrayLike, Flags, Indices
from mccvc.criteria.base import POSITIVE, Criterion
from mccvc.criteria.paper import MCC, MCCVC
from mccvc.scale import weighted_quantile
from mccvc.width_center import select_width_center

# A mode is sought among these quantiles of the errors.
_QUANTILES = np.linspace(0.02, 0.98, 25)


def efficient_kernel(sigma: ArrayLike, kappa: ArrayLike) -> MCC:
    """Kernel of the efficient step: kappa times as wide as the one that found the mode.

    The step begins where that one ended, with a free intercept in the place of the center.

    Parameters
    ----------
    sigma : float or ndarray of shape (n_problems,)
        Width at the mode.
    kappa : float or ndarray of shape (n_problems,)
        2.11 for 95 % of the efficiency of least squares, if sigma is the standard deviation of
        normal errors; see :func:`mccvc.scale.efficient_width`.

    Returns
    -------
    MCC
    """
    return MCC(np.asarray(kappa, dtype=float) * sigma)


class ModeMCCVC(MCCVC):
    """MCC-VC whose admissible centers are 25 quantiles of the errors, from 2 % to 98 %.

    With one width the center is the mode: where the mean kernel is largest.
    """

    def kernel(self, errors: Array, sample_weight: Array | None = None) -> tuple[Array, Array]:
        """Width and center for each row of errors."""
        centers = weighted_quantile(errors, _QUANTILES, sample_weight)
        return select_width_center(errors, self.widths, centers, sample_weight)


class EfficientMCCVC(Criterion):
    """MCC-VC, then correntropy of kappa times its width with a free intercept.

    The first stage is Algorithm 1. The second begins at its weights and center and keeps the
    width kappa sigma, sigma the last one of the first stage; its intercept is not penalized and
    counts as the center of the fit. In both stages lambda' is a penalty for weights over the
    largest that they can have, so that it has the unit of ridge regression. Each stage takes up
    to the largest number of iterations.

    Parameters
    ----------
    widths : ndarray of shape (n_widths,)
        Admissible kernel widths S of the first stage, ascending, > 0.
    centers : ndarray of shape (n_centers,), "median", "mean" or "quantiles"
        Its admissible centers C; "quantiles" are those of :class:`ModeMCCVC`.
    kappa : ndarray of shape (n_problems,)
        Width of the second stage over that of the first, > 0.
    """

    limits: ClassVar = {"kappa": POSITIVE}
    has_width = True

    def __init__(self, widths: ArrayLike, centers: ArrayLike | str, kappa: ArrayLike) -> None:
        self.widths, self.centers = widths, centers
        self.kappa = np.asarray(kappa, dtype=float)

    @property
    def largest_weight(self) -> float:
        """Weight of an error at the center."""
        return 1.0

    @property
    def first_stage(self) -> MCCVC:
        """MCC-VC with the same sets."""
        if isinstance(self.centers, str) and self.centers == "quantiles":
            return ModeMCCVC(self.widths, self.centers)
        return MCCVC(self.widths, self.centers)

    def second_stage(self, sigma: Array) -> MCC:
        """Correntropy with kappa times the widths of the first stage."""
        return efficient_kernel(sigma, self.kappa)

    def take(self, problems: Indices | Flags) -> Self:
        """The criterion of a part of the batch: all problems have the same sets."""
        return type(self)(self.widths, self.centers, self.kappa[problems])
