"""The experiment protocol: one run to the rows that are kept of it.

A specification is a plain dict that holds all that a row depends on; see
:mod:`mccvc.study.config` for how it follows from the config.
"""

import json
import time
from itertools import product

import numpy as np

from mccvc.criteria import MCC, MCCVC, MMSE
from mccvc.further_criteria import CRITERIA
from mccvc.hidden import HiddenLayer
from mccvc.lip import fit_lip
from mccvc.search import grid_search
from mccvc.solver import fixed_point, ridge
from mccvc.study.seeds import generator
from mccvc.study.synthetic import linear_system


def batch(method):
    """Criterion and penalties of all grid points of a method.

    Parameters
    ----------
    method : dict
        ``criterion``: ``mmse``, ``mcc`` (with the list ``sigma``), ``mcc-vc`` (with ``widths``
        and ``centers``) or one of :data:`mccvc.further_criteria.CRITERIA` (with ``grid``, a list
        for each of its parameters); ``lam``: list of lambda'.

    Returns
    -------
    criterion : MMSE, MCC, MCCVC or Criterion
    lam : ndarray of shape (n_points,)
        Every lambda' with every value of the other lists, lambda' outermost.
    points : list of dict
        The other parameters of a :class:`Criterion` at each point, else empty.
    """
    lam = np.asarray(method["lam"], dtype=float)
    nothing: list[dict[str, float]] = [{}] * len(lam)
    if method["criterion"] == "mmse":
        return MMSE(), lam, nothing
    if method["criterion"] == "mcc-vc":
        return MCCVC(method["widths"], method["centers"]), lam, nothing
    if method["criterion"] == "mcc":
        sigma = np.asarray(method["sigma"], dtype=float)
        count = len(sigma)
        return MCC(np.tile(sigma, len(lam))), np.repeat(lam, count), nothing * count
    grid = method["grid"]
    others = [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]
    points = others * len(lam)
    columns = {name: np.array([point[name] for point in points]) for name in grid}
    return CRITERIA[method["criterion"]](**columns), np.repeat(lam, len(others)), points


def linear_design(inputs, method):
    """Design and penalty factors of a linear method, with a column of ones if it asks for one."""
    if not method.get("intercept", False):
        return inputs, np.ones(inputs.shape[1])
    design = np.column_stack([inputs, np.ones(len(inputs))])
    return design, np.append(np.ones(inputs.shape[1]), 0.0)


def linear_data(spec, run):
    """Inputs and target of one Monte Carlo run of a linear case."""
    return linear_system(spec["system"], generator(spec["seed"], "linear", spec["case"], run))


def linear_rows(spec, run):
    """One run of one criterion on one linear case: a row for each grid point.

    Parameters
    ----------
    spec : dict
        ``seed``, ``case``, ``criterion`` (name), ``system``, ``method``, ``max_iter``, ``tol``.
    run : int
        Index of the run.

    Returns
    -------
    list of dict
        ``weight_rmse`` is sqrt(||w - w*||^2 / n_weights).
    """
    inputs, target = linear_data(spec, run)
    design, penalty = linear_design(inputs, spec["method"])
    true_weights = np.asarray(spec["system"]["weights"], dtype=float)
    criterion, lams, _ = batch(spec["method"])
    rows = []
    for point, lam in enumerate(lams):
        row = {
            "study": "linear",
            "case": spec["case"],
            "criterion": spec["criterion"],
            "run": run,
            "lam": lam,
            "sigma": None,
            "center": None,
            "n_iter": 0,
            "converged": True,
        }
        started = time.perf_counter()
        if isinstance(criterion, MMSE):
            beta = ridge(design, target, [lam], penalty=penalty)[0]
        else:
            fit = fixed_point(
                design,
                target,
                criterion.take([point]),
                [lam],
                penalty=penalty,
                max_iter=spec["max_iter"],
                tol=spec["tol"],
            )
            beta = fit.beta[0]
            row |= {name: getattr(fit, name)[0] for name in _FIT_COLUMNS}
        row["fit_seconds"] = time.perf_counter() - started
        deviation = beta[: len(true_weights)] - true_weights
        row["weight_rmse"] = np.sqrt(np.mean(deviation**2))
        rows.append(row)
    return rows


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
    selected = grid_search(design, target, folds, sizes, criterion, lam, **options)
    tuned = time.perf_counter()
    point = [selected.problem]
    fit = fit_lip(
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
    if not isinstance(criterion, MCC | MCCVC):
        chosen["sigma"] = None
    if isinstance(criterion, MMSE):
        chosen["center"] = None
    if points[selected.problem]:
        chosen["parameters"] = json.dumps(points[selected.problem], sort_keys=True)
    return lambda rows: fit.predict(design_of(rows, size))[0], chosen


def _external(spec, layer, inputs, target, folds, rng):
    """As :func:`_shared_work`, for any regressor, on the hidden layer or the inputs."""
    # Imported here: no other job needs scikit-learn.
    from mccvc.study.external import search

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


def failed_row(study, spec, run, error):
    """The row of a run that could not be done: what it was and why, all results absent.

    Parameters
    ----------
    study : str
        ``elm`` or ``linear``.
    spec : dict
        Specification of the run.
    run : int
        Index of the run.
    error : Exception or str
        What went wrong.

    Returns
    -------
    dict
    """
    keys = ("dataset", "method") if study == "elm" else ("case", "criterion")
    text = error if isinstance(error, str) else f"{type(error).__name__}: {error}"
    return {"study": study, **{key: spec[key] for key in keys}, "run": run, "error": text}


def checked(rows):
    """Rows whose numbers are all finite.

    Raises
    ------
    ArithmeticError
        Naming the first column that is not.
    """
    for row in rows:
        for name, value in row.items():
            if isinstance(value, float) and not np.isfinite(value):
                raise ArithmeticError(f"{name} is {value}")
    return rows


_FIT_COLUMNS = ("sigma", "center", "n_iter", "converged")
