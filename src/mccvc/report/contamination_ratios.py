"""What the contamination experiment says: ratios of testing RMSEs, by way, condition and part."""

from operator import ne

import numpy as np
import pandas as pd

from mccvc.report.statistics import half_width
from mccvc.solvers.hedged import WHOLE
from mccvc.solvers.judging import Parts

CONDITION = ["kind", "smallest", "largest", "share"]
CELL = ["dataset", *CONDITION]
PARTS = list(Parts._fields)
# The parts that the names of ways call by one word.
_AVERAGED = Parts(score="truncated", combine="mean", clip=True)


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
    rows = rows.astype(dict.fromkeys(PARTS, object))
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
        errors = part.pivot_table(index="run", columns="method", values="test_rmse")
        wide = np.log(errors.clip(lower=np.finfo(float).tiny))
        odd = wide.index.to_numpy() % 2 == 1
        present = [name for name in base if name in wide]
        if not present or odd.sum() < 1 or (~odd).sum() < 2:
            continue
        means = wide.loc[odd, present].mean().dropna()
        if means.empty:
            continue
        reference = means.idxmin()
        for method in part["method"].unique():
            paired = (wide.loc[~odd, method] - wide.loc[~odd, reference]).dropna()
            mean, error = paired.mean(), paired.std() / np.sqrt(len(paired))
            half = half_width(error, len(paired))
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


def simple_ways(table):
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
