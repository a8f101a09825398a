"""Criteria: from errors to the kernel width and center of the next iteration."""

from typing import Self

import numpy as np

from mccvc.arrays import Array, ArrayLike, Indices
from mccvc.correntropy import SQRT_2PI
from mccvc.width_center import select_width_center


class MMSE:
    """Minimum mean square error, equation (9): closed form (10), no kernel."""

    largest_weight = 1.0

    def take(self, problems: Indices) -> Self:
        """The criterion of a part of the batch."""
        return self


class MCC:
    """Maximum correntropy criterion, equation (1): a fixed width, center zero.

    Parameters
    ----------
    sigma : float or ndarray of shape (n_problems,)
        Kernel width of each problem, > 0, in the units of the target.
    """

    fixed = True

    def __init__(self, sigma: ArrayLike) -> None:
        self.sigma = np.asarray(sigma, dtype=float)

    @property
    def largest_weight(self) -> Array:
        """Largest element Lambda can have: the kernel's peak, one for each problem."""
        return 1 / (SQRT_2PI * self.sigma)

    def take(self, problems: Indices) -> "MCC":
        """The criterion of a part of the batch."""
        return MCC(self._of(problems))

    def kernel(
        self, errors: Array, problems: Indices, sample_weight: Array | None = None
    ) -> tuple[Array, Array]:
        """Width and center for `problems`, whose errors are the rows of `errors`."""
        return self._of(problems), np.zeros(len(problems))

    def _of(self, problems: Indices) -> Array:
        return self.sigma[problems] if self.sigma.ndim else np.full(len(problems), self.sigma)


class MCCVC:
    """Maximum correntropy criterion with variable center: (18) at every iteration.

    Parameters
    ----------
    widths : ndarray of shape (n_widths,)
        Admissible kernel widths S, ascending, > 0.
    centers : ndarray of shape (n_centers,), "median" or "mean"
        Admissible centers C, or the statistic of the errors used as the only center.
    """

    fixed = False

    def __init__(self, widths: ArrayLike, centers: ArrayLike | str) -> None:
        self.widths = np.asarray(widths, dtype=float)
        self.centers = centers if isinstance(centers, str) else np.asarray(centers, dtype=float)

    @property
    def largest_weight(self) -> Array:
        """Largest element Lambda can have: the peak of the narrowest kernel."""
        return 1 / (SQRT_2PI * self.widths[0])

    def take(self, problems: Indices) -> Self:
        """The criterion of a part of the batch."""
        return self

    def kernel(
        self, errors: Array, problems: Indices, sample_weight: Array | None = None
    ) -> tuple[Array, Array]:
        """Width and center for `problems`, whose errors are the rows of `errors`."""
        return select_width_center(errors, self.widths, self.centers, sample_weight)
