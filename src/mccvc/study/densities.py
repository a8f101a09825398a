"""How near the kernel of MCC-VC is to the density of the errors, in the linear study."""

from collections.abc import Sequence

import numpy as np

from mccvc.arrays import Array
from mccvc.correntropy import gaussian_kernel
from mccvc.study.linear import LinearSystem

# Errors beyond the grid are outliers, whose mass is counted but not resolved.
_GRID = np.linspace(-30.0, 40.0, 1751)
_STEP = _GRID[1] - _GRID[0]
_AT_ONCE = 256
_NODES, _NODE_WEIGHTS = np.polynomial.legendre.leggauss(12)


def error_density(system: LinearSystem, deviation: Array) -> Array:
    """Density of the errors y - w' x of given weights, on a grid.

    Parameters
    ----------
    system : LinearSystem
        Where the errors come from.
    deviation : ndarray of shape (n_weights,)
        w* - w.

    Returns
    -------
    ndarray of shape (n_grid,)
    """
    share = system.outlier_probability
    # deviation' x over the uniform inputs, one input at a time.
    shifts, weights = np.zeros(1), np.ones(1)
    for slope in deviation:
        moved = slope * system.input_limit * _NODES
        shifts = (shifts[:, None] + moved).ravel()
        weights = (weights[:, None] * (_NODE_WEIGHTS / 2)).ravel()
    density = np.zeros_like(_GRID)
    for i in range(0, len(shifts), _AT_ONCE):
        some = slice(i, i + _AT_ONCE)
        density += system.noise.density(_GRID[:, None] - shifts[some]) @ weights[some]
    # Outliers are so wide that the inputs do not move their density.
    outliers = gaussian_kernel(_GRID, np.sqrt(system.outlier_variance))
    return (1 - share) * density + share * outliers


class KernelSet:
    """The kernels of all admissible widths and centers, on the grid.

    Parameters
    ----------
    widths, centers : sequence of float
        Admissible widths and centers.
    """

    def __init__(self, widths: Sequence[float], centers: Sequence[float]) -> None:
        self.parameters = [(sigma, center) for sigma in widths for center in centers]
        sigma, center = np.array(self.parameters).T[:, :, None]
        self.kernels = gaussian_kernel(_GRID, sigma, center)

    def distances(self, density: Array) -> Array:
        """Total variation distance of every kernel to a density on the grid.

        Half the integral of the absolute difference: 0 if they are equal, 1 if they do not
        overlap.

        Parameters
        ----------
        density : ndarray of shape (n_grid,)
            Result of :func:`error_density`.

        Returns
        -------
        ndarray of shape (n_kernels,)
        """
        inside = np.abs(self.kernels - density).sum(axis=1) * _STEP
        beyond = max(0.0, 1 - density.sum() * _STEP)
        return (inside + beyond) / 2

    def index(self, sigma: float, center: float) -> int:
        """Place of a kernel of the set."""
        return self.parameters.index((sigma, center))
