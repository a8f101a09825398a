"""Where, when and with what a shard was computed."""

import platform
import resource
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy
import pyarrow
import scipy
import threadpoolctl

import mccvc
from mccvc.study.files import write_json
from mccvc.study.plan import ResolvedStudy, as_document
from mccvc.study.shards import read_record

# Their own words for their versions: importlib.metadata reads files for each.
_PACKAGES = (mccvc, numpy, scipy, pyarrow)


def environment():
    """Versions, platform, processor, and the BLAS in use with its kernel and threads.

    Returns
    -------
    dict
    """
    return {
        "versions": {"python": platform.python_version()}
        | {package.__name__: package.__version__ for package in _PACKAGES},
        "platform": platform.platform(),
        "cpu": _processor(),
        "blas": [
            {key: pool.get(key) for key in _BLAS_KEYS}
            for pool in sorted(threadpoolctl.threadpool_info(), key=lambda pool: pool["filepath"])
            if pool["user_api"] == "blas"
        ],
    }


_BLAS_KEYS = ("internal_api", "version", "architecture", "num_threads")


def job_record(started: datetime, spec: str) -> dict[str, Any]:
    """What is kept with the rows of one job.

    Parameters
    ----------
    started : datetime.datetime
        When the job began, with its time zone.
    spec : str
        Canonical JSON form of the specification of the rows.

    Returns
    -------
    dict
        The environment, ``spec``, ``started``, ``ended`` (ISO 8601, UTC) and
        ``peak_memory_mb`` of the process.
    """
    return environment() | {
        "spec": spec,
        "started": started.isoformat(timespec="seconds"),
        "ended": now().isoformat(timespec="seconds"),
        "peak_memory_mb": round(peak_memory() / 1e6, 1),
    }


def now():
    """The current time in UTC."""
    return datetime.now(UTC)


def summary(records):
    """What many jobs have in common, and where they differ.

    Parameters
    ----------
    records : dict of dict
        Results of :func:`job_record` by path of the shard.

    Returns
    -------
    dict
        ``environments``: each distinct one with the number of its shards; ``started`` of the
        first and ``ended`` of the last job; ``peak_memory_mb`` and the shard it belongs to;
        ``mixed``: which of numpy, scipy and BLAS had several versions or kernels, so that rows
        may differ in their last digits.
    """
    kept = [
        {key: record[key] for key in ("versions", "platform", "cpu", "blas")}
        for record in records.values()
    ]
    environments = [e for i, e in enumerate(kept) if e not in kept[:i]]
    largest = max(records, key=lambda path: records[path]["peak_memory_mb"])
    return {
        "environments": [{"environment": e, "shards": kept.count(e)} for e in environments],
        "mixed": _mixed(environments),
        "started": min(record["started"] for record in records.values()),
        "ended": max(record["ended"] for record in records.values()),
        "peak_memory_mb": {"shard": largest, "value": records[largest]["peak_memory_mb"]},
    }


def _mixed(environments: list[dict[str, Any]]) -> list[str]:
    """Names of the libraries behind the numbers that were not the same everywhere."""
    used = {
        "numpy": [e["versions"]["numpy"] for e in environments],
        "scipy": [e["versions"]["scipy"] for e in environments],
        "BLAS": [
            [(blas["version"], blas["architecture"]) for blas in e["blas"]] for e in environments
        ],
    }
    return [name for name, kinds in used.items() if any(kind != kinds[0] for kind in kinds)]


def write_provenance(study: ResolvedStudy, runs: str | Path, out: str | Path) -> None:
    """Write where, when and with what the shards of a study were computed, with the study."""
    records = {path: read_record(path) for path, _ in study.shards(runs)}
    write_json(out, {"study": as_document(study)} | (summary(records) if records else {}))


def _processor():
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def peak_memory():
    """Largest memory that this process has held, in bytes.

    getrusage would do, but on Linux a process starts with what its parent held.
    """
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text(encoding="utf-8").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
