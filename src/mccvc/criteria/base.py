"""What a criterion is to the solvers: errors to weights and centers."""

from dataclasses import dataclass, fields
from typing import ClassVar, NamedTuple, Self

import numpy as np

from mccvc.arrays import Array, Indices

# Share of the largest error below which an error, or a scale, counts as that share.
SMALLEST_SHARE = 1e-6


class Limits(NamedTuple):
    """An interval without its lower end, unless `closed`."""

    upper: float = np.inf
    closed: bool = False

    def __contains__(self, value: object) -> bool:
        """Whether a number lies inside."""
        return isinstance(value, float) and (
            0 < value <= self.upper or (self.closed and value == 0)
        )

    @property
    def description(self) -> str:
        """The interval in words."""
        text = "a number >= 0" if self.closed else "a number > 0"
        return text if np.isinf(self.upper) else f"{text} and <= {self.upper:g}"


POSITIVE, NONNEGATIVE, SHARE = Limits(), Limits(closed=True), Limits(1.0, closed=True)


@dataclass(frozen=True)
class Criterion:
    """A weight for each error; subclasses say which."""

    # What each parameter may be.
    limits: ClassVar[dict[str, "Limits"]] = {}
    largest_weight: ClassVar[float] = np.inf

    @property
    def preliminary(self) -> "Criterion | None":
        """Criterion whose solution is the start, None for ridge regression."""
        return None

    def take(self, problems: Indices) -> Self:
        """The criterion of a part of the batch."""
        return type(self)(**{f.name: getattr(self, f.name)[problems] for f in fields(self)})

    def weights(self, errors: Array) -> tuple[Array, Array]:
        """Weights of the errors, (n_problems, n_samples), and their center 0."""
        return self.weight(errors), np.zeros((len(errors), 1))

    def weight(self, errors: Array) -> Array:
        """Weights of the errors: (n_problems, n_samples)."""
        raise NotImplementedError

    def bias(self, errors: Array) -> Array:
        """What predictions need beside H beta: nothing."""
        return np.zeros(len(errors))


def floored(errors: Array) -> Array:
    """\\|e\\|, at least `SMALLEST_SHARE` of the largest one of each problem."""
    size = np.abs(errors)
    return np.maximum(size, np.maximum(SMALLEST_SHARE * size.max(axis=1, keepdims=True), 1e-150))
