"""Grids of a config: lists, or a start, a stop and a step or factor."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

Grid = Sequence[float] | Mapping[str, float]
_KEYS = {"start", "stop", "step", "factor"}


def is_grid(value: Any) -> bool:
    """Whether a value is a mapping that spans a grid."""
    return isinstance(value, Mapping) and len(value) > 1 and set(value) <= _KEYS


def expanded(grid: Grid) -> tuple[float, ...]:
    """Values of a grid.

    Parameters
    ----------
    grid : sequence of float, or mapping with ``start``, ``stop`` and ``step`` or ``factor``
        `stop` is included.

    Returns
    -------
    tuple of float
        None if `stop` is below `start`.
    """
    if not isinstance(grid, Mapping):
        return tuple(float(value) for value in grid)
    start, stop = grid["start"], grid["stop"]
    if "step" in grid:
        count = round((stop - start) / grid["step"]) + 1
        return tuple(round(start + i * grid["step"], 12) for i in range(count))
    count = round(math.log(stop / start) / math.log(grid["factor"])) + 1
    return tuple(float(start * float(grid["factor"]) ** i) for i in range(count))
