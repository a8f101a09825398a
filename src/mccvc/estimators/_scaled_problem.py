"""A problem in units in which its numbers are of order 1."""

from __future__ import annotations

from typing import Any

import numpy as np

from mccvc.arrays import Array
from mccvc.estimators._checks import check_ratio
from mccvc.estimators._starts import SCALE_FLOOR, candidate_starts
from mccvc.scale import robust_scale, weighted_quantile
from mccvc.solvers.row_blocks import BlockedDesign, outputs


class ScaledProblem:
    """A problem in units in which its numbers are of order 1.

    The kernel of (2) carries 1 / units of the target, so lambda' of (12) scales with the
    target's unit and with the inverse square of the design's.
    """

    def __init__(
        self,
        design: Array | BlockedDesign,
        target: Array,
        weight: Array,
        *,
        alpha: float,
        intercept: bool,
        movable: bool,
        scaled: bool,
        by_kernel: bool,
        init: str,
    ) -> None:
        self.weight = weight
        self.intercept = intercept
        self.movable = intercept or movable
        movable = scaled or self.movable
        self.level = float(weighted_quantile(target, 0.5, weight)) if movable else 0.0
        self.target_unit = robust_scale(target - self.level, weight)
        self.target = (target - self.level) / self.target_unit
        self.floor = max(SCALE_FLOOR, 16 * np.finfo(float).eps * abs(self.level / self.target_unit))
        if isinstance(design, BlockedDesign):
            largest = design.column_maxima()
        else:
            largest = np.abs(design).max(axis=0)
            check_ratio(design, largest)
        if alpha == 0 and isinstance(design, np.ndarray):
            # Without a penalty columns may have units of their own.
            self.design_unit: Any = np.array([_power_of_two(value) for value in largest])
            self.lam: float = 0.0
        else:
            self.design_unit = _power_of_two(largest.max())
            self.lam = alpha * (self.target_unit if by_kernel and not scaled else 1.0)
            self.lam = self.lam / self.design_unit / self.design_unit
        if isinstance(design, BlockedDesign):
            unit = self.design_unit
            self.design: Any = design.map(lambda block: block / unit, design.shape[1])
        else:
            self.design = design / self.design_unit
        self._starts: Array | None = None
        self._init = init

    def starts(self) -> Array:
        """Candidate starts; for ``init="zeros"`` and ``"least-squares"`` just that one."""
        if self._starts is None:
            if self._init == "zeros":
                self._starts = np.zeros((1, self.design.shape[1] + 1))
            else:
                starts = candidate_starts(
                    self.design,
                    self.target,
                    self.lam,
                    intercept=self.movable,
                    sample_weight=self.weight,
                    rng=np.random.default_rng(0),
                )
                self._starts = starts[1:2] if self._init == "least-squares" else starts
        return self._starts

    def errors(self, starts: Array) -> Array:
        """Errors of each start: (n_candidates, n_samples)."""
        return self.target - outputs(starts[:, :-1], self.design) - starts[:, -1:]

    def original_level(self, level: float) -> float:
        """Intercept or center in the target's own units."""
        return float(level * self.target_unit + self.level)

    def original_weights(self, beta: Array, intercept: float) -> tuple[Array, float]:
        """Coefficients, of least norm if they are not unique, and intercept in scaled units."""
        coef = beta * (self.target_unit / self.design_unit)
        if np.ndim(self.design_unit) == 0:
            return coef, intercept
        mean = np.average(self.design, axis=0, weights=self.weight) * self.intercept
        columns = self.design - mean
        _, singular, right = np.linalg.svd(np.linalg.qr(columns, mode="r"), full_matrices=True)
        tolerance = np.finfo(float).eps * max(columns.shape) * singular.max(initial=0.0)
        free = right[int((singular > tolerance).sum()) :]
        if not len(free):
            return coef, intercept
        directions = np.linalg.qr((free * (self.design_unit.min() / self.design_unit)).T)[0]
        excess = directions @ (directions.T @ coef)
        return coef - excess, intercept + mean @ (excess * self.design_unit) / self.target_unit


def _power_of_two(value: float) -> float:
    """Largest power of two up to a value, 1 for 0."""
    return float(np.ldexp(1.0, np.frexp(value)[1] - 1)) if value > 0 else 1.0
