"""Fixed-point iteration (12)-(13) for batches of problems that share one design matrix.

A batch is a set of problems with the same design H and target t that differ in the penalty
lambda' and the criterion's parameters. Prediction is H beta + c.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np

from mccvc.arrays import Array, ArrayLike, Flags, Indices
from mccvc.correntropy import SQRT_2PI
from mccvc.criteria.paper import MCC, MCCVC
from mccvc.solvers.row_blocks import BlockedDesign, outputs
from mccvc.solvers.weighted_ridge import least_squares_solver

# Kernel values below exp of this are zero to the paper's formula: nothing is left to fit.
_LOWEST_EXPONENT = -700.0


@dataclass(frozen=True)
class FixedPoint:
    """Result of :func:`fixed_point` for a batch of problems.

    Attributes
    ----------
    beta : ndarray of shape (n_problems, n_columns)
        Weights of the last iteration.
    sigma, center : ndarray of shape (n_problems,)
        Kernel width and center of the last iteration.
    n_iter : ndarray of int, shape (n_problems,)
        Iterations done.
    converged : ndarray of bool, shape (n_problems,)
        Whether the objective settled within `tol` before `max_iter`.
    vanished : ndarray of bool, shape (n_problems,)
        Whether all kernel values underflowed; the weights are the last ones before that.
    """

    beta: Array
    sigma: Array
    center: Array
    n_iter: Indices
    converged: Flags
    vanished: Flags

    @classmethod
    def blank(cls, n_problems: int, n_columns: int) -> Self:
        """Result to be filled in, everything zero."""
        return cls(
            beta=np.zeros((n_problems, n_columns)),
            sigma=np.zeros(n_problems),
            center=np.zeros(n_problems),
            n_iter=np.zeros(n_problems, dtype=int),
            converged=np.zeros(n_problems, dtype=bool),
            vanished=np.zeros(n_problems, dtype=bool),
        )


@np.errstate(over="ignore", invalid="ignore")
def fixed_point(
    design: Array | BlockedDesign,
    target: Array,
    criterion: MCC | MCCVC,
    lam: ArrayLike,
    *,
    penalty: Array | None = None,
    sample_weight: Array | None = None,
    start: Array | None = None,
    max_iter: int = 100,
    tol: float = 1e-6,
    trace: Callable[..., None] | None = None,
) -> FixedPoint:
    """Maximize correntropy by fixed-point iteration, Algorithm 1, for a batch of problems.

    Each iteration chooses (sigma, c) by the criterion, sets Lambda_ii = G_sigma(e_i - c) and
    solves (H' Lambda H + lambda' I) beta = H' Lambda (t - c), starting from beta = 0. It stops
    when J (11), at the sigma and c of that iteration, changes by less than `tol` times the
    kernel's peak 1 / (sqrt(2 pi) sigma). In J, lambda = lambda' / (2 N sigma^2): with it the
    step never raises J.

    Parameters
    ----------
    design : ndarray or BlockedDesign of shape (n_samples, n_columns)
        Design matrix H; one that may be singular goes through
        :func:`mccvc.solvers.batch.fit_batch`.
    target : ndarray of shape (n_samples,)
        Target t.
    criterion : MCC or MCCVC
        Gives the width and center from the errors.
    lam : ndarray of shape (n_problems,)
        Penalty lambda' of each problem, >= 0.
    penalty : ndarray of shape (n_columns,), optional
        Factor of lambda' for each column: 0 leaves a column, such as an intercept,
        unpenalized. Default: all ones.
    sample_weight : ndarray of shape (n_samples,), optional
        Weight of each sample, > 0: a weight of two counts as two equal samples.
    start : ndarray of shape (n_problems, n_columns), optional
        Initial weights; default zeros.
    max_iter : int, default 100
        Largest number of iterations K.
    tol : float, default 1e-6
        Termination tolerance xi, relative to the kernel's peak; 0 runs all iterations.
    trace : callable, optional
        Called after each iteration with ``(k, problems, beta, sigma, center, errors)``, arrays
        for the problems still running; errors are t - H beta.

    Returns
    -------
    FixedPoint
        Weights, width, center, iterations and convergence of each problem.
    """
    lam = np.asarray(lam, dtype=float)
    n_samples, n_columns = design.shape
    penalty = np.ones(n_columns) if penalty is None else penalty
    shares = np.ones(n_samples) if sample_weight is None else sample_weight
    total = shares.sum()
    least_squares = least_squares_solver(design, penalty, len(lam))
    result = FixedPoint.blank(len(lam), n_columns)
    if start is not None:
        result.beta[:] = start

    def normalized_objective(
        weights: Array, peak: Array, beta: Array, sigma: Array, problems: Indices
    ) -> Array:
        """J (11) times sqrt(2 pi) sigma, so that the kernel's peak is 1."""
        ridge = lam[problems] * ((beta * beta) @ penalty) / (2 * total * sigma**2)
        return SQRT_2PI * sigma * ridge - np.exp(peak) * (weights @ shares) / total

    problems = np.arange(len(lam))
    beta = result.beta.copy()
    errors = target - outputs(beta, design)
    sigma = center = weights = peak = before = np.empty(0)
    for k in range(1, max_iter + 1):
        if k == 1 or not criterion.fixed:
            sigma, center = criterion.kernel(errors, problems, sample_weight)
            weights, peak = _relative_weights(errors, sigma, center)
            before = normalized_objective(weights, peak, beta, sigma, problems)
        vanished = ~(peak > _LOWEST_EXPONENT)
        result.vanished[problems] = vanished
        scaled_lam = lam[problems] * SQRT_2PI * sigma * np.exp(np.minimum(-peak, 700.0))
        stepped = ~vanished
        system: tuple[Any, ...] = (
            problems,
            weights * shares,
            scaled_lam,
            target - center[:, None],
            beta,
        )
        beta[stepped] = least_squares.solve(*(a[stepped] for a in system), exact=False)
        errors = target - outputs(beta, design)
        weights, peak = _relative_weights(errors, sigma, center)
        after = normalized_objective(weights, peak, beta, sigma, problems)
        settled = stepped & (np.abs(after - before) < tol)
        last = stepped if k == max_iter else settled
        if last.any() and not least_squares.direct:
            beta[last] = least_squares.solve(*(a[last] for a in system))
        result.beta[problems] = beta
        result.sigma[problems] = sigma
        result.center[problems] = center
        result.n_iter[problems] = k
        result.converged[problems] = settled
        if trace is not None:
            trace(k, problems, beta, sigma, center, errors)
        before = after
        running = stepped & ~settled
        if not running.any():
            break
        if not running.all():
            state: tuple[Any, ...] = (problems, beta, errors, sigma, center, weights, peak, before)
            problems, beta, errors, sigma, center, weights, peak, before = (
                a[running] for a in state
            )
    return result


def _relative_weights(errors: Array, sigma: Array, center: Array) -> tuple[Array, Array]:
    """Kernel values over the largest one of each problem, and the logarithm of that one.

    Relative weights do not underflow together; with lambda' divided by the same largest value
    they give the beta of (12).
    """
    weights = (errors - center[:, None]) / sigma[:, None]
    weights *= weights
    weights *= -0.5
    peak = weights.max(axis=1)
    weights -= np.where(np.isfinite(peak), peak, 0.0)[:, None]
    return np.exp(weights, out=weights), peak


class Reweighting(Protocol):
    """What :func:`reweighted` asks of a criterion; see :mod:`mccvc.criteria.registry`."""

    @property
    def largest_weight(self) -> float:
        """Bound of the weights, infinity if there is none."""

    @property
    def preliminary(self) -> "Reweighting | None":
        """Criterion whose solution is the start, None for ridge regression."""

    def take(self, problems: Indices) -> "Reweighting":
        """The criterion of a part of the batch."""

    def weights(self, errors: Array) -> tuple[Array, Array]:
        """Weights >= 0, (n_problems, n_samples), and centers, which broadcast to that."""

    def bias(self, errors: Array) -> Array:
        """What predictions need beside the design: (n_problems,)."""


@np.errstate(over="ignore", under="ignore", invalid="ignore", divide="ignore")
def reweighted(
    design: Array | BlockedDesign,
    target: Array,
    criterion: Reweighting,
    lam: ArrayLike,
    *,
    penalty: Array | None = None,
    start: Array | None = None,
    max_iter: int = 100,
    tol: float = 1e-6,
    trace: Callable[..., None] | None = None,
) -> FixedPoint:
    """Solve beta = (H' W H + lambda' I)^-1 H' W (t - c) with W and c of the errors t - H beta.

    W and lambda' are divided by the largest element of W before solving. A problem stops when
    the root mean square change of H beta is below `tol` times the root mean square of t.

    Parameters
    ----------
    design : ndarray or BlockedDesign of shape (n_samples, n_columns)
        Design matrix H.
    target : ndarray of shape (n_samples,)
        Target t.
    criterion : Reweighting
        Gives W and c; its parameters have an element for each problem.
    lam : ndarray of shape (n_problems,)
        Penalty lambda' of each problem, >= 0.
    penalty : ndarray of shape (n_columns,), optional
        Factor of lambda' for each column (default ones).
    start : ndarray of shape (n_problems, n_columns), optional
        Initial weights; default those of the criterion's preliminary one, or of ridge regression.
    max_iter : int, default 100
        Largest number of iterations.
    tol : float, default 1e-6
        Termination tolerance.
    trace : callable, optional
        As in :func:`mccvc.solvers.irls.fixed_point`.

    Returns
    -------
    FixedPoint
        ``sigma`` is NaN; ``center`` is the criterion's bias; a problem whose weights are all
        zero has vanished.
    """
    lam = np.asarray(lam, dtype=float)
    n_samples, n_columns = design.shape
    penalty = np.ones(n_columns) if penalty is None else penalty
    least_squares = least_squares_solver(design, penalty, len(lam))
    result = FixedPoint.blank(len(lam), n_columns)
    result.sigma[:] = np.nan
    problems = np.arange(len(lam))
    if start is not None:
        result.beta[:] = start
    elif criterion.preliminary is not None:
        options: dict[str, Any] = {"penalty": penalty, "max_iter": max_iter, "tol": tol}
        result.beta[:] = reweighted(design, target, criterion.preliminary, lam, **options).beta
    else:
        ones = np.ones((len(lam), n_samples))
        result.beta[:] = least_squares.solve(problems, ones, lam, target * ones, result.beta)
    tolerance = tol * np.sqrt(np.mean(target**2))
    beta = result.beta.copy()
    errors = target - outputs(beta, design)
    for k in range(1, max_iter + 1):
        weights, centers = criterion.take(problems).weights(errors)
        largest = weights.max(axis=1)
        stepped = (largest > 0) & np.isfinite(largest)
        result.vanished[problems] = ~stepped
        shifted = np.broadcast_to(target - centers, weights.shape)
        system: tuple[Any, ...] = (
            problems,
            weights / largest[:, None],
            lam[problems] / largest,
            shifted,
            beta,
        )
        beta[stepped] = least_squares.solve(*(a[stepped] for a in system), exact=False)
        before, errors = errors, target - outputs(beta, design)
        change = np.sqrt(np.mean((errors - before) ** 2, axis=1))
        settled = stepped & (change <= tolerance)
        last = stepped if k == max_iter else settled
        if last.any() and not least_squares.direct:
            beta[last] = least_squares.solve(*(a[last] for a in system))
            errors[last] = target - outputs(beta[last], design)
        result.beta[problems] = beta
        result.center[problems] = criterion.take(problems).bias(errors)
        result.n_iter[problems] = k
        result.converged[problems] = settled
        if trace is not None:
            sigma, center = result.sigma[problems], result.center[problems]
            trace(k, problems, beta, sigma, center, errors)
        running = stepped & ~settled
        if not running.any():
            break
        problems, beta, errors = (a[running] for a in (problems, beta, errors))
    return result
