"""Concrete's training half and the default grids, as the study uses them."""

from pathlib import Path

import yaml

from mccvc.datasets.fetch import fetch
from mccvc.datasets.normalize import normalize_file
from mccvc.study.config import Study
from mccvc.study.elm import split_of
from mccvc.study.shards import read_normalized

ROOT = Path(__file__).parents[1]


def default_study():
    """The study of config.yaml."""
    config = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))
    return Study(config, ROOT / "workflow/schemas/config.schema.yaml")


def normalized(study, dataset, directory):
    """Inputs and target of a dataset, from its bundled copy."""
    data = study.dataset_spec(dataset)
    raw, table = Path(directory, "raw"), Path(directory, "table.parquet")
    mirror = str(ROOT / "data/bundled")
    fetch(dataset, data, bundled_dir=mirror, raw_path=raw, mirror=mirror, timeout=1.0)
    normalize_file(dataset, data, raw, table)
    return read_normalized(table)


def training_half(study, dataset, method, directory):
    """Inputs, target and folds of run 0."""
    spec = study.elm_spec(dataset, method)
    inputs, target = normalized(study, dataset, directory)
    split = split_of(spec, 0, inputs, target)
    return inputs[split.train], target[split.train], split.folds
