import re

import msgspec
import numpy as np
import pytest
import yaml
from paths import ROOT

from mccvc.study.config import Study
from mccvc.study.elm import elm_rows, grouped_order
from mccvc.study.linear import linear_rows
from mccvc.study.seeds import generator

replace = msgspec.structs.replace

CONFIG = yaml.safe_load((ROOT / "config.yaml").read_text())
CONFIG["elm"] |= {"n_hidden": [5, 20], "lam": [1.0e-6, 0.001]}
STUDY = Study(CONFIG, ROOT / "workflow/schemas/config.schema.yaml")
TIMES = ("fit_seconds", "tune_seconds")


def elm_row(spec, data, run):
    (row,) = elm_rows(spec, run, data)
    return row


def untimed(row):
    return {key: value for key, value in row.items() if key not in TIMES}


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    inputs = rng.random((167, 4))
    return inputs, np.clip(inputs @ [0.2, 0.3, 0.1, 0.4] + rng.normal(0, 0.05, 167), 0, 1)


@pytest.mark.parametrize("method", STUDY.resolved["elm"].methods)
def test_elm_row_repeats_and_is_plausible(data, method):
    spec = STUDY.elm_spec("servo", method)
    row = elm_row(spec, data, 3)
    assert untimed(row) == untimed(elm_row(spec, data, 3))
    assert row["test_rmse"] != elm_row(spec, data, 4)["test_rmse"]
    assert 0.04 < row["test_rmse"] < 0.08
    assert (row["n_train"], row["n_test"], row["n_features"]) == (83, 83, 4)
    assert ("sigma" in row) == ("center" in row) == (method != "relm")


def test_methods_share_split_layer_and_folds(data):
    """A kernel so wide that MCC is ridge gives RELM's row; only shared draws allow that."""
    spec, sigma = STUDY.elm_spec("servo", "elm-rcc"), 1e4
    lam = tuple(lam / (np.sqrt(2 * np.pi) * sigma) for lam in CONFIG["elm"]["lam"])
    fit = replace(spec.fit, lam=lam, grid={"sigma": (sigma,)})
    mcc = elm_row(replace(spec, fit=fit), data, 0)
    relm = elm_row(STUDY.elm_spec("servo", "relm"), data, 0)
    assert mcc["n_hidden"] == relm["n_hidden"]
    for column in ("train_rmse", "test_rmse", "cv_rmse"):
        assert mcc[column] == pytest.approx(relm[column], rel=1e-6)


def test_prediction_includes_the_center(data):
    """Targets far from zero: without the center the error would be about the shift."""
    inputs, target = data
    row = elm_row(STUDY.elm_spec("servo", "elm-mcc-vc"), (inputs, target + 50), 0)
    assert row["test_rmse"] < 0.1


def test_larger_grid_of_nodes_changes_no_draw(data):
    spec = STUDY.elm_spec("servo", "relm")
    spec = replace(spec, fit=replace(spec.fit, lam=(10.0,)))
    one, other = (elm_row(replace(spec, n_hidden=n), data, 0) for n in ((20,), (20, 300)))
    if other["n_hidden"] == 20:
        assert untimed(one) == untimed(other)
    else:
        assert one["cv_rmse"] > other["cv_rmse"]


def test_generators_depend_on_names_only():
    assert generator(1, "elm", "yacht", 0).random() == generator(1, "elm", "yacht", 0).random()
    draws = {
        generator(*keys).random()
        for keys in [(1, "a", "b"), (2, "a", "b"), (1, "a", "c"), (1, "ab", ""), (1, "b", "a")]
    }
    assert len(draws) == 5


@pytest.mark.parametrize("criterion", STUDY.resolved["linear"].methods)
def test_linear_rows_cover_the_grid(criterion):
    spec = STUDY.linear_spec("case2", criterion)
    rows = linear_rows(spec, 0)
    assert len(rows) == len(spec.fit.lam) * len(spec.fit.grid.get("sigma", [1]))
    best = min(row["weight_rmse"] for row in rows)
    assert best < (2.0 if spec.fit.criterion == "mmse" else 0.3)
    assert [untimed(row) for row in rows] == [untimed(row) for row in linear_rows(spec, 0)]


def test_criteria_see_the_same_data():
    one, other = (STUDY.linear_spec("case1", c).data(5) for c in ("mmse", "mcc-vc"))
    np.testing.assert_array_equal(one[0], other[0])
    np.testing.assert_array_equal(one[1], other[1])


@pytest.mark.parametrize(
    ("case", "mean", "variance"),
    [("case1", 0, 2), ("case2", 3, 1), ("case3", 0, 1), ("case4", 3, 6)],
)
def test_inner_noise_has_the_moments_of_its_case(case, mean, variance):
    noise = STUDY.linear_spec(case, "mmse").system.noise.draw(200_000, np.random.default_rng(0))
    assert noise.mean() == pytest.approx(mean, abs=0.02)
    assert noise.var() == pytest.approx(variance, rel=0.03)


def test_linear_system_is_that_of_the_paper():
    system = replace(STUDY.linear_spec("case2", "mmse").system, n_samples=100_000)
    inputs, target = system.draw(np.random.default_rng(0))
    noise = target - inputs @ [1, 2]
    assert np.abs(inputs).max() <= 2
    assert np.abs(inputs).mean() == pytest.approx(1, abs=0.01)
    assert (np.abs(noise - 3) > 5).mean() == pytest.approx(0.1 * 0.96, abs=0.005)
    assert noise.var() == pytest.approx(1000, rel=0.05)


def test_halves_are_rounded_down_where_no_sizes_are_given():
    spec = replace(STUDY.elm_spec("servo", "relm"), n_train=None, n_test=None)
    assert spec.split_sizes(63) == (31, 31)
    assert replace(spec, n_train=52, n_test=51).split_sizes(103) == (52, 51)


@pytest.mark.parametrize(
    ("n_train", "n_test", "said"), [(1000, 5, "1000 + 5"), (3, 3, "3 training")]
)
def test_split_that_does_not_fit_the_rows_is_refused(data, n_train, n_test, said):
    spec = replace(STUDY.elm_spec("servo", "relm"), n_train=n_train, n_test=n_test)
    with pytest.raises(ValueError, match=re.escape(said)):
        elm_rows(spec, 0, data)


def test_equal_rows_stay_on_one_side_of_the_split():
    rng = np.random.default_rng(8)
    inputs = rng.integers(0, 4, (60, 2)).astype(float)
    target = inputs.sum(axis=1)
    for seed in range(20):
        order, n_train = grouped_order(inputs, target, 30, np.random.default_rng(seed))
        assert sorted(order) == list(range(60))
        assert 30 <= n_train < 45
        train, test = ({tuple(inputs[i]) for i in part} for part in np.split(order, [n_train]))
        assert not train & test
