"""The config: checked against its schema, then turned into specifications of jobs."""

import difflib
from functools import cached_property
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import yaml

from mccvc.criteria.registry import CRITERIA
from mccvc.study.digests import canonical, code_digest, digest
from mccvc.study.shards import block_name, shard_path


class ConfigError(ValueError):
    """Everything that is wrong with a config, one line each."""


class Study:
    """A checked config, and what its jobs are given.

    Parameters
    ----------
    config : dict
        The config as read from YAML, with changes from the command line.
    schema_path : path-like
        The JSON schema, in YAML.

    Raises
    ------
    ConfigError
        Naming each unknown or wrong key, its value and what was expected.
    """

    def __init__(self, config, schema_path):
        schema = yaml.safe_load(Path(schema_path).read_text(encoding="utf-8"))
        validator = jsonschema.Draft202012Validator(schema)
        errors = sorted(validator.iter_errors(config), key=lambda e: list(map(str, e.path)))
        messages = [_describe(error) for error in errors]
        messages = messages or _inconsistencies(config)
        if messages:
            raise ConfigError("\n".join(messages))
        self.config = config
        self.cases = list(config["linear"]["cases"])
        self.criteria = list(config["linear"]["criteria"])
        self.datasets = list(config["datasets"])
        self.methods = list(config["elm"]["methods"])

    @property
    def blocks(self):
        """Names of the blocks of runs."""
        runs, size = self.config["runs"], self.config["runs_per_shard"]
        return [block_name(i, min(i + size, runs) - 1) for i in range(0, runs, size)]

    def dataset_spec(self, name):
        """What fetching and normalizing a dataset depend on."""
        entry = self.config["datasets"][name]
        return {key: value for key, value in entry.items() if key not in _CITED}

    def linear_spec(self, case, criterion):
        """What a row of the linear study depends on."""
        linear = self.config["linear"]
        return {
            "seed": self.config["seed"],
            "case": case,
            "criterion": criterion,
            "system": linear["system"] | {"noise": linear["cases"][case]},
            "method": _expand(linear["criteria"][criterion]),
            "max_iter": linear["max_iter"],
            "tol": linear["tol"],
        }

    def elm_spec(self, dataset, method):
        """What a row of the ELM study depends on."""
        elm, data = self.config["elm"], self.config["datasets"][dataset]
        return {
            "seed": self.config["seed"],
            "dataset": dataset,
            "method": method,
            "values": data.get("digest"),
            "n_train": data.get("n_train"),
            "n_test": data.get("n_test"),
            "n_hidden": elm["n_hidden"],
            "folds": elm["folds"],
            "fit": _fit_spec(elm, method),
            "max_iter": elm["max_iter"],
            "tol": elm["tol"],
            **({"duplicates": "together"} if data.get("duplicates") == "together" else {}),
        }

    @cached_property
    def code(self):
        """Digest of the code behind each criterion of the linear study and each ELM method."""
        linear, elm = self.config["linear"]["criteria"], self.config["elm"]["methods"]
        return {
            "linear": {k: method_code("mccvc.study.linear:linear_rows", linear[k]) for k in linear},
            "elm": {k: method_code("mccvc.study.elm:elm_row", elm[k]) for k in elm},
        }

    def report_spec(self):
        """What tables, figures and the report page depend on, beside the rows."""
        config = self.config
        return {
            "runs": config["runs"],
            "blocks": self.blocks,
            "code": self.code,
            "linear": [self.linear_spec(c, k) for c in self.cases for k in self.criteria],
            "elm": [self.elm_spec(d, m) for d in self.datasets for m in self.methods],
            "titles": {
                **{name: config["datasets"][name].get("title", name) for name in self.datasets},
                **{name: _noise_title(config["linear"]["cases"][name]) for name in self.cases},
            },
        }


def method_code(root, method):
    """Digest of the code behind the rows of a method.

    Parameters
    ----------
    root : str
        ``module:function`` of the experiment's run.
    method : dict
        Entry of the config.

    Returns
    -------
    str
    """
    if "estimator" in method:
        from mccvc.study.regressors import home

        steps = method["estimator"]
        own = [home(path) for path in ([steps] if isinstance(steps, str) else steps)]
    else:
        kind = CRITERIA[method["criterion"]]
        own = [f"{kind.__module__}:{kind.__name__}"]
    return code_digest([root, *own], {"mccvc.criteria.registry:CRITERIA"})


def expected_shards(study, runs):
    """Paths and specifications of all shards of a resolved study.

    Parameters
    ----------
    study : dict
        Result of :meth:`Study.report_spec`.
    runs : path-like
        Directory of the shards.

    Yields
    ------
    path : str
    spec : dict
    """
    for kind, group, method in (("linear", "case", "criterion"), ("elm", "dataset", "method")):
        for spec in study[kind]:
            for block in study["blocks"]:
                yield shard_path(runs, kind, spec[group], spec[method], block), spec


def spec_digest(spec):
    """Digest of a specification, as kept in every row."""
    return digest(canonical(spec))


def expand_grid(grid):
    """Values of a grid: a list as it is, or start, stop and step or factor.

    Parameters
    ----------
    grid : list, or dict with ``start``, ``stop`` and ``step`` or ``factor``
        `stop` is included.

    Returns
    -------
    list of float
    """
    if isinstance(grid, list):
        return [float(value) for value in grid]
    start, stop = grid["start"], grid["stop"]
    if "step" in grid:
        count = round((stop - start) / grid["step"]) + 1
        return [round(start + i * grid["step"], 12) for i in range(count)]
    count = round(np.log(stop / start) / np.log(grid["factor"])) + 1
    return [float(start * float(grid["factor"]) ** i) for i in range(count)]


# Criteria whose lists are keys of their own.
_PAPER = ("mmse", "mcc", "mcc-vc")
# Keys of a dataset that only what is printed depends on.
_CITED = ("title", "authors", "year", "doi", "licence")


def _fit_spec(elm, method):
    entry = elm["methods"][method]
    if "estimator" in entry:
        return {"parameters": {}, "grid": {}, "features": "hidden"} | entry
    grid: dict[str, Any] = {} if entry["criterion"] in _PAPER else {"grid": {}}
    return _expand({"lam": elm["lam"]} | grid | entry)


def _expand(method):
    def expanded(key, value):
        if key == "grid" and "criterion" in method:
            return {name: expand_grid(values) for name, values in value.items()}
        if key in ("lam", "sigma", "widths", "centers") and not isinstance(value, str):
            return expand_grid(value)
        return value

    return {key: expanded(key, value) for key, value in method.items()}


def _describe(error):
    """One line for a schema violation: key, value, what was expected."""
    where = ".".join(map(str, error.absolute_path)) or "top level"
    if error.validator == "additionalProperties":
        known = error.schema.get("properties", {})
        lines = []
        for key in sorted(set(error.instance) - set(known)):
            near = difflib.get_close_matches(key, known, n=1)
            hint = f"did you mean {near[0]}?" if near else f"expected one of {sorted(known)}"
            lines.append(f"{where}: unknown key {key} (value {error.instance[key]!r}); {hint}")
        return "\n".join(lines)
    if error.validator == "required":
        return f"{where}: {error.message.replace('is a required property', 'is missing')}"
    if error.validator == "dependentRequired":
        return f"{where}: {error.message.replace('is a dependency of', 'is missing; it goes with')}"
    expected = error.schema.get("description", error.message)
    if isinstance(error.instance, dict) and error.validator == "anyOf":
        return f"{where}: keys {sorted(error.instance)}; expected {expected}"
    hint = ""
    if isinstance(error.instance, str) and _is_number(error.instance):
        hint = f"; YAML reads {error.instance} as text, write {float(error.instance):.1e}"
    return f"{where}: value {error.instance!r}; expected {expected}{hint}"


def _is_number(text):
    try:
        float(text)
    except ValueError:
        return False
    return True


def _inconsistencies(config):
    """What a schema cannot say: entries that must fit each other."""
    messages = []
    for name, data in config["datasets"].items():
        where = f"datasets.{name}"
        columns = data.get("columns")
        named = [data["target"], *data.get("drop", []), *data.get("ordinal", {})]
        messages += [
            f"{where}: column {column!r} is not among columns {columns}"
            for column in [*named, *data.get("one_hot", [])]
            if columns is not None and column not in columns
        ]
        if config["elm"]["folds"] > data.get("n_train", np.inf):
            messages.append(
                f"elm.folds: value {config['elm']['folds']}; expected at most the "
                f"{data['n_train']} training rows of {name}"
            )
    for name, method in config["elm"]["methods"].items():
        problems = _problems_of if "estimator" in method else _problems_of_grid
        messages += problems(method, f"elm.methods.{name}")
    for path, method in (
        *((f"linear.criteria.{k}", v) for k, v in config["linear"]["criteria"].items()),
        *((f"elm.methods.{k}", v) for k, v in config["elm"]["methods"].items()),
    ):
        lists = _expand(method)
        grid: dict[str, list[float]] = lists.pop("grid", {}) if "criterion" in method else {}
        lists |= {f"grid.{key}": values for key, values in grid.items()}
        for key, values in lists.items():
            if isinstance(values, list) and values != sorted(set(values)):
                messages.append(
                    f"{path}.{key}: value {values}; expected ascending, distinct numbers"
                )
    return messages


def _problems_of_grid(method, where):
    if method["criterion"] in _PAPER:
        return []
    limits, grid = CRITERIA[method["criterion"]].limits, method.get("grid", {})
    if set(grid) != set(limits):
        return [f"{where}.grid: keys {sorted(grid)}; expected {sorted(limits)}"]
    return [
        f"{where}.grid.{name}: value {value}; expected {limits[name].description}"
        for name, values in grid.items()
        for value in expand_grid(values)
        if value not in limits[name]
    ]


def _problems_of(method, where):
    # Imported here: most configs have no such method, and this loads scikit-learn.
    from mccvc.study.regressors import regressor

    try:
        known = regressor(method["estimator"], method.get("parameters", {})).get_params()
    except ValueError as error:
        return [f"{where}: {error}"]
    return [
        f"{where}.grid: {method['estimator']} has no parameter {name}"
        for name in method.get("grid", {})
        if name not in known
    ]


def _noise_title(noise):
    if noise["family"] == "chi-square":
        return f"Chi-square, {noise['dof']} degrees of freedom"
    return f"{noise['family'].capitalize()}, mean {noise['mean']}, variance {noise['variance']}"
