"""Tables I, II and III from our runs, and every published figure beside ours."""

import json
import re
from importlib.resources import files
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq

from mccvc.study.files import atomic_path, write_text

# Figures that agree within chance are at most this many standard errors apart.
AGREEMENT = 3.0

LABELS = {
    "mmse": "MMSE",
    "mcc": "MCC",
    "mcc-vc": "MCC-VC",
    "mmse-intercept": "MMSE with intercept",
    "mcc-intercept": "MCC with intercept",
    "relm": "RELM",
    "elm-rcc": "ELM-RCC",
    "elm-mcc-vc": "ELM-MCC-VC",
}
_ACRONYMS = {
    *("elm", "rvfl", "mcc", "gmcc", "mmkcc", "kmpe", "krsl", "lad", "mee", "qmee"),
    *("ransac", "qsar", "cpu"),
}
PAPER_CRITERIA = ("mmse", "mcc", "mcc-vc")


def label(name):
    """Name of a method, criterion, case or dataset as tables and figures print it."""
    if name in LABELS:
        return LABELS[name]
    for known in sorted(LABELS, key=len, reverse=True):
        if name.startswith(f"{known}-"):
            return f"{LABELS[known]}, {name.removeprefix(f'{known}-')}"
    if name.startswith("case"):
        return f"Case {name.removeprefix('case')}"
    parts = [part.upper() if part in _ACRONYMS else part for part in name.split("-")]
    # A name begins with a capital, and so does what stands on the hidden layer.
    for i, part in enumerate(parts):
        if i == 0 or parts[i - 1] == "ELM":
            parts[i] = part[:1].upper() + part[1:]
    return "-".join(parts)


def published():
    """The paper's figures: table, row, method, metric, mean, std, runs."""
    with (files("mccvc.report") / "published.csv").open(encoding="utf-8") as file:
        return pd.read_csv(file, keep_default_na=True)


def read_runs(study, runs, kind, missing=None):
    """All rows of the linear or ELM study, those of failed runs among them.

    Parameters
    ----------
    study : dict
        The resolved study.
    runs : path-like
        Directory of the shards.
    kind : str
        ``linear`` or ``elm``.
    missing : list, optional
        Gets the paths of shards that are not there, which then are left out.

    Returns
    -------
    pandas.DataFrame
    """
    return study[kind].rows(runs, missing)


def select_grid_points(rows):
    """Rows of the grid point with the lowest mean RMSE, for each case and criterion.

    The choice looks at the results of all runs, as the paper's "trial and error" does. Among
    equals the smallest lambda' wins, then the smallest width.

    Parameters
    ----------
    rows : pandas.DataFrame
        Rows of the linear study. MCC-VC chooses its width itself: its grid is over lambda'.

    Returns
    -------
    pandas.DataFrame
        The rows of the chosen points, with a column ``tune_seconds``: what all widths of the
        chosen lambda' took in that run.
    """
    rows = rows[rows["error"].isna()]
    if rows.empty:
        return rows.assign(tune_seconds=rows["fit_seconds"])
    rows = rows.assign(
        width=rows["sigma"].where(rows["criterion"].isin(["mcc", "mcc-intercept"]), 0.0)
    )
    group = ["case", "criterion"]
    means = rows.groupby([*group, "lam", "width"], sort=True)["weight_rmse"].mean()
    best = means.groupby(group).idxmin()
    chosen = pd.DataFrame(best.tolist(), columns=[*group, "lam", "width"])
    tuning = rows.groupby([*group, "lam", "run"])["fit_seconds"].sum().rename("tune_seconds")
    picked = rows.merge(chosen, on=[*group, "lam", "width"])
    return picked.merge(tuning.reset_index(), on=[*group, "lam", "run"])


def failures(linear, elm):
    """The runs that failed, with their errors.

    Parameters
    ----------
    linear, elm : pandas.DataFrame
        All rows of both studies.

    Returns
    -------
    pandas.DataFrame
        Columns ``study``, ``row`` (case or dataset), ``method``, ``run`` and ``error``.
    """
    names = {"case": "row", "criterion": "method", "dataset": "row"}
    parts = [rows[rows["error"].notna()].rename(columns=names) for rows in (linear, elm)]
    return pd.concat([part[["study", "row", "method", "run", "error"]] for part in parts])


def table1(study, rows):
    """Table I: RMSE of the weights and times, for each case and criterion.

    ``sigma`` is the chosen width for MCC and the mean final width for MCC-VC.
    """
    picked = select_grid_points(rows)
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
    return in_order(table, [(spec.problem, spec.method) for spec in study["linear"].specs])


def table2(study, data):
    """Table II: rows and columns of the datasets, with the paper's count of features."""
    paper = published().query("table == 'table2' and metric == 'n_features'").set_index("row")
    rows = []
    for spec in {spec.dataset: spec for spec in study["elm"].specs}.values():
        if not (Path(data) / f"{spec.dataset}.parquet").exists():
            rows.append({"dataset": spec.dataset})
            continue
        stored = pq.read_metadata(Path(data) / f"{spec.dataset}.parquet")
        described = Path(data) / f"{spec.dataset}.json"
        provenance = json.loads(described.read_text(encoding="utf-8"))
        n_train, n_test = spec.split_sizes(stored.num_rows)
        rows.append(
            {
                "dataset": spec.dataset,
                "n_rows": stored.num_rows,
                "n_features": stored.num_columns - 1,
                "duplicate_rows": provenance["duplicate_rows"],
                "n_train": n_train,
                "n_test": n_test,
                "published_features": paper["mean"].get(spec.dataset),
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
    return in_order(table, [(spec.problem, spec.method) for spec in study["elm"].specs])


def in_order(table, order):
    """The table in the order of the study; what has no rows at all gets 0 runs."""
    index = pd.MultiIndex.from_tuples(order, names=table.index.names)
    table = table.reindex(index)
    return table.assign(n_runs=table["n_runs"].fillna(0).astype(int)).reset_index()


def compare_with_published(first, second, third):
    """Every figure of the paper beside ours.

    For RMSEs ``z`` is the difference over the standard error of both means and ``agrees`` is
    \\|z\\| <= 3. Seconds of another machine are listed without a verdict: MCC's is the search
    over all widths, MCC-VC's one fit. Counts agree if they are equal.

    Parameters
    ----------
    first, second, third : pandas.DataFrame
        Tables I, II and III.

    Returns
    -------
    pandas.DataFrame
    """
    ours = {}
    for row in first.itertuples():
        key = ("table1", row.case, row.criterion)
        ours[*key, "rmse"] = (row.rmse_mean, row.rmse_std, row.n_runs)
        if row.criterion == "mcc-vc":
            ours[*key, "seconds"] = (row.fit_seconds_mean, row.fit_seconds_std, row.n_runs)
        else:
            ours[*key, "seconds"] = (row.tune_seconds_mean, None, row.n_runs)
    for row in second.dropna(subset="n_rows").itertuples():
        for metric in ("n_features", "n_train", "n_test"):
            ours["table2", row.dataset, None, metric] = (getattr(row, metric), None, None)
    for row in third.itertuples():
        for metric in ("train_rmse", "test_rmse"):
            mean, std = getattr(row, f"{metric}_mean"), getattr(row, f"{metric}_std")
            ours["table3", row.dataset, row.method, metric] = (mean, std, row.n_runs)
    lines = []
    for row in published().itertuples():
        method = row.method if isinstance(row.method, str) else None
        mean, std, n_runs = ours.get((row.table, row.row, method, row.metric), (None, None, None))
        if n_runs == 0:
            mean = std = None
        z = agrees = None
        difference = None if mean is None else mean - row.mean
        if mean is not None and row.table == "table2":
            agrees = difference == 0
        elif mean is not None and row.metric.endswith("rmse") and n_runs > 1:
            error = np.sqrt(row.std**2 / row.runs + std**2 / n_runs)
            if error > 0:
                z = difference / error
                agrees = abs(z) <= AGREEMENT
            else:
                agrees = difference == 0
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
                "difference": difference,
                "z": z,
                "agrees": agrees,
            }
        )
    types = {"published_runs": "Int64", "n_runs": "Int64", "agrees": "boolean"}
    numbers = ("reproduced_mean", "reproduced_std", "difference", "z")
    return pd.DataFrame(lines).astype(types | dict.fromkeys(numbers, "float64"))


def write_tables(study, runs, data, out, *, partial=False):
    """Write all tables: CSV with full precision, Markdown and LaTeX for reading.

    Parameters
    ----------
    study : dict
        The resolved study.
    runs, data, out : path-like
        Directories of the shards, the normalized tables and the tables to write.
    partial : bool, default False
        Whether to leave out what is not there, and list it in ``missing.csv``.
    """
    out = Path(out)
    missing: list[str] | None = [] if partial else None
    linear = read_runs(study, runs, "linear", missing)
    elm = read_runs(study, runs, "elm", missing)
    first, second, third = table1(study, linear), table2(study, data), table3(study, elm)
    comparison = compare_with_published(first, second, third)
    shown = {
        "table1": (present_table1(first, comparison), caption("table1")),
        "table2": (present_table2(second), caption("table2")),
        "table3": (present_table3(third, comparison), caption("table3")),
    }
    for name, table in (("table1", first), ("table2", second), ("table3", third)):
        write_csv(table, out / f"{name}.csv")
        presented, text = shown[name]
        write_text(out / f"{name}.md", to_markdown(presented, text))
        write_text(out / f"{name}.tex", to_latex(presented, text, name))
    write_csv(comparison, out / "published_vs_reproduced.csv")
    write_csv(failures(linear, elm), out / "failures.csv")
    if partial:
        write_csv(pd.DataFrame({"missing": missing}), out / "missing.csv")


def caption(name):
    """Caption of a table or figure, the same wherever it is shown.

    Parameters
    ----------
    name : str
        Name of the table or figure.

    Returns
    -------
    str
    """
    text = (files("mccvc.report") / "captions" / f"{name}.rst").read_text(encoding="utf-8")
    return " ".join(text.split())


def present_table1(table, comparison):
    """Table I as text, the criteria that are not in the paper below a rule (None)."""
    order: dict[bool, list[dict[str, str]]] = {True: [], False: []}
    for row in table.itertuples():
        paper = _published_cell(comparison, "table1", row.case, row.criterion, "rmse")
        searches = row.criterion.startswith("mcc") and row.criterion != "mcc-vc"
        order[row.criterion in PAPER_CRITERIA].append(
            {
                "Case": label(row.case),
                "Criterion": label(row.criterion),
                "RMSE": _plus_minus(row.rmse_mean, row.rmse_std) + paper["mark"],
                "MC error": _mc_error(row.rmse_mc_error),
                "Paper": paper["text"],
                "λ'": "" if np.isnan(row.lam) else f"{row.lam:g}",
                "σ": "" if np.isnan(row.sigma) else f"{row.sigma:.2g}",
                "Fit (s)": _seconds(row.fit_seconds_mean),
                "Search (s)": _seconds(row.tune_seconds_mean) if searches else "",
            }
        )
    return [*order[True], None, *order[False]] if order[False] else order[True]


def present_table2(table):
    """Table II as text."""
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


def present_table3(table, comparison):
    """Table III as text, a line for each dataset and method."""
    best = table.groupby("dataset")["test_rmse_mean"].transform("min")
    rows = []
    for row, lowest in zip(table.itertuples(), best, strict=True):
        line = {"Dataset": label(row.dataset), "Method": label(row.method)}
        for metric, title in (("train_rmse", "Training"), ("test_rmse", "Testing")):
            mean, std = getattr(row, f"{metric}_mean"), getattr(row, f"{metric}_std")
            paper = _published_cell(comparison, "table3", row.dataset, row.method, metric)
            text = _plus_minus(mean, std)
            if metric == "test_rmse" and mean == lowest:
                text = f"**{text}**"
            line[title] = text + paper["mark"]
            line["MC error" if metric == "test_rmse" else "MC error (training)"] = _mc_error(
                getattr(row, f"{metric}_mc_error")
            )
            line[f"Paper's {title.lower()}"] = paper["text"]
        rows.append(line)
    return rows


def to_markdown(rows, caption):
    """A Markdown table; None is a rule."""
    header = list(next(row for row in rows if row))
    lines = [_markdown_line(header), _markdown_line(["---"] * len(header))]
    for row in rows:
        lines.append(_markdown_line(["—"] * len(header) if row is None else row.values()))
    return "\n".join(lines) + f"\n\n{caption}\n"


def to_latex(rows, caption, name):
    """A LaTeX table over the page's width, with booktabs rules; None is a rule."""
    header = list(next(row for row in rows if row))
    cells = [list(row.values()) for row in rows if row]
    wraps = [max(map(len, column)) > _LONGEST for column in zip(*cells, strict=True)]
    wide = rf">{{\raggedright\arraybackslash}}p{{{0.8 / max(1, sum(wraps)):.2f}\linewidth}}"
    body = [
        r"\midrule" if row is None else " & ".join(map(_latex, row.values())) + r" \\"
        for row in rows
    ]
    return "\n".join(
        [
            r"% needs \usepackage{array,booktabs,amssymb}",
            r"\begin{table*}",
            r"\centering\footnotesize",
            r"\setlength{\tabcolsep}{3pt}",
            rf"\caption{{{_latex(caption)}}}",
            rf"\label{{tab:{name}}}",
            rf"\begin{{tabular}}{{{''.join(wide if wrap else 'l' for wrap in wraps)}}}",
            r"\toprule",
            " & ".join(map(_latex, header)) + r" \\",
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table*}",
            "",
        ]
    )


# Columns with longer texts wrap.
_LONGEST = 32


def _published_cell(comparison, table, row, method, metric):
    match = comparison.query(
        "table == @table and row == @row and method == @method and metric == @metric"
    )
    if match.empty:
        return {"text": "", "mark": ""}
    found = match.iloc[0]
    differs = not pd.isna(found["agrees"]) and not found["agrees"]
    return {
        "text": _plus_minus(found["published_mean"], found["published_std"]),
        "mark": ("▲" if found["difference"] > 0 else "▼") if differs else "",
    }


def _count(value):
    return "" if pd.isna(value) else str(int(value))


def _seconds(value):
    return "" if pd.isna(value) else f"{value:.4f}"


def _mc_error(value):
    return "–" if pd.isna(value) else f"{value:.4f}"


def _plus_minus(mean, std):
    if pd.isna(mean):
        return "no run"
    return f"{mean:.4f}" if pd.isna(std) else f"{mean:.4f} ± {std:.4f}"


def _markdown_line(cells):
    return "| " + " | ".join(cells) + " |"


def _latex(text):
    for plain, command in _LATEX:
        text = text.replace(plain, command)
    return re.sub(r"\*\*(.+?)\*\*", r"\\textbf{\1}", text)


_LATEX = (
    ("%", r"\%"),
    ("_", r"\_"),
    ("±", r"$\pm$"),
    ("λ'", r"$\lambda'$"),
    ("σ", r"$\sigma$"),
    ("▲", r"$^\uparrow$"),
    ("▼", r"$^\downarrow$"),
    ("−", "$-$"),
    ("–", "--"),
    ("²", "$^2$"),
    ("✓", r"$\checkmark$"),
    ("✗", r"$\times$"),
    ("<", "$<$"),
)


def write_csv(table, path):
    """Write a table as CSV, atomically, without its index."""
    with atomic_path(path) as temporary:
        table.to_csv(temporary, index=False)
