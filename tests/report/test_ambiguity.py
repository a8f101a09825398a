"""Tables of the ambiguity experiment on made-up rows of which some are those of the print."""

import numpy as np
import pandas as pd
import pytest
import yaml
from paths import ROOT

from mccvc.report import ambiguity as report
from mccvc.report.labels import Labels
from mccvc.report.tables import published
from mccvc.study.config import Study, merged

FILES = [ROOT / "config.yaml", ROOT / "config/ambiguity.yaml"]
CONFIG = merged(yaml.safe_load(path.read_text()) for path in FILES)
KEPT = ("default", "hundred-nodes", "sine", "fixed")
CONFIG["ambiguity"]["readings"] = {
    name: CONFIG["ambiguity"]["readings"][name] | {"methods": {"relm": {}, "elm-mcc-vc": {}}}
    for name in KEPT
}
CONFIG["datasets"] = {name: CONFIG["datasets"][name] for name in ("servo", "yacht")}
STUDY = Study(CONFIG, ROOT / "workflow/schemas/config.schema.yaml")
PLAN = STUDY.resolved["ambiguity"]
PRINTED = published().query("table == 'table3'").set_index(["row", "method", "metric"])
# Of the fixed reading: the point of (100, 0.01) is the print on both datasets, that of (50, 0.01)
# has the lowest testing RMSE.
POINTS = {(50, 0.01): 0.5, (100, 0.01): 1.0, (100, 1.0): 3.0}


def draws(dataset, method, metric, factor, spread, n_runs):
    """Values with exactly the printed mean and deviation, times factors."""
    mean, std = PRINTED.loc[(dataset, method, metric), ["mean", "std"]]
    raw = np.random.default_rng(len(dataset)).normal(size=n_runs)
    return factor * mean + spread * std * (raw - raw.mean()) / raw.std(ddof=1)


def rows(n_runs=20):
    """Default: half of what is printed; sine: the print with a tenth of its deviation."""
    kinds = {"default": (0.5, 1.0), "hundred-nodes": (1.05, 1.4), "sine": (1.0, 0.1)}
    lines = []
    for spec in PLAN.specs:
        points = POINTS if spec.each_point else {(200, 1e-6): kinds.get(spec.reading, (0, 0))[0]}
        spread = 1.0 if spec.each_point else kinds[spec.reading][1]
        for (n_hidden, lam), factor in points.items():
            train, test = (
                draws(spec.source, spec.method, metric, factor, spread, n_runs)
                for metric in report.METRICS
            )
            key = {"problem": spec.problem, "dataset": spec.source, "reading": spec.reading}
            key |= {"method": spec.method, "n_hidden": n_hidden, "lam": lam, "sigma": None}
            lines += [
                key | {"run": run, "train_rmse": train[run], "test_rmse": test[run]}
                for run in range(n_runs)
            ]
    table = pd.DataFrame(lines)
    return table.assign(sigma=np.nan).sort_values(["problem", "method", "run"], kind="stable")


@pytest.fixture(scope="module")
def everything():
    return report.against_print(PLAN, rows())


def of(table, **keys):
    return table[np.logical_and.reduce([table[name] == value for name, value in keys.items()])]


def test_distances_are_in_units_of_what_is_compatible(everything):
    sine = of(everything, reading="sine")
    assert sine["distance_mean"].to_numpy() == pytest.approx(0, abs=1e-9)
    default = of(everything, reading="default")
    assert default["log_ratio"].to_numpy() == pytest.approx(np.log(0.5))
    assert default["distance_std"].to_numpy() == pytest.approx(0, abs=1e-9)
    row = of(everything, reading="default", dataset="yacht", method="relm", metric="test_rmse")
    tolerance = max(0.07 * 0.0823, 3 * 0.0090 * np.sqrt(1 / 100 + 1 / 20))
    assert row["distance_mean"].item() == pytest.approx(0.5 * 0.0823 / tolerance)
    row = of(everything, reading="hundred-nodes", dataset="servo", method="relm")
    assert row["distance_std"].to_numpy() == pytest.approx(np.log(1.4) / np.log(1.5))


def test_points_are_chosen_as_named(everything):
    points = {
        choice: set(of(everything, choice=choice)["n_hidden"])
        for choice in ("best", "shared", "nearest")
    }
    assert points == {"best": {50}, "shared": {100}, "nearest": {100}}
    assert set(of(everything, choice="nearest")["lam"]) == {0.01}
    best = of(everything, choice="best", metric="test_rmse")["mean"].to_numpy()
    each_run = of(everything, choice="test-half", metric="test_rmse")["mean"].to_numpy()
    assert (each_run <= best + 1e-12).all()
    # Two methods and two datasets: a number of nodes and a penalty each.
    counts = everything.groupby("choice")["choices"].first()
    assert dict(counts[["best", "test-half", "shared", "nearest"]]) == {
        "best": 1,
        "test-half": 1,
        "shared": 4,
        "nearest": 8,
    }
    changed = everything[everything["choice"] == ""].groupby("reading")["choices"].first()
    assert dict(changed) == {"default": 0, "hundred-nodes": 2, "sine": 1}


def test_points_of_a_failed_run_are_not_mixed_up():
    table = rows()
    gone = (table["run"] == 3) & (table["reading"] == "fixed")
    found = report.against_print(PLAN, table[~gone])
    assert set(of(found, choice="nearest")["n_runs"]) == {19}
    assert set(of(found, choice="nearest")["n_hidden"]) == {100}


def test_nearest_reading_takes_means_and_deviations(everything):
    cells = report.nearest_readings(everything)
    assert len(cells) == 2 * 2 * 2
    # The shared point is the print; the sine reading has its means, not its deviations.
    assert set(cells["choice"]) == {"shared"}
    assert cells["distance"].to_numpy() == pytest.approx(0, abs=1e-9)
    alone = report.nearest_readings(everything[everything["choice"] == ""])
    assert set(alone["reading"]) == {"hundred-nodes"}
    shown = report.present_cells(cells, Labels.of(STUDY.resolved))
    assert len(shown) == 4
    assert shown[0]["Nearest point"] == "100 nodes, λ' = 0.01"
    assert "nearest to the print over all datasets" in shown[0]["Nearest reading"]


def test_counts_of_what_is_explained(everything):
    table = report.explained(everything).set_index(report.READING)
    assert list(table.loc[("sine", ""), ["means", "stds", "both", "pairs"]]) == [8, 0, 0, 0]
    assert list(table.loc[("default", ""), ["means", "stds"]]) == [0, 8]
    assert list(table.loc[("fixed", "nearest"), ["both", "n_cells", "pairs"]]) == [8, 8, 4]
    assert table.loc[("default", ""), "ratio"] == pytest.approx(2)
    shown = report.present_readings(table.reset_index(), Labels())
    assert shown[0]["Means"] == "0 of 8"


def test_figure_shows_every_reading_and_cell(everything):
    figure, data = report.heat_map(everything, Labels.of(STUDY.resolved))
    axis = figure.axes[0]
    assert len(axis.get_yticklabels()) == 3 + 4 and len(axis.get_xticklabels()) == 8
    assert len(data) == len(everything)


def test_three_sentences_on_yacht(everything):
    sentences = report.why_yacht(everything)
    assert len(sentences) == 3
    assert "0.0412 at a median λ' of 1e-06, not the printed 0.0823" in sentences[0]
    assert sentences[0].endswith(
        "of 4 readings 3 are compatible with that mean (hundred-nodes, sine, fixed, shared)."
    )
    assert sentences[1].startswith("Hundred-nodes (200 nodes, λ' = 1.0e-06) gives 0.0864")
    assert "2 of RELM's 2" in sentences[1] and "0.0384, is compatible" in sentences[1]
    assert "nearest in both is fixed, shared (0.0366 and 0.0823, distance 0.0)" in sentences[1]
    assert "are compatible" in sentences[2] and "would prove neither" in sentences[2]
    assert report.why_yacht(of(everything, dataset="servo")) == []


def test_sentences_on_yacht_without_an_explanation(everything):
    sentences = report.why_yacht(of(everything, reading="default"))
    assert len(sentences) == 2
    assert "of 1 readings 0 are compatible with that mean (none)" in sentences[0]
    assert "are not compatible" in sentences[1]


def test_printed_zero_is_known_to_half_a_unit():
    summary = {"reading": "a", "choice": "", "dataset": "slump", "method": "elm-rcc", "n_runs": 20}
    for train, compatible in ((1e-13, True), (4e-5, True), (0.002, False)):
        own = {"train_rmse_mean": train, "train_rmse_std": 0, "test_rmse_mean": 0.05}
        table = report.compared(
            pd.DataFrame([summary | own | {"test_rmse_std": 0.01}]),
            PRINTED.reset_index().rename(columns={"row": "dataset"}),
        )
        row = of(table, metric="train_rmse")
        assert (row["distance_mean"].item() <= 1) == compatible
        assert np.isfinite(row["log_ratio"].item())


def test_no_rows_give_empty_tables():
    empty = report.against_print(PLAN, rows().iloc[:0])
    assert report.nearest_readings(empty).empty and report.explained(empty).empty
    assert report.why_yacht(empty) == []
