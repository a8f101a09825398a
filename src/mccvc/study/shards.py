"""Parquet files: shards of runs, written whole and checked when read, and normalized tables."""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.json
import pyarrow.parquet as pq

from mccvc import __version__
from mccvc.arrays import Array
from mccvc.study.files import atomic_path
from mccvc.study.specs import Experiment, Row, RunSpec

if TYPE_CHECKING:
    import pandas as pd

# Key of the record in a file's metadata.
_RECORD = b"mccvc"


def schema_of(experiment: Experiment) -> pa.Schema:
    """All columns of an experiment's rows: which run, its results, its error, its provenance."""
    texts = ("error", "config_digest", "code_digest", "version")
    return pa.schema(
        [
            ("study", pa.string()),
            (experiment.problem, pa.string()),
            (experiment.method, pa.string()),
            ("run", pa.int32()),
            *experiment.results,
            *((name, pa.string()) for name in texts),
        ]
    )


class ShardError(ValueError):
    """A shard that is missing, damaged or not what the study asks for."""


def block_name(first: int, last: int) -> str:
    """Name of the block of runs `first` to `last`, both included."""
    return f"{first:04d}-{last:04d}"


def blocks_of(first: int, stop: int, size: int) -> list[str]:
    """Names of blocks of at most `size` runs, from the run `first` to the one before `stop`."""
    return [block_name(i, min(i + size, stop) - 1) for i in range(first, stop, size)]


def block_runs(name: str) -> range:
    """Run indices of a block named by :func:`block_name`."""
    first, last = map(int, name.split("-"))
    return range(first, last + 1)


def shard_path(root: str | Path, experiment: str, problem: str, method: str, block: str) -> str:
    """Path of a shard under the directory of runs."""
    return f"{root}/{experiment}/{problem}/{method}/{block}.parquet"


def write_shard(
    path: str | Path,
    experiment: Experiment,
    rows: list[Row],
    config_digest: str,
    code_digest: str,
    record: dict[str, Any] | None = None,
) -> None:
    """Write the rows of a block of runs.

    Parameters
    ----------
    path : path-like
        Where; appears only once it is complete.
    experiment : Experiment
        What the rows are of.
    rows : list of dict
        Rows without provenance; None becomes null.
    config_digest, code_digest : str
        Digests of the specification and of the code.
    record : dict, optional
        What to keep in the file's metadata, see :mod:`mccvc.study.provenance`.

    Raises
    ------
    ShardError
        If a value that must be a number is not finite.
    """
    provenance = {
        "config_digest": config_digest,
        "code_digest": code_digest,
        "version": __version__,
    }
    for name, _ in not_finite(rows):
        raise ShardError(f"{path}: column {name} holds values that are not finite")
    table = _table([row | provenance for row in rows], schema_of(experiment))
    if record is not None:
        table = table.replace_schema_metadata({_RECORD: json.dumps(record, sort_keys=True)})
    with atomic_path(path) as temporary:
        pq.write_table(table, temporary)


def not_finite(rows: list[Row]) -> Iterator[tuple[str, float]]:
    """Columns and values of the numbers that are not finite."""
    for row in rows:
        for name, value in row.items():
            if isinstance(value, float | np.floating) and not np.isfinite(value):
                yield name, float(value)


def _table(rows: list[Row], schema: pa.Schema) -> pa.Table:
    """Rows as a table. By way of JSON: for Python's values pyarrow imports pandas, in 0.3 s."""
    if not rows:
        return schema.empty_table()
    lines = msgspec.json.Encoder(enc_hook=lambda scalar: scalar.item()).encode_lines(rows)
    return pyarrow.json.read_json(
        pa.BufferReader(lines),
        # One block, as no row may lie in two.
        pyarrow.json.ReadOptions(use_threads=False, block_size=len(lines) + 1),
        pyarrow.json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore"),
    )


def read_record(path: str | Path) -> dict[str, Any]:
    """What :func:`write_shard` kept in a shard's metadata.

    Parameters
    ----------
    path : path-like
        A shard.

    Returns
    -------
    dict

    Raises
    ------
    ShardError
        If the shard is missing, damaged, or has no such record.
    """
    try:
        metadata = pq.read_schema(path).metadata or {}
    except (OSError, pa.ArrowInvalid) as error:
        raise _unreadable(path, error) from error
    if _RECORD not in metadata:
        raise ShardError(f"{path}: has no record of its computation; delete it to recompute")
    return json.loads(metadata[_RECORD])


def read_shards(
    root: str | Path,
    experiment: Experiment,
    specs: Iterable[RunSpec],
    blocks: Iterable[str],
    code_digests: Mapping[str, str],
    missing: list[str] | None = None,
) -> "pd.DataFrame":
    """Read and check the shards of an experiment.

    Parameters
    ----------
    root : path-like
        Directory of runs.
    experiment : Experiment
        What the rows are of.
    specs : iterable of RunSpec
        What is expected.
    blocks : iterable of str
        Names of the blocks of runs.
    code_digests : mapping of str
        Digest of the code expected for each method.
    missing : list, optional
        Gets the paths of shards that are not there, which then are left out.

    Returns
    -------
    pandas.DataFrame
        All rows.

    Raises
    ------
    ShardError
        Naming the first shard that is missing, unreadable, of another schema, of other
        runs, or computed from another specification or by other code.
    """
    tables = []
    for spec in specs:
        for block in blocks:
            path = shard_path(root, experiment.name, spec.problem, spec.method, block)
            if missing is not None and not Path(path).exists():
                missing.append(path)
                continue
            try:
                table = pq.read_table(path, partitioning=None)
            except (OSError, pa.ArrowInvalid) as error:
                raise _unreadable(path, error) from error
            _check(path, table, experiment, spec, block, code_digests[spec.method])
            tables.append(table)
    return pa.concat_tables(tables or [schema_of(experiment).empty_table()]).to_pandas()


def read_normalized(path: str | Path) -> tuple[Array, Array]:
    """Inputs (n_rows, n_features) and target (n_rows,) of a normalized table."""
    # Neither read_table nor to_numpy: they import pandas, see _table.
    columns = pq.ParquetFile(path).read().combine_chunks().columns
    values = np.column_stack([np.from_dlpack(column.chunk(0)) for column in columns])
    return np.ascontiguousarray(values[:, :-1]), values[:, -1].copy()


def _unreadable(path: str | Path, error: Exception) -> ShardError:
    if isinstance(error, FileNotFoundError):
        return ShardError(f"{path}: missing; run snakemake again to compute it")
    return ShardError(f"{path}: not readable ({error}); delete it to recompute")


def _check(
    path: str, table: pa.Table, experiment: Experiment, spec: RunSpec, block: str, code: str
) -> None:
    if not table.schema.equals(schema_of(experiment)):
        raise ShardError(
            f"{path}: columns {table.schema.names} are not those of an {experiment.name} shard"
        )
    expected = {
        "study": [experiment.name],
        experiment.problem: [spec.problem],
        experiment.method: [spec.method],
        "run": list(block_runs(block)),
        "config_digest": [spec.digest],
        "code_digest": [code],
    }
    for column, values in expected.items():
        unique = table[column].unique().to_pylist()
        if sorted(unique) != values:
            raise ShardError(
                f"{path}: {column} is {unique}, expected {values}; delete it to recompute"
            )
