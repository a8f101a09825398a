"""Methods: what a config entry computes."""

from itertools import product

import numpy as np

from mccvc.criteria.registry import CRITERIA


def batch(method):
    """Criterion and penalties of all grid points of a method.

    Parameters
    ----------
    method : dict
        ``criterion``: ``mmse``, ``mcc`` (with the list ``sigma``), ``mcc-vc`` (with ``widths``
        and ``centers``) or one of :data:`mccvc.criteria.registry.CRITERIA` (with ``grid``, a list
        for each of its parameters); ``lam``: list of lambda'.

    Returns
    -------
    criterion : Criterion
    lam : ndarray of shape (n_points,)
        Every lambda' with every value of the other lists, lambda' outermost.
    points : list of dict
        The other parameters of a :class:`Criterion` at each point, else empty.
    """
    lam = np.asarray(method["lam"], dtype=float)
    nothing: list[dict[str, float]] = [{}] * len(lam)
    kind = CRITERIA[method["criterion"]]
    if method["criterion"] == "mmse":
        return kind(), lam, nothing
    if method["criterion"] == "mcc-vc":
        return kind(method["widths"], method["centers"]), lam, nothing
    if method["criterion"] == "mcc":
        sigma = np.asarray(method["sigma"], dtype=float)
        count = len(sigma)
        return kind(np.tile(sigma, len(lam))), np.repeat(lam, count), nothing * count
    grid = method["grid"]
    others = [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]
    points = others * len(lam)
    columns = {name: np.array([point[name] for point in points]) for name in grid}
    return kind(**columns), np.repeat(lam, len(others)), points
