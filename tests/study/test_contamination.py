"""The contamination experiment: what is spoilt; how methods are judged, combined, cut off."""

from itertools import product

import numpy as np
import pytest
import yaml
from msgspec.structs import replace
from paths import ROOT

from mccvc.criteria.paper import MCC
from mccvc.hidden_layer import HiddenLayer
from mccvc.solvers.batch import fit_batch
from mccvc.study.config import ConfigError, Study, merged
from mccvc.study.contamination import contaminated_rows, spoilt
from mccvc.study.elm import elm_rows
from mccvc.study.entries import method_of
from mccvc.study.judged import OUTLYING, SCORES, hardly_worse, out_of_fold, tune_judged
from mccvc.study.methods import grid_points
from mccvc.study.tuning import TuningData

SCHEMA = ROOT / "workflow/schemas/config.schema.yaml"
FILES = [ROOT / "config.yaml", ROOT / "config/contamination.yaml"]
CONFIG = merged(yaml.safe_load(path.read_text()) for path in FILES)
STUDY = Study(CONFIG, SCHEMA)
each = pytest.mark.parametrize


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    inputs = rng.random((80, 3))
    return inputs, np.clip(inputs @ [0.2, 0.3, 0.4] + rng.normal(0, 0.05, 80), 0, 1)


def spec_of(condition="one-sided-30", method="elm-rcc-truncated", **changes):
    spec = STUDY.contamination_spec("slump", condition, method)
    return replace(spec, n_train=40, n_test=40, n_hidden=(5, 12), **changes)


@each("method", ["relm", "elm-rcc", "elm-mcc-vc"])
@each("dataset", ["slump", "servo"])
def test_clean_rows_are_those_of_the_elm_study(data, method, dataset):
    elm = STUDY.elm_spec(dataset, method)
    elm = replace(elm, n_train=40, n_test=40, n_hidden=(6, 12))
    clean = STUDY.contamination_spec(dataset, "clean", method)
    clean = replace(clean, n_train=40, n_test=40, n_hidden=(6, 12), fit=elm.fit)
    (expected,), (row,) = elm_rows(elm, 3, data), contaminated_rows(clean, 3, data)
    assert row["study"] == "contamination" and row["share"] == 0
    for name in ("train_rmse", "test_rmse", "n_hidden", "lam", "sigma", "cv_rmse", "n_iter"):
        assert row.get(name) == expected.get(name)


@each("kind", ["one-sided", "symmetric", "clustered", "leverage"])
def test_outliers_of_a_small_share_are_among_those_of_a_large_one(data, kind):
    inputs, target = data
    found = []
    for share in (0.0, 0.1, 0.3):
        spec = spec_of(kind=kind, share=share)
        changed, values = spoilt(inputs, target, spec, np.random.default_rng(5))
        moved = (changed != inputs).any(axis=1) | (values != target)
        assert moved.sum() == round(share * 80)
        found.append((moved, changed, values))
        if kind == "leverage":
            assert (values == target).all()
        else:
            assert (changed == inputs).all()
    (_, _, _), (few, inputs1, values1), (many, inputs3, values3) = found
    assert (many | ~few).all()
    assert (inputs1[few] == inputs3[few]).all() and (values1[few] == values3[few]).all()
    distance = values3[many] - target[many]
    if kind == "one-sided":
        assert (distance >= 1).all() and (distance <= 3).all()
    if kind == "symmetric":
        assert (distance > 0).any() and (distance < 0).any()
    if kind == "clustered":
        assert np.ptp(values3[many]) < 0.05


def test_test_rows_stay_clean_and_every_method_sees_the_same(data):
    rows = [contaminated_rows(spec_of(method=m), 1, data)[0] for m in ("relm", "elm-rcc-truncated")]
    assert all(row["train_rmse"] > 0.3 for row in rows)
    assert rows[1]["test_rmse"] < 0.15 < rows[0]["test_rmse"]


def training(data, seed=0):
    inputs, target = data
    target = target.copy()
    target[:20] += 2
    folds = np.array_split(np.random.default_rng(seed).permutation(80), 5)
    return TuningData(inputs, target, folds, HiddenLayer(3, 12, np.random.default_rng(seed)))


def test_errors_out_of_fold_are_those_of_fits_without_the_fold(data):
    spec, given = spec_of(), training(data)
    points = grid_points(spec.fit)
    errors = out_of_fold(given, spec, spec.fit, points)
    options = {"max_iter": spec.max_iter, "tol": spec.tol}
    for fold, (i, n_hidden) in product(given.folds[:2], enumerate(spec.n_hidden)):
        design = given.layer(given.inputs, n_hidden)
        rest = np.setdiff1d(np.arange(80), fold)
        for k in (0, 17, 29):
            sigma = np.array([points.parameters[k]["sigma"]])
            lam = points.lam[k : k + 1]
            fit = fit_batch(design[rest], given.target[rest], MCC(sigma), lam, **options)
            expected = given.target[fold] - fit.predict(design[fold])[0]
            assert errors[i, k, fold] == pytest.approx(expected, abs=1e-5)


@each("name", SCORES)
def test_winner_has_the_smallest_score(data, name):
    spec, given = spec_of(), training(data)
    spec = replace(spec, fit=replace(spec.fit, score=name))
    points = grid_points(spec.fit)
    flat = out_of_fold(given, spec, spec.fit, points).reshape(-1, 80)
    loss = {
        "squared": lambda e: np.mean(e**2),
        "truncated": lambda e: np.mean([min(x**2, 0.09) for x in e]),
        "correntropy": lambda e: -np.mean(np.exp(-(e**2) / 0.02)),
        "median": lambda e: np.median(np.abs(e)),
    }[name]
    best = min(range(len(flat)), key=lambda i: loss(flat[i]))
    columns = tune_judged(given, spec, np.random.default_rng()).columns
    size, point = divmod(best, len(points.lam))
    assert columns["n_hidden"] == spec.n_hidden[size]
    assert columns["lam"] == points.lam[point]
    assert columns["sigma"] == points.parameters[point]["sigma"]


def test_mean_is_that_of_all_that_are_hardly_worse_and_cut_off(data):
    spec, given = spec_of(method="elm-rcc-averaged"), training(data)
    points = grid_points(spec.fit)
    flat = out_of_fold(given, spec, spec.fit, points).reshape(-1, 80)
    losses = np.minimum(flat**2, OUTLYING**2)
    best = int(np.argmin(losses.mean(axis=1)))
    expected = []
    for i in range(len(flat)):
        paired = losses[i] - losses[best]
        if paired.mean() <= 2 * np.std(paired, ddof=1) / np.sqrt(80):
            size, k = divmod(i, len(points.lam))
            design = given.layer(given.inputs, spec.n_hidden[size])
            sigma = np.array([points.parameters[k]["sigma"]])
            options = {"max_iter": spec.max_iter, "tol": spec.tol}
            fit = fit_batch(design, given.target, MCC(sigma), points.lam[k : k + 1], **options)
            expected.append(fit.predict(design)[0])
    kept = given.target[np.abs(flat[best]) <= OUTLYING]
    tuned = tune_judged(given, spec, np.random.default_rng())
    assert tuned.columns["parameters"] == f'{{"averaged": {len(expected)}}}'
    assert len(expected) > 1
    whole = np.clip(np.mean(expected, axis=0), kept.min(), kept.max())
    assert tuned.predict(given.inputs) == pytest.approx(whole, abs=1e-4)
    far = tuned.predict(given.inputs + 50)
    assert far.max() <= kept.max() < 1.5 and far.min() >= kept.min()


def test_best_is_never_worse_than_itself():
    losses = np.random.default_rng(0).random((6, 30)) + np.arange(6)[:, None]
    assert list(hardly_worse(losses, 0)) == [True] + [False] * 5


def test_absent_section_is_no_experiment():
    plain = Study(yaml.safe_load(FILES[0].read_text()), SCHEMA).resolved
    assert [plan.name for plan in plain.experiments] == ["linear", "elm"]
    assert plain["elm"].specs == STUDY.resolved["elm"].specs


@each(
    ("key", "value", "message"),
    [
        ("conditions", {"a": {"share": 2}}, "share: value 2; expected a number from 0 to 1"),
        ("conditions", {"a": {"share": 0.1, "size": [3, 1]}}, "expected the smallest distance"),
        ("conditions", {"a": {"share": 0.1, "kind": "up"}}, "kind: value 'up'; expected one-sided"),
        (
            "methods",
            {"a": {"criterion": "mmse", "score": "median", "combine": "mean"}},
            "methods.a.combine: value 'mean'; expected best with the score median",
        ),
        ("methods", {"a": {"criterion": "mmse", "score": "mad"}}, "score: value 'mad'; expected"),
    ],
)
def test_mistakes_are_told(key, value, message):
    config = CONFIG | {"contamination": CONFIG["contamination"] | {key: value}}
    with pytest.raises(ConfigError, match=message):
        Study(config, SCHEMA)


def test_keys_of_a_judged_method_make_one():
    plain = method_of({"criterion": "mmse"}, [1.0])
    judged = method_of({"criterion": "mmse", "clip": True}, [1.0])
    assert (type(plain).__name__, type(judged).__name__) == ("CriterionMethod", "JudgedMethod")
    assert judged.clip and judged.score == "squared"
