"""Tables of the contamination experiment on made-up rows whose answer is known."""

import numpy as np
import pandas as pd
import pytest

from mccvc.report import contamination as report
from mccvc.report import contamination_figures as figures
from mccvc.report import contamination_ratios as ratios
from mccvc.report.labels import Labels
from mccvc.solvers.judging import Parts

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
    table = ratios.over_cells(ratios.cell_ratios(rows(), ["relm", "elm-mcc-vc"]))
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
    found = ratios.cell_ratios(table, ["relm", "elm-mcc-vc"])
    spoilt = found[(found["share"] > 0) & (found["method"] == "elm-mcc-vc")]
    assert np.exp(spoilt["log_ratio"]).to_list() == pytest.approx([1.2 / 4] * 4)


def test_the_best_of_each_condition_is_named():
    found = ratios.cell_ratios(rows(), ["relm", "elm-mcc-vc"])
    best = ratios.best_methods(found[found["method"] != "good"])
    shown = report.present_conditions(best, Labels())
    assert [row["Training rows"] for row in shown] == [
        "clean",
        "10% one-sided, 1 to 3 ranges away",
        "30% one-sided, 1 to 3 ranges away",
    ]
    assert [row["Use"] for row in shown[1:]] == ["ELM-MCC-VC", "ELM-MCC-VC"]
    assert shown[0]["Use"] in ("RELM", "Same")


def test_figures_show_every_dataset():
    figure, data = figures.curves(rows(), ["relm", "good"], Labels())
    assert [axis.get_title() for axis in figure.axes] == ["Servo", "Yacht"]
    assert all(len(axis.lines) == 2 for axis in figure.axes)
    assert len(data) == 2 * 3 * 2
    figure, data = figures.best_map(rows(), Labels())
    assert len(data) == 6
    assert all(text.get_text().startswith("Good") for text in figure.axes[0].texts)


def test_too_few_runs_give_empty_tables():
    found = ratios.cell_ratios(rows(n_runs=1), ["relm"])
    assert found.empty
    assert ratios.over_cells(found).empty and ratios.best_methods(found).empty


WAYS = {
    "relm": None,
    "elm-rcc": Parts(),
    "elm-rcc: truncated": Parts("truncated"),
    "elm-rcc: correntropy": Parts("correntropy"),
    "elm-rcc: truncated + mean": Parts("truncated", "mean"),
    "elm-rcc: truncated + clip": Parts("truncated", clip=True),
    "elm-rcc: averaged": Parts("truncated", "mean", True),
    "elm-rcc: correntropy + mean + clip": Parts("correntropy", "mean", True),
    "elm-rcc: all parts": Parts("truncated", "mean", True, "matched", True),
    "elm-rcc: averaged + matched scale": Parts("truncated", "mean", True, "matched"),
    "elm-rcc: averaged + hedged": Parts("truncated", "mean", True, hedge=True),
    "elm-rcc: correntropy + matched scale": Parts("correntropy", scale="matched"),
    "elm-hedged": Parts("truncated", "mean", True, "matched", True),
}


def way_rows(tmp_path):
    """Rows as shards and tables have them."""
    none = dict.fromkeys(Parts._fields)
    lines = [
        {"method": name.partition(":")[0], "run": run} | (parts._asdict() if parts else none)
        for name, parts in WAYS.items()
        for run in range(2)
    ]
    pd.DataFrame(lines).to_parquet(tmp_path / "rows.parquet")
    return pd.read_parquet(tmp_path / "rows.parquet")


def test_ways_of_a_method_have_names(tmp_path):
    named, ways = ratios.named_ways(way_rows(tmp_path))
    assert list(ways["method"]) == list(WAYS)
    assert list(named["method"]) == [name for name in WAYS for _ in range(2)]
    label = Labels({"elm-hedged": "Hedged"})
    assert label("elm-rcc: truncated + mean") == "ELM-RCC, truncated + mean"
    assert (label("elm-rcc"), label("elm-hedged")) == ("ELM-RCC", "Hedged")


def test_each_part_is_left_out_in_turn(tmp_path):
    _, ways = ratios.named_ways(way_rows(tmp_path))
    methods = ways.assign(clean=np.arange(len(ways)) / 10, spoilt=1.0, worse=0, better=1, n_cells=3)
    methods.to_csv(tmp_path / "methods.csv", index=False)
    for table in (methods, pd.read_csv(tmp_path / "methods.csv")):
        parts = ratios.left_out(table)
        assert dict(zip(parts["left_out"], parts["clean"], strict=True)) == {
            "none": 0.8,
            "scale": 1.0,
            "hedge": 0.9,
            "all but score": 0.2,
            "all": 0.1,
        }
        assert set(parts["entry"]) == {"elm-rcc"}
        shown = report.present_parts(parts, Labels())
        assert [row["With"] for row in shown] == [
            "all parts",
            "a fixed instead of the matched scale",
            "no ridge beside it",
            "the truncated score alone",
            "none of them",
        ]
        shown = report.present_methods(table, Labels())
        names = {row["Method"] for row in shown}
        assert "ELM-RCC, correntropy" in names and "RELM" in names
        assert "ELM-RCC, correntropy, matched scale" not in names
        assert "ELM-RCC, correntropy + mean + clip" not in names


def test_noise_is_no_distance():
    row = pd.Series({"kind": "noise", "share": 1.0, "smallest": 0.0, "largest": 0.2})
    assert ratios.condition_text(row) == "100% skewed noise, from 0 with mean 0.2 ranges"


def test_without_runs_or_the_papers_methods_there_is_nothing_to_draw():
    for draw in (
        lambda r: figures.curves(r, [], Labels()),
        lambda r: figures.best_map(r, Labels()),
    ):
        figure, data = draw(rows().head(0))
        assert data.empty and len(figure.axes) == 1


def test_cells_without_a_base_are_left_out_and_no_error_is_a_small_one():
    table, base = rows(n_runs=6), ["relm", "elm-mcc-vc"]
    failed = (table["run"] % 2 == 1) & table["method"].isin(base) & (table["dataset"] == "servo")
    cells = ratios.cell_ratios(table[~failed], base)
    assert set(cells["dataset"]) == {"yacht"}
    table.loc[table["method"] == "good", "test_rmse"] = 0.0
    best = ratios.best_methods(ratios.cell_ratios(table, base))
    assert set(best["method"]) == {"good"}
