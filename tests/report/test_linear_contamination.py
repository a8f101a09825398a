"""Breakdown points of made-up rows, whose answer is known."""

import numpy as np
import pandas as pd
import pytest

from mccvc.report import linear_contamination as report
from mccvc.report.labels import Labels


def rows():
    """`weak` breaks down at 20 %, `strong` nowhere; both have half the efficiency."""
    rng = np.random.default_rng(0)
    lines = [
        {
            "curve": curve,
            "method": method,
            "value": share,
            "run": run,
            "inlier_rmse": error,
            "weight_rmse": error
            * (np.sqrt(2) if share == 0 else 20 if method == "weak" and share >= 0.2 else 3),
            "fit_seconds": 0.1,
        }
        for curve in ("near", "mean")
        for method in ("weak", "strong")
        for share in (0.0, 0.1, 0.2, 0.3)
        for run in range(5)
        for error in [0.05 * np.exp(rng.normal(0, 0.1))]
    ]
    return pd.DataFrame(lines)


def test_breakdown_is_where_errors_are_ten_times_those_of_the_inliers():
    table = report.breakdown_points(report.curve_means(rows()), ["near"]).set_index("method")
    assert set(table["curve"]) == {"near"}
    assert table.loc["weak", "breakdown"] == 0.2
    assert np.isnan(table.loc["strong", "breakdown"])
    assert list(table["efficiency"]) == pytest.approx([0.5, 0.5])
    shown = report.present_breakdown(table.reset_index(), Labels({"near": "outliers nearby"}))
    assert shown == [
        {"Method": "Weak", "Efficiency": "0.50", "Outliers nearby": "20%"},
        {"Method": "Strong", "Efficiency": "0.50", "Outliers nearby": "none up to 30%"},
    ]


def test_means_are_root_mean_squares():
    means = report.curve_means(rows()).set_index(["curve", "method", "value"])
    part = rows().query("curve == 'near' and method == 'weak' and value == 0.1")
    expected = np.sqrt(np.mean(part["weight_rmse"] ** 2))
    assert means.loc[("near", "weak", 0.1), "weight_rmse"] == pytest.approx(expected)
    assert means.loc[("near", "weak", 0.1), "n_runs"] == 5


def test_figure_has_a_panel_for_each_curve_and_the_inliers():
    figure, data = report.curves(report.curve_means(rows()), Labels())
    assert [axis.get_xlabel() for axis in figure.axes] == ["Near", "Mean"]
    assert all(len(axis.lines) == 3 for axis in figure.axes)
    assert len(data) == 2 * 2 * 4


def test_share_without_inliers_and_missing_methods_say_nothing():
    table = rows().query("curve == 'near'")
    alone = table.assign(value=1.0, inlier_rmse=np.nan, weight_rmse=1e9)
    other = table.query("method == 'weak'").assign(curve="far")
    means = report.curve_means(pd.concat([table, alone, other]))
    shown = report.present_breakdown(report.breakdown_points(means, ["near", "far"]), Labels())
    assert [line["Near"] for line in shown] == ["20%", "none up to 30%"]
    assert [line["Far"] for line in shown] == ["20%", "–"]


def test_no_runs_are_no_curves():
    figure, data = report.curves(report.curve_means(rows().head(0)), Labels())
    assert data.empty and len(figure.axes) == 1
