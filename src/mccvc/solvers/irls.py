"""Iteratively reweighted least squares (12)-(13), for any criterion and batches of problems.

A batch is a set of problems with the same design H and target t that differ in the penalty
lambda' and the criterion's parameters. Prediction is H beta + c.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

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
_STEP_TOLERANCE = 1e-6
# For so few problems, forming the products of all rows does not pay.
_FEW_PROBLEMS = 4
_QUIET = np.errstate(over="ignore", under="ignore", invalid="ignore", divide="ignore")


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

    @property
    def start(self) -> Array:
        """Weights and, last, the level from which another fit may go on."""
        return np.column_stack([self.beta, self.center])

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
    step_tol: float = _STEP_TOLERANCE,
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
    step_tol : float, default 1e-6
        Share of its length by which a step on the way may be off; the last one is solved to
        rounding unless it is short.
    trace : callable, optional
        Called after each iteration with ``(k, problems, beta, sigma, center, errors)``, arrays
        for the problems still running; errors are t - H beta.

    Returns
    -------
    Solution
        Weights, width, center, iterations and convergence of each problem.
    """
    run = Iteration(
        design,
        target,
        criterion,
        np.asarray(lam, dtype=float),
        penalty=np.ones(design.shape[1]) if penalty is None else penalty,
        sample_weight=sample_weight,
        start=start,
        max_iter=max_iter,
        tol=tol,
        step_tol=step_tol,
    )
    while len(run.problems):
        moved = run.advance()
        if trace is not None:
            trace(run.k, *moved)
    return run.result


class Moved(NamedTuple):
    """What an iteration has made of the problems that were running: an element for each."""

    problems: Indices
    beta: Array
    sigma: Array
    center: Array
    errors: Array


class Iteration:
    """The iteration of :func:`irls`, one step at a time.

    Parameters
    ----------
    design, target, criterion, lam, penalty, sample_weight, start, max_iter, tol, step_tol
        As for :func:`irls`.

    Attributes
    ----------
    problems : ndarray of int
        Places of the problems that are still running.
    k : int
        Iterations done.
    result : Solution
        Filled in for the problems that have ended.
    """

    @_QUIET
    def __init__(
        self,
        design: Array | BlockedDesign,
        target: Array,
        criterion: Criterion,
        lam: Array,
        *,
        penalty: Array,
        sample_weight: Array | None = None,
        start: Array | None = None,
        max_iter: int,
        tol: float,
        step_tol: float = _STEP_TOLERANCE,
    ) -> None:
        self.result = Solution.blank(len(lam), design.shape[1])
        # Of the columns beside the ones that a second stage adds.
        self.means: Array | None = None
        if criterion.first_stage is not None:
            first = _first_stage(
                design,
                target,
                criterion.first_stage,
                lam,
                penalty=penalty,
                sample_weight=sample_weight,
                start=start,
                max_iter=max_iter,
                tol=tol,
                step_tol=step_tol,
            )
            design, self.means = _leveled(design, sample_weight)
            penalty, start = np.append(penalty, 0.0), first.start
            start[:, -1] += start[:, :-1] @ self.means
            criterion = criterion.second_stage(first.sigma)
            lam = lam * criterion.largest_weight
            self.result.n_iter[:], self.result.vanished[:] = first.n_iter, first.vanished
        self.design, self.target, self.criterion = design, target, criterion
        self.penalty, self.sample_weight = penalty, sample_weight
        self.max_iter, self.tol, self.step_tol, self.k = max_iter, tol, step_tol, 0
        self.solver = _solver_for(design, penalty, len(lam), step_tol)
        self.problems = np.arange(len(lam))
        begins = start is not None and not criterion.closed_form
        self.beta = (
            np.array(start, dtype=float) if begins else np.zeros((len(lam), design.shape[1]))
        )
        self.at = self._iterate(self.beta, lam)
        if not (begins or criterion.from_zero):
            self.beta = self._start()
            self.at = self._iterate(self.beta, lam)
        if criterion.closed_form:
            self.result.beta[:] = self.beta
            self.result.converged[:] = True
            self.problems = self.problems[:0]
        self.step: Step | None = None

    def _start(self) -> Array:
        """Weights of the criterion's preliminary one, or of ridge regression."""
        lam, weight = self.at.lam, self.sample_weight
        if self.criterion.preliminary is None:
            return _solve_plainly(self.solver, self.at, self.beta)
        return irls(
            self.design,
            self.target,
            self.criterion.preliminary,
            lam,
            penalty=self.penalty,
            sample_weight=weight,
            max_iter=self.max_iter,
            tol=self.tol,
            step_tol=self.step_tol,
        ).beta

    def _iterate(self, beta: Array, lam: Array) -> Iterate:
        ridge = lam * ((beta * beta) @ self.penalty)
        errors = self.target - outputs(beta, self.design)
        return Iterate(errors, ridge, lam, self.target, self.sample_weight)

    @_QUIET
    def advance(self) -> Moved:
        """Take a step with all problems that are running."""
        self.k += 1
        step = self.criterion.step(self.at) if self.step is None else self.step
        ridge = self._ridge_problems(step)
        usable = step.usable
        solved = _solutions(self.solver, ridge, usable, exact=False)
        beta = _part_way(self.beta, solved, self.criterion.step_length)
        at = self._iterate(beta, self.at.lam)
        settled, following = self.criterion.advance(step, self.at, at, self.tol)
        running = usable & ~settled & (self.k < self.max_iter)
        rough = usable & ~running & (not self.solver.always_exact)
        if np.count_nonzero(rough):
            rough[rough] = _is_long(ridge.take(rough), at.errors[rough])
        if np.count_nonzero(rough):
            errors = self.target - outputs(solved, self.design)
            nearer = replace(ridge, start=solved, errors=errors)
            solved = _solutions(self.solver, nearer, rough, exact=True)
            beta = _part_way(self.beta, solved, self.criterion.step_length)
            at.errors[rough] = self.target - outputs(beta[rough], self.design)
        center = self.criterion.center(step, at)
        moved = Moved(self.problems, beta, step.sigma, center, at.errors)
        if self.means is not None:
            level = beta[:, -1] - beta[:, :-1] @ self.means
            moved = moved._replace(beta=beta[:, :-1], center=center + level)
        self.beta, self.at, self.step = beta, at, following
        if np.count_nonzero(running) < len(running):
            self._end(moved, ~running, settled & usable, ~usable)
            self.keep(running)
        return moved

    def keep(self, problems: Flags) -> None:
        """Go on with some of the running problems only."""
        self.problems, self.beta = self.problems[problems], self.beta[problems]
        self.criterion, self.at = self.criterion.take(problems), self.at.take(problems)
        self.step = None if self.step is None else self.step.take(problems)

    def _ridge_problems(self, step: Step) -> RidgeProblems:
        weight = self.sample_weight
        return RidgeProblems(
            places=self.problems,
            weights=step.weights if weight is None else step.weights * weight,
            lam=step.lam,
            centers=step.centers,
            start=self.beta,
            errors=self.at.errors,
            target=self.target,
        )

    def _end(self, moved: Moved, ended: Flags, settled: Flags, vanished: Flags) -> None:
        places = moved.problems[ended]
        self.result.beta[places] = moved.beta[ended]
        self.result.sigma[places] = moved.sigma[ended]
        self.result.center[places] = moved.center[ended]
        self.result.n_iter[places] += self.k
        self.result.converged[places] = settled[ended]
        self.result.vanished[places] |= vanished[ended]


def _first_stage(
    design: Array | BlockedDesign,
    target: Array,
    criterion: Criterion,
    lam: Array,
    *,
    penalty: Array,
    start: Array | None,
    **iteration: Any,
) -> Solution:
    """First stage of a batch, in which problems of equal penalty and start are one."""
    if (penalty == 0).any():
        raise ValueError("A criterion of two stages has an intercept of its own: leave it out.")
    keys = lam[:, None] if start is None else np.column_stack([lam, start])
    _, some, of = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    first = irls(
        design,
        target,
        criterion.take(some),
        lam[some] * criterion.largest_weight,
        penalty=penalty,
        start=None if start is None else start[some],
        **iteration,
    )
    # NumPy 2.0.0 gives the places another shape.
    places = of.reshape(-1)
    return Solution(**{name: values[places] for name, values in vars(first).items()})


def _leveled(
    design: Array | BlockedDesign, sample_weight: Array | None
) -> tuple[Array | BlockedDesign, Array]:
    """A design with a column of ones beside it, and what its own columns are less."""
    n_columns = design.shape[1]
    if isinstance(design, BlockedDesign):
        ones = design.map(lambda b: np.hstack([b, np.ones((len(b), 1))]), n_columns + 1)
        return ones, np.zeros(n_columns)
    means = np.average(design, axis=0, weights=sample_weight)
    return np.column_stack([design - means, np.ones(len(design))]), means


def _solve_plainly(solver: RidgeSolver, at: Iterate, zero: Array) -> Array:
    """Ridge regression, from zero weights."""
    n_problems, n_samples = at.errors.shape
    shares = np.ones(n_samples) if at.sample_weight is None else at.sample_weight
    every, none = np.tile(shares, (n_problems, 1)), np.zeros((n_problems, 1))
    places = np.arange(n_problems)
    plain = RidgeProblems(places, every, at.lam, none, zero, at.errors, at.target)
    return solver.solve(plain, exact=True)


def _solver_for(
    design: Array | BlockedDesign, penalty: Array, n_problems: int, step_tol: float
) -> RidgeSolver:
    """What solves weighted ridge problems in the form that suits a design."""
    if isinstance(design, BlockedDesign):
        return BlockedNormalEquations(design, penalty)
    if len(penalty) > _DIRECT_COLUMNS:
        return ConjugateGradients(design, penalty, n_problems, step_tol)
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
