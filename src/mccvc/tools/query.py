"""Rows of a study as tables to ask, and how many of them there are."""

from collections import defaultdict
from datetime import datetime
from pathlib import Path

import yaml

from mccvc.study.config import Study, expected_shards
from mccvc.study.digests import canonical
from mccvc.study.shards import ShardError, read_record


def query(sql, runs):
    """Answer an SQL query over all rows of a study.

    Parameters
    ----------
    sql : str
        A query on the views ``elm`` and ``linear``.
    runs : path-like
        Directory of the shards.

    Returns
    -------
    str
        The answer as a table.

    Raises
    ------
    ValueError
        If there are no rows, or the query cannot be answered.
    """
    import duckdb

    connection = duckdb.connect()
    found = False
    for study in ("elm", "linear"):
        files = sorted(map(str, Path(runs, study).rglob("*.parquet")))
        if files:
            found = True
            connection.read_parquet(files, hive_partitioning=False).create_view(study)
    if not found:
        raise ValueError(f"{runs}: no shards there; run snakemake first, or name their directory")
    try:
        answer = connection.sql(sql)
    except duckdb.Error as error:
        raise ValueError(f"query: {error}") from error
    if answer is None:
        return ""
    return answer.df().to_string(index=False) + "\n"


def status(config_path, schema_path, runs):
    """How much of the study of a config is done.

    Parameters
    ----------
    config_path, schema_path : path-like
        The config and its schema.
    runs : path-like
        Directory of the shards.

    Returns
    -------
    str
        A line for each case and criterion, dataset and method, with the shards that are there
        and were computed from this config, and the core hours that the rest may take.

    Raises
    ------
    ConfigError
        If the config is not valid.
    """
    study = Study(yaml.safe_load(Path(config_path).read_text(encoding="utf-8")), schema_path)
    groups = defaultdict(list)
    for path, spec in expected_shards(study.report_spec(), runs):
        groups[str(Path(path).parent.relative_to(runs))].append((path, spec))
    lines, done, left, begun = [], 0, 0.0, True
    for name, shards in groups.items():
        known = (_seconds(path, spec) for path, spec in shards)
        seconds = [value for value in known if value is not None]
        missing = len(shards) - len(seconds)
        done += len(seconds)
        left += missing * sum(seconds) / max(1, len(seconds))
        begun = begun and bool(seconds)
        lines.append(f"{name:32} {len(seconds):4} of {len(shards)} shards")
    total = sum(len(shards) for shards in groups.values())
    rest = f"; about {left / 3600:.2f} core hours left" if done < total else ""
    rest += "" if begun else ", and what has not begun"
    return "\n".join([*lines, f"{done} of {total} shards done{rest}"]) + "\n"


def _seconds(path, spec):
    """What a shard took; None if it is not there or was computed from something else."""
    try:
        record = read_record(path)
    except ShardError:
        return None
    if canonical(record["spec"]) != canonical(spec):
        return None
    begun, ended = (datetime.fromisoformat(record[key]) for key in ("started", "ended"))
    return (ended - begun).total_seconds()
