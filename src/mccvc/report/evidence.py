"""Paired comparisons, tests across datasets and the verdicts on the paper's claims, as tables."""

from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd

from mccvc.report.claims import CELL, FAILS, HOLDS, OPEN, ROPE, claims
from mccvc.report.statistics import across_datasets, comparisons
from mccvc.report.tables import (
    PAPER_CRITERIA,
    caption,
    in_order,
    label,
    read_runs,
    select_grid_points,
    to_latex,
    to_markdown,
    write_csv,
)
from mccvc.study.files import write_text

PAPER_METHODS = ("relm", "elm-rcc", "elm-mcc-vc")
_TEST, _FILE = "How it is judged", "Evidence"
# Marks of the verdicts, so that colour is not all that tells them apart.
MARKS = {HOLDS: "✓", FAILS: "✗", OPEN: "?"}


def write_evidence(study, runs, traces, tables, out):
    """Write comparisons, ranks, tests across datasets and claims.

    Parameters
    ----------
    study : dict
        The resolved study.
    runs, traces, tables, out : path-like
        Directories of the shards, the traces, the tables that are there, and those to write.
    """
    out = Path(out)
    linear = read_runs(study, runs, "linear")
    elm = read_runs(study, runs, "elm")
    picked, elm = select_grid_points(linear), elm[elm["error"].isna()]
    compared = compare_runs(study, picked, elm)
    across = over_datasets(study, elm)
    judged = claims(
        study,
        picked,
        elm,
        compared,
        across,
        pd.read_parquet(Path(traces) / "distances.parquet"),
        pd.read_csv(Path(tables) / "published_vs_reproduced.csv"),
    )
    write_csv(compared, out / "comparisons.csv")
    write_csv(rank_table(across), out / "ranks.csv")
    write_csv(across.pairs.assign(n_datasets=across.n_datasets), out / "across_datasets.csv")
    write_csv(judged, out / "claims.csv")
    write_csv(choices(study, elm), out / "choices.csv")
    # The figures of the tables one by one are in the CSV file and on the page.
    statements = judged[~judged["claim"].str.match(CELL)]
    for name, presented, text in (
        ("comparisons", present_comparisons(compared), comparisons_caption(compared)),
        ("across_datasets", present_across(across.pairs), across_caption(across)),
        ("claims", present_claims(statements), caption("claims")),
    ):
        write_text(out / f"{name}.md", to_markdown(presented, text))
        # On paper tests and files of the claims would not leave room for the claims.
        printed = [{k: v for k, v in row.items() if k not in (_TEST, _FILE)} for row in presented]
        write_text(out / f"{name}.tex", to_latex(printed, text, name))


def pairs_of(methods, paper):
    """Pairs to compare: the paper's last method with each other one, and the paper's others.

    Parameters
    ----------
    methods : list of str
        Names, in the order of the study.
    paper : sequence of str
        The paper's methods, its own last.

    Returns
    -------
    list of tuple
    """
    lead = paper[-1] if paper[-1] in methods else methods[0]
    others = [method for method in methods if method != lead]
    return [(lead, m) for m in others] + list(combinations([m for m in others if m in paper], 2))


def compare_runs(study, picked, elm):
    """Paired comparisons of both studies; p values are adjusted within each.

    Parameters
    ----------
    study : dict
        The resolved study.
    picked, elm : pandas.DataFrame
        Rows of the linear study at the chosen grid points, and of the ELM study.

    Returns
    -------
    pandas.DataFrame
        See :func:`mccvc.report.statistics.comparisons`, with a column ``study``.
    """
    cases = dict.fromkeys(study["linear"].problems, 0.0)
    sizes = elm.groupby("dataset")[["n_test", "n_train"]].first()
    shares = (sizes["n_test"] / sizes["n_train"]).to_dict()
    datasets = {name: shares.get(name, np.nan) for name in study["elm"].problems}
    parts = [
        comparisons(
            picked,
            *("case", "criterion", "weight_rmse"),
            cases,
            pairs_of(study["linear"].methods, PAPER_CRITERIA),
        ).assign(study="linear"),
        comparisons(
            elm,
            *("dataset", "method", "test_rmse"),
            datasets,
            pairs_of(study["elm"].methods, PAPER_METHODS),
        ).assign(study="elm"),
    ]
    return pd.concat([part for part in parts if len(part)] or parts[:1], ignore_index=True)


def over_datasets(study, elm):
    """Tests over the mean testing RMSEs of the datasets.

    Parameters
    ----------
    study : dict
        The resolved study.
    elm : pandas.DataFrame
        Rows of the ELM study without failed runs.

    Returns
    -------
    mccvc.report.statistics.AcrossDatasets
    """
    methods = study["elm"].methods
    means = elm.pivot_table(index="dataset", columns="method", values="test_rmse")
    means = means.reindex(index=study["elm"].problems, columns=methods)
    return across_datasets(means, ROPE["elm"], pairs_of(methods, PAPER_METHODS))


def choices(study, elm):
    """What was chosen in the ELM study, and what it took, for each dataset and method.

    Parameters
    ----------
    study : dict
        The resolved study.
    elm : pandas.DataFrame
        Rows of the ELM study without failed runs.

    Returns
    -------
    pandas.DataFrame
        Medians of the chosen values and of the iterations, the share of converged fits, mean
        seconds, and the most frequent other parameters.
    """
    table = elm.groupby(["dataset", "method"]).agg(
        n_runs=("run", "size"),
        n_hidden=("n_hidden", "median"),
        lam=("lam", "median"),
        sigma=("sigma", "median"),
        n_iter=("n_iter", "median"),
        converged=("converged", "mean"),
        fit_seconds=("fit_seconds", "mean"),
        tune_seconds=("tune_seconds", "mean"),
        parameters=("parameters", lambda found: found.mode().get(0, "")),
    )
    return in_order(table, [(spec.problem, spec.method) for spec in study["elm"].specs])


def present_choices(table):
    """Choices of one dataset as text."""
    return [
        {
            "Method": label(row.method),
            "Hidden nodes": _number(row.n_hidden),
            "λ'": _number(row.lam),
            "σ": _number(row.sigma),
            "Other": "" if pd.isna(row.parameters) else str(row.parameters),
            "Iterations": _number(row.n_iter),
            "Converged": "–" if pd.isna(row.converged) else f"{float(row.converged):.0%}",
            "Fit (s)": _plain(row.fit_seconds),
            "Search (s)": _plain(row.tune_seconds),
        }
        for row in table.itertuples()
    ]


def _number(value):
    return "–" if pd.isna(value) else f"{value:.3g}"


def rank_table(across):
    """Average ranks, with the tests over them in every row."""
    return (
        across.ranks.rename_axis("method")
        .rename("average_rank")
        .reset_index()
        .assign(
            n_datasets=across.n_datasets,
            left_out=" ".join(across.left_out),
            friedman=across.friedman,
            p_friedman=across.p_friedman,
            critical_difference=across.critical_difference,
            smallest_wilcoxon_p=across.smallest_p,
        )
    )


def present_comparisons(compared):
    """Paired comparisons as text: the effect first, p values after it."""
    return [
        {
            "Data": label(row.group),
            "Comparison": f"{label(row.first)} − {label(row.second)}",
            "n": str(row.n_runs),
            "Difference": _signed(row.difference),
            "MC error": _plain(row.mc_error),
            "95 % interval": _bracket(row.low_corrected, row.high_corrected),
            "Win/tie/loss": f"{row.win}/{row.tie}/{row.loss}",
            "p corrected t": _p(row.p_corrected_holm),
            "p Wilcoxon": _p(row.p_wilcoxon_holm),
            "p plain t": _p(row.p_plain_holm),
        }
        for row in compared.itertuples()
    ]


def comparisons_caption(compared):
    """Caption of the paired comparisons, which names cells without runs."""
    empty = compared[compared["n_runs"] == 0]
    missing = ", ".join(f"{label(r.group)} {label(r.second)}" for r in empty.itertuples())
    return caption("comparisons") + (f" No runs to compare: {missing}." if missing else "")


def present_across(pairs):
    """Tests over the datasets as text."""
    return [
        {
            "Comparison": f"{label(row.first)} − {label(row.second)}",
            "P(first better)": _plain(row.p_first, 3),
            "P(equivalent)": _plain(row.p_equivalent, 3),
            "P(second better)": _plain(row.p_second, 3),
            "p Wilcoxon": _p(row.p_wilcoxon),
        }
        for row in pairs.itertuples()
    ]


def across_caption(across):
    """Caption of the tests over the datasets, with the power of so few."""
    ranks = ", ".join(f"{label(name)} {rank:.2f}" for name, rank in across.ranks.items())
    left_out = ", ".join(map(label, across.left_out))
    return (
        f"Over n = {across.n_datasets} datasets, from relative differences of mean testing RMSEs."
        " Probabilities: Bayesian signed-rank test, differences within"
        f" {ROPE['elm']:.0%} count as equivalent (Benavoli et al.). Wilcoxon: two-sided signed-rank"
        " test, zeros dropped, ties at mean ranks, not adjusted. Average ranks (1 is best, ties"
        f" share ranks): {ranks}; Friedman's statistic {across.friedman:.2f}, corrected for ties,"
        f" p = {_p(across.p_friedman)}. So few datasets carry little power: average ranks that"
        f" differ by less than {across.critical_difference:.4f} (Nemenyi, 5 %) cannot be told"
        f" apart, and no two-sided Wilcoxon p can be below {across.smallest_p:.4f}."
        + (f" Left out, as not every method has runs there: {left_out}." if left_out else "")
    )


def present_claims(judged):
    """Claims as text."""
    return [
        {
            "Verdict": f"{MARKS[row.verdict]} {row.verdict}",
            "Claim": row.text,
            "What came out": row.figure,
            _TEST: row.test,
            "Where": row.where,
            _FILE: row.evidence,
        }
        for row in judged.itertuples()
    ]


def _signed(value):
    return "–" if pd.isna(value) else f"{value:+.4f}".replace("-", "−")


def _plain(value, digits=4):
    return "–" if pd.isna(value) else f"{value:.{digits}f}"


def _bracket(low, high):
    return "–" if pd.isna(low) else f"[{low:+.4f}, {high:+.4f}]".replace("-", "−")


def _p(value):
    if pd.isna(value):
        return "–"
    return "< 0.0001" if value < 1e-4 else f"{value:.4f}" if value < 0.1 else f"{value:.2f}"
