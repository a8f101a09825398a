"""Markdown and LaTeX tables, and numbers as text."""

import numpy as np

from mccvc.report import markup
from mccvc.report.verdicts import Verdict

ROWS = [
    {"Verdict": Verdict.FAILS, "Testing": "**0.0235 ± 0.0100**"},
    None,
    {"Verdict": Verdict.HOLDS, "Testing": "0.0300 ± 0.0010▼"},
]


def test_markdown_marks_verdicts_and_rules():
    lines = markup.to_markdown(ROWS, "Caption.").splitlines()
    assert lines[0] == "| Verdict | Testing |"
    assert lines[2:5] == [
        "| ✗ does not hold | **0.0235 ± 0.0100** |",
        "| — | — |",
        "| ✓ holds | 0.0300 ± 0.0010▼ |",
    ]
    assert lines[-1] == "Caption."


def test_latex():
    latex = markup.to_latex(ROWS, "100 % of runs.", "table3")
    assert r"\textbf{0.0235 $\pm$ 0.0100}" in latex
    assert r"0.0300 $\pm$ 0.0010$^\downarrow$" in latex
    assert r"$\times$ does not hold" in latex
    assert r"\caption{100 \% of runs.}" in latex
    assert latex.count(r"\\") == 3
    assert latex.count(r"\midrule") == 2


def test_numbers():
    assert markup.signed(-0.01234) == "−0.0123"
    assert markup.interval(-0.1, 0.2) == "[−0.1000, +0.2000]"
    assert markup.interval(np.nan, np.nan) == markup.signed(np.nan) == markup.fixed(None) == "–"
    assert [markup.p_value(p) for p in (1e-5, 0.0123, 0.5, np.nan)] == [
        "< 0.0001",
        "0.0123",
        "0.50",
        "–",
    ]
    assert markup.plus_minus(np.nan, np.nan) == "no run"
    assert markup.plus_minus(0.1, np.nan) == "0.1000"


def test_a_long_latex_table_goes_on_in_further_ones():
    rows = [{"Claim": "a text of some length " * 8, "n": str(i)} for i in range(30)]
    latex = markup.to_latex(rows, "Claims.", "claims")
    n_tables = latex.count(r"\begin{table*}")
    assert n_tables > 1
    assert latex.count(r"\label{tab:claims}") == 1
    assert latex.count("Continued.") == latex.count(r"\addtocounter{table}{-1}") == n_tables - 1
    assert latex.count(r"Claim & n \\") == n_tables
    assert all(f"& {i} " in latex for i in range(30))
