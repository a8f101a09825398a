"""Paired comparisons, tests across datasets and the verdicts on the paper's claims, as tables."""

from pathlib import Path

import numpy as np
import pandas as pd

from mccvc.report.across import across_datasets
from mccvc.report.claim import MATTERS
from mccvc.report.claims import claims
from mccvc.report.evidence_texts import (
    NOT_PRINTED,
    across_caption,
    pairs_caption,
    present_across,
    present_claims,
    present_pairs,
)
from mccvc.report.labels import Labels
from mccvc.report.markup import caption, to_latex, to_markdown
from mccvc.report.results import cross_fitted, select_grid_points
from mccvc.report.roles import roles_of
from mccvc.report.statistics import OVERLAP, compare_pairs
from mccvc.report.tables import in_order, write_csv
from mccvc.report.verdicts import Kind
from mccvc.study.files import write_text
from mccvc.study.plan import MIN_RUNS
from mccvc.study.specs import CriterionMethod


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
        printed = [{k: v for k, v in row.items() if k not in NOT_PRINTED} for row in presented]
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
