"""Weighted ridge fits of many subsets of the same rows at once."""

from typing import Any

import numpy as np

from mccvc.arrays import Array

# Up to this many columns the products of all pairs of columns are held, so that the normal
# equations of all subsets are one matrix product.
_HELD_COLUMNS = 40
# Share of the mean diagonal element that is added to it: a singular subset has a solution.
_LEAST_RIDGE = 1e-10


class SubsetFits:
    """Normal equations of subsets, or of any weights, of the rows of one design.

    Parameters
    ----------
    design : ndarray of shape (n_samples, n_columns)
        Columns of order 1, among them that of the intercept.
    target : ndarray of shape (n_samples,)
        Target.
    penalty : ndarray of shape (n_columns,)
        Ridge penalty of each column.
    """

    def __init__(self, design: Array, target: Array, penalty: Array) -> None:
        self.design, self.target, self.penalty = design, target, penalty
        self._moments = design * target[:, None]
        self._pairs = np.triu_indices(design.shape[1])
        self._held = design.shape[1] <= _HELD_COLUMNS
        if self._held:
            self._products = design[:, self._pairs[0]] * design[:, self._pairs[1]]

    def fit(self, weights: Array, strength: Array | float = 1.0) -> Array:
        """Solutions for rows of weights, with `strength` times the penalty: (n_fits, n_columns)."""
        grams = self._grams(weights)
        diagonal = np.arange(grams.shape[1])
        grams[:, diagonal, diagonal] += np.multiply.outer(
            np.broadcast_to(strength, len(weights)), self.penalty
        )
        moments = weights @ self._moments
        solutions: Any = np.linalg.solve(grams, moments[:, :, None])
        return solutions[:, :, 0]

    def errors(self, beta: Array) -> Array:
        """Errors of solutions: (n_fits, n_samples)."""
        errors: Array = self.target - beta @ self.design.T
        return errors

    def leverages(self, weights: Array) -> tuple[Array, Array]:
        """h' (H' W H)^-1 h of every row h for rows of weights, and log det (H' W H)."""
        grams = self._grams(weights)
        inverse = np.linalg.inv(grams)
        if self._held:
            twice = np.where(self._pairs[0] == self._pairs[1], 1.0, 2.0)
            found = (inverse[:, self._pairs[0], self._pairs[1]] * twice) @ self._products.T
        else:
            found = np.stack([((self.design @ g) * self.design).sum(axis=1) for g in inverse])
        return found, np.linalg.slogdet(grams)[1]

    def _grams(self, weights: Array) -> Array:
        size = self.design.shape[1]
        grams = np.empty((len(weights), size, size))
        if self._held:
            packed = weights @ self._products
            grams[:, self._pairs[0], self._pairs[1]] = packed
            grams[:, self._pairs[1], self._pairs[0]] = packed
        else:
            for gram, weight in zip(grams, weights, strict=True):
                gram[:] = (self.design * weight[:, None]).T @ self.design
        diagonal = np.arange(size)
        mean = grams[:, diagonal, diagonal].mean(axis=1)
        grams[:, diagonal, diagonal] += (_LEAST_RIDGE * mean + _TINY)[:, None]
        return grams


_TINY = 1e-200
