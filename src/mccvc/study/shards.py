"""Parquet files: shards of runs, written whole and checked when read, and normalized tables."""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from mccvc import __version__
from mccvc.study.files import atomic_path

_PROVENANCE = [
    ("config_digest", pa.string()),
    ("code_digest", pa.string()),
    ("version", pa.string()),
]

SCHEMAS = {
    "elm": pa.schema(
        [
            ("study", pa.string()),
            ("dataset", pa.string()),
            ("method", pa.string()),
            ("run", pa.int32()),
            ("train_rmse", pa.float64()),
            ("test_rmse", pa.float64()),
            ("n_train", pa.int32()),
            ("n_test", pa.int32()),
            ("n_features", pa.int32()),
            ("n_hidden", pa.int32()),
            ("lam", pa.float64()),
            ("sigma", pa.float64()),
            ("center", pa.float64()),
            ("n_iter", pa.int32()),
            ("converged", pa.bool_()),
            ("cv_rmse", pa.float64()),
            ("fit_seconds", pa.float64()),
            ("tune_seconds", pa.float64()),
            ("search_solves", pa.list_(pa.int32())),
            ("parameters", pa.string()),
            ("error", pa.string()),
            *_PROVENANCE,
        ]
    ),
    "linear": pa.schema(
        [
            ("study", pa.string()),
            ("case", pa.string()),
            ("criterion", pa.string()),
            ("run", pa.int32()),
            ("weight_rmse", pa.float64()),
            ("lam", pa.float64()),
            ("sigma", pa.float64()),
            ("center", pa.float64()),
            ("n_iter", pa.int32()),
            ("converged", pa.bool_()),
            ("fit_seconds", pa.float64()),
            ("error", pa.string()),
            *_PROVENANCE,
        ]
    ),
}
# Key of the record in a file's metadata.
_RECORD = b"mccvc"
_KEYS = {"elm": ("dataset", "method"), "linear": ("case", "criterion")}


class ShardError(ValueError):
    """A shard that is missing, damaged or not what the study asks for."""


def block_name(first, last):
    """Name of the block of runs `first` to `last`, both included."""
    return f"{first:04d}-{last:04d}"


def block_runs(name):
    """Run indices of a block named by :func:`block_name`."""
    first, last = map(int, name.split("-"))
    return range(first, last + 1)


def shard_path(root, study, group, method, block):
    """Path of a shard under the directory of runs."""
    return f"{root}/{study}/{group}/{method}/{block}.parquet"


def write_shard(path, study, rows, config_digest, code_digest, record=None):
    """Write the rows of a block of runs.

    Parameters
    ----------
    path : path-like
        Where; appears only once it is complete.
    study : str
        ``elm`` or ``linear``.
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
    table = pa.Table.from_pylist([row | provenance for row in rows], schema=SCHEMAS[study])
    for field in table.schema:
        if pa.types.is_floating(field.type):
            values = table[field.name].drop_null().to_numpy()
            if not np.isfinite(values).all():
                raise ShardError(f"{path}: column {field.name} holds values that are not finite")
    if record is not None:
        table = table.replace_schema_metadata({_RECORD: json.dumps(record, sort_keys=True)})
    with atomic_path(path) as temporary:
        pq.write_table(table, temporary)


def read_record(path):
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


def read_shards(root, study, specs, blocks, code_digests, missing=None):
    """Read and check the shards of a study.

    Parameters
    ----------
    root : path-like
        Directory of runs.
    study : str
        ``elm`` or ``linear``.
    specs : dict
        Digest of the specification expected for each (group, method).
    blocks : list of str
        Names of the blocks of runs.
    code_digests : dict of str
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
    for (group, method), config_digest in specs.items():
        for block in blocks:
            path = shard_path(root, study, group, method, block)
            if missing is not None and not Path(path).exists():
                missing.append(path)
                continue
            try:
                table = pq.read_table(path, partitioning=None)
            except (OSError, pa.ArrowInvalid) as error:
                raise _unreadable(path, error) from error
            _check(path, table, study, group, method, block, config_digest, code_digests[method])
            tables.append(table)
    return pa.concat_tables(tables or [SCHEMAS[study].empty_table()]).to_pandas()


def read_normalized(path):
    """Inputs (n_rows, n_features) and target (n_rows,) of a normalized table."""
    table = pq.read_table(path)
    values = np.column_stack([column.to_numpy() for column in table.columns])
    return np.ascontiguousarray(values[:, :-1]), values[:, -1].copy()


def _unreadable(path, error):
    if isinstance(error, FileNotFoundError):
        return ShardError(f"{path}: missing; run snakemake again to compute it")
    return ShardError(f"{path}: not readable ({error}); delete it to recompute")


def _check(path, table, study, group, method, block, config_digest, code_digest):
    if not table.schema.equals(SCHEMAS[study]):
        raise ShardError(f"{path}: columns {table.schema.names} are not those of an {study} shard")
    expected = {
        "study": [study],
        _KEYS[study][0]: [group],
        _KEYS[study][1]: [method],
        "run": list(block_runs(block)),
        "config_digest": [config_digest],
        "code_digest": [code_digest],
    }
    for column, values in expected.items():
        found = table[column].unique().to_pylist()
        if sorted(found) != values:
            raise ShardError(
                f"{path}: {column} is {found}, expected {values}; delete it to recompute"
            )
