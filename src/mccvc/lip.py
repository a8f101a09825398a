"""Linear-in-parameters models (8), fitted for a whole grid at once through one SVD."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np

from mccvc.arrays import Array, ArrayLike
from mccvc.criteria import MCC, MCCVC, MMSE
from mccvc.solver import FixedPoint, fixed_point

# Directions of H whose penalty exceeds their weighted square by this factor are left out:
# they change predictions by less than one part in it.
_NEGLIGIBLE = 1e12
_RANK_STEP = 8


@dataclass(frozen=True)
class LIPFit(FixedPoint):
    """Result of :func:`fit_lip`: that of the iteration, for the original columns.

    Attributes
    ----------
    intercept : ndarray of shape (n_problems,)
        Intercepts, 0 without one. Prediction is H beta + intercept + center.
    """

    intercept: Array

    @classmethod
    def blank(cls, n_problems: int, n_columns: int) -> Self:
        """Result to be filled in, everything zero."""
        zeros = vars(FixedPoint.blank(n_problems, n_columns))
        return cls(**zeros, intercept=np.zeros(n_problems))

    def predict(self, design: Array) -> Array:
        """Predictions for the rows of a design: (n_problems, n_samples)."""
        return self.beta @ design.T + (self.intercept + self.center)[:, None]


def fit_lip(
    design: Array,
    target: Array,
    criterion: MMSE | MCC | MCCVC,
    lam: ArrayLike,
    *,
    intercept: bool = False,
    sample_weight: Array | None = None,
    start: Array | None = None,
    max_iter: int = 100,
    tol: float = 1e-6,
    trace: Callable[..., None] | None = None,
) -> LIPFit:
    """Fit one linear-in-parameters model for each penalty, all on the same data.

    With H = U S V', the weights V' beta carry the same ridge penalty as beta, and the columns
    of U S are orthogonal and graded, so that the normal equations stay accurate however
    ill-conditioned H is. For MMSE the whole path over lambda' follows from the one SVD.

    Parameters
    ----------
    design : ndarray of shape (n_samples, n_columns)
        Design matrix H.
    target : ndarray of shape (n_samples,)
        Target t.
    criterion : MMSE, MCC or MCCVC
        Criterion; its parameters broadcast over the batch.
    lam : ndarray of shape (n_problems,)
        Penalty lambda' of each problem, >= 0. Zero gives the solution of least norm.
    intercept : bool, default False
        Whether to add a column of ones that is not penalized.
    sample_weight : ndarray of shape (n_samples,), optional
        Weight of each sample, > 0 (default ones).
    start : ndarray of shape (n_problems, n_columns + 1), optional
        Initial weights and, last, intercepts (default zeros). MMSE needs none.
    max_iter, tol
        As in :func:`mccvc.solver.fixed_point`.
    trace : callable, optional
        Called after each iteration with ``(k, problems, beta, intercept, sigma, center)`` for
        the problems still running.

    Returns
    -------
    LIPFit
        Weights for the original columns, with intercept, width, center, iterations and
        convergence. For MMSE the width is NaN, the center 0 and the number of iterations 0.
    """
    lam = np.asarray(lam, dtype=float)
    n_samples, n_columns = design.shape
    result = LIPFit.blank(len(lam), n_columns)
    mean = np.zeros(n_columns)
    if intercept:
        # Centered columns are orthogonal to the ones; the intercept absorbs the difference.
        mean = np.average(design, axis=0, weights=sample_weight)
        design = design - mean
    if isinstance(criterion, MMSE):
        roots = np.ones(n_samples) if sample_weight is None else np.sqrt(sample_weight)
        level = np.average(target, weights=sample_weight) if intercept else 0.0
        left, singular, right = _thin_svd(roots[:, None] * design)
        shrunk = singular * ((roots * (target - level)) @ left) / (singular**2 + lam[:, None])
        result.beta[:] = shrunk @ right
        result.intercept[:] = level - result.beta @ mean if intercept else 0.0
        result.sigma[:] = np.nan
        result.converged[:] = True
        return result
    left, singular, right = _thin_svd(design)
    rank = len(singular)
    strength = singular**2 * np.broadcast_to(criterion.largest_weight, lam.shape)[:, None]
    if sample_weight is not None:
        strength = strength * sample_weight.max()
    needed = (_NEGLIGIBLE * strength > lam[:, None]).sum(axis=1)
    needed = np.minimum(-(-np.maximum(needed, 1) // _RANK_STEP) * _RANK_STEP, rank)
    ones = np.ones((n_samples, int(intercept)))
    for size in np.unique(needed):
        problems = np.flatnonzero(needed == size)
        back = right[:size]

        def original(beta: Array, back: Array = back, size: int = size) -> tuple[Array, Array]:
            """Weights and intercepts for the original columns."""
            weights = beta[:, :size] @ back
            levels = beta[:, size] - weights @ mean if intercept else np.zeros(len(beta))
            return weights, levels

        first = None
        if start is not None:
            levels = start[problems, -1:] + start[problems, :-1] @ mean[:, None]
            first = np.hstack([start[problems, :-1] @ back.T, levels[:, : int(intercept)]])
        part = fixed_point(
            np.hstack([left[:, :size] * singular[:size], ones]),
            target,
            criterion.take(problems),
            lam[problems],
            penalty=np.append(np.ones(size), np.zeros(int(intercept))),
            sample_weight=sample_weight,
            start=first,
            max_iter=max_iter,
            tol=tol,
            trace=None
            if trace is None
            else lambda k, running, beta, sigma, center, problems=problems, original=original: (
                trace(k, problems[running], *original(beta), sigma, center)
            ),
        )
        result.beta[problems], result.intercept[problems] = original(part.beta)
        for name in ("sigma", "center", "n_iter", "converged", "vanished"):
            getattr(result, name)[problems] = getattr(part, name)
    return result


def _thin_svd(design: Array) -> tuple[Array, Array, Array]:
    """Left vectors, singular values and right vectors of the numerical rank."""
    left, singular, right = np.linalg.svd(design, full_matrices=False)
    largest = singular.max(initial=0.0)
    rank = int((singular > np.finfo(float).eps * max(design.shape) * largest).sum())
    return left[:, :rank], singular[:rank], right[:rank]
