import copy

import pytest
import yaml
from paths import ROOT

from mccvc.criteria.registry import CRITERIA
from mccvc.study.config import ConfigError, Study
from mccvc.study.grids import expanded

SCHEMA = ROOT / "workflow/schemas/config.schema.yaml"
CONFIG = yaml.safe_load((ROOT / "config.yaml").read_text())


def changed(path, value):
    """The default config with one key set; "-" as value removes the key."""
    config = copy.deepcopy(CONFIG)
    *parents, last = path.split(".")
    place = config
    for key in parents:
        place = place[key]
    if value == "-":
        del place[last]
    else:
        place[last] = value
    return config


def test_default_config_is_valid_and_complete():
    linear, elm = Study(CONFIG, SCHEMA).resolved.experiments
    assert elm.problems == ["servo", "airfoil", "concrete", "housing", "yacht", "wine-red", "slump"]
    assert elm.methods == ["relm", "elm-rcc", "elm-mcc-vc"]
    assert linear.problems == ["case1", "case2", "case3", "case4"]
    assert linear.methods == ["mmse", "mcc", "mcc-vc", "mmse-intercept", "mcc-intercept"]
    assert elm.blocks == ("0000-0024", "0025-0049", "0050-0074", "0075-0099")


def test_default_grids_are_those_of_the_paper():
    study = Study(CONFIG, SCHEMA)
    linear = study.linear_spec("case2", "mcc-vc").fit
    assert linear.widths == tuple(round(0.2 * i, 10) for i in range(1, 26))
    assert linear.centers == tuple(round(-5 + 0.1 * i, 10) for i in range(101))
    elm = study.elm_spec("servo", "elm-mcc-vc").fit
    assert elm.widths == tuple(round(0.1 * i, 10) for i in range(1, 21))
    assert elm.centers == "median"


@pytest.mark.parametrize(
    ("path", "value", "messages"),
    [
        ("rnus", 3, ["top level: unknown key rnus (value 3); did you mean runs?"]),
        ("elm.methods.relm.alpha", 1, ["elm.methods.relm: unknown key alpha (value 1)"]),
        ("runs", 0, ["runs: value 0; expected a whole number from 1 to 9999"]),
        ("runs", "ten", ["runs: value 'ten'; expected a whole number"]),
        ("elm.tol", "1e-5", ["elm.tol: value '1e-5'", "'1e-5' is text, write 1.0e-05"]),
        (
            "linear.criteria.mcc.sigma",
            [-1.0, 2],
            ["linear.criteria.mcc.sigma.0: value -1.0; expected a number > 0"],
        ),
        ("linear.criteria.mcc.sigma", [2, 1], ["value [2.0, 1.0]; expected ascending"]),
        ("linear.criteria.mcc.sigma", "-", ["linear.criteria.mcc: 'sigma' is missing"]),
        ("elm.methods.relm.criterion", "lms", ["value 'lms'; expected mmse, mcc, mcc-vc,"]),
        ("elm.methods.elm-mcc-vc.centers", "mode", ["value 'mode'; expected median, mean"]),
        ("elm.lam", {"start": 1, "stop": 9}, ["elm.lam: value {'start': 1, 'stop': 9}"]),
        ("datasets.yacht.target", "speed", ["datasets.yacht: column 'speed' is not among"]),
        ("datasets.yacht.urls", ["ftp://x/y"], ["datasets.yacht.urls.0: value 'ftp://x/y'"]),
        ("datasets.yacht.target", "-", ["datasets.yacht: 'target' is missing"]),
        ("datasets.yacht.n_test", "-", ["'n_test' is missing; it goes with 'n_train'"]),
        ("datasets.yacht.layout", "fixed", ["datasets.yacht: 'widths' is missing"]),
        (
            "datasets.yacht.decimal",
            ";",
            ["value ';'; expected the decimal mark"],
        ),
        ("datasets.yacht.one_hot", ["speed"], ["column 'speed' is not among columns"]),
        ("elm.folds", 60, ["elm.folds: value 60; expected at most the 52 training rows of slump"]),
    ],
)
def test_wrong_key_is_named_with_its_value_and_what_was_expected(path, value, messages):
    with pytest.raises(ConfigError) as caught:
        Study(changed(path, value), SCHEMA)
    for message in messages:
        assert message in str(caught.value)


EFFICIENT = {
    "criterion": "mcc-vc-efficient",
    "lam": [0.1],
    "widths": [0.2, 1],
    "centers": "quantiles",
    "grid": {"kappa": [2.11]},
}


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({}, None),
        ({"intercept": True}, "intercept: value True; expected no such key"),
        ({"sigma": [1]}, "sigma: value [1]; expected no such key"),
        ({"grid": {}}, "grid: keys []; expected ['kappa']"),
        ({"grid": {"kappa": [0]}}, "grid.kappa: value 0.0; expected a number > 0"),
        ({"criterion": "mcc-vc", "grid": None}, "centers: value 'quantiles'; expected median"),
    ],
)
@pytest.mark.parametrize("path", ["linear.criteria", "elm.methods"])
def test_two_stages_in_a_config(path, keys, message):
    entry = {key: value for key, value in (EFFICIENT | keys).items() if value is not None}
    config = changed(f"{path}.new", entry)
    if message is None:
        Study(config, SCHEMA)
        return
    with pytest.raises(ConfigError) as caught:
        Study(config, SCHEMA)
    assert f"{path}.new" in str(caught.value)
    assert message in str(caught.value)


def test_linear_rows_do_not_tell_several_kappa():
    config = changed("linear.criteria.new", EFFICIENT | {"grid": {"kappa": [1, 2]}})
    with pytest.raises(ConfigError, match="expected one value"):
        Study(config, SCHEMA)


def test_all_errors_come_at_once():
    config = changed("runs", 0)
    config["elm"]["folds"] = 1
    with pytest.raises(ConfigError) as caught:
        Study(config, SCHEMA)
    assert len(str(caught.value).splitlines()) == 2


def test_grids():
    assert expanded([1, 2.5]) == (1.0, 2.5)
    assert expanded({"start": 0.1, "stop": 0.3, "step": 0.1}) == (0.1, 0.2, 0.3)
    assert expanded({"start": 0.25, "stop": 4, "factor": 2}) == (0.25, 0.5, 1.0, 2.0, 4.0)


def test_digest_depends_on_content_not_on_order_or_notation():
    reordered = {key: CONFIG[key] for key in reversed(CONFIG)}
    reordered["elm"] = {key: CONFIG["elm"][key] for key in reversed(CONFIG["elm"])}
    listed = changed(
        "elm.methods.elm-rcc.sigma", [*expanded(CONFIG["elm"]["methods"]["elm-rcc"]["sigma"])]
    )
    digests = {
        Study(config, SCHEMA).elm_spec("servo", "elm-rcc").digest
        for config in (CONFIG, reordered, listed, changed("runs", 7))
    }
    assert len(digests) == 1
    other = Study(changed("elm.methods.elm-rcc.sigma", [0.5]), SCHEMA)
    assert other.elm_spec("servo", "elm-rcc").digest not in digests
    assert other.elm_spec("servo", "relm") == Study(CONFIG, SCHEMA).elm_spec("servo", "relm")


def test_environment_file_has_the_dependencies_of_the_package():
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    wanted = {*project["dependencies"], *extras["study"], *extras["test"]} - {"mccvc[study]"}
    listed = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]
    # conda-forge's name of DuckDB's Python package.
    conda = {d.replace("python-duckdb", "duckdb") for d in listed if isinstance(d, str)}
    (by_pip,) = (d["pip"] for d in listed if isinstance(d, dict))
    assert conda | {*by_pip} == wanted | {"python>=3.11", "pip", "-e ."}


def test_more_methods_extend_the_config():
    more = yaml.safe_load((ROOT / "config/more-methods.yaml").read_text())
    config = yaml.safe_load(yaml.safe_dump(CONFIG))
    config["elm"]["methods"] |= more["elm"]["methods"]
    study = Study(config, SCHEMA)
    assert {*CONFIG["elm"]["methods"], *more["elm"]["methods"]} == set(
        study.resolved["elm"].methods
    )
    assert study.elm_spec("servo", "huber-regressor").fit.features == "hidden"
    criteria = {m.get("criterion") for m in config["elm"]["methods"].values()}
    assert criteria >= set(CRITERIA)


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"estimator": "sklearn.linear_model.Nothing"}, "elm.methods.new: estimator sklearn"),
        ({"estimator": "Ridge"}, "elm.methods.new.estimator: value 'Ridge'; expected the import"),
        (
            {"estimator": "sklearn.linear_model.Ridge", "grid": {"beta": [1]}},
            "elm.methods.new.grid: sklearn.linear_model.Ridge has no parameter beta",
        ),
        (
            {"estimator": "sklearn.linear_model.Ridge", "features": "both"},
            "elm.methods.new.features: value 'both'; expected hidden (default)",
        ),
        (
            {"criterion": "gmcc", "grid": {"alpha": [1, 2]}},
            "elm.methods.new.grid: keys ['alpha']; expected ['alpha', 'b']",
        ),
        (
            {"criterion": "gmcc", "grid": {"alpha": [0], "b": [1]}},
            "elm.methods.new.grid.alpha: value 0.0; expected a number > 0",
        ),
        (
            {"criterion": "mixture-mcc", "grid": {"sigma": [1], "sigma2": [2], "a": [1.5]}},
            "elm.methods.new.grid.a: value 1.5; expected a number >= 0 and <= 1",
        ),
        (
            {
                "criterion": "mmkcc",
                "grid": {"sigma": [1], "sigma2": [2], "gamma": [1], "n_centers": [0.5]},
            },
            "elm.methods.new.grid.n_centers: value 0.5; expected a whole number >= 1",
        ),
        (
            {"criterion": "kmpe", "grid": {"sigma": [1], "p": [3, 2]}},
            "elm.methods.new.grid.p: value [3.0, 2.0]; expected ascending",
        ),
        (
            {"criterion": "mmse", "grid": {"p": [1]}},
            "elm.methods.new.grid: value {'p': [1]}; expected no",
        ),
        (
            {"criterion": "huber", "sigma": [1]},
            "elm.methods.new.sigma: value [1]; expected no",
        ),
        (
            {"estimator": ["sklearn.linear_model.Ridge"]},
            "elm.methods.new.estimator: value ['sklearn.linear_model.Ridge']; expected the import",
        ),
    ],
)
def test_wrong_method_is_named(entry, message):
    config = yaml.safe_load(yaml.safe_dump(CONFIG))
    config["elm"]["methods"]["new"] = entry
    with pytest.raises(ConfigError) as caught:
        Study(config, SCHEMA)
    assert message in str(caught.value)
