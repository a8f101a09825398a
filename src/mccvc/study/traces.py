"""Fixed-point iterations of the linear study at the chosen grid points, step by step."""

from pathlib import Path

import numpy as np
import pandas as pd

from mccvc.solvers.irls import irls
from mccvc.study.densities import KernelSet, error_density
from mccvc.study.files import write_table
from mccvc.study.linear import linear_data, linear_design
from mccvc.study.methods import batch

_DENSITY_RUN = 0
_DENSITY_ITERATIONS = 2


def write_traces(study, tables, out):
    """Write ``errors.parquet``, ``convergence.parquet`` and ``distances.parquet``.

    Parameters
    ----------
    study : dict
        The resolved study.
    tables : path-like
        Directory of ``table1.csv``, which has the chosen grid points.
    out : path-like
        Directory to write to.
    """
    chosen = pd.read_csv(Path(tables) / "table1.csv").set_index(["case", "criterion"])
    errors, convergence, distances = [], [], []
    for spec in study["linear"]:
        if spec["method"]["criterion"] == "mmse":
            continue
        point = chosen.loc[(spec["case"], spec["criterion"])]
        kernels = None
        if spec["method"]["criterion"] == "mcc-vc" and not isinstance(
            spec["method"]["centers"], str
        ):
            kernels = KernelSet(spec["method"]["widths"], spec["method"]["centers"])
        for run in range(study["runs"]):
            steps = trace_run(spec, run, point["lam"], point["sigma"])
            convergence.append(steps.drop(columns=["errors", "before"]).assign(run=run))
            first = steps.head(_DENSITY_ITERATIONS)
            if kernels is not None:
                distances.append(_distances(spec, kernels, first).assign(run=run))
            if run == _DENSITY_RUN and spec["method"]["criterion"] == "mcc-vc":
                errors.append(first.drop(columns="before").explode("errors"))
    densities = pd.concat(errors, ignore_index=True).rename(columns={"errors": "error"})
    write_table(densities.astype({"error": float}), Path(out) / "errors.parquet")
    write_table(pd.concat(convergence, ignore_index=True), Path(out) / "convergence.parquet")
    none = pd.DataFrame(columns=_DISTANCES)
    found = pd.concat(distances, ignore_index=True) if distances else none
    write_table(found, Path(out) / "distances.parquet")


_DISTANCES = ["case", "criterion", "iteration", "distance", "smallest", "run"]


def _distances(spec, kernels, steps):
    """How far the kernel of each step is from the density of its errors, and how far it must be."""
    true_weights = np.asarray(spec["system"]["weights"], dtype=float)
    rows = []
    for step in steps.itertuples():
        all_of_them = kernels.distances(error_density(spec["system"], true_weights - step.before))
        chosen = all_of_them[kernels.index(step.sigma, step.center)]
        rows.append({"distance": chosen, "smallest": all_of_them.min()})
    return pd.concat(
        [steps[["case", "criterion", "iteration"]], pd.DataFrame(rows, index=steps.index)], axis=1
    )


def trace_run(spec, run, lam, sigma):
    """Iterations of one run at one grid point.

    Parameters
    ----------
    spec : dict
        Specification of a linear case and criterion.
    run : int
        Index of the run.
    lam, sigma : float
        The grid point; `sigma` only matters for MCC.

    Returns
    -------
    pandas.DataFrame
        A row for each iteration: ``before``, the weights before it, and their ``errors``, from
        which ``sigma`` and ``center`` were taken, and ``weight_rmse``, after it.
    """
    inputs, target = linear_data(spec, run)
    design, penalty = linear_design(inputs, spec["method"])
    criterion, lams, _ = batch(spec["method"])
    if spec["method"]["criterion"] == "mcc":
        point = [int(np.flatnonzero((lams == lam) & (criterion.sigma == sigma))[0])]
    else:
        point = [int(np.flatnonzero(lams == lam)[0])]
    true_weights = np.asarray(spec["system"]["weights"], dtype=float)
    steps, before, start = [], [target], [np.zeros(len(true_weights))]

    def record(k, problems, beta, sigma, center, errors):
        weights = beta[0, : len(true_weights)].copy()
        deviation = weights - true_weights
        steps.append(
            {
                "case": spec["case"],
                "criterion": spec["criterion"],
                "iteration": k,
                "sigma": sigma[0],
                "center": center[0],
                "weight_rmse": np.sqrt(np.mean(deviation**2)),
                "before": start[-1],
                "errors": before[-1],
            }
        )
        before.append(errors[0])
        start.append(weights)

    irls(
        design,
        target,
        criterion.take(point),
        lams[point],
        penalty=penalty,
        max_iter=spec["max_iter"],
        tol=spec["tol"],
        trace=record,
    )
    return pd.DataFrame(steps)
