"""Fixed-point iterations of the linear experiment at the chosen grid points, step by step."""

from pathlib import Path

import numpy as np
import pandas as pd

from mccvc.arrays import Array, Indices
from mccvc.solvers.irls import irls
from mccvc.study.densities import KernelSet, error_density
from mccvc.study.files import write_table
from mccvc.study.linear import LinearSpec, design_of
from mccvc.study.methods import grid_points
from mccvc.study.plan import ExperimentPlan

_DENSITY_RUN = 0
_DENSITY_ITERATIONS = 2
_KEYS = ["case", "criterion", "iteration"]
# Criteria with a closed form, or with more than Algorithm 1.
_NO_ALGORITHM_1 = ("mmse", "mcc-vc-efficient")
_STEP = [*_KEYS, "sigma", "center", "weight_rmse"]


def write_traces(plan: ExperimentPlan, chosen: pd.DataFrame, out: str | Path) -> None:
    """Write ``errors.parquet``, ``convergence.parquet`` and ``distances.parquet``.

    Parameters
    ----------
    plan : ExperimentPlan
        The linear experiment.
    chosen : pandas.DataFrame
        Rows of the chosen grid points: ``case``, ``criterion``, ``lam``, ``sigma``.
    out : path-like
        Directory to write to.
    """
    points = chosen.groupby(["case", "criterion"])[["lam", "sigma"]].first()
    errors, convergence, distances = [], [], []
    for spec in plan.specs:
        key = (spec.problem, spec.method)
        if spec.fit.criterion in _NO_ALGORITHM_1 or key not in points.index:
            continue
        point = points.loc[key]
        sets = (spec.fit.widths, spec.fit.centers)
        kernels = None if sets[0] is None or isinstance(sets[1], str) else KernelSet(*sets)
        for run in range(plan.runs):
            steps = trace_run(spec, run, point["lam"], point["sigma"])
            convergence.append(steps[_STEP].assign(run=run))
            first = steps.head(_DENSITY_ITERATIONS)
            if kernels is not None:
                distances.append(_distances(spec, kernels, first).assign(run=run))
            if run == _DENSITY_RUN and spec.fit.widths is not None:
                errors.append(first[[*_STEP, "error"]].explode("error"))
    for name, parts, columns in (
        ("errors", errors, [*_STEP, "error"]),
        ("convergence", convergence, [*_STEP, "run"]),
        ("distances", distances, [*_KEYS, "distance", "smallest", "run"]),
    ):
        table = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=columns)
        numbers = [column for column in columns if column not in ("case", "criterion")]
        kinds = {c: int if c in ("iteration", "run") else float for c in numbers}
        write_table(table.astype(kinds), Path(out) / f"{name}.parquet")


def _distances(spec: LinearSpec, kernels: KernelSet, steps: pd.DataFrame) -> pd.DataFrame:
    """How far the kernel of each step is from the density of its errors, and how far it must be."""
    true_weights = np.asarray(spec.system.weights, dtype=float)
    rows = []
    for step in steps.itertuples():
        all_of_them = kernels.distances(
            error_density(spec.system, true_weights - step.weights_before)
        )
        chosen = all_of_them[kernels.index(step.sigma, step.center)]
        rows.append({"distance": chosen, "smallest": all_of_them.min()})
    return pd.concat([steps[_KEYS], pd.DataFrame(rows, index=steps.index)], axis=1)


def trace_run(spec: LinearSpec, run: int, lam: float, sigma: float) -> pd.DataFrame:
    """Iterations of one run at one grid point.

    Parameters
    ----------
    spec : LinearSpec
        Specification of a linear case and criterion.
    run : int
        Index of the run.
    lam, sigma : float
        The grid point; `sigma` only matters where it is a parameter of the criterion.

    Returns
    -------
    pandas.DataFrame
        A row for each iteration: ``weights_before`` it and their errors, ``error``, from which
        ``sigma`` and ``center`` were taken, and ``weight_rmse``, after it.
    """
    inputs, target = spec.data(run)
    design, penalty = design_of(inputs, spec.fit)
    points = grid_points(spec.fit)
    matches = points.lam == lam
    if "sigma" in spec.fit.grid:
        matches &= np.array([p["sigma"] for p in points.parameters]) == sigma
    point = np.flatnonzero(matches)[:1]
    n_weights = len(spec.system.weights)
    weights_before, errors_before = np.zeros(n_weights), target
    steps = []

    def record(
        k: int, problems: Indices, beta: Array, sigma: Array, center: Array, errors: Array
    ) -> None:
        nonlocal weights_before, errors_before
        steps.append(
            {
                "case": spec.problem,
                "criterion": spec.method,
                "iteration": k,
                "sigma": sigma[0],
                "center": center[0],
                "weight_rmse": spec.weight_rmse(beta[0]),
                "weights_before": weights_before,
                "error": errors_before,
            }
        )
        weights_before, errors_before = beta[0, :n_weights].copy(), errors[0]

    irls(
        design,
        target,
        points.criterion.take(point),
        points.lam[point],
        penalty=penalty,
        max_iter=spec.max_iter,
        tol=spec.tol,
        trace=record,
    )
    return pd.DataFrame(steps)
