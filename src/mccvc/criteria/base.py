"""What a criterion is to the solvers: from errors to the weighted ridge problem of a step."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Self

import numpy as np

from mccvc.arrays import Array, Flags, Indices

# Share of the largest error below which an error, or a scale, counts as that share.
SMALLEST_SHARE = 1e-6


class Limits(NamedTuple):
    """An interval from 0 without its lower end, unless `closed`; or the `whole` numbers from 1."""

    upper: float = np.inf
    closed: bool = False
    whole: bool = False

    def __contains__(self, value: object) -> bool:
        """Whether a number lies inside."""
        if not isinstance(value, float) or (self.whole and not value.is_integer()):
            return False
        return 0 < value <= self.upper or (self.closed and value == 0)

    @property
    def description(self) -> str:
        """The interval in words."""
        if self.whole:
            return "a whole number >= 1"
        text = "a number >= 0" if self.closed else "a number > 0"
        return text if np.isinf(self.upper) else f"{text} and <= {self.upper:g}"


POSITIVE, NONNEGATIVE, SHARE = Limits(), Limits(closed=True), Limits(1.0, closed=True)
COUNT = Limits(whole=True)


class Iterate(NamedTuple):
    """Where the iterations of a batch of problems stand.

    Attributes
    ----------
    errors : ndarray of shape (n_problems, n_samples)
        t - H beta.
    ridge : ndarray of shape (n_problems,)
        lambda' beta' D beta, D the diagonal of the penalty's factors.
    lam : ndarray of shape (n_problems,)
        Penalty lambda'.
    target : ndarray of shape (n_samples,)
        Target t.
    sample_weight : ndarray of shape (n_samples,) or None
        Weight of each sample, > 0; a weight of two counts as two equal samples.
    """

    errors: Array
    ridge: Array
    lam: Array
    target: Array
    sample_weight: Array | None

    def take(self, problems: Indices | Flags) -> Self:
        """The iterates of a part of the batch."""
        errors, ridge, lam = self.errors[problems], self.ridge[problems], self.lam[problems]
        return self._replace(errors=errors, ridge=ridge, lam=lam)


@dataclass(frozen=True)
class Step:
    """The ridge problem (H' W H + lambda D) beta = H' W (t - c) that leads to the next iterate.

    Attributes
    ----------
    weights : ndarray of shape (n_problems, n_samples)
        Diagonal of W over its largest element.
    lam : ndarray of shape (n_problems,)
        Penalty lambda, lambda' over the same element.
    centers : ndarray of shape (n_problems, n_samples) or (n_problems, 1)
        Center c of each sample.
    usable : ndarray of bool, shape (n_problems,)
        False where no sample has any weight.
    sigma : ndarray of shape (n_problems,)
        Kernel width, NaN without one.
    objective : ndarray of shape (n_problems,)
        Objective that the step lowers, at the iterate that it starts from; NaN where the
        criterion has none to compare.
    """

    weights: Array
    lam: Array
    centers: Array
    usable: Flags
    sigma: Array
    objective: Array

    def take(self, problems: Indices | Flags) -> Self:
        """The step of a part of the batch."""
        return type(self)(*(array[problems] for array in vars(self).values()))


class Criterion:
    """A weight for each error, and what an iteration needs beside it.

    Attributes
    ----------
    limits : dict of Limits
        What each parameter may be; a parameter is an array with an element for each problem.
    largest_weight : float or ndarray of shape (n_problems,)
        Bound of the weights, infinity if there is none.
    closed_form : bool
        Whether all weights are 1, so that ridge regression is the solution.
    from_zero : bool
        Whether the iteration starts from zero weights, as Algorithm 1 does; else from those of
        `preliminary`.
    has_width, has_center : bool
        Whether a solution has a kernel width, and a center.
    """

    limits: ClassVar[dict[str, Limits]] = {}
    closed_form: ClassVar[bool] = False
    from_zero: ClassVar[bool] = False
    has_width: ClassVar[bool] = False
    has_center: ClassVar[bool] = True

    @property
    def largest_weight(self) -> Array | float:
        """Bound of the weights."""
        return np.inf

    @property
    def preliminary(self) -> "Criterion | None":
        """Criterion whose solution is the start, None for ridge regression."""
        return None

    @property
    def first_stage(self) -> "Criterion | None":
        """Criterion of a stage before this one's own, without an intercept; None for no stages."""
        return None

    def second_stage(self, sigma: Array) -> "Criterion":
        """Criterion of the stage with a free intercept that follows a first one's widths."""
        raise NotImplementedError

    @property
    def step_length(self) -> Array | float:
        """Share of the way to a step's solution, (n_problems,) or one for all."""
        return 1.0

    def take(self, problems: Indices | Flags) -> Self:
        """The criterion of a part of the batch."""
        return type(self)(**{name: getattr(self, name)[problems] for name in self.limits})

    def step(self, at: Iterate) -> Step:
        """The step from an iterate."""
        weights, centers = self.weights(at.errors, at.sample_weight)
        largest = weights.max(axis=1)
        none = np.full(len(largest), np.nan)
        return Step(
            weights=weights / largest[:, None],
            lam=at.lam / largest,
            centers=centers,
            usable=(largest > 0) & np.isfinite(largest),
            sigma=none,
            objective=none,
        )

    def advance(
        self, step: Step, before: Iterate, after: Iterate, tol: float
    ) -> tuple[Flags, Step | None]:
        """Whether a step has settled the problems, and the next one if that is known already.

        Settled are problems whose errors change by at most `tol` of the target, both root mean
        squares.
        """
        weight = after.sample_weight
        tolerance = tol * np.sqrt(np.average(after.target**2, weights=weight))
        change = np.average((after.errors - before.errors) ** 2, axis=1, weights=weight)
        return np.sqrt(change) <= tolerance, None

    def center(self, step: Step, after: Iterate) -> Array:
        """What predictions need beside H beta once a step is taken: (n_problems,)."""
        return np.zeros(len(after.errors))

    def weights(self, errors: Array, sample_weight: Array | None = None) -> tuple[Array, Array]:
        """Weights of the errors, (n_problems, n_samples), and their centers, here 0."""
        return self.weight(errors, sample_weight), np.zeros((len(errors), 1))

    def weight(self, errors: Array, sample_weight: Array | None = None) -> Array:
        """Weights of the errors: (n_problems, n_samples)."""
        raise NotImplementedError


def floored(errors: Array) -> Array:
    """\\|e\\|, at least `SMALLEST_SHARE` of the largest one of each problem."""
    size = np.abs(errors)
    return np.maximum(size, np.maximum(SMALLEST_SHARE * size.max(axis=1, keepdims=True), 1e-150))
