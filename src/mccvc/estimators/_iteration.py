"""One robust fit in scaled units: where it begins, how it goes on, whether it has settled."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from mccvc.arrays import Array, Indices
from mccvc.correntropy import correntropy
from mccvc.criteria.paper import MCC, MCCVC, MMSE
from mccvc.estimators._scaled_problem import ScaledProblem
from mccvc.estimators._starts import Starts, robust_starts
from mccvc.scale import mode
from mccvc.solvers.batch import BatchFit, fit_batch

# Predictions that move by at most this share of the width no longer move.
_STILL = 1e-3
# Starts are sought on at most so many rows, or so many for each column.
_FEW_ROWS = 500
_ROWS_PER_COLUMN = 10
# With fewer rows than this for each column, starts are sought in a basis of the rows.
_LONG = 2


@dataclass(frozen=True)
class Progress:
    """A fit of one target in scaled units, with the way that led to it.

    Attributes
    ----------
    fit : BatchFit
        The fit.
    objective : ndarray of shape (n_iter,)
        J (11) after each iteration.
    settled : bool
        Whether the objective or the predictions have settled.
    """

    fit: BatchFit
    objective: Array
    settled: bool

    @property
    def start(self) -> Array:
        """Weights and level from which another fit may go on: (1, n_columns + 1)."""
        return self.fit.start


def iterate(
    problem: ScaledProblem, criterion: MCC | MCCVC, start: Array, *, max_iter: int, tol: float
) -> Progress:
    """Fit a criterion from a start.

    Parameters
    ----------
    problem : ScaledProblem
        The problem.
    criterion : MCC or MCCVC
        Criterion in scaled units.
    start : ndarray of shape (1, n_columns + 1)
        Initial weights and level.
    max_iter, tol
        As in :func:`mccvc.solvers.batch.fit_batch`.

    Returns
    -------
    Progress
    """
    weight, path, moved = problem.weight, [], [problem.target]

    def record(
        k: int,
        problems: Indices,
        beta: Array,
        intercept: Array,
        sigma: Array,
        center: Array,
        errors: Array,
    ) -> None:
        moved[:] = [*moved[-1:], errors[0] - center[0]]
        ridge = problem.lam / (2 * weight.sum() * sigma[0] ** 2) * beta[0] @ beta[0]
        path.append(ridge - correntropy(errors[0], sigma[0], center[0], weight))

    fit = fit_batch(
        problem.design,
        problem.target,
        criterion,
        [problem.lam],
        intercept=problem.intercept,
        sample_weight=weight,
        start=start,
        max_iter=max_iter,
        tol=tol,
        trace=record,
    )
    # A variable center and beta can drift together without any effect on predictions.
    still = np.abs(moved[-1] - moved[0]).max() <= _STILL * fit.sigma[0]
    settled = bool(fit.converged[0] or tol == 0 or still)
    return Progress(fit, np.array(path) / problem.target_unit, settled)


def starting_points(problem: ScaledProblem, init: str) -> Starts:
    """Where to begin.

    Parameters
    ----------
    problem : ScaledProblem
        The problem.
    init : {"robust", "zeros", "least-squares"}
        "robust" compares many starts on the distinct rows; the others are one each. Data that
        any fit interpolates have least squares as their robust start.

    Returns
    -------
    Starts
    """
    if init == "robust":
        few = problem.distinct.thinned(max(_FEW_ROWS, _ROWS_PER_COLUMN * problem.design.shape[1]))
        starts = _robust(problem.rows(few.rows, few.weight), few.total)
        if starts is not None:
            return starts
    start = np.zeros((1, problem.design.shape[1] + 1))
    if init != "zeros":
        options: dict[str, Any] = {"sample_weight": problem.weight, "intercept": problem.movable}
        fit = fit_batch(problem.design, problem.target, MMSE(), [problem.lam], **options)
        start = np.column_stack([fit.beta, fit.intercept])
    errors = problem.errors(start)[0]
    scale, center = mode(errors, problem.weight, problem.floor, centered=not problem.movable)
    if init != "zeros":
        start[0, -1] += center
    return Starts(start, scale)


def _robust(problem: ScaledProblem, total: float) -> Starts | None:
    """Robust starts on distinct rows; None where all fit exactly without a penalty."""
    design, (n_rows, n_columns) = problem.design, problem.design.shape
    options: dict[str, Any] = {
        "total": total,
        "lam": problem.lam,
        "intercept": problem.movable,
        "floor": problem.floor,
    }
    if n_rows > _LONG * n_columns:
        return robust_starts(design, problem.target, problem.weight, **options)
    middle = design.mean(axis=0) * problem.movable
    _, singular, right = np.linalg.svd(design - middle, full_matrices=False)
    rank = max(
        1, int((singular > np.finfo(float).eps * max(design.shape) * singular.max(initial=0)).sum())
    )
    if problem.lam == 0 and rank + problem.movable >= n_rows:
        return None
    columns = (design - middle) @ right[:rank].T
    starts = robust_starts(columns, problem.target, problem.weight, **options)
    beta = starts.beta[:, :rank] @ right[:rank]
    levels = starts.beta[:, -1] - beta @ middle
    return Starts(np.column_stack([beta, levels]), starts.scale)
