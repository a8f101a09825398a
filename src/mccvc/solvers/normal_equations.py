"""Weighted ridge problems on narrow designs: the normal equations of a whole batch at once."""

from typing import Any

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs

from mccvc.arrays import Array, Flags
from mccvc.solvers.weighted_ridge import (
    RANK_TOLERANCE,
    DoublePrecision,
    RidgeProblems,
    equal_rows,
)

# Up to this many columns one stacked factorization costs less than a call for each problem.
_STACKED_COLUMNS = 32


class NormalEquations:
    """Forms the Gram matrices of all problems by one product, and factors them.

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
        self.products = _packed_products(design)

    def solve(self, problems: RidgeProblems, *, exact: bool = True) -> Array:
        """Solutions, always exact."""
        weights, targets = problems.weights, problems.targets
        weighted = weights * targets
        right = weighted @ self.design
        if problems.start[0].any():
            packed = weights @ self.products
        else:
            # At beta = 0 all errors are the target: weights differ as the kernels do.
            first, which = equal_rows(weights)
            packed = (weights[first] @ self.products)[which]
        n_columns = len(self.penalty)
        stacked = n_columns <= _STACKED_COLUMNS
        gram = np.empty((len(right), n_columns + stacked, n_columns + stacked))
        _unpack(packed, gram)
        diagonal = np.arange(n_columns)
        gram[:, diagonal, diagonal] += problems.lam[:, None] * self.penalty
        if stacked:
            # t' W t bounds the solution's energy, beta' A beta = right' A^-1 right.
            beta, regular = _solve_stacked(gram, right, np.vecdot(weighted, targets))
        else:
            beta, regular = _solve_each(gram, right)
        if np.count_nonzero(regular) < len(regular):
            singular = problems.take(~regular)
            beta[~regular] = DoublePrecision(self.design, self.penalty).solve(singular)
        return beta


def _solve_stacked(augmented: Array, right: Array, energy: Array) -> tuple[Array, Flags]:
    """Cholesky of the augmented [[A, b], [b', d]]: its last column is the forward solution."""
    n = right.shape[1]
    diagonal = np.arange(n)
    augmented[:, :n, n] = right
    augmented[:, n, n] = np.where(energy > 0, 2 * energy, 1.0)
    try:
        factor: Any = np.linalg.cholesky(augmented, upper=True)
    except np.linalg.LinAlgError:
        return np.zeros_like(right), np.zeros(len(right), dtype=bool)
    pivots = factor[:, diagonal, diagonal]
    scale = augmented[:, diagonal, diagonal]
    beta = factor[:, :n, n].copy()
    for j in range(n - 1, -1, -1):
        column = beta[:, j]
        column -= np.vecdot(factor[:, j, j + 1 : n], beta[:, j + 1 :])
        column /= pivots[:, j]
    regular: Flags = np.all(pivots**2 > RANK_TOLERANCE * scale, axis=1)
    return beta, regular


def _solve_each(gram: Array, right: Array) -> tuple[Array, Flags]:
    """Cholesky of one matrix after the other, in place."""
    diagonal = np.arange(right.shape[1])
    scale = gram[:, diagonal, diagonal]
    beta, positive = np.zeros_like(right), np.zeros(len(right), dtype=bool)
    for b, upper in enumerate(gram):
        factor, info = dpotrf(upper.T, lower=1, clean=0, overwrite_a=1)
        if info == 0:
            beta[b], positive[b] = dpotrs(factor, right[b], lower=1)[0], True
    pivots = gram[:, diagonal, diagonal]
    return beta, positive & np.all(pivots**2 > RANK_TOLERANCE * scale, axis=1)


def _packed_products(design: Array) -> Array:
    """Products h_ij h_ik, k >= j, of every row: shape (n_samples, n (n + 1) / 2)."""
    return np.concatenate(
        [design[:, j:] * design[:, j : j + 1] for j in range(design.shape[1])], axis=1
    )


def _unpack(packed: Array, out: Array) -> None:
    """Upper triangles from packed rows, into the leading part of `out`."""
    n = int(np.sqrt(2 * packed.shape[1]))
    start = 0
    for j in range(n):
        out[:, j, j:n] = packed[:, start : start + n - j]
        start += n - j
