"""Linear-in-parameters models (8), fitted for a whole grid at once through one SVD."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np

from mccvc.arrays import Array, ArrayLike, Indices
from mccvc.criteria.base import Criterion
from mccvc.solvers.irls import Iteration, Solution, irls
from mccvc.solvers.row_blocks import BlockedDesign, outputs
from mccvc.solvers.weighted_ridge import DoublePrecision

# Directions of H whose penalty exceeds their weighted square by this factor are left out:
# they change predictions by less than one part in it.
_NEGLIGIBLE = 1e12
_RANK_STEP = 8
# A penalty above this share of the design's square needs no SVD: the normal equations lose no
# more than half of the digits.
_WELL_POSED = 1e-8
# A design with so many rows for each column, and squared singular values no further apart, loses
# nothing when H' H is decomposed in its place.
_LONG = 50
_WELL_CONDITIONED = 1e-8


@dataclass(frozen=True)
class BatchFit(Solution):
    """Result of :func:`fit_batch`: that of the iteration, for the original columns.

    Attributes
    ----------
    intercept : ndarray of shape (n_problems,)
        Intercepts, 0 without one. Prediction is H beta + intercept + center.
    """

    intercept: Array

    @property
    def start(self) -> Array:
        """Weights and, last, the level from which another fit may go on."""
        return np.column_stack([self.beta, self.intercept + self.center])

    @classmethod
    def blank(cls, n_problems: int, n_columns: int) -> Self:
        """Result to be filled in: zeros, without a width."""
        zeros = vars(Solution.blank(n_problems, n_columns))
        return cls(**zeros, intercept=np.zeros(n_problems))

    def predict(self, design: Array | BlockedDesign) -> Array:
        """Predictions for the rows of a design: (n_problems, n_samples)."""
        return outputs(self.beta, design) + (self.intercept + self.center)[:, None]


def fit_batch(
    design: Array | BlockedDesign,
    target: Array,
    criterion: Criterion,
    lam: ArrayLike,
    *,
    intercept: bool = False,
    sample_weight: Array | None = None,
    start: Array | None = None,
    max_iter: int = 100,
    tol: float = 1e-6,
    trace: Callable[..., None] | None = None,
) -> BatchFit:
    """Fit one linear-in-parameters model for each penalty, all on the same data.

    With H = U S V', the weights V' beta carry the same ridge penalty as beta, and the columns
    of U S are orthogonal and graded, so that the normal equations stay accurate however
    ill-conditioned H is. For MMSE the whole path over lambda' follows from the one SVD.

    A blocked design is never held, and has no SVD: each iteration goes over its blocks once for
    the errors and once for the normal equations, which resolve penalties down to 1e-13 of their
    trace; smaller ones count as that.

    Parameters
    ----------
    design : ndarray or BlockedDesign of shape (n_samples, n_columns)
        Design matrix H.
    target : ndarray of shape (n_samples,)
        Target t.
    criterion : Criterion
        Its parameters have an element for each problem.
    lam : ndarray of shape (n_problems,)
        Penalty lambda' of each problem, >= 0. Zero gives the solution of least norm.
    intercept : bool, default False
        Whether to add a column of ones that is not penalized.
    sample_weight : ndarray of shape (n_samples,), optional
        Weight of each sample, > 0: a weight of two counts as two equal samples.
    start : ndarray of shape (n_problems, n_columns + 1), optional
        Initial weights and, last, intercepts.
    max_iter, tol
        As in :func:`mccvc.solvers.irls.irls`.
    trace : callable, optional
        Called after each iteration with ``(k, problems, beta, intercept, sigma, center,
        errors)`` for the problems still running; errors are t - H beta - intercept.

    Returns
    -------
    BatchFit
        Weights for the original columns, with intercept, width, center, iterations and
        convergence. For MMSE the width is NaN, the center 0 and the number of iterations 0.
    """
    iteration: dict[str, Any] = {"start": start, "max_iter": max_iter, "tol": tol, "trace": trace}
    if isinstance(design, BlockedDesign):
        lam = np.asarray(lam, dtype=float)
        basis = _with_ones(design, intercept)
        return basis.fit(np.arange(len(lam)), target, criterion, lam, sample_weight, **iteration)
    held = HeldDesign(design, intercept=intercept, sample_weight=sample_weight)
    return held.fit(target, criterion, lam, **iteration)


class HeldDesign:
    """A design in memory, decomposed once for all batches that are fitted on it.

    Parameters
    ----------
    design, intercept, sample_weight
        As in :func:`fit_batch`.
    """

    def __init__(
        self, design: Array, *, intercept: bool = False, sample_weight: Array | None = None
    ) -> None:
        self.sample_weight = sample_weight
        self.intercept = intercept
        # Centered columns are orthogonal to the ones; the intercept absorbs the difference.
        self.mean = np.zeros(design.shape[1])
        self.columns = design
        if intercept:
            self.mean = np.average(design, axis=0, weights=sample_weight)
            self.columns = design - self.mean

    def fit(
        self, target: Array, criterion: Criterion, lam: ArrayLike, **iteration: Any
    ) -> BatchFit:
        """Fit a batch; parameters as in :func:`fit_batch`."""
        lam = np.asarray(lam, dtype=float)
        result = BatchFit.blank(len(lam), self.columns.shape[1])
        if criterion.closed_form:
            result.beta[:], result.intercept[:] = self._least_squares(target, lam)
            result.converged[:] = True
            return result
        for problems, basis in self._graded_parts(lam / criterion.largest_weight):
            part = basis.fit(problems, target, criterion, lam, self.sample_weight, **iteration)
            for name, values in vars(part).items():
                getattr(result, name)[problems] = values
        return result

    def begin(
        self, target: Array, criterion: Criterion, lam: Array, rows: Array, **iteration: Any
    ) -> "Iterator[tuple[Indices, Iteration, Array]]":
        """Parts of a batch with their iterations, and the columns that other rows have there."""
        for problems, basis in self._graded_parts(lam / criterion.largest_weight):
            part = Iteration(
                basis.columns,
                target,
                criterion.take(problems),
                lam[problems],
                penalty=basis.penalty,
                sample_weight=self.sample_weight,
                **iteration,
            )
            yield problems, part, basis.transform(rows)

    @cached_property
    def _roots(self) -> Array:
        weight = self.sample_weight
        return np.ones(len(self.columns)) if weight is None else np.sqrt(weight)

    @cached_property
    def _weighted_svd(self) -> tuple[Array, Array, Array]:
        weighted = self.sample_weight is not None
        return _thin_svd(self._roots[:, None] * self.columns if weighted else self.columns)

    @cached_property
    def _graded(self) -> tuple[Array, Array, Array]:
        """U S with its singular values and right vectors; H V for a long, well-conditioned H."""
        columns = self.columns
        if len(columns) > _LONG * columns.shape[1]:
            squares, vectors = np.linalg.eigh(columns.T @ columns)
            if squares[0] > _WELL_CONDITIONED * squares[-1]:
                right = vectors[:, ::-1].T
                return columns @ right.T, np.sqrt(squares[::-1]), right
        unweighted = self.sample_weight is None
        left, singular, right = self._weighted_svd if unweighted else _thin_svd(columns)
        if not len(singular):  # A design of zeros: one of its columns stands for all.
            return np.zeros((len(columns), 1)), np.zeros(1), np.eye(1, columns.shape[1])
        return left * singular, singular, right

    def _least_squares(self, target: Array, lam: Array) -> tuple[Array, Array]:
        """Weights and intercepts of least squares, for all penalties from one SVD."""
        roots, columns = self._roots, self.columns
        level = np.average(target, weights=self.sample_weight) if self.intercept else 0.0
        precise = DoublePrecision(columns, np.ones(columns.shape[1]))
        if len(lam) == 1 and lam[0] > _WELL_POSED * precise.square:
            beta = precise.solve_one(roots**2, lam[0], target - level)[None]
        else:
            left, singular, right = self._weighted_svd
            pulled = (roots * (target - level)) @ left
            beta = (singular * pulled / (singular**2 + lam[:, None])) @ right
        return beta, level - beta @ self.mean if self.intercept else np.zeros(len(lam))

    def _graded_parts(self, lam: Array) -> "Iterator[tuple[Indices, _Basis]]":
        """Problems of equal numerical rank with their columns U S; lam for weights <= 1."""
        graded, singular, right = self._graded
        strength = singular**2
        if self.sample_weight is not None:
            strength = strength * self.sample_weight.max()
        needed = (_NEGLIGIBLE * strength > lam[:, None]).sum(axis=1)
        needed = np.minimum(-(-np.maximum(needed, 1) // _RANK_STEP) * _RANK_STEP, len(singular))
        ones = np.ones((len(graded), int(self.intercept)))
        for size in np.unique(needed):
            columns = np.hstack([graded[:, :size], ones])
            basis = _Basis(columns, right[:size], self.mean, self.intercept)
            yield np.flatnonzero(needed == size), basis


def _with_ones(design: BlockedDesign, intercept: bool) -> "_Basis":
    n_columns = design.shape[1]
    if intercept:
        design = design.map(lambda b: np.hstack([b, np.ones((len(b), 1))]), n_columns + 1)
    return _Basis(design, np.eye(n_columns), np.zeros(n_columns), intercept)


class _Basis:
    """The columns of a fit, (H - mean) V and a column of ones, and the way back from them."""

    def __init__(
        self, columns: Array | BlockedDesign, right: Array, mean: Array, intercept: bool
    ) -> None:
        self.columns = columns
        self.right, self.mean, self.intercept = right, mean, intercept
        self.penalty = np.append(np.ones(len(right)), np.zeros(int(intercept)))

    def fit(
        self,
        problems: Indices,
        target: Array,
        criterion: Criterion,
        lam: Array,
        sample_weight: Array | None,
        *,
        start: Array | None = None,
        trace: Callable[..., None] | None = None,
        **iteration: Any,
    ) -> BatchFit:
        """Fit some problems of a batch."""
        part = irls(
            self.columns,
            target,
            criterion.take(problems),
            lam[problems],
            penalty=self.penalty,
            sample_weight=sample_weight,
            start=None if start is None else self._start(start[problems]),
            trace=None if trace is None else self._trace(trace, problems),
            **iteration,
        )
        beta, intercept = self._original(part.beta)
        return BatchFit(**vars(part) | {"beta": beta}, intercept=intercept)

    def transform(self, rows: Array) -> Array:
        """These columns of other rows of the design."""
        ones = np.ones((len(rows), int(self.intercept)))
        return np.hstack([(rows - self.mean) @ self.right.T, ones])

    def _start(self, start: Array) -> Array:
        """Weights of these columns from those, and intercepts, of the original ones."""
        levels = start[:, -1:] + start[:, :-1] @ self.mean[:, None]
        return np.hstack([start[:, :-1] @ self.right.T, levels[:, : int(self.intercept)]])

    def _original(self, beta: Array) -> tuple[Array, Array]:
        """Weights and intercepts for the original columns."""
        size = len(self.right)
        weights = beta[:, :size] @ self.right
        levels = beta[:, size] - weights @ self.mean if self.intercept else np.zeros(len(beta))
        return weights, levels

    def _trace(self, trace: Callable[..., None], problems: Indices) -> Callable[..., None]:
        """Trace of the iteration that tells `trace` of the original columns."""

        def record(k: int, running: Indices, beta: Array, *others: Array) -> None:
            sigma, center, errors = others
            trace(k, problems[running], *self._original(beta), sigma, center, errors)

        return record


def _thin_svd(design: Array) -> tuple[Array, Array, Array]:
    """Left vectors, singular values and right vectors of the numerical rank."""
    left, singular, right = np.linalg.svd(design, full_matrices=False)
    largest = singular.max(initial=0.0)
    rank = int((singular > np.finfo(float).eps * max(design.shape) * largest).sum())
    return left[:, :rank], singular[:rank], right[:rank]
