"""A job: a block of runs of one method on one problem, to a shard of rows."""

import sys
import time
from collections.abc import Callable
from pathlib import Path

from mccvc.study.provenance import job_record, now
from mccvc.study.shards import block_runs, not_finite, read_normalized, write_shard
from mccvc.study.specs import Experiment, Row, RunSpec

# Seconds after which a long job says how far it is.
_SILENCE = 30.0


def run_block(
    experiment: Experiment,
    spec: RunSpec,
    block: str,
    out: str | Path,
    *,
    code: str,
    table: str | Path | None = None,
) -> None:
    """Do a block of runs and write their rows.

    Parameters
    ----------
    experiment : Experiment
        What a run is.
    spec : RunSpec
        Its specification.
    block : str
        Name of the block, see :func:`mccvc.study.shards.block_name`.
    out : path-like
        The shard.
    code : str
        Digest of the code, kept in every row.
    table : path-like, optional
        The normalized dataset.
    """
    started = now()
    data = None if table is None else read_normalized(table)
    rows = rows_of_runs(experiment, lambda run: experiment.rows(spec, run, data), spec, block)
    write_shard(out, experiment, rows, spec.digest, code, job_record(started, spec.json()))


def rows_of_runs(
    experiment: Experiment, rows_of: Callable[[int], list[Row]], spec: RunSpec, block: str
) -> list[Row]:
    """Rows of a block of runs; a run that fails is a row with its error, so that the others stay.

    Parameters
    ----------
    experiment : Experiment
        What a run is.
    rows_of : callable
        The rows of a run by its index.
    spec : RunSpec
        Its specification.
    block : str
        Name of the block.

    Returns
    -------
    list of dict

    Raises
    ------
    MemoryError
        If there is too little memory: more may help.
    """
    begin = last_word = time.monotonic()
    runs, rows = block_runs(block), []
    for done, run in enumerate(runs, start=1):
        try:
            rows += checked(rows_of(run))
        except MemoryError:
            raise
        except Exception as error:
            message = f"{type(error).__name__}: {error}"
            rows.append(experiment.key(spec, run) | {"error": message})
            print(f"mccvc: warning: run {run} failed: {message}", file=sys.stderr)
        if time.monotonic() - last_word > _SILENCE and done < len(runs):
            last_word = time.monotonic()
            left = (last_word - begin) / done * (len(runs) - done)
            print(f"run {done} of {len(runs)}, about {left:.0f} s left", file=sys.stderr)
    return rows


def checked(rows: list[Row]) -> list[Row]:
    """Rows whose numbers are all finite.

    Raises
    ------
    ArithmeticError
        Naming the first column that is not.
    """
    for name, value in not_finite(rows):
        raise ArithmeticError(f"{name} is {value}")
    return rows
