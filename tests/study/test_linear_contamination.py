"""The linear contamination experiment: its data, its rows, and what a config may say of it."""

import numpy as np
import pytest
import yaml
from msgspec.structs import replace
from paths import ROOT
from scipy import stats

from mccvc import MCCVCRegressor
from mccvc.study.config import ConfigError, Study, merged
from mccvc.study.linear import LinearSystem, Normal
from mccvc.study.linear_contamination import (
    ContaminatedSystem,
    Mixture,
    StudentT,
    curve_rows,
)

SCHEMA = ROOT / "workflow/schemas/config.schema.yaml"
FILES = [ROOT / "config.yaml", ROOT / "config/linear-contamination.yaml"]
CONFIG = merged(yaml.safe_load(path.read_text()) for path in FILES)
SECTION = CONFIG["linear-contamination"]
STUDY = Study(CONFIG, SCHEMA)
each = pytest.mark.parametrize


def system(**changes):
    return replace(STUDY.curve_spec("symmetric", "huber").systems[2], **changes)


def test_without_shift_the_data_are_those_of_the_linear_study():
    noise = Normal(mean=3.0, variance=1.0)
    given = system(noise=noise)
    linear = LinearSystem(
        n_samples=400,
        weights=(1.0, 2.0),
        input_limit=2.0,
        outlier_probability=0.1,
        outlier_variance=10000.0,
        noise=noise,
    )
    sample = given.draw(np.random.default_rng(3))
    inputs, target = linear.draw(np.random.default_rng(3))
    assert (sample.inputs == inputs).all() and (sample.target == target).all()
    errors = target - inputs @ [1, 2] - 3
    assert abs(errors[sample.inliers]).max() < 5 < abs(errors[~sample.inliers]).max()


def test_outliers_of_a_small_share_are_among_those_of_a_large_one():
    few, many = (
        system(outlier_probability=share).draw(np.random.default_rng(1)) for share in (0.1, 0.4)
    )
    assert 20 < (~few.inliers).sum() < (~many.inliers).sum() < 200
    assert (few.inliers | ~many.inliers).all()
    assert (few.target[many.inliers] == many.target[many.inliers]).all()


def test_shifted_outliers_keep_their_targets():
    plain, moved = (
        system(outlier_shift=shift).draw(np.random.default_rng(1)) for shift in (0.0, 10.0)
    )
    assert (plain.target == moved.target).all()
    difference = moved.inputs - plain.inputs
    assert difference[~plain.inliers] == pytest.approx(10)
    assert (difference[plain.inliers] == 0).all()


def test_more_inputs_repeat_the_weights():
    assert list(system(n_weights=5).all_weights) == [1, 2, 1, 2, 1]
    assert system(n_weights=5).draw(np.random.default_rng(0)).inputs.shape == (400, 5)


@each(
    ("noise", "distribution"),
    [
        (StudentT(dof=3.0), stats.t(3).cdf),
        (
            Mixture(share=0.3, mean=2.0, variance=25.0),
            lambda x: 0.7 * stats.norm.cdf(x) + 0.3 * stats.norm.cdf(x, 2, 5),
        ),
    ],
)
def test_noise_has_its_distribution(noise, distribution):
    drawn = noise.draw(5000, np.random.default_rng(0))
    assert stats.kstest(drawn, distribution).pvalue > 0.01


def spec_of(curve, method, **changes):
    return replace(STUDY.curve_spec(curve, method), seed=1, **changes)


def test_a_curve_varies_its_number_alone():
    spec = spec_of("tails", "huber")
    assert [s.noise.dof for s in spec.systems] == list(spec.at) == [1, 1.5, 2, 3, 5, 10]
    assert len({replace(s, noise=StudentT(dof=1)).json() for s in spec.systems}) == 1
    assert spec.systems[0].outlier_probability == 0


def test_rows_are_the_errors_of_the_weights():
    spec = spec_of("one-sided", "mcc-vc-regressor", at=(0.3,))
    spec = replace(spec, systems=(spec.systems[6],))
    (row,) = curve_rows(spec, 4)
    from mccvc.study.seeds import generator

    sample = spec.systems[0].draw(generator(1, "linear-contamination", "one-sided", 4))
    found = MCCVCRegressor().fit(sample.inputs, sample.target).coef_
    expected = np.sqrt(np.mean((found - [1, 2]) ** 2))
    assert row["weight_rmse"] == pytest.approx(expected, rel=1e-6)
    rows = np.column_stack([sample.inputs, np.ones(400)])[sample.inliers]
    inliers = np.linalg.solve(rows.T @ rows, rows.T @ sample.target[sample.inliers])
    assert row["inlier_rmse"] == pytest.approx(np.sqrt(np.mean((inliers[:2] - [1, 2]) ** 2)))
    assert row["value"] == 0.3 and row["curve"] == "one-sided"


@each("method", SECTION["methods"])
def test_every_method_finds_the_weights_of_ordinary_data(method):
    spec = spec_of("symmetric", method, at=(0.0,))
    (row,) = curve_rows(replace(spec, systems=spec.systems[:1]), 0)
    assert row["weight_rmse"] < 0.3
    again = curve_rows(replace(spec, systems=spec.systems[:1]), 0)[0]
    assert {k: v for k, v in row.items() if k != "fit_seconds"} == {
        k: v for k, v in again.items() if k != "fit_seconds"
    }


def test_too_few_inliers_have_no_least_squares():
    spec = spec_of("symmetric", "least-squares", at=(1.0,))
    spec = replace(spec, systems=(system(outlier_probability=1.0),))
    assert curve_rows(spec, 0)[0]["inlier_rmse"] is None


def changed(path, value):
    """The config with another value at a path below the section."""
    *keys, last = path
    section = {last: value}
    for key in reversed(keys):
        section = {key: section}
    return merged([CONFIG, {"linear-contamination": section}])


@each(
    ("path", "value", "message"),
    [
        (
            ("curves", "tails", "values"),
            [-1, 2],
            "curves.tails: noise.dof -1: Expected `float` > 0",
        ),
        (("curves", "tails", "values"), [3, 2], "curves.tails.values: value .*ascending"),
        (("curves", "mean", "varies"), "noise.dof", "curves.mean: noise.dof 0: .*unknown field"),
        (
            ("curves", "mean", "varies"),
            "colour",
            "curves.mean.varies: value 'colour'; expected a number of",
        ),
        (
            ("curves", "samples", "values"),
            [0.5, 2],
            "curves.samples: n_samples 0.5: Expected `int`",
        ),
        (
            ("system",),
            {"noise": {"family": "normal", "mean": 0, "variance": -1}},
            "system: noise.variance -1.0; expected a number > 0",
        ),
        (("system", "n_samples"), 1, "system: Expected `int` >= 2"),
        (
            ("curves", "samples", "values"),
            [2, 200],
            "curves.samples: n_samples 2: expected more samples than the 2 weights",
        ),
        (("system", "weight"), [1], "system: unknown key weight .*did you mean weights"),
        (("methods", "mcc-vc", "lam"), [0.1, 1], "methods.mcc-vc: several grid points"),
        (
            ("methods", "huber", "grid"),
            {"alpha": [1, 2]},
            "methods.huber: several grid points; expected one value",
        ),
        (("methods", "huber", "parameters"), {"slope": 1}, "methods.huber: estimator .*slope"),
        (
            ("methods", "huber", "features"),
            "inputs",
            "methods.huber.features: value 'inputs'; expected no such",
        ),
    ],
)
def test_mistakes_are_told(path, value, message):
    with pytest.raises(ConfigError, match=f"linear-contamination.{message}"):
        Study(changed(path, value), SCHEMA)


def test_absent_section_is_no_experiment():
    plain = Study(yaml.safe_load(FILES[0].read_text()), SCHEMA).resolved
    assert [plan.name for plan in plain.experiments] == ["linear", "elm"]
    assert isinstance(
        STUDY.resolved["linear-contamination"].specs[0].systems[0], ContaminatedSystem
    )


def test_specification_is_that_of_its_json_form():
    for spec in STUDY.resolved["linear-contamination"].specs:
        assert type(spec).read(spec.json()).digest == spec.digest
        assert type(spec).read(spec.json()) == spec


def test_a_regressor_that_is_not_linear_fails():
    config = changed(("methods", "tree"), {"estimator": "sklearn.tree.DecisionTreeRegressor"})
    spec = Study(config, SCHEMA).curve_spec("mean", "tree")
    with pytest.raises(ValueError, match="DecisionTreeRegressor is not linear in its inputs"):
        curve_rows(spec, 0)
