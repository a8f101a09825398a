"""Default grids on Concrete's training half against GridSearchCV and a plain loop."""

import tempfile
import warnings

import numpy as np
from sklearn.model_selection import GridSearchCV
from sklearn.utils import check_random_state

from benchmarks import plain
from benchmarks.data import default_study, training_half
from benchmarks.timing import against, alternate
from mccvc import ELMMCCVCRegressor, ELMRCCRegressor
from mccvc.hidden_layer import HiddenLayer
from mccvc.solvers.grid_search import grid_search
from mccvc.study.methods import grid_points

SIZES = (25, 50, 100, 200)


def run(repeats):
    """Rows for each method and number of hidden nodes; selected parameters must be equal."""
    study = default_study()
    for method in ("elm-rcc", "elm-mcc-vc"):
        with tempfile.TemporaryDirectory() as directory:
            data = training_half(study, "concrete", method, directory)
        for n_hidden in SIZES:
            yield from _compare(study.elm_spec("concrete", method), *data, n_hidden, repeats)


def _compare(spec, inputs, target, folds, n_hidden, repeats):
    criterion, lam, _ = grid_points(spec.fit)
    iteration = {"max_iter": spec.max_iter, "tol": spec.tol}
    variable = spec.fit.widths is not None
    widths = spec.fit.widths if variable else criterion.sigma
    sets = [np.array(widths)] * len(lam) if variable else widths[:, None]
    points = list(zip(lam, sets, strict=True))
    splits = [(np.setdiff1d(np.arange(len(target)), fold), fold) for fold in folds]

    def design():
        layer = HiddenLayer(inputs.shape[1], n_hidden, check_random_state(0))
        return layer(inputs)

    def ours():
        found = grid_search(design(), target, folds, [n_hidden], criterion, lam, **iteration)
        return lam[found.problem], None if variable else widths[found.problem]

    def loop():
        center = "median" if variable else 0.0
        i = plain.grid_search(design(), target, folds, points, center, **iteration)
        return lam[i], None if variable else widths[i]

    def scikit_learn():
        common = {"n_hidden": n_hidden, "scale": False, "init": "zeros", "random_state": 0}
        if variable:
            paper = {"inlier_share": 1, "efficiency": None, "centers": "median"}
            model = ELMMCCVCRegressor(widths=widths, **paper, **common, **iteration)
            grid = {"alpha": lam}
        else:
            model = ELMRCCRegressor(**common, **iteration)
            grid = {"alpha": np.unique(lam), "sigma": np.unique(widths)}
        searching = GridSearchCV(
            model, grid, scoring="neg_root_mean_squared_error", cv=splits, refit=False
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            best = searching.fit(inputs, target).best_params_
        return best["alpha"], best.get("sigma")

    functions = {"ours": ours, "GridSearchCV": scikit_learn, "plain loop": loop}
    seconds, selected = alternate(functions, repeats)
    case = f"{spec.method}, {n_hidden} nodes, {len(lam)} points"
    return [
        against(
            "grid-search",
            case,
            "ours",
            reference,
            seconds,
            same_selection=selected["ours"] == selected[reference],
        )
        for reference in ("GridSearchCV", "plain loop")
    ]
