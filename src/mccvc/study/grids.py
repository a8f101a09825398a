"""Grids of a config: lists, or a start, a stop and a step or factor."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

Grid = Sequence[float] | Mapping[str, float]
_KEYS = {"start", "stop", "step", "factor"}
# Of a step, by which written numbers may miss a whole number of them.
_ROUNDING = 1e-6


def is_grid(value: Any) -> bool:
    """Whether a value is a mapping that spans a grid."""
    return isinstance(value, Mapping) and len(value) > 1 and set(value) <= _KEYS


def spans(grid: Mapping[str, float]) -> bool:
    """Whether a whole number of steps, none or more, leads from start to stop."""
    distance = grid["stop"] - grid["start"], grid.get("step", 0.0)
    if "factor" in grid:
        distance = math.log(grid["stop"] / grid["start"]), math.log(grid["factor"])
    steps = distance[0] / distance[1]
    return steps > -_ROUNDING and abs(steps - round(steps)) < _ROUNDING


def expanded(grid: Grid) -> tuple[float, ...]:
    """Values of a grid.

    Parameters
    ----------
    grid : sequence of float, or mapping with ``start``, ``stop`` and ``step`` or ``factor``
        `stop` is included, see :func:`spans`.

    Returns
    -------
    tuple of float
    """
    if not isinstance(grid, Mapping):
        return tuple(float(value) for value in grid)
    start, stop = grid["start"], grid["stop"]
    if "step" in grid:
        count = round((stop - start) / grid["step"]) + 1
        return tuple(round(start + i * grid["step"], 12) for i in range(count))
    count = round(math.log(stop / start) / math.log(grid["factor"])) + 1
    return tuple(float(start * float(grid["factor"]) ** i) for i in range(count))
