"""Verdicts on claims, from made-up runs whose answer is known."""

import numpy as np
import pandas as pd
import pytest
import yaml
from paths import ROOT
from studies import DATASETS, ELM, LINEAR, NOISES, study

from mccvc.report.claims import claims, published_figure
from mccvc.report.evidence import over_datasets
from mccvc.report.labels import Labels
from mccvc.report.page import answer
from mccvc.report.roles import roles_of
from mccvc.report.tables import compare_with_published
from mccvc.report.verdicts import Kind, Verdict

HOLDS, FAILS, OPEN = Verdict
RUNS = 40


pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def few_samples(monkeypatch):
    """The Bayesian probabilities are only shown; they decide nothing here."""
    monkeypatch.setattr("mccvc.report.across._SAMPLES", 200)


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
        for case in NOISES
        for criterion in LINEAR
        for run in range(RUNS)
    )


def elm_rows(means, methods=ELM, spread=0.0005):
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
            "search_solves": [100 + run % 3, 200] if method == "elm-mcc-vc" else [300, 300],
        }
        for dataset in DATASETS
        for method in methods
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


LINEAR_RMSE = {
    "mmse": 1.0,
    "mcc": 0.05,
    ("case2", "mcc"): 0.1,
    "mcc-vc": 0.05,
    "mmse-intercept": 1.0,
    "mcc-intercept": 0.04,
}
ELM_RMSE = {"relm": 0.1, "elm-rcc": 0.1, "elm-mcc-vc": 0.09, ("yacht", "elm-mcc-vc"): 0.02}
NO_TABLES = (
    pd.DataFrame(columns=["case", "criterion"]),
    pd.DataFrame(columns=["dataset", "n_rows"]),
    pd.DataFrame(),
)


def judge(of, picked, hidden, matching):
    roles = roles_of(of["elm"])
    across = over_datasets(of, hidden, roles.papers, roles.pairs())
    reproduced = compare_with_published(of, *NO_TABLES)
    return claims(of, picked, picked, hidden, across, matching, reproduced), reproduced


def judged(linear=LINEAR_RMSE, elm=ELM_RMSE, second=0.12, **spreads):
    return judge(study(), linear_rows(linear), elm_rows(elm, **spreads), distances(second))


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
        "search-saves-work-elm": HOLDS,
        "kernel-matches-case2": HOLDS,
        "elm-mcc-vc-lowest-mean": HOLDS,
        "elm-mcc-vc-better-method": HOLDS,
        "elm-mcc-vc-better-over-datasets": HOLDS,
        "yacht-wide-margin": HOLDS,
    }
    assert found[list(expected)].to_dict() == expected


def test_reversed_results_reverse_the_verdicts():
    elm = {"relm": 0.1, "elm-rcc": 0.1, "elm-mcc-vc": 0.11}
    linear = LINEAR_RMSE | {"mmse": 0.08, ("case2", "mcc"): 0.05, "mcc-vc": 0.06}
    linear["mcc-intercept"] = 0.1
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
    found, _ = judged(elm=ELM_RMSE | {("slump", "elm-mcc-vc"): 0.12})
    claim = found.set_index("claim").loc["elm-mcc-vc-lowest-mean"]
    assert claim["verdict"] == FAILS
    assert claim["figure"].startswith("lowest mean: ELM-MCC-VC 6, RELM")
    assert claim["figure"].endswith("ruled out (Holm) on Slump")


def test_what_is_not_in_the_study_cannot_be_decided():
    small = study(linear={"mmse": LINEAR["mmse"]}, elm={"relm": ELM["relm"]})
    picked, hidden = linear_rows(LINEAR_RMSE), elm_rows(ELM_RMSE)
    picked, hidden = picked[picked["criterion"] == "mmse"], hidden[hidden["method"] == "relm"]
    found, _ = judge(small, picked, hidden, distances(0.1).iloc[:0])
    assert set(found["verdict"]) == {OPEN}


def test_made_up_names_change_no_verdict_and_no_number():
    new = {name: f"entry-{i}" for i, name in enumerate([*LINEAR, *ELM])}
    of = study(
        linear={new[name]: method for name, method in LINEAR.items()},
        elm={new[name]: method for name, method in ELM.items()},
        labels={entry: Labels()(name) for name, entry in new.items()},
    )
    picked = linear_rows(LINEAR_RMSE).replace({"criterion": new})
    hidden = elm_rows(ELM_RMSE).replace({"method": new})
    found, _ = judge(of, picked, hidden, distances(0.12).replace({"criterion": new}))
    pd.testing.assert_frame_equal(found, judged()[0])


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
    found = [published_figure(row, Labels()) for row in comparison.itertuples()]
    assert [claim.verdict for claim in found] == [HOLDS, FAILS, OPEN, OPEN]
    assert found[0].text == "Servo, RELM: testing RMSE 0.1000"
    assert found[1].figure == "ours 0.2000, z = +9.0"
    assert found[3].figure == "no run"
    assert len({claim.claim for claim in found}) == 4
    assert {claim.kind for claim in found} == {Kind.FIGURE}


def test_answer_is_three_sentences_of_the_verdicts():
    found, reproduced = judged()
    both = {"linear", "elm"}
    sentences = answer(found, reproduced, both)
    assert len(sentences) == 3
    assert "it holds that MCC-VC is better than MCC" in sentences[0]
    assert "it does not hold that it is better than MCC with an intercept" in sentences[0]
    assert "it holds that ELM-MCC-VC outperforms" in sentences[1]
    assert answer(found, reproduced, {"linear"}) == [sentences[0], sentences[2]]
    worse = answer(*judged(elm={"relm": 0.1, "elm-rcc": 0.1, "elm-mcc-vc": 0.11}), both)
    assert "it does not hold that ELM-MCC-VC outperforms" in worse[1]


def test_small_differences_count_as_none():
    """Shown beyond doubt, but below what matters: 1 % of the RMSE of Table III."""
    found = verdicts(elm={"relm": 0.1, "elm-rcc": 0.1, "elm-mcc-vc": 0.0995}, spread=1e-4)
    assert found["elm-mcc-vc-lowest-mean"] == FAILS
    found = verdicts(elm={"relm": 0.1, "elm-rcc": 0.1, "elm-mcc-vc": 0.0985}, spread=1e-4)
    assert found["elm-mcc-vc-lowest-mean"] == HOLDS


def test_the_distance_itself_is_judged_not_that_to_the_nearest_kernel():
    assert verdicts(second=0.149)["kernel-matches-case2"] == HOLDS
    assert verdicts(second=0.16)["kernel-matches-case2"] == FAILS


def test_number_of_widths_from_which_the_search_pays():
    """One fit takes 0.01 s, the two widths of MCC 0.05 s: a single one takes 0.025 s."""
    found = judged()[0].set_index("claim")["figure"]
    assert found["search-saves-time"].endswith("it pays from 1 to 1 widths on, here 2")
    assert "2.0 to 2.0 times fewer systems" in found["search-saves-work-elm"]
    assert "2.0 to 2.0 times less time" in found["search-saves-work-elm"]


def test_claims_of_the_paper_and_ours_are_told_apart():
    found = judged()[0].set_index("claim")["kind"]
    assert found["mcc-vc-better-than-mcc"] == found["kernel-matches-case2"] == Kind.PAPER
    assert found["mcc-vc-better-than-mcc-intercept"] == Kind.OURS
    assert (found != Kind.FIGURE).sum() == 13


@pytest.mark.parametrize("only_some_runs", [False, True])
def test_more_methods_change_no_verdict_on_the_paper(only_some_runs):
    """However many, whatever their results, and even where they have none."""
    config = (ROOT / "config/more-methods.yaml").read_text(encoding="utf-8")
    extra = yaml.safe_load(config)["elm"]["methods"]
    of = study(elm=ELM | extra)
    rng = np.random.default_rng(7)
    means = ELM_RMSE | {name: 0.05 + 0.1 * rng.random() for name in extra}
    hidden = pd.concat([elm_rows(ELM_RMSE), elm_rows(means, methods=extra)], ignore_index=True)
    if only_some_runs:
        hidden = hidden[(hidden["method"] != "ridge") | (hidden["dataset"] != "yacht")]
    found, _ = judge(of, linear_rows(LINEAR_RMSE), hidden, distances(0.12))
    pd.testing.assert_frame_equal(found, judged()[0])
