"""Curves of the linear contamination experiment, and where each method breaks down."""

from pathlib import Path

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.ticker import LogLocator, NullFormatter

from mccvc.report.drawing import save_figures
from mccvc.report.labels import Labels
from mccvc.report.markup import fixed
from mccvc.report.style import PLAIN, ink, note, panels
from mccvc.report.tables import write_csv, write_table

# A method has broken down where its error is this many times that of least squares on the inliers.
BROKEN = 10.0
_SHARE = "outlier_probability"
# Values further apart than this factor are shown on a logarithmic scale.
_WIDE = 50


def write_linear_contamination(study, runs, tables, figures):
    """Write table and figure.

    Parameters
    ----------
    study : ResolvedStudy
        The resolved study.
    runs, tables, figures : path-like
        Directories of the shards, and of the tables and figures to write.
    """
    plan, tables = study["linear-contamination"], Path(tables)
    label = Labels.of(study)
    rows = plan.rows(runs)
    means = curve_means(rows[rows["error"].isna()])
    write_csv(means, tables / "linear_contamination.csv")
    table = breakdown_points(means, share_curves(plan))
    write_table(tables, "linear_breakdown", table, present_breakdown(table, label))
    save_figures({"linear_contamination": lambda: curves(means, label)}, figures)


def share_curves(plan):
    """Names of the curves on which the share of outliers varies."""
    specs = {spec.problem: spec for spec in plan.specs}
    return [
        name
        for name, spec in specs.items()
        if spec.at == tuple(getattr(system, _SHARE) for system in spec.systems)
    ]


def curve_means(rows):
    """Errors of the weights over the runs, root mean squares.

    Parameters
    ----------
    rows : pandas.DataFrame
        Rows of the experiment.

    Returns
    -------
    pandas.DataFrame
        ``curve``, ``method``, ``value``, ``n_runs``, ``weight_rmse``, ``inlier_rmse`` (least
        squares on the rows that are no outliers) and ``fit_seconds``, a median.
    """
    groups = rows.groupby(["curve", "method", "value"], sort=False)
    means = groups[["weight_rmse", "inlier_rmse"]].agg(lambda part: np.sqrt(np.mean(part**2)))
    means.insert(0, "n_runs", groups.size())
    return means.assign(fit_seconds=groups["fit_seconds"].median()).reset_index()


def breakdown_points(means, curves):
    """Where each method breaks down, and how efficient it is without outliers.

    Parameters
    ----------
    means : pandas.DataFrame
        As of :func:`curve_means`.
    curves : sequence of str
        Curves on which the share of outliers varies.

    Returns
    -------
    pandas.DataFrame
        ``curve``, ``method``, ``efficiency`` (squared error of least squares over the method's,
        without outliers; null on a curve without such a value), ``breakdown`` (the smallest share
        with errors over ``BROKEN`` times those of least squares on the inliers, null if there is
        none) and ``largest_share`` of the curve.
    """
    lines = []
    for (curve, method), part in means.groupby(["curve", "method"], sort=False):
        if curve not in curves:
            continue
        # Where all are outliers there is nothing to compare with.
        part = part.dropna(subset="inlier_rmse")
        clean = part[part["value"] == 0]
        efficiency = (clean["inlier_rmse"] / clean["weight_rmse"]).pow(2).mean()
        broken = part.loc[part["weight_rmse"] > BROKEN * part["inlier_rmse"], "value"]
        lines.append((curve, method, efficiency, broken.min(), part["value"].max()))
    columns = ["curve", "method", "efficiency", "breakdown", "largest_share"]
    return pd.DataFrame(lines, columns=columns)


def present_breakdown(table, label):
    """A line for each method, a column for each curve, as texts."""
    lines = []
    for method, part in table.groupby("method", sort=False):
        shares = {row.curve: _share_text(row) for row in part.itertuples()}
        line = {"Method": label(method), "Efficiency": fixed(part["efficiency"].mean(), 2)}
        for curve in table["curve"].unique():
            line[label(curve).capitalize()] = shares.get(curve, "–")
        lines.append(line)
    return lines


def _share_text(row):
    broken = not np.isnan(row.breakdown)
    return f"{row.breakdown:.0%}" if broken else f"none up to {row.largest_share:.0%}"


def curves(means, label):
    """Errors of the weights against what varies, a panel for each curve.

    Returns
    -------
    figure : matplotlib.figure.Figure
    data : pandas.DataFrame
    """
    if means.empty:
        return note("no runs"), means
    methods = list(means["method"].unique())
    palette = dict(zip(methods, sns.color_palette("tab10", len(methods)), strict=True))
    figure, axes = panels(means["curve"].unique(), height=2.1)
    for axis, name in axes.items():
        part = means[means["curve"] == name]
        for method, line in part.groupby("method", sort=False):
            axis.plot(
                line["value"],
                line["weight_rmse"],
                color=palette[method],
                label=label(method),
                linewidth=1.2,
            )
        inliers = part.groupby("value")["inlier_rmse"].first()
        axis.plot(inliers.index, inliers, "--", color=ink(), label="least squares on the inliers")
        axis.set(yscale="log", xlabel=label(name), ylabel="RMSE of the weights")
        values = inliers.index.to_numpy()
        if values.min() > 0 and values.max() > _WIDE * values.min():
            axis.set_xscale("log")
            axis.xaxis.set_major_formatter(PLAIN)
        axis.yaxis.set_major_formatter(PLAIN)
        axis.yaxis.set_major_locator(LogLocator())
        axis.yaxis.set_minor_formatter(NullFormatter())
    handles, names = next(iter(axes)).get_legend_handles_labels()
    figure.legend(handles, names, loc="outside upper center", ncols=4, frameon=False)
    return figure, means
