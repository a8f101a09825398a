"""Whether every method has at least one run on every problem."""

import csv
from collections import defaultdict
from pathlib import Path

from mccvc.study.files import write_text
from mccvc.study.plan import ResolvedStudy

# Errors of users' own estimators may be long.
csv.field_size_limit(2**31 - 1)


class NoRunsError(ValueError):
    """Every run of some method failed."""


def write_completeness(study: ResolvedStudy, failures: str | Path, out: str | Path) -> None:
    """Write how many runs failed.

    Parameters
    ----------
    study : ResolvedStudy
        The study.
    failures : path-like
        Table of the failed runs.
    out : path-like
        Text file to write.

    Raises
    ------
    NoRunsError
        If all runs of a method failed on some problem: the first such pair with its error, how many
        others there are, and where all failures are listed.
    """
    with Path(failures).open(newline="", encoding="utf-8") as file:
        failed = list(csv.DictReader(file))
    of_method = defaultdict(list)
    for row in failed:
        of_method[row["study"], row["row"], row["method"]].append(row)
    runs = {plan.name: plan.runs for plan in study.experiments}
    empty = [
        key for key, rows in of_method.items() if len({row["run"] for row in rows}) >= runs[key[0]]
    ]
    if empty:
        experiment, problem, method = empty[0]
        first = of_method[empty[0]][0]
        more = f", nor any of {len(empty) - 1} others" if empty[1:] else ""
        raise NoRunsError(
            f"no run of {experiment}/{problem}/{method} succeeded ({first['error']}){more}; all"
            f" failures: {failures}"
        )
    write_text(out, f"{len(failed)} failed runs\n")
