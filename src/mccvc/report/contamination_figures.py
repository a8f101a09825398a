"""Figures of the contamination experiment."""

import matplotlib.pyplot as plt
import pandas as pd
import seaborn as sns
from matplotlib.ticker import LogLocator, NullFormatter

from mccvc.report.contamination_ratios import CELL, CONDITION, cell_means, condition_text
from mccvc.report.style import PAGE, PLAIN, ink, note, panels

# Labels below so many characters go three to a line.
_SHORT = 30


def curves(rows, methods, label):
    """Testing RMSE against the share of outliers, a panel for each dataset.

    Of the kind and size of outliers with the most shares.

    Returns
    -------
    figure : matplotlib.figure.Figure
    data : pandas.DataFrame
    """
    means = cell_means(rows[rows["method"].isin(methods)])
    if means.empty:
        return note("no runs of these methods"), means
    spoilt = means[means["share"] > 0]
    kinds = spoilt.groupby(CONDITION[:3])["share"].nunique()
    if len(kinds):
        most = (spoilt[CONDITION[:3]] == list(kinds.idxmax())).all(axis=1)
        means = pd.concat([means[means["share"] == 0], spoilt[most]])
    palette = dict(zip(methods, sns.color_palette("colorblind", len(methods)), strict=True))
    figure, axes = panels(means["dataset"].unique(), height=1.7)
    for axis, name in axes.items():
        for method in methods:
            part = means[(means["dataset"] == name) & (means["method"] == method)]
            part = part.sort_values("share")
            shown = label(method) if name == means["dataset"].iloc[0] else None
            axis.plot(
                part["share"], part["test_rmse_mean"], "o-", color=palette[method], label=shown
            )
        axis.set(
            title=label(name), xlabel="share of spoilt rows", ylabel="testing RMSE", yscale="log"
        )
        axis.yaxis.set_major_formatter(PLAIN)
        axis.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axis.yaxis.set_minor_formatter(NullFormatter())
    columns = 3 if max(len(label(method)) for method in methods) < _SHORT else 2
    figure.legend(loc="outside upper center", ncols=columns, frameon=False)
    return figure, means


def best_map(rows, label):
    """The method with the lowest mean testing RMSE in every cell.

    Returns
    -------
    figure : matplotlib.figure.Figure
    data : pandas.DataFrame
    """
    means = cell_means(rows)
    if means.empty:
        return note("no runs of these methods"), means
    best = means.loc[means.groupby(CELL, sort=False)["test_rmse_mean"].idxmin()]
    best = best.assign(condition=[condition_text(row) for row in best.itertuples()])
    conditions, datasets = list(best["condition"].unique()), list(best["dataset"].unique())
    names = list(best["method"].unique())
    codes = best.assign(code=best["method"].map(names.index))
    # The longer side goes down the page.
    upright = len(datasets) > len(conditions)
    down, across = (datasets, conditions) if upright else (conditions, datasets)
    names_of = ("dataset", "condition") if upright else ("condition", "dataset")
    grid = codes.pivot_table("code", *names_of).loc[down, across]
    size = (PAGE, 1.0 + 0.5 * len(down))
    figure, axis = plt.subplots(figsize=size, layout="constrained")
    colours = sns.color_palette("pastel", max(2, len(names)))
    sns.heatmap(grid, ax=axis, cmap=colours, cbar=False, linewidths=1, linecolor="white")
    for row in codes.itertuples():
        place = [getattr(row, name) for name in names_of]
        text = label(row.method).replace(", ", ",\n") + f"\n{row.test_rmse_mean:.3f}"
        axis.text(
            across.index(place[1]) + 0.5,
            down.index(place[0]) + 0.5,
            text,
            ha="center",
            va="center",
            fontsize=5.5,
            color=ink(),
        )
    axis.set(xlabel="", ylabel="")
    said = {name: label(name) for name in datasets}
    said |= {name: name.replace(", ", ",\n") for name in conditions}
    axis.set_xticks(axis.get_xticks(), [said[name] for name in across])
    axis.set_yticks(axis.get_yticks(), [said[name] for name in down])
    axis.tick_params(axis="y", rotation=0)
    axis.grid(visible=False)
    return figure, best[[*CELL, "method", "n_runs", "test_rmse_mean"]]
