"""The paper's criteria: MMSE, MCC and MCC-VC."""

from abc import abstractmethod
from typing import ClassVar, Self

import numpy as np

from mccvc.arrays import Array, ArrayLike, Flags, Indices
from mccvc.correntropy import SQRT_2PI
from mccvc.criteria.base import POSITIVE, Criterion, Iterate, Step
from mccvc.width_center import select_width_center

# Kernel values below exp of this are zero to the paper's formula: nothing is left to fit.
_LOWEST_EXPONENT = -700.0
# Kernel values below this share of the largest one are 0: products with them would be denormal
# numbers, which are slow.
_SMALLEST_WEIGHT = 1e-250


class MMSE(Criterion):
    """Minimum mean square error, equation (9): closed form (10), no kernel."""

    closed_form = True
    has_center = False

    @property
    def largest_weight(self) -> float:
        """All weights are 1."""
        return 1.0


class _Kernel(Criterion):
    """Correntropy: Lambda_ii = G_sigma(e_i - c) of (12), with sigma and c from the errors.

    A problem has settled when J (11), at the sigma and c of a step, changes by less than `tol`
    times the kernel's peak 1 / (sqrt(2 pi) sigma). In J, lambda = lambda' / (2 N sigma^2): with
    it a step never raises J.
    """

    from_zero = True
    has_width = True

    @abstractmethod
    def kernel(self, errors: Array, sample_weight: Array | None = None) -> tuple[Array, Array]:
        """Width and center for each row of errors."""

    def step(self, at: Iterate) -> Step:
        """The step from an iterate."""
        return _kernel_step(at, *self.kernel(at.errors, at.sample_weight))

    def advance(
        self, step: Step, before: Iterate, after: Iterate, tol: float
    ) -> tuple[Flags, Step | None]:
        """Whether a step has settled the problems, and the one that the same kernel gives next."""
        same_kernel = _kernel_step(after, step.sigma, step.centers[:, 0])
        return np.abs(same_kernel.objective - step.objective) < tol, same_kernel

    def center(self, step: Step, after: Iterate) -> Array:
        """Center of the kernel of the step."""
        return step.centers[:, 0]


class MCC(_Kernel):
    """Maximum correntropy criterion, equation (1): a fixed width, center zero.

    Parameters
    ----------
    sigma : float or ndarray of shape (n_problems,)
        Kernel width of each problem, > 0, in the units of the target.
    """

    limits: ClassVar = {"sigma": POSITIVE}

    def __init__(self, sigma: ArrayLike) -> None:
        self.sigma = np.asarray(sigma, dtype=float)

    @property
    def largest_weight(self) -> Array:
        """Largest element Lambda can have: the kernel's peak, one for each problem."""
        return 1 / (SQRT_2PI * self.sigma)

    def take(self, problems: Indices | Flags) -> Self:
        """The criterion of a part of the batch."""
        return super().take(problems) if self.sigma.ndim else self

    def kernel(self, errors: Array, sample_weight: Array | None = None) -> tuple[Array, Array]:
        """Width and center for each row of errors."""
        sigma = self.sigma if self.sigma.ndim else np.broadcast_to(self.sigma, len(errors))
        return sigma, np.zeros(len(errors))


class MCCVC(_Kernel):
    """Maximum correntropy criterion with variable center: (18) at every iteration.

    Parameters
    ----------
    widths : ndarray of shape (n_widths,)
        Admissible kernel widths S, ascending, > 0.
    centers : ndarray of shape (n_centers,), "median" or "mean"
        Admissible centers C, or the statistic of the errors used as the only center.
    """

    def __init__(self, widths: ArrayLike, centers: ArrayLike | str) -> None:
        self.widths = np.asarray(widths, dtype=float)
        self.centers = centers if isinstance(centers, str) else np.asarray(centers, dtype=float)

    @property
    def largest_weight(self) -> Array:
        """Largest element Lambda can have: the peak of the narrowest kernel."""
        return 1 / (SQRT_2PI * self.widths[0])

    def take(self, problems: Indices | Flags) -> Self:
        """The criterion of a part of the batch: all problems have the same sets."""
        return self

    def kernel(self, errors: Array, sample_weight: Array | None = None) -> tuple[Array, Array]:
        """Width and center for each row of errors."""
        return select_width_center(errors, self.widths, self.centers, sample_weight)

    def advance(
        self, step: Step, before: Iterate, after: Iterate, tol: float
    ) -> tuple[Flags, Step | None]:
        """Whether a step has settled the problems; the next one has a kernel of its own."""
        return super().advance(step, before, after, tol)[0], None


def _kernel_step(at: Iterate, sigma: Array, center: Array) -> Step:
    """The step of given kernels, with weights relative to the largest one of each problem.

    Those do not underflow together; with lambda' divided by the same largest value they give
    the beta of (12).
    """
    weights = at.errors - center[:, None] if center.any() else at.errors.copy()
    weights /= sigma[:, None]
    weights *= weights
    weights *= -0.5
    peak = weights.max(axis=1)
    weights -= np.where(np.isfinite(peak), peak, 0.0)[:, None]
    np.exp(weights, out=weights)
    weights[weights < _SMALLEST_WEIGHT] = 0.0
    return Step(
        weights=weights,
        lam=at.lam * SQRT_2PI * sigma * np.exp(np.minimum(-peak, 700.0)),
        centers=center[:, None],
        usable=peak > _LOWEST_EXPONENT,
        sigma=sigma,
        objective=_objective(at, sigma, weights, peak),
    )


def _objective(at: Iterate, sigma: Array, weights: Array, peak: Array) -> Array:
    """J (11) times sqrt(2 pi) sigma, so that the kernel's peak is 1."""
    shares = np.ones(len(at.target)) if at.sample_weight is None else at.sample_weight
    total = shares.sum()
    ridge = at.ridge / (2 * total * sigma**2)
    return SQRT_2PI * sigma * ridge - np.exp(peak) * (weights @ shares) / total
