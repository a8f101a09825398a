"""Designs too long to be held: made block by block whenever their rows are needed."""

from collections.abc import Callable, Iterator

import numpy as np

from mccvc.arrays import Array

_BLOCK_ROWS = 1024


class BlockedDesign:
    """Design matrix H whose rows are made in blocks, each time they are needed.

    Parameters
    ----------
    rows : callable
        ``rows(part)`` gives the rows of a slice: (n_rows, n_columns).
    n_samples, n_columns : int
        Shape of the whole.
    """

    def __init__(self, rows: Callable[[slice], Array], n_samples: int, n_columns: int) -> None:
        self._rows = rows
        self.shape = (n_samples, n_columns)

    def blocks(self) -> Iterator[tuple[slice, Array]]:
        """Each block of rows with its place."""
        for start in range(0, self.shape[0], _BLOCK_ROWS):
            part = slice(start, min(start + _BLOCK_ROWS, self.shape[0]))
            yield part, self._rows(part)

    def map(self, change: Callable[[Array], Array], n_columns: int) -> "BlockedDesign":
        """The design with `change` applied to every block."""
        return BlockedDesign(lambda part: change(self._rows(part)), self.shape[0], n_columns)

    def column_maxima(self) -> Array:
        """Largest absolute value of each column: (n_columns,)."""
        return np.max([np.abs(block).max(axis=0) for _, block in self.blocks()], axis=0)


def outputs(beta: Array, design: Array | BlockedDesign) -> Array:
    """Outputs H beta of a batch of weights: (n_problems, n_samples)."""
    if isinstance(design, np.ndarray):
        return beta @ design.T
    return np.concatenate([beta @ block.T for _, block in design.blocks()], axis=1)
