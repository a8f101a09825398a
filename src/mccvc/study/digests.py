"""Digests of what a result depends on: its specification and the code that computes it.

Which code that is follows from the imports: of this package the definitions that a job reaches,
of a user's own code every file that it imports, of installed packages their versions. Comments,
layout, docstrings and annotations of functions do not count.
"""

import ast
import hashlib
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.metadata import packages_distributions, version
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

_OWN = "mccvc"
Entries = Mapping[str, Sequence[str]]


class Definition(NamedTuple):
    """A name that a module defines; without one, the whole module."""

    module: str
    name: str = ""


def canonical(value: object) -> str:
    """One text for equal values: JSON with sorted keys and no blanks."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def digest(text: str) -> str:
    """First 16 hexadecimal digits of the SHA-256 of a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def code_digest(roots: Iterable[str], entries: Entries | None = None) -> str:
    """Digest of the code that some definitions reach.

    Parameters
    ----------
    roots : iterable of str
        ``module:name`` for a definition or ``module`` for all of a module, of this package or of a
        user's own; ``package/path`` for a file, or all files of a directory, that is read.
    entries : mapping of sequence of str, optional
        For tables, as ``module:name``, of which a job uses some entries: the definitions of these.

    Returns
    -------
    str
        16 hexadecimal digits.

    Raises
    ------
    ModuleNotFoundError
        Naming a root that is not there.
    """
    roots = list(roots)
    texts = [_code(module, names) for module, names in reached(roots, entries).items()]
    return digest("\n".join([*sorted(texts), *(_data(root) for root in roots if "/" in root)]))


def reached(roots: Iterable[str], entries: Entries | None = None) -> dict[str, frozenset[str]]:
    """What :func:`code_digest` sees: the names used of each module.

    Parameters
    ----------
    roots, entries
        As for :func:`code_digest`.

    Returns
    -------
    dict of frozenset of str
        By module; "" stands for all of it. Installed packages stand under their top-level name.
    """
    entries = entries or {}
    left = [_root(root) for root in roots if "/" not in root]
    used: dict[str, set[str]] = {}
    while left:
        item = left.pop()
        if item.name in used.setdefault(item.module, set()):
            continue
        if f"{item.module}:{item.name}" in entries:
            left += map(_root, entries[f"{item.module}:{item.name}"])
            continue
        used[item.module].add(item.name)
        if not _is_installed(item.module):
            left += _uses(item)
    return {module: frozenset(names) for module, names in used.items() if names}


def _root(root: str) -> Definition:
    item = Definition(*root.split(":"))
    if not _is_installed(item.module) and _file(item.module) is None:
        raise ModuleNotFoundError(item.module)
    return _whole(item)


def _whole(item: Definition) -> Definition:
    """Of installed packages and of a user's code no single names are told apart."""
    top = item.module.partition(".")[0]
    if top == _OWN:
        return item
    return Definition(top if _is_installed(item.module) else item.module)


@cache
def _uses(item: Definition) -> list[Definition]:
    """What a definition uses in turn; beyond this package only what a user's code uses."""
    module = _Module.of(item.module)
    own = item.module.partition(".")[0] == _OWN
    found = []
    for node in module.nodes(item.name):
        found += [used for used in module.imported_by(node) if _counts(used, own)]
        for name in _names_in(node) if own and item.name else ():
            if name in module.defined:
                found.append(Definition(item.module, name))
            elif name in module.imported and _counts(module.imported[name], own):
                found.append(module.imported[name])
    return [_whole(used) for used in found]


def _counts(used: Definition, by_own: bool) -> bool:
    top = used.module.partition(".")[0]
    if by_own:
        return top == _OWN
    return top not in sys.stdlib_module_names and (
        _is_installed(used.module) or _file(used.module) is not None
    )


class _Module:
    """The statements of a module by the names that they define or import."""

    def __init__(self, name: str) -> None:
        path = _file(name)
        if path is None:
            raise ModuleNotFoundError(name)
        self.name = name
        self.is_package = path.name == "__init__.py"
        self.body = _without_docstrings(ast.parse(path.read_text(encoding="utf-8"))).body
        self.defined: dict[str, list[ast.stmt]] = {}
        self.imported: dict[str, Definition] = {}
        self.loose = []
        for node in self.body:
            if isinstance(node, ast.Import | ast.ImportFrom):
                self.imported |= self._aliases(node)
            elif names := _defined_names(node):
                for defined in names:
                    self.defined.setdefault(defined, []).append(node)
            else:
                self.loose.append(node)

    @classmethod
    @cache
    def of(cls, name: str) -> "_Module":
        """The module of a name, read once."""
        return cls(name)

    def nodes(self, name: str) -> list[ast.stmt]:
        """The statements behind a name, and those that name nothing; all for no name."""
        return [*self.defined.get(name, ()), *self.loose] if name else self.body

    def imported_by(self, node: ast.AST) -> Iterator[Definition]:
        """What the import statements inside a node name, and the packages around it."""
        for part in ast.walk(node):
            if isinstance(part, ast.Import | ast.ImportFrom):
                for item in self._aliases(part).values():
                    yield item
                    parts = item.module.split(".")
                    if parts[0] != _OWN:
                        yield from (Definition(".".join(parts[:i])) for i in range(1, len(parts)))

    def _aliases(self, node: ast.Import | ast.ImportFrom) -> dict[str, Definition]:
        if isinstance(node, ast.Import):
            return {a.asname or a.name.partition(".")[0]: Definition(a.name) for a in node.names}
        around = self.name.split(".")
        around = around[: len(around) - node.level + self.is_package] if node.level else []
        module = ".".join([*around, *([node.module] if node.module else [])])
        found = {}
        for alias in node.names:
            inner = f"{module}.{alias.name}"
            is_module = not _is_installed(module) and _file(inner) is not None
            item = Definition(inner) if is_module else Definition(module, alias.name)
            found[alias.asname or alias.name] = item
        return found


def _code(module: str, names: frozenset[str]) -> str:
    """The code behind some names of a module, or what stands for it."""
    if _is_installed(module):
        return f"{module} {_version(module)}"
    return _source_code(module, names)


@cache
def _source_code(module: str, names: frozenset[str]) -> str:
    parsed = _Module.of(module)
    if "" in names:
        return "\n".join(map(ast.dump, parsed.body))
    nodes = [node for name in names for node in parsed.nodes(name)]
    words = {word for node in nodes for word in _names_in(node)}
    foreign = {
        f"{word} is {item.module}.{item.name}"
        for word, item in parsed.imported.items()
        if word in words and item.module.partition(".")[0] != _OWN
    }
    kept = [ast.dump(node) for node in parsed.body if node in nodes]
    return "\n".join([*sorted(foreign), *kept])


def _names_in(node: ast.AST) -> Iterator[str]:
    """Names that a statement uses, but for those in its annotations."""
    if isinstance(node, ast.Name):
        yield node.id
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns"):
            continue
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, ast.AST):
                yield from _names_in(part)


def _defined_names(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.ClassDef | ast.FunctionDef):
        return [node.name]
    if isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        return [part.id for t in targets for part in ast.walk(t) if isinstance(part, ast.Name)]
    return []


def _without_docstrings(tree: ast.Module) -> ast.Module:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(
            node, clean=False
        ):
            node.body = node.body[1:]
        if isinstance(node, ast.FunctionDef):
            node.returns = None
        if isinstance(node, ast.arg):
            node.annotation = None
    return tree


@cache
def _file(module: str) -> Path | None:
    """The source of a module, found without importing anything; None if it has none."""
    top, *inner = module.split(".")
    try:
        spec = find_spec(top)
    except ValueError:
        spec = None
    if spec is None or spec.origin is None or not spec.origin.endswith(".py"):
        return None
    path = Path(spec.origin)
    for part in inner:
        if path.name != "__init__.py":
            return None
        inside = path.parent / part
        package = inside / "__init__.py"
        path = package if package.is_file() else inside.with_suffix(".py")
        if not path.is_file():
            return None
    return path


@cache
def _is_installed(module: str) -> bool:
    """Whether a module is of an installed package, or of Python's own library."""
    top = module.partition(".")[0]
    if top == _OWN:
        return False
    if top in sys.stdlib_module_names:
        return True
    path = _file(top)
    if path is None:
        return find_spec(top) is not None
    return bool({"site-packages", "dist-packages"} & set(path.parts))


def _version(package: str) -> str:
    distributions = _distributions().get(package, [])
    return " ".join(f"{name} {version(name)}" for name in sorted(set(distributions)))


# Reads the metadata of everything that is installed.
_distributions = cache(packages_distributions)


def _data(root: str) -> str:
    package, _, path = root.partition("/")
    found = files(package) / path
    parts = sorted(found.iterdir(), key=str) if found.is_dir() else [found]
    return "\n".join(part.read_text(encoding="utf-8") for part in parts)
