"""Tables as Markdown and LaTeX, captions, and numbers as text."""

import re
from importlib.resources import files
from typing import Any

import pandas as pd

from mccvc.report.verdicts import Verdict


def caption(name):
    """Caption of a table or figure, the same wherever it is shown.

    Parameters
    ----------
    name : str
        Name of the table or figure.

    Returns
    -------
    str
    """
    text = (files("mccvc.report") / "captions" / f"{name}.rst").read_text(encoding="utf-8")
    return " ".join(text.split())


def shown(cell):
    """A cell of a table as text: a verdict with its mark."""
    return f"{cell.mark} {cell}" if isinstance(cell, Verdict) else cell


def to_markdown(rows, caption):
    """A Markdown table.

    Parameters
    ----------
    rows : list of dict or None
        Cells by column: texts or verdicts; None is a rule.
    caption : str
        What stands below.

    Returns
    -------
    str
    """
    rows = rows or _NOTHING
    header = list(next(row for row in rows if row))
    lines = [_markdown_line(header), _markdown_line(["---"] * len(header))]
    for row in rows:
        lines.append(_markdown_line(["—"] * len(header) if row is None else row.values()))
    return "\n".join(lines) + f"\n\n{caption}\n"


# An experiment that was left out, or has one method alone.
_NOTHING = [{"": "nothing to show in this study"}]


def _markdown_line(cells):
    return "| " + " | ".join(map(shown, cells)) + " |"


# Columns with longer texts wrap.
_LONGEST = 32
# Characters over the width, and lines over the height, of the narrowest page.
_ACROSS, _DOWN = 80, 44


def to_latex(rows, caption, name):
    """A LaTeX table over the page's width, with booktabs rules; a long one goes on in further ones.

    Parameters
    ----------
    rows, caption
        See :func:`to_markdown`.
    name : str
        Its label is ``tab:name``.

    Returns
    -------
    str
    """
    rows = rows or _NOTHING
    header = list(next(row for row in rows if row))
    cells = [list(map(shown, row.values())) for row in rows if row]
    wraps = [max(map(len, column)) > _LONGEST for column in zip(*cells, strict=True)]
    share = 0.8 / max(1, sum(wraps))
    wide = rf">{{\raggedright\arraybackslash}}p{{{share:.2f}\linewidth}}"
    columns = "".join(wide if wrap else "l" for wrap in wraps)
    first, *others = _pages(rows, wraps, share * _ACROSS)
    lines = [
        r"% needs \usepackage{array,booktabs,amssymb,graphicx}",
        *_float(first, columns, header, rf"{_latex(caption)}}}\label{{tab:{name}"),
    ]
    for page in others:
        lines.append(r"\addtocounter{table}{-1}")
        lines += _float(page, columns, header, "Continued.")
    return "\n".join([*lines, ""])


def _float(rows, columns, header, caption):
    """Lines of one floating table."""
    return [
        r"\begin{table*}",
        r"\centering\footnotesize",
        r"\setlength{\tabcolsep}{3pt}",
        rf"\caption{{{caption}}}",
        # Wide tables shrink to the page; others keep their size.
        r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%",
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        " & ".join(map(_latex, header)) + r" \\",
        r"\midrule",
        *(
            r"\midrule" if row is None else " & ".join(map(_latex, row.values())) + r" \\"
            for row in rows
        ),
        r"\bottomrule",
        r"\end{tabular}}",
        r"\end{table*}",
    ]


def _pages(rows, wraps, across):
    """The rows, parted where a page is full; `across` characters go into a line that wraps."""
    pages: list[list[Any]] = [[]]
    down = 0
    for row in rows:
        texts = [] if row is None else map(shown, row.values())
        wrapped = (len(text) for text, wrap in zip(texts, wraps, strict=False) if wrap)
        height = 1 + max(wrapped, default=0) // int(across)
        if down + height > _DOWN and row is not None:
            pages.append([])
            down = 0
        pages[-1].append(row)
        down += height
    return pages


def _latex(cell):
    text = shown(cell)
    for plain, command in _LATEX:
        text = text.replace(plain, command)
    return re.sub(r"\*\*(.+?)\*\*", r"\\textbf{\1}", text)


_LATEX = (
    ("%", r"\%"),
    # Paths break after these.
    ("_", r"\_\allowbreak{}"),
    ("/", r"/\allowbreak{}"),
    ("±", r"$\pm$"),
    ("λ'", r"$\lambda'$"),
    ("σ", r"$\sigma$"),
    ("▲", r"$^\uparrow$"),
    ("▼", r"$^\downarrow$"),
    ("−", "$-$"),
    ("–", "--"),
    ("²", "$^2$"),
    ("✓", r"$\checkmark$"),
    ("✗", r"$\times$"),
    ("<", "$<$"),
)


def signed(value, digits=4):
    """A difference, with its sign."""
    return "–" if pd.isna(value) else f"{value:+.{digits}f}".replace("-", "−")


def fixed(value, digits=4, absent="–"):
    """A number with so many decimals."""
    return absent if pd.isna(value) else f"{value:.{digits}f}"


def general(value, digits=3, absent="–"):
    """A number with so many digits."""
    return absent if pd.isna(value) else f"{value:.{digits}g}"


def interval(low, high):
    """An interval of a difference."""
    return "–" if pd.isna(low) else f"[{signed(low)}, {signed(high)}]"


def p_value(value):
    """A p value."""
    if pd.isna(value):
        return "–"
    return "< 0.0001" if value < 1e-4 else f"{value:.4f}" if value < 0.1 else f"{value:.2f}"


def plus_minus(mean, std):
    """Mean and standard deviation over the runs."""
    if pd.isna(mean):
        return "no run"
    return f"{mean:.4f}" if pd.isna(std) else f"{mean:.4f} ± {std:.4f}"
