"""Methods: what an entry of the config computes, and the code behind it."""

from itertools import product
from typing import Any, NamedTuple

import numpy as np

from mccvc.arrays import Array
from mccvc.criteria.registry import CRITERIA
from mccvc.study.specs import CriterionMethod, Method


class GridPoints(NamedTuple):
    """All grid points of a method, as one batch.

    Attributes
    ----------
    criterion : Criterion
        Its parameters have an element for each point.
    lam : ndarray of shape (n_points,)
        Every lambda' with every value of the other parameters, lambda' outermost.
    parameters : list of dict
        The other parameters at each point.
    """

    criterion: Any
    lam: Array
    parameters: list[dict[str, float]]


def grid_points(method: CriterionMethod) -> GridPoints:
    """Criterion and penalties of all grid points of a method."""
    kind = CRITERIA[method.criterion]
    lam = np.asarray(method.lam, dtype=float)
    if method.widths is not None:
        centers = method.centers if isinstance(method.centers, str) else np.array(method.centers)
        return GridPoints(kind(np.array(method.widths), centers), lam, [{}] * len(lam))
    others = [
        dict(zip(method.grid, values, strict=True)) for values in product(*method.grid.values())
    ]
    points = others * len(lam)
    columns = {name: np.array([point[name] for point in points]) for name in method.grid}
    return GridPoints(kind(**columns), np.repeat(lam, len(others)), points)


def code_roots(method: Method) -> list[str]:
    """The definitions that a method adds to those of its experiment: ``module:name``."""
    if isinstance(method, CriterionMethod):
        kind = CRITERIA[method.criterion]
        return [f"{kind.__module__}:{kind.__name__}"]
    # Imported here: it loads scikit-learn.
    from mccvc.study.regressors import step_class

    steps = map(step_class, method.estimator)
    return [f"{step.__module__}:{step.__name__}" for step in steps]
