"""Rows of a finished study: picking grid points, and naming the runs that failed."""

import pandas as pd


def select_grid_points(plan, rows):
    """Rows of the grid point with the lowest mean RMSE, for each case and criterion.

    The choice looks at the results of all runs, as the paper's "trial and error" does. Among
    equals the smallest lambda' wins, then the smallest width.

    Parameters
    ----------
    plan : ExperimentPlan
        The linear experiment. Where widths are given one by one (MCC), they are part of the
        grid; MCC-VC chooses its width itself, and its grid is over lambda'.
    rows : pandas.DataFrame
        Rows of the linear experiment.

    Returns
    -------
    pandas.DataFrame
        The rows of the chosen points, with a column ``tune_seconds``: what all widths of the
        chosen lambda' took in that run.
    """
    rows = rows[rows["error"].isna()]
    if rows.empty:
        return rows.assign(tune_seconds=rows["fit_seconds"])
    rows = rows.assign(
        width=rows["sigma"].where(rows["criterion"].isin(searching_widths(plan)), 0.0)
    )
    group = ["case", "criterion"]
    means = rows.groupby([*group, "lam", "width"], sort=True)["weight_rmse"].mean()
    best = means.groupby(group).idxmin()
    chosen = pd.DataFrame(best.tolist(), columns=[*group, "lam", "width"])
    tuning = rows.groupby([*group, "lam", "run"])["fit_seconds"].sum().rename("tune_seconds")
    picked = rows.merge(chosen, on=[*group, "lam", "width"])
    return picked.merge(tuning.reset_index(), on=[*group, "lam", "run"])


def searching_widths(plan):
    """Names of the criteria of the linear experiment whose grid holds kernel widths."""
    return {spec.method for spec in plan.specs if "sigma" in spec.fit.grid}


def failures(linear, elm):
    """The runs that failed, with their errors.

    Parameters
    ----------
    linear, elm : pandas.DataFrame
        All rows of both experiments.

    Returns
    -------
    pandas.DataFrame
        Columns ``study``, ``row`` (case or dataset), ``method``, ``run`` and ``error``.
    """
    names = {"case": "row", "criterion": "method", "dataset": "row"}
    parts = [rows[rows["error"].notna()].rename(columns=names) for rows in (linear, elm)]
    return pd.concat([part[["study", "row", "method", "run", "error"]] for part in parts])
