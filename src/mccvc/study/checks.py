"""What is wrong with a config, one line for each fault: key, value and what was expected."""

import difflib
import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from mccvc.criteria.registry import CRITERIA
from mccvc.datasets.spec import DatasetSpec
from mccvc.solvers.judging import Parts
from mccvc.study.entries import changed_method, listed, method_of, selection, systems_of
from mccvc.study.experiments import EXPERIMENTS
from mccvc.study.grids import expanded, is_grid, spans
from mccvc.study.linear_contamination import ContaminatedSystem
from mccvc.study.specs import CriterionMethod, JudgedMethod, Method, RegressorMethod

_GRIDS = ("lam", "sigma", "widths", "centers")


def describe(error: Any) -> str:
    """One line for a violation of the schema.

    Parameters
    ----------
    error : jsonschema.ValidationError
        The violation.

    Returns
    -------
    str
        A line for each unknown key, else one line.
    """
    where = ".".join(map(str, error.absolute_path)) or "top level"
    if error.validator == "additionalProperties" and "properties" in error.schema:
        return "\n".join(_unknown(where, error.instance, error.schema["properties"]))
    if error.validator == "required":
        return f"{where}: {error.message.replace('is a required property', 'is missing')}"
    if error.validator == "dependentRequired":
        return f"{where}: {error.message.replace('is a dependency of', 'is missing; it goes with')}"
    expected = error.schema.get("description", error.message)
    if isinstance(error.instance, dict) and error.validator == "anyOf":
        return f"{where}: keys {sorted(error.instance)}; expected {expected}"
    # A list of alternatives says less than what is wrong with one element of it.
    value = error.instance
    if isinstance(value, list) and any(_is_numeral(element) for element in value):
        place = next(i for i, element in enumerate(value) if _is_numeral(element))
        where, value, expected = f"{where}.{place}", value[place], "a number"
    hint = ""
    if _is_numeral(value):
        number = value if value.lstrip("+-").isdigit() else f"{float(value):.1e}"
        hint = f"; {value!r} is text, write {number}"
    return f"{where}: value {value!r}; expected {expected}{hint}"


def _unknown(where: str, entry: Mapping[str, Any], known: Mapping[str, Any]) -> Iterator[str]:
    for key in sorted(set(entry) - set(known), key=str):
        hint = _hint(str(key), known, f"expected one of {sorted(known)}")
        yield f"{where}: unknown key {key} (value {entry[key]!r}); {hint}"


def _hint(name: str, known: Mapping[str, Any], otherwise: str) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    return f"did you mean {near[0]}?" if near else otherwise


def _is_numeral(value: Any) -> bool:
    if not isinstance(value, str):
        return False
    try:
        float(value)
    except ValueError:
        return False
    return True


def inconsistencies(config: Mapping[str, Any]) -> list[str]:
    """What a schema cannot say of a config that fits it.

    Parameters
    ----------
    config : mapping
        The config.

    Returns
    -------
    list of str
        A line for each fault.
    """
    messages = [*_not_finite(config, ()), *_selections(config)]
    # The rest computes with the numbers.
    return messages or [
        *_grids(config),
        *_datasets(config),
        *_conditions(config),
        *_tuned_methods(config),
        *_readings(config),
        *_linear(config["linear"]["criteria"]),
        *_curves(config.get("linear-contamination", {})),
    ]


def _conditions(config: Mapping[str, Any]) -> Iterator[str]:
    for name, condition in config.get("contamination", {}).get("conditions", {}).items():
        size = condition.get("size", (0, 0))
        if size[0] > size[1]:
            where = f"contamination.conditions.{name}.size"
            yield f"{where}: value {size}; expected the smallest distance first"


def _curves(settings: Mapping[str, Any]) -> Iterator[str]:
    if not settings:
        return
    try:
        ContaminatedSystem.of(settings["system"])
    except ValueError as error:
        # Nearly every curve would say the same.
        yield f"linear-contamination.system: {error}"
        return
    for name, curve in settings["curves"].items():
        where = f"linear-contamination.curves.{name}"
        if curve["values"] != sorted(set(curve["values"])):
            yield f"{where}.values: value {curve['values']}; expected ascending, distinct numbers"
        for value, system in zip(
            curve["values"], systems_of(settings["system"], curve), strict=True
        ):
            try:
                ContaminatedSystem.of(system)
            except ValueError as error:
                yield f"{where}: {curve['varies']} {value}: {error}"
                break
    for name, entry in settings["methods"].items():
        where, method = f"linear-contamination.methods.{name}", method_of(entry, None)
        faults = _method(where, method)
        yield from faults
        if not faults and not _is_one_point(method):
            yield f"{where}: several grid points; expected one value of each parameter"


def _is_one_point(method: Method) -> bool:
    if isinstance(method, RegressorMethod):
        return not method.grid
    return len(method.lam) == 1 and all(len(values) == 1 for values in method.grid.values())


def _readings(config: Mapping[str, Any]) -> Iterator[str]:
    settings, data = config.get("ambiguity", {}), config["datasets"]
    for name, reading in settings.get("readings", {}).items():
        where = f"ambiguity.readings.{name}"
        methods = reading.get("methods", {})
        low, high = reading.get("biases", (0, 1))
        if low >= high:
            yield f"{where}.biases: value {[low, high]}; expected the smaller number first"
        yield from _among(f"{where}.methods", methods, settings["methods"])
        for key, entry in (("", reading), *((f".methods.{m}", e) for m, e in methods.items())):
            yield from _among(f"{where}{key}.datasets", entry.get("datasets", ()), data)
        for method in methods.keys() & settings["methods"].keys():
            entry = settings["methods"][method]
            foreign = methods[method].keys() - entry.keys() - {"datasets", "lam", "intercept"}
            if foreign:
                yield (
                    f"{where}.methods.{method}: keys {sorted(foreign)}; expected some of"
                    f" {entry['criterion']}"
                )
                continue
            changed = changed_method(entry, reading, method)
            yield from _method(f"{where}.methods.{method}", method_of(changed, [1.0]))
        if "data" in reading:
            for dataset in data.keys() & set(reading.get("datasets", data)):
                spec = DatasetSpec.of({**data[dataset], **reading["data"]})
                yield from (f"{where}.data: {dataset}: {p}" for p in spec.problems())


def _among(where: str, names: Iterable[str], known: Mapping[str, Any]) -> Iterator[str]:
    for name in names:
        if name not in known:
            hint = _hint(name, known, f"expected some of {list(known)}")
            yield f"{where}: value {name!r}; {hint}"


def _tuned_methods(config: Mapping[str, Any]) -> Iterator[str]:
    for experiment in ("elm", "contamination", "ambiguity"):
        methods = config.get(experiment, {}).get("methods", {})
        for name, entry in methods.items():
            where = f"{experiment}.methods.{name}"
            if experiment == "elm":
                yield from _several(where, entry)
            method = method_of(entry, config["elm"]["lam"])
            if isinstance(method, JudgedMethod) and not method.ways:
                yield f"{where}.combine: value 'mean'; expected best with the score median"
            yield from _method(where, method)


def _several(where: str, entry: Mapping[str, Any]) -> Iterator[str]:
    for part in Parts._fields:
        if len(listed(entry.get(part))) > 1:
            yield f"{where}.{part}: value {entry[part]}; expected one value, as a run is one row"


def _not_finite(value: Any, path: tuple[str, ...]) -> Iterator[str]:
    if isinstance(value, float) and not math.isfinite(value):
        yield f"{'.'.join(path)}: value {value}; expected a finite number"
    elif isinstance(value, Mapping):
        for key, part in value.items():
            yield from _not_finite(part, (*path, str(key)))
    elif isinstance(value, list):
        for i, part in enumerate(value):
            yield from _not_finite(part, (*path, str(i)))


def _selections(config: Mapping[str, Any]) -> Iterator[str]:
    known: dict[str, Mapping[str, Any]] = {
        "experiments": EXPERIMENTS,
        "cases": config["linear"]["cases"],
        "criteria": config["linear"]["criteria"],
        "datasets": config["datasets"],
        "methods": {
            **config["elm"]["methods"],
            **config.get("contamination", {}).get("methods", {}),
            **config.get("linear-contamination", {}).get("methods", {}),
            **config.get("ambiguity", {}).get("methods", {}),
        },
    }
    for kind, names in known.items():
        yield from _among(f"only_{kind}", selection(config.get(f"only_{kind}")) or (), names)


def _grids(config: Mapping[str, Any]) -> Iterator[str]:
    grids: dict[str, Any] = {"elm.lam": config["elm"]["lam"]}
    grids["elm.n_hidden"] = config["elm"]["n_hidden"]
    spoilt, ambiguity = config.get("contamination", {}), config.get("ambiguity", {})
    readings = {f"ambiguity.readings.{n}": r for n, r in ambiguity.get("readings", {}).items()}
    for path, settings in {"contamination": spoilt, "ambiguity": ambiguity, **readings}.items():
        grids |= {f"{path}.{key}": settings[key] for key in ("lam", "n_hidden") if key in settings}
    for path, entries in (
        ("linear.criteria", config["linear"]["criteria"]),
        ("elm.methods", config["elm"]["methods"]),
        ("contamination.methods", spoilt.get("methods", {})),
        (
            "linear-contamination.methods",
            config.get("linear-contamination", {}).get("methods", {}),
        ),
        ("ambiguity.methods", ambiguity.get("methods", {})),
        *((f"{path}.methods", reading.get("methods", {})) for path, reading in readings.items()),
    ):
        for name, entry in entries.items():
            grids |= {f"{path}.{name}.{key}": entry[key] for key in _GRIDS if key in entry}
            if "criterion" in entry:
                inner = entry.get("grid", {}).items()
                grids |= {f"{path}.{name}.grid.{key}": values for key, values in inner}
    for path, grid in grids.items():
        if isinstance(grid, str):
            continue
        if is_grid(grid) and not spans(grid):
            yield f"{path}: value {dict(grid)}; expected a stop that whole steps from start lead to"
            continue
        values = expanded(grid)
        if list(values) != sorted(set(values)):
            yield f"{path}: value {list(values)}; expected ascending, distinct numbers"


def _datasets(config: Mapping[str, Any]) -> Iterator[str]:
    folds = config["elm"]["folds"]
    for name, entry in config["datasets"].items():
        data = DatasetSpec.of(entry)
        yield from (f"datasets.{name}: {problem}" for problem in data.problems())
        if data.n_train is not None and folds > data.n_train:
            yield (
                f"elm.folds: value {folds}; expected at most the {data.n_train} training rows of"
                f" {name}"
            )
        if data.sklearn is not None:
            yield from _sklearn_name(f"datasets.{name}.sklearn", data.sklearn)


def _sklearn_name(where: str, name: str) -> Iterator[str]:
    # Imported here: few configs have such a dataset.
    from inspect import signature

    import sklearn.datasets as sources

    loader = getattr(sources, f"load_{name}", getattr(sources, f"fetch_{name}", None))
    if loader is None or "as_frame" not in signature(loader).parameters:
        yield (
            f"{where}: value {name!r}; expected the name of a table of scikit-learn's after load_"
            " or fetch_, such as diabetes"
        )


def _method(where: str, method: Method) -> list[str]:
    if isinstance(method, CriterionMethod):
        return _criterion(where, method)
    return _regressor(where, method)


def _criterion(where: str, method: CriterionMethod) -> list[str]:
    limits = CRITERIA[method.criterion].limits
    if set(method.grid) != set(limits):
        return [f"{where}.grid: keys {sorted(method.grid)}; expected {sorted(limits)}"]
    return [
        f"{where}.grid.{name}: value {value}; expected {limits[name].description}"
        for name, values in method.grid.items()
        for value in values
        if value not in limits[name]
    ]


def _linear(criteria: Mapping[str, Any]) -> Iterator[str]:
    for name, entry in criteria.items():
        where, method = f"linear.criteria.{name}", method_of(entry, entry["lam"])
        yield from _method(where, method)
        kappa = method.grid.get("kappa", ())
        if len(kappa) > 1:
            yield f"{where}.grid.kappa: value {list(kappa)}; expected one value"


def _regressor(where: str, method: RegressorMethod) -> list[str]:
    # Imported here: most configs have no such method, and this loads scikit-learn.
    from mccvc.study.regressors import regressor

    try:
        known = regressor(method).get_params()
    except ValueError as error:
        return [f"{where}: {error}"]
    return [
        f"{where}.grid: {' '.join(method.estimator)} has no parameter {name}"
        for name in method.grid
        if name not in known
    ]
