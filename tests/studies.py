"""Resolved studies made up for tests: entries with the default config's meanings, by name."""

import yaml
from paths import ROOT

from mccvc.study.config import Study
from mccvc.study.plan import ResolvedStudy

CONFIG = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))
SCHEMA = ROOT / "workflow/schemas/config.schema.yaml"


def resolved(
    cases=("case2",),
    criteria=("mmse", "mcc", "mcc-vc", "mcc-intercept"),
    datasets=("servo",),
    methods=("relm", "elm-rcc", "elm-mcc-vc"),
    runs=2,
) -> ResolvedStudy:
    """A study of some entries of the default config."""
    only = {"cases": cases, "criteria": criteria, "datasets": datasets, "methods": methods}
    selected = {f"only_{kind}": list(names) for kind, names in only.items()}
    return Study(CONFIG | selected | {"runs": runs}, SCHEMA).resolved
