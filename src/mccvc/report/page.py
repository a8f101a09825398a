"""The report: all tables and figures on one self-contained page."""

import base64
import json
import re
from importlib.resources import files
from pathlib import Path

import jinja2
import pandas as pd
from markupsafe import Markup, escape

from mccvc import __version__
from mccvc.report.tables import present_table1, present_table2, present_table3
from mccvc.study.files import write_text

_FIGURES = {
    "kernel_and_error_density": "Fig. 1 of the paper: density of the errors before the first and "
    "second update of MCC-VC, over all errors of one run, and the kernel that (18) chooses. "
    "Outliers beyond the axis count in the density but are not shown.",
    "linear_convergence": "RMSE of the weights against the iteration, mean over the runs, at the "
    "grid points of Table I. Runs that have stopped keep their last value.",
    "test_rmse": "Testing RMSE of each run. Boxes: quartiles and median; whiskers: 1.5 times the "
    "interquartile range.",
    "hyperparameters": "Hidden nodes, penalty and kernel width of each run: chosen by "
    "cross-validation, except the width of ELM-MCC-VC, which (18) chooses.",
}


def write_page(study, tables, figures, data, out):
    """Write the page.

    Parameters
    ----------
    study : dict
        The resolved study.
    tables, figures, data : path-like
        Directories of the tables, the figures and the normalized datasets.
    out : path-like
        The HTML file to write.
    """
    tables = Path(tables)
    frames = {name: pd.read_csv(tables / f"{name}.csv") for name in ("table1", "table2", "table3")}
    comparison = pd.read_csv(tables / "published_vs_reproduced.csv")
    datasets = dict.fromkeys(spec["dataset"] for spec in study["elm"])
    template = jinja2.Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True
    ).from_string((files("mccvc.report") / "page.html").read_text(encoding="utf-8"))
    judged = comparison.dropna(subset=["z"])
    text = template.render(
        version=__version__,
        study=study,
        tables=[
            ("Table I: linear regression", present_table1(frames["table1"], comparison)),
            ("Table II: datasets", present_table2(frames["table2"])),
            ("Table III: extreme learning machines", present_table3(frames["table3"], comparison)),
        ],
        failures=pd.read_csv(tables / "failures.csv").to_dict("records"),
        agreeing=int(judged["agrees"].astype(bool).sum()),
        judged=len(judged),
        figures=[
            (caption, _embedded(Path(figures) / f"{name}.png"))
            for name, caption in _FIGURES.items()
        ],
        sources=[json.loads((Path(data) / f"{name}.json").read_text()) for name in datasets],
        cell=_cell,
    )
    write_text(out, text)


def _embedded(path):
    return f"data:image/png;base64,{base64.b64encode(path.read_bytes()).decode()}"


def _cell(text):
    return Markup(re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", str(escape(text))))
