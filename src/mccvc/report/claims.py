"""The paper's claims and questions of ours, each judged by our runs; no verdict is typed in."""

from dataclasses import asdict

import numpy as np
import pandas as pd

from mccvc.report.claim import Claim
from mccvc.report.elm_claims import ElmClaims
from mccvc.report.labels import Labels
from mccvc.report.linear_claims import LinearClaims
from mccvc.report.markup import fixed
from mccvc.report.tables import AGREEMENT
from mccvc.report.verdicts import Kind, Verdict

_COLUMNS = list(Claim.__dataclass_fields__)


def claims(study, linear, timed, elm, across, distances, reproduced):
    """Judge all claims.

    Parameters
    ----------
    study : ResolvedStudy
        The resolved study.
    linear : pandas.DataFrame
        Rows of the linear experiment, all runs, each at the grid point that other runs chose.
    timed : pandas.DataFrame
        Rows of the linear experiment at the grid points of Table I.
    elm : pandas.DataFrame
        Rows of the ELM experiment without failed runs.
    across : mccvc.report.across.AcrossDatasets
        Tests over the datasets, of the paper's methods alone.
    distances : pandas.DataFrame
        Kernel distances of the first iterations, see :mod:`mccvc.study.traces`.
    reproduced : pandas.DataFrame
        Every published figure beside ours.

    Returns
    -------
    pandas.DataFrame
        A row for each claim, with the fields of :class:`mccvc.report.claim.Claim`: those of the
        paper, questions of ours, and the figures of the paper's tables.
    """
    label = Labels.of(study)
    judged = [
        *LinearClaims(study["linear"], label, linear, timed, distances).all(),
        *ElmClaims(study["elm"], label, elm, across).all(),
        *(
            published_figure(row, label)
            for row in reproduced[reproduced["table"] != "table2"].itertuples()
        ),
    ]
    order = {kind: place for place, kind in enumerate(Kind)}
    judged.sort(key=lambda claim: order[claim.kind])
    return pd.DataFrame([asdict(claim) for claim in judged], columns=_COLUMNS)


def published_figure(row, label):
    """A figure of Table I or III as a claim."""
    number = {"table1": "I", "table3": "III"}[row.table]
    names = {"rmse": "RMSE", "seconds": "seconds", "train_rmse": "training RMSE"}
    metric = names.get(row.metric, "testing RMSE")
    decided = row.metric != "seconds" and not pd.isna(row.agrees)
    verdict = (Verdict.HOLDS if row.agrees else Verdict.FAILS) if decided else Verdict.OPEN
    test = (
        "seconds of another machine are not comparable"
        if row.metric == "seconds"
        else f"within {AGREEMENT:g} standard errors of both means"
    )
    reproduced = "no run" if pd.isna(row.reproduced_mean) else f"ours {fixed(row.reproduced_mean)}"
    z = "" if pd.isna(row.z) else f", z = {row.z:+.1f}"
    return Claim(
        claim=f"{row.table}-{row.row}-{row.method}-{row.metric}".replace("_", "-"),
        kind=Kind.FIGURE,
        text=f"{label(row.row)}, {label(row.method)}: {metric} {fixed(row.published_mean)}",
        where=f"Table {number}",
        test=test,
        power="",
        figure=reproduced + z,
        verdict=verdict,
        p_for=np.nan,
        p_against=np.nan,
        evidence="tables/published_vs_reproduced.csv",
    )
