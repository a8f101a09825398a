"""Iteratively reweighted least squares for criteria that are not the paper's."""

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from mccvc.arrays import Array, ArrayLike, Indices
from mccvc.blocks import BlockedDesign, outputs
from mccvc.solver import FixedPoint, least_squares_solver


class Reweighting(Protocol):
    """What :func:`reweighted` asks of a criterion; see :mod:`mccvc.further_criteria`."""

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
        As in :func:`mccvc.solver.fixed_point`.

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
