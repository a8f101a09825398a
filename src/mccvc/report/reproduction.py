"""The picture of the result: Table III as printed and as reproduced."""

import matplotlib.pyplot as plt
import numpy as np

from mccvc.report.style import PAGE, PLAIN, colours, ink, note
from mccvc.study.plan import MIN_RUNS


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
