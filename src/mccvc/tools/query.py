"""Rows of a study as tables to ask, and how many of them there are."""

from collections import defaultdict
from datetime import datetime
from pathlib import Path

from mccvc.study.experiments import EXPERIMENTS
from mccvc.study.plan import ResolvedStudy
from mccvc.study.shards import ShardError, read_record
from mccvc.study.specs import RunSpec


def query(sql: str, runs: str | Path) -> str:
    """Answer an SQL query over all rows of a study.

    Parameters
    ----------
    sql : str
        A query on views with the names of the experiments, such as ``elm`` and ``linear``.
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
    views = 0
    for name in EXPERIMENTS:
        files = sorted(map(str, Path(runs, name).rglob("*.parquet")))
        if files:
            connection.read_parquet(files, hive_partitioning=False).create_view(name)
            views += 1
    if not views:
        raise ValueError(f"{runs}: no shards there; run snakemake first, or name their directory")
    try:
        answer = connection.sql(sql)
    except duckdb.Error as error:
        raise ValueError(f"query: {error}") from error
    if answer is None:
        return ""
    return answer.df().to_string(index=False) + "\n"


def status(study: ResolvedStudy, runs: str | Path) -> str:
    """How much of a study is done.

    Parameters
    ----------
    study : ResolvedStudy
        The study.
    runs : path-like
        Directory of the shards.

    Returns
    -------
    str
        A line for each problem and method with the shards that are there and were computed from
        this study, and the core hours that the rest may take.
    """
    groups = defaultdict(list)
    for path, spec in study.shards(runs):
        groups[str(Path(path).parent.relative_to(runs))].append((path, spec))
    lines, n_done, seconds_left, all_begun = [], 0, 0.0, True
    for name, shards in groups.items():
        times = (_seconds(path, spec) for path, spec in shards)
        seconds = [value for value in times if value is not None]
        missing = len(shards) - len(seconds)
        n_done += len(seconds)
        seconds_left += missing * sum(seconds) / max(1, len(seconds))
        all_begun = all_begun and bool(seconds)
        lines.append(f"{name:32} {len(seconds):4} of {len(shards)} shards")
    total = sum(len(shards) for shards in groups.values())
    rest = f"; about {seconds_left / 3600:.2f} core hours left" if n_done < total else ""
    rest += "" if all_begun else ", and what has not begun"
    return "\n".join([*lines, f"{n_done} of {total} shards done{rest}"]) + "\n"


def _seconds(path: str, spec: RunSpec) -> float | None:
    """What a shard took; None if it is not there or was computed from something else."""
    try:
        record = read_record(path)
    except ShardError:
        return None
    if record["spec"] != spec.json():
        return None
    started, ended = (datetime.fromisoformat(record[key]) for key in ("started", "ended"))
    return (ended - started).total_seconds()
