"""The config: files merged, checked against the schema, and turned into a study."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import jsonschema
import yaml
from msgspec.structs import replace

from mccvc.datasets.spec import DatasetSpec
from mccvc.study.ambiguity import DECISIONS, AmbiguitySpec
from mccvc.study.checks import describe, inconsistencies
from mccvc.study.contamination import ContaminationSpec
from mccvc.study.digests import code_digest
from mccvc.study.elm import ElmSpec
from mccvc.study.entries import applies, changed_method, method_of, selection, systems_of
from mccvc.study.experiments import EXPERIMENTS
from mccvc.study.grids import is_grid
from mccvc.study.linear import LinearSpec, LinearSystem
from mccvc.study.linear_contamination import (
    LINEAR_CONTAMINATION,
    ContaminatedSystem,
    CurveSpec,
)
from mccvc.study.methods import code_entries
from mccvc.study.plan import MIN_RUNS, ExperimentPlan, ResolvedStudy
from mccvc.study.shards import blocks_of
from mccvc.study.specs import CriterionMethod, Experiment, JudgedMethod, Method, RunSpec

# Claims look at this many times the runs of the tables at most.
_CLAIM_FACTOR = 10


class ConfigError(ValueError):
    """Everything that is wrong with a config, one line each."""


def merged(configs: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """One config of several: mappings are joined, anything else, and each grid, is replaced whole.

    Parameters
    ----------
    configs : iterable of mapping
        Configs, later ones first in rank.

    Returns
    -------
    dict
    """
    whole: dict[str, Any] = {}
    for config in configs:
        for key, value in config.items():
            below = whole.get(key)
            joins = isinstance(value, Mapping) and isinstance(below, Mapping)
            if joins and not is_grid(value) and not is_grid(below):
                whole[key] = merged([below or {}, value])
            else:
                whole[key] = value
    return whole


def read_config(paths: Iterable[str | Path], changes: Mapping[str, Any] | None = None) -> Any:
    """The config of several files and changes from the command line.

    Raises
    ------
    ConfigError
        Naming the file that is not there or is no YAML.
    """
    configs: list[Mapping[str, Any]] = []
    for path in paths:
        try:
            configs.append(yaml.safe_load(Path(path).read_text(encoding="utf-8")) or {})
        except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
            reason = " ".join(str(error).split())
            raise ConfigError(f"{path}: not readable as YAML: {reason}") from error
        if not isinstance(configs[-1], dict):
            raise ConfigError(f"{path}: value {configs[-1]!r}; expected keys and values")
    return merged([*configs, changes or {}])


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

    def __init__(self, config: Mapping[str, Any], schema_path: str | Path) -> None:
        schema = yaml.safe_load(Path(schema_path).read_text(encoding="utf-8"))
        validator = jsonschema.Draft202012Validator(schema)
        errors = sorted(validator.iter_errors(config), key=lambda e: list(map(str, e.path)))
        messages = [describe(error) for error in errors] or inconsistencies(config)
        if messages:
            raise ConfigError("\n".join(dict.fromkeys(messages)))
        self.config = config

    @cached_property
    def resolved(self) -> ResolvedStudy:
        """The study with nothing left to resolve."""
        plans = [self._linear(), self._elm()]
        if "contamination" in self.config:
            plans.append(self._contamination())
        if LINEAR_CONTAMINATION.name in self.config:
            plans.append(self._linear_contamination())
        if "ambiguity" in self.config:
            plans.append(self._ambiguity())
        return ResolvedStudy(experiments=tuple(plans))

    def _linear(self) -> ExperimentPlan:
        linear = self.config["linear"]
        specs = [
            self.linear_spec(case, criterion)
            for case in self._chosen("cases", linear["cases"])
            for criterion in self._chosen("criteria", linear["criteria"])
        ]
        runs = self._runs("linear")
        claim_runs = min(linear.get("claim_runs", 0), _CLAIM_FACTOR * runs)
        claim_runs *= runs >= MIN_RUNS
        size = _CLAIM_FACTOR * self.config["runs_per_shard"]
        return self._plan(
            "linear",
            specs,
            claim_blocks=tuple(blocks_of(runs, claim_runs, size)),
            claim_specs=tuple(replace(spec, together=True) for spec in specs),
            labels=_labels(linear["cases"], linear["criteria"]),
            titles={spec.problem: spec.system.noise.title for spec in specs},
        )

    def _elm(self) -> ExperimentPlan:
        elm, data = self.config["elm"], self.config["datasets"]
        specs = [
            self.elm_spec(dataset, method)
            for dataset in self._chosen("datasets", data)
            for method in self._chosen("methods", elm["methods"])
        ]
        return self._plan(
            "elm",
            specs,
            labels=_labels(data, elm["methods"]),
            titles={name: data[name]["title"] for name in data if "title" in data[name]},
        )

    def _contamination(self) -> ExperimentPlan:
        settings, data = self.config["contamination"], self.config["datasets"]
        specs = [
            self.contamination_spec(dataset, condition, method)
            for dataset in self._chosen("datasets", data)
            for condition in settings["conditions"]
            for method in self._chosen("methods", settings["methods"])
        ]
        return self._plan("contamination", specs, labels=_labels(data, settings["methods"]))

    def _linear_contamination(self) -> ExperimentPlan:
        settings = self.config[LINEAR_CONTAMINATION.name]
        specs = [
            self.curve_spec(curve, method)
            for curve in settings["curves"]
            for method in self._chosen("methods", settings["methods"])
        ]
        labels = _labels(settings["curves"], settings["methods"])
        return self._plan(LINEAR_CONTAMINATION.name, specs, labels=labels)

    def _ambiguity(self) -> ExperimentPlan:
        settings, data = self.config["ambiguity"], self.config["datasets"]
        specs = [
            self.ambiguity_spec(dataset, name, method)
            for dataset in self._chosen("datasets", data)
            for name, reading in settings["readings"].items()
            for method in self._chosen("methods", settings["methods"])
            if applies(reading, dataset, method)
        ]
        labels = _labels(data, settings["methods"], settings["readings"])
        return self._plan("ambiguity", specs, labels=labels)

    def _plan(self, name: str, specs: Sequence[RunSpec], **others: Any) -> ExperimentPlan:
        if name not in self._chosen("experiments", EXPERIMENTS):
            specs, others = [], others | {"claim_specs": ()}
        fits = {spec.method: spec.fit for spec in specs}
        return ExperimentPlan(
            name=name,
            runs=self._runs(name),
            blocks=tuple(blocks_of(0, self._runs(name), self.config["runs_per_shard"])),
            specs=tuple(specs),
            code={method: method_code(EXPERIMENTS[name], fits[method]) for method in fits},
            **others,
        )

    def _runs(self, experiment: str) -> int:
        return self.config[experiment].get("runs", self.config["runs"])

    def _chosen(self, kind: str, names: Iterable[str]) -> list[str]:
        """Those of some names that `only_...` leaves."""
        only = selection(self.config.get(f"only_{kind}"))
        return [name for name in names if only is None or name in only]

    def dataset_spec(self, name: str) -> DatasetSpec:
        """Where a dataset comes from, and how it is read."""
        return DatasetSpec.of(self._tables[name])

    @cached_property
    def _tables(self) -> dict[str, dict[str, Any]]:
        """Entries of the datasets, and of those that a reading reads in another way."""
        data = self.config["datasets"]
        own = {
            f"{dataset}--{name}": {**data[dataset], **reading["data"]}
            for name, reading in self.config.get("ambiguity", {}).get("readings", {}).items()
            if "data" in reading
            for dataset in reading.get("datasets", data)
        }
        return {**data, **own}

    def linear_spec(self, case: str, criterion: str) -> LinearSpec:
        """What a row of the linear experiment depends on."""
        linear = self.config["linear"]
        noise = {k: v for k, v in linear["cases"][case].items() if k != "label"}
        fit = method_of(linear["criteria"][criterion], None)
        assert isinstance(fit, CriterionMethod)
        return LinearSpec(
            seed=self.config["seed"],
            problem=case,
            method=criterion,
            fit=fit,
            max_iter=linear["max_iter"],
            tol=float(linear["tol"]),
            system=LinearSystem.of(linear["system"] | {"noise": noise}),
        )

    def elm_spec(self, dataset: str, method: str) -> ElmSpec:
        """What a row of the ELM experiment depends on."""
        entry = self.config["elm"]["methods"][method]
        return ElmSpec(problem=dataset, method=method, **self._tuning(dataset, entry, {}))

    def contamination_spec(self, dataset: str, condition: str, method: str) -> ContaminationSpec:
        """What a row of the contamination experiment depends on."""
        settings = self.config["contamination"]
        # As JSON gives them back: whole numbers would make another digest.
        said = settings["conditions"][condition]
        said = said | {"share": float(said["share"])}
        if "size" in said:
            said["size"] = tuple(map(float, said["size"]))
        return ContaminationSpec(
            problem=f"{dataset}--{condition}",
            method=method,
            source=dataset,
            **said,
            **self._tuning(dataset, settings["methods"][method], settings),
        )

    def curve_spec(self, curve: str, method: str) -> CurveSpec:
        """What a row of the linear contamination experiment depends on."""
        settings = self.config[LINEAR_CONTAMINATION.name]
        fit = method_of(settings["methods"][method], None)
        assert not isinstance(fit, JudgedMethod)
        entry = settings["curves"][curve]
        return CurveSpec(
            seed=self.config["seed"],
            problem=curve,
            method=method,
            fit=fit,
            max_iter=settings["max_iter"],
            tol=float(settings["tol"]),
            at=tuple(map(float, entry["values"])),
            systems=tuple(map(ContaminatedSystem.of, systems_of(settings["system"], entry))),
        )

    def ambiguity_spec(self, dataset: str, name: str, method: str) -> AmbiguitySpec:
        """What a row of the ambiguity experiment depends on."""
        settings = self.config["ambiguity"]
        reading, problem = settings["readings"][name], f"{dataset}--{name}"
        table = problem if "data" in reading else dataset
        entry = changed_method(settings["methods"][method], reading, method)
        names = {"problem": problem, "method": method, "source": dataset, "reading": name}
        return AmbiguitySpec.of(
            {
                **names,
                **{key: reading[key] for key in DECISIONS if key in reading},
                **self._tuning(table, entry, {**settings, **reading}),
                "own_table": table != dataset,
            }
        )

    def _tuning(
        self, dataset: str, entry: Mapping[str, Any], settings: Mapping[str, Any]
    ) -> dict[str, Any]:
        """What specifications of tuned methods share; `settings` go before those of the ELMs."""
        elm, data = {**self.config["elm"], **settings}, self.dataset_spec(dataset)
        return {
            "seed": self.config["seed"],
            "fit": method_of(entry, elm["lam"]),
            "max_iter": elm["max_iter"],
            "tol": float(elm["tol"]),
            "values": data.digest,
            "n_train": data.n_train,
            "n_test": data.n_test,
            "n_hidden": tuple(elm["n_hidden"]),
            "folds": elm["folds"],
            "racing": elm.get("search") == "racing",
            "duplicates_together": data.duplicates == "together",
        }


def method_code(experiment: Experiment, fit: Method) -> str:
    """Digest of the code behind the rows of a method.

    Parameters
    ----------
    experiment : Experiment
        What a run is.
    fit : CriterionMethod or RegressorMethod
        The method.

    Returns
    -------
    str
    """
    rows = experiment.rows
    roots = [f"{rows.__module__}:{rows.__name__}", "mccvc.study.job:rows_of_runs"]
    return code_digest(roots, code_entries(fit))


def command_code(command: str, files: Iterable[str] = (), methods: Iterable[Method] = ()) -> str:
    """Digest of the code that a command of the workflow reaches, but for that behind the rows.

    Parameters
    ----------
    command : str
        Name of the command.
    files : iterable of str
        Files of the package that it reads, as ``package/path``.
    methods : iterable of CriterionMethod or RegressorMethod
        Methods that it computes with.

    Returns
    -------
    str
    """
    entries: dict[str, list[str]] = {"mccvc.study.experiments:EXPERIMENTS": []}
    for method in methods:
        for table, own in code_entries(method).items():
            entries.setdefault(table, []).extend(own)
    return code_digest([f"mccvc.cli:{command}", *files], entries)


def _labels(*entries: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    return {n: e["label"] for group in entries for n, e in group.items() if "label" in e}
