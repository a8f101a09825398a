"""Docstrings are complete, their examples run, links and names of files in the guide are right."""

import doctest
import importlib
import pkgutil
import re

import numpy as np
import pytest
from numpydoc.validate import validate
from paths import ROOT

import mccvc

PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("docs/results/*.md")])
PUBLIC = sorted(set(mccvc.__all__) - {"__version__"})
# What the public names are checked for: everything but the order and wording of one-liners.
IGNORED = {
    "ES01",  # an extended summary where the first line says it all
    "GL01",  # text on the line after the quotes
    "SA01",  # see also
    "EX01",  # examples: classes have them, methods need none
    "SA04",  # description of see-also entries of scikit-learn
    "GL03",
    "RT02",  # scikit-learn's "self : object"
    "RT03",
}


def documented():
    """Names of the public objects and of their own public methods."""
    for name in PUBLIC:
        path = f"{getattr(mccvc, name).__module__}.{name}"
        yield path
        if isinstance(getattr(mccvc, name), type):
            yield from (
                f"{path}.{method}"
                for method in ("fit", "predict", "transform")
                if method in dir(getattr(mccvc, name))
            )


@pytest.mark.parametrize("path", list(documented()))
def test_docstring_is_complete(path):
    errors = [f"{code}: {text}" for code, text in validate(path)["errors"] if code not in IGNORED]
    assert errors == []


def modules():
    return [
        m.name for m in pkgutil.walk_packages(mccvc.__path__, "mccvc.") if "__main__" not in m.name
    ]


@pytest.mark.parametrize("name", modules())
def test_examples_in_docstrings_run(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


@pytest.mark.parametrize("name", modules())
def test_every_public_function_has_a_docstring(name):
    module = importlib.import_module(name)
    for key, value in vars(module).items():
        if callable(value) and not key.startswith("_") and getattr(value, "__module__", "") == name:
            assert value.__doc__, f"{name}.{key}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_within_the_repository_lead_somewhere(page):
    for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


def anchors(page):
    """The anchors of a Markdown page's headings, as GitHub and the site name them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-") for text in headings}


def test_testing_page_names_tests_that_exist():
    text, _, _ = (ROOT / "docs/testing.md").read_text(encoding="utf-8").partition("## Mutations")
    named = re.findall(r"`((?:\w+/)*test_\w+\.py|\w+/)`", text)
    folders = (ROOT, ROOT / "tests", ROOT / "tests/workflow")
    assert [n for n in named if not any((f / n).exists() for f in folders)] == []
    assert len(named) > 20


def test_citation_is_of_this_version():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {mccvc.__version__}\n" in citation


def test_every_example_has_its_picture_in_the_guide():
    examples = {path.stem for path in (ROOT / "docs/examples").glob("*.py")}
    assert examples <= {path.stem for path in (ROOT / "docs/pictures").glob("*.png")}


def test_shapes_in_the_guide_are_what_fit_gives():
    X, y = np.random.default_rng(0).random((20, 3)), np.arange(20.0)
    model = mccvc.ELMMCCVCRegressor(n_hidden=7, random_state=0).fit(X, y)
    assert model.coef_.shape == (7,)
    assert model.weights_.shape == (20,)
    assert model.objective_path_.shape == (model.n_iter_,)


def table(path, columns, heading):
    """The first columns of the first Markdown table that begins with a heading."""
    lines = iter((ROOT / path).read_text(encoding="utf-8").splitlines())
    rows = []
    for line in lines:
        if line.startswith(heading):
            next(lines)
            for row in lines:
                if not row.startswith("|"):
                    return rows
                rows.append([cell.strip() for cell in row.strip("|").split(" | ")][:columns])
    return rows


def test_summary_of_the_readme_is_that_of_the_recorded_study():
    recorded = table("docs/results/claims.md", 3, "| Verdict")
    assert len(recorded) == 15
    assert table("README.md", 3, "| Verdict") == recorded


def test_table_of_the_readme_is_that_of_the_recorded_study():
    recorded = table("docs/results/table3.md", 8, "| Dataset")
    shown = table("README.md", 4, "| dataset | RELM")
    cells = [cell for row in shown for cell in row[1:]]
    assert cells == [f"{row[5]} ({row[7].partition(' ±')[0]})" for row in recorded]
