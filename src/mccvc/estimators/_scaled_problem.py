"""A problem in units in which its numbers are of order 1."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from mccvc.arrays import Array, ArrayLike, Flags, Indices
from mccvc.estimators._checks import check_ratio
from mccvc.estimators._sample import Sample, distinct_rows
from mccvc.scale import robust_scale, weighted_quantile
from mccvc.solvers.batch import BatchFit
from mccvc.solvers.row_blocks import BlockedDesign, outputs

# Errors below this share of the target's scale count as none.
SCALE_FLOOR = 1e-8
# Inputs so many times further out than usual take all digits from the others.
_FAR = 1e6
# So many times the distinct rows make a problem long.
_LONG = 4
# Squared singular values no further apart than this: no column depends on the others.
_INDEPENDENT = 1e-8


@dataclass(frozen=True)
class ScaledProblem:
    """A problem in units in which its numbers are of order 1.

    The kernel of (2) carries 1 / units of the target, so lambda' of (12) scales with the
    target's unit and with the inverse square of the design's.

    Attributes
    ----------
    design : ndarray or BlockedDesign of shape (n_samples, n_columns)
        Inputs or outputs of a hidden layer, in units of `design_unit`.
    target, weight : ndarray of shape (n_samples,)
        Target from `level` in units of `target_unit`, and sample weights > 0.
    lam : float
        Penalty lambda' in these units.
    intercept : bool
        Whether an intercept is fitted.
    movable : bool
        Whether predictions have a level of their own: an intercept or a variable center.
    floor : float
        Errors below this count as none.
    level, target_unit, design_unit : float
        What scaling subtracts and divides by; without a penalty a unit for each column.
    largest : ndarray of shape (n_columns,)
        Largest size of each column.
    known : Sample or None
        Distinct rows, if they are known.
    """

    design: Any
    target: Array
    weight: Array
    lam: float
    intercept: bool
    movable: bool
    floor: float
    level: float
    target_unit: float
    design_unit: Any
    largest: Array
    known: Sample | None = None

    @classmethod
    def of(
        cls,
        design: Array | BlockedDesign,
        target: Array,
        weight: Array,
        *,
        alpha: float,
        intercept: bool,
        movable: bool,
        scaled: bool,
        by_kernel: bool,
    ) -> Self:
        """Scale a problem.

        `movable` says whether a center or an intercept moves the level, `scaled` whether `alpha`
        refers to a target in units of its robust scale, `by_kernel` whether it is weighed
        against kernels (2), not against weights of 1.
        """
        moved = scaled or movable
        level = float(weighted_quantile(target, 0.5, weight)) if moved else 0.0
        target_unit = robust_scale(target - level, weight)
        if isinstance(design, BlockedDesign):
            largest = design.column_maxima()
        else:
            largest = np.maximum(design.max(axis=0), -design.min(axis=0))
            check_ratio(design, largest)
        known = None
        if alpha == 0 and isinstance(design, np.ndarray):
            # Without a penalty columns may have units of their own.
            known = distinct_rows(design, target, weight)
            unit: Any = _typical_sizes(design, known.rows)
        else:
            unit = float(_power_of_two(largest.max()))
        if isinstance(design, BlockedDesign):
            scaled_design: Any = design.map(lambda block: block / unit, design.shape[1])
        else:
            scaled_design = design / unit
        lam = alpha * (target_unit if by_kernel and not scaled else 1.0)
        return cls(
            design=scaled_design,
            target=(target - level) / target_unit,
            weight=weight,
            lam=float(lam / np.max(unit) / np.max(unit)),
            intercept=intercept,
            movable=movable,
            floor=max(SCALE_FLOOR, 16 * np.finfo(float).eps * abs(level / target_unit)),
            level=level,
            target_unit=target_unit,
            design_unit=unit,
            known=known,
            largest=largest / unit,
        )

    @cached_property
    def distinct(self) -> Sample:
        """Distinct rows, or a fixed choice of them."""
        return self.known or distinct_rows(self.design, self.target, self.weight)

    @property
    def is_long(self) -> bool:
        """Whether distinct rows are a small part of all, worth a fit beforehand."""
        return len(self.target) > _LONG * len(self.distinct.rows)

    @property
    def alpha_per_lam(self) -> float:
        """Penalty in the data's units, of weights of at most 1, over the one in scaled units."""
        return float(np.max(self.design_unit) ** 2)

    def sampled(self) -> Self:
        """The problem on its distinct rows."""
        return self.rows(self.distinct.rows, self.distinct.weight)

    def rows(self, rows: Indices | Flags, weight: Array) -> Self:
        """The problem on some rows, with the weights given."""
        if isinstance(self.design, BlockedDesign):
            design = self.design.take(np.arange(len(self.target))[rows])
        else:
            design = self.design[rows]
        return replace(self, design=design, target=self.target[rows], weight=weight, known=None)

    def shifted(self, level: float) -> Self:
        """The problem with its target measured from another level, in scaled units."""
        target = self.target - level
        return replace(self, target=target, level=self.level + level * self.target_unit)

    def errors(self, starts: Array) -> Array:
        """Errors of each start: (n_candidates, n_samples)."""
        return self.target - outputs(starts[:, :-1], self.design) - starts[:, -1:]

    def errors_of(self, fit: BatchFit) -> Array:
        """Errors of the only fit of a batch: (n_samples,)."""
        return self.target - fit.predict(self.design)[0]

    def without_far_rows(self, start: Array, sigma: float) -> Self:
        """The problem without rows that are far in the inputs and have no weight at a start."""
        if isinstance(self.design, BlockedDesign):
            return self
        columns = np.flatnonzero(self.largest > _FAR)
        if not len(columns):
            return self
        far = (np.abs(self.design[:, columns]) > _FAR).any(axis=1)
        with np.errstate(over="ignore"):
            counts = np.exp(-0.5 * (self.errors(start)[0] / sigma) ** 2) > 0
        kept = counts | ~far
        return self.rows(kept, self.weight[kept]) if kept.any() else self

    def original_level(self, level: float) -> float:
        """Intercept or center in the target's own units."""
        return float(level * self.target_unit + self.level)

    def original_weights(self, beta: Array, intercept: float) -> tuple[Array, float]:
        """Coefficients, of least norm if they are not unique, and intercept in scaled units."""
        coef = beta * (self.target_unit / self.design_unit)
        if np.ndim(self.design_unit) == 0 or self.columns_are_independent:
            return coef, intercept
        mean = np.average(self.design, axis=0, weights=self.weight) * self.intercept
        columns = self.design - mean
        wide = columns.shape[0] < columns.shape[1]
        triangle = columns if wide else np.linalg.qr(columns, mode="r")
        _, singular, right = np.linalg.svd(triangle, full_matrices=not wide)
        tolerance = np.finfo(float).eps * max(columns.shape) * singular.max(initial=0.0)
        rank = int((singular > tolerance).sum())
        if wide:
            span = np.linalg.qr((right[:rank] * (self.design_unit / self.design_unit.max())).T)[0]
            excess = coef - span @ (span.T @ coef)
        else:
            free = right[rank:] * (self.design_unit.min() / self.design_unit)
            directions = np.linalg.qr(free.T)[0]
            excess = directions @ (directions.T @ coef)
        return coef - excess, intercept + mean @ (excess * self.design_unit) / self.target_unit

    @cached_property
    def columns_are_independent(self) -> bool:
        """Whether no combination of the columns, with ones if there is an intercept, is near 0."""
        if self.design.shape[1] >= self.design.shape[0]:
            return False
        # Columns that are independent on some rows are so on all.
        for columns in (self.design[self.distinct.rows], self.design):
            columns = columns - columns.mean(axis=0) * self.intercept
            squares = np.linalg.eigvalsh(columns.T @ columns)
            if squares[0] > _INDEPENDENT * squares[-1]:
                return True
        return False


def _typical_sizes(design: Array, rows: Indices) -> Array:
    """A power of two for each column: the median of its values that are not 0 in some rows."""
    size = np.abs(design[rows])
    size[size == 0] = np.nan
    used = ~np.isnan(size).all(axis=0)
    typical = np.zeros(design.shape[1])
    typical[used] = np.nanmedian(size[:, used], axis=0)
    unused = np.flatnonzero(~used)
    typical[unused] = np.abs(design[:, unused]).max(axis=0, initial=0.0)
    return _power_of_two(typical)


def _power_of_two(value: ArrayLike) -> Array:
    """Largest power of two up to a value, 1 for 0."""
    return np.where(np.asarray(value) > 0, np.ldexp(1.0, np.frexp(value)[1] - 1), 1.0)
