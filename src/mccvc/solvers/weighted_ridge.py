"""Weighted ridge problems (12) on one design, and their solution in double precision."""

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, Self

import numpy as np
from scipy.linalg import lstsq
from scipy.linalg.blas import dsyrk
from scipy.linalg.lapack import dpotrf, dpotrs

from mccvc.arrays import Array, Flags, Indices

# Share of a column's weighted square that must be left after the columns before it.
RANK_TOLERANCE = 1e-13
# Rows whose weighted squares are together below this share of the penalty, and whose weights are
# below it of the largest one, change no digit that counts.
_NEGLIGIBLE = 1e-13


@dataclass(frozen=True)
class RidgeProblems:
    """Problems (H' W H + lambda D) beta = H' W (t - c) on one design, D = diag(penalty).

    Attributes
    ----------
    places : ndarray of int, shape (n_problems,)
        Places in the batch, which stay the same from one iteration to the next.
    weights : ndarray of shape (n_problems, n_samples)
        Diagonals of W.
    lam : ndarray of shape (n_problems,)
        Penalties lambda.
    centers : ndarray of shape (n_problems, n_samples) or (n_problems, 1)
        Centers c.
    start : ndarray of shape (n_problems, n_columns)
        Approximate solutions.
    errors : ndarray of shape (n_problems, n_samples)
        t - H start.
    target : ndarray of shape (n_samples,)
        Target t.
    """

    places: Indices
    weights: Array
    lam: Array
    centers: Array
    start: Array
    errors: Array
    target: Array

    @property
    def targets(self) -> Array:
        """t - c: (n_problems, n_samples)."""
        return self.target - self.centers

    def take(self, problems: Indices | Flags) -> Self:
        """Some of the problems."""
        return type(self)(
            self.places[problems],
            self.weights[problems],
            self.lam[problems],
            self.centers[problems],
            self.start[problems],
            self.errors[problems],
            self.target,
        )


class RidgeSolver(Protocol):
    """What solves the problems of a batch on one design, iteration after iteration."""

    @property
    def always_exact(self) -> bool:
        """Whether there are no rough solutions."""

    def solve(self, problems: RidgeProblems, *, exact: bool) -> Array:
        """Solutions, (n_problems, n_columns); rough ones for steps on the way, unless `exact`."""


class DoublePrecision:
    """Solves one problem after the other; gives the least-norm solution of singular ones.

    Parameters
    ----------
    design : ndarray of shape (n_samples, n_columns)
        Design matrix H.
    penalty : ndarray of shape (n_columns,)
        Diagonal of D.
    """

    always_exact = True

    def __init__(self, design: Array, penalty: Array) -> None:
        self.design = design
        self.penalty = penalty

    @cached_property
    def square(self) -> float:
        """Sum of the squares of the design."""
        return max(float(np.vdot(self.design, self.design)), 1e-300)

    def solve(self, problems: RidgeProblems, *, exact: bool = True) -> Array:
        """Solutions, always exact."""
        solutions = np.empty_like(problems.start)
        targets = np.broadcast_to(problems.targets, problems.weights.shape)
        for b, system in enumerate(zip(problems.weights, problems.lam, targets, strict=True)):
            solutions[b] = self.solve_one(*system)
        return solutions

    def solve_one(self, weights: Array, lam: float, target: Array) -> Array:
        """Solution for one set of weights, (n_samples,), one lambda and target."""
        factor = self.factor(self.gram(weights, lam), lam)
        if factor is None:
            return self._least_norm(weights, lam, target)
        return dpotrs(factor, (weights * target) @ self.design, lower=1)[0]

    def gram(self, weights: Array, lam: float) -> Array:
        """Lower triangle of H' W H, without the rows that a penalty of `lam` or more hides."""
        if (weights == 1).all():
            return dsyrk(1.0, self.design.T, lower=1)
        kept = weights > _NEGLIGIBLE * min(lam / self.square, 1 / len(weights))
        if kept.all():
            return dsyrk(1.0, (np.sqrt(weights)[:, None] * self.design).T, lower=1)
        return dsyrk(1.0, (np.sqrt(weights[kept])[:, None] * self.design[kept]).T, lower=1)

    def factor(self, gram: Array, lam: float) -> Array | None:
        """Cholesky factor of H' W H + lambda D in place, None if it is singular."""
        diagonal = np.einsum("ii->i", gram)
        diagonal += lam * self.penalty
        scale = diagonal.copy()
        factor, info = dpotrf(gram, lower=1, overwrite_a=1, clean=0)
        regular = info == 0 and (np.diag(factor) ** 2 > RANK_TOLERANCE * scale).all()
        return factor if regular else None

    def _least_norm(self, weights: Array, lam: float, target: Array) -> Array:
        roots = np.sqrt(weights)
        stacked = np.vstack([roots[:, None] * self.design, np.diag(np.sqrt(lam * self.penalty))])
        padded = np.concatenate([roots * target, np.zeros(len(self.penalty))])
        tolerance = np.finfo(float).eps * max(stacked.shape)
        return lstsq(stacked, padded, cond=tolerance, check_finite=False)[0]


def equal_rows(rows: Array) -> tuple[Indices, Indices]:
    """Where each distinct row comes first, and which one of those each row equals."""
    first: dict[bytes, int] = {}
    which = [first.setdefault(row.tobytes(), i) for i, row in enumerate(rows)]
    return np.unique(which, return_inverse=True)
