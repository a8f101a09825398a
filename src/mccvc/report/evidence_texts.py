"""Comparisons, tests across datasets and verdicts as texts, for tables and the page."""

import pandas as pd

from mccvc.report.claim import MATTERS
from mccvc.report.markup import caption, fixed, general, interval, p_value, signed
from mccvc.report.verdicts import Verdict
from mccvc.study.plan import MIN_RUNS

_TEST, _POWER, _FILE = "How it is judged", "What it can see", "Evidence"
# On paper tests and files of the claims, and tests beside the main ones, would leave no room.
NOT_PRINTED = (_TEST, _POWER, _FILE, "p corrected", "p Wilcoxon")


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


def present_pairs(label, paired):
    """Paired comparisons as text: the effect first, p values after it."""
    return [
        {
            "Data": label(row.group),
            "Comparison": f"{label(row.first)} − {label(row.second)}",
            "n": str(row.n_runs),
            "Detects": fixed(row.detectable),
            "Difference": signed(row.difference),
            "MC error": fixed(row.mc_error),
            "These data": interval(row.low, row.high),
            "Other samples": interval(row.low_resampled, row.high_resampled),
            "Win/tie/loss": f"{row.win}/{row.tie}/{row.loss}",
            "p these": p_value(row.p_plain_holm),
            "p others": p_value(row.p_resampled_holm),
            "p corrected": p_value(row.p_corrected_holm),
            "p Wilcoxon": p_value(row.p_wilcoxon_holm),
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
    if ranks.empty:
        return "No dataset to compare methods on."
    tests = ranks.iloc[0]
    # An empty text comes back from a CSV file as NaN.
    left_out = [] if pd.isna(tests["left_out"]) else str(tests["left_out"]).split()
    missing = f" Left out, as some method has fewer than {MIN_RUNS} runs there: "
    missing = f"{missing}{label.listed(left_out)}." if left_out else ""
    if not tests["n_datasets"]:
        return f"No dataset has {MIN_RUNS} runs of every method.{missing}"
    names = ", ".join(f"{label(row.method)} {row.average_rank:.2f}" for row in ranks.itertuples())
    return (
        f"Over n = {tests['n_datasets']} datasets, from relative differences of mean testing RMSEs."
        " Probabilities: Bayesian signed-rank test, differences within"
        f" {MATTERS['elm']:.0%} count as equivalent (Benavoli et al.). Wilcoxon: two-sided"
        " signed-rank test, zeros dropped, ties at mean ranks, not adjusted. Average ranks (1 is"
        f" best, ties share ranks): {names}; Friedman's statistic {fixed(tests['friedman'], 2)},"
        f" corrected for ties, p = {p_value(tests['p_friedman'])}. So few datasets carry little"
        f" power: average ranks that differ by less than {fixed(tests['critical_difference'])}"
        " (Nemenyi, 5 %) cannot be told apart, and no two-sided Wilcoxon p can be below"
        f" {tests['smallest_wilcoxon_p']:.4f}.{missing}"
    )


def present_claims(judged):
    """Claims as text."""
    return [
        {
            "Verdict": Verdict(row.verdict),
            "Claim": row.text,
            "What came out": row.figure,
            _TEST: row.test,
            _POWER: row.power,
            "Where": row.where,
            _FILE: row.evidence,
        }
        for row in judged.itertuples()
    ]
