"""Iteratively reweighted least squares (12)-(13), for any criterion and batches of problems.

A batch is a set of problems with the same design H and target t that differ in the penalty
lambda' and the criterion's parameters. Prediction is H beta + c.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from mccvc.arrays import Array, ArrayLike, Flags, Indices
from mccvc.criteria.base import Criterion, Iterate, Step
from mccvc.solvers.row_blocks import BlockedDesign, outputs
from mccvc.solvers.weighted_ridge import least_squares_solver


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
    n_samples, n_columns = design.shape
    penalty = np.ones(n_columns) if penalty is None else penalty
    shares = np.ones(n_samples) if sample_weight is None else sample_weight
    least_squares = least_squares_solver(design, penalty, len(lam))
    result = Solution.blank(len(lam), n_columns)
    problems = np.arange(len(lam))
    if criterion.closed_form or (start is None and not criterion.from_zero):
        if criterion.preliminary is None:
            every = np.tile(shares, (len(lam), 1)), lam, np.tile(target, (len(lam), 1))
            start = least_squares.solve(problems, *every, result.beta)
        else:
            options: dict[str, Any] = {"max_iter": max_iter, "tol": tol}
            options |= {"penalty": penalty, "sample_weight": sample_weight}
            start = irls(design, target, criterion.preliminary, lam, **options).beta
    if start is not None:
        result.beta[:] = start
    if criterion.closed_form:
        result.converged[:] = True
        return result

    def iterate(beta: Array, lam: Array) -> Iterate:
        ridge = lam * ((beta * beta) @ penalty)
        return Iterate(target - outputs(beta, design), ridge, lam, target, sample_weight)

    beta = result.beta.copy()
    at = iterate(beta, lam)
    step: Step | None = None
    for k in range(1, max_iter + 1):
        step = criterion.step(at) if step is None else step
        system: tuple[Any, ...] = (problems, step.weights * shares, step.lam, target - step.centers)
        solved = beta.copy()
        use = step.usable
        solved[use] = least_squares.solve(*(a[use] for a in (*system, solved)), exact=False)
        moved = _part_way(beta, solved, criterion.step_length)
        after = iterate(moved, at.lam)
        settled, following = criterion.advance(step, at, after, tol)
        settled &= use
        last = use if k == max_iter else settled
        if last.any() and not least_squares.direct:
            solved[last] = least_squares.solve(*(a[last] for a in (*system, solved)))
            moved[last] = _part_way(beta, solved, criterion.step_length)[last]
            after.errors[last] = target - outputs(moved[last], design)
        result.vanished[problems] = ~use
        result.beta[problems] = moved
        result.sigma[problems] = step.sigma
        result.center[problems] = criterion.center(step, after)
        result.n_iter[problems] = k
        result.converged[problems] = settled
        if trace is not None:
            trace(k, problems, moved, step.sigma, result.center[problems], after.errors)
        running = use & ~settled
        if not running.any():
            break
        problems, beta, criterion = problems[running], moved[running], criterion.take(running)
        at = after._replace(
            errors=after.errors[running], ridge=after.ridge[running], lam=after.lam[running]
        )
        step = None if following is None else following.take(running)
    return result


def _part_way(start: Array, end: Array, length: Array | float) -> Array:
    """A share of the way from each start to its end."""
    share = np.broadcast_to(length, len(start))[:, None]
    return np.where(share == 1, end, start + share * (end - start))
