"""Methods whose grid is judged and used in several ways, see :mod:`mccvc.solvers.judging`."""

import json
import time

import numpy as np

from mccvc.solvers.candidates import Grid
from mccvc.solvers.hedged import telling
from mccvc.solvers.judging import Judged, judged
from mccvc.study.methods import GridPoints, grid_points
from mccvc.study.specs import JudgedMethod, Row
from mccvc.study.tuning import Tuned, TuningData, TuningSpec


def tune_judged(data: TuningData, spec: TuningSpec, rng: np.random.Generator) -> list[Tuned]:
    """Tune and fit a criterion in each of a method's ways, by one search.

    Each row has the parts that tell the ways apart, the grid point that was judged best with its
    fit, and the time of all ways together.
    """
    method = spec.fit
    assert isinstance(method, JudgedMethod)
    started = time.perf_counter()
    points = grid_points(method)
    grid = grid_of(method, spec, points, data.inputs.shape[1])
    ways = judged(data.design(method, data.inputs), data.target, data.folds, grid, method.ways)
    seconds = time.perf_counter() - started

    def tuned(way: Judged) -> Tuned:
        row = _row(way, spec, points) | {"tune_seconds": seconds}
        return Tuned(lambda rows: way.predict(data.design(method, rows)), row)

    return [tuned(way) for way in ways]


def grid_of(method: JudgedMethod, spec: TuningSpec, points: GridPoints, n_inputs: int) -> Grid:
    """The candidates of a method, for columns of :meth:`TuningData.design`."""
    n_direct = n_inputs if method.direct else 0
    kappa = [point["kappa"] for point in points.parameters if "kappa" in point]
    return Grid(
        points.criterion,
        points.lam,
        [n_direct + n_hidden for n_hidden in spec.n_hidden],
        intercept=method.intercept,
        max_iter=spec.max_iter,
        tol=spec.tol,
        telling=telling(kappa) if kappa else None,
    )


def _row(way: Judged, spec: TuningSpec, points: GridPoints) -> Row:
    size, point = divmod(way.average.best, len(points.lam))
    fit, place = way.fits.one(way.average.best)
    used = {"averaged": int(way.average.members.sum())}
    if way.parts.hedge:
        used["ridge"] = 0 if way.ridge is None else int(way.ridge[0].members.sum())
    row: Row = way.parts._asdict() | {
        "n_hidden": spec.n_hidden[size],
        "lam": points.lam[point],
        "cv_rmse": way.cv_rmse,
        "n_iter": fit.n_iter[place],
        "converged": fit.converged[place],
        "parameters": json.dumps(used),
    }
    return row | points.kernel_of(fit, place)
