"""The sets of widths and centers of MCC-VC, in scaled units, with the start that suits them."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from mccvc.arrays import Array
from mccvc.correntropy import correntropy, matching_objective
from mccvc.criteria.paper import MCCVC
from mccvc.criteria.partial import PartialMCCVC
from mccvc.estimators._scaled_problem import ScaledProblem
from mccvc.estimators._starts import Starts
from mccvc.width_center import select_width_center, select_with_share

# Sets for "auto", in units of the errors' scale: the paper's for its linear study, and widths
# that neither ties nor a fit of few errors can narrow further.
_PAPER_WIDTHS = np.linspace(0.2, 5.0, 25)
_PAPER_CENTERS = np.linspace(-5.0, 5.0, 101)
_WIDTHS = np.geomspace(1.0, 4.0, 13)
_CENTERS = np.linspace(-2.0, 2.0, 41)


@dataclass(frozen=True)
class MatchingSets:
    """Admissible widths and centers in the data's units.

    Attributes
    ----------
    widths : ndarray of shape (n_widths,) or None
        Widths, ascending; None for a set in units of the errors' scale.
    centers : ndarray of shape (n_centers,), "auto", "median" or "mean"
        Centers.
    inlier_share : float or None
        1 for (18), None for a free share.
    """

    widths: Array | None
    centers: Array | str
    inlier_share: float | None

    def criterion(self, problem: ScaledProblem, starts: Starts) -> tuple[MCCVC, Array]:
        """Criterion in scaled units, and the start that suits it best."""
        free = self.inlier_share is None
        if self.widths is None:
            widths = (_WIDTHS if free else _PAPER_WIDTHS) * starts.scale
        else:
            widths = self.widths / problem.target_unit
        centers: Any = self.centers
        if not isinstance(centers, str):
            shift = 0.0 if problem.intercept else problem.level
            centers = (centers - shift) / problem.target_unit
        elif centers == "auto":
            level = 0.0 if problem.intercept else starts.beta[0, -1]
            centers = level + (_CENTERS if free else _PAPER_CENTERS) * starts.scale
        criterion = (PartialMCCVC if free else MCCVC)(widths, centers)
        if len(starts.beta) == 1 or (self.widths is None and isinstance(self.centers, str)):
            return criterion, starts.beta[:1]
        select = select_with_share if free else select_width_center
        levels = 0.0 if problem.intercept else starts.beta[:, -1:]
        errors = problem.errors(starts.beta) + levels
        sigma, center = select(errors, widths, centers, problem.weight)
        if free:
            values = -np.sqrt(sigma) * correntropy(errors, sigma, center, problem.weight)
        else:
            values = matching_objective(errors, sigma, center, problem.weight)
        best = int(np.argmin(values))
        return criterion, starts.beta[best : best + 1]
