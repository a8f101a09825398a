"""Weighted ridge problems (12) on one design, many at a time, in the precision that each needs."""

from typing import Any

import numpy as np
from scipy.linalg import lstsq
from scipy.linalg.blas import dsyrk, ssyrk, strsv
from scipy.linalg.lapack import dpotrf, dpotrs, spotrf

from mccvc.arrays import Array, ArrayLike, Flags, Indices, SingleArray
from mccvc.solvers.row_blocks import BlockedDesign

# Up to this many columns the normal equations of a batch are formed and factored directly;
# above it they are solved by conjugate gradients in single precision, preconditioned by the
# diagonal or by a factor, and corrected in double precision.
_DIRECT_COLUMNS = 64
# For so few problems, forming the products of all rows does not pay.
_FEW_PROBLEMS = 4
_TOLERANCE = 1e-9
# Share of the distance to the solution that one pass of corrections leaves.
_REDUCTION = 1e-6
_PASSES = 6
_STEPS = 20
# Relative to the diagonal: keeps a single-precision factor of a nearly singular matrix definite.
_NUDGE = np.float32(1e-6)
# Steps above which a factor is made anew: there is none yet, or one of an earlier iteration.
_STEPS_UNFACTORED = 16
_STEPS_REUSED = 5
_LARGEST_SINGLE = float(np.finfo(np.float32).max) / 2
# Share of the trace of H' W H below which sums over many rows are rounding.
_ROUNDING = 1e-13
# Share of a column's weighted square that must be left after the columns before it.
_RANK_TOLERANCE = 1e-13


def ridge(
    design: Array | BlockedDesign,
    target: Array,
    lam: ArrayLike,
    *,
    penalty: Array | None = None,
    sample_weight: Array | None = None,
) -> Array:
    """Regularized least squares, equation (10), for several penalties.

    Parameters
    ----------
    design : ndarray or BlockedDesign of shape (n_samples, n_columns)
        Design matrix H.
    target : ndarray of shape (n_samples,)
        Target t.
    lam : ndarray of shape (n_problems,)
        Penalty lambda of each problem, >= 0; where the problem is singular the solution of
        least norm is returned.
    penalty : ndarray of shape (n_columns,), optional
        Factor of lambda for each column (default ones).
    sample_weight : ndarray of shape (n_samples,), optional
        Weight of each sample, > 0 (default ones).

    Returns
    -------
    ndarray of shape (n_problems, n_columns)
        Weights.
    """
    lam = np.asarray(lam, dtype=float)
    penalty = np.ones(design.shape[1]) if penalty is None else penalty
    weight = np.ones(len(target)) if sample_weight is None else sample_weight
    if isinstance(design, np.ndarray) and design.shape[1] > _DIRECT_COLUMNS:
        right = (weight * target) @ design
        return np.stack([_alone(design, penalty, weight, x, target, right) for x in lam])
    shape = (len(lam), len(target))
    return least_squares_solver(design, penalty, len(lam)).solve(
        np.arange(len(lam)),
        np.broadcast_to(weight, shape),
        lam,
        np.broadcast_to(target, shape),
        np.zeros((len(lam), design.shape[1])),
    )


def least_squares_solver(
    design: Array | BlockedDesign, penalty: Array, n_problems: int
) -> "_WeightedRidge | _BlockedRidge":
    """What solves weighted ridge problems on a design, in the form that suits its shape."""
    if isinstance(design, BlockedDesign):
        return _BlockedRidge(design, penalty)
    return _WeightedRidge(design, penalty, n_problems)


class _BlockedRidge:
    """As :class:`_WeightedRidge`, from one pass over the blocks of a long design."""

    direct = True

    def __init__(self, design: BlockedDesign, penalty: Array) -> None:
        self.design = design
        self.penalty = penalty

    def solve(
        self,
        problems: Indices,
        weights: Array,
        lam: Array,
        target: Array,
        start: Array,
        *,
        exact: bool = True,
    ) -> Array:
        """As :meth:`_WeightedRidge.solve`; always exact, whatever the start."""
        n_columns = self.design.shape[1]
        grams = [np.zeros((n_columns, n_columns), order="F") for _ in problems]
        right = np.zeros((len(problems), n_columns))
        for part, block in self.design.blocks():
            right += (weights[:, part] * target[:, part]) @ block
            for gram, weight in zip(grams, weights[:, part], strict=True):
                rows = np.sqrt(weight)[:, None] * block
                dsyrk(1.0, rows.T, beta=1.0, c=gram, lower=1, overwrite_c=1)
        beta = np.empty_like(right)
        for b, gram in enumerate(grams):
            resolved = max(lam[b], _ROUNDING * np.trace(gram))
            gram[np.diag_indices(n_columns)] += resolved * self.penalty
            factor, info = dpotrf(gram, lower=1, clean=0)
            if info == 0:
                beta[b] = dpotrs(factor, right[b], lower=1)[0]
            else:
                full = np.tril(gram) + np.tril(gram, -1).T
                beta[b] = lstsq(full, right[b], cond=_ROUNDING, check_finite=False)[0]
        return beta


class _WeightedRidge:
    """Solves (H' W H + lambda D) beta = H' W t for many diagonal W at once, D = diag(penalty)."""

    def __init__(self, design: Array, penalty: Array, n_problems: int) -> None:
        self.design = design
        self.penalty = penalty
        self.direct = design.shape[1] <= _DIRECT_COLUMNS
        self.alone = self.direct and n_problems <= _FEW_PROBLEMS
        if self.alone:
            return
        if self.direct:
            self.products = _packed_products(design)
        else:
            self.single = design.astype(np.float32)
            self.squares = self.single**2
            self.factors: list[Any] = [None] * n_problems
            self.factored = np.zeros(n_problems, dtype=bool)
            self.steps = np.zeros(n_problems, dtype=int)
            # Problems that single precision could not correct are solved in double precision.
            self.hard = np.zeros(n_problems, dtype=bool)

    def solve(
        self,
        problems: Indices,
        weights: Array,
        lam: Array,
        target: Array,
        start: Array,
        *,
        exact: bool = True,
    ) -> Array:
        """Solve for `problems`; row b of the other arguments belongs to problem b of them.

        Parameters
        ----------
        problems : ndarray of int, shape (n_active,)
        weights, target : ndarray of shape (n_active, n_samples)
        lam : ndarray of shape (n_active,)
        start : ndarray of shape (n_active, n_columns)
            Approximate solutions, from the iteration before.
        exact : bool, default True
            False for steps on the way, which need not come nearer than `_REDUCTION` of their
            length.

        Returns
        -------
        ndarray of shape (n_active, n_columns)
        """
        right = (weights * target) @ self.design
        # t' W t bounds the solution's energy, beta' A beta = right' A^-1 right.
        energy = np.einsum("bi,bi,bi->b", weights, target, target)
        if self.alone:
            beta, failed = start.copy(), np.ones(len(start), dtype=bool)
        elif self.direct:
            beta, failed = self._solve_direct(weights, lam, right, energy)
        else:
            beta, failed = self._solve_iteratively(
                problems, weights, lam, right, energy, start, exact
            )
        for b in np.flatnonzero(failed):
            system = (weights[b], lam[b], target[b], right[b])
            beta[b] = _alone(self.design, self.penalty, *system)
        return beta

    def _solve_direct(
        self, weights: Array, lam: Array, right: Array, energy: Array
    ) -> tuple[Array, Flags]:
        """Cholesky of the augmented [[A, b], [b', d]]: its last column is the forward solution."""
        n_active, n = right.shape
        augmented = np.empty((n_active, n + 1, n + 1))
        _unpack(weights @ self.products, augmented)
        diagonal = np.arange(n)
        augmented[:, diagonal, diagonal] += lam[:, None] * self.penalty
        augmented[:, :n, n] = right
        augmented[:, n, n] = np.where(energy > 0, 2 * energy, 1.0)
        try:
            factor = np.linalg.cholesky(augmented, upper=True)
        except np.linalg.LinAlgError:
            return np.zeros_like(right), np.ones(n_active, dtype=bool)
        pivots = factor[:, diagonal, diagonal]
        regular = pivots**2 > _RANK_TOLERANCE * augmented[:, diagonal, diagonal]
        failed = np.logical_not(np.all(regular, axis=1))
        beta = factor[:, :n, n].copy()
        for j in range(n - 1, -1, -1):
            beta[:, j] -= np.einsum("bk,bk->b", factor[:, j, j + 1 : n], beta[:, j + 1 :])
            beta[:, j] /= pivots[:, j]
        return beta, failed

    def _solve_iteratively(
        self,
        problems: Indices,
        weights: Array,
        lam: Array,
        right: Array,
        energy: Array,
        start: Array,
        exact: bool,
    ) -> tuple[Array, Flags]:
        """Residuals in double precision, corrections to them in single precision."""
        beta = start.copy()
        ridge = lam[:, None] * self.penalty
        goal = _TOLERANCE**2 * energy
        single = weights.astype(np.float32)
        failed = self.hard[problems]
        fresh = self.steps[problems] > np.where(
            self.factored[problems], _STEPS_REUSED, _STEPS_UNFACTORED
        )
        fresh &= ~failed
        self._refactor(problems[fresh], single[fresh], lam[fresh])
        pending = np.flatnonzero(~failed)
        for passes in range(_PASSES):
            x, w = beta[pending], weights[pending]
            residual = right[pending] - ((x @ self.design.T) * w) @ self.design - ridge[pending] * x
            correction, steps = self._corrections(
                problems[pending],
                single[pending],
                ridge[pending],
                residual,
                goal[pending] if exact else np.zeros(len(pending)),
            )
            beta[pending] += correction
            if passes == 0:
                self.steps[problems[pending]] = steps
            missed = steps > _STEPS
            failed[pending] = missed & fresh[pending]
            again = pending[missed & ~fresh[pending]]
            self._refactor(problems[again], single[again], lam[again])
            fresh[again] = True
            pending = pending[(steps > 0 if exact else missed) & ~failed[pending]]
            if not len(pending):
                break
        failed[pending] = True
        self.hard[problems[failed]] = True
        return beta, failed

    def _corrections(
        self, problems: Indices, weights: SingleArray, ridge: Array, residual: Array, goal: Array
    ) -> tuple[Array, Indices]:
        """Preconditioned conjugate gradients in single precision, from zero.

        Returns the corrections (zero where they were missed) and the steps taken: 0 where the
        residual is within the goal, more than `_STEPS` where the correction was missed.
        """
        scale = np.abs(residual).max(axis=1, keepdims=True)
        scale[scale == 0] = 1.0
        corrections = np.zeros_like(residual)
        steps = np.full(len(residual), _STEPS + 1)
        live = np.arange(len(residual))
        r = (residual / scale).astype(np.float32)
        penalties = np.minimum(ridge, _LARGEST_SINGLE).astype(np.float32)
        x = np.zeros_like(r)
        diagonal = weights @ self.squares + penalties
        goal = goal / scale[:, 0] ** 2
        direction: Any = None
        rho: Any = None
        for step in range(_STEPS + 1):
            z = self._precondition(problems[live], r, diagonal)
            rho_new = np.einsum("bj,bj->b", r, z)
            if step == 0:
                small = rho_new <= goal
                goal = np.where(small, goal, _REDUCTION**2 * rho_new)
            # Not finite: the factor was useless; the correction is missed.
            done = ~(rho_new > goal)
            if done.any():
                reached = done & np.isfinite(rho_new)
                corrections[live[reached]] = x[reached]
                steps[live[reached]] = step
                keep = ~done
                live, r, z, x, rho_new = live[keep], r[keep], z[keep], x[keep], rho_new[keep]
                weights, penalties, diagonal, goal = (
                    a[keep] for a in (weights, penalties, diagonal, goal)
                )
                if direction is not None:
                    direction, rho = direction[keep], rho[keep]
            if not len(live):
                break
            direction = z if direction is None else z + (rho_new / rho)[:, None] * direction
            rho = rho_new
            image = ((direction @ self.single.T) * weights) @ self.single + penalties * direction
            length = (rho / np.einsum("bj,bj->b", direction, image))[:, None]
            x += length * direction
            r -= length * image
        return corrections * scale, steps

    def _precondition(
        self, problems: Indices, residual: SingleArray, diagonal: SingleArray
    ) -> SingleArray:
        solved = residual / diagonal
        for b in np.flatnonzero(self.factored[problems]):
            factor = self.factors[problems[b]]
            forward = strsv(factor, residual[b], lower=1)
            solved[b] = strsv(factor, forward, lower=1, trans=1, overwrite_x=1)
        return solved

    def _refactor(self, problems: Indices, weights: SingleArray, lam: Array) -> None:
        """Single-precision Cholesky factors of H' W H + lambda D, nudged to be definite."""
        diagonal = np.arange(self.design.shape[1])
        roots = np.sqrt(weights)
        for p, root, value in zip(problems, roots, lam, strict=True):
            gram = ssyrk(1.0, (root[:, None] * self.single).T, lower=1).T
            gram[diagonal, diagonal] *= 1 + _NUDGE
            gram[diagonal, diagonal] += np.minimum(value * self.penalty, _LARGEST_SINGLE)
            self.factors[p], info = spotrf(gram.T, lower=1, overwrite_a=1, clean=0)
            self.factored[p] = info == 0


def _factor(design: Array, penalty: Array, weights: Array, lam: float) -> Array | None:
    """Double-precision factor of H' W H + lambda D, None if it is singular."""
    gram = dsyrk(1.0, (np.sqrt(weights)[:, None] * design).T, lower=1)
    gram[np.diag_indices_from(gram)] += lam * penalty
    scale = np.diag(gram).copy()
    factor, info = dpotrf(gram, lower=1, overwrite_a=1, clean=0)
    regular = info == 0 and (np.diag(factor) ** 2 > _RANK_TOLERANCE * scale).all()
    return factor if regular else None


def _alone(
    design: Array, penalty: Array, weights: Array, lam: float, target: Array, right: Array
) -> Array:
    """One problem in double precision; its least-norm solution if it is singular."""
    factor = _factor(design, penalty, weights, lam)
    if factor is not None:
        return dpotrs(factor, right, lower=1)[0]
    roots = np.sqrt(weights)
    stacked = np.vstack([roots[:, None] * design, np.diag(np.sqrt(lam * penalty))])
    padded = np.concatenate([roots * target, np.zeros(len(right))])
    tolerance = np.finfo(float).eps * max(stacked.shape)
    return lstsq(stacked, padded, cond=tolerance, check_finite=False)[0]


def _packed_products(design: Array) -> Array:
    """Products h_ij h_ik, k >= j, of every row: shape (n_samples, n (n + 1) / 2)."""
    return np.concatenate(
        [design[:, j:] * design[:, j : j + 1] for j in range(design.shape[1])], axis=1
    )


def _unpack(packed: Array, out: Array) -> None:
    """Upper triangles from packed rows, into the leading blocks of `out`."""
    n = int(np.sqrt(2 * packed.shape[1]))
    start = 0
    for j in range(n):
        out[:, j, j:n] = packed[:, start : start + n - j]
        start += n - j
