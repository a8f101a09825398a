"""The contamination experiment: what is spoilt; how methods are judged, combined, cut off."""

import json
from itertools import product

import numpy as np
import pytest
import yaml
from msgspec.structs import replace
from paths import ROOT

from mccvc.criteria.paper import MCC
from mccvc.hidden_layer import HiddenLayer
from mccvc.report.roles import roles_of
from mccvc.solvers.batch import fit_batch
from mccvc.solvers.hedged import WHOLE, hedged
from mccvc.solvers.judging import OUTLYING, SCORES, Parts, hardly_worse
from mccvc.study.config import ConfigError, Study, merged
from mccvc.study.contamination import contaminated_rows, spoilt
from mccvc.study.elm import elm_rows
from mccvc.study.entries import method_of
from mccvc.study.judged import grid_of, tune_judged
from mccvc.study.methods import grid_points
from mccvc.study.tuning import TuningData

SCHEMA = ROOT / "workflow/schemas/config.schema.yaml"
FILES = [ROOT / "config.yaml", ROOT / "config/contamination.yaml"]
CONFIG = merged(yaml.safe_load(path.read_text()) for path in FILES)
STUDY = Study(CONFIG, SCHEMA)
each = pytest.mark.parametrize
KINDS = ("one-sided", "symmetric", "clustered", "leverage", "noise")


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    inputs = rng.random((80, 3))
    return inputs, np.clip(inputs @ [0.2, 0.3, 0.4] + rng.normal(0, 0.05, 80), 0, 1)


TRUNCATED = Parts(score="truncated")


def spec_of(condition="one-sided-30", method="elm-rcc", way=TRUNCATED, **changes):
    spec = STUDY.contamination_spec("slump", condition, method)
    fit = replace(spec.fit, **{part: (value,) for part, value in way._asdict().items()})
    return replace(spec, n_train=40, n_test=40, n_hidden=(5, 12), fit=fit, **changes)


@each("method", ["relm", "elm-rcc", "elm-mcc-vc"])
@each("dataset", ["slump", "servo"])
def test_clean_rows_are_those_of_the_elm_study(data, method, dataset):
    """With its grids: of a plain entry to the bit, of the paper's way among others nearly so."""
    few = {"n_train": 40, "n_test": 40}
    elm = replace(STUDY.elm_spec(dataset, method), **few)
    clean = replace(STUDY.contamination_spec(dataset, "clean", method), **few)
    clean = replace(clean, n_hidden=elm.n_hidden, fit=elm.fit)
    ways = STUDY.contamination_spec(dataset, "clean", method).fit
    judged = replace(clean, fit=replace(ways, lam=elm.fit.lam))
    (expected,), (row,) = elm_rows(elm, 3, data), contaminated_rows(clean, 3, data)
    assert row["study"] == "contamination" and row["share"] == 0
    for name in ("train_rmse", "test_rmse", "n_hidden", "lam", "sigma", "cv_rmse", "n_iter"):
        assert row.get(name) == expected.get(name)
    rows = contaminated_rows(judged, 3, data)
    assert len(rows) == len(ways.ways) > 1
    (papers,) = (row for row in rows if all(row[k] == v for k, v in Parts()._asdict().items()))
    for name in ("n_hidden", "lam"):
        assert papers[name] == expected[name]
    for name in ("train_rmse", "test_rmse", "cv_rmse"):
        assert papers[name] == pytest.approx(expected[name], abs=1e-6)


@each("kind", KINDS)
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


DRAWN = {
    "one-sided": (0.0, 2.51673776, 2.81694641),
    "symmetric": (0.0, -1.01673776, -0.81694641),
    "clustered": (0.0, 2.99766738, 2.99816946),
    "leverage": (-1.76673776, 0.75, 1.0),
}


def test_draws_stay_what_they_were():
    """Values of a version before there was noise."""
    inputs, target = np.zeros((5, 2)), np.arange(5) / 4
    for kind, expected in DRAWN.items():
        spec = spec_of(kind=kind, share=0.4)
        changed, values = spoilt(inputs, target, spec, np.random.default_rng(5))
        assert (changed[3, 1], *values[3:]) == pytest.approx(expected)


def test_noise_has_a_mean_and_is_skewed():
    spec = spec_of(kind="noise", share=0.5, size=(0.1, 0.4))
    _, values = spoilt(np.zeros((20000, 1)), np.zeros(20000), spec, np.random.default_rng(5))
    noise = values[values != 0]
    assert len(noise) == 10000 and noise.min() > 0.1
    assert noise.mean() == pytest.approx(0.4, abs=0.01)
    # A chi-square with three degrees of freedom has a variance of 6, and leans to the right.
    assert noise.std() == pytest.approx(0.3 * np.sqrt(6) / 3, rel=0.05)
    assert np.median(noise) < 0.37


def test_test_rows_stay_clean_and_every_method_sees_the_same(data):
    rows = [contaminated_rows(spec_of(method=m), 1, data)[0] for m in ("relm", "elm-rcc")]
    assert all(row["train_rmse"] > 0.3 for row in rows)
    assert rows[1]["test_rmse"] < 0.15 < rows[0]["test_rmse"]


def training(data, seed=0):
    inputs, target = data
    target = target.copy()
    target[:20] += 2
    folds = np.array_split(np.random.default_rng(seed).permutation(80), 5)
    return TuningData(inputs, target, folds, HiddenLayer(3, 12, np.random.default_rng(seed)))


def grid_and_predictions(spec, given):
    """The grid's points, and their predictions out of fold."""
    points = grid_points(spec.fit)
    grid = grid_of(spec.fit, spec, points, given.inputs.shape[1])
    return points, grid.out_of_fold(given.layer(given.inputs), given.target, given.folds)


def fitted(points, k, design, target, spec):
    options = {"max_iter": spec.max_iter, "tol": spec.tol}
    sigma = np.array([points.parameters[k]["sigma"]])
    return fit_batch(design, target, MCC(sigma), points.lam[k : k + 1], **options)


def test_predictions_out_of_fold_are_those_of_fits_without_the_fold(data):
    spec, given = spec_of(), training(data)
    points, predictions = grid_and_predictions(spec, given)
    for fold, (i, n_hidden) in product(given.folds[:2], enumerate(spec.n_hidden)):
        design = given.layer(given.inputs, n_hidden)
        rest = np.setdiff1d(np.arange(80), fold)
        for k in (0, 17, 29):
            fit = fitted(points, k, design[rest], given.target[rest], spec)
            found = predictions[i * len(points.lam) + k, fold]
            assert found == pytest.approx(fit.predict(design[fold])[0], abs=1e-5)


@each("name", SCORES)
def test_winner_has_the_smallest_score(data, name):
    spec, given = spec_of(way=Parts(score=name)), training(data)
    points, predictions = grid_and_predictions(spec, given)
    loss = {
        "squared": lambda e: sum(np.sqrt(np.mean(e[fold] ** 2)) for fold in given.folds),
        "truncated": lambda e: np.mean([min(x**2, 0.09) for x in e]),
        "correntropy": lambda e: -np.mean(np.exp(-(e**2) / 0.02)),
        "median": lambda e: np.median(np.abs(e)),
    }[name]
    errors = given.target - predictions
    best = min(range(len(errors)), key=lambda i: loss(errors[i]))
    (tuned,) = tune_judged(given, spec, np.random.default_rng())
    size, point = divmod(best, len(points.lam))
    assert tuned.columns["n_hidden"] == spec.n_hidden[size]
    assert tuned.columns["lam"] == points.lam[point]
    assert tuned.columns["sigma"] == points.parameters[point]["sigma"]
    folds = [np.sqrt(np.mean(errors[best][fold] ** 2)) for fold in given.folds]
    assert tuned.columns["cv_rmse"] == pytest.approx(np.mean(folds))


def test_mean_is_that_of_all_that_are_hardly_worse_and_cut_off(data):
    spec, given = spec_of(way=Parts("truncated", "mean", True)), training(data)
    points, predictions = grid_and_predictions(spec, given)
    losses = np.minimum((given.target - predictions) ** 2, OUTLYING**2)
    told_by = given.target - predictions[np.argmin(losses.mean(axis=1))]
    kept = given.target[np.abs(told_by) <= OUTLYING]
    clipped = np.clip(predictions, kept.min(), kept.max())
    losses = np.minimum((given.target - clipped) ** 2, OUTLYING**2)
    best = int(np.argmin(losses.mean(axis=1)))
    expected = []
    for i in range(len(losses)):
        paired = losses[i] - losses[best]
        if paired.mean() <= 2 * np.std(paired, ddof=1) / np.sqrt(80):
            size, k = divmod(i, len(points.lam))
            design = given.layer(given.inputs, spec.n_hidden[size])
            fit = fitted(points, k, design, given.target, spec)
            expected.append(np.clip(fit.predict(design)[0], kept.min(), kept.max()))
    (tuned,) = tune_judged(given, spec, np.random.default_rng())
    assert tuned.columns["parameters"] == f'{{"averaged": {len(expected)}}}'
    assert len(expected) > 1
    found = tuned.predict(given.inputs)
    assert found == pytest.approx(np.mean(expected, axis=0), abs=1e-4)
    far = tuned.predict(given.inputs + 50)
    assert far.max() <= kept.max() < 1.5 and far.min() >= kept.min()


def test_one_search_gives_what_each_way_gives_alone(data):
    given = training(data)
    whole = STUDY.contamination_spec("slump", "one-sided-30", "elm-rcc").fit
    few = {"lam": (1e-6, 1e-3), "grid": {"sigma": (0.1, 0.3, 0.9)}}
    spec = replace(spec_of(), fit=replace(whole, **few, hedge=(False, True)))
    together = tune_judged(given, spec, np.random.default_rng())
    assert len(together) == 2 * 2 * (3 * 2 + 1)
    found = {}
    for way, tuned in zip(spec.fit.ways, together, strict=True):
        fit = replace(spec.fit, **{part: (value,) for part, value in way._asdict().items()})
        (alone,) = tune_judged(given, replace(spec, fit=fit), np.random.default_rng())
        for name in (*Parts._fields, "n_hidden", "lam", "parameters"):
            assert tuned.columns[name] == alone.columns[name]
        found[way] = tuned.predict(given.inputs)
        assert found[way] == pytest.approx(alone.predict(given.inputs), abs=1e-5)
    assert len({values.tobytes() for values in found.values()}) >= 10


def test_elm_hedged_is_the_method_of_the_solvers(data):
    given = training(data)
    spec = replace(STUDY.contamination_spec("slump", "clean", "elm-hedged"), n_hidden=(5, 12))
    assert spec.fit.ways == [WHOLE]
    (tuned,) = tune_judged(given, spec, np.random.default_rng())
    options = {"max_iter": spec.max_iter, "tol": spec.tol}
    design = given.layer(given.inputs)
    expected = hedged(design, given.target, given.folds, (5, 12), spec.fit.lam, **options)
    assert tuned.predict(given.inputs) == pytest.approx(expected.predict(design))
    assert tuned.columns["hedge"] and tuned.columns["scale"] == "matched"
    assert set(json.loads(tuned.columns["parameters"])) == {"averaged", "ridge"}


def test_further_configs_extend_the_experiment():
    more = yaml.safe_load((ROOT / "config/contamination-full.yaml").read_text())
    full = Study(merged([CONFIG, more]), SCHEMA).resolved["contamination"]
    assert {spec.kind for spec in full.specs} == set(KINDS)
    more = yaml.safe_load((ROOT / "config/contamination-method.yaml").read_text())
    config = merged([yaml.safe_load(FILES[0].read_text()), more])
    plan = Study(config, SCHEMA).resolved["contamination"]
    assert len({spec.dataset for spec in plan.specs}) == 7 + 8
    assert {spec.seed for spec in plan.specs} != {CONFIG["seed"]}
    assert len(plan.fit("elm-hedged").ways) == len(plan.fit("elm-rcc").ways) == 2**5
    assert set(roles_of(plan).entries) == {"relm", "elm-rcc", "elm-mcc-vc"}


def test_best_is_never_worse_than_itself():
    losses = np.random.default_rng(0).random((6, 30)) + np.arange(6)[:, None]
    assert list(hardly_worse(losses, 0, 2.0)) == [True] + [False] * 5


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
        (
            "methods",
            {"a": {"criterion": "mmse", "clip": [True, True]}},
            r"methods.a.clip: value \[True, True\]; expected true or false .* or a list of these",
        ),
        ("methods", {"a": {"criterion": "mmse", "score": "mad"}}, "score: value 'mad'; expected"),
    ],
)
def test_mistakes_are_told(key, value, message):
    config = CONFIG | {"contamination": CONFIG["contamination"] | {key: value}}
    with pytest.raises(ConfigError, match=message):
        Study(config, SCHEMA)


def test_specifications_are_what_their_json_gives_back():
    """Digests of shards are of the latter."""
    for spec in STUDY.resolved["contamination"].specs:
        assert type(spec).read(spec.json()).digest == spec.digest


def test_lists_of_parts_are_no_entries_of_the_elm_study():
    methods = CONFIG["elm"]["methods"] | {
        "a": {"criterion": "mmse", "score": ["squared", "median"]}
    }
    message = r"elm.methods.a.score: value \['squared', 'median'\]; expected one value"
    with pytest.raises(ConfigError, match=message):
        Study(CONFIG | {"elm": CONFIG["elm"] | {"methods": methods}}, SCHEMA)
    methods["a"]["score"] = "median"
    Study(CONFIG | {"elm": CONFIG["elm"] | {"methods": methods}}, SCHEMA)


def test_keys_of_a_judged_method_make_one():
    plain = method_of({"criterion": "mmse"}, [1.0])
    judged = method_of({"criterion": "mmse", "clip": True}, [1.0])
    assert (type(plain).__name__, type(judged).__name__) == ("CriterionMethod", "JudgedMethod")
    assert judged.ways == [Parts(clip=True)]
    judged = method_of(
        {"criterion": "mmse", "score": ["median", "squared"], "combine": "mean"}, [1.0]
    )
    assert judged.ways == [Parts(combine="mean")]
