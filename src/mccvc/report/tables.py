"""Tables I, II and III from our runs, and every published figure beside ours."""

import json
from importlib.resources import files
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq

from mccvc.report.labels import Labels
from mccvc.report.markup import caption, fixed, general, plus_minus, to_latex, to_markdown
from mccvc.report.results import cross_fitted, failures, searching_widths, select_grid_points
from mccvc.report.roles import roles_of
from mccvc.study.files import atomic_path, write_text
from mccvc.study.plan import MIN_RUNS

# Figures that agree within chance are at most this many standard errors apart.
AGREEMENT = 3.0


def published():
    """The paper's figures: table, row, method, metric, mean, std, runs."""
    with (files("mccvc.report") / "published.csv").open(encoding="utf-8") as file:
        return pd.read_csv(file, keep_default_na=True)


def table1(study, rows):
    """Table I: RMSE of the weights and times, for each case and criterion.

    ``sigma`` is the chosen width for MCC and the mean final width for MCC-VC.
    """
    picked = select_grid_points(study["linear"], rows)
    grouped = picked.groupby(["case", "criterion"])
    table = grouped.agg(
        n_runs=("run", "size"),
        rmse_mean=("weight_rmse", "mean"),
        rmse_std=("weight_rmse", "std"),
        lam=("lam", "first"),
        sigma=("sigma", "mean"),
        fit_seconds_mean=("fit_seconds", "mean"),
        fit_seconds_std=("fit_seconds", "std"),
        tune_seconds_mean=("tune_seconds", "mean"),
        rmse_mc_error=("weight_rmse", "sem"),
    )
    # On the same runs, but each at the point that others of them choose.
    fair = cross_fitted(study["linear"], rows).groupby(["case", "criterion"])["weight_rmse"]
    table = table.join(fair.mean().rename("rmse_crossfit_mean"))
    return in_order(table, study["linear"])


def table2(study, data):
    """Table II: rows and columns of the datasets, with the paper's count of features."""
    paper = published().query("table == 'table2' and metric == 'n_features'").set_index("row")
    rows = []
    for name, spec in {spec.problem: spec for spec in study["elm"].specs}.items():
        if not (Path(data) / f"{name}.parquet").exists():
            rows.append({"dataset": name})
            continue
        stored = pq.read_metadata(Path(data) / f"{name}.parquet")
        described = json.loads((Path(data) / f"{name}.json").read_text(encoding="utf-8"))
        n_train, n_test = spec.split_sizes(stored.num_rows)
        rows.append(
            {
                "dataset": name,
                "n_rows": stored.num_rows,
                "n_features": stored.num_columns - 1,
                "duplicate_rows": described["duplicate_rows"],
                "n_train": n_train,
                "n_test": n_test,
                "published_features": paper["mean"].get(name),
            }
        )
    return pd.DataFrame(rows, columns=_TABLE2).astype(dict.fromkeys(_TABLE2[1:], "Int64"))


_TABLE2 = [
    "dataset",
    "n_rows",
    "n_features",
    "duplicate_rows",
    "n_train",
    "n_test",
    "published_features",
]


def table3(study, rows):
    """Table III: training and testing RMSE for each dataset and method."""
    table = (
        rows[rows["error"].isna()]
        .groupby(["dataset", "method"])
        .agg(
            n_runs=("run", "size"),
            train_rmse_mean=("train_rmse", "mean"),
            train_rmse_std=("train_rmse", "std"),
            test_rmse_mean=("test_rmse", "mean"),
            test_rmse_std=("test_rmse", "std"),
            train_rmse_mc_error=("train_rmse", "sem"),
            test_rmse_mc_error=("test_rmse", "sem"),
        )
    )
    return in_order(table, study["elm"])


def in_order(table, plan):
    """The table in the order of the experiment; what has no rows at all gets 0 runs."""
    order = [(spec.problem, spec.method) for spec in plan.specs]
    columns = zip(*order, strict=True) if order else ((), ())
    index = pd.MultiIndex.from_arrays([list(c) for c in columns], names=table.index.names)
    table = table.reindex(index)
    return table.assign(n_runs=table["n_runs"].fillna(0).astype(int)).reset_index()


def compare_with_published(study, first, second, third):
    """Every figure of the paper beside ours.

    For RMSEs ``z`` is the difference over the standard error of both means and ``agrees`` is
    \\|z\\| <= 3, null below ten runs. Seconds of another machine are listed without a verdict:
    MCC's is the search over all widths, MCC-VC's one fit. Counts agree if they are equal.

    Parameters
    ----------
    study : ResolvedStudy
        The resolved study, in which the paper's methods may have any names.
    first, second, third : pandas.DataFrame
        Tables I, II and III.

    Returns
    -------
    pandas.DataFrame
        ``method`` is the paper's.
    """
    ours = _ours(study, first, second, third)
    lines = []
    for row in published().itertuples():
        method = row.method if isinstance(row.method, str) else None
        mean, std, n_runs = ours.get((row.table, row.row, method, row.metric), (None, None, None))
        if n_runs == 0:
            mean = std = None
        lines.append(
            {
                "table": row.table,
                "row": row.row,
                "method": method,
                "metric": row.metric,
                "published_mean": row.mean,
                "published_std": row.std,
                "published_runs": row.runs,
                "reproduced_mean": mean,
                "reproduced_std": std,
                "n_runs": n_runs,
                **_agreement(row, mean, std, n_runs),
            }
        )
    types = {"published_runs": "Int64", "n_runs": "Int64", "agrees": "boolean"}
    numbers = ("reproduced_mean", "reproduced_std", "difference", "z")
    return pd.DataFrame(lines).astype(types | dict.fromkeys(numbers, "float64"))


def _ours(study, first, second, third):
    """Mean, deviation and number of runs by table, row, method of the paper and metric."""
    ours = {}
    linear, elm = roles_of(study["linear"]), roles_of(study["elm"])
    for row in first.itertuples():
        key = ("table1", row.case, linear.of(row.criterion))
        ours[*key, "rmse"] = (row.rmse_mean, row.rmse_std, row.n_runs)
        if linear.of(row.criterion) == "mcc-vc":
            ours[*key, "seconds"] = (row.fit_seconds_mean, row.fit_seconds_std, row.n_runs)
        else:
            ours[*key, "seconds"] = (row.tune_seconds_mean, None, row.n_runs)
    for row in second.dropna(subset="n_rows").itertuples():
        for metric in ("n_features", "n_train", "n_test"):
            ours["table2", row.dataset, None, metric] = (getattr(row, metric), None, None)
    for row in third.itertuples():
        for metric in ("train_rmse", "test_rmse"):
            mean, std = getattr(row, f"{metric}_mean"), getattr(row, f"{metric}_std")
            ours["table3", row.dataset, elm.of(row.method), metric] = (mean, std, row.n_runs)
    return ours


def _agreement(paper, mean, std, n_runs):
    """Difference to a figure of the paper, z, and whether they agree."""
    if mean is None:
        return {"difference": None, "z": None, "agrees": None}
    difference, z, agrees = mean - paper.mean, None, None
    if paper.table == "table2":
        agrees = difference == 0
    elif paper.metric.endswith("rmse") and n_runs > 1:
        error = np.sqrt(paper.std**2 / paper.runs + std**2 / n_runs)
        z = difference / error if error > 0 else None
        if n_runs >= MIN_RUNS:
            agrees = difference == 0 if z is None else abs(z) <= AGREEMENT
    return {"difference": difference, "z": z, "agrees": agrees}


def write_tables(study, runs, data, out, *, partial=False):
    """Write all tables: CSV with full precision, Markdown and LaTeX for reading.

    Parameters
    ----------
    study : ResolvedStudy
        The resolved study.
    runs, data, out : path-like
        Directories of the shards, the normalized tables and the tables to write.
    partial : bool, default False
        Whether to leave out what is not there, and list it in ``missing.csv``.
    """
    out = Path(out)
    missing: list[str] | None = [] if partial else None
    linear = study["linear"].rows(runs, missing)
    elm = study["elm"].rows(runs, missing)
    first, second, third = table1(study, linear), table2(study, data), table3(study, elm)
    reproduced = compare_with_published(study, first, second, third)
    for name, table, presented in (
        ("table1", first, present_table1(study, first, reproduced)),
        ("table2", second, present_table2(study, second)),
        ("table3", third, present_table3(study, third, reproduced)),
    ):
        write_table(out, name, table, presented)
    write_csv(reproduced, out / "published_vs_reproduced.csv")
    write_csv(failures(linear, elm), out / "failures.csv")
    if partial:
        write_csv(pd.DataFrame({"missing": missing}), out / "missing.csv")


def present_table1(study, table, reproduced):
    """Table I as text, the criteria that are not in the paper below a rule (None)."""
    roles, label = roles_of(study["linear"]), Labels.of(study)
    searching = searching_widths(study["linear"])
    published_cells = _published_cells(reproduced, "table1")
    order: dict[bool, list[dict[str, str]]] = {True: [], False: []}
    for row in table.itertuples():
        key = (row.case, roles.of(row.criterion), "rmse")
        paper = published_cells.get(key, _NOT_PUBLISHED)
        searches = row.criterion in searching
        order[row.criterion in roles.papers].append(
            {
                "Case": label(row.case),
                "Criterion": label(row.criterion),
                "RMSE": plus_minus(row.rmse_mean, row.rmse_std) + paper["mark"],
                "MC error": fixed(row.rmse_mc_error),
                "Cross-fit": fixed(row.rmse_crossfit_mean),
                "Paper": paper["text"],
                "λ'": general(row.lam, 6, ""),
                "σ": general(row.sigma, 2, ""),
                "Fit (s)": fixed(row.fit_seconds_mean, absent=""),
                "Search (s)": fixed(row.tune_seconds_mean, absent="") if searches else "",
            }
        )
    return [*order[True], None, *order[False]] if order[False] else order[True]


def present_table2(study, table):
    """Table II as text."""
    label = Labels.of(study)
    return [
        {
            "Dataset": label(row.dataset),
            "Rows": _count(row.n_rows),
            "Inputs": _count(row.n_features),
            "Paper's features": _count(row.published_features),
            "Duplicate rows": _count(row.duplicate_rows),
            "Training": _count(row.n_train),
            "Testing": _count(row.n_test),
        }
        for row in table.itertuples()
    ]


def present_table3(study, table, reproduced):
    """Table III as text, a line for each dataset and method."""
    roles, label = roles_of(study["elm"]), Labels.of(study)
    published_cells = _published_cells(reproduced, "table3")
    best = table.groupby("dataset")["test_rmse_mean"].transform("min")
    rows = []
    for row, lowest in zip(table.itertuples(), best, strict=True):
        line = {"Dataset": label(row.dataset), "Method": label(row.method)}
        for metric, title in (("train_rmse", "Training"), ("test_rmse", "Testing")):
            mean, std = getattr(row, f"{metric}_mean"), getattr(row, f"{metric}_std")
            key = (row.dataset, roles.of(row.method), metric)
            paper = published_cells.get(key, _NOT_PUBLISHED)
            text = plus_minus(mean, std)
            if metric == "test_rmse" and mean == lowest:
                text = f"**{text}**"
            line[title] = text + paper["mark"]
            line["MC error" if metric == "test_rmse" else "MC error (training)"] = fixed(
                getattr(row, f"{metric}_mc_error")
            )
            line[f"Paper's {title.lower()}"] = paper["text"]
        rows.append(line)
    return rows


def present_matrix(study, table):
    """Mean testing RMSE of every method on every dataset, with its rank; the best is bold."""
    label = Labels.of(study)
    ranks = table.groupby("dataset")["test_rmse_mean"].rank()
    cells = {
        (row.method, row.dataset): (row.test_rmse_mean, rank)
        for row, rank in zip(table.itertuples(), ranks, strict=True)
    }
    rows = []
    for method in study["elm"].methods:
        line = {"Method": label(method)}
        for dataset in study["elm"].problems:
            mean, rank = cells[method, dataset]
            text = "no run" if np.isnan(mean) else f"{mean:.4f} ({rank:g})"
            line[label(dataset)] = f"**{text}**" if rank == 1 else text
        rows.append(line)
    return rows


def _published_cells(reproduced, table):
    """What was printed, by row, method and metric, with a mark where ours is not within chance."""
    return {
        (line.row, line.method, line.metric): {
            "text": plus_minus(line.published_mean, line.published_std),
            "mark": "" if pd.isna(line.agrees) or line.agrees else "▼▲"[int(line.difference > 0)],
        }
        for line in reproduced[reproduced["table"] == table].itertuples()
    }


_NOT_PUBLISHED = {"text": "", "mark": ""}


def _count(value):
    return "" if pd.isna(value) else str(int(value))


def write_table(out, name, table, presented):
    """Write a table as CSV, and for people as Markdown and LaTeX with the caption of its name.

    Parameters
    ----------
    out : path-like
        Directory.
    name : str
        Name of the files.
    table : pandas.DataFrame
        The table.
    presented : list of dict
        Its lines as texts.
    """
    out = Path(out)
    write_csv(table, out / f"{name}.csv")
    write_text(out / f"{name}.md", to_markdown(presented, caption(name)))
    write_text(out / f"{name}.tex", to_latex(presented, caption(name), name))


def write_csv(table, path):
    """Write a table as CSV, atomically, without its index."""
    with atomic_path(path) as temporary:
        table.to_csv(temporary, index=False)
