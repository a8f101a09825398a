"""Linear-in-parameters models (8), fitted for a whole grid at once through one SVD."""

import numpy as np

from mccvc.criteria import MMSE
from mccvc.solver import FixedPoint, fixed_point

# Directions of H whose penalty exceeds their weighted square by this factor are left out:
# they change predictions by less than one part in it.
_NEGLIGIBLE = 1e12
_RANK_STEP = 8


def fit_lip(design, target, criterion, lam, *, max_iter=100, tol=1e-6):
    """Fit one linear-in-parameters model for each penalty, all on the same data.

    With H = U S V', the weights V' beta carry the same ridge penalty as beta, and the columns
    of U S are orthogonal and graded, so that the normal equations stay accurate however
    ill-conditioned H is. For MMSE the whole path over lambda' follows from the one SVD.

    Parameters
    ----------
    design : ndarray of shape (n_samples, n_columns)
        Design matrix H.
    target : ndarray of shape (n_samples,)
        Target t.
    criterion : MMSE, MCC or MCCVC
        Criterion; its parameters broadcast over the batch.
    lam : ndarray of shape (n_problems,)
        Penalty lambda' of each problem, >= 0. Zero gives the solution of least norm.
    max_iter, tol
        As in :func:`mccvc.solver.fixed_point`.

    Returns
    -------
    FixedPoint
        Weights for the original columns, with width, center, iterations and convergence. For
        MMSE the width is NaN, the center 0 and the number of iterations 0.
    """
    lam = np.asarray(lam, dtype=float)
    left, singular, right = np.linalg.svd(design, full_matrices=False)
    rank = int((singular > np.finfo(float).eps * max(design.shape) * singular[0]).sum())
    left, singular, right = left[:, :rank], singular[:rank], right[:rank]
    if isinstance(criterion, MMSE):
        shrunk = singular * (target @ left) / (singular**2 + lam[:, None])
        n_problems = len(lam)
        return FixedPoint(
            beta=shrunk @ right,
            sigma=np.full(n_problems, np.nan),
            center=np.zeros(n_problems),
            n_iter=np.zeros(n_problems, dtype=int),
            converged=np.ones(n_problems, dtype=bool),
        )
    columns = left * singular
    strength = singular**2 * np.broadcast_to(criterion.largest_weight, lam.shape)[:, None]
    needed = (_NEGLIGIBLE * strength > lam[:, None]).sum(axis=1)
    needed = np.clip(-(-needed // _RANK_STEP) * _RANK_STEP, 1, rank)
    result = FixedPoint(
        beta=np.zeros((len(lam), design.shape[1])),
        sigma=np.zeros(len(lam)),
        center=np.zeros(len(lam)),
        n_iter=np.zeros(len(lam), dtype=int),
        converged=np.zeros(len(lam), dtype=bool),
    )
    for size in np.unique(needed):
        problems = np.flatnonzero(needed == size)
        part = fixed_point(
            np.ascontiguousarray(columns[:, :size]),
            target,
            criterion.take(problems),
            lam[problems],
            max_iter=max_iter,
            tol=tol,
        )
        result.beta[problems] = part.beta @ right[:size]
        for name in ("sigma", "center", "n_iter", "converged"):
            getattr(result, name)[problems] = getattr(part, name)
    return result
