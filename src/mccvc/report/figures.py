"""Figures: PNG for light and dark screens, PDF with embedded fonts for print, data as CSV."""

from functools import partial
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import scikit_posthocs as posthocs
import seaborn as sns
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

from mccvc.correntropy import gaussian_kernel
from mccvc.report.evidence import PAPER_METHODS, pairs_of
from mccvc.report.tables import label, read_runs, write_csv
from mccvc.study.files import atomic_path

# One colour per method in all figures, from seaborn's colour-blind palette.
_PALETTE = sns.color_palette("colorblind")
COLOURS = {
    "mmse": _PALETTE[7],
    "mcc": _PALETTE[1],
    "mcc-vc": _PALETTE[0],
    "mmse-intercept": _PALETTE[4],
    "mcc-intercept": _PALETTE[2],
    "relm": _PALETTE[7],
    "elm-rcc": _PALETTE[1],
    "elm-mcc-vc": _PALETTE[0],
}
_SPARE_COLOURS = [_PALETTE[i] for i in (3, 5, 6, 8, 9)]
_DENSITY_CASE = "case2"
_PLAIN = FuncFormatter(lambda value, position: f"{value:g}".replace("-", "−"))
# Widths of one and of two columns of a journal page, in inches.
COLUMN, PAGE = 3.5, 7.16
_INK = {"light": ("#1a1a1a", "#ffffff", "0.75"), "dark": ("#e6e6e6", "#161a20", "0.45")}


def write_figures(study, runs, traces, tables, out):
    """Draw all figures.

    Parameters
    ----------
    study : dict
        The resolved study.
    runs, traces, tables, out : path-like
        Directories of the shards, the traces, the comparisons and the figures to write.
    """
    linear = pd.read_parquet(Path(traces) / "convergence.parquet")
    errors = pd.read_parquet(Path(traces) / "errors.parquet")
    compared = pd.read_csv(Path(tables) / "comparisons.csv").query("study == 'elm'")
    elm = read_runs(study, runs, "elm")
    elm = elm[elm["error"].isna()]
    ranks = pd.read_csv(Path(tables) / "ranks.csv")
    titles = study["linear"].titles
    figures: dict[str, Any] = {
        "kernel_and_error_density": lambda: kernel_and_error_density(errors, titles),
        "linear_convergence": lambda: linear_convergence(linear, titles),
        "test_rmse": lambda: test_rmse(elm),
        "differences": lambda: differences(compared),
        "critical_difference": lambda: critical_difference(ranks),
        "hyperparameters": lambda: hyperparameters(elm),
    }
    for name in study["elm"].problems:
        figures[f"dataset_{name}"] = partial(dataset, elm[elm["dataset"] == name], name)
    for name, draw in figures.items():
        for theme, suffixes in (("light", ("png", "pdf")), ("dark", ("dark.png",))):
            with _style(theme):
                figure, data = draw()
                for suffix in suffixes:
                    kind = suffix.rpartition(".")[2]
                    metadata = {"CreationDate": None} if kind == "pdf" else None
                    with atomic_path(Path(out) / f"{name}.{suffix}") as temporary:
                        figure.savefig(temporary, format=kind, dpi=150, metadata=metadata)
                plt.close(figure)
        write_csv(data, Path(out) / f"{name}.csv")


def _style(theme):
    ink, paper, _ = _INK[theme]
    style = sns.axes_style("ticks") | sns.plotting_context("paper", font_scale=0.95)
    style |= {"pdf.fonttype": 42, "axes.grid": True, "grid.alpha": 0.3, "axes.axisbelow": True}
    style |= {"figure.facecolor": paper, "axes.facecolor": paper, "grid.color": "0.6"}
    inked = ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color")
    return plt.rc_context(style | dict.fromkeys(inked, ink) | {"boxplot.flierprops.color": ink})


def _ink():
    return plt.rcParams["text.color"]


def _shade():
    """A grey that shows on the paper in use."""
    return _INK["light" if _ink() == _INK["light"][0] else "dark"][2]


def kernel_and_error_density(errors, titles):
    """Fig. 1: density of the errors before the first and second update, and the kernel.

    Parameters
    ----------
    errors : pandas.DataFrame
        ``case``, ``iteration``, ``sigma``, ``center``, ``error`` of one run.
    titles : dict
        Title of each case.

    Returns
    -------
    figure : matplotlib.figure.Figure
    data : pandas.DataFrame
        What is drawn, as from every function here.
    """
    cases = errors["case"].unique()
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
        axis.stairs(inside, edges, fill=True, color=_shade(), label="errors")
        grid = np.linspace(low, high, 400)
        axis.plot(
            grid,
            gaussian_kernel(grid, sigma, center),
            color=COLOURS["mcc-vc"],
            linewidth=2,
            label=rf"$G_{{\sigma^*}}(e - c^*)$, $\sigma^*={sigma:.1f}$, $c^*={center:.1f}$",
        )
        axis.set(xlabel="error $e$", ylabel="density", xlim=(low, high))
        axis.set_ylim(0, 1.4 * max(inside.max(), 1 / (np.sqrt(2 * np.pi) * sigma)))
        axis.set_title(f"({letter}) iteration {iteration}", loc="left")
        axis.legend(loc="upper left", frameon=False)
    figure.suptitle(f"{label(case)}: {titles[case]}", fontsize="medium")
    return figure, shown


def test_rmse(rows):
    """Box plots of the testing RMSE, one panel per dataset.

    Parameters
    ----------
    rows : pandas.DataFrame
        Rows of the ELM study.

    Returns
    -------
    figure : matplotlib.figure.Figure
    data : pandas.DataFrame
    """
    methods = list(rows["method"].unique())
    height = max(1.5, 0.75 + 0.2 * len(methods))
    figure, axes = _panels(rows["dataset"].unique(), height=height)
    for axis, name in axes.items():
        _boxes(axis, rows[rows["dataset"] == name], methods)
        axis.set(title=label(name), xlabel="testing RMSE", ylabel="")
    return figure, rows[["dataset", "method", "run", "test_rmse"]]


def differences(compared):
    """Mean differences to the paper's method with both intervals, one panel per dataset.

    Parameters
    ----------
    compared : pandas.DataFrame
        Paired comparisons of the ELM study.

    Returns
    -------
    figure : matplotlib.figure.Figure
    data : pandas.DataFrame
    """
    lead = compared["first"].iloc[0]
    shown = compared[(compared["first"] == lead) & (compared["n_runs"] > 1)]
    columns = ["group", "first", "second", "difference", "low", "high"]
    data = shown[[*columns, "low_corrected", "high_corrected"]]
    if shown.empty:
        return _note("fewer than two runs to compare"), data
    others = list(shown["second"].unique())
    colours = _colours([lead, *others])
    height = max(1.2, 0.75 + 0.2 * len(others))
    figure, axes = _panels(shown["group"].unique(), height=height)
    for axis, name in axes.items():
        part = shown[shown["group"] == name].set_index("second")
        for place, other in enumerate(others):
            if other not in part.index:
                continue
            row, colour = part.loc[other], colours[other]
            axis.plot(
                [row["low_corrected"], row["high_corrected"]],
                [place, place],
                color=colour,
                linewidth=1.2,
            )
            axis.plot([row["low"], row["high"]], [place, place], color=colour, linewidth=4)
            axis.plot(row["difference"], place, "o", color=_ink(), markersize=3)
        axis.axvline(0, color=_ink(), linewidth=0.8)
        axis.set_yticks(range(len(others)), [f"− {label(other)}" for other in others])
        axis.set_ylim(len(others) - 0.4, -0.6)
        axis.set(title=label(name), xlabel=f"RMSE of {label(lead)} − other")
        axis.xaxis.set_major_locator(MaxNLocator(5))
        axis.xaxis.set_major_formatter(_PLAIN)
    return figure, data


def critical_difference(table):
    """Average ranks over the datasets, methods within the critical difference joined by a bar.

    Parameters
    ----------
    table : pandas.DataFrame
        ``method``, ``average_rank``, ``n_datasets`` and ``critical_difference``.

    Returns
    -------
    figure : matplotlib.figure.Figure
    data : pandas.DataFrame
    """
    data = table[["method", "average_rank", "critical_difference"]].dropna(subset="average_rank")
    ranks = data.set_index("method")["average_rank"]
    if len(ranks) < 2:
        return _note("fewer than two methods with runs on every dataset"), data
    figure, axis = plt.subplots(figsize=(PAGE, 1.3 + 0.13 * len(ranks)), layout="constrained")
    bound, n_datasets = table[["critical_difference", "n_datasets"]].iloc[0]
    apart = np.abs(np.subtract.outer(ranks.to_numpy(), ranks.to_numpy()))
    names = [label(name) for name in ranks.index]
    significance = np.where(apart > bound, 0.0, 1.0)
    posthocs.critical_difference_diagram(
        dict(zip(names, ranks, strict=True)),
        pd.DataFrame(significance, names, names),
        ax=axis,
        color_palette=dict.fromkeys(names, _ink()),
        crossbar_props={"color": _ink(), "linewidth": 2.5},
        elbow_props={"linewidth": 1.2},
        text_h_margin=0.02,
    )
    axis.grid(visible=False)
    axis.set_title(
        f"average rank of the mean testing RMSE, {n_datasets:.0f} datasets;"
        f" critical difference {bound:.2f}",
        fontsize="medium",
    )
    return figure, data


def dataset(rows, name):
    """One dataset: testing RMSEs, and their paired differences to the paper's method.

    Parameters
    ----------
    rows : pandas.DataFrame
        Rows of the ELM study on the dataset.
    name : str
        Name of the dataset.

    Returns
    -------
    figure : matplotlib.figure.Figure
    data : pandas.DataFrame
    """
    methods = list(rows["method"].unique())
    columns = ["dataset", "method", "run", "test_rmse"]
    if not methods:
        return _note("no runs"), rows[columns]
    height = max(1.7, 0.8 + 0.22 * len(methods))
    figure, (left, right) = plt.subplots(1, 2, figsize=(PAGE, height), layout="constrained")
    _boxes(left, rows, methods)
    left.set(title=label(name), xlabel="testing RMSE", ylabel="")
    lead = pairs_of(methods, PAPER_METHODS)[0][0] if len(methods) > 1 else methods[0]
    wide = rows.pivot_table(index="run", columns="method", values="test_rmse")
    others = [method for method in methods if method != lead]
    paired = wide[others].rsub(wide[lead], axis=0)
    long = paired.melt(var_name="method", value_name="difference", ignore_index=False)
    if others:
        colours = _colours(methods)
        sns.stripplot(
            long,
            x="difference",
            y="method",
            hue="method",
            order=others,
            palette={m: colours[m] for m in others},
            ax=right,
            size=2.6,
            alpha=0.65,
            jitter=0.28,
            legend=False,
        )
        right.plot(paired[others].mean(), range(len(others)), "|", color=_ink(), markersize=16)
    right.axvline(0, color=_ink(), linewidth=0.8)
    right.set(title="paired differences", xlabel=f"RMSE of {label(lead)} − other", ylabel="")
    right.set_yticks(range(len(others)), [f"− {label(m)}" for m in others])
    right.xaxis.set_major_locator(MaxNLocator(5))
    right.xaxis.set_major_formatter(_PLAIN)
    return figure, rows[columns]


def linear_convergence(rows, titles):
    """RMSE of the weights against the iteration, mean over the runs, one panel per case.

    Parameters
    ----------
    rows : pandas.DataFrame
        ``case``, ``criterion``, ``run``, ``iteration``, ``weight_rmse``.
    titles : dict
        Title of each case.

    Returns
    -------
    figure : matplotlib.figure.Figure
    data : pandas.DataFrame
    """
    figure, axes = _panels(rows["case"].unique(), height=2.4, columns=2)
    criteria = list(rows["criterion"].unique())
    colours = _colours(criteria)
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
            style = "--" if criterion.endswith("-intercept") else "-"
            axis.plot(mean.index, mean, style, color=colours[criterion], label=label(criterion))
            line = mean.rename_axis("iteration").rename("weight_rmse").reset_index()
            lines.append(line.assign(case=case, criterion=criterion))
        axis.set(xscale="log", yscale="log", xlabel="iteration $k$", ylabel="RMSE of the weights")
        axis.set_title(f"{label(case)}: {titles[case]}", fontsize="medium")
        for direction in (axis.xaxis, axis.yaxis):
            direction.set_major_locator(LogLocator(subs=(1, 2, 5)))
            direction.set_major_formatter(_PLAIN)
            direction.set_minor_formatter(NullFormatter())
    handles, names = next(iter(axes)).get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=len(criteria), frameon=False)
    return figure, pd.concat(lines)


def hyperparameters(rows):
    """Chosen number of hidden nodes, penalty and width: how often, by dataset and method.

    The area of a disc is the share of runs that chose the value.

    Parameters
    ----------
    rows : pandas.DataFrame
        Rows of the ELM study.

    Returns
    -------
    figure : matplotlib.figure.Figure
    data : pandas.DataFrame
    """
    colours = _colours(list(rows["method"].unique()))
    # Methods without any of the three have nothing to show here.
    rows = rows[rows[["n_hidden", "lam", "sigma"]].notna().any(axis=1)]
    datasets, methods = list(rows["dataset"].unique()), list(rows["method"].unique())
    width = max(PAGE, 0.75 * len(datasets))
    offsets = dict(zip(methods, np.linspace(-0.27, 0.27, len(methods)), strict=True))
    figure, axes = plt.subplots(3, 1, figsize=(width, 7.0), sharex=True, layout="constrained")
    lines = []
    for axis, (column, name) in zip(
        axes,
        (
            ("n_hidden", "hidden nodes"),
            ("lam", r"penalty $\lambda'$"),
            ("sigma", r"kernel width $\sigma$"),
        ),
        strict=True,
    ):
        shares = rows.groupby(["dataset", "method"])[column].value_counts(normalize=True)
        for (dataset_name, method, value), share in shares.items():
            axis.scatter(
                datasets.index(dataset_name) + offsets[method],
                value,
                s=min(150, 600 / len(methods)) * share,
                color=colours[method],
                linewidths=0,
            )
            lines.append((column, dataset_name, method, value, share))
        axis.set(yscale="log", ylabel=name)
        axis.grid(axis="x", visible=False)
        for boundary in np.arange(len(datasets) - 1) + 0.5:
            axis.axvline(boundary, color=_shade(), linewidth=0.8)
    sizes = sorted(rows["n_hidden"].dropna().unique().astype(int))
    axes[0].set_yticks(sizes, list(map(str, sizes)))
    axes[0].minorticks_off()
    axes[0].margins(y=0.2)
    axes[2].yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes[2].yaxis.set_major_formatter(_PLAIN)
    axes[2].yaxis.set_minor_formatter(NullFormatter())
    axes[-1].set_xticks(range(len(datasets)), [label(name) for name in datasets])
    axes[-1].tick_params(axis="x", rotation=0 if len(datasets) < 9 else 40)
    axes[-1].set_xlim(-0.5, len(datasets) - 0.5)
    handles = [axes[0].scatter([], [], s=60, color=colours[m], label=label(m)) for m in methods]
    columns = min(len(methods), int(width / 1.8))
    figure.legend(handles=handles, loc="outside upper center", ncols=columns, frameon=False)
    return figure, pd.DataFrame(lines, columns=["parameter", "dataset", "method", "value", "share"])


def _note(text):
    """A figure that says why there is none."""
    figure, axis = plt.subplots(figsize=(PAGE, 1.0), layout="constrained")
    axis.set_axis_off()
    axis.text(0.5, 0.5, text, ha="center", va="center")
    return figure


def _boxes(axis, rows, methods):
    sns.boxplot(
        rows,
        x="test_rmse",
        y="method",
        hue="method",
        order=methods,
        palette=_colours(methods),
        ax=axis,
        width=0.6,
        fliersize=2,
        linewidth=0.9,
        linecolor=_ink(),
        legend=False,
    )
    axis.set_yticks(range(len(methods)), [label(m) for m in methods])
    axis.xaxis.set_major_locator(MaxNLocator(5))


def _panels(items, height, columns=None):
    """A grid of panels; returns the figure and its axes, one for each item."""
    columns = columns or (1 if len(items) < 3 else 2)
    lines = max(1, -(-len(items) // columns))
    figure, grid = plt.subplots(
        lines, columns, figsize=(PAGE, height * lines), layout="constrained", squeeze=False
    )
    spare = grid.flat[len(items) :]
    for axis in spare:
        axis.remove()
    return figure, dict(zip(grid.flat, items, strict=False))


def _colours(methods):
    others = [method for method in methods if method not in COLOURS]
    few = len(others) <= len(_SPARE_COLOURS)
    spare = _SPARE_COLOURS if few else sns.husl_palette(len(others))
    return COLOURS | dict(zip(others, spare, strict=False))
