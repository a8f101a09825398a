"""Paired comparisons, tests across datasets and the verdicts on the paper's claims, as tables."""

from pathlib import Path

import numpy as np
import pandas as pd

from mccvc.report.claims import ROPE, claims
from mccvc.report.labels import Labels
from mccvc.report.markup import (
    caption,
    fixed,
    general,
    interval,
    p_value,
    signed,
    to_latex,
    to_markdown,
)
from mccvc.report.results import select_grid_points
from mccvc.report.roles import roles_of
from mccvc.report.statistics import across_datasets, compare_pairs
from mccvc.report.tables import in_order, write_csv
from mccvc.report.verdicts import Kind, Verdict
from mccvc.study.files import write_text

_TEST, _FILE = "How it is judged", "Evidence"


def write_evidence(study, runs, traces, tables, out):
    """Write comparisons, ranks, tests across datasets and claims.

    Parameters
    ----------
    study : ResolvedStudy
        The resolved study.
    runs, traces, tables, out : path-like
        Directories of the shards, the traces, the tables that are there, and those to write.
    """
    out = Path(out)
    linear = study["linear"].rows(runs)
    elm = study["elm"].rows(runs)
    picked, elm = select_grid_points(study["linear"], linear), elm[elm["error"].isna()]
    paired = compare_runs(study, picked, elm)
    across = over_datasets(study, elm)
    ranks = rank_table(across)
    judged = claims(
        study,
        picked,
        elm,
        paired,
        across,
        pd.read_parquet(Path(traces) / "distances.parquet"),
        pd.read_csv(Path(tables) / "published_vs_reproduced.csv"),
    )
    write_csv(paired, out / "comparisons.csv")
    write_csv(ranks, out / "ranks.csv")
    write_csv(across.pairs.assign(n_datasets=across.n_datasets), out / "across_datasets.csv")
    write_csv(judged, out / "claims.csv")
    write_csv(choices(study, elm), out / "choices.csv")
    # The figures of the tables one by one are in the CSV file and on the page.
    statements = judged[judged["kind"] != Kind.FIGURE]
    label = Labels.of(study)
    for name, presented, text in (
        ("comparisons", present_pairs(label, paired), pairs_caption(label, paired)),
        ("across_datasets", present_across(label, across.pairs), across_caption(label, ranks)),
        ("claims", present_claims(statements), caption("claims")),
    ):
        write_text(out / f"{name}.md", to_markdown(presented, text))
        # On paper tests and files of the claims would not leave room for the claims.
        printed = [{k: v for k, v in row.items() if k not in (_TEST, _FILE)} for row in presented]
        write_text(out / f"{name}.tex", to_latex(printed, text, name))


def compare_runs(study, picked, elm):
    """Paired comparisons of both experiments; p values are adjusted within each.

    Parameters
    ----------
    study : ResolvedStudy
        The resolved study.
    picked, elm : pandas.DataFrame
        Rows of the linear experiment at the chosen grid points, and of the ELM experiment.

    Returns
    -------
    pandas.DataFrame
        See :func:`mccvc.report.statistics.compare_pairs`, with a column ``study``.
    """
    cases = dict.fromkeys(study["linear"].problems, 0.0)
    sizes = elm.groupby("dataset")[["n_test", "n_train"]].first()
    known = (sizes["n_test"] / sizes["n_train"]).to_dict()
    ratios = {name: known.get(name, np.nan) for name in study["elm"].problems}
    parts = [
        compare_pairs(
            picked,
            *("case", "criterion", "weight_rmse"),
            cases,
            roles_of(study["linear"]).pairs(),
        ).assign(study="linear"),
        compare_pairs(
            elm,
            *("dataset", "method", "test_rmse"),
            ratios,
            roles_of(study["elm"]).pairs(),
        ).assign(study="elm"),
    ]
    return pd.concat([part for part in parts if len(part)] or parts[:1], ignore_index=True)


def over_datasets(study, elm):
    """Tests over the mean testing RMSEs of the datasets.

    Parameters
    ----------
    study : ResolvedStudy
        The resolved study.
    elm : pandas.DataFrame
        Rows of the ELM experiment without failed runs.

    Returns
    -------
    mccvc.report.statistics.AcrossDatasets
    """
    roles = roles_of(study["elm"])
    means = elm.pivot_table(index="dataset", columns="method", values="test_rmse")
    means = means.reindex(index=study["elm"].problems, columns=list(roles.names))
    return across_datasets(means, ROPE["elm"], roles.pairs())


def choices(study, elm):
    """What was chosen in the ELM experiment, and what it took, for each dataset and method.

    Parameters
    ----------
    study : ResolvedStudy
        The resolved study.
    elm : pandas.DataFrame
        Rows of the ELM experiment without failed runs.

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
        parameters=("parameters", lambda texts: texts.mode().get(0, "")),
    )
    return in_order(table, study["elm"])


def present_choices(label, table):
    """Choices of one dataset as text."""
    return [
        {
            "Method": label(row.method),
            "Hidden nodes": general(row.n_hidden),
            "λ'": general(row.lam),
            "σ": general(row.sigma),
            "Other": "" if pd.isna(row.parameters) else str(row.parameters),
            "Iterations": general(row.n_iter),
            "Converged": "–" if pd.isna(row.converged) else f"{float(row.converged):.0%}",
            "Fit (s)": fixed(row.fit_seconds),
            "Search (s)": fixed(row.tune_seconds),
        }
        for row in table.itertuples()
    ]


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


def present_pairs(label, paired):
    """Paired comparisons as text: the effect first, p values after it."""
    return [
        {
            "Data": label(row.group),
            "Comparison": f"{label(row.first)} − {label(row.second)}",
            "n": str(row.n_runs),
            "Difference": signed(row.difference),
            "MC error": fixed(row.mc_error),
            "95 % interval": interval(row.low_corrected, row.high_corrected),
            "Win/tie/loss": f"{row.win}/{row.tie}/{row.loss}",
            "p corrected t": p_value(row.p_corrected_holm),
            "p Wilcoxon": p_value(row.p_wilcoxon_holm),
            "p plain t": p_value(row.p_plain_holm),
        }
        for row in paired.itertuples()
    ]


def pairs_caption(label, paired):
    """Caption of the paired comparisons, which names cells without runs."""
    empty = paired[paired["n_runs"] == 0]
    missing = ", ".join(f"{label(r.group)} {label(r.second)}" for r in empty.itertuples())
    return caption("comparisons") + (f" No runs to compare: {missing}." if missing else "")


def present_across(label, pairs):
    """Tests over the datasets as text."""
    return [
        {
            "Comparison": f"{label(row.first)} − {label(row.second)}",
            "P(first better)": fixed(row.p_first, 3),
            "P(equivalent)": fixed(row.p_equivalent, 3),
            "P(second better)": fixed(row.p_second, 3),
            "p Wilcoxon": p_value(row.p_wilcoxon),
        }
        for row in pairs.itertuples()
    ]


def across_caption(label, ranks):
    """Caption of the tests over the datasets, from the table of ranks, with their power."""
    tests = ranks.iloc[0]
    names = ", ".join(f"{label(row.method)} {row.average_rank:.2f}" for row in ranks.itertuples())
    # An empty text comes back from a CSV file as NaN.
    left_out = [] if pd.isna(tests["left_out"]) else str(tests["left_out"]).split()
    return (
        f"Over n = {tests['n_datasets']} datasets, from relative differences of mean testing RMSEs."
        " Probabilities: Bayesian signed-rank test, differences within"
        f" {ROPE['elm']:.0%} count as equivalent (Benavoli et al.). Wilcoxon: two-sided signed-rank"
        " test, zeros dropped, ties at mean ranks, not adjusted. Average ranks (1 is best, ties"
        f" share ranks): {names}; Friedman's statistic {tests['friedman']:.2f}, corrected for ties,"
        f" p = {p_value(tests['p_friedman'])}. So few datasets carry little power: average ranks"
        f" that differ by less than {tests['critical_difference']:.4f} (Nemenyi, 5 %) cannot be"
        " told apart, and no two-sided Wilcoxon p can be below"
        f" {tests['smallest_wilcoxon_p']:.4f}."
        + (
            f" Left out, as not every method has runs there: {label.listed(left_out)}."
            if left_out
            else ""
        )
    )


def present_claims(judged):
    """Claims as text."""
    return [
        {
            "Verdict": Verdict(row.verdict),
            "Claim": row.text,
            "What came out": row.figure,
            _TEST: row.test,
            "Where": row.where,
            _FILE: row.evidence,
        }
        for row in judged.itertuples()
    ]
