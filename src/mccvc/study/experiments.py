"""The experiments by name; a new kind is a module beside these and an entry here."""

from typing import Any, Union

from mccvc.study.ambiguity import AMBIGUITY
from mccvc.study.contamination import CONTAMINATION
from mccvc.study.elm import ELM
from mccvc.study.linear import LINEAR
from mccvc.study.linear_contamination import LINEAR_CONTAMINATION
from mccvc.study.specs import Experiment

EXPERIMENTS: dict[str, Experiment] = {
    kind.name: kind for kind in (LINEAR, ELM, CONTAMINATION, LINEAR_CONTAMINATION, AMBIGUITY)
}
# Any of their specifications, told apart by its tag.
AnySpec: Any = Union[tuple(kind.spec for kind in EXPERIMENTS.values())]  # noqa: UP007
