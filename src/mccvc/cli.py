"""One subcommand for each rule of the workflow; each imports only what it needs."""

import argparse
import json
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

# Seconds after which a long job says how far it is.
_SILENCE = 30.0


def main(arguments=None):
    """Run one subcommand.

    Parameters
    ----------
    arguments : list of str, optional
        Command line without the program's name; default ``sys.argv[1:]``.

    Returns
    -------
    int
        Exit status: 0, or 1 after an error in the input, told in one line.
    """
    options = _parser().parse_args(arguments)
    warnings.showwarning = _show_warning
    try:
        options.command(options)
    except (ValueError, OSError) as error:
        print(f"mccvc: error: {error}", file=sys.stderr)
        return 1
    except MemoryError as error:
        print(f"mccvc: error: out of memory ({error}); give the job more mem_mb", file=sys.stderr)
        return 1
    return 0


def fetch(options):
    """Obtain the original file of a dataset."""
    from mccvc.datasets.fetch import fetch

    provenance = fetch(
        options.name,
        options.spec,
        bundled_dir=options.bundled,
        raw_path=options.out,
        mirror=options.mirror,
        timeout=options.timeout,
    )
    print(f"{options.name}: {provenance['source']} {provenance['address']}", file=sys.stderr)


def normalize(options):
    """Parse and normalize a fetched file."""
    from mccvc.datasets.normalize import normalize_file

    normalize_file(options.name, options.spec, options.raw, options.out)


def add_dataset(options):
    """Look at a data file and print an entry for it to paste below datasets in config.yaml."""
    from mccvc.datasets.inspection import describe

    print(describe(options.source, options.timeout), end="")


def run_linear(options):
    """Do a block of runs of the linear study."""
    from mccvc.study.linear import linear_rows

    _run(options, "linear", lambda run: linear_rows(options.spec, run))


def run_elm(options):
    """Do a block of runs of the ELM study."""
    from mccvc.study.elm import elm_row
    from mccvc.study.shards import read_normalized

    inputs, target = read_normalized(options.table)
    _run(options, "elm", lambda run: [elm_row(options.spec, inputs, target, run)])


def _run(options, study, rows_of):
    from mccvc.study.digests import canonical, digest
    from mccvc.study.job import checked, failed_row
    from mccvc.study.provenance import job_record, now
    from mccvc.study.shards import block_runs, write_shard

    started, told = now(), time.monotonic()
    begun, runs, rows = told, block_runs(options.block), []
    for done, run in enumerate(runs, start=1):
        try:
            rows += checked(rows_of(run))
        except MemoryError:
            raise
        except Exception as error:
            # Kept in place of the run's results, so that one fit does not cost the others.
            rows.append(failed_row(study, options.spec, run, error))
            print(f"mccvc: warning: run {run} failed: {rows[-1]['error']}", file=sys.stderr)
        if time.monotonic() - told > _SILENCE and done < len(runs):
            told = time.monotonic()
            left = (told - begun) / done * (len(runs) - done)
            print(f"run {done} of {len(runs)}, about {left:.0f} s left", file=sys.stderr)
    record = job_record(started, options.spec)
    spec_digest = digest(canonical(options.spec))
    write_shard(options.out, study, rows, spec_digest, options.code, record)


def provenance(options):
    """Gather where, when and with what the shards of a study were computed."""
    from mccvc.study.config import expected_shards
    from mccvc.study.files import write_json
    from mccvc.study.provenance import summary
    from mccvc.study.shards import read_record

    records = {path: read_record(path) for path, _ in expected_shards(options.study, options.runs)}
    write_json(options.out, {"study": options.study} | summary(records))


def query(options):
    """Print the answer to an SQL query over the views elm and linear, all rows of a study."""
    from mccvc.tools.query import query

    print(query(options.sql, options.runs), end="")


def status(options):
    """Print how much of the study of a config is done, and how long the rest may take."""
    from mccvc.tools.query import status

    print(status(options.config, options.schema, options.runs), end="")


def power(options):
    """Print how many runs the methods of a study need to show a difference."""
    from mccvc.tools.power import power_table

    print(power_table(options.study, options.runs, options.difference), end="")


def cite(options):
    """Print BibTeX of the software, the paper and the datasets of a config."""
    import yaml

    from mccvc.tools.cite import bibtex

    datasets: dict[str, Any] = {}
    for path in options.config:
        datasets |= yaml.safe_load(Path(path).read_text(encoding="utf-8")).get("datasets", {})
    print(bibtex({"datasets": datasets}, options.citation), end="")


def traces(options):
    """Follow the fixed-point iterations of the linear study."""
    from mccvc.study.traces import write_traces

    write_traces(options.study, options.tables, options.out)


def tables(options):
    """Aggregate shards into the tables."""
    from mccvc.report.tables import write_tables

    write_tables(options.study, options.runs, options.data, options.out, partial=options.partial)


def evidence(options):
    """Compare methods by tests and judge the paper's claims."""
    from mccvc.report.evidence import write_evidence

    write_evidence(options.study, options.runs, options.traces, options.tables, options.out)


def figures(options):
    """Draw the figures."""
    from mccvc.report.figures import write_figures

    write_figures(options.study, options.runs, options.traces, options.tables, options.out)


def page(options):
    """Gather tables and figures on one page."""
    from mccvc.report.page import write_page

    write_page(
        options.study,
        options.tables,
        options.figures,
        options.data,
        options.provenance,
        options.protocol,
        options.out,
    )


def _parser():
    parser = argparse.ArgumentParser(prog="python -m mccvc", description=__doc__)
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    def add(name, command, *required, **others):
        sub = commands.add_parser(name, help=command.__doc__, description=command.__doc__)
        sub.set_defaults(command=command)
        for option in required:
            sub.add_argument(f"--{option}", required=True, type=_TYPES.get(option, str))
        for option, settings in others.items():
            dashes = "" if settings.pop("positional", False) else "--"
            sub.add_argument(f"{dashes}{option}", **settings)

    add(
        "fetch",
        fetch,
        *("name", "spec", "bundled", "out"),
        mirror={"default": None},
        timeout={"type": float, "default": 20.0},
    )
    add("normalize", normalize, "name", "spec", "raw", "out")
    add(
        "add-dataset",
        add_dataset,
        source={"positional": True, "help": "path or https address; #MEMBER of a zip archive"},
        timeout={"type": float, "default": 20.0},
    )
    add("run-linear", run_linear, "spec", "code", "block", "out")
    add("run-elm", run_elm, "table", "spec", "code", "block", "out")
    add("provenance", provenance, "study", "runs", "out")
    add(
        "query",
        query,
        runs={"default": "results/runs", "help": "directory of the shards"},
        sql={
            "positional": True,
            "help": "for instance: select method, avg(test_rmse) from elm group by 1",
        },
    )
    add(
        "status",
        status,
        config={"default": "config.yaml"},
        schema={"default": "workflow/schemas/config.schema.yaml"},
        runs={"default": "results/runs", "help": "directory of the shards"},
    )
    add(
        "power",
        power,
        study={"type": _json_file, "default": "results/study.json"},
        runs={"default": "results/runs", "help": "directory of the shards"},
        difference={"type": float, "required": True, "help": "difference of the RMSE to detect"},
    )
    add(
        "cite",
        cite,
        config={"nargs": "+", "default": ["config.yaml"]},
        citation={"default": "CITATION.cff"},
    )
    add(
        "tables",
        tables,
        *("study", "runs", "data", "out"),
        partial={"action": "store_true", "help": "leave out what is missing, and list it"},
    )
    add("traces", traces, "study", "tables", "out")
    add("evidence", evidence, "study", "runs", "traces", "tables", "out")
    add("figures", figures, "study", "runs", "traces", "tables", "out")
    add("page", page, "study", "tables", "figures", "data", "provenance", "protocol", "out")
    return parser


def _json_file(path):
    return json.loads(Path(path).read_text(encoding="utf-8"))


_TYPES: dict[str, Callable[[str], Any]] = {"spec": json.loads, "study": _json_file}


def _show_warning(message, category, filename, lineno, file=None, line=None):
    print(f"mccvc: warning: {message}", file=sys.stderr)
