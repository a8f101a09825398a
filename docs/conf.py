"""Configuration of the documentation site: ``sphinx-build -W --keep-going docs docs/_build``."""

import re
from pathlib import Path

from mccvc import __version__

ROOT = Path(__file__).resolve().parent.parent

project = "mccvc"
author = copyright = "The mccvc developers"
version = release = __version__
extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "README.md", "results", "examples"]
html_theme = "pydata_sphinx_theme"
html_title = f"mccvc {release}"
html_show_sourcelink = False
html_theme_options = {"show_prev_next": False, "navbar_end": ["theme-switcher"]}

autosummary_generate = True
autodoc_typehints = "none"
numpydoc_class_members_toctree = False
numpydoc_show_class_members = False
myst_heading_anchors = 3
suppress_warnings = ["myst.header", "config.cache"]

sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$",
    "download_all_examples": False,
    "show_memory": False,
    "abort_on_example_error": True,
}


def without_links_into_the_code(app, name, source):
    """Links to files of the repository that are no pages of the site become their names alone."""
    source[0] = re.sub(
        r"\[([^\]]+)\]\(((?:\.\./|examples/|results/?)[^)]*)\)", r"\1 (`\2`)", source[0]
    ).replace("(`../", "(`")


def without_links(app, what, name, thing, options, lines):
    """What looks like a link in docstrings and is none becomes text."""
    lines[:] = [re.sub(r":(?:ref|term):`([^`<]+?)(?: ?<[^>]*>)?`", r"\1", line) for line in lines]
    # Learned attributes within types, such as shapes, are no links either.
    lines[:] = [re.sub(r"(?<=\()(n_\w+)_(?=[,)])", r"\1\\_", line) for line in lines]


def setup(app):
    """Called by Sphinx."""
    app.connect("autodoc-process-docstring", without_links)
    app.connect("source-read", without_links_into_the_code)
