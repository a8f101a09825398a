"""Entries of the config as values: selections of names, and methods."""

from collections.abc import Mapping
from typing import Any

from mccvc.solvers.judging import Parts
from mccvc.study.grids import expanded
from mccvc.study.specs import CriterionMethod, JudgedMethod, Method, RegressorMethod


def selection(value: str | list[str] | None) -> list[str] | None:
    """Names of a list, or of a text with commas; None for no selection."""
    if isinstance(value, str):
        return [name.strip() for name in value.split(",")]
    return value


def listed(value: Any) -> tuple[Any, ...]:
    """The values of a key that takes one or a list of them."""
    return tuple(value) if isinstance(value, list) else (value,)


def method_of(entry: Mapping[str, Any], lam: Any) -> Method:
    """The method of an entry of the config.

    Parameters
    ----------
    entry : mapping
        The entry.
    lam : list or dict
        Penalties of a criterion whose entry has none.

    Returns
    -------
    CriterionMethod, JudgedMethod or RegressorMethod
    """
    if "estimator" in entry:
        steps = entry["estimator"]
        return RegressorMethod(
            estimator=(steps,) if isinstance(steps, str) else tuple(steps),
            parameters=entry.get("parameters", {}),
            grid={name: tuple(values) for name, values in entry.get("grid", {}).items()},
            features=entry.get("features", "hidden"),
        )
    grid = {name: expanded(values) for name, values in entry.get("grid", {}).items()}
    if "sigma" in entry:
        grid["sigma"] = expanded(entry["sigma"])
    centers = entry.get("centers")
    # Keys with which a criterion is judged in other ways than the paper's.
    judged = {key: listed(entry[key]) for key in Parts._fields if key in entry}
    kind = JudgedMethod if judged else CriterionMethod
    return kind(
        criterion=entry["criterion"],
        lam=expanded(entry.get("lam", lam)),
        grid=grid,
        widths=expanded(entry["widths"]) if "widths" in entry else None,
        centers=centers if centers is None or isinstance(centers, str) else expanded(centers),
        intercept=entry.get("intercept", False),
        direct=entry.get("direct", False),
        **judged,
    )


def systems_of(system: Mapping[str, Any], curve: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The systems of a curve, one for each of its values.

    Parameters
    ----------
    system : mapping
        The system with everything at its default.
    curve : mapping
        The entry: ``varies``, a key of the system (``noise.mean`` for one of its noise), its
        ``values``, and the ``system`` keys that differ from the default on the whole curve.

    Returns
    -------
    list of dict
    """
    base = {**system, **curve.get("system", {})}
    outer, _, inner = curve["varies"].partition(".")
    return [
        base | {outer: base[outer] | {inner: value} if inner else value}
        for value in curve["values"]
    ]


def applies(reading: Mapping[str, Any], dataset: str, method: str) -> bool:
    """Whether a reading is for a method on a dataset."""
    methods = reading.get("methods", {method: {}})
    if method not in methods:
        return False
    return dataset in methods[method].get("datasets", reading.get("datasets", [dataset]))


def changed_method(
    entry: Mapping[str, Any], reading: Mapping[str, Any], method: str
) -> dict[str, Any]:
    """The entry of a method with the keys that a reading changes."""
    changes = reading.get("methods", {}).get(method, {})
    return {**entry, **{key: value for key, value in changes.items() if key != "datasets"}}
