"""Digests of what a result depends on: its specification and the code that computes it."""

import ast
import hashlib
import json
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from mccvc.further_criteria import CRITERIA

_ESTIMATION = ("mccvc.blocks", "mccvc.solver")
_PROTOCOL = ("mccvc.study.protocol", "mccvc.study.seeds")
_LINEAR = (*_ESTIMATION, *_PROTOCOL, "mccvc.study.synthetic")
_CRITERIA = {
    "mmse": ("mccvc.criteria:MMSE",),
    "mcc": ("mccvc.criteria:MCC",),
    "mcc-vc": ("mccvc.criteria:MCCVC", "mccvc.correntropy"),
}

_EVIDENCE = ("mccvc.report.evidence", "mccvc.report.statistics", "mccvc.report.tables")

# The modules whose code decides what each kind of job writes; of module:Class only what
# the class uses.
MODULES = {
    "fetch": ("mccvc.study.datasets", "mccvc.study.parsing"),
    "normalize": ("mccvc.study.datasets", "mccvc.study.parsing"),
    "provenance": ("mccvc.study.provenance",),
    "tables": ("mccvc.report.tables",),
    "traces": (
        *_LINEAR,
        *("mccvc.criteria", "mccvc.correntropy"),
        *("mccvc.report.densities", "mccvc.report.traces"),
    ),
    "evidence": (*_EVIDENCE, "mccvc.report.claims"),
    "figures": (*_EVIDENCE, "mccvc.report.plots"),
    "page": (*_EVIDENCE, "mccvc.report.claims", "mccvc.report.page"),
}


def linear_modules(method):
    """Modules whose code decides the rows of a criterion of the linear study."""
    return *_LINEAR, *_CRITERIA[method["criterion"]]


def elm_modules(fit):
    """Modules whose code decides the rows of a method of the ELM study."""
    if "estimator" in fit:
        return *_PROTOCOL, "mccvc.hidden", "mccvc.study.external"
    criterion = fit["criterion"]
    if criterion in CRITERIA:
        own = ("mccvc.reweighting", f"mccvc.further_criteria:{CRITERIA[criterion].__name__}")
    else:
        own = _CRITERIA[criterion]
    return *_ESTIMATION, *_PROTOCOL, "mccvc.hidden", "mccvc.lip", "mccvc.search", *own


def canonical(value):
    """One text for equal values: JSON with sorted keys and no blanks."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def digest(text):
    """First 16 hexadecimal digits of the SHA-256 of a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _source(module):
    spec = find_spec(module)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(module)
    return Path(spec.origin)


def code_digest(modules):
    """Digest of code; comments, layout and docstrings do not count.

    Parameters
    ----------
    modules : sequence of str
        Names of modules, or ``module:Class`` for that class and what it uses of its module.

    Returns
    -------
    str
        16 hexadecimal digits.
    """
    texts = (_source(name.partition(":")[0]).read_text(encoding="utf-8") for name in modules)
    return digest("\n".join(map(_code, texts, (name.partition(":")[2] for name in modules))))


@cache
def _code(text, kept):
    """The code of a module, or of what a class of it uses."""
    tree = ast.parse(text)
    if kept:
        tree.body = _used_by(kept, tree.body)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(
            node, clean=False
        ):
            node.body = node.body[1:]
    return ast.dump(tree)


def _used_by(name, body):
    """The statements of a module that define a name and, in turn, the names that it uses."""
    defined = {name: node for node in body for name in _names_of(node)}
    used, left = set(), [name]
    while left:
        node = defined.get(left.pop())
        if node is not None and node not in used:
            used.add(node)
            left += [part.id for part in ast.walk(node) if isinstance(part, ast.Name)]
    return [node for node in body if node in used]


def _names_of(node):
    if isinstance(node, ast.ClassDef | ast.FunctionDef):
        return [node.name]
    if isinstance(node, ast.Import | ast.ImportFrom):
        return [(alias.asname or alias.name).partition(".")[0] for alias in node.names]
    if isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        return [part.id for target in targets for part in ast.walk(target) if hasattr(part, "id")]
    return []
