"""The command line, in two groups: what people call, and the jobs that Snakemake calls.

Each command imports only what it needs.
"""

import argparse
import sys
import warnings
from collections.abc import Callable
from typing import Any

from mccvc import __version__

Options = argparse.Namespace


def main(arguments: list[str] | None = None) -> int:
    """Run one command.

    Parameters
    ----------
    arguments : list of str, optional
        Command line without the program's name; default ``sys.argv[1:]``.

    Returns
    -------
    int
        Exit status: 0, or 1 after an error in the input or without a library, told in one line.
    """
    options = _parser().parse_args(arguments)
    warnings.showwarning = _show_warning
    try:
        options.command(options)
    except (ValueError, OSError) as error:
        print(f"mccvc: error: {error}", file=sys.stderr)
        return 1
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "mccvc":
            raise
        needs = f"needs {error.name}, which is not installed: pip install 'mccvc[study]'"
        print(f"mccvc: error: {options.command.__name__} {needs}", file=sys.stderr)
        return 1
    except MemoryError as error:
        print(f"mccvc: error: out of memory ({error}); give the job more mem_mb", file=sys.stderr)
        return 1
    return 0


# --- for people -----------------------------------------------------------------------------------


def add_dataset(options: Options) -> None:
    """Look at a data file and print an entry for it to paste below datasets in config.yaml."""
    from mccvc.datasets.inspection import describe

    print(describe(options.source, options.timeout, options.target), end="")


def query(options: Options) -> None:
    """Print the answer to an SQL query over all rows of a study, a view for each experiment."""
    from mccvc.tools.query import query

    print(query(options.sql, options.runs), end="")


def status(options: Options) -> None:
    """Print how much of a study is done, and how long the rest may take."""
    from mccvc.tools.query import status

    if options.config is None:
        study = _study(options.study)
    else:
        from mccvc.study.config import Study, read_config

        study = Study(read_config(options.config), options.schema).resolved
    print(status(study, options.runs), end="")


def power(options: Options) -> None:
    """Print how many runs the methods of a study need to show a difference."""
    from mccvc.tools.power import power_table

    print(power_table(_study(options.study), options.runs, options.difference), end="")


def cite(options: Options) -> None:
    """Print BibTeX of the software, the paper and the datasets of a config."""
    from mccvc.study.config import read_config
    from mccvc.tools.cite import bibtex

    print(bibtex(read_config(options.config), options.citation), end="")


# --- for Snakemake --------------------------------------------------------------------------------


def fetch(options: Options) -> None:
    """Obtain the original file of a dataset."""
    from mccvc.datasets.fetch import fetch
    from mccvc.datasets.spec import DatasetSpec

    provenance = fetch(
        options.name,
        DatasetSpec.read(options.spec),
        bundled_dir=options.bundled,
        raw_path=options.out,
        mirror=options.mirror,
        timeout=options.timeout,
    )
    print(f"{options.name}: {provenance['source']} {provenance['address']}", file=sys.stderr)


def normalize(options: Options) -> None:
    """Parse and normalize a fetched file."""
    from mccvc.datasets.normalize import normalize_file
    from mccvc.datasets.spec import DatasetSpec

    normalize_file(options.name, DatasetSpec.read(options.spec), options.raw, options.out)


def run(options: Options) -> None:
    """Do a block of runs of an experiment."""
    from mccvc.study.experiments import EXPERIMENTS
    from mccvc.study.job import run_block

    experiment = EXPERIMENTS[options.experiment]
    spec = experiment.spec.read(options.spec)
    table = next(iter(options.table), None)
    run_block(experiment, spec, options.block, options.out, code=options.code, table=table)


def provenance(options: Options) -> None:
    """Gather where, when and with what the shards of a study were computed."""
    from mccvc.study.provenance import write_provenance

    write_provenance(_study(options.study), options.runs, options.out)


def traces(options: Options) -> None:
    """Follow the fixed-point iterations of the linear experiment."""
    from mccvc.report.results import select_grid_points
    from mccvc.study.traces import write_traces

    linear = _study(options.study)["linear"]
    write_traces(linear, select_grid_points(linear, linear.rows(options.runs)), options.out)


def tables(options: Options) -> None:
    """Aggregate shards into the tables."""
    from mccvc.report.tables import write_tables

    study = _study(options.study)
    write_tables(study, options.runs, options.data, options.out, partial=options.partial)


def evidence(options: Options) -> None:
    """Compare methods by tests and judge the paper's claims."""
    from mccvc.report.evidence import write_evidence

    study = _study(options.study)
    write_evidence(study, options.runs, options.traces, options.tables, options.out)


def linear_figures(options: Options) -> None:
    """Draw the figures of the linear experiment."""
    from mccvc.report.figures import write_linear_figures

    write_linear_figures(_study(options.study), options.traces, options.out)


def elm_figures(options: Options) -> None:
    """Draw the figures of the ELM experiment."""
    from mccvc.report.figures import write_elm_figures

    write_elm_figures(_study(options.study), options.runs, options.out)


def comparison_figures(options: Options) -> None:
    """Draw the figures of comparisons."""
    from mccvc.report.comparison_figures import write_comparison_figures

    write_comparison_figures(_study(options.study), options.tables, options.out)


def section(options: Options) -> None:
    """Tables and figures of an experiment beside the paper's."""
    from mccvc.report.sections import SECTIONS

    study, part = _study(options.study), SECTIONS[options.experiment]
    part.write(study, options.runs, options.tables, options.figures)


def complete(options: Options) -> None:
    """Fail if every run of some method failed; else count the runs that did."""
    from mccvc.report.completeness import write_completeness

    write_completeness(_study(options.study), options.failures, options.out)


def page(options: Options) -> None:
    """Gather tables and figures on one page."""
    from mccvc.report.page import write_page

    write_page(
        _study(options.study),
        options.tables,
        options.figures,
        options.data,
        options.provenance,
        options.protocol,
        options.out,
    )


def _study(path: str) -> Any:
    from mccvc.study.plan import ResolvedStudy

    return ResolvedStudy.read_file(path)


# --------------------------------------------------------------------------------------------------


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="mccvc", description="Commands of the mccvc benchmark.")
    parser.add_argument("--version", action="version", version=f"mccvc {__version__}")
    tools = parser.add_subparsers(metavar="COMMAND", required=True)
    _add_tools(tools)
    job = tools.add_parser("job", help="what the workflow's rules call")
    _add_jobs(job.add_subparsers(metavar="JOB", required=True))
    return parser


def _add_tools(tools: Any) -> None:
    runs = {"default": "results/runs", "help": "directory of the shards"}
    study = {"default": "results/study.json", "help": "the resolved study of the last run"}
    timeout = {"type": float, "default": 20.0, "help": "seconds without an answer"}
    _add(
        tools,
        add_dataset,
        source={"positional": True, "help": "path or https address; #MEMBER of a zip archive"},
        target={"help": "column to predict (default the last one of numbers)"},
        timeout=timeout,
    )
    sql = "for instance: select method, avg(test_rmse) from elm group by 1"
    _add(tools, query, runs=runs, sql={"positional": True, "help": sql})
    _add(
        tools,
        status,
        study=study,
        config={"nargs": "+", "default": None, "help": "config files, in place of the study"},
        schema={"default": "workflow/schemas/config.schema.yaml"},
        runs=runs,
    )
    difference = {"type": float, "required": True, "help": "difference of the RMSE to detect"}
    _add(tools, power, study=study, runs=runs, difference=difference)
    _add(
        tools,
        cite,
        config={"nargs": "+", "default": ["config.yaml"], "help": "config files"},
        citation={"default": "CITATION.cff"},
    )


def _add_jobs(jobs: Any) -> None:
    optional: dict[str, Any] = {"default": None}
    timeout = {"type": float, "default": 20.0}
    _add(jobs, fetch, "name", "spec", "bundled", "out", mirror=optional, timeout=timeout)
    _add(jobs, normalize, "name", "spec", "raw", "out")
    _add(
        jobs, run, "experiment", "spec", "code", "block", "out", table={"nargs": "*", "default": []}
    )
    _add(jobs, provenance, "study", "runs", "out")
    leave_out = {"action": "store_true", "help": "leave out what is missing, and list it"}
    _add(jobs, tables, "study", "runs", "data", "out", partial=leave_out)
    _add(jobs, traces, "study", "runs", "out")
    _add(jobs, evidence, "study", "runs", "traces", "tables", "out")
    _add(jobs, linear_figures, "study", "traces", "out")
    _add(jobs, elm_figures, "study", "runs", "out")
    _add(jobs, comparison_figures, "study", "tables", "out")
    _add(jobs, section, "experiment", "study", "runs", "tables", "figures")
    _add(jobs, complete, "study", "failures", "out")
    _add(jobs, page, "study", "tables", "figures", "data", "provenance", "protocol", "out")


def _add(group: Any, command: Callable[[Options], None], *required: str, **others: Any) -> None:
    name = command.__name__.replace("_", "-")
    parser = group.add_parser(name, help=command.__doc__, description=command.__doc__)
    parser.set_defaults(command=command)
    for option in required:
        parser.add_argument(f"--{option}", required=True)
    for option, settings in others.items():
        dashes = "" if settings.get("positional") else "--"
        known = {key: value for key, value in settings.items() if key != "positional"}
        parser.add_argument(f"{dashes}{option}", **known)


def _show_warning(
    message: Any, category: Any, filename: str, lineno: int, file: Any = None, line: Any = None
) -> None:
    print(f"mccvc: warning: {message}", file=sys.stderr)
