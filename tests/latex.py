"""Compiles LaTeX tables in the classes of documents that papers use."""

import re
import shutil
import subprocess

import pytest

needs_latex = [
    pytest.mark.latex,
    pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs pdflatex"),
]
CLASSES = {"article": "a4paper", "article two columns": "twocolumn", "IEEEtran": "journal"}


def check_fits(folder, names, kind):
    """Compile tables in a class of documents; nothing is wider or longer than its place."""
    inputs = "\n".join(f"\\input{{{name}}}" for name in names)
    (folder / "paper.tex").write_text(
        f"\\documentclass[{CLASSES[kind]}]{{{kind.split()[0]}}}\n"
        "\\usepackage{array,booktabs,amssymb,graphicx}\n"
        f"\\begin{{document}}\n{inputs}\n\\end{{document}}\n",
        "utf-8",
    )
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace")
    assert done.returncode == 0, done.stdout[-2000:]
    log = (folder / "paper.log").read_text(encoding="utf-8", errors="replace")
    overfull = [float(points) for points in re.findall(r"Overfull \\hbox \(([\d.]+)pt", log)]
    assert max(overfull, default=0) <= 2
    assert re.findall(r"Float too large.*|Missing character.*|undefined", log) == []
