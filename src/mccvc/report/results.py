"""Rows of a finished study: picking grid points, and naming the runs that failed."""

import pandas as pd

# Runs of which one part is judged at the grid points that the others choose.
_FOLDS = 10


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
    rows = _with_width(plan, rows)
    tuning = rows.groupby([*_GROUP, "lam", "run"])["fit_seconds"].sum().rename("tune_seconds")
    picked = rows.merge(_best_points(rows), on=[*_GROUP, "lam", "width"])
    return picked.merge(tuning.reset_index(), on=[*_GROUP, "lam", "run"])


def cross_fitted(plan, rows):
    """Rows of each run at the grid point that is best over other runs.

    The weights that trial and error looks at decide the result, too: the best of many points is
    better on the runs that chose it than on others. A tenth of the runs (those with the same last
    digit) is judged at the points that the others choose.

    Parameters
    ----------
    plan, rows
        See :func:`select_grid_points`.

    Returns
    -------
    pandas.DataFrame
        A row for each case, criterion and run; none if there is a single run.
    """
    rows = _with_width(plan, rows)
    fold = rows["run"] % _FOLDS
    parts = [
        rows[fold == i].merge(_best_points(rows[fold != i]), on=[*_GROUP, "lam", "width"])
        for i in range(_FOLDS)
    ]
    return pd.concat(parts, ignore_index=True)


_GROUP = ["case", "criterion"]


def _with_width(plan, rows):
    """Rows without failed runs, with the width where it is part of the grid."""
    rows = rows[rows["error"].isna()]
    return rows.assign(width=rows["sigma"].where(rows["criterion"].isin(searching_widths(plan)), 0))


def _best_points(rows):
    """The grid point with the lowest mean RMSE, for each case and criterion."""
    if rows.empty:
        return rows[[*_GROUP, "lam", "width"]]
    means = rows.groupby([*_GROUP, "lam", "width"], sort=True)["weight_rmse"].mean()
    best = means.groupby(_GROUP).idxmin()
    return pd.DataFrame(best.tolist(), columns=[*_GROUP, "lam", "width"])


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
