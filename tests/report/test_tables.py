"""Tables I to III, and the paper's figures beside ours."""

import numpy as np
import pandas as pd
import pytest
from studies import ELM, LINEAR, NOISES, grid_rows, study

from mccvc.report import results, tables
from mccvc.report.labels import Labels

CASE2 = {"case2": NOISES["case2"]}


def linear_rows(errors):
    """Rows from {(criterion, lam, sigma): errors of the runs}; every fit takes a second."""
    return pd.DataFrame(
        {
            "case": "case2",
            "criterion": criterion,
            "run": run,
            "lam": lam,
            "sigma": sigma,
            "weight_rmse": error,
            "fit_seconds": 1.0,
            "error": None,
        }
        for (criterion, lam, sigma), values in errors.items()
        for run, error in enumerate(values)
    )


def test_trial_and_error_takes_the_lowest_mean_over_all_runs():
    rows = linear_rows(
        {
            ("mcc", 0.1, 1.0): [0.1, 0.5],
            ("mcc", 0.1, 2.0): [0.2, 0.3],
            ("mcc", 1.0, 1.0): [0.3, 0.3],
            ("mcc", 1.0, 2.0): [0.4, 0.4],
            ("mmse", 0.1, np.nan): [3.0, 2.0],
            ("mmse", 1.0, np.nan): [2.0, 1.0],
        }
    )
    picked = results.select_grid_points(study()["linear"], rows).set_index(["criterion", "run"])
    assert (picked.loc["mcc", "sigma"] == 2.0).all()
    assert (picked.loc["mcc", "lam"] == 0.1).all()
    assert (picked.loc["mcc", "tune_seconds"] == 2.0).all()
    assert (picked.loc["mmse", "lam"] == 1.0).all()
    assert picked["weight_rmse"].tolist() == [0.2, 0.3, 2.0, 1.0]


def test_widths_of_mcc_vc_are_results_not_grid_points():
    rows = linear_rows({("mcc-vc", 0.1, 1.0): [0.1], ("mcc-vc", 1.0, 1.0): [0.2]})
    rows = pd.concat([rows, rows.assign(run=1, sigma=1.2, weight_rmse=[0.3, 0.1])])
    picked = results.select_grid_points(study()["linear"], rows)
    assert picked["lam"].tolist() == [1.0, 1.0]
    assert picked["weight_rmse"].tolist() == [0.2, 0.1]


@pytest.fixture
def three_tables():
    first = pd.DataFrame(
        {
            "case": "case2",
            "criterion": ["mcc", "mcc-vc", "mcc-intercept"],
            "n_runs": 100,
            "rmse_mean": [0.1375, 0.0505 + 4 * 0.004, 0.04],
            "rmse_std": [0.07, np.sqrt(16e-4 - 0.0272**2), 0.02],
            "lam": 0.1,
            "sigma": [8.0, 1.1, 1.0],
            "fit_seconds_mean": 0.001,
            "fit_seconds_std": 0.0001,
            "tune_seconds_mean": [0.02, 0.001, 0.02],
            "rmse_mc_error": [0.007, 0.003, 0.002],
            "rmse_crossfit_mean": [0.138, 0.05, 0.041],
        }
    )
    second = pd.DataFrame(
        {
            "dataset": ["yacht"],
            "n_rows": 308,
            "n_features": 6,
            "duplicate_rows": 0,
            "n_train": 154,
            "n_test": 150,
        }
    ).assign(published_features=pd.array([6], dtype="Int64"))
    third = pd.DataFrame(
        {
            "dataset": "yacht",
            "method": ["relm", "elm-mcc-vc"],
            "n_runs": 100,
            "train_rmse_mean": 0.01,
            "train_rmse_std": 0.001,
            "test_rmse_mean": [0.03, 0.0235],
            "test_rmse_std": [0.001, 0.01],
            "train_rmse_mc_error": 0.0001,
            "test_rmse_mc_error": [0.0001, 0.001],
        }
    )
    return first, second, third


def test_comparison_with_the_paper(three_tables):
    found = tables.compare_with_published(study(), *three_tables)
    assert len(found) == 83
    found = found.set_index(["table", "row", "method", "metric"])
    agreeing = found.loc["table1", "case2", "mcc", "rmse"]
    assert (agreeing["difference"], agreeing["z"], agreeing["agrees"]) == (0, 0, True)
    # The standard error of both means is sqrt(0.0272^2 + std^2) / 10 = 0.004.
    differing = found.loc["table1", "case2", "mcc-vc", "rmse"]
    assert differing["z"] == pytest.approx(4.0)
    assert not differing["agrees"]
    searched = found.loc["table1", "case2", "mcc", "seconds"]
    assert searched["reproduced_mean"] == 0.02
    assert pd.isna(searched["agrees"])
    assert found.loc["table3", "yacht", "elm-mcc-vc", "test_rmse"]["agrees"]
    counts = found.loc["table2", "yacht"]["agrees"]
    assert counts.tolist() == [True, True, False]
    assert pd.isna(found.loc["table3", "servo", "relm", "test_rmse"]["reproduced_mean"])


def test_presented_tables_mark_best_differences_and_rule(three_tables):
    first, second, third = three_tables
    reproduced = tables.compare_with_published(study(), first, second, third)
    presented = tables.present_table1(study(), first, reproduced)
    assert presented[2] is None
    assert presented[3]["Criterion"] == "MCC with intercept"
    assert presented[3]["Paper"] == ""
    assert presented[0]["RMSE"] == "0.1375 ± 0.0700"
    assert presented[1]["RMSE"].endswith("▲")
    assert presented[1]["Search (s)"] == ""
    lines = tables.present_table3(study(), third, reproduced)
    assert lines[0]["Testing"] == "0.0300 ± 0.0010▼"
    assert lines[1]["Testing"] == "**0.0235 ± 0.0100**"


@pytest.mark.parametrize(("n_runs", "judged"), [(2, False), (9, False), (10, True)])
def test_fewer_than_ten_runs_mark_nothing(three_tables, n_runs, judged):
    first, second, third = three_tables
    first, third = first.assign(n_runs=n_runs), third.assign(n_runs=n_runs)
    found = tables.compare_with_published(study(), first, second, third)
    rmses = found[found["metric"].str.endswith("rmse") & found["reproduced_mean"].notna()]
    assert rmses["z"].notna().all()
    assert rmses["agrees"].notna().all() == judged
    assert found.loc[found["table"] == "table2", "agrees"].notna().any()
    marks = "".join(row["Testing"] for row in tables.present_table3(study(), third, found))
    assert ("▼" in marks) == judged


def test_cross_fitting_judges_runs_at_the_points_that_others_choose():
    """Noise alone: the best of 40 points looks better on the runs that chose it."""
    rng = np.random.default_rng(0)
    errors = {("mcc", 0.1, 1.0 + i): rng.gamma(4.0, 0.025, 100) for i in range(40)}
    rows, plan = linear_rows(errors), study()["linear"]
    best = results.select_grid_points(plan, rows)["weight_rmse"]
    fair = results.cross_fitted(plan, rows)
    assert fair["run"].sort_values().tolist() == list(range(100))
    assert best.mean() < 0.095 < fair["weight_rmse"].mean()
    held_out = rows[rows["run"] % 10 == 3]
    others = rows[rows["run"] % 10 != 3].groupby("sigma")["weight_rmse"].mean()
    expected = held_out[held_out["sigma"] == others.idxmin()]["weight_rmse"]
    found = fair[fair["run"] % 10 == 3]["weight_rmse"]
    assert sorted(found) == sorted(expected)
    assert results.cross_fitted(plan, rows[rows["run"] == 0]).empty


def test_one_run_has_no_deviation(three_tables):
    first, second, third = three_tables
    third["test_rmse_std"] = third["train_rmse_std"] = np.nan
    third["n_runs"] = 1
    reproduced = tables.compare_with_published(study(), first, second, third)
    assert tables.present_table3(study(), third, reproduced)[1]["Testing"] == "**0.0235**"
    assert reproduced.query("table == 'table3'")["z"].isna().all()


def elm_rows():
    return pd.DataFrame(
        {
            "study": "elm",
            "dataset": "servo",
            "method": ["relm", "relm", "elm-rcc"],
            "run": [0, 1, 0],
            "train_rmse": [0.1, np.nan, np.nan],
            "test_rmse": [0.2, np.nan, np.nan],
            "error": [None, "ValueError: one", "ValueError: two"],
        }
    )


def test_failed_runs_are_left_out_counted_and_listed():
    of = study(
        linear={"mcc": LINEAR["mcc"]},
        elm={name: ELM[name] for name in ("relm", "elm-rcc")},
        cases=CASE2,
        datasets=("servo",),
    )
    table = tables.table3(of, elm_rows())
    assert table["n_runs"].tolist() == [1, 0]
    assert table["test_rmse_mean"][0] == 0.2
    assert np.isnan(table["test_rmse_mean"][1])
    empty = linear_rows({("mcc", 0.1, 1.0): [0.1]}).assign(study="linear")
    failed = results.failures(empty, elm_rows())
    assert failed["row"].tolist() == ["servo", "servo"]
    assert failed["error"].tolist() == ["ValueError: one", "ValueError: two"]
    first = tables.table1(of, empty)
    second = pd.DataFrame(columns=["dataset", "n_rows"])
    reproduced = tables.compare_with_published(of, first, second, table)
    lines = tables.present_table3(of, table, reproduced)
    assert lines[0]["Testing"].startswith("**0.2000")
    assert lines[1]["Testing"] == "no run"
    assert reproduced.query("row == 'servo' and method == 'elm-rcc'")["z"].isna().all()


def test_tables_of_no_rows_say_so(tmp_path):
    """What a study that failed at once leaves: all cells named, none filled."""
    of = study(
        linear={"mcc": LINEAR["mcc"]},
        elm={"relm": ELM["relm"]},
        cases=CASE2,
        datasets=("servo",),
        runs=2,
    )
    tables.write_tables(of, tmp_path, tmp_path, tmp_path / "out", partial=True)
    missing = pd.read_csv(tmp_path / "out/missing.csv")["missing"]
    assert missing.tolist() == [
        f"{tmp_path}/linear/case2/mcc/0000-0001.parquet",
        f"{tmp_path}/elm/servo/relm/0000-0001.parquet",
    ]
    assert pd.read_csv(tmp_path / "out/table1.csv")["n_runs"].tolist() == [0]
    assert pd.read_csv(tmp_path / "out/table3.csv")["n_runs"].tolist() == [0]
    assert "no run" in (tmp_path / "out/table1.md").read_text()


def test_five_criteria_under_made_up_names_give_the_tables_of_the_usual_ones():
    new = {name: f"{name}-fine" if name == "mcc" else f"entry-{i}" for i, name in enumerate(LINEAR)}
    usual = study(runs=12)
    renamed = study(
        linear={new[name]: method for name, method in LINEAR.items()},
        runs=12,
        labels={entry: Labels()(name) for name, entry in new.items()},
    )
    rest = pd.DataFrame(columns=["dataset", "n_rows"]), pd.DataFrame()
    first, other = (tables.table1(of, grid_rows(of)) for of in (usual, renamed))
    assert (first["n_runs"] == 12).all()
    pd.testing.assert_frame_equal(first.replace({"criterion": new}), other)
    ours, theirs = (
        tables.compare_with_published(of, table, *rest)
        for of, table in ((usual, first), (renamed, other))
    )
    assert ours.query("table == 'table1'")["z"].notna().sum() == 6
    pd.testing.assert_frame_equal(ours, theirs)
    assert tables.present_table1(usual, first, ours) == tables.present_table1(
        renamed, other, theirs
    )


def test_an_experiment_that_was_left_out_has_empty_tables():
    of = study(linear={}, elm={})
    empty = grid_rows(study(runs=1)).iloc[:0]
    rows = elm_rows().iloc[:0]
    first, third = tables.table1(of, empty), tables.table3(of, rows)
    assert len(first) == len(third) == 0
    reproduced = tables.compare_with_published(of, first, tables.table2(of, "none"), third)
    assert reproduced["reproduced_mean"].isna().all()
    assert tables.present_table1(of, first, reproduced) == []
