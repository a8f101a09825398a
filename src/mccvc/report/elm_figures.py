"""Figures of the ELM experiment."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.colors import LogNorm
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter

from mccvc.report.style import PAGE, PLAIN, colours, ink, note, panels, shade
from mccvc.report.tables import published
from mccvc.study.plan import MIN_RUNS


def test_rmse(rows, roles, label):
    """Box plots of the testing RMSE, one panel per dataset.

    Parameters
    ----------
    rows : pandas.DataFrame
        Rows of the ELM experiment.
    roles : mccvc.report.roles.Roles
        Roles of the methods.
    label : mccvc.report.labels.Labels
        What the entries are called.

    Returns
    -------
    figure : matplotlib.figure.Figure
    data : pandas.DataFrame
    """
    methods = list(rows["method"].unique())
    if not methods:
        return note("no runs"), rows[["dataset", "method", "run", "test_rmse"]]
    height = max(1.5, 0.75 + 0.2 * len(methods))
    figure, axes = panels(rows["dataset"].unique(), height=height)
    for axis, name in axes.items():
        _boxes(axis, rows[rows["dataset"] == name], methods, roles, label)
        axis.set(title=label(name), xlabel="testing RMSE", ylabel="")
    return figure, rows[["dataset", "method", "run", "test_rmse"]]


def dataset(rows, name, roles, label):
    """One dataset: testing RMSEs, and their paired differences to the paper's method.

    Parameters
    ----------
    rows : pandas.DataFrame
        Rows of the ELM experiment on the dataset.
    name : str
        Name of the dataset.
    roles : mccvc.report.roles.Roles
        Roles of the methods.
    label : mccvc.report.labels.Labels
        What the entries are called.

    Returns
    -------
    figure : matplotlib.figure.Figure
    data : pandas.DataFrame
    """
    methods = list(rows["method"].unique())
    columns = ["dataset", "method", "run", "test_rmse"]
    if not methods:
        return note("no runs"), rows[columns]
    height = max(1.7, 0.8 + 0.22 * len(methods))
    figure, (left, right) = plt.subplots(1, 2, figsize=(PAGE, height), layout="constrained")
    _boxes(left, rows, methods, roles, label)
    left.set(title=label(name), xlabel="testing RMSE", ylabel="")
    lead = roles.lead if roles.lead in methods else methods[0]
    wide = rows.pivot_table(index="run", columns="method", values="test_rmse")
    others = [method for method in methods if method != lead]
    paired = wide[others].rsub(wide[lead], axis=0)
    # Spread by a seed of its own, so that the same rows give the same picture.
    rng, palette = np.random.default_rng(0), colours(roles)
    for place, other in enumerate(others):
        values = paired[other].dropna()
        heights = place + rng.uniform(-0.28, 0.28, len(values))
        right.scatter(values, heights, s=7, color=palette[other], alpha=0.65, linewidths=0)
        right.plot(values.mean(), place, "|", color=ink(), markersize=16)
    right.set_ylim(len(others) - 0.5, -0.5)
    right.margins(x=0.08)
    right.axvline(0, color=ink(), linewidth=0.8)
    right.set(title="paired by run", xlabel=f"RMSE of {label(lead)} − other", ylabel="")
    right.set_yticks(range(len(others)), [f"− {label(m)}" for m in others])
    right.xaxis.set_major_locator(MaxNLocator(5))
    right.xaxis.set_major_formatter(PLAIN)
    return figure, rows[columns]


_CHOICES = (
    ("n_hidden", "hidden nodes"),
    ("lam", r"penalty $\lambda'$"),
    ("sigma", r"kernel width $\sigma$"),
)
# Discs of more methods could not be told apart.
_MOST_DISCS = 8


def hyperparameters(rows, roles, label):
    """Chosen number of hidden nodes, penalty and width: how often, by dataset and method.

    The area of a disc is the share of runs that chose the value. Of more than eight methods the
    medians are shown.

    Parameters
    ----------
    rows : pandas.DataFrame
        Rows of the ELM experiment.
    roles : mccvc.report.roles.Roles
        Roles of the methods.
    label : mccvc.report.labels.Labels
        What the entries are called.

    Returns
    -------
    figure : matplotlib.figure.Figure
    data : pandas.DataFrame
    """
    palette = colours(roles)
    # Methods without any of the three have nothing to show here.
    rows = rows[rows[["n_hidden", "lam", "sigma"]].notna().any(axis=1)]
    datasets, methods = list(rows["dataset"].unique()), list(rows["method"].unique())
    if not methods:
        return note("nothing was chosen"), rows[["dataset", "method"]]
    if len(methods) > _MOST_DISCS:
        return _median_choices(rows, methods, datasets, label)
    width = max(PAGE, 0.75 * len(datasets))
    offsets = dict(zip(methods, np.linspace(-0.27, 0.27, len(methods)), strict=True))
    figure, axes = plt.subplots(3, 1, figsize=(width, 7.0), sharex=True, layout="constrained")
    lines = []
    for axis, (column, name) in zip(axes, _CHOICES, strict=True):
        shares = rows.groupby(["dataset", "method"])[column].value_counts(normalize=True)
        for (dataset_name, method, value), share in shares.items():
            axis.scatter(
                datasets.index(dataset_name) + offsets[method],
                value,
                s=min(150, 600 / len(methods)) * share,
                color=palette[method],
                linewidths=0,
            )
            lines.append((column, dataset_name, method, value, share))
        axis.set(yscale="log", ylabel=name)
        axis.grid(axis="x", visible=False)
        for boundary in np.arange(len(datasets) - 1) + 0.5:
            axis.axvline(boundary, color=shade(), linewidth=0.8)
    sizes = sorted(rows["n_hidden"].dropna().unique().astype(int))
    axes[0].set_yticks(sizes, list(map(str, sizes)))
    axes[0].minorticks_off()
    axes[0].margins(y=0.2)
    axes[2].yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes[2].yaxis.set_major_formatter(PLAIN)
    axes[2].yaxis.set_minor_formatter(NullFormatter())
    axes[-1].set_xticks(range(len(datasets)), [label(name) for name in datasets])
    axes[-1].tick_params(axis="x", rotation=0 if len(datasets) < 9 else 40)
    axes[-1].set_xlim(-0.5, len(datasets) - 0.5)
    handles = [axes[0].scatter([], [], s=60, color=palette[m], label=label(m)) for m in methods]
    columns = min(len(methods), int(width / 1.8))
    figure.legend(handles=handles, loc="outside upper center", ncols=columns, frameon=False)
    return figure, pd.DataFrame(lines, columns=["parameter", "dataset", "method", "value", "share"])


def _median_choices(rows, methods, datasets, label):
    """Median of each chosen parameter, methods by datasets."""
    size = (max(PAGE, 0.75 * len(datasets) * 3), 1.4 + 0.19 * len(methods))
    figure, axes = plt.subplots(1, 3, figsize=size, sharey=True, layout="constrained")
    medians = rows.groupby(["dataset", "method"])[[name for name, _ in _CHOICES]].median()
    for axis, (column, name) in zip(axes, _CHOICES, strict=True):
        values = medians.pivot_table(column, "method", "dataset", dropna=False)
        values = values.reindex(index=methods, columns=datasets)
        # Limits of their own where no method has the parameter.
        limits = (np.nanmin(values), np.nanmax(values)) if values.notna().any(axis=None) else (1, 1)
        sns.heatmap(
            values,
            ax=axis,
            norm=LogNorm(*limits),
            vmin=limits[0],
            vmax=limits[1],
            cmap="crest",
            annot=True,
            fmt=".0e" if column == "lam" else ".3g",
            annot_kws={"fontsize": 5},
            cbar=False,
            linewidths=0.4,
            linecolor=shade(),
        )
        axis.set(title=f"{name} (median)", xlabel="", ylabel="")
        axis.set_xticks(axis.get_xticks(), [label(name) for name in datasets], rotation=60)
        axis.grid(visible=False)
    axes[0].set_yticks(np.arange(len(methods)) + 0.5, [label(m) for m in methods], rotation=0)
    data = medians.reset_index().melt(["dataset", "method"], var_name="parameter")
    return figure, data


def _boxes(axis, rows, methods, roles, label):
    """Boxes of the testing RMSE, or points below ten runs, and what the paper printed."""
    palette = colours(roles)
    if rows.groupby("method").size().max() < MIN_RUNS:
        for place, method in enumerate(methods):
            values = rows.loc[rows["method"] == method, "test_rmse"]
            axis.plot(values, [place] * len(values), "o", color=palette[method], markersize=4)
    else:
        sns.boxplot(
            rows,
            x="test_rmse",
            y="method",
            hue="method",
            order=methods,
            palette={name: palette[name] for name in methods},
            ax=axis,
            width=0.6,
            fliersize=2,
            linewidth=0.9,
            linecolor=ink(),
            legend=False,
        )
    printed = published().query("table == 'table3' and metric == 'test_rmse'")
    printed = printed[printed["row"].isin(rows["dataset"])].set_index("method")
    for place, method in enumerate(methods):
        if (role := roles.of(method)) in printed.index:
            mean, std = printed.loc[role, ["mean", "std"]]
            axis.errorbar(
                mean,
                place - 0.42,
                xerr=std,
                fmt="D",
                color=ink(),
                markerfacecolor="none",
                markersize=4.5,
                linewidth=0.9,
                capsize=2,
            )
    axis.set_yticks(range(len(methods)), [label(m) for m in methods])
    # Room for what was printed above the first one.
    axis.set_ylim(len(methods) - 0.5, -0.8)
    axis.xaxis.set_major_locator(MaxNLocator(5))
    axis.margins(x=0.06)
