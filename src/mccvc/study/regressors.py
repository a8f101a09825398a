"""Methods that are regressors of scikit-learn or of its kind, named by their import paths."""

from collections.abc import Sequence
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import ClassifierMixin, clone
from sklearn.model_selection import ParameterGrid
from sklearn.pipeline import make_pipeline

from mccvc.arrays import Array, Indices
from mccvc.study.specs import RegressorMethod


class SelectedRegressor(NamedTuple):
    """What cross-validation chose.

    Attributes
    ----------
    model : estimator
        With the chosen parameters, not fitted.
    n_hidden : int or None
        Key of the chosen design matrix.
    parameters : dict
        The chosen grid point.
    cv_rmse : float
        Mean over the folds of the held-out root mean squared error.
    """

    model: Any
    n_hidden: int | None
    parameters: dict[str, Any]
    cv_rmse: float


def step_class(path: str) -> type:
    """The class of an import path. Importing its module runs that module.

    Raises
    ------
    ValueError
        If there is no such class.
    """
    module, _, name = path.rpartition(".")
    try:
        found = getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise ValueError(f"estimator {path} cannot be imported: {error}") from error
    if not isinstance(found, type):
        raise ValueError(
            f"estimator {path} is no class; expected a regressor: a class with fit and predict"
        )
    return found


def regressor(method: RegressorMethod) -> Any:
    """The unfitted regressor of a method.

    A pipeline's parameters are ``step__name``, steps named by their class in lower case. Classes
    are judged before any of them is called.

    Raises
    ------
    ValueError
        Naming what cannot be imported or is no regressor, or the parameter that it does not have.
    """
    *transformers, last = map(step_class, method.estimator)
    for path, kind in zip(method.estimator, transformers, strict=False):
        if not _has(kind, "fit", "transform"):
            raise ValueError(f"estimator {path}; expected a class with fit and transform")
    if not _has(last, "fit", "predict") or issubclass(last, ClassifierMixin):
        raise ValueError(
            f"estimator {method.estimator[-1]}; expected a regressor: a class with fit and predict"
        )
    named = " ".join(method.estimator)
    try:
        if not transformers:
            return last(**method.parameters)
        pipeline = make_pipeline(*(kind() for kind in (*transformers, last)))
        return pipeline.set_params(**method.parameters)
    except (TypeError, ValueError) as error:
        raise ValueError(f"estimator {named}: {error}") from error


def seeded_regressor(method: RegressorMethod, seed: int) -> Any:
    """The unfitted regressor of a method, every ``random_state`` of it set to a seed.

    Raises
    ------
    ValueError
        As :func:`regressor`.
    """
    model = regressor(method)
    random = [name for name in model.get_params() if name.endswith("random_state")]
    return model.set_params(**dict.fromkeys(random, seed))


def _has(kind: type, *methods: str) -> bool:
    return all(callable(getattr(kind, method, None)) for method in methods)


def search(
    method: RegressorMethod,
    columns: dict[int | None, Array],
    target: Array,
    folds: Sequence[Indices],
    seed: int,
) -> SelectedRegressor:
    """Choose grid point and number of columns by cross-validation.

    Parameters
    ----------
    method : RegressorMethod
        The method.
    columns : dict of ndarray
        Design matrices to choose from, by number of hidden nodes; None for the inputs.
    target : ndarray of shape (n_samples,)
        Target.
    folds : sequence of ndarray of int
        Held-out rows of each fold.
    seed : int
        Every ``random_state`` that the estimator has.

    Returns
    -------
    SelectedRegressor

    Raises
    ------
    ArithmeticError
        If no grid point gives finite errors.
    """
    base = seeded_regressor(method, seed)
    best_score, best_size, best_point = np.inf, None, None
    for size, design in columns.items():
        for point in ParameterGrid({name: list(values) for name, values in method.grid.items()}):
            score = 0.0
            for held_out in folds:
                train = np.ones(len(target), dtype=bool)
                train[held_out] = False
                model = clone(base).set_params(**point).fit(design[train], target[train])
                errors = target[held_out] - model.predict(design[held_out])
                score += np.sqrt(np.mean(errors**2)) / len(folds)
            if score < best_score:
                best_score, best_size, best_point = score, size, point
    if best_point is None:
        raise ArithmeticError(
            f"estimator {' '.join(method.estimator)}: no grid point gives finite errors"
        )
    model = clone(base).set_params(**best_point)
    return SelectedRegressor(model, best_size, best_point, best_score)
