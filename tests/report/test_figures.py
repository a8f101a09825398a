"""Figures of studies that have little to show still say what is missing."""

import numpy as np
import pandas as pd
import pytest
from studies import ELM, study

from mccvc.report import comparison_figures
from mccvc.report import elm_figures as plots
from mccvc.report.across import across_datasets
from mccvc.report.evidence import rank_table
from mccvc.report.labels import Labels
from mccvc.report.roles import roles_of
from mccvc.report.style import colours

ROLES = roles_of(study()["elm"])


def texts(figure):
    return [text.get_text() for axis in figure.axes for text in axis.texts]


def rows(methods, runs):
    return pd.DataFrame(
        {"dataset": "servo", "method": method, "run": run, "test_rmse": 0.1 + 0.01 * run}
        for method in methods
        for run in range(runs)
    )


def test_missing_results_are_said_in_the_figure():
    paired = pd.DataFrame(
        {
            name: [np.nan]
            for name in ("difference", "low", "high", "low_resampled", "high_resampled")
        }
        | {"group": "servo", "first": "elm-mcc-vc", "second": "relm", "n_runs": 1}
    )
    assert texts(comparison_figures.differences(paired, ROLES, Labels())[0]) == [
        "fewer than two runs to compare"
    ]
    empty = rows(["relm"], 1).iloc[:0]
    assert texts(plots.dataset(empty, "servo", ROLES, Labels())[0]) == ["no runs"]
    alone = across_datasets(pd.DataFrame({"relm": [0.1, 0.2]}), 0.01, [])
    assert (
        "fewer than two methods"
        in texts(comparison_figures.critical_difference(rank_table(alone), Labels())[0])[0]
    )


@pytest.mark.parametrize("methods", [["relm"], ["relm", "elm-mcc-vc"]])
def test_dataset_with_few_methods(methods):
    figure, data = plots.dataset(rows(methods, 3), "servo", ROLES, Labels())
    labels = [text.get_text() for text in figure.axes[1].get_yticklabels()]
    assert labels == (["− RELM"] if len(methods) == 2 else [])
    assert len(data) == 3 * len(methods)


def test_a_role_has_one_colour_in_all_figures_whatever_its_entry_is_called():
    plain = roles_of(study(elm={"relm": ELM["relm"]})["elm"])
    more = roles_of(study(elm={"x": {"criterion": "lad"}, "ridge-elm": ELM["relm"]})["elm"])
    assert colours(more)["ridge-elm"] == colours(plain)["relm"]
    many = roles_of(study(elm={f"m{i}": {"criterion": "lad"} for i in range(30)})["elm"])
    assert len({tuple(colour) for colour in colours(many).values()}) == 30


def test_dataset_with_failed_runs_is_drawn_and_twice_the_same():
    some = rows(["relm", "elm-rcc", "elm-mcc-vc"], 6)
    some = some[(some["method"] != "relm") | (some["run"] > 1)]
    drawn = [plots.dataset(some, "servo", ROLES, Labels())[0] for _ in range(2)]
    dots = [[c.get_offsets() for c in figure.axes[1].collections] for figure in drawn]
    assert [len(d) for d in dots[0]] == [4, 6]
    for one, other in zip(*dots, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("sigma", [0.1, np.nan])
def test_choices_of_many_methods_are_medians(sigma):
    methods = [f"m{i}" for i in range(9)]
    table = rows(methods, 3).assign(lam=lambda d: 10.0 ** -(d["run"] + 1), n_hidden=50, sigma=sigma)
    table.loc[table["method"] == "m8", "lam"] = np.nan
    figure, data = plots.hyperparameters(table, ROLES, Labels())
    shown = [[text.get_text() for text in axis.texts] for axis in figure.axes]
    assert shown[:2] == [["50"] * 9, ["1e-02"] * 8]
    assert shown[2] == ([] if np.isnan(sigma) else ["0.1"] * 9)
    values = data.set_index(["parameter", "method"])["value"]
    assert values["lam", "m0"] == 0.01
