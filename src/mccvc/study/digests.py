"""Digests of what a result depends on: its specification and the code that computes it."""

import ast
import hashlib
import json
from importlib.util import find_spec
from pathlib import Path

_ESTIMATION = ("mccvc.blocks", "mccvc.correntropy", "mccvc.criteria", "mccvc.solver")
_SEARCH = ("mccvc.hidden", "mccvc.lip", "mccvc.search")
_PROTOCOL = ("mccvc.study.protocol", "mccvc.study.seeds")

# The modules whose code decides what each kind of job writes.
MODULES = {
    "fetch": ("mccvc.study.datasets", "mccvc.study.parsing"),
    "normalize": ("mccvc.study.datasets", "mccvc.study.parsing"),
    "linear": (*_ESTIMATION, *_PROTOCOL, "mccvc.study.synthetic"),
    "elm": (
        *_ESTIMATION,
        *_PROTOCOL,
        "mccvc.lip",
        "mccvc.search",
        "mccvc.hidden",
        "mccvc.study.external",
    ),
    "provenance": ("mccvc.study.provenance",),
    "tables": ("mccvc.report.tables",),
    "traces": (*_ESTIMATION, *_PROTOCOL, "mccvc.study.synthetic", "mccvc.report.traces"),
    "figures": ("mccvc.report.plots", "mccvc.report.tables"),
    "page": ("mccvc.report.page", "mccvc.report.tables"),
}


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


def code_digest(kind):
    """Digest of the code behind a kind of job; comments, layout and docstrings do not count.

    Parameters
    ----------
    kind : str
        A key of `MODULES`.

    Returns
    -------
    str
        16 hexadecimal digits.
    """
    parts = []
    for module in MODULES[kind]:
        tree = ast.parse(_source(module).read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(
                node, clean=False
            ):
                node.body = node.body[1:]
        parts.append(ast.dump(tree))
    return digest("\n".join(parts))
