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
    """

    rows: Indices
    weight: Array
    total: float

    def thinned(self, most: int) -> Self:
        """At most so many of the rows, chosen evenly by weight."""
        if len(self.rows) <= most:
            return self
        below = np.cumsum(self.weight)
        places = (np.arange(most) + 0.5) * (below[-1] / most)
        chosen, counts = np.unique(np.searchsorted(below, places), return_counts=True)
        chosen = np.minimum(chosen, len(below) - 1)
        return type(self)(self.rows[chosen], counts.astype(float), float(most))


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
    keys = _keys(design, target)
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    starts: Indices = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
    if len(starts) < len(order):
        starts = _unequal(design, target, order, keys)
    weight = np.add.reduceat(sample_weight[order], starts)
    total = max(float(weight.sum()), float(len(starts)))
    most = max(_MOST_ROWS, _ROWS_PER_COLUMN * design.shape[1])
    return Sample(order[starts], weight, total).thinned(most)


def _keys(design: Array, target: Array) -> Array:
    """A number for each row, equal for equal rows; logarithms, so that no value hides another."""
    factors = np.random.default_rng(0).uniform(1, 2, design.shape[1] + 1)
    keys = factors[-1] * np.copysign(np.log1p(np.abs(target)), target)
    for factor, column in zip(factors, design.T, strict=False):
        keys += factor * np.copysign(np.log1p(np.abs(column)), column)
    return keys


def _unequal(design: Array, target: Array, order: Indices, keys: Array) -> Indices:
    """Places in the order at which a row differs from the one before it."""
    differs = keys[1:] != keys[:-1]
    same = np.flatnonzero(~differs)
    one, other = order[same], order[same + 1]
    differs[same] = (target[one] != target[other]) | (design[one] != design[other]).any(axis=1)
    return np.flatnonzero(np.concatenate([[True], differs]))
