"""The ELM experiment: a method tuned and tested on random splits of a dataset."""

import json
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from mccvc.arrays import Array, Indices
from mccvc.criteria.paper import MCC, MCCVC, MMSE
from mccvc.hidden_layer import HiddenLayer
from mccvc.solvers.batch import fit_batch
from mccvc.solvers.grid_search import grid_search
from mccvc.study.methods import grid_points
from mccvc.study.seeds import generator
from mccvc.study.specs import CriterionMethod, Experiment, RegressorMethod, Row, RunSpec


class ElmSpec(RunSpec, tag="elm", frozen=True, kw_only=True):
    """What a row of the ELM experiment depends on; the problem is a dataset.

    Attributes
    ----------
    values : str, optional
        Digest of the dataset's parsed values.
    n_train, n_test : int, optional
        Rows to train and to test on; half of all, rounded down, for each by default.
    n_hidden : tuple of int
        Numbers of hidden nodes to choose from.
    folds : int
        Folds of the cross-validation.
    duplicates_together : bool
        Whether equal rows go to the same side of the split.
    """

    values: str | None = None
    n_train: int | None = None
    n_test: int | None = None
    n_hidden: tuple[int, ...]
    folds: int
    duplicates_together: bool = False

    @property
    def dataset(self) -> str:
        """Name of the dataset."""
        return self.problem

    def split_sizes(self, n_rows: int) -> tuple[int, int]:
        """Rows to train and to test on, of a dataset with `n_rows`."""
        if self.n_train is None or self.n_test is None:
            return n_rows // 2, n_rows // 2
        return self.n_train, self.n_test

    def generator(self, run: int, purpose: str) -> np.random.Generator:
        """Generator for one purpose of a run, the same for all methods."""
        return generator(self.seed, "elm", self.dataset, run, purpose)


class Split(NamedTuple):
    """Rows to train and to test on, and the held-out rows of each fold among the former."""

    train: Indices
    test: Indices
    folds: Sequence[Indices]


class Tuned(NamedTuple):
    """A tuned and fitted method: its predictions for inputs, and the columns that it fills."""

    predict: Callable[[Array], Array]
    columns: Row


def elm_rows(spec: ElmSpec, run: int, data: tuple[Array, Array]) -> list[Row]:
    """One run of one method on one dataset: one row.

    All methods see the same split, hidden layer and folds in a run. The number of hidden
    nodes, lambda' and, for MCC, sigma are chosen by cross-validation on the training part; the
    model is then fitted to the whole of it.

    Parameters
    ----------
    spec : ElmSpec
        Specification.
    run : int
        Index of the run.
    data : tuple of ndarray
        Inputs (n_rows, n_features) and target (n_rows,), scaled to [0, 1].

    Returns
    -------
    list of dict
        The columns of :data:`ELM`; RMSEs in units of the scaled target.

    Raises
    ------
    ValueError
        If the dataset has too few rows.
    """
    inputs, target = data
    split = split_of(spec, run, inputs, target)
    layer = HiddenLayer(inputs.shape[1], max(spec.n_hidden), spec.generator(run, "hidden"))
    tune = tune_criterion if isinstance(spec.fit, CriterionMethod) else tune_regressor
    tuned = tune(spec, run, layer, inputs[split.train], target[split.train], split.folds)

    def rmse(rows: Indices) -> float:
        return np.sqrt(np.mean((target[rows] - tuned.predict(inputs[rows])) ** 2))

    row = ELM.key(spec, run) | {
        "train_rmse": rmse(split.train),
        "test_rmse": rmse(split.test),
        "n_train": len(split.train),
        "n_test": len(split.test),
        "n_features": inputs.shape[1],
    }
    return [row | tuned.columns]


def split_of(spec: ElmSpec, run: int, inputs: Array, target: Array) -> Split:
    """Rows to train and to test on, and the folds, of a run.

    Raises
    ------
    ValueError
        If the dataset has fewer rows than the split or the folds need.
    """
    n_train, n_test = spec.split_sizes(len(target))
    if n_train < spec.folds:
        raise ValueError(f"{n_train} training rows are fewer than {spec.folds} folds")
    if n_train + n_test > len(target):
        raise ValueError(f"{n_train} + {n_test} rows to train and test on, of {len(target)}")
    rng = spec.generator(run, "split")
    if spec.duplicates_together:
        order, n_train = grouped_order(inputs, target, n_train, rng)
    else:
        order = rng.permutation(len(target))
    folds = np.array_split(spec.generator(run, "folds").permutation(n_train), spec.folds)
    return Split(order[:n_train], order[n_train : n_train + n_test], folds)


def tune_criterion(
    spec: ElmSpec,
    run: int,
    layer: HiddenLayer,
    inputs: Array,
    target: Array,
    folds: Sequence[Indices],
) -> Tuned:
    """Tune and fit a criterion by the search that shares work between grid points."""
    method = spec.fit
    assert isinstance(method, CriterionMethod)
    started = time.perf_counter()

    def design_of(rows: Array, n_hidden: int | None = None) -> Array:
        hidden = layer(rows, n_hidden)
        return np.hstack([rows, hidden]) if method.direct else hidden

    n_direct = inputs.shape[1] if method.direct else 0
    design = design_of(inputs)
    points = grid_points(method)
    options: dict[str, Any] = {
        "intercept": method.intercept,
        "max_iter": spec.max_iter,
        "tol": spec.tol,
    }
    sizes = [n_direct + n_hidden for n_hidden in spec.n_hidden]
    selected = grid_search(design, target, folds, sizes, points.criterion, points.lam, **options)
    tuned = time.perf_counter()
    point = [selected.problem]
    columns = design[:, : selected.n_columns]
    fit = fit_batch(columns, target, points.criterion.take(point), points.lam[point], **options)
    n_hidden = selected.n_columns - n_direct
    row: Row = {
        "n_hidden": n_hidden,
        "lam": points.lam[selected.problem],
        "cv_rmse": selected.cv_rmse,
        "n_iter": fit.n_iter[0],
        "converged": fit.converged[0],
        "fit_seconds": time.perf_counter() - tuned,
        "tune_seconds": tuned - started,
        "search_solves": selected.solves,
    }
    if isinstance(points.criterion, MCC | MCCVC):
        row["sigma"] = fit.sigma[0]
    elif points.parameters[selected.problem]:
        row["parameters"] = json.dumps(points.parameters[selected.problem], sort_keys=True)
    if not isinstance(points.criterion, MMSE):
        row["center"] = fit.center[0]
    return Tuned(lambda rows: fit.predict(design_of(rows, n_hidden))[0], row)


def tune_regressor(
    spec: ElmSpec,
    run: int,
    layer: HiddenLayer,
    inputs: Array,
    target: Array,
    folds: Sequence[Indices],
) -> Tuned:
    """Tune and fit any regressor, on the hidden layer or the inputs."""
    # Imported here: no other job needs scikit-learn.
    from mccvc.study.regressors import search

    method = spec.fit
    assert isinstance(method, RegressorMethod)
    started = time.perf_counter()
    hidden = method.features == "hidden"
    columns: dict[int | None, Array] = {None: inputs}
    if hidden:
        columns = {n_hidden: layer(inputs, n_hidden) for n_hidden in spec.n_hidden}
    seed = int(spec.generator(run, "estimator").integers(2**31))
    selected = search(method, columns, target, folds, seed)
    tuned = time.perf_counter()
    model = selected.model.fit(columns[selected.n_hidden], target)
    row: Row = {
        "n_hidden": selected.n_hidden,
        "cv_rmse": selected.cv_rmse,
        "parameters": json.dumps(selected.parameters, sort_keys=True),
        "fit_seconds": time.perf_counter() - tuned,
        "tune_seconds": tuned - started,
    }

    def predict(rows: Array) -> Array:
        return model.predict(layer(rows, selected.n_hidden) if hidden else rows)

    return Tuned(predict, row)


def grouped_order(
    inputs: Array, target: Array, n_train: int, rng: np.random.Generator
) -> tuple[Indices, int]:
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


ELM = Experiment(
    name="elm",
    problem="dataset",
    method="method",
    spec=ElmSpec,
    rows=elm_rows,
    results=pa.schema(
        [
            ("train_rmse", pa.float64()),
            ("test_rmse", pa.float64()),
            ("n_train", pa.int32()),
            ("n_test", pa.int32()),
            ("n_features", pa.int32()),
            ("n_hidden", pa.int32()),
            ("lam", pa.float64()),
            ("sigma", pa.float64()),
            ("center", pa.float64()),
            ("n_iter", pa.int32()),
            ("converged", pa.bool_()),
            ("cv_rmse", pa.float64()),
            ("fit_seconds", pa.float64()),
            ("tune_seconds", pa.float64()),
            ("search_solves", pa.list_(pa.int32())),
            ("parameters", pa.string()),
        ]
    ),
)
