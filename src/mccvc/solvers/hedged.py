"""A robust fit on a hidden layer that needs no choice: two stages, averaged, hedged by ridge."""

from collections.abc import Sequence

import numpy as np

from mccvc.arrays import Array, ArrayLike, Flags, Indices
from mccvc.criteria.efficient import EfficientMCCVC
from mccvc.solvers.candidates import Grid
from mccvc.solvers.judging import Judged, Parts, judged

# Width of the kernel that finds the mode, in ranges of the target.
_SIGMA = 0.1
# Widths of the efficient step over it; the one with 95 % of the efficiency of least squares tells
# which errors are ordinary.
_KAPPAS = (1.0, 2.11, 3.0)
_TELLING = 2.11
WHOLE = Parts(score="truncated", combine="mean", clip=True, scale="matched", hedge=True)


def telling(kappa: ArrayLike) -> Flags:
    """Points whose efficient step is the one nearest to 95 % efficiency."""
    away = np.abs(np.asarray(kappa) - _TELLING)
    return away == away.min()


def hedged(
    design: Array,
    target: Array,
    folds: Sequence[Indices],
    sizes: Sequence[int],
    lam: ArrayLike,
    *,
    parts: Parts = WHOLE,
    max_iter: int = 20,
    tol: float = 1e-5,
) -> Judged:
    """Fit by MCC-VC in two stages, with everything chosen by errors out of fold.

    1. For each number of columns, lambda' and fold the mode of the errors, of width 0.1.
    2. From there the efficient step of 1, 2.11 and 3 times that width, with a free intercept.
    3. From the errors out of fold of 2.11, at the point with the smallest mean min(e^2, 0.3^2),
       the width s and center c of the ordinary errors:
       :func:`mccvc.solvers.judging.matched_noise`.
    4. Predictions, those out of fold too, are cut off at the range of the targets of rows with
       |e - c| <= max(0.3, 5 s).
    5. A: the mean of all candidates whose mean min(e^2, (3 s)^2) is within two paired standard
       errors of the best one's.
    6. B: the mean of the candidates of ridge regression with intercept within one paired standard
       error of the smallest mean e^2, cut off at the range of all targets.
    7. The prediction is A if its truncated score is smaller than B's by three paired standard
       errors, else (A + B) / 2.

    Parameters
    ----------
    design : ndarray of shape (n_rows, n_columns)
        Outputs of the hidden layer.
    target : ndarray of shape (n_rows,)
        Target, whose range without outliers is 1.
    folds : sequence of ndarray of int
        Held-out rows of each fold.
    sizes : sequence of int
        Numbers of columns to try.
    lam : array_like of shape (n_penalties,)
        Penalties lambda' to try, for weights of at most 1.
    parts : Parts
        Steps 3 to 7, each of which can be left out.
    max_iter, tol
        As in :func:`mccvc.solvers.irls.irls`, for each stage.

    Returns
    -------
    Judged
        Predicts for the rows of a design.
    """
    kappa = np.tile(_KAPPAS, np.size(lam))
    criterion = EfficientMCCVC(np.array([_SIGMA]), "quantiles", kappa)
    penalties = np.repeat(np.asarray(lam, dtype=float), len(_KAPPAS))
    grid = Grid(criterion, penalties, sizes, max_iter=max_iter, tol=tol, telling=telling(kappa))
    return judged(design, target, folds, grid, [parts])[0]
