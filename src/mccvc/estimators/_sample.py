"""The distinct rows of a data set, or a fixed choice of them: what starts are sought on."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from mccvc.arrays import Array, Indices

# Data with more distinct rows than this, and than ten for each column, are represented by so many.
_MOST_ROWS = 10_000
_ROWS_PER_COLUMN = 10


@dataclass(frozen=True)
class Sample:
    """Distinct rows with the weights that they stand for, in an order that is theirs alone.

    Attributes
    ----------
    rows : ndarray of int, shape (n_rows,)
        A row of the data for each.
    weight : ndarray of shape (n_rows,)
        Sum of the weights of equal rows, > 0; for a choice of rows, how often each was chosen.
    total : float
        Number of samples that the weights stand for: their sum, or the number of rows if the
        weights are smaller than 1.
    complete : bool
        Whether all distinct rows are there.
    """

    rows: Indices
    weight: Array
    total: float
    complete: bool = True

    def thinned(self, most: int) -> Self:
        """At most so many of the rows, chosen evenly by weight."""
        if len(self.rows) <= most:
            return self
        below = np.cumsum(self.weight)
        places = (np.arange(most) + 0.5) * (below[-1] / most)
        chosen, counts = np.unique(np.searchsorted(below, places), return_counts=True)
        chosen = np.minimum(chosen, len(below) - 1)
        return type(self)(self.rows[chosen], counts.astype(float), float(most), False)


def distinct_rows(design: Array, target: Array, sample_weight: Array) -> Sample:
    """Merge equal rows; choose evenly among the ordered ones if there are too many.

    The result depends neither on the order of the rows nor on whether a row is repeated or has
    the weight of its repetitions.

    Parameters
    ----------
    design : ndarray of shape (n_samples, n_columns)
        Inputs.
    target : ndarray of shape (n_samples,)
        Target.
    sample_weight : ndarray of shape (n_samples,)
        Weights, > 0.

    Returns
    -------
    Sample
    """
    order, starts = _ordered(design, target)
    weight = np.add.reduceat(sample_weight[order], starts)
    total = max(float(weight.sum()), float(len(starts)))
    most = max(_MOST_ROWS, _ROWS_PER_COLUMN * design.shape[1])
    return Sample(order[starts], weight, total).thinned(most)


def _ordered(design: Array, target: Array) -> tuple[Indices, Indices]:
    """Rows by target and then by columns, and the places at which a row differs from the last.

    This order does not depend on the units.
    """
    order: Indices = np.argsort(target, kind="stable")
    differs = np.diff(target[order]) != 0
    if not differs.all():
        tied = np.append(False, ~differs) | np.append(~differs, False)
        some = order[tied]
        order[tied] = some[np.lexsort((*design[some].T[::-1], target[some]))]
        same = np.flatnonzero(~differs)
        differs[same] = (design[order[same]] != design[order[same + 1]]).any(axis=1)
    return order, np.flatnonzero(np.append(True, differs))
