"""Figures of the linear experiment."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.ticker import LogLocator, NullFormatter

from mccvc.correntropy import gaussian_kernel
from mccvc.report.roles import roles_of
from mccvc.report.style import PAGE, PLAIN, colours, lead_colour, note, panels, shade

_DENSITY_CASE = "case2"


def kernel_and_error_density(errors, titles, label):
    """Fig. 1: density of the errors before the first and second update, and the kernel.

    Parameters
    ----------
    errors : pandas.DataFrame
        ``case``, ``iteration``, ``sigma``, ``center``, ``error`` of one run.
    titles : dict
        Title of each case.
    label : mccvc.report.labels.Labels
        What the entries are called.

    Returns
    -------
    figure : matplotlib.figure.Figure
    data : pandas.DataFrame
        What is drawn, as from every function here.
    """
    cases = errors["case"].unique()
    if not len(cases):
        return note("no kernel with a variable center"), errors
    case = _DENSITY_CASE if _DENSITY_CASE in cases else cases[0]
    shown = errors[errors["case"] == case]
    figure, axes = plt.subplots(1, 2, figsize=(PAGE, 2.7), layout="constrained")
    for axis, (iteration, part), letter in zip(
        axes, shown.groupby("iteration"), "ab", strict=False
    ):
        values = part["error"].to_numpy()
        sigma, center = part["sigma"].iloc[0], part["center"].iloc[0]
        low, high = np.percentile(values, [5, 95])
        low, high = min(low, center - 4 * sigma) - 1, max(high, center + 4 * sigma) + 1
        edges = np.linspace(low, high, 41)
        inside = np.histogram(values, edges)[0] / (len(values) * np.diff(edges))
        axis.stairs(inside, edges, fill=True, color=shade(), label="errors")
        grid = np.linspace(low, high, 400)
        axis.plot(
            grid,
            gaussian_kernel(grid, sigma, center),
            color=lead_colour(),
            linewidth=2,
            label=rf"$G_{{\sigma^*}}(e - c^*)$, $\sigma^*={sigma:.1f}$, $c^*={center:.1f}$",
        )
        axis.set(xlabel="error $e$", ylabel="density", xlim=(low, high))
        axis.set_ylim(0, 1.4 * max(inside.max(), 1 / (np.sqrt(2 * np.pi) * sigma)))
        axis.set_title(f"({letter}) iteration {iteration}", loc="left")
        axis.legend(loc="upper left", frameon=False)
    figure.suptitle(f"{label(case)}: {titles[case]}", fontsize="medium")
    return figure, shown


def linear_convergence(plan, rows, label):
    """RMSE of the weights against the iteration, mean over the runs, one panel per case.

    Parameters
    ----------
    plan : ExperimentPlan
        The linear experiment.
    rows : pandas.DataFrame
        ``case``, ``criterion``, ``run``, ``iteration``, ``weight_rmse``.
    label : mccvc.report.labels.Labels
        What the entries are called.

    Returns
    -------
    figure : matplotlib.figure.Figure
    data : pandas.DataFrame
    """
    if rows.empty:
        return note("no iterations to follow"), rows
    figure, axes = panels(rows["case"].unique(), height=2.4, columns=2)
    criteria = list(rows["criterion"].unique())
    roles = roles_of(plan)
    palette = colours(roles)
    with_intercept = {spec.method for spec in plan.specs if spec.fit.intercept}
    last = rows["iteration"].max()
    lines = []
    for axis, case in axes.items():
        part = rows[rows["case"] == case]
        for criterion in criteria:
            wide = part[part["criterion"] == criterion].pivot_table(
                index="iteration", columns="run", values="weight_rmse"
            )
            mean = wide.reindex(range(1, last + 1)).ffill().mean(axis=1)
            # Dashed where a line may cover the one of the same criterion without intercept.
            style = "--" if criterion in with_intercept else "-"
            axis.plot(mean.index, mean, style, color=palette[criterion], label=label(criterion))
            line = mean.rename_axis("iteration").rename("weight_rmse").reset_index()
            lines.append(line.assign(case=case, criterion=criterion))
        axis.set(xscale="log", yscale="log", xlabel="iteration $k$", ylabel="RMSE of the weights")
        axis.set_title(f"{label(case)}: {plan.titles[case]}", fontsize="medium")
        for direction in (axis.xaxis, axis.yaxis):
            direction.set_major_locator(LogLocator(subs=(1, 2, 5)))
            direction.set_major_formatter(PLAIN)
            direction.set_minor_formatter(NullFormatter())
    handles, names = next(iter(axes)).get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=len(criteria), frameon=False)
    return figure, pd.concat(lines)
