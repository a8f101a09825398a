"""Methods that are regressors of scikit-learn or of its kind, named by their import path."""

import json
from importlib import import_module

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid
from sklearn.pipeline import make_pipeline


def regressor(path, parameters):
    """An unfitted regressor from its import path.

    Parameters
    ----------
    path : str or list of str
        Such as ``sklearn.linear_model.HuberRegressor``; a list is made a pipeline of.
    parameters : dict
        Its parameters; a pipeline's as ``step__name``, steps named by their class in lower case.

    Returns
    -------
    estimator

    Raises
    ------
    ValueError
        Naming what cannot be imported, or the parameter that it does not have.
    """
    try:
        if isinstance(path, str):
            return _imported(path)(**parameters)
        return make_pipeline(*(_imported(step)() for step in path)).set_params(**parameters)
    except TypeError as error:
        raise ValueError(f"estimator {path}: {error}") from error


def _imported(path):
    module, _, name = path.rpartition(".")
    try:
        return getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise ValueError(f"estimator {path} cannot be imported: {error}") from error


def home(path):
    """Where the class behind an import path is defined: ``module:name``."""
    found = _imported(path)
    return f"{found.__module__}:{found.__name__}"


def search(fit, columns, target, folds, seed):
    """Choose grid point and number of columns by cross-validation.

    Parameters
    ----------
    fit : dict
        ``estimator``, ``parameters`` and ``grid`` (lists by name).
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
    model : estimator
        With the chosen parameters, not fitted.
    size : int or None
        Key of the chosen design matrix.
    chosen : dict
        ``cv_rmse`` and ``parameters``, the chosen grid point as JSON.
    """
    base = regressor(fit["estimator"], fit["parameters"])
    random = [name for name in base.get_params() if name.endswith("random_state")]
    base.set_params(**dict.fromkeys(random, seed))
    points = list(ParameterGrid(fit["grid"]))
    best = (np.inf, None, points[0])
    for size, design in columns.items():
        for point in points:
            score = 0.0
            for held_out in folds:
                train = np.ones(len(target), dtype=bool)
                train[held_out] = False
                model = clone(base).set_params(**point).fit(design[train], target[train])
                errors = target[held_out] - model.predict(design[held_out])
                score += np.sqrt(np.mean(errors**2)) / len(folds)
            if score < best[0]:
                best = (score, size, point)
    score, size, point = best
    if not np.isfinite(score):
        raise ArithmeticError(f"estimator {fit['estimator']}: no grid point gives finite errors")
    model = clone(base).set_params(**point)
    return model, size, {"cv_rmse": score, "parameters": json.dumps(point, sort_keys=True)}
