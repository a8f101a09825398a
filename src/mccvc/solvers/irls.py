"""Iteratively reweighted least squares (12)-(13), for any criterion and batches of problems.

A batch is a set of problems with the same design H and target t that differ in the penalty
lambda' and the criterion's parameters. Prediction is H beta + c.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from mccvc.arrays import Array, ArrayLike, Flags, Indices
from mccvc.criteria.base import Criterion, Iterate, Step
from mccvc.solvers.conjugate_gradients import ConjugateGradients
from mccvc.solvers.normal_equations import NormalEquations
from mccvc.solvers.row_blocks import BlockedDesign, BlockedNormalEquations, outputs
from mccvc.solvers.weighted_ridge import DoublePrecision, RidgeProblems, RidgeSolver

# Up to this many columns the normal equations are formed and factored directly.
_DIRECT_COLUMNS = 64
# Steps below this share of the target end an iteration well enough when they are rough.
_SHORT_STEP = 1e-3
# For so few problems, forming the products of all rows does not pay.
_FEW_PROBLEMS = 4


@dataclass(frozen=True)
class Solution:
    """Result of :func:`irls` for a batch of problems.

    Attributes
    ----------
    beta : ndarray of shape (n_problems, n_columns)
        Weights of the last iteration.
    sigma, center : ndarray of shape (n_problems,)
        Kernel width (NaN for a criterion without one) and center of the last iteration.
    n_iter : ndarray of int, shape (n_problems,)
        Iterations done, 0 for a closed form.
    converged : ndarray of bool, shape (n_problems,)
        Whether the problem settled within `tol` before `max_iter`.
    vanished : ndarray of bool, shape (n_problems,)
        Whether no sample had any weight left; beta is the last one before that.
    """

    beta: Array
    sigma: Array
    center: Array
    n_iter: Indices
    converged: Flags
    vanished: Flags

    @classmethod
    def blank(cls, n_problems: int, n_columns: int) -> Self:
        """Result to be filled in: zeros, without a width."""
        return cls(
            beta=np.zeros((n_problems, n_columns)),
            sigma=np.full(n_problems, np.nan),
            center=np.zeros(n_problems),
            n_iter=np.zeros(n_problems, dtype=int),
            converged=np.zeros(n_problems, dtype=bool),
            vanished=np.zeros(n_problems, dtype=bool),
        )


@np.errstate(over="ignore", under="ignore", invalid="ignore", divide="ignore")
def irls(
    design: Array | BlockedDesign,
    target: Array,
    criterion: Criterion,
    lam: ArrayLike,
    *,
    penalty: Array | None = None,
    sample_weight: Array | None = None,
    start: Array | None = None,
    max_iter: int = 100,
    tol: float = 1e-6,
    trace: Callable[..., None] | None = None,
) -> Solution:
    """Solve beta = (H' W H + lambda' D)^-1 H' W (t - c) with W and c of the errors t - H beta.

    For MCC and MCC-VC this is Algorithm 1. Each iteration takes W and c from the criterion, at
    the errors of the one before, and solves for beta; W and lambda' are divided by the largest
    element of W.

    Parameters
    ----------
    design : ndarray or BlockedDesign of shape (n_samples, n_columns)
        Design matrix H; one that may be singular goes through
        :func:`mccvc.solvers.batch.fit_batch`.
    target : ndarray of shape (n_samples,)
        Target t.
    criterion : Criterion
        Its parameters have an element for each problem.
    lam : ndarray of shape (n_problems,)
        Penalty lambda' of each problem, >= 0.
    penalty : ndarray of shape (n_columns,), optional
        Diagonal of D, a factor of lambda' for each column: 0 leaves a column, such as an
        intercept, unpenalized. Default: all ones.
    sample_weight : ndarray of shape (n_samples,), optional
        Weight of each sample, > 0: a weight of two counts as two equal samples.
    start : ndarray of shape (n_problems, n_columns), optional
        Initial weights. Default: zeros for MCC and MCC-VC, for others those of the criterion's
        preliminary one or of ridge regression, which is also the solution for MMSE.
    max_iter : int, default 100
        Largest number of iterations K.
    tol : float, default 1e-6
        Termination tolerance xi, relative to the kernel's peak (MCC, MCC-VC) or to the target
        (other criteria); 0 runs all iterations that change anything.
    trace : callable, optional
        Called after each iteration with ``(k, problems, beta, sigma, center, errors)``, arrays
        for the problems still running; errors are t - H beta.

    Returns
    -------
    Solution
        Weights, width, center, iterations and convergence of each problem.
    """
    lam = np.asarray(lam, dtype=float)
    penalty = np.ones(design.shape[1]) if penalty is None else penalty
    solver = _solver_for(design, penalty, len(lam))
    result = Solution.blank(len(lam), design.shape[1])

    def iterate(beta: Array, lam: Array) -> Iterate:
        ridge = lam * ((beta * beta) @ penalty)
        return Iterate(target - outputs(beta, design), ridge, lam, target, sample_weight)

    if criterion.preliminary is not None and start is None:
        options: dict[str, Any] = {"max_iter": max_iter, "tol": tol}
        options |= {"penalty": penalty, "sample_weight": sample_weight}
        start = irls(design, target, criterion.preliminary, lam, **options).beta
    elif criterion.closed_form or (start is None and not criterion.from_zero):
        shares = np.ones(len(target)) if sample_weight is None else sample_weight
        every, none = np.tile(shares, (len(lam), 1)), np.zeros((len(lam), 1))
        errors = np.tile(target, (len(lam), 1))
        problems = np.arange(len(lam))
        ridge = RidgeProblems(problems, every, lam, none, result.beta, errors, target)
        start = solver.solve(ridge, exact=True)
    if start is not None:
        result.beta[:] = start
    if criterion.closed_form:
        result.converged[:] = True
        return result

    problems, beta = np.arange(len(lam)), result.beta.copy()
    at = iterate(beta, lam)
    step: Step | None = None
    for k in range(1, max_iter + 1):
        step = criterion.step(at) if step is None else step
        usable, weights = step.usable, step.weights
        weights = weights if sample_weight is None else weights * sample_weight
        ridge = RidgeProblems(problems, weights, step.lam, step.centers, beta, at.errors, target)
        solved = _solutions(solver, ridge, usable, exact=False)
        moved = _part_way(beta, solved, criterion.step_length)
        after = iterate(moved, at.lam)
        settled, following = criterion.advance(step, at, after, tol)
        running = usable & ~settled & (k < max_iter)
        rough = usable & ~running & (not solver.always_exact)
        if np.count_nonzero(rough):
            rough[rough] = _is_long(ridge.take(rough), after.errors[rough])
        if np.count_nonzero(rough):
            errors = target - outputs(solved, design)
            nearer = replace(ridge, start=solved, errors=errors)
            solved = _solutions(solver, nearer, rough, exact=True)
            moved = _part_way(beta, solved, criterion.step_length)
            after.errors[rough] = target - outputs(moved[rough], design)
        if trace is not None:
            center = criterion.center(step, after)
            trace(k, problems, moved, step.sigma, center, after.errors)
        if np.count_nonzero(running) == len(running):
            beta, at, step = moved, after, following
            continue
        done, places = ~running, problems[~running]
        result.beta[places] = moved[done]
        result.sigma[places] = step.sigma[done]
        result.center[places] = criterion.center(step, after)[done]
        result.n_iter[places] = k
        result.converged[places] = settled[done] & usable[done]
        result.vanished[places] = ~usable[done]
        if not np.count_nonzero(running):
            break
        problems, beta, criterion = problems[running], moved[running], criterion.take(running)
        at = after.take(running)
        step = None if following is None else following.take(running)
    return result


def _solver_for(design: Array | BlockedDesign, penalty: Array, n_problems: int) -> RidgeSolver:
    """What solves weighted ridge problems in the form that suits a design."""
    if isinstance(design, BlockedDesign):
        return BlockedNormalEquations(design, penalty)
    if len(penalty) > _DIRECT_COLUMNS:
        return ConjugateGradients(design, penalty, n_problems)
    if n_problems > _FEW_PROBLEMS:
        return NormalEquations(design, penalty)
    return DoublePrecision(design, penalty)


def _solutions(solver: RidgeSolver, problems: RidgeProblems, where: Flags, *, exact: bool) -> Array:
    """Solutions of some of the problems, the start of all others."""
    n_problems = np.count_nonzero(where)
    if n_problems == len(where):
        return solver.solve(problems, exact=exact)
    solutions = problems.start.copy()
    if n_problems:
        solutions[where] = solver.solve(problems.take(where), exact=exact)
    return solutions


def _is_long(ridge: RidgeProblems, errors: Array) -> Flags:
    """Whether rough solutions, which leave a share of the step, may be too rough for the end."""
    length = np.vecdot(ridge.weights, (errors - ridge.errors) ** 2)
    return length > _SHORT_STEP**2 * np.vecdot(ridge.weights, ridge.targets**2)


def _part_way(start: Array, end: Array, length: Array | float) -> Array:
    """A share of the way from each start to its end."""
    if np.all(length == 1):
        return end
    share = np.broadcast_to(length, len(start))[:, None]
    return np.where(share == 1, end, start + share * (end - start))
