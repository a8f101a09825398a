"""Figures that compare: with what the paper printed, method with method, over all datasets."""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import scikit_posthocs as posthocs
from matplotlib.ticker import MaxNLocator

from mccvc.report.drawing import save_figures
from mccvc.report.labels import Labels
from mccvc.report.roles import roles_of
from mccvc.report.style import PAGE, PLAIN, colours, ink, note, panels
from mccvc.study.plan import MIN_RUNS


def write_comparison_figures(study, tables, out):
    """Draw the figures of comparisons.

    Parameters
    ----------
    study : ResolvedStudy
        The resolved study.
    tables, out : path-like
        Directories of the comparisons and of the figures to write.
    """
    label, roles = Labels.of(study), roles_of(study["elm"])
    reproduced, paired, ranks = (
        pd.read_csv(Path(tables) / f"{name}.csv")
        for name in ("published_vs_reproduced", "comparisons", "ranks")
    )
    paired = paired.query("study == 'elm'")
    figures = {
        "reproduction": lambda: reproduction(reproduced, roles, label),
        "differences": lambda: differences(paired, roles, label),
        "critical_difference": lambda: critical_difference(ranks, label),
    }
    save_figures(figures, out)


def reproduction(reproduced, roles, label):
    """Testing RMSE of each dataset and method of the paper: our mean beside the printed one.

    Intervals are three standard errors to either side, the bound of :data:`AGREEMENT`; below ten
    runs there are none.

    Parameters
    ----------
    reproduced : pandas.DataFrame
        Every published figure beside ours.
    roles : mccvc.report.roles.Roles
        Roles of the methods.
    label : mccvc.report.labels.Labels
        What the entries are called.

    Returns
    -------
    figure : matplotlib.figure.Figure
    data : pandas.DataFrame
    """
    shown = reproduced[(reproduced["table"] == "table3") & (reproduced["metric"] == "test_rmse")]
    shown = shown.dropna(subset="reproduced_mean")
    if shown.empty:
        return note("no runs of the paper's methods on its datasets"), shown
    datasets = list(dict.fromkeys(shown["row"]))
    figure, axis = plt.subplots(figsize=(PAGE, 0.8 + 0.42 * len(datasets)), layout="constrained")
    palette = colours(roles)
    for place, role in enumerate(roles.paper):
        part = shown[shown["method"] == role]
        heights = np.array([datasets.index(name) for name in part["row"]]) + 0.24 * (place - 1)
        ours = 3 * part["reproduced_std"] / np.sqrt(part["n_runs"].astype(float))
        ours = ours.where(part["n_runs"] >= MIN_RUNS, 0.0)
        theirs = 3 * part["published_std"] / np.sqrt(part["published_runs"].astype(float))
        entry = roles.entries.get(role, role)
        colour = palette.get(entry, ink())
        axis.errorbar(
            part["reproduced_mean"],
            heights,
            xerr=ours,
            fmt="o",
            color=colour,
            markersize=4.5,
            linewidth=1.6,
            label=f"{label(entry)}, ours",
        )
        axis.errorbar(
            part["published_mean"],
            heights,
            xerr=theirs,
            fmt="D",
            color=colour,
            markersize=4.5,
            linewidth=0.8,
            markerfacecolor="none",
            label=f"{label(entry)}, printed",
        )
    axis.set_yticks(range(len(datasets)), [label(name) for name in datasets])
    axis.set_ylim(len(datasets) - 0.5, -0.5)
    axis.set_xlabel("testing RMSE (mean, three standard errors to either side)")
    axis.xaxis.set_major_formatter(PLAIN)
    axis.margins(x=0.04)
    figure.legend(loc="outside upper center", ncols=len(roles.paper), frameon=False)
    columns = ["row", "method", "published_mean", "published_std", "published_runs"]
    return figure, shown[[*columns, "reproduced_mean", "reproduced_std", "n_runs"]]


def differences(paired, roles, label):
    """Mean differences to the paper's method with both intervals, one panel per dataset.

    Parameters
    ----------
    paired : pandas.DataFrame
        Paired comparisons of the ELM experiment.
    roles : mccvc.report.roles.Roles
        Roles of the methods.
    label : mccvc.report.labels.Labels
        What the entries are called.

    Returns
    -------
    figure : matplotlib.figure.Figure
    data : pandas.DataFrame
    """
    lead = roles.lead
    shown = paired[(paired["first"] == lead) & (paired["n_runs"] > 1)]
    columns = ["group", "first", "second", "difference", "low", "high"]
    data = shown[[*columns, "low_resampled", "high_resampled"]]
    if shown.empty:
        return note("fewer than two runs to compare"), data
    others = list(shown["second"].unique())
    palette = colours(roles)
    height = max(1.2, 0.75 + 0.2 * len(others))
    figure, axes = panels(shown["group"].unique(), height=height)
    for axis, name in axes.items():
        part = shown[shown["group"] == name].set_index("second")
        for place, other in enumerate(others):
            if other not in part.index:
                continue
            row, colour = part.loc[other], palette[other]
            axis.plot(
                [row["low_resampled"], row["high_resampled"]],
                [place, place],
                color=colour,
                linewidth=1.2,
            )
            axis.plot([row["low"], row["high"]], [place, place], color=colour, linewidth=4)
            axis.plot(row["difference"], place, "o", color=ink(), markersize=3)
        axis.axvline(0, color=ink(), linewidth=0.8)
        axis.set_yticks(range(len(others)), [f"− {label(other)}" for other in others])
        axis.set_ylim(len(others) - 0.4, -0.6)
        axis.set(title=label(name), xlabel=f"RMSE of {label(lead)} − other")
        axis.xaxis.set_major_locator(MaxNLocator(5))
        axis.xaxis.set_major_formatter(PLAIN)
    if len(axes) > 1:
        figure.supxlabel("Each panel has a scale of its own.", fontsize="small")
    return figure, data


def critical_difference(table, label):
    """Average ranks over the datasets, methods within the critical difference joined by a bar.

    Parameters
    ----------
    table : pandas.DataFrame
        ``method``, ``average_rank``, ``n_datasets`` and ``critical_difference``.
    label : mccvc.report.labels.Labels
        What the entries are called.

    Returns
    -------
    figure : matplotlib.figure.Figure
    data : pandas.DataFrame
    """
    data = table[["method", "average_rank", "critical_difference"]].dropna(subset="average_rank")
    ranks = data.set_index("method")["average_rank"]
    if len(ranks) < 2:
        return note("fewer than two methods with runs on every dataset"), data
    figure, axis = plt.subplots(figsize=(PAGE, 1.3 + 0.13 * len(ranks)), layout="constrained")
    bound, n_datasets = table[["critical_difference", "n_datasets"]].iloc[0]
    apart = np.abs(np.subtract.outer(ranks.to_numpy(), ranks.to_numpy()))
    names = [label(name) for name in ranks.index]
    significance = np.where(apart > bound, 0.0, 1.0)
    posthocs.critical_difference_diagram(
        dict(zip(names, ranks, strict=True)),
        pd.DataFrame(significance, names, names),
        ax=axis,
        color_palette=dict.fromkeys(names, ink()),
        # Round ends show the bar of methods of equal rank, which has no length.
        crossbar_props={"color": ink(), "linewidth": 3, "solid_capstyle": "round"},
        elbow_props={"linewidth": 1.2},
        text_h_margin=0.02,
    )
    axis.set_xlim(1, len(ranks))
    axis.grid(visible=False)
    axis.set_title(
        f"average rank of the mean testing RMSE, {n_datasets:.0f} datasets;"
        f" critical difference {bound:.2f}",
        fontsize="medium",
    )
    return figure, data
