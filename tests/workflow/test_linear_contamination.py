"""The linear contamination experiment in the workflow: table, figure, jobs that a change starts."""

import pandas as pd
import pytest
from checkout import small_study


@pytest.fixture(scope="module")
def curves(tmp_path_factory):
    checkout = small_study(tmp_path_factory.mktemp("curves") / "a")
    config = checkout.config
    config["data"]["mirror"] = "data/bundled"
    config["datasets"] = {"servo": config["datasets"]["servo"]}
    config["only_experiments"] = ["linear-contamination"]
    config["linear-contamination"] = {
        "runs": 3,
        "max_iter": 50,
        "tol": 1.0e-6,
        "system": config["linear"]["system"]
        | {"n_samples": 60, "noise": {"family": "normal", "mean": 0, "variance": 1}},
        "curves": {
            "share": {"varies": "outlier_probability", "values": [0, 0.2, 0.4]},
            "level": {"varies": "noise.mean", "values": [0, 5]},
        },
        "methods": {
            "least-squares": {"criterion": "mmse", "intercept": True, "lam": [0.001]},
            "tukey": {
                "estimator": "mccvc.RobustLinearRegressor",
                "parameters": {"criterion": "tukey"},
            },
        },
    }
    checkout.write_config()
    status, output = checkout.snakemake("--cores", "2")
    assert status == 0, output
    return checkout


def test_rows_table_and_page(curves):
    results = curves.path / "results"
    rows = pd.read_parquet(results / "runs/linear-contamination")
    assert len(rows) == 2 * 3 * (3 + 2)
    table = pd.read_csv(results / "tables/linear_breakdown.csv").set_index("method")
    assert set(table["curve"]) == {"share"}
    assert table.loc["least-squares", "breakdown"] == 0.2
    assert pd.isna(table.loc["tukey", "breakdown"])
    page = (results / "report.html").read_text(encoding="utf-8")
    assert '<table id="linear_breakdown"' in page and "none up to 40%" in page
    assert (results / "figures/linear_contamination.pdf").stat().st_size > 1000


def test_a_change_starts_its_own_jobs(curves):
    assert curves.planned() == {}
    section = curves.config["linear-contamination"]
    section["curves"]["share"]["values"] = [0, 0.2]
    curves.write_config()
    assert curves.planned()["linear-contamination_shard"] == 2 * 2
    section["curves"]["share"]["values"] = [0, 0.2, 0.4]
    section["methods"]["huber"] = {"estimator": "sklearn.linear_model.HuberRegressor"}
    curves.write_config()
    assert curves.planned()["linear-contamination_shard"] == 2 * 2
    section["methods"].pop("huber")
    curves.write_config()
    assert curves.planned() == {}
