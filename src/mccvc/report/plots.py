"""Figures: PNG for the screen, PDF with embedded fonts for print."""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

from mccvc.correntropy import gaussian_kernel
from mccvc.report.tables import label, read_runs
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
_PLAIN = FuncFormatter(lambda value, position: f"{value:g}")


def write_figures(study, runs, traces, out):
    """Draw all figures.

    Parameters
    ----------
    study : dict
        The resolved study.
    runs, traces, out : path-like
        Directories of the shards, the traces and the figures to write.
    """
    sns.set_theme(
        style="ticks",
        context="paper",
        font_scale=1.1,
        rc={"pdf.fonttype": 42, "axes.grid": True, "grid.alpha": 0.3, "savefig.bbox": "tight"},
    )
    linear = pd.read_parquet(Path(traces) / "convergence.parquet")
    errors = pd.read_parquet(Path(traces) / "errors.parquet")
    elm = read_runs(study, runs, "elm")
    elm = elm[elm["error"].isna()]
    for name, figure in {
        "kernel_and_error_density": kernel_and_error_density(errors, study["titles"]),
        "test_rmse": test_rmse(elm),
        "linear_convergence": linear_convergence(linear, study["titles"]),
        "hyperparameters": hyperparameters(elm),
    }.items():
        for suffix in ("png", "pdf"):
            with atomic_path(Path(out) / f"{name}.{suffix}") as temporary:
                metadata = {"CreationDate": None} if suffix == "pdf" else None
                figure.savefig(temporary, format=suffix, dpi=200, metadata=metadata)
        plt.close(figure)


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
    matplotlib.figure.Figure
    """
    cases = errors["case"].unique()
    case = _DENSITY_CASE if _DENSITY_CASE in cases else cases[0]
    shown = errors[errors["case"] == case]
    figure, axes = plt.subplots(1, 2, figsize=(7.2, 2.9), constrained_layout=True)
    for axis, (iteration, part), letter in zip(
        axes, shown.groupby("iteration"), "ab", strict=False
    ):
        values = part["error"].to_numpy()
        sigma, center = part["sigma"].iloc[0], part["center"].iloc[0]
        low, high = np.percentile(values, [5, 95])
        low, high = min(low, center - 4 * sigma) - 1, max(high, center + 4 * sigma) + 1
        edges = np.linspace(low, high, 41)
        inside = np.histogram(values, edges)[0] / (len(values) * np.diff(edges))
        axis.stairs(inside, edges, fill=True, color="0.75", label="errors")
        grid = np.linspace(low, high, 400)
        axis.plot(
            grid,
            gaussian_kernel(grid, sigma, center),
            color=COLOURS["mcc-vc"],
            linewidth=2,
            label=rf"$G_{{\sigma^*}}(e - c^*)$, $\sigma^*={sigma:.1f}$, $c^*={center:.1f}$",
        )
        axis.set(xlabel="error $e$", ylabel="density", xlim=(low, high))
        axis.set_ylim(0, 1.35 * max(inside.max(), 1 / (np.sqrt(2 * np.pi) * sigma)))
        axis.set_title(f"({letter}) iteration {iteration}", loc="left")
        axis.legend(loc="upper left", frameon=False)
    figure.suptitle(f"{label(case)}: {titles[case]}", fontsize="medium")
    return figure


def test_rmse(rows):
    """Box plots of the testing RMSE, one panel per dataset.

    Parameters
    ----------
    rows : pandas.DataFrame
        Rows of the ELM study.

    Returns
    -------
    matplotlib.figure.Figure
    """
    figure, axes = _panels(rows["dataset"].unique(), height=2.5)
    methods = list(rows["method"].unique())
    for axis, dataset in axes.items():
        sns.boxplot(
            rows[rows["dataset"] == dataset],
            x="test_rmse",
            y="method",
            hue="method",
            order=methods,
            palette=_colours(methods),
            ax=axis,
            width=0.6,
            fliersize=2,
            linewidth=1,
        )
        axis.set(title=label(dataset), xlabel="testing RMSE (target scaled to [0, 1])", ylabel="")
        axis.set_yticks(range(len(methods)), [label(m) for m in methods])
        axis.xaxis.set_major_locator(MaxNLocator(5))
    return figure


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
    matplotlib.figure.Figure
    """
    figure, axes = _panels(rows["case"].unique(), height=2.6, columns=2)
    criteria = list(rows["criterion"].unique())
    colours = _colours(criteria)
    last = rows["iteration"].max()
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
        axis.set(xscale="log", yscale="log", xlabel="iteration $k$", ylabel="RMSE of the weights")
        axis.set_title(f"{label(case)}: {titles[case]}", fontsize="small")
        for direction in (axis.xaxis, axis.yaxis):
            direction.set_major_locator(LogLocator(subs=(1, 2, 5)))
            direction.set_major_formatter(_PLAIN)
            direction.set_minor_formatter(NullFormatter())
    handles, names = next(iter(axes)).get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=len(criteria), frameon=False)
    return figure


def hyperparameters(rows):
    """Chosen number of hidden nodes, penalty and width: how often, by dataset and method.

    The area of a disc is the share of runs that chose the value.

    Parameters
    ----------
    rows : pandas.DataFrame
        Rows of the ELM study.

    Returns
    -------
    matplotlib.figure.Figure
    """
    colours = _colours(list(rows["method"].unique()))
    # Methods without any of the three have nothing to show here.
    rows = rows[rows[["n_hidden", "lam", "sigma"]].notna().any(axis=1)]
    datasets, methods = list(rows["dataset"].unique()), list(rows["method"].unique())
    width = max(7.2, 0.75 * len(datasets))
    offsets = dict(zip(methods, np.linspace(-0.27, 0.27, len(methods)), strict=True))
    figure, axes = plt.subplots(3, 1, figsize=(width, 8.0), sharex=True, constrained_layout=True)
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
        for (dataset, method, value), share in shares.items():
            axis.scatter(
                datasets.index(dataset) + offsets[method],
                value,
                s=min(150, 600 / len(methods)) * share,
                color=colours[method],
                linewidths=0,
            )
        axis.set(yscale="log", ylabel=name)
        axis.grid(axis="x", visible=False)
        for boundary in np.arange(len(datasets) - 1) + 0.5:
            axis.axvline(boundary, color="0.85", linewidth=0.8)
    sizes = sorted(rows["n_hidden"].dropna().unique().astype(int))
    axes[0].set_yticks(sizes, list(map(str, sizes)))
    axes[0].minorticks_off()
    axes[0].margins(y=0.2)
    axes[2].yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes[2].yaxis.set_major_formatter(_PLAIN)
    axes[-1].set_xticks(range(len(datasets)), [label(dataset) for dataset in datasets])
    axes[-1].tick_params(axis="x", rotation=0 if len(datasets) < 9 else 40)
    axes[-1].set_xlim(-0.5, len(datasets) - 0.5)
    handles = [axes[0].scatter([], [], s=60, color=colours[m], label=label(m)) for m in methods]
    columns = min(len(methods), int(width / 1.8))
    figure.legend(handles=handles, loc="outside upper center", ncols=columns, frameon=False)
    return figure


def _panels(items, height, columns=None):
    """A grid of panels; returns the figure and its axes, one for each item."""
    columns = columns or (1 if len(items) < 3 else 2)
    lines = -(-len(items) // columns)
    figure, grid = plt.subplots(
        lines, columns, figsize=(7.2, height * lines), constrained_layout=True, squeeze=False
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
