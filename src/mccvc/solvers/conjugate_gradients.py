"""Weighted ridge problems on wide designs: single precision, corrected in double precision."""

from typing import Any

import numpy as np
from scipy.linalg.blas import ssyrk, strsv
from scipy.linalg.lapack import spotrf

from mccvc.arrays import Array, Flags, Indices, SingleArray
from mccvc.solvers.weighted_ridge import DoublePrecision, RidgeProblems

_TOLERANCE = 1e-9
_PASSES = 6
_STEPS = 20
# Relative to the diagonal: keeps a single-precision factor of a nearly singular matrix definite.
_NUDGE = np.float32(1e-6)
# Steps above which a factor is made anew: there is none yet, or one of an earlier iteration.
_STEPS_UNFACTORED = 16
_STEPS_REUSED = 8
# Rows with smaller weights, the largest one being 1, are below the rounding of a factor.
_NEGLIGIBLE = np.float32(1e-8)
# Smaller weights would make denormal numbers, with which products take many times as long.
_VANISHING = np.float32(1e-20)
_LARGEST_SINGLE = float(np.finfo(np.float32).max) / 2


class ConjugateGradients:
    """Preconditioned conjugate gradients for a batch, with factors that later iterations reuse.

    The diagonal serves as preconditioner, and a single-precision Cholesky factor where that takes
    too many steps. Residuals are in double precision, corrections to them in single precision.

    Parameters
    ----------
    design : ndarray of shape (n_samples, n_columns)
        Design matrix H.
    penalty : ndarray of shape (n_columns,)
        Diagonal of D.
    n_problems : int
        Size of the batch.
    step_tol : float
        Share of the distance to the solution that one pass of corrections leaves.
    """

    always_exact = False

    def __init__(self, design: Array, penalty: Array, n_problems: int, step_tol: float) -> None:
        self.design = design
        self.step_tol = step_tol
        self.penalty = penalty
        self.single = design.astype(np.float32)
        # Products with few rows are several times as fast where no factor is transposed.
        self.transposed = np.ascontiguousarray(self.single.T)
        self.squares = self.single**2
        self.double = DoublePrecision(design, penalty)
        self.factors: list[Any] = [None] * n_problems
        self.factored = np.zeros(n_problems, dtype=bool)
        self.steps = np.zeros(n_problems, dtype=int)
        # Problems that single precision could not correct are solved in double precision.
        self.hard = np.zeros(n_problems, dtype=bool)

    def solve(self, problems: RidgeProblems, *, exact: bool) -> Array:
        """Solutions; rough ones come as near as `step_tol` of the step's length."""
        beta = np.empty_like(problems.start)
        hard = self.hard[problems.places]
        easy = np.flatnonzero(~hard)
        if len(easy):
            part = problems.take(easy) if len(easy) < len(hard) else problems
            beta[easy], failed = self._correct(part, exact)
            hard[easy] = failed
            self.hard[problems.places] = hard
        if np.count_nonzero(hard):
            beta[hard] = self.double.solve(problems.take(hard))
        return beta

    def _correct(self, problems: RidgeProblems, exact: bool) -> tuple[Array, Flags]:
        """Solutions, and where single precision is of no use."""
        places, weights = problems.places, problems.weights
        beta, deviations = problems.start.copy(), problems.errors - problems.centers
        ridge = problems.lam[:, None] * self.penalty
        single = weights.astype(np.float32)
        single[single < _VANISHING] = 0
        failed = np.zeros(len(places), dtype=bool)
        many = np.where(self.factored[places], _STEPS_REUSED, _STEPS_UNFACTORED)
        fresh = self.steps[places] > many
        self._refactor(places[fresh], single[fresh], ridge[fresh])
        goal = np.zeros(len(places))
        if exact:
            # t' W t bounds the solution's energy, beta' A beta = right' A^-1 right.
            targets = problems.targets
            goal = _TOLERANCE**2 * np.vecdot(weights * targets, targets)
        pending = np.arange(len(places))
        for passes in range(_PASSES):
            w = weights[pending] if passes else weights
            if passes:
                outputs = beta[pending] @ self.design.T
                deviations = problems.target - problems.centers[pending] - outputs
            residual = (deviations * w) @ self.design - ridge[pending] * beta[pending]
            correction, steps = self._corrections(
                places[pending], single[pending], ridge[pending], residual, goal[pending]
            )
            beta[pending] += correction
            if passes == 0:
                self.steps[places] = steps
            missed = steps > _STEPS
            if not (exact or np.count_nonzero(missed)):
                break
            failed[pending] = missed & fresh[pending]
            again = pending[missed & ~fresh[pending]]
            self._refactor(places[again], single[again], ridge[again])
            fresh[again] = True
            pending = pending[(steps > 0 if exact else missed) & ~failed[pending]]
            if not len(pending):
                break
        else:
            failed[pending] = True
        return beta, failed

    def _corrections(
        self, places: Indices, weights: SingleArray, ridge: Array, residual: Array, goal: Array
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
        diagonal = None
        if not self.factored[places].all():
            diagonal = weights @ self.squares + penalties
        goal = goal / scale[:, 0] ** 2
        direction: Any = None
        rho: Any = None
        for step in range(_STEPS + 1):
            z = self._precondition(places, r, diagonal)
            rho_new = np.vecdot(r, z)
            if step == 0:
                small = rho_new <= goal
                goal = np.where(small, goal, self.step_tol**2 * rho_new)
            # Not finite: the factor was useless; the correction is missed.
            running = rho_new > goal
            n_running = np.count_nonzero(running)
            if n_running < len(running):
                reached = ~running & np.isfinite(rho_new)
                corrections[live[reached]] = x[reached]
                steps[live[reached]] = step
                if not n_running:
                    break
                kept = np.flatnonzero(running)
                state: tuple[Any, ...] = live, places, r, z, x, rho_new, weights, penalties, goal
                live, places, r, z, x, rho_new, weights, penalties, goal = (a[kept] for a in state)
                diagonal = None if diagonal is None else diagonal[kept]
                if step:
                    direction, rho = direction[kept], rho[kept]
            if step:
                direction *= (rho_new / rho)[:, None]
                direction += z
            else:
                direction = z
            rho = rho_new
            image = direction @ self.transposed
            image *= weights
            image = image @ self.single
            image += penalties * direction
            length = (rho / np.vecdot(direction, image))[:, None]
            x += length * direction
            r -= length * image
        corrections *= scale
        return corrections, steps

    def _precondition(
        self, places: Indices, residual: SingleArray, diagonal: SingleArray | None
    ) -> SingleArray:
        solved = np.empty_like(residual) if diagonal is None else residual / diagonal
        for b, place in enumerate(places.tolist()):
            factor = self.factors[place]
            if factor is not None:
                forward = strsv(factor, residual[b], lower=1)
                solved[b] = strsv(factor, forward, lower=1, trans=1, overwrite_x=1)
        return solved

    def _refactor(self, places: Indices, weights: SingleArray, ridge: Array) -> None:
        """Single-precision Cholesky factors of H' W H + lambda D, nudged to be definite."""
        # At beta = 0 all errors are the target: weights differ as the kernels do.
        grams: dict[bytes, SingleArray] = {}
        for place, weight, penalty in zip(places.tolist(), weights, ridge, strict=True):
            key = weight.tobytes()
            if key not in grams:
                grams[key] = self._gram(weight)
            self._factor(place, grams[key].copy(order="F"), penalty)

    def _gram(self, weight: SingleArray) -> SingleArray:
        kept = np.flatnonzero(weight > _NEGLIGIBLE)
        if len(kept) == len(weight):
            return ssyrk(1.0, (np.sqrt(weight)[:, None] * self.single).T, lower=1)
        return ssyrk(1.0, (np.sqrt(weight[kept])[:, None] * self.single[kept]).T, lower=1)

    def _factor(self, place: int, gram: SingleArray, penalty: Array) -> None:
        diagonal = np.einsum("ii->i", gram)
        diagonal *= 1 + _NUDGE
        diagonal += np.minimum(penalty, _LARGEST_SINGLE)
        factor, info = spotrf(gram, lower=1, overwrite_a=1, clean=0)
        self.factors[place] = None if info else factor
        self.factored[place] = info == 0
