"""Digests of code: what counts follows from the imports."""

import importlib
import subprocess
import sys

import pytest

from mccvc.study import digests
from mccvc.study.config import method_code
from mccvc.study.digests import code_digest, reached
from mccvc.study.elm import ELM
from mccvc.study.entries import method_of
from mccvc.study.methods import code_entries


@pytest.fixture
def module(monkeypatch, tmp_path):
    """Writes a module of a user's and gives its digest; every call is a fresh look."""
    monkeypatch.syspath_prepend(tmp_path)

    def digest_of(text, name="mine", roots=("mine",)):
        path = tmp_path / f"{name.replace('.', '/')}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        forget()
        return code_digest(roots) if (tmp_path / "mine.py").exists() else ""

    return digest_of


def forget():
    importlib.invalidate_caches()
    for kept in (digests._file, digests._is_installed, digests._uses, digests._source_code):
        kept.cache_clear()
    digests._Module.of.cache_clear()


def test_code_counts_and_not_its_dress(module):
    one = module('"""Doc."""\nx = 1\n\n\ndef f(a):\n    """Doc."""\n    return a + x\n')
    assert one == module("x=1\n# comment\ndef f(a: int) -> int:\n  '''Words.'''\n  return (a+x)\n")
    assert one != module("x = 1\n\n\ndef f(a):\n    return a - x\n")


def test_what_a_users_module_imports_counts(module):
    text = "from helpers import half\nimport package.inner\nfrom package import other\n"
    module("def half(x):\n    return x / 2\n", "helpers")
    module("", "package.__init__")
    module("from . import deep\n", "package.inner")
    module("y = 1\n", "package.deep")
    module("z = 1\n", "package.other")
    one = module(text)
    files = {"helpers": "def half(x):\n    return x / 3\n", "package.deep": "y = 2\n"}
    files |= {"package.other": "z = 2\n", "package.__init__": "w = 1\n"}
    for name, changed in files.items():
        assert module(changed, name) != one, name
        one = module(changed, name)
    assert module("unrelated = 1\n", "neighbour") == one
    assert set(reached(["mine"])) == {
        *("mine", "helpers", "package", "package.inner", "package.deep", "package.other")
    }


def test_installed_packages_count_by_version(module, monkeypatch):
    text = "import json\nfrom sklearn.linear_model import Ridge\n"
    one = module(text)
    assert set(reached(["mine"])) == {"mine", "sklearn"}
    monkeypatch.setattr(digests, "version", lambda name: "0")
    assert code_digest(["mine"]) != one


def test_finding_code_runs_none_of_it(module):
    module("raise SystemExit", "loud")
    assert module("import loud\n")
    with pytest.raises(ModuleNotFoundError, match="nowhere"):
        code_digest(["nowhere:Thing"])


def test_code_of_one_definition_is_that_of_no_neighbour(module, monkeypatch):
    """Inside this package a class counts with what it uses of its module."""
    monkeypatch.setattr(digests, "_OWN", "mine")
    text = (
        "import a\nimport b\nX = 1\nY: int = 2\n\ndef f():\n    return a.x + X\n\n"
        "class Base:\n    pass\n\nclass One(Base):\n    def g(self):\n        return f()\n\n"
        "class Two:\n    def g(self):\n        return b.y + Y\n\nALL = [One, Two]\n"
    )

    def digest_of(changed):
        return module(changed, roots=["mine:One"])

    one = digest_of(text)
    for old, new in (("Y: int = 2", "Y: int = 3"), ("b.y", "b.z"), ("ALL = [One", "ALL = [Two")):
        assert digest_of(text.replace(old, new)) == one
    for old, new in (("X = 1", "X = 3"), ("a.x", "a.z"), ("import a", "import c as a")):
        assert digest_of(text.replace(old, new)) != one
    assert digest_of(text.replace("    pass", "    x = 1")) != one


def test_digests_cover_what_the_jobs_import():
    """Every module of the package that a fit job loads counts in its code digest."""
    program = (
        "import sys, mccvc.study.elm, mccvc.study.linear\n"
        "print(*sorted(m for m in sys.modules if m.startswith('mccvc.')))"
    )
    printed = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    ).stdout
    counted = reached(["mccvc.study.elm:elm_rows", "mccvc.study.linear:linear_rows"])
    packages = {name.rpartition(".")[0] for name in counted}
    assert set(printed.split()) - set(counted) <= {"mccvc.arrays", *packages}


def test_a_method_by_its_import_path_depends_on_this_package():
    ours, theirs = (
        method_of({"estimator": path}, None)
        for path in ("mccvc.MCCVCRegressor", "sklearn.linear_model.Ridge")
    )
    roots = code_entries(ours)["mccvc.study.tuners:TUNERS"]
    assert "mccvc.estimators.linear:MCCVCRegressor" in roots
    assert "mccvc.estimators._base" in reached(roots)
    assert method_code(ELM, ours) != method_code(ELM, theirs)
