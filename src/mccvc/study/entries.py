"""Entries of the config as values: selections of names, and methods."""

from collections.abc import Mapping
from typing import Any

from mccvc.study.grids import expanded
from mccvc.study.specs import CriterionMethod, JudgedMethod, Method, RegressorMethod

# Keys with which a criterion is judged in another way than the paper's.
_JUDGED = ("score", "combine", "clip")


def selection(value: str | list[str] | None) -> list[str] | None:
    """Names of a list, or of a text with commas; None for no selection."""
    if isinstance(value, str):
        return [name.strip() for name in value.split(",")]
    return value


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
    judged = {key: entry[key] for key in _JUDGED if key in entry}
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
