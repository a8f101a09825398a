"""The ELM experiment: one run of a method on a dataset."""

import json
import time

import numpy as np

from mccvc.hidden_layer import HiddenLayer
from mccvc.solvers.batch import fit_batch
from mccvc.solvers.grid_search import grid_search
from mccvc.study.methods import batch
from mccvc.study.seeds import generator


def elm_row(spec, inputs, target, run):
    """One run of one ELM method on one dataset.

    All methods see the same split, hidden layer and folds in a run. The number of hidden
    nodes, lambda' and, for MCC, sigma are chosen by cross-validation on the training part; the
    model is then fitted to the whole of it.

    Parameters
    ----------
    spec : dict
        ``seed``, ``dataset``, ``method`` (name), ``n_train``, ``n_test``, ``n_hidden``
        (list), ``folds``, ``fit`` (see :func:`batch`), ``max_iter``, ``tol``; ``duplicates``:
        ``together`` if equal rows go to the same side of the split.
    inputs : ndarray of shape (n_rows, n_features)
        Inputs scaled to [0, 1].
    target : ndarray of shape (n_rows,)
        Target scaled to [0, 1].
    run : int
        Index of the run.

    Returns
    -------
    dict
        RMSEs in units of the scaled target.
    """

    def rng(purpose):
        return generator(spec["seed"], "elm", spec["dataset"], run, purpose)

    n_train, n_test = split_sizes(spec, len(target))
    if n_train < spec["folds"]:
        raise ValueError(f"{n_train} training rows are fewer than {spec['folds']} folds")
    if spec.get("duplicates") == "together":
        order, n_train = grouped_order(inputs, target, n_train, rng("split"))
    else:
        order = rng("split").permutation(len(target))
    train, test = order[:n_train], order[n_train : n_train + n_test]
    sizes = spec["n_hidden"]
    folds = np.array_split(rng("folds").permutation(n_train), spec["folds"])

    layer = HiddenLayer(inputs.shape[1], max(sizes), rng("hidden"))
    tuned = _external if "estimator" in spec["fit"] else _shared_work
    predict, chosen = tuned(spec, layer, inputs[train], target[train], folds, rng)

    def rmse(rows):
        return np.sqrt(np.mean((target[rows] - predict(inputs[rows])) ** 2))

    return {
        "study": "elm",
        "dataset": spec["dataset"],
        "method": spec["method"],
        "run": run,
        "train_rmse": rmse(train),
        "test_rmse": rmse(test),
        "n_train": n_train,
        "n_test": len(test),
        "n_features": inputs.shape[1],
        **chosen,
    }


def _shared_work(spec, layer, inputs, target, folds, rng):
    """A method that is a criterion: predictions, and what the row keeps of tuning and fit."""
    started = time.perf_counter()
    direct = spec["fit"].get("direct", False)

    def design_of(rows, size=None):
        hidden = layer(rows, size)
        return np.hstack([rows, hidden]) if direct else hidden

    n_direct = inputs.shape[1] if direct else 0
    design = design_of(inputs)
    criterion, lam, points = batch(spec["fit"])
    options = {"intercept": spec["fit"].get("intercept", False)}
    options |= {"max_iter": spec["max_iter"], "tol": spec["tol"]}
    sizes = [n_direct + size for size in spec["n_hidden"]]
    racing = spec.get("search") == "racing"
    selected = grid_search(design, target, folds, sizes, criterion, lam, racing=racing, **options)
    tuned = time.perf_counter()
    point = [selected.problem]
    fit = fit_batch(
        design[:, : selected.n_columns], target, criterion.take(point), lam[point], **options
    )
    size = selected.n_columns - n_direct
    chosen = {
        "n_hidden": size,
        "lam": lam[selected.problem],
        "cv_rmse": selected.cv_rmse,
        "fit_seconds": time.perf_counter() - tuned,
        "tune_seconds": tuned - started,
        "search_solves": selected.solves,
    }
    chosen |= {name: getattr(fit, name)[0] for name in _FIT_COLUMNS}
    if not criterion.has_width:
        chosen["sigma"] = None
    if not criterion.has_center:
        chosen["center"] = None
    if points[selected.problem]:
        chosen["parameters"] = json.dumps(points[selected.problem], sort_keys=True)
    return lambda rows: fit.predict(design_of(rows, size))[0], chosen


def _external(spec, layer, inputs, target, folds, rng):
    """As :func:`_shared_work`, for any regressor, on the hidden layer or the inputs."""
    # Imported here: no other job needs scikit-learn.
    from mccvc.study.regressors import search

    started = time.perf_counter()
    hidden = spec["fit"]["features"] == "hidden"
    columns = {n: layer(inputs, n) for n in spec["n_hidden"]} if hidden else {None: inputs}
    seed = int(rng("estimator").integers(2**31))
    model, size, chosen = search(spec["fit"], columns, target, folds, seed)
    tuned = time.perf_counter()
    model.fit(columns[size], target)
    chosen |= {
        "n_hidden": size,
        "fit_seconds": time.perf_counter() - tuned,
        "tune_seconds": tuned - started,
    }
    return lambda rows: model.predict(layer(rows, size) if hidden else rows), chosen


def split_sizes(spec, n_rows):
    """Rows to train and to test on: those of the spec, or half of all, rounded down, for each."""
    if spec["n_train"] is None:
        return n_rows // 2, n_rows // 2
    return spec["n_train"], spec["n_test"]


def grouped_order(inputs, target, n_train, rng):
    """A random order in which equal rows follow one another, and where to split it.

    Parameters
    ----------
    inputs : ndarray of shape (n_rows, n_features)
        Inputs.
    target : ndarray of shape (n_rows,)
        Target.
    n_train : int
        Rows to train on, at least; the last group is kept whole.
    rng : numpy.random.Generator
        Orders the distinct rows.

    Returns
    -------
    order : ndarray of int, shape (n_rows,)
    n_train : int
    """
    rows = np.column_stack([inputs, target])
    _, group = np.unique(rows, axis=0, return_inverse=True)
    place = rng.permutation(group.max() + 1)[group.ravel()]
    order = np.argsort(place, kind="stable")
    ends = np.flatnonzero(np.diff(place[order], append=-1)) + 1
    return order, int(ends[ends >= n_train][0])


_FIT_COLUMNS = ("sigma", "center", "n_iter", "converged")
