"""Digests of what a result depends on: its specification and the code that computes it."""

import ast
import hashlib
import json
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

from mccvc.further_criteria import CRITERIA

_ESTIMATION = ("mccvc.blocks", "mccvc.solver")
_PROTOCOL = ("mccvc.study.protocol", "mccvc.study.seeds")
_LINEAR = (*_ESTIMATION, *_PROTOCOL, "mccvc.study.synthetic")
_CRITERIA: dict[str, tuple[str, ...]] = {
    "mmse": ("mccvc.criteria:MMSE",),
    "mcc": ("mccvc.criteria:MCC",),
    "mcc-vc": ("mccvc.criteria:MCCVC", "mccvc.correntropy"),
}

_TABLES = ("mccvc.report.tables", "mccvc.report/published.csv", "mccvc.report/captions")
_EVIDENCE = ("mccvc.report.evidence", "mccvc.report.statistics", *_TABLES)

# The modules whose code decides what each kind of job writes; of module:Class only what the class
# uses; package/path are files that are read.
MODULES = {
    "fetch": ("mccvc.study.datasets", "mccvc.study.parsing"),
    "normalize": ("mccvc.study.datasets", "mccvc.study.parsing"),
    "provenance": ("mccvc.study.provenance",),
    "tables": (*_TABLES,),
    "traces": (
        *_LINEAR,
        *("mccvc.criteria", "mccvc.correntropy"),
        *("mccvc.report.densities", "mccvc.report.traces"),
    ),
    "evidence": (*_EVIDENCE, "mccvc.report.claims"),
    "figures": (*_EVIDENCE, "mccvc.report.plots"),
    "page": (*_EVIDENCE, "mccvc.report.claims", "mccvc.report.page", "mccvc.report/page.html"),
}


def linear_modules(method):
    """Modules whose code decides the rows of a criterion of the linear study."""
    return *_LINEAR, *_CRITERIA[method["criterion"]]


def elm_modules(fit):
    """Modules whose code decides the rows of a method of the ELM study."""
    if "estimator" in fit:
        return *_PROTOCOL, "mccvc.hidden", "mccvc.study.external"
    own = _CRITERIA.get(fit["criterion"])
    if own is None:
        further = CRITERIA[fit["criterion"]].__name__
        own = ("mccvc.reweighting", f"mccvc.further_criteria:{further}")
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
        Names of modules, ``module:Class`` for that class and what it uses of its module, or
        ``package/path`` for a file, or all files of a directory, of a package.

    Returns
    -------
    str
        16 hexadecimal digits.
    """
    return digest("\n".join(map(_text, modules)))


def _text(name):
    package, _, path = name.partition("/")
    if path:
        found = files(package) / path
        parts = sorted(found.iterdir(), key=str) if found.is_dir() else [found]
        return "\n".join(part.read_text(encoding="utf-8") for part in parts)
    module, _, kept = name.partition(":")
    return _code(_source(module).read_text(encoding="utf-8"), kept)


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
