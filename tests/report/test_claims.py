"""Verdicts on claims, from made-up runs whose answer is known."""

import numpy as np
import pandas as pd
import pytest
from studies import resolved

from mccvc.report import claims as judging
from mccvc.report.claims import FAILS, HOLDS, OPEN, all_of, better, equal
from mccvc.report.evidence import compare_runs, over_datasets, pairs_of, present_claims
from mccvc.report.page import answer
from mccvc.report.tables import compare_with_published

CASES = ["case1", "case2"]
DATASETS = ["servo", "yacht", "slump"]
METHODS = ["relm", "elm-rcc", "elm-mcc-vc"]
RUNS = 40


@pytest.mark.parametrize(
    ("low", "high", "margin", "verdict"),
    [
        (-2, -1, 0.5, HOLDS),
        (1, 2, 0.5, FAILS),
        (-0.4, 0.3, 0.5, FAILS),  # a gain of 0.5 is ruled out
        (-1, 1, 0.5, OPEN),
        (np.nan, np.nan, 0.5, OPEN),
    ],
)
def test_better(low, high, margin, verdict):
    assert better(low, high, margin) == verdict


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [(-0.1, 0.2, HOLDS), (0.6, 0.9, FAILS), (-0.9, -0.5, FAILS), (0.1, 0.7, OPEN)],
)
def test_equal(low, high, verdict):
    assert equal(low, high, 0.5) == verdict
    assert equal(np.nan, np.nan, 0.5) == OPEN


def test_all_of():
    assert all_of([HOLDS, HOLDS]) == HOLDS
    assert all_of([HOLDS, OPEN]) == OPEN
    assert all_of([HOLDS, OPEN, FAILS]) == FAILS
    assert all_of([]) == OPEN


def study():
    return resolved(CASES, datasets=DATASETS, methods=METHODS)


def linear_rows(means, spread=0.001):
    """Rows of the chosen grid points; `means` by criterion, or by case and criterion."""
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "case": case,
            "criterion": criterion,
            "run": run,
            "weight_rmse": means.get((case, criterion), means.get(criterion))
            + rng.normal(0, spread),
            "fit_seconds": 0.01 if criterion == "mcc-vc" else 0.002,
            "tune_seconds": 0.05,
        }
        for case in CASES
        for criterion in ("mmse", "mcc", "mcc-vc", "mcc-intercept")
        for run in range(RUNS)
    )


def elm_rows(means, spread=0.0005):
    rng = np.random.default_rng(1)
    return pd.DataFrame(
        {
            "dataset": dataset,
            "method": method,
            "run": run,
            "test_rmse": means.get((dataset, method), means.get(method)) + rng.normal(0, spread),
            "n_train": 50,
            "n_test": 50,
            "tune_seconds": 1.0 if method == "elm-mcc-vc" else 2.0,
        }
        for dataset in DATASETS
        for method in METHODS
        for run in range(RUNS)
    )


def distances(second):
    return pd.DataFrame(
        {
            "case": "case2",
            "criterion": "mcc-vc",
            "iteration": [1, 2] * RUNS,
            "distance": [0.4, second] * RUNS + np.tile([0, 1e-4, -1e-4, 0], RUNS // 2),
            "smallest": 0.1,
            "run": np.repeat(np.arange(RUNS), 2),
        }
    )


LINEAR = {"mmse": 1.0, "mcc": 0.05, ("case2", "mcc"): 0.1, "mcc-vc": 0.05, "mcc-intercept": 0.04}
ELM = {"relm": 0.1, "elm-rcc": 0.1, "elm-mcc-vc": 0.09, ("yacht", "elm-mcc-vc"): 0.02}


def judged(linear=LINEAR, elm=ELM, second=0.12, study=None, **spreads):
    study = study or globals()["study"]()
    picked, hidden = linear_rows(linear), elm_rows(elm, **spreads)
    compared = compare_runs(study, picked, hidden)
    first = pd.DataFrame(columns=["case", "criterion"])
    second_table = pd.DataFrame(columns=["dataset", "n_rows"])
    comparison = compare_with_published(first, second_table, pd.DataFrame())
    across = over_datasets(study, hidden)
    found = judging.claims(study, picked, hidden, compared, across, distances(second), comparison)
    return found, comparison


def verdicts(**changes):
    return judged(**changes)[0].set_index("claim")["verdict"]


def test_everything_that_is_so_holds():
    found = verdicts()
    expected = {
        "mcc-far-better-than-mmse": HOLDS,
        "mcc-vc-far-better-than-mmse": HOLDS,
        "mcc-vc-better-than-mcc": HOLDS,
        "mcc-vc-better-than-mcc-intercept": FAILS,
        "mcc-vc-equals-mcc": HOLDS,
        "search-saves-time": HOLDS,
        "search-saves-time-elm": HOLDS,
        "kernel-matches-case2": HOLDS,
        "elm-mcc-vc-lowest-mean": HOLDS,
        "elm-mcc-vc-better-method": HOLDS,
        "elm-mcc-vc-better-over-datasets": HOLDS,
        "yacht-wide-margin": HOLDS,
    }
    assert found[list(expected)].to_dict() == expected


def test_reversed_results_reverse_the_verdicts():
    elm = {"relm": 0.1, "elm-rcc": 0.1, "elm-mcc-vc": 0.11}
    linear = {"mmse": 0.08, "mcc": 0.05, "mcc-vc": 0.06, "mcc-intercept": 0.1}
    found = verdicts(elm=elm, linear=linear, second=0.3)
    for claim in (
        "mcc-far-better-than-mmse",
        "mcc-vc-better-than-mcc",
        "mcc-vc-equals-mcc",
        "kernel-matches-case2",
        "elm-mcc-vc-lowest-mean",
        "elm-mcc-vc-better-method",
        "elm-mcc-vc-better-over-datasets",
        "yacht-wide-margin",
    ):
        assert found[claim] == FAILS, claim
    assert found["mcc-vc-better-than-mcc-intercept"] == HOLDS


def test_noise_leaves_it_open():
    elm = {"relm": 0.1, "elm-rcc": 0.1, "elm-mcc-vc": 0.0995}
    found = verdicts(elm=elm, spread=0.02)
    for claim in ("elm-mcc-vc-lowest-mean", "elm-mcc-vc-better-method"):
        assert found[claim] == OPEN


def test_one_worse_dataset_refutes_best_on_all():
    found, _ = judged(elm=ELM | {("slump", "elm-mcc-vc"): 0.12})
    claim = found.set_index("claim").loc["elm-mcc-vc-lowest-mean"]
    assert claim["verdict"] == FAILS
    assert "lowest mean on 2 of 3" in claim["figure"]
    assert "behind on Slump" in claim["figure"]


def test_what_is_not_in_the_study_cannot_be_decided():
    small = resolved(CASES, ["mmse"], DATASETS, ["relm"])
    picked, hidden = linear_rows(LINEAR), elm_rows(ELM)
    picked, hidden = picked[picked["criterion"] == "mmse"], hidden[hidden["method"] == "relm"]
    compared = compare_runs(small, picked, hidden)
    comparison = judged()[1]
    across = over_datasets(small, hidden)
    found = judging.claims(
        small, picked, hidden, compared, across, distances(0.1).iloc[:0], comparison
    )
    assert set(found["verdict"]) == {OPEN}


def test_cells_follow_the_comparison():
    comparison = pd.DataFrame(
        {
            "table": ["table3", "table3", "table1", "table1"],
            "row": ["servo", "servo", "case1", "case1"],
            "method": ["relm", "elm-rcc", "mcc", "mcc"],
            "metric": ["test_rmse", "train_rmse", "seconds", "rmse"],
            "published_mean": 0.1,
            "reproduced_mean": [0.1, 0.2, 0.3, np.nan],
            "z": [0.5, 9.0, np.nan, np.nan],
            "agrees": [True, False, None, None],
        }
    )
    found = [judging._cell(row) for row in comparison.itertuples()]
    assert [claim.verdict for claim in found] == [HOLDS, FAILS, OPEN, OPEN]
    assert found[0].text == "Servo, RELM: testing RMSE 0.1000"
    assert found[1].figure == "ours 0.2000, z = +9.0"
    assert found[3].figure == "no run"
    assert len({claim.claim for claim in found}) == 4


def test_answer_is_three_sentences_of_the_verdicts():
    found, comparison = judged()
    sentences = answer(found, comparison)
    assert len(sentences) == 3
    assert "it holds that MCC-VC is better than MCC" in sentences[0]
    assert "it does not hold that it is better than MCC with an intercept" in sentences[0]
    assert "it holds that ELM-MCC-VC has the lowest mean" in sentences[1]
    worse = answer(*judged(elm={"relm": 0.1, "elm-rcc": 0.1, "elm-mcc-vc": 0.11}))
    assert "it does not hold that ELM-MCC-VC has the lowest mean" in worse[1]


def test_verdicts_are_marked_by_more_than_colour():
    marks = {row["Verdict"][0] for row in present_claims(judged()[0])}
    assert marks == {"✓", "✗", "?"}


def test_pairs_put_the_papers_method_first():
    assert pairs_of(METHODS, METHODS) == [
        ("elm-mcc-vc", "relm"),
        ("elm-mcc-vc", "elm-rcc"),
        ("relm", "elm-rcc"),
    ]
    assert pairs_of(["x", "relm", "y"], METHODS) == [("x", "relm"), ("x", "y")]
