"""Linear-in-parameters models (8), fitted for a whole grid at once through one SVD."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from mccvc.arrays import Array, ArrayLike, Indices
from mccvc.criteria.base import Criterion
from mccvc.solvers.irls import Solution, irls
from mccvc.solvers.row_blocks import BlockedDesign, outputs
from mccvc.solvers.weighted_ridge import ridge

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
    lam = np.asarray(lam, dtype=float)
    result = BatchFit.blank(len(lam), design.shape[1])
    if isinstance(design, BlockedDesign):
        parts: Iterable[Any] = [(np.arange(len(lam)), *_with_ones(design, intercept))]
    elif criterion.closed_form:
        path = _least_squares_path(design, target, lam, intercept, sample_weight)
        result.beta[:], result.intercept[:] = path
        result.converged[:] = True
        return result
    else:
        largest = np.broadcast_to(criterion.largest_weight, lam.shape)
        parts = _graded(design, lam / largest, intercept, sample_weight)
    for problems, columns, basis in parts:
        part = irls(
            columns,
            target,
            criterion.take(problems),
            lam[problems],
            penalty=basis.penalty,
            sample_weight=sample_weight,
            start=None if start is None else basis.start(start[problems]),
            max_iter=max_iter,
            tol=tol,
            trace=None if trace is None else basis.trace(trace, problems),
        )
        result.beta[problems], result.intercept[problems] = basis.original(part.beta)
        for name in ("sigma", "center", "n_iter", "converged", "vanished"):
            getattr(result, name)[problems] = getattr(part, name)
    return result


def _least_squares_path(
    design: Array, target: Array, lam: Array, intercept: bool, sample_weight: Array | None
) -> tuple[Array, Array]:
    """Weights and intercepts of least squares, for all penalties from one SVD."""
    design, mean = _centered(design, intercept, sample_weight)
    roots = np.ones(len(target)) if sample_weight is None else np.sqrt(sample_weight)
    level = np.average(target, weights=sample_weight) if intercept else 0.0
    if len(lam) == 1 and lam[0] > _WELL_POSED * np.vdot(design, design):
        beta = ridge(design, target - level, lam, sample_weight=sample_weight)
        return beta, level - beta @ mean if intercept else np.zeros(1)
    left, singular, right = _thin_svd(roots[:, None] * design)
    shrunk = singular * ((roots * (target - level)) @ left) / (singular**2 + lam[:, None])
    beta = shrunk @ right
    return beta, level - beta @ mean if intercept else np.zeros(len(lam))


def _graded(
    design: Array, lam: Array, intercept: bool, sample_weight: Array | None
) -> "Iterator[tuple[Indices, Array, _Basis]]":
    """Problems of equal numerical rank, with the columns U S of that rank; lam for weights <= 1."""
    design, mean = _centered(design, intercept, sample_weight)
    graded, singular, right = _graded_columns(design)
    strength = singular**2
    if sample_weight is not None:
        strength = strength * sample_weight.max()
    needed = (_NEGLIGIBLE * strength > lam[:, None]).sum(axis=1)
    needed = np.minimum(-(-np.maximum(needed, 1) // _RANK_STEP) * _RANK_STEP, len(singular))
    ones = np.ones((len(design), int(intercept)))
    for size in np.unique(needed):
        columns = np.hstack([graded[:, :size], ones])
        yield np.flatnonzero(needed == size), columns, _Basis(right[:size], mean, intercept)


def _with_ones(design: BlockedDesign, intercept: bool) -> "tuple[BlockedDesign, _Basis]":
    n_columns = design.shape[1]
    basis = _Basis(np.eye(n_columns), np.zeros(n_columns), intercept)
    if not intercept:
        return design, basis
    return design.map(lambda b: np.hstack([b, np.ones((len(b), 1))]), n_columns + 1), basis


def _centered(design: Array, intercept: bool, sample_weight: Array | None) -> tuple[Array, Array]:
    """Centered columns are orthogonal to the ones; the intercept absorbs the difference."""
    if not intercept:
        return design, np.zeros(design.shape[1])
    mean = np.average(design, axis=0, weights=sample_weight)
    return design - mean, mean


class _Basis:
    """The columns of a fit, (H - mean) V and a column of ones, and the way back from them."""

    def __init__(self, right: Array, mean: Array, intercept: bool) -> None:
        self.right, self.mean, self.intercept = right, mean, intercept
        self.penalty = np.append(np.ones(len(right)), np.zeros(int(intercept)))

    def start(self, start: Array) -> Array:
        """Weights of the new columns from those, and intercepts, of the original ones."""
        levels = start[:, -1:] + start[:, :-1] @ self.mean[:, None]
        return np.hstack([start[:, :-1] @ self.right.T, levels[:, : int(self.intercept)]])

    def original(self, beta: Array) -> tuple[Array, Array]:
        """Weights and intercepts for the original columns."""
        size = len(self.right)
        weights = beta[:, :size] @ self.right
        levels = beta[:, size] - weights @ self.mean if self.intercept else np.zeros(len(beta))
        return weights, levels

    def trace(self, trace: Callable[..., None], problems: Indices) -> Callable[..., None]:
        """Trace of the iteration that tells `trace` of the original columns."""

        def record(k: int, running: Indices, beta: Array, *others: Array) -> None:
            sigma, center, errors = others
            trace(k, problems[running], *self.original(beta), sigma, center, errors)

        return record


def _graded_columns(design: Array) -> tuple[Array, Array, Array]:
    """U S with its singular values and right vectors; H V for a long, well-conditioned H."""
    if len(design) > _LONG * design.shape[1]:
        squares, vectors = np.linalg.eigh(design.T @ design)
        if squares[0] > _WELL_CONDITIONED * squares[-1]:
            right = vectors[:, ::-1].T
            return design @ right.T, np.sqrt(squares[::-1]), right
    left, singular, right = _thin_svd(design)
    if not len(singular):  # A design of zeros: one of its columns stands for all.
        return np.zeros((len(design), 1)), np.zeros(1), np.eye(1, design.shape[1])
    return left * singular, singular, right


def _thin_svd(design: Array) -> tuple[Array, Array, Array]:
    """Left vectors, singular values and right vectors of the numerical rank."""
    left, singular, right = np.linalg.svd(design, full_matrices=False)
    largest = singular.max(initial=0.0)
    rank = int((singular > np.finfo(float).eps * max(design.shape) * largest).sum())
    return left[:, :rank], singular[:rank], right[:rank]
