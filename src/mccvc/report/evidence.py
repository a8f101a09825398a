"""Paired comparisons, tests across datasets and the verdicts on the paper's claims, as tables."""

from pathlib import Path

import numpy as np
import pandas as pd

from mccvc.report.across import across_datasets
from mccvc.report.claim import MATTERS
from mccvc.report.claims import claims
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
from mccvc.report.results import cross_fitted, select_grid_points
from mccvc.report.roles import roles_of
from mccvc.report.statistics import OVERLAP, compare_pairs
from mccvc.report.tables import in_order, write_csv
from mccvc.report.verdicts import Kind, Verdict
from mccvc.study.files import write_text
from mccvc.study.plan import MIN_RUNS
from mccvc.study.specs import CriterionMethod

_TEST, _POWER, _FILE = "How it is judged", "What it can see", "Evidence"
# On paper tests and files of the claims, and tests beside the main ones, would leave no room.
_NOT_PRINTED = (_TEST, _POWER, _FILE, "p corrected", "p Wilcoxon")


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
    plan, elm = study["linear"], study["elm"].rows(runs)
    elm = elm[elm["error"].isna()]
    # A trial of fewer runs judges nothing, not even by its claim runs.
    rows = plan.rows(runs, claims=plan.runs >= MIN_RUNS)
    linear = cross_fitted(plan, rows)
    roles = roles_of(study["elm"])
    paired = compare_runs(study, linear, elm)
    across = over_datasets(study, elm, list(roles.names), roles.pairs())
    ranks = rank_table(across)
    judged = claims(
        study,
        linear,
        select_grid_points(plan, rows[rows["run"] < plan.runs]),
        elm,
        # Whatever else ran, and wherever it has no runs, these verdicts stay.
        over_datasets(study, elm, roles.papers, roles.pairs()),
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
        printed = [{k: v for k, v in row.items() if k not in _NOT_PRINTED} for row in presented]
        write_text(out / f"{name}.tex", to_latex(printed, text, name))


def compare_runs(study, linear, elm):
    """Paired comparisons of both experiments.

    Runs of the linear experiment are independent. The overlap of splits counts as calibrated for
    criteria on the hidden layer, and in full for any other method.

    Parameters
    ----------
    study : ResolvedStudy
        The resolved study.
    linear, elm : pandas.DataFrame
        Rows of the linear experiment, one for each run, and of the ELM experiment.

    Returns
    -------
    pandas.DataFrame
        See :func:`mccvc.report.statistics.compare_pairs`, with a column ``study``.
    """
    cases = dict.fromkeys(study["linear"].problems, 0.0)
    sizes = elm.groupby("dataset")[["n_test", "n_train"]].first()
    known = (sizes["n_test"] / sizes["n_train"]).to_dict()
    ratios = {name: known.get(name, np.nan) for name in study["elm"].problems}
    calibrated = {name for name in study["elm"].methods if _is_calibrated(study["elm"].fit(name))}
    parts = [
        compare_pairs(
            linear,
            *("case", "criterion", "weight_rmse"),
            cases,
            dict.fromkeys(roles_of(study["linear"]).pairs(), OVERLAP),
        ).assign(study="linear"),
        compare_pairs(
            elm,
            *("dataset", "method", "test_rmse"),
            ratios,
            {
                pair: OVERLAP if calibrated.issuperset(pair) else 1.0
                for pair in roles_of(study["elm"]).pairs()
            },
        ).assign(study="elm"),
    ]
    return pd.concat([part for part in parts if len(part)] or parts[:1], ignore_index=True)


def _is_calibrated(fit):
    return isinstance(fit, CriterionMethod) and not fit.direct


def over_datasets(study, elm, methods, pairs):
    """Tests over the mean testing RMSEs of the datasets.

    Parameters
    ----------
    study : ResolvedStudy
        The resolved study.
    elm : pandas.DataFrame
        Rows of the ELM experiment without failed runs.
    methods : list of str
        Methods to rank; a dataset on which one of them has fewer than ten runs is left out.
    pairs : list of tuple
        Pairs to compare; those of other methods are left out.

    Returns
    -------
    mccvc.report.across.AcrossDatasets
    """
    enough = elm.groupby(["dataset", "method"])["run"].transform("size") >= MIN_RUNS
    means = elm[enough].pivot_table(index="dataset", columns="method", values="test_rmse")
    means = means.reindex(index=study["elm"].problems, columns=methods)
    pairs = [pair for pair in pairs if set(pair) <= set(methods)]
    return across_datasets(means, MATTERS["elm"], pairs)


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
