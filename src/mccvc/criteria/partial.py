"""MCC-VC whose kernel need not account for all errors."""

from mccvc.arrays import Array
from mccvc.criteria.paper import MCCVC
from mccvc.width_center import select_with_share


class PartialMCCVC(MCCVC):
    """Maximum correntropy criterion with variable center and a free share of inliers.

    In place of (18), width and center are those whose kernel, times a free share, matches the
    density of the errors best: Scott's partial density component. With share 1 it is MCC-VC.

    Parameters
    ----------
    widths, centers
        As for :class:`mccvc.criteria.paper.MCCVC`.
    """

    def kernel(self, errors: Array, sample_weight: Array | None = None) -> tuple[Array, Array]:
        """Width and center for each row of errors."""
        return select_with_share(errors, self.widths, self.centers, sample_weight)
