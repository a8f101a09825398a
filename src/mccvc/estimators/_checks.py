"""Checks of parameters and data, with one clear error each."""

import numbers
from collections.abc import Iterable
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from mccvc.arrays import Array, ArrayLike, Indices
from mccvc.hidden_layer import ACTIVATIONS

_INPUT_SCALINGS = ("robust", "minmax")
_INITS = ("robust", "zeros", "least-squares")
_NO_TARGET = "no_validation"  # scikit-learn's word for it
_LARGEST_RATIO = 1e100
_ROWS_LOOKED_AT = 1000


def check_data(estimator: BaseEstimator, X: ArrayLike, y: ArrayLike = _NO_TARGET) -> Any:
    """Checked arrays; names the column that holds NaN, infinity or text."""
    names = list(getattr(X, "columns", []))
    targets = np.asarray(y)
    if targets.dtype.kind == "f":
        check_finite("y", targets.reshape(len(targets), -1)[:, 0], None)
    options = {} if _is_no_target(y) else {"multi_output": True, "y_numeric": True}
    try:
        checked = validate_data(
            estimator, X, y, dtype=np.float64, ensure_all_finite=False, **options
        )
    except (ValueError, TypeError) as error:
        kinds = zip(names, getattr(X, "dtypes", []), strict=False) if names else ()
        text = [str(name) for name, kind in kinds if _is_text(kind)]
        if text:
            raise ValueError(f"Input X holds text in columns {text}; encode it first.") from error
        raise
    if _is_no_target(y):
        return check_finite("X", checked, names)
    inputs, outputs = checked
    outputs = np.asarray(outputs, dtype=np.float64)
    return check_finite("X", inputs, names), check_finite("y", outputs, None)


def check_finite(what: str, values: Array, names: list[str] | None) -> Array:
    """Raise if values hold NaN or infinity, naming row and column."""
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(values.sum()):
            return values
    for problem, bad in (
        ("NaN", np.isnan(values)),
        ("infinity or a value too large for dtype('float64')", np.isinf(values)),
    ):
        if bad.any():
            row, *column = np.argwhere(bad)[0]
            place = f"row {row}"
            if column:
                name = names[column[0]] if names else int(column[0])
                place = f"column {name!r}, {place}"
            raise ValueError(f"Input {what} contains {problem} ({place}).")
    return values


def _is_no_target(y: object) -> bool:
    return isinstance(y, str) and y == _NO_TARGET


def _is_text(kind: object) -> bool:
    return str(kind).lower() in ("object", "str", "string", "utf8", "category", "categorical")


def check_number(
    estimator: BaseEstimator,
    name: str,
    *,
    low: float,
    closed: bool = False,
    whole: bool = False,
    others: str = "",
) -> None:
    """Raise if a parameter is not a number above (`closed`: at least) `low`; `others` also are."""
    value = getattr(estimator, name)
    kind = numbers.Integral if whole else numbers.Real
    fine = isinstance(value, kind) and not isinstance(value, bool)
    if not (fine and np.isfinite(value) and (value >= low if closed else value > low)):
        bracket = "[" if closed else "("
        raise ValueError(
            f"The {name!r} parameter of {type(estimator).__name__}"
            f"{f', if not {others},' if others else ''} must be "
            f"{'an int' if whole else 'a float'} in the range {bracket}{low}, inf). "
            f"Got {value!r} instead."
        )


def check_set(estimator: BaseEstimator, name: str, *, positive: bool = False) -> Array:
    """Distinct numbers of a parameter, ascending."""
    value = getattr(estimator, name)
    try:
        found = np.unique(np.asarray(value, dtype=float))
    except (TypeError, ValueError):
        found = np.array([])
    if not found.size or not np.isfinite(found).all() or (positive and found[0] <= 0):
        kind = "numbers > 0" if positive else "numbers"
        others = "'auto'" if positive else "'auto', 'median', 'mean'"
        raise ValueError(
            f"The {name!r} parameter of {type(estimator).__name__} must be {others} or one or more"
            f" finite {kind}. Got {value!r} instead."
        )
    return found


def check_centers(estimator: BaseEstimator) -> Array | str:
    """The admissible centers, or the word for them."""
    value = getattr(estimator, "centers")  # noqa: B009 - estimators have it, their base has not
    if not isinstance(value, str):
        return check_set(estimator, "centers")
    if value not in ("auto", "median", "mean"):
        raise ValueError(
            f"The 'centers' parameter of {type(estimator).__name__} must be 'auto', 'median', "
            f"'mean' or an array of numbers. Got {value!r} instead."
        )
    return value


def check_share(estimator: BaseEstimator, name: str, *, whole: bool = False) -> None:
    """Raise if a parameter is neither None nor a number in (0, 1), or 1 alone if `whole`."""
    value = getattr(estimator, name)
    if value is None:
        return
    number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not (number and (value == 1 if whole else 0 < value < 1)):
        allowed = "1" if whole else "a float in the range (0, 1)"
        raise ValueError(
            f"The {name!r} parameter of {type(estimator).__name__} must be None or {allowed}. "
            f"Got {value!r} instead."
        )


def check_choice(estimator: BaseEstimator, name: str, choices: Iterable[str]) -> None:
    """Raise if a parameter is not one of the choices."""
    value = getattr(estimator, name)
    if value not in choices:
        raise ValueError(
            f"The {name!r} parameter of {type(estimator).__name__} must be one of "
            f"{list(choices)}. Got {value!r} instead."
        )


def check_iteration(estimator: BaseEstimator) -> None:
    """Check the parameters of the iteration."""
    check_number(estimator, "max_iter", low=1, closed=True, whole=True)
    check_number(estimator, "tol", low=0, closed=True)
    check_choice(estimator, "init", _INITS)


def check_sizes(estimator: BaseEstimator, name: str) -> Indices:
    """Distinct whole numbers of a parameter, ascending."""
    value = getattr(estimator, name)
    found = np.unique(np.atleast_1d(value))
    if not found.size or found.dtype.kind not in "iu" or found[0] < 1:
        raise ValueError(
            f"The {name!r} parameter of {type(estimator).__name__} must be one or more whole"
            f" numbers >= 1. Got {value!r} instead."
        )
    return found


def check_layer(estimator: BaseEstimator, *, n_hidden: bool = True) -> None:
    """Check the parameters of a hidden layer; without `n_hidden` those beside it."""
    if n_hidden:
        check_number(estimator, "n_hidden", low=1, closed=True, whole=True)
    check_choice(estimator, "activation", ACTIVATIONS)
    check_choice(estimator, "input_scaling", _INPUT_SCALINGS)


def check_ratio(design: Array, largest: Array) -> None:
    """Raise if one value of a column dwarfs all others beyond what arithmetic can hold."""
    some = design[:: 1 + len(design) // _ROWS_LOOKED_AT]
    typical = np.quantile(np.abs(some), 0.5, axis=0)
    column = np.argmax(largest / np.where(typical > 0, typical, largest + (largest == 0)))
    if typical[column] > 0 and largest[column] > _LARGEST_RATIO * typical[column]:
        raise ValueError(
            f"Input X contains {largest[column]:.3g} in column {column}, whose typical value is "
            f"{typical[column]:.3g}; remove it."
        )


def is_auto(value: object) -> bool:
    """Whether a parameter is "auto"."""
    return isinstance(value, str) and value == "auto"
