"""Designs too long to be held: made block by block whenever their rows are needed."""

from collections.abc import Callable, Iterator

import numpy as np
from scipy.linalg import lstsq
from scipy.linalg.blas import dsyrk
from scipy.linalg.lapack import dpotrf, dpotrs

from mccvc.arrays import Array, Indices
from mccvc.solvers.weighted_ridge import RidgeProblems

_BLOCK_ROWS = 1024
# Memory for blocks that are kept.
_HELD_BYTES = 2**28
# Share of the trace of H' W H below which sums over many rows are rounding.
_ROUNDING = 1e-13


class BlockedDesign:
    """Design matrix H whose rows are made in blocks, each time they are needed.

    The first blocks are kept, up to `_HELD_BYTES`; all others are made again.

    Parameters
    ----------
    rows : callable
        ``rows(part)`` gives the rows of a slice: (n_rows, n_columns).
    n_samples, n_columns : int
        Shape of the whole.
    """

    def __init__(self, rows: Callable[[slice], Array], n_samples: int, n_columns: int) -> None:
        self._rows = rows
        self._held: dict[int, Array] = {}
        self._n_held = _HELD_BYTES // (8 * max(n_columns, 1))
        self.shape = (n_samples, n_columns)

    def blocks(self) -> Iterator[tuple[slice, Array]]:
        """Each block of rows with its place."""
        for start in range(0, self.shape[0], _BLOCK_ROWS):
            part = slice(start, min(start + _BLOCK_ROWS, self.shape[0]))
            yield part, self._block(part)

    def map(self, change: Callable[[Array], Array], n_columns: int) -> "BlockedDesign":
        """The design with `change` applied to every block, from the blocks that this one holds."""
        changed = BlockedDesign(lambda part: change(self._block(part)), self.shape[0], n_columns)
        changed._n_held = 0
        return changed

    def _block(self, part: slice) -> Array:
        block = self._held.get(part.start)
        if block is None:
            block = self._rows(part)
            if part.stop <= self._n_held:
                self._held[part.start] = block
        return block

    def take(self, rows: Indices) -> Array:
        """Some of the rows: (n_rows, n_columns)."""
        taken = np.empty((len(rows), self.shape[1]))
        for part, block in self.blocks():
            inside = (rows >= part.start) & (rows < part.stop)
            taken[inside] = block[rows[inside] - part.start]
        return taken

    def column_maxima(self) -> Array:
        """Largest absolute value of each column: (n_columns,)."""
        return np.max([np.abs(block).max(axis=0) for _, block in self.blocks()], axis=0)


def outputs(beta: Array, design: Array | BlockedDesign) -> Array:
    """Outputs H beta of a batch of weights: (n_problems, n_samples)."""
    if isinstance(design, np.ndarray):
        return beta @ design.T
    return np.concatenate([beta @ block.T for _, block in design.blocks()], axis=1)


class BlockedNormalEquations:
    """Weighted ridge problems, from one pass over the blocks of a long design.

    Parameters
    ----------
    design : BlockedDesign of shape (n_samples, n_columns)
        Design matrix H.
    penalty : ndarray of shape (n_columns,)
        Diagonal of D.
    """

    always_exact = True

    def __init__(self, design: BlockedDesign, penalty: Array) -> None:
        self.design = design
        self.penalty = penalty

    def solve(self, problems: RidgeProblems, *, exact: bool = True) -> Array:
        """Solutions, always exact."""
        n_columns = self.design.shape[1]
        weights = problems.weights
        weighted = weights * problems.targets
        grams = [np.zeros((n_columns, n_columns), order="F") for _ in weights]
        right = np.zeros((len(weights), n_columns))
        for part, block in self.design.blocks():
            right += weighted[:, part] @ block
            for gram, weight in zip(grams, weights[:, part], strict=True):
                rows = np.sqrt(weight)[:, None] * block
                dsyrk(1.0, rows.T, beta=1.0, c=gram, lower=1, overwrite_c=1)
        beta = np.empty_like(right)
        for b, gram in enumerate(grams):
            resolved = max(problems.lam[b], _ROUNDING * np.trace(gram))
            gram[np.diag_indices(n_columns)] += resolved * self.penalty
            factor, info = dpotrf(gram, lower=1, clean=0)
            if info == 0:
                beta[b] = dpotrs(factor, right[b], lower=1)[0]
            else:
                full = np.tril(gram) + np.tril(gram, -1).T
                beta[b] = lstsq(full, right[b], cond=_ROUNDING, check_finite=False)[0]
        return beta
