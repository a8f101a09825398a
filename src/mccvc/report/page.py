"""The report: verdicts, tables and figures on one self-contained page."""

import base64
import json
import re
from functools import partial
from importlib.resources import files
from pathlib import Path

import jinja2
import markdown
import pandas as pd
from markupsafe import Markup, escape

from mccvc import __version__
from mccvc.report.evidence_texts import (
    across_caption,
    pairs_caption,
    present_across,
    present_choices,
    present_claims,
    present_pairs,
)
from mccvc.report.labels import Labels
from mccvc.report.markup import caption, shown
from mccvc.report.tables import present_matrix, present_table1, present_table2, present_table3
from mccvc.report.verdicts import Kind, Verdict
from mccvc.study.files import write_text
from mccvc.study.plan import MIN_RUNS

# A study may leave out either of the paper's experiments.
_LINEAR, _ELM = {"linear"}, {"elm"}
_SECTIONS = (
    ("claims-section", "Claims", _LINEAR | _ELM),
    ("table3-section", "Table III", _ELM),
    ("datasets-section", "Datasets", _ELM),
    ("across-section", "All together", _ELM),
    ("linear-section", "Linear study", _LINEAR),
)
_FIRST = ("summary", "Summary")
_LAST = (("protocol-section", "Protocol"), ("provenance-section", "Provenance"))
_PAPERS = {"linear": ("noises", "criteria"), "elm": ("datasets", "methods")}
_SAYS = {
    Verdict.HOLDS: "holds that",
    Verdict.FAILS: "does not hold that",
    Verdict.OPEN: "cannot be decided whether",
}
# Where on the page the evidence of a claim is.
_PLACES = {
    "tables/table1.csv": ("table1", _LINEAR),
    "tables/table3.csv": ("table3", _ELM),
    "tables/comparisons.csv": ("comparisons", _LINEAR | _ELM),
    "tables/across_datasets.csv": ("across", _ELM),
    "tables/published_vs_reproduced.csv": ("cells", _LINEAR | _ELM),
    "traces/distances.parquet": ("linear-section", _LINEAR),
    "runs/elm": ("datasets-section", _ELM),
}
# Cells of more characters wrap.
_SHORT = 26


def write_page(study, tables, figures, data, provenance, protocol, out):
    """Write the page.

    Parameters
    ----------
    study : ResolvedStudy
        The resolved study.
    tables, figures, data : path-like
        Directories of the tables, the figures and the normalized datasets.
    provenance, protocol : path-like
        The JSON file on the jobs, and the Markdown file on what is computed.
    out : path-like
        The HTML file to write.
    """
    tables, figures = Path(tables), Path(figures)
    label = Labels.of(study)
    read = {path.stem: pd.read_csv(path) for path in tables.glob("*.csv")}
    # An empty text comes back from a CSV file as NaN.
    reproduced, judged = (
        read["published_vs_reproduced"],
        read["claims"].fillna({"figure": "", "power": ""}),
    )
    paired, ranks = read["comparisons"], read["ranks"]
    is_figure = judged["kind"] == Kind.FIGURE
    datasets = study["elm"].problems
    present = [plan for plan in study.experiments if plan.specs]
    papers = {plan.name for plan in present} & _PAPERS.keys()
    further = _further(study, read, figures, label)
    environment = jinja2.Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.filters["header"] = lambda rows: list(next((row for row in rows if row), []))
    places = {path: anchor for path, (anchor, of) in _PLACES.items() if of & papers}
    environment.globals |= {"cell": partial(_cell, places), "attributes": _attributes}
    page = (files("mccvc.report") / "page.html").read_text(encoding="utf-8")
    text = environment.from_string(page).render(
        version=__version__,
        study=study,
        seed=present[0].specs[0].seed,
        counts=[_count(plan) for plan in present],
        papers=papers,
        sections=[
            _FIRST,
            *((anchor, title) for anchor, title, of in _SECTIONS if of & papers),
            *((part["anchor"], part["title"]) for part in further),
            *_LAST,
        ],
        answer=answer(judged, reproduced, papers),
        trial=min(plan.runs for plan in present) < MIN_RUNS,
        scores=scores(judged),
        matrix=present_matrix(study, read["table3"]),
        failures=read["failures"].to_dict("records"),
        tables={
            "table1": present_table1(study, read["table1"], reproduced),
            "table2": present_table2(study, read["table2"]),
            "table3": present_table3(study, read["table3"], reproduced),
        },
        caption=caption,
        claims=present_claims(judged[~is_figure]),
        cells=present_claims(judged[is_figure]),
        across=present_across(label, read["across_datasets"]),
        across_caption=across_caption(label, ranks),
        comparisons=present_pairs(label, paired),
        comparisons_caption=pairs_caption(label, paired),
        further=further,
        figures={
            "result": _embedded(figures, "reproduction")[0],
            "linear": _embedded(figures, "kernel_and_error_density", "linear_convergence"),
            "across": _embedded(
                figures, "test_rmse", "differences", "critical_difference", "hyperparameters"
            ),
            "datasets": [
                _figure(figures, f"dataset_{name}", label(name), caption("dataset"))
                | {
                    "dataset": name,
                    "heading": study["elm"].titles.get(name, name),
                    "comparisons": present_pairs(label, paired[paired["group"] == name]),
                    "choices": present_choices(label, read["choices"].query("dataset == @name")),
                }
                for name in datasets
            ],
        },
        protocol=Markup(_prose(protocol)),
        provenance=json.loads(Path(provenance).read_text(encoding="utf-8")),
        sources=_sources(Path(data), study.datasets, label),
    )
    write_text(out, text)


def _count(plan):
    problems, methods = _PAPERS.get(plan.name, (f"problems ({plan.name})", "methods"))
    return (
        f"{plan.runs} of each of {len(plan.problems)} {problems} with {len(plan.methods)} {methods}"
    )


def _further(study, read, figures, label):
    """The sections on experiments beside the paper's, of those that were run."""
    run = [plan.name for plan in study.experiments if plan.specs and plan.name not in _PAPERS]
    if not run:
        return []
    # Imported here: it loads matplotlib.
    from mccvc.report.sections import SECTIONS

    return [
        {
            "anchor": f"{name}-section",
            "title": SECTIONS[name].title,
            "heading": SECTIONS[name].heading,
            "answer": SECTIONS[name].answer(read),
            "tables": {
                table: present(read[table], label)
                for table, present in SECTIONS[name].tables.items()
            },
            "figures": _embedded(figures, *SECTIONS[name].figures),
        }
        for name in run
    ]


def _sources(data, datasets, label):
    """Where the datasets came from, as text."""
    sources = [json.loads((data / f"{name}.json").read_text()) for name in datasets]
    return [
        {
            "Dataset": label(source["dataset"]),
            "Source": source["source"],
            "Address": source["address"],
            "Obtained": source["time"],
        }
        for source in sources
    ]


def scores(judged):
    """Verdicts and claims, those of the paper and questions of ours apart.

    Parameters
    ----------
    judged : pandas.DataFrame
        The claims.

    Returns
    -------
    list of tuple
        A heading, and a verdict and a text for each claim.
    """
    return [
        (heading, [(Verdict(row.verdict), row.text) for row in part.itertuples()])
        for heading, kind in (
            ("Claims of the paper", Kind.PAPER),
            ("Questions of ours", Kind.OURS),
        )
        if len(part := judged[judged["kind"] == kind])
    ]


def answer(judged, reproduced, experiments):
    """What came out, in a few sentences made from the verdicts.

    Parameters
    ----------
    judged : pandas.DataFrame
        The claims.
    reproduced : pandas.DataFrame
        Every published figure beside ours.
    experiments : set of str
        Those of the paper's that were run.

    Returns
    -------
    list of str
    """
    verdicts = judged.set_index("claim")["verdict"]
    figures = judged.set_index("claim")["figure"]

    def says(claim):
        return _SAYS[Verdict(verdicts.get(claim, Verdict.OPEN))]

    decided = reproduced["agrees"].notna() & reproduced["metric"].str.endswith("rmse")
    agreeing = int(reproduced.loc[decided, "agrees"].astype(bool).sum())
    linear = (
        f"In linear regression it {says('mcc-vc-better-than-mcc')} MCC-VC is better than MCC where"
        f" the noise is not centered at 0, and it {says('mcc-vc-better-than-mcc-intercept')} it is"
        " better than MCC with an intercept, which the paper does not try."
    )
    elm = (
        f"With extreme learning machines it {says('elm-mcc-vc-lowest-mean')} ELM-MCC-VC"
        " outperforms the two others on every dataset"
        f" ({figures.get('elm-mcc-vc-lowest-mean', 'not in this study')}), and it"
        f" {says('yacht-wide-margin')} it is far better on Yacht."
    )
    sentences = {"linear": linear, "elm": elm}
    return [
        *(sentence for name, sentence in sentences.items() if name in experiments),
        f"{_counted(judged, Kind.PAPER, 'claims of the paper')};"
        f" {_counted(judged, Kind.OURS, 'questions of ours').lower()}. {agreeing} of"
        f" {decided.sum()} published RMSEs are within 3 standard errors of ours.",
    ]


def _counted(judged, kind, name):
    verdicts = judged.loc[judged["kind"] == kind, "verdict"]
    holding, failing, open_ = ((verdicts == verdict).sum() for verdict in Verdict)
    return f"Of {len(verdicts)} {name} {holding} hold, {failing} do not, {open_} are open"


def _embedded(figures, *names):
    titles = (name.replace("_", " ").capitalize() for name in names)
    return [_figure(figures, *both, caption(both[0])) for both in zip(names, titles, strict=True)]


def _figure(figures, name, title, text):
    return {
        "name": name,
        "title": title,
        "caption": text,
        "picture": _data_address("image/png", figures / f"{name}.png"),
        "csv": _data_address("text/csv", figures / f"{name}.csv"),
    }


def _data_address(kind, path):
    return f"data:{kind};base64,{base64.b64encode(path.read_bytes()).decode()}"


def _prose(path):
    """A Markdown file as HTML, without its title and a level of headings lower."""
    text = Path(path).read_text(encoding="utf-8").partition("\n")[2]
    html = markdown.markdown(text, extensions=["tables"])
    # The page has no neighbours: links to other files of the repository lead nowhere.
    html = re.sub(r'<a href="(?!https?:)[^"]*">(.*?)</a>', r"\1", html)
    html = html.replace("<table>", '<table tabindex="0">')
    return re.sub(r"<(/?)h(\d)>", lambda m: f"<{m[1]}h{int(m[2]) + 1}>", html)


def _cell(places, cell):
    """A cell as HTML: a link, if what it names has a place on the page."""
    if cell in places:
        return Markup(f'<a href="#{places[cell]}">{cell}</a>')
    return Markup(re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", str(escape(shown(cell)))))


def _attributes(cell):
    """Class of a cell: whether it wraps, and which verdict it is."""
    classes = ["short" if len(shown(cell)) <= _SHORT else "text"]
    if isinstance(cell, Verdict):
        classes.append(cell.name.lower())
    return Markup(f' class="{" ".join(classes)}"')
