"""The contamination experiment in the workflow: tables, page, jobs that a change starts."""

import pandas as pd
import pytest
from checkout import small_study


@pytest.fixture(scope="module")
def spoilt(tmp_path_factory):
    checkout = small_study(tmp_path_factory.mktemp("contamination") / "a")
    config = checkout.config
    config["data"]["mirror"] = "data/bundled"
    config["datasets"] = {"servo": config["datasets"]["servo"]}
    config["only_experiments"] = ["contamination"]
    mcc = {"criterion": "mcc", "sigma": [0.1, 0.5]}
    config["contamination"] = {
        "runs": 4,
        "n_hidden": [10, 20],
        "lam": [1.0e-5, 0.01],
        "conditions": {"clean": {"share": 0}, "raised": {"share": 0.3, "size": [1, 3]}},
        "methods": {
            "relm": {"criterion": "mmse"},
            "elm-rcc": mcc
            | {"score": ["squared", "truncated"], "combine": ["best", "mean"], "clip": True},
        },
    }
    checkout.write_config()
    status, output = checkout.snakemake("--cores", "2")
    assert status == 0, output
    return checkout


def test_rows_tables_and_page(spoilt):
    results = spoilt.path / "results"
    rows = pd.read_parquet(results / "runs/contamination")
    assert len(rows) == 2 * (1 + 2 * 2) * 4
    assert rows["score"].isna().sum() == 2 * 4
    assert set(rows["study"]) == {"contamination"}
    assert set(rows["problem"]) == {"servo--clean", "servo--raised"}
    means = pd.read_csv(results / "tables/contamination.csv")
    raised = means[means["share"] == 0.3].set_index("method")["test_rmse_mean"]
    assert raised["elm-rcc: averaged"] < raised["relm"] / 2
    page = (results / "report.html").read_text(encoding="utf-8")
    for name in ("contamination_methods", "contamination_parts", "contamination_conditions"):
        assert f'<table id="{name}"' in page
        assert (results / f"tables/{name}.tex").stat().st_size > 100
    # Nothing of the paper's experiments, which were left out; but where the data came from.
    assert "cannot be decided" not in page and "claims-section" not in page
    assert "4 of each of 2 problems (contamination) with 2 methods" in page
    assert '<table id="sources"' in page
    assert "10 ranges" not in page and "30% one-sided, 1 to 3 ranges away" in page


def test_the_same_rows_for_any_size_of_the_shards(spoilt, tmp_path):
    other = small_study(tmp_path / "b")
    other.config.update(spoilt.config | {"runs_per_shard": 1})
    other.write_config()
    status, output = other.snakemake("--cores", "1", "runs")
    assert status == 0, output
    keys = ["problem", "method", "run", "train_rmse", "test_rmse", "n_hidden", "lam", "sigma"]
    keys[3:3] = ["score", "combine"]
    one, two = (
        pd.read_parquet(checkout.path / "results/runs/contamination")[keys]
        .sort_values(keys[:5])
        .reset_index(drop=True)
        for checkout in (spoilt, other)
    )
    pd.testing.assert_frame_equal(one, two)


def test_a_change_starts_its_own_jobs(spoilt):
    assert spoilt.planned() == {}
    section = spoilt.config["contamination"]
    section["methods"]["elm-rcc"]["score"] = "correntropy"
    spoilt.write_config()
    assert spoilt.planned()["contamination_shard"] == 2 * 2
    section["methods"]["elm-rcc"]["score"] = ["squared", "truncated"]
    section["conditions"]["more"] = {"share": 0.2}
    spoilt.write_config()
    assert spoilt.planned()["contamination_shard"] == 2 * 2
