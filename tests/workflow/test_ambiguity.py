"""The ambiguity experiment in the workflow: tables, page, jobs that a reading starts."""

import pandas as pd
import pytest
from checkout import small_study


@pytest.fixture(scope="module")
def read(tmp_path_factory):
    checkout = small_study(tmp_path_factory.mktemp("ambiguity") / "a")
    config = checkout.config
    config["data"]["mirror"] = "data/bundled"
    config["only_experiments"] = ["ambiguity"]
    config["ambiguity"] = {
        "runs": 1,
        "n_hidden": [10, 20],
        "lam": [1.0e-5, 0.01],
        "methods": {
            "relm": {"criterion": "mmse"},
            "elm-mcc-vc": {"criterion": "mcc-vc", "widths": [0.1, 0.5], "centers": "median"},
        },
        "readings": {
            "default": {},
            "fixed": {"each_point": True, "label": "any point"},
            "servo-one-hot": {
                "datasets": ["servo"],
                "data": {"ordinal": {}, "one_hot": ["motor", "screw"]},
                "methods": {"relm": {}},
            },
        },
    }
    checkout.write_config()
    status, output = checkout.snakemake("--cores", "2")
    assert status == 0, output
    return checkout


def test_rows_tables_and_page(read):
    results = read.path / "results"
    rows = pd.read_parquet(results / "runs/ambiguity")
    # Two datasets and methods: one row each, one for each of four points; and one reading more.
    assert len(rows) == 4 + 4 * 4 + 1
    assert rows["error"].isna().all() and set(rows["study"]) == {"ambiguity"}
    inputs = rows.groupby("problem")["n_features"].first()
    assert (inputs["servo--default"], inputs["servo--servo-one-hot"]) == (4, 12)
    tables = pd.read_csv(results / "tables/ambiguity.csv")
    assert set(tables["choice"].dropna()) == {"best", "test-half", "shared", "nearest"}
    page = (results / "report.html").read_text(encoding="utf-8")
    for name in ("ambiguity_cells", "ambiguity_readings"):
        assert f'<table id="{name}"' in page
        assert (results / f"tables/{name}.tex").stat().st_size > 100
    assert "any point, nearest to the print" in page
    assert '<a href="#contamination-section">' not in page


def test_a_reading_starts_its_own_jobs(read):
    assert read.planned() == {}
    readings = read.config["ambiguity"]["readings"]
    readings["sine"] = {"activation": "sine"}
    read.write_config()
    assert read.planned()["ambiguity_shard"] == 2 * 2
    readings["sine"]["methods"] = {"relm": {}}
    readings["servo-one-hot"]["label"] = "letters one-hot"
    read.write_config()
    assert read.planned()["ambiguity_shard"] == 2
    readings["servo-one-hot"]["data"]["one_hot"] = ["motor"]
    readings["servo-one-hot"]["data"]["ordinal"] = {"screw": ["A", "B", "C", "D", "E"]}
    read.write_config()
    assert read.planned()["ambiguity_shard"] == 2 + 1
