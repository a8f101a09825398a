"""Tables of the contamination experiment on made-up rows whose answer is known."""

import numpy as np
import pandas as pd
import pytest

from mccvc.report import contamination as report
from mccvc.report.labels import Labels

FACTORS = {"relm": 1.0, "elm-mcc-vc": 1.2, "good": 0.5, "same": 1.0}


def rows(n_runs=20, spoilt=4.0, noise=0.05):
    """RELM is best on clean rows and `spoilt` times worse under outliers."""
    rng = np.random.default_rng(0)
    lines = []
    for dataset in ("servo", "yacht"):
        for share in (0.0, 0.1, 0.3):
            for run in range(n_runs):
                common = 0.1 * np.exp(rng.normal(0, 0.3))
                for method, factor in FACTORS.items():
                    worse = spoilt if method in ("relm", "same") and share > 0 else 1.0
                    lines.append(
                        {
                            "dataset": dataset,
                            "kind": "one-sided",
                            "smallest": 1.0,
                            "largest": 3.0,
                            "share": share,
                            "method": method,
                            "run": run,
                            "test_rmse": common * factor * worse * np.exp(rng.normal(0, noise)),
                        }
                    )
    return pd.DataFrame(lines)


def test_ratios_are_to_the_better_of_two():
    table = report.over_cells(report.cell_ratios(rows(), ["relm", "elm-mcc-vc"]))
    found = table.set_index("method")
    assert found.loc["good", "clean"] == pytest.approx(0.5, rel=0.05)
    assert found.loc["good", "spoilt"] == pytest.approx(0.5 / 1.2, rel=0.05)
    assert found.loc["relm", "clean"] == 1
    assert found.loc["relm", "spoilt"] == pytest.approx(4 / 1.2, rel=0.05)
    assert list(found.loc["good", ["worse", "better", "n_cells"]]) == [0, 6, 6]
    assert found.loc["relm", "worse"] == 4
    assert found.loc["same", "worse"] == 4


def test_choice_and_report_share_no_run():
    table = rows(noise=0.0)
    # On odd runs RELM looks best under outliers too.
    odd = (table["run"] % 2 == 1) & (table["method"] == "relm")
    table.loc[odd, "test_rmse"] /= 100
    ratios = report.cell_ratios(table, ["relm", "elm-mcc-vc"])
    spoilt = ratios[(ratios["share"] > 0) & (ratios["method"] == "elm-mcc-vc")]
    assert np.exp(spoilt["log_ratio"]).to_list() == pytest.approx([1.2 / 4] * 4)


def test_the_best_of_each_condition_is_named():
    ratios = report.cell_ratios(rows(), ["relm", "elm-mcc-vc"])
    best = report.best_methods(ratios[ratios["method"] != "good"])
    shown = report.present_conditions(best, Labels())
    assert [row["Training rows"] for row in shown] == [
        "clean",
        "10% one-sided, 1 to 3 ranges away",
        "30% one-sided, 1 to 3 ranges away",
    ]
    assert [row["Use"] for row in shown[1:]] == ["ELM-MCC-VC", "ELM-MCC-VC"]
    assert shown[0]["Use"] in ("RELM", "Same")


def test_figures_show_every_dataset():
    figure, data = report.curves(rows(), ["relm", "good"], Labels())
    assert [axis.get_title() for axis in figure.axes] == ["Servo", "Yacht"]
    assert all(len(axis.lines) == 2 for axis in figure.axes)
    assert len(data) == 2 * 3 * 2
    figure, data = report.best_map(rows(), Labels())
    assert len(data) == 6
    assert all(text.get_text().startswith("Good") for text in figure.axes[0].texts)


def test_too_few_runs_give_empty_tables():
    ratios = report.cell_ratios(rows(n_runs=1), ["relm"])
    assert ratios.empty
    assert report.over_cells(ratios).empty and report.best_methods(ratios).empty
