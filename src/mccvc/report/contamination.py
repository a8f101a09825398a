"""Tables and figures of the contamination experiment: which method helps where."""

from operator import ne
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.ticker import LogLocator, NullFormatter
from scipy import stats

from mccvc.report.figures import save_figure
from mccvc.report.labels import Labels
from mccvc.report.markup import fixed
from mccvc.report.roles import roles_of
from mccvc.report.style import PAGE, PLAIN, ink, panels
from mccvc.report.tables import write_csv, write_table
from mccvc.solvers.hedged import WHOLE
from mccvc.solvers.judging import Parts

CONDITION = ["kind", "smallest", "largest", "share"]
CELL = ["dataset", *CONDITION]
PARTS = list(Parts._fields)
TABLES = ("contamination_methods", "contamination_parts", "contamination_conditions")
FIGURES = ("contamination", "contamination_map")
_LEVEL = 0.95
# Lines beside those of the paper's methods.
_FURTHER = 3
# Labels below so many characters go three to a line.
_SHORT = 30
# The parts that the names of ways call by one word.
_AVERAGED = Parts(score="truncated", combine="mean", clip=True)
_WITHOUT = {
    "score": "squared instead of truncated errors as score",
    "combine": "the best grid point instead of the average",
    "clip": "no clip",
    "scale": "a fixed instead of the matched scale",
    "hedge": "no ridge beside it",
}


def write_contamination(study, runs, tables, figures):
    """Write tables and figures.

    Parameters
    ----------
    study : ResolvedStudy
        The resolved study.
    runs, tables, figures : path-like
        Directories of the shards, and of the tables and figures to write.
    """
    plan, tables, figures = study["contamination"], Path(tables), Path(figures)
    label, roles = Labels.of(study), roles_of(plan)
    rows = plan.rows(runs)
    rows, ways = named_ways(rows[rows["error"].isna()])
    write_csv(cell_means(rows), tables / "contamination.csv")
    base = [roles.entries[role] for role in ("relm", "elm-mcc-vc") if role in roles.entries]
    ratios = cell_ratios(rows, base)
    methods = ways.merge(over_cells(ratios), on="method")
    # The best of very many ways is the luckiest one.
    conditions = best_methods(ratios[ratios["method"].isin(_simple(methods)["method"])])
    parts = left_out(methods)
    for name, table, shown in (
        ("contamination_methods", methods, present_methods(methods, label)),
        ("contamination_parts", parts, present_parts(parts, label)),
        ("contamination_conditions", conditions, present_conditions(conditions, label)),
    ):
        write_table(tables, name, table, shown)
    # The best way of each entry: ways of one are much the same.
    best = methods.sort_values("spoilt").drop_duplicates("entry")["method"]
    further = [name for name in best if name not in roles.papers][:_FURTHER]
    shown = [*roles.papers, *further]
    draws = {
        "contamination": lambda: curves(rows, shown, label),
        "contamination_map": lambda: best_map(rows[rows["method"].isin(shown)], label),
    }
    for name, draw in draws.items():
        write_csv(save_figure(draw, figures, name), figures / f"{name}.csv")


def named_ways(rows):
    """Rows that are told apart by the way in which a method is judged and used.

    Parameters
    ----------
    rows : pandas.DataFrame
        Rows of the experiment.

    Returns
    -------
    rows : pandas.DataFrame
        With the name of the way in the column ``method``: that of the entry for the paper's way
        and for the only one of an entry, else the entry, a colon and the parts.
    ways : pandas.DataFrame
        Of each ``method`` the ``entry`` and the parts.
    """
    ways = rows[["method", *PARTS]].drop_duplicates(ignore_index=True)
    ways = ways.rename(columns={"method": "entry"})
    single = ~ways["entry"].duplicated(keep=False)
    texts = [way_text(parts_of(way)) for way in ways.itertuples()]
    names = [
        entry if alone or not text else f"{entry}: {text}"
        for entry, alone, text in zip(ways["entry"], single, texts, strict=True)
    ]
    ways.insert(0, "method", names)
    named = rows.rename(columns={"method": "entry"}).merge(ways, on=["entry", *PARTS])
    return named, ways


def parts_of(way):
    """The parts of a row of a table."""
    if pd.isna(way.score):
        return Parts()
    return Parts(way.score, way.combine, bool(way.clip), way.scale, bool(way.hedge))


def way_text(parts):
    """A way in words, nothing for the paper's."""
    if parts == WHOLE:
        return "all parts"
    found = []
    if parts.score != "squared":
        found.append(parts.score)
    if parts.combine == "mean":
        found.append("mean")
    if parts.clip:
        found.append("clip")
    if parts._replace(scale="fixed", hedge=False) == _AVERAGED:
        found = ["averaged"]
    if parts.scale == "matched":
        found.append("matched scale")
    if parts.hedge:
        found.append("hedged")
    return " + ".join(found)


def left_out(methods):
    """What each part of a method gives: the whole, each part left out in turn, and none.

    Parameters
    ----------
    methods : pandas.DataFrame
        Ways with what :func:`over_cells` says of them.

    Returns
    -------
    pandas.DataFrame
        ``entry``, the part that is ``left_out`` ("none" of them, or "all", or "all but score"),
        and the other columns of the way; nothing for methods of one way or one part.
    """
    lines = []
    for _, ways in methods.groupby("entry", sort=False):
        known = {parts_of(way): way._asdict() for way in ways.itertuples(index=False)}
        whole = max(known, key=_n_parts)
        wanted = {"none": whole}
        wanted |= {
            part: whole._replace(**{part: Parts._field_defaults[part]})
            for part in PARTS
            if getattr(whole, part) != Parts._field_defaults[part]
        }
        wanted |= {"all but score": Parts(score=whole.score), "all": Parts()}
        if len(known) > 1 and _unlike(whole, Parts()) > 1:
            lines += [
                {"left_out": text} | known[way] for text, way in wanted.items() if way in known
            ]
    return pd.DataFrame(lines, columns=["left_out", *methods.columns]).drop(columns="method")


def cell_means(rows):
    """Runs, mean and standard deviation of the testing RMSE, for each cell and method."""
    groups = rows.groupby([*CELL, "method"], sort=False)["test_rmse"]
    return groups.agg(n_runs="size", test_rmse_mean="mean", test_rmse_std="std").reset_index()


def cell_ratios(rows, base):
    """Each method against the better of two, in every cell.

    The better one is chosen on the runs of odd number; ratios are of those of even number, so that
    the choice flatters nobody.

    Parameters
    ----------
    rows : pandas.DataFrame
        Rows of the experiment.
    base : list of str
        The methods to choose from.

    Returns
    -------
    pandas.DataFrame
        For each cell and method: ``log_ratio`` of the testing RMSEs, its mean over the runs, with
        the 95 % interval ``low`` and ``high`` of paired runs.
    """
    lines = []
    for cell, part in rows.groupby(CELL, sort=False):
        wide = np.log(part.pivot_table(index="run", columns="method", values="test_rmse"))
        odd = wide.index.to_numpy() % 2 == 1
        present = [name for name in base if name in wide]
        if not present or odd.sum() < 1 or (~odd).sum() < 2:
            continue
        reference = wide.loc[odd, present].mean().idxmin()
        for method in part["method"].unique():
            paired = (wide.loc[~odd, method] - wide.loc[~odd, reference]).dropna()
            mean, error = paired.mean(), paired.std() / np.sqrt(len(paired))
            half = stats.t.ppf((1 + _LEVEL) / 2, len(paired) - 1) * error
            lines.append((*cell, method, mean, mean - half, mean + half))
    return pd.DataFrame(lines, columns=[*CELL, "method", "log_ratio", "low", "high"])


def over_cells(ratios):
    """Mean ratios of each method without and with outliers, and in how many cells it differs.

    Returns
    -------
    pandas.DataFrame
        ``method``, ``clean``, ``spoilt`` (geometric means of the ratios), ``worse``, ``better``
        (cells whose interval lies on one side of 1) and ``n_cells``.
    """
    lines = []
    for method, part in ratios.groupby("method", sort=False):
        clean, spoilt = (np.exp(part.loc[mask, "log_ratio"].mean()) for mask in _clean(part))
        worse, better = (part["low"] > 0).sum(), (part["high"] < 0).sum()
        lines.append((method, clean, spoilt, worse, better, len(part)))
    columns = ["method", "clean", "spoilt", "worse", "better", "n_cells"]
    return pd.DataFrame(lines, columns=columns)


def _clean(part):
    return part["share"] == 0, part["share"] > 0


def best_methods(ratios):
    """The method with the lowest mean ratio over the datasets, under each condition.

    Returns
    -------
    pandas.DataFrame
        The condition, ``method``, ``ratio`` and ``largest_ratio`` over the datasets.
    """
    means = ratios.groupby([*CONDITION, "method"], sort=False)["log_ratio"]
    table = np.exp(means.agg(ratio="mean", largest_ratio="max")).reset_index()
    return table.loc[table.groupby(CONDITION, sort=False)["ratio"].idxmin()]


def present_methods(table, label):
    """The methods, best under outliers first, as texts; ways far from whole and paper left out."""
    return [
        {
            "Method": label(row.method),
            "Clean": fixed(row.clean, 3),
            "Spoilt": fixed(row.spoilt, 3),
            "Worse": f"{row.worse} of {row.n_cells}",
            "Better": f"{row.better} of {row.n_cells}",
        }
        for row in _simple(table).sort_values("spoilt").itertuples()
    ]


def _simple(table):
    """Ways that differ in one part at most from the paper's or from the one with most parts."""
    near = []
    for _, ways in table.groupby("entry", sort=False):
        known = {way.method: parts_of(way) for way in ways.itertuples()}
        ends = Parts(), max(known.values(), key=_n_parts)
        near += [name for name, way in known.items() if min(_unlike(way, end) for end in ends) <= 1]
    return table[table["method"].isin(near)]


def _unlike(one, other):
    """Number of parts that differ."""
    return sum(map(ne, one, other))


def _n_parts(parts):
    """How many parts differ from the paper's way, for equal numbers the truncated score first."""
    return _unlike(parts, Parts()), parts.score == "truncated"


def present_parts(table, label):
    """What each part gives, as texts."""
    said = {
        "none": "all parts",
        "all but score": "the truncated score alone",
        "all": "none of them",
    }
    return [
        {
            "Method": label(row.entry),
            "With": (said | _WITHOUT)[row.left_out],
            "Clean": fixed(row.clean, 3),
            "Spoilt": fixed(row.spoilt, 3),
        }
        for row in table.itertuples()
    ]


def present_conditions(table, label):
    """The best method of each condition, as texts."""
    return [
        {
            "Training rows": condition_text(row),
            "Use": label(row.method),
            "Mean ratio": fixed(row.ratio, 3),
            "Largest ratio": fixed(row.largest_ratio, 3),
        }
        for row in table.itertuples()
    ]


def condition_text(row):
    """A condition in words."""
    if row.share == 0:
        return "clean"
    if row.kind == "noise":
        return (
            f"{row.share:.0%} skewed noise, from {row.smallest:g} with mean {row.largest:g} ranges"
        )
    size = f"{row.smallest:g} to {row.largest:g} ranges away"
    return f"{row.share:.0%} {row.kind}, {size}"


def curves(rows, methods, label):
    """Testing RMSE against the share of outliers, a panel for each dataset.

    Of the kind and size of outliers with the most shares.

    Returns
    -------
    figure : matplotlib.figure.Figure
    data : pandas.DataFrame
    """
    means = cell_means(rows[rows["method"].isin(methods)])
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
