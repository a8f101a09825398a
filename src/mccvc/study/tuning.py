"""Tuning by cross-validation: a method to its best grid point and number of hidden nodes."""

import json
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from mccvc.arrays import Array, Indices
from mccvc.hidden_layer import HiddenLayer
from mccvc.solvers.batch import fit_batch
from mccvc.solvers.grid_search import grid_search
from mccvc.study.methods import grid_points
from mccvc.study.specs import CriterionMethod, RegressorMethod, Row, RunSpec


class TuningSpec(RunSpec, frozen=True, kw_only=True):
    """What tuning depends on.

    Attributes
    ----------
    n_hidden : tuple of int
        Numbers of hidden nodes to choose from.
    folds : int
        Folds of the cross-validation.
    racing : bool
        Whether grid points that seem to lose are dropped on the way, see
        :func:`mccvc.solvers.grid_search.grid_search`.
    """

    n_hidden: tuple[int, ...]
    folds: int
    racing: bool = False


class TuningData(NamedTuple):
    """What a method is tuned and fitted on.

    Attributes
    ----------
    inputs : ndarray of shape (n_train, n_features)
        Inputs.
    target : ndarray of shape (n_train,)
        Target.
    folds : sequence of ndarray of int
        Held-out rows of each fold.
    layer : HiddenLayer
        The largest hidden layer; smaller ones are its beginning.
    """

    inputs: Array
    target: Array
    folds: Sequence[Indices]
    layer: HiddenLayer

    def design(self, method: CriterionMethod, rows: Array, n_hidden: int | None = None) -> Array:
        """The columns that a criterion is fitted on: (n_rows, n_columns)."""
        hidden = self.layer(rows, n_hidden)
        return np.hstack([rows, hidden]) if method.direct else hidden


class Tuned(NamedTuple):
    """A tuned and fitted method: its predictions for inputs, and the columns that it fills."""

    predict: Callable[[Array], Array]
    columns: Row


def tune_criterion(data: TuningData, spec: TuningSpec, rng: np.random.Generator) -> list[Tuned]:
    """Tune and fit a criterion by the search that shares work between grid points."""
    method = spec.fit
    assert isinstance(method, CriterionMethod)
    started = time.perf_counter()
    n_direct = data.inputs.shape[1] if method.direct else 0
    design = data.design(method, data.inputs)
    points = grid_points(method)
    options: dict[str, Any] = {
        "intercept": method.intercept,
        "max_iter": spec.max_iter,
        "tol": spec.tol,
    }
    sizes = [n_direct + n_hidden for n_hidden in spec.n_hidden]
    selected = grid_search(
        design,
        data.target,
        data.folds,
        sizes,
        points.criterion,
        points.lam,
        racing=spec.racing,
        **options,
    )
    tuned = time.perf_counter()
    point = np.array([selected.problem])
    columns = design[:, : selected.n_columns]
    fit = fit_batch(
        columns, data.target, points.criterion.take(point), points.lam[point], **options
    )
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
    row |= points.kernel_of(fit)
    if points.parameters[selected.problem] and not points.criterion.has_width:
        row["parameters"] = json.dumps(points.parameters[selected.problem], sort_keys=True)
    return [Tuned(lambda rows: fit.predict(data.design(method, rows, n_hidden))[0], row)]


def tune_regressor(data: TuningData, spec: TuningSpec, rng: np.random.Generator) -> list[Tuned]:
    """Tune and fit any regressor, on the hidden layer or the inputs."""
    # Imported here: no other job needs scikit-learn.
    from mccvc.study.regressors import search

    method = spec.fit
    assert isinstance(method, RegressorMethod)
    started = time.perf_counter()
    hidden = method.features == "hidden"
    columns: dict[int | None, Array] = {None: data.inputs}
    if hidden:
        columns = {n_hidden: data.layer(data.inputs, n_hidden) for n_hidden in spec.n_hidden}
    selected = search(method, columns, data.target, data.folds, seed=int(rng.integers(2**31)))
    tuned = time.perf_counter()
    model = selected.model.fit(columns[selected.n_hidden], data.target)
    row: Row = {
        "n_hidden": selected.n_hidden,
        "cv_rmse": selected.cv_rmse,
        "parameters": json.dumps(selected.parameters, sort_keys=True),
        "fit_seconds": time.perf_counter() - tuned,
        "tune_seconds": tuned - started,
    }

    def predict(rows: Array) -> Array:
        return model.predict(data.layer(rows, selected.n_hidden) if hidden else rows)

    return [Tuned(predict, row)]
