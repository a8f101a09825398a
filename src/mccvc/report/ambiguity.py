"""Tables and figure of the ambiguity experiment: which reading is near which printed figure."""

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.ticker import FuncFormatter

from mccvc.report.drawing import save_figures
from mccvc.report.labels import Labels
from mccvc.report.markup import fixed, general, plus_minus
from mccvc.report.roles import roles_of
from mccvc.report.style import PAGE, ink, note
from mccvc.report.tables import AGREEMENT, published, write_csv, write_table

PAIR = ["dataset", "method"]
READING = ["reading", "choice"]
METRICS = ("train_rmse", "test_rmse")
# What is made of a reading with a row for each grid point.
CHOICES = {
    "best": "lowest mean testing RMSE",
    "test-half": "lowest in each run on its test half",
    "shared": "nearest to the print over all datasets",
    "nearest": "nearest to the print",
}
# A mean is compatible within this share of the printed one, or within the chance of both; a
# standard deviation within this factor.
_SHARE, _FACTOR = 0.07, 1.5
# Printed figures are known to half a unit of their last digit.
_HALF_UNIT = 0.00005
# The heat map tells ratios up to this factor apart.
_MOST = 2.0


def write_ambiguity(study, runs, tables, figures):
    """Write tables and figure.

    Parameters
    ----------
    study : ResolvedStudy
        The resolved study.
    runs, tables, figures : path-like
        Directories of the shards, and of the tables and figures to write.
    """
    plan, tables = study["ambiguity"], Path(tables)
    label = Labels.of(study)
    rows = plan.rows(runs)
    everything = against_print(plan, rows[rows["error"].isna()])
    write_csv(everything, tables / "ambiguity.csv")
    cells, readings = nearest_readings(everything), explained(everything)
    for name, table, shown in (
        ("ambiguity_cells", cells, present_cells(cells, label)),
        ("ambiguity_readings", readings, present_readings(readings, label)),
    ):
        write_table(tables, name, table, shown)
    save_figures({"ambiguity": lambda: heat_map(everything, label)}, figures)


def against_print(plan, rows):
    """Every reading beside every printed RMSE.

    Parameters
    ----------
    plan : ExperimentPlan
        The experiment.
    rows : pandas.DataFrame
        Its rows, without those of failed runs.

    Returns
    -------
    pandas.DataFrame
        The columns of :func:`compared`, with ``choices``: how many decisions the reading changes,
        or how many values were set by the print.
    """
    roles = {entry: role for role, entry in roles_of(plan).entries.items()}
    rows = rows[rows["method"].isin(roles)].assign(method=rows["method"].map(roles))
    printed = published().query("table == 'table3'").rename(columns={"row": "dataset"})
    pointwise = {spec.reading for spec in plan.specs if spec.each_point}
    by_point = rows["reading"].isin(pointwise)
    values = {role: 2 + len(plan.fit(entry).grid) for entry, role in roles.items()}
    single = summarized(rows[~by_point].assign(choice=""), [*READING, *PAIR])
    single["choices"] = single["reading"].map(_changed(plan))
    found = compared(single, printed)
    for _, part in rows[by_point].groupby("reading", sort=False):
        found = pd.concat([found, *_of_points(part, printed, values)])
    return found.reset_index(drop=True)


def _changed(plan):
    """How many decisions each reading changes, against the first one; its label and names aside."""
    names = {"problem", "reading", "source"}
    first: dict[Any, Any] = {}
    for spec in plan.specs:
        first.setdefault((spec.source, spec.method), spec)
    return {
        spec.reading: sum(
            getattr(spec, field) != getattr(first[spec.source, spec.method], field)
            for field in spec.__struct_fields__
            if field not in names
        )
        for spec in plan.specs
    }


def summarized(rows, by):
    """Runs, mean and standard deviation of both RMSEs, and medians of what was chosen."""
    both = {f"{metric}_{what}": (metric, what) for metric in METRICS for what in ("mean", "std")}
    chosen = {name: (name, "median") for name in ("n_hidden", "lam", "sigma")}
    groups = rows.groupby(by, sort=False)
    return groups.agg(n_runs=("run", "size"), **both, **chosen).reset_index()


def compared(summaries, printed):
    """Summaries beside the printed figures, a row for each of both RMSEs.

    Parameters
    ----------
    summaries : pandas.DataFrame
        As :func:`summarized`, with ``dataset`` and ``method``.
    printed : pandas.DataFrame
        The printed figures: ``dataset``, ``method``, ``metric``, ``mean``, ``std``, ``runs``.

    Returns
    -------
    pandas.DataFrame
        ``mean`` and ``std`` beside ``published_mean`` and ``published_std``; ``log_ratio`` of the
        means; ``distance_mean`` and ``distance_std`` in units of what is compatible.
    """
    own = [c for c in summaries if not c.startswith(METRICS)]
    long = pd.concat(
        summaries[own].assign(
            metric=metric, mean=summaries[f"{metric}_mean"], std=summaries[f"{metric}_std"]
        )
        for metric in METRICS
    )
    paper = printed[[*PAIR, "metric", "mean", "std", "runs"]].rename(
        columns={name: f"published_{name}" for name in ("mean", "std", "runs")}
    )
    table = long.merge(paper, on=[*PAIR, "metric"])
    # The print's own spread: that of a reading that fails at times would excuse anything.
    error = table["published_std"] * np.sqrt(1 / table["published_runs"] + 1 / table["n_runs"])
    tolerance = np.maximum(_SHARE * table["published_mean"], AGREEMENT * error)
    difference = (table["mean"] - table["published_mean"]).abs()
    table["log_ratio"] = _log_ratio(table, "mean")
    table["distance_mean"] = difference / tolerance.clip(lower=_HALF_UNIT)
    table["distance_std"] = _log_ratio(table, "std").abs() / np.log(_FACTOR)
    return table


def _log_ratio(table, what):
    ours, theirs = table[what], table[f"published_{what}"]
    return np.log(ours.clip(lower=_HALF_UNIT) / theirs.clip(lower=_HALF_UNIT))


def _of_points(rows, printed, values):
    """What is made of the rows of all grid points of a reading, beside the print."""
    point = rows.groupby(["problem", "method", "run"]).cumcount()
    summaries = summarized(rows.assign(point=point), ["reading", *PAIR, "point"])
    beside = compared(summaries, printed)
    lowest = rows.loc[rows.groupby([*PAIR, "run"], sort=False)["test_rmse"].idxmin()]
    pairs = beside.assign(distance=_larger(beside)).groupby([*PAIR, "point"], sort=False)
    distance = pairs["distance"].max().reset_index()
    nearest = distance.loc[distance.groupby(PAIR, sort=False)["distance"].idxmin()]
    tests = beside[beside["metric"] == "test_rmse"]
    off = tests["log_ratio"].abs().groupby([tests["method"], tests["point"]]).mean().reset_index()
    shared = off.loc[off.groupby("method")["log_ratio"].idxmin(), ["method", "point"]]
    best = summaries.loc[summaries.groupby(PAIR, sort=False)["test_rmse_mean"].idxmin()]
    counted = {
        "best": (best, 1),
        "test-half": (summarized(lowest, ["reading", *PAIR]), 1),
        "shared": (summaries.merge(shared), shared["method"].map(values).sum()),
        "nearest": (
            summaries.merge(nearest[[*PAIR, "point"]]),
            nearest["method"].map(values).sum(),
        ),
    }
    for choice, (table, choices) in counted.items():
        yield compared(
            table.drop(columns="point", errors="ignore").assign(choice=choice, choices=choices),
            printed,
        )


def _larger(table):
    """The larger of both distances."""
    return table[["distance_mean", "distance_std"]].max(axis=1)


def nearest_readings(everything):
    """The reading that is nearest to each printed pair, and the nearest single point.

    Near is what has the smallest largest distance, of both means and both standard deviations.

    Returns
    -------
    pandas.DataFrame
        The rows of `everything` of the nearest reading, but for those whose point the print itself
        chose; these, and their distances, in columns that begin with ``point_``.
    """
    far = everything.assign(distance=_larger(everything))
    far["distance"] = far.groupby([*READING, *PAIR], sort=False)["distance"].transform("max")
    by_print = far["choice"] == "nearest"
    others = far[~by_print]
    first = others.loc[others.groupby(PAIR, sort=False)["distance"].idxmin(), [*READING, *PAIR]]
    point = far.loc[by_print, [*PAIR, "metric", "n_hidden", "lam", "sigma", "distance"]]
    point = point.rename(columns={c: f"point_{c}" for c in point.columns[3:]})
    return first.merge(others).merge(point, how="left", on=[*PAIR, "metric"])


def explained(everything):
    """For each reading, how many of the printed figures it is compatible with.

    Returns
    -------
    pandas.DataFrame
        ``n_cells`` with a mean and a standard deviation each; ``means``, ``stds`` and ``both``
        that are compatible; ``n_pairs`` of training and testing and ``pairs`` compatible in all
        four; ``choices``, and the median ``ratio`` of a mean to the printed one, or its inverse.
    """
    lines = []
    for reading, part in everything.groupby(READING, sort=False):
        mean, std = part["distance_mean"] <= 1, part["distance_std"] <= 1
        whole = (mean & std).groupby([part[name] for name in PAIR]).all()
        ratio = np.exp(part["log_ratio"].abs().median())
        counts = len(part), mean.sum(), std.sum(), (mean & std).sum(), len(whole), whole.sum()
        lines.append((*reading, *counts, part["choices"].max(), ratio))
    columns = ["n_cells", "means", "stds", "both", "n_pairs", "pairs", "choices", "ratio"]
    return pd.DataFrame(lines, columns=[*READING, *columns])


def reading_label(row, label):
    """A reading in words."""
    text = label(row.reading)
    return f"{text}, {CHOICES[row.choice]}" if isinstance(row.choice, str) and row.choice else text


def present_cells(cells, label):
    """A line for each printed pair, as texts."""
    lines = []
    for (dataset, method), part in cells.groupby(PAIR, sort=False):
        train, test = (part[part["metric"] == metric].iloc[0] for metric in METRICS)
        lines.append(
            {
                "Dataset": label(dataset),
                "Method": label(method),
                "Printed: training": plus_minus(train["published_mean"], train["published_std"]),
                "Testing": plus_minus(test["published_mean"], test["published_std"]),
                "Nearest reading": reading_label(test, label),
                "Its training": plus_minus(train["mean"], train["std"]),
                "Its testing": plus_minus(test["mean"], test["std"]),
                "Distance": fixed(test["distance"], 2),
                "Nearest point": _point_text(test),
                "Its distance": fixed(test["point_distance"], 2),
            }
        )
    return lines


def _point_text(row):
    if pd.isna(row["point_n_hidden"]):
        return "–"
    text = f"{row['point_n_hidden']:.0f} nodes, λ' = {general(row['point_lam'])}"
    # The width of ELM-MCC-VC is no choice of the point.
    return f"{text}, σ = {general(row['point_sigma'])}" if row["method"] == "elm-rcc" else text


def present_readings(readings, label):
    """A line for each reading, as texts."""
    return [
        {
            "Reading": reading_label(row, label),
            "Free choices": str(row.choices),
            "Means": f"{row.means} of {row.n_cells}",
            "Deviations": f"{row.stds} of {row.n_cells}",
            "Both": f"{row.both} of {row.n_cells}",
            "Pairs": f"{row.pairs} of {row.n_pairs}",
            "Median ratio": fixed(row.ratio, 2),
        }
        for row in readings.itertuples()
    ]


def heat_map(everything, label):
    """Ratio of each reading's mean to the printed one, cell by cell.

    Returns
    -------
    figure : matplotlib.figure.Figure
    data : pandas.DataFrame
    """
    if everything.empty:
        return note("no runs of the paper's methods on its datasets"), everything
    table = everything.assign(
        text=[reading_label(row, label) for row in everything.itertuples()],
        compatible=everything["distance_mean"] <= 1,
        wholly=_larger(everything) <= 1,
    )
    cells = table[[*PAIR, "metric"]].drop_duplicates()
    order = {name: list(dict.fromkeys(table[name])) for name in (*PAIR, "metric")}
    cells = cells.sort_values(list(order), key=lambda c: c.map(order[c.name].index))
    columns, lines = pd.MultiIndex.from_frame(cells), list(dict.fromkeys(table["text"]))
    wide = table.pivot_table("log_ratio", "text", [*PAIR, "metric"]).loc[lines, columns]
    figure, axis = plt.subplots(figsize=(PAGE, 1.4 + 0.17 * len(lines)), layout="constrained")
    bound = np.log(_MOST)
    ratios = FuncFormatter(lambda value, position: f"{np.exp(value):.2g}")
    bar = {"pad": 0.01, "aspect": 40, "format": ratios, "label": "mean over the printed one"}
    bar |= {"ticks": np.linspace(-bound, bound, 5), "extend": "both"}
    sns.heatmap(wide, ax=axis, cmap="RdBu_r", vmin=-bound, vmax=bound, cbar_kws=bar)
    for size, name in ((1.5, "compatible"), (9, "wholly")):
        some = table[table[name]]
        places = columns.get_indexer(pd.MultiIndex.from_frame(some[[*PAIR, "metric"]]))
        heights = [lines.index(text) + 0.5 for text in some["text"]]
        axis.scatter(places + 0.5, heights, s=size, color=ink(), linewidths=0)
    names = [f"{label(c.method)}, {c.metric.removesuffix('_rmse')}" for c in cells.itertuples()]
    axis.set_xticks(np.arange(len(names)) + 0.5, names, rotation=90, fontsize=5)
    axis.set_yticks(np.arange(len(lines)) + 0.5, lines, rotation=0, fontsize=6)
    axis.tick_params(length=0)
    axis.set(xlabel="", ylabel="")
    axis.grid(visible=False)
    parts = cells.assign(place=range(len(cells))).groupby("dataset", sort=False)["place"]
    for name, places in parts:
        axis.axvline(float(places.min()), color="white", linewidth=2)
        axis.text(places.mean() + 0.5, -0.3, label(name), ha="center", fontsize=6.5)
    return figure, table[[*READING, *PAIR, "metric", "mean", "published_mean", "log_ratio"]]


def why_yacht(everything):
    """Why the paper's RELM on Yacht is so much worse than a tuned one, in three sentences.

    Parameters
    ----------
    everything : pandas.DataFrame
        As :func:`against_print`.

    Returns
    -------
    list of str
        Nothing where the readings that it takes were not run.
    """
    table = everything.fillna({"choice": ""})
    # A point for every pair would be near anything.
    table = table[table["choice"].isin(["", "shared"])]
    tests = table[table["metric"] == "test_rmse"].set_index([*PAIR])
    yacht = tests[tests.index.get_level_values("dataset") == "yacht"]
    # The reading that changes nothing; without it there is nothing to compare with.
    default = yacht[(yacht["choices"] == 0) & (yacht["choice"] == "")]
    keys = ("yacht", "relm"), ("yacht", "elm-mcc-vc")
    if not all(key in default.index for key in keys):
        return []
    tuned, own = (default.loc[[key]].iloc[0] for key in keys)
    readings = yacht.loc[[keys[0]]]
    near = readings[readings["distance_mean"] <= 1]
    names = [_plain_name(row) for row in near.itertuples()]
    sentences = [
        f"Tuned in each run, RELM on Yacht has a testing RMSE of {tuned['mean']:.4f} at a median λ'"
        f" of {tuned['lam']:.0e}, not the printed {tuned['published_mean']:.4f}; of {len(readings)}"
        f" readings {len(near)} are compatible with that mean ({', '.join(names) or 'none'})."
    ]
    if len(near):
        sentences.append(_most_explaining(table, near))
    alike = f"{abs(np.log(own['mean'] / tuned['mean'])):.0%} apart there"
    return [
        *sentences,
        f"Tuned alike, RELM ({tuned['mean']:.4f}) and ELM-MCC-VC ({own['mean']:.4f}, printed"
        f" {own['published_mean']:.4f}) are {alike}: the printed testing RMSEs are"
        f" {'' if len(near) else 'not '}compatible with a hardly tuned RELM beside a tuned"
        " ELM-MCC-VC, which would prove neither.",
    ]


def _plain_name(row):
    return f"{row.reading}, {row.choice}" if row.choice else row.reading


def _most_explaining(table, near):
    """What else that reading explains of RELM, of some, which explains most."""
    relm = table[table["method"] == "relm"]
    tests = relm[relm["metric"] == "test_rmse"].merge(near[READING].reset_index(drop=True))
    counts = (tests["distance_mean"] <= 1).groupby([tests[c] for c in READING], sort=False)
    reading = counts.sum().idxmax()
    row = near[(near[READING] == list(reading)).all(axis=1)].iloc[0]
    same = relm[(relm[[*READING, "dataset"]] == [*reading, "yacht"]).all(axis=1)]
    train = same[same["metric"] == "train_rmse"].iloc[0]
    cells = nearest_readings(table).set_index([*PAIR, "metric"])
    both = [cells.loc[("yacht", "relm", metric)] for metric in METRICS]
    return (
        f"{_plain_name(row).capitalize()} ({row.n_hidden:.0f} nodes, λ' = {row.lam:.1e}) gives"
        f" {row['mean']:.4f} and is compatible with {counts.sum().max()} of RELM's"
        f" {counts.size().max()} printed testing RMSEs; its training RMSE on Yacht,"
        f" {train['mean']:.4f}, is {'' if train['distance_mean'] <= 1 else 'not '}compatible with"
        f" the printed {train['published_mean']:.4f}, and nearest in both is"
        f" {_plain_name(both[0])} ({both[0]['mean']:.4f} and {both[1]['mean']:.4f}, distance"
        f" {both[1]['distance']:.1f})."
    )
