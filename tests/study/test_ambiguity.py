"""The ambiguity experiment: what each reading changes, and that the default one changes nothing."""

import numpy as np
import pytest
import yaml
from msgspec.structs import replace
from numpy.testing import assert_allclose
from paths import ROOT

from mccvc.datasets.normalize import normalize
from mccvc.datasets.parsing import parse
from mccvc.hidden_layer import HiddenLayer
from mccvc.solvers.batch import fit_batch
from mccvc.study.ambiguity import ambiguity_rows, scaled_over_training
from mccvc.study.config import ConfigError, Study, merged
from mccvc.study.elm import elm_rows, halves_of
from mccvc.study.methods import grid_points

SCHEMA = ROOT / "workflow/schemas/config.schema.yaml"
FILES = [ROOT / "config.yaml", ROOT / "config/ambiguity.yaml"]
CONFIG = merged(yaml.safe_load(path.read_text()) for path in FILES)
STUDY = Study(CONFIG, SCHEMA)
SMALL = {"n_train": 40, "n_test": 40, "n_hidden": (5, 12)}
each = pytest.mark.parametrize


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    inputs = rng.random((80, 3))
    return inputs, np.clip(inputs @ [0.2, 0.3, 0.4] + rng.normal(0, 0.05, 80), 0, 1)


def spec_of(reading="default", method="relm", dataset="servo", **changes):
    return replace(STUDY.ambiguity_spec(dataset, reading, method), **SMALL | changes)


@each("method", ["relm", "elm-rcc", "elm-mcc-vc"])
@each("dataset", ["slump", "servo"])
def test_default_reading_has_the_rows_of_the_elm_study(data, method, dataset):
    elm = replace(STUDY.elm_spec(dataset, method), **SMALL)
    (expected,) = elm_rows(elm, 3, data)
    (row,) = ambiguity_rows(spec_of(method=method, dataset=dataset, fit=elm.fit), 3, data)
    assert (row["study"], row["reading"]) == ("ambiguity", "default")
    assert (row["problem"], row["dataset"]) == (f"{dataset}--default", dataset)
    for name in ("train_rmse", "test_rmse", "n_hidden", "lam", "sigma", "cv_rmse", "n_iter"):
        assert row.get(name) == expected.get(name)


def test_only_what_a_reading_names_differs_from_the_default():
    default = STUDY.ambiguity_spec("servo", "default", "elm-mcc-vc")
    changed = {
        "sine": {"activation": "sine"},
        "weights-5": {"weights": 5.0},
        "biases-positive": {"biases": (0.0, 1.0)},
        "scaling-training": {"scaling": "training"},
        "without-center": {"adds_center": False},
        "iterations-10": {"max_iter": 10},
        "tolerance-3": {"tol": 0.001},
        "center-mean": {"fit": replace(default.fit, centers="mean")},
        "output-bias": {"fit": replace(default.fit, intercept=True)},
        "unpenalized": {
            "fit": replace(default.fit, lam=(0.0,)),
            "n_hidden": (5, 10, 20, 30, 40, 50, 100, 200),
        },
    }
    for name, changes in changed.items():
        names = {"problem": f"servo--{name}", "reading": name}
        assert STUDY.ambiguity_spec("servo", name, "elm-mcc-vc") == replace(
            default, **names, **changes
        )


@each(
    ("reading", "method"),
    [
        *((name, "relm") for name in ("sine", "tanh", "radial", "hard-limit")),
        *((name, "relm") for name in ("weights-05", "weights-5", "biases-positive")),
        *((name, "relm") for name in ("scaling-training", "output-bias", "unpenalized")),
        ("center-mean", "elm-mcc-vc"),
        ("without-center", "elm-mcc-vc"),
        ("widths-narrow", "elm-mcc-vc"),
        ("sigma-narrow", "elm-rcc"),
    ],
)
def test_a_reading_changes_the_errors(data, reading, method):
    (default,), (row,) = (
        ambiguity_rows(spec_of(name, method), 1, data) for name in ("default", reading)
    )
    assert abs(row["test_rmse"] / default["test_rmse"] - 1) > 1e-6


def test_layers_are_drawn_as_named():
    rng = np.random.default_rng
    plain = HiddenLayer(3, 500, rng(2))
    wide = HiddenLayer(3, 500, rng(2), weight_limit=5.0, bias_limits=(0.0, 1.0))
    assert_allclose(wide.weights, 5 * plain.weights)
    assert_allclose(wide.biases, (plain.biases + 1) / 2)
    assert wide.biases.min() >= 0 and wide.biases.max() <= 1
    inputs = rng(0).random((20, 3))
    z = inputs @ plain.weights.T + plain.biases
    for name, values in {
        "sine": np.sin(z),
        "tanh": np.tanh(z),
        "radial": np.exp(-(z**2)),
        "hard-limit": (z >= 0).astype(float),
    }.items():
        layer = spec_of(name, n_hidden=(500,)).layer(0, 3)
        layer.weights, layer.biases = plain.weights, plain.biases
        assert_allclose(layer(inputs), values)


def test_training_rows_fill_the_unit_cube(data):
    train, test = halves_of(spec_of(), 0, *data)
    constant = train._replace(inputs=np.hstack([train.inputs, np.ones((40, 1))]))
    scaled, unseen = scaled_over_training(
        constant, (np.hstack([test[0], np.ones((40, 1))]), test[1])
    )
    assert_allclose(scaled.inputs.min(axis=0), 0, atol=1e-15)
    assert_allclose(scaled.inputs.max(axis=0), [1, 1, 1, 0])
    assert (scaled.target.min(), scaled.target.max()) == (0, 1)
    span = np.ptp(train.target)
    assert_allclose(unseen[1] * span + train.target.min(), test[1])
    with pytest.raises(ValueError, match="target is constant"):
        scaled_over_training(train._replace(target=np.ones(40)), test)


@each("method", ["relm", "elm-rcc", "elm-mcc-vc"])
def test_each_point_is_fitted_to_the_whole_training_half(data, method):
    spec = spec_of("fixed", method)
    rows = ambiguity_rows(spec, 2, data)
    points = grid_points(spec.fit)
    assert len(rows) == 2 * len(points.lam)
    train, test = halves_of(spec, 2, *data)
    for row in (rows[1], rows[-2]):
        design = train.layer(train.inputs, row["n_hidden"])
        place = next(
            i
            for i, lam in enumerate(points.lam)
            if lam == row["lam"] and points.parameters[i].get("sigma") in (None, row.get("sigma"))
        )
        fit = fit_batch(
            design,
            train.target,
            points.criterion.take(np.array([place])),
            points.lam[[place]],
            max_iter=spec.max_iter,
            tol=spec.tol,
        )
        predicted = fit.predict(train.layer(test[0], row["n_hidden"]))[0]
        assert row["test_rmse"] == pytest.approx(np.sqrt(np.mean((test[1] - predicted) ** 2)))


def test_predictions_leave_out_the_center(data):
    (with_center,) = ambiguity_rows(spec_of(method="elm-mcc-vc"), 0, data)
    for each_point in (False, True):
        spec = spec_of("without-center", "elm-mcc-vc", each_point=each_point)
        if each_point:
            spec = replace(
                spec,
                n_hidden=(with_center["n_hidden"],),
                fit=replace(spec.fit, lam=(with_center["lam"],)),
            )
        (row,) = ambiguity_rows(spec, 0, data)
        assert row["center"] == pytest.approx(with_center["center"], abs=1e-9)
        assert row["test_rmse"] > 1.2 * with_center["test_rmse"]


def test_readings_of_the_data_have_tables_of_their_own():
    spec = STUDY.ambiguity_spec("servo", "servo-one-hot", "relm")
    assert spec.dataset == "servo--servo-one-hot"
    assert STUDY.ambiguity_spec("servo", "sine", "relm").dataset == "servo"

    def inputs(name):
        entry = STUDY.dataset_spec(name)
        return list(normalize(parse(ROOT / "data/bundled" / entry.bundled, entry), entry))

    assert len(inputs(spec.dataset)) == 5 + 5 + 2 + 1
    assert "slump" not in inputs("slump--slump-ingredients")
    assert inputs("slump--slump-target-flow")[-1] == "flow"
    together = STUDY.ambiguity_spec("wine-red", "duplicates-together", "relm")
    assert together.duplicates_together
    # Drawn as the dataset itself.
    draws = [
        STUDY.ambiguity_spec("servo", name, "relm").generator(1, "split").random()
        for name in ("default", "servo-one-hot")
    ]
    assert draws[0] == draws[1] == STUDY.elm_spec("servo", "relm").generator(1, "split").random()


def test_specifications_are_those_that_jobs_read():
    for spec in STUDY.resolved["ambiguity"].specs:
        assert type(spec).read(spec.json()).json() == spec.json()


def test_readings_are_for_what_they_name():
    specs = STUDY.resolved["ambiguity"].specs
    of = {
        name: {(spec.source, spec.method) for spec in specs if spec.reading == name}
        for name in CONFIG["ambiguity"]["readings"]
    }
    assert len(of["default"]) == 7 * 3
    assert of["servo-one-hot"] == {("servo", m) for m in ("relm", "elm-rcc", "elm-mcc-vc")}
    assert ("wine-red", "relm") in of["sine"] and ("wine-red", "elm-rcc") not in of["sine"]
    assert {method for _, method in of["center-mean"]} == {"elm-mcc-vc"}


@each(
    ("reading", "message"),
    [
        ({"activation": "cube"}, "activation: value 'cube'; expected sigmoid"),
        ({"biases": [1, 0]}, "biases: value .1, 0.; expected the smaller number first"),
        ({"datasets": ["serv"]}, "datasets: value 'serv'; did you mean servo"),
        ({"methods": {"elm-rc": {}}}, "methods: value 'elm-rc'; did you mean elm-rcc"),
        ({"methods": {"relm": {"datasets": ["x"]}}}, "relm.datasets: value 'x'; expected some of"),
        ({"methods": {"relm": {"sigma": [1]}}}, r"methods.relm: keys \['sigma'\]; expected some"),
        ({"lam": [1, 0.1]}, "a.lam: value .1.0, 0.1.; expected ascending"),
        (
            {"methods": {"elm-rcc": {"sigma": [2, 1]}}},
            "elm-rcc.sigma: value .2.0, 1.0.; expected ascending",
        ),
        (
            {"datasets": ["slump"], "data": {"target": "x"}},
            "a.data: slump: column 'x' is not among",
        ),
        ({"each": True}, "unknown key each"),
    ],
)
def test_mistakes_are_told(reading, message):
    config = CONFIG | {"ambiguity": CONFIG["ambiguity"] | {"readings": {"a": reading}}}
    with pytest.raises(ConfigError, match=message):
        Study(config, SCHEMA)


def test_absent_section_is_no_experiment():
    plain = Study(yaml.safe_load(FILES[0].read_text()), SCHEMA).resolved
    assert [plan.name for plan in plain.experiments] == ["linear", "elm"]
    assert plain["elm"].specs == STUDY.resolved["elm"].specs
