import numpy as np
import pandas as pd
import pytest
from studies import resolved

from mccvc.report import tables


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
    picked = tables.select_grid_points(rows).set_index(["criterion", "run"])
    assert (picked.loc["mcc", "sigma"] == 2.0).all()
    assert (picked.loc["mcc", "lam"] == 0.1).all()
    assert (picked.loc["mcc", "tune_seconds"] == 2.0).all()
    assert (picked.loc["mmse", "lam"] == 1.0).all()
    assert picked["weight_rmse"].tolist() == [0.2, 0.3, 2.0, 1.0]


def test_widths_of_mcc_vc_are_results_not_grid_points():
    rows = linear_rows({("mcc-vc", 0.1, 1.0): [0.1], ("mcc-vc", 1.0, 1.0): [0.2]})
    rows = pd.concat([rows, rows.assign(run=1, sigma=1.2, weight_rmse=[0.3, 0.1])])
    picked = tables.select_grid_points(rows)
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
    found = tables.compare_with_published(*three_tables)
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
    comparison = tables.compare_with_published(first, second, third)
    presented = tables.present_table1(first, comparison)
    assert presented[2] is None
    assert presented[3]["Criterion"] == "MCC with intercept"
    assert presented[3]["Paper"] == ""
    assert presented[0]["RMSE"] == "0.1375 ± 0.0700"
    assert presented[1]["RMSE"].endswith("▲")
    assert presented[1]["Search (s)"] == ""
    lines = tables.present_table3(third, comparison)
    assert lines[0]["Testing"] == "0.0300 ± 0.0010▼"
    assert lines[1]["Testing"] == "**0.0235 ± 0.0100**"
    markdown = tables.to_markdown(presented, "Caption.")
    assert markdown.splitlines()[0].startswith(
        "| Case | Criterion | RMSE | MC error | Paper | λ' |"
    )
    latex = tables.to_latex(lines, "100 % of runs.", "table3")
    assert r"\textbf{0.0235 $\pm$ 0.0100}" in latex
    assert r"0.0300 $\pm$ 0.0010$^\downarrow$" in latex
    assert r"\caption{100 \% of runs.}" in latex
    assert latex.count(r"\\") == 3


def test_one_run_has_no_deviation(three_tables):
    first, second, third = three_tables
    third["test_rmse_std"] = third["train_rmse_std"] = np.nan
    third["n_runs"] = 1
    comparison = tables.compare_with_published(first, second, third)
    assert tables.present_table3(third, comparison)[1]["Testing"] == "**0.0235**"
    assert comparison.query("table == 'table3'")["z"].isna().all()


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
    study = resolved(criteria=["mcc"], methods=["relm", "elm-rcc"])
    table = tables.table3(study, elm_rows())
    assert table["n_runs"].tolist() == [1, 0]
    assert table["test_rmse_mean"][0] == 0.2
    assert np.isnan(table["test_rmse_mean"][1])
    empty = linear_rows({("mcc", 0.1, 1.0): [0.1]}).assign(study="linear")
    failed = tables.failures(empty, elm_rows())
    assert failed["row"].tolist() == ["servo", "servo"]
    assert failed["error"].tolist() == ["ValueError: one", "ValueError: two"]
    first = tables.table1(study, empty)
    second = pd.DataFrame(columns=["dataset", "n_rows"])
    comparison = tables.compare_with_published(first, second, table)
    lines = tables.present_table3(table, comparison)
    assert lines[0]["Testing"].startswith("**0.2000")
    assert lines[1]["Testing"] == "no run"
    assert comparison.query("row == 'servo' and method == 'elm-rcc'")["z"].isna().all()


def test_tables_of_no_rows_say_so(tmp_path):
    """What a study that failed at once leaves: all cells named, none filled."""
    study = resolved(criteria=["mcc"], methods=["relm"])
    tables.write_tables(study, tmp_path, tmp_path, tmp_path / "out", partial=True)
    missing = pd.read_csv(tmp_path / "out/missing.csv")["missing"]
    assert missing.tolist() == [
        f"{tmp_path}/linear/case2/mcc/0000-0001.parquet",
        f"{tmp_path}/elm/servo/relm/0000-0001.parquet",
    ]
    assert pd.read_csv(tmp_path / "out/table1.csv")["n_runs"].tolist() == [0]
    assert pd.read_csv(tmp_path / "out/table3.csv")["n_runs"].tolist() == [0]
    assert "no run" in (tmp_path / "out/table1.md").read_text()


def test_variants_of_known_methods_keep_their_names():
    assert tables.label("elm-rcc") == "ELM-RCC"
    assert tables.label("elm-rcc-intercept") == "ELM-RCC, intercept"
    assert tables.label("relm-intercept") == "RELM, intercept"
    assert tables.label("wine-white") == "Wine-white"
    assert tables.label("elm-gmcc") == "ELM-GMCC"
    assert tables.label("elm-huber") == "ELM-Huber"
    assert tables.label("rvfl") == "RVFL"
    assert tables.label("huber-regressor") == "Huber-regressor"
