"""Whether every method has at least one run on every problem."""

from pathlib import Path

import pandas as pd

from mccvc.study.files import write_text
from mccvc.study.plan import ResolvedStudy


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
    failed = pd.read_csv(failures)
    counts = failed.groupby(["study", "row", "method"], sort=False)["run"].nunique()
    runs = {plan.name: plan.runs for plan in study.experiments}
    empty = [key for key, count in counts.items() if count >= runs[key[0]]]
    if empty:
        experiment, problem, method = empty[0]
        first = failed[(failed["row"] == problem) & (failed["method"] == method)].iloc[0]
        more = f", nor any of {len(empty) - 1} others" if empty[1:] else ""
        raise NoRunsError(
            f"no run of {experiment}/{problem}/{method} succeeded ({first['error']}){more}; all"
            f" failures: {failures}"
        )
    write_text(out, f"{len(failed)} failed runs\n")
