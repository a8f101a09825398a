"""The shape of the package: which way imports run, and that meaning travels as types."""

import ast
import sys
from itertools import pairwise

import pytest
from paths import ROOT

PACKAGE = ROOT / "src/mccvc"
# Each layer imports from itself and from those before it.
LAYERS = (
    ("arrays", "correntropy", "scale", "width_center", "hidden_layer", "criteria"),
    ("solvers",),
    ("estimators",),
    ("datasets", "study"),
    ("report", "tools"),
    ("cli",),
)
# Modules whose third-party imports are those of a user of the estimators alone.
LIGHT = {name for layer in LAYERS[:3] for name in layer}
# Imported when a picture is drawn, as scikit-learn's displays do.
DRAWS = {"estimators/display.py": {"matplotlib"}}
MODULES = sorted(PACKAGE.rglob("*.py"))
# Where the config's entries are mappings still: they become specifications there.
READ_THE_CONFIG = {f"study/{name}.py" for name in ("config", "checks", "entries", "grids")}


def name_of(path):
    return str(path.relative_to(PACKAGE))


def imports(path):
    """Full names of what a module imports, inside functions too, but for types alone."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
            node.body = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module


def layer_of(room):
    return next((i for i, layer in enumerate(LAYERS) if room in layer), None)


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_imports_run_one_way(path):
    room = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    if room in ("__init__", "__main__"):
        return
    own = layer_of(room)
    assert own is not None, f"{room} has no layer"
    for imported in imports(path):
        package, _, rest = imported.partition(".")
        if package == "mccvc" and rest:
            other = rest.partition(".")[0]
            assert layer_of(other) <= own, f"{name_of(path)} imports {imported}"


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_the_estimators_need_three_packages(path):
    if path.relative_to(PACKAGE).parts[0].removesuffix(".py") in LIGHT:
        packages = {name.partition(".")[0] for name in imports(path)}
        known = {"mccvc", "numpy", "scipy", "sklearn"} | DRAWS.get(name_of(path), set())
        foreign = {p for p in packages if p not in known and not is_standard(p)}
        assert not foreign


def is_standard(package):
    return package in sys.stdlib_module_names


def test_every_room_has_a_layer():
    rooms = {p.name.removesuffix(".py") for p in PACKAGE.iterdir() if not p.name.startswith("_")}
    listed = {name for layer in LAYERS for name in layer}
    assert rooms - {"py.typed"} == listed
    assert all(not set(one) & set(other) for one, other in pairwise(LAYERS))


CRITERIA = {
    *("MMSE", "MCC", "MCCVC", "Huber", "Tukey", "Welsch", "Cauchy", "StudentT", "LAD", "GMCC"),
    *("KMPE", "KRSL", "MixtureMCC", "MMKCC", "MEE", "QMEE", "Criterion"),
}


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_nobody_asks_what_a_criterion_is(path):
    """Solvers, study and estimators work through the protocol."""
    if "criteria" in path.relative_to(PACKAGE).parts:
        return
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("isinstance", "type"):
            names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
            assert not names & CRITERIA, ast.unparse(node)


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_specifications_have_attributes_and_no_keys(path):
    if name_of(path) in READ_THE_CONFIG:
        return
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            base = ast.unparse(node.value)
            texts = isinstance(node.slice.value, str)
            assert not (texts and base.split(".")[-1] in ("spec", "fit", "method", "system"))
