"""Methods: what an entry of the config computes, and the code behind it."""

from itertools import product
from typing import Any, NamedTuple

import numpy as np

from mccvc.arrays import Array
from mccvc.criteria.base import Criterion
from mccvc.criteria.registry import CRITERIA
from mccvc.solvers.irls import Solution
from mccvc.study.specs import CriterionMethod, JudgedMethod, Method, Row


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

    criterion: Criterion
    lam: Array
    parameters: list[dict[str, float]]

    def kernel_of(self, fit: Solution, place: int = 0) -> Row:
        """Kernel width and center of a fit, as far as the criterion has them."""
        row: Row = {}
        if self.criterion.has_width:
            row["sigma"] = fit.sigma[place]
        if self.criterion.has_center:
            row["center"] = fit.center[place]
        return row


def grid_points(method: CriterionMethod) -> GridPoints:
    """Criterion and penalties of all grid points of a method."""
    kind = CRITERIA[method.criterion]
    lam = np.asarray(method.lam, dtype=float)
    sets: dict[str, Any] = {}
    if method.widths is not None:
        centers = method.centers if isinstance(method.centers, str) else np.array(method.centers)
        sets = {"widths": np.array(method.widths), "centers": centers}
    others = [
        dict(zip(method.grid, values, strict=True)) for values in product(*method.grid.values())
    ]
    points = others * len(lam)
    columns = {name: np.array([point[name] for point in points]) for name in method.grid}
    return GridPoints(kind(**sets, **columns), np.repeat(lam, len(others)), points)


def code_entries(method: Method) -> dict[str, list[str]]:
    """Of each table of the package the entries that a method uses, as code digests name them."""
    if isinstance(method, CriterionMethod):
        kind = CRITERIA[method.criterion]
        own = [f"{kind.__module__}:{kind.__name__}"]
        tuner = [
            "mccvc.study.judged:tune_judged"
            if isinstance(method, JudgedMethod)
            else "mccvc.study.tuning:tune_criterion"
        ]
    else:
        # Imported here: it loads scikit-learn.
        from mccvc.study.regressors import step_class

        own = []
        steps = [step_class(path) for path in method.estimator]
        tuner = ["mccvc.study.tuning:tune_regressor"]
        tuner += [f"{step.__module__}:{step.__name__}" for step in steps]
    return {"mccvc.criteria.registry:CRITERIA": own, "mccvc.study.tuners:TUNERS": tuner}
