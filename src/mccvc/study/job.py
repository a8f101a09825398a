"""A job: a block of runs, failures kept as rows."""

import numpy as np


def failed_row(study, spec, run, error):
    """The row of a run that could not be done: what it was and why, all results absent.

    Parameters
    ----------
    study : str
        ``elm`` or ``linear``.
    spec : dict
        Specification of the run.
    run : int
        Index of the run.
    error : Exception or str
        What went wrong.

    Returns
    -------
    dict
    """
    keys = ("dataset", "method") if study == "elm" else ("case", "criterion")
    text = error if isinstance(error, str) else f"{type(error).__name__}: {error}"
    return {"study": study, **{key: spec[key] for key in keys}, "run": run, "error": text}


def checked(rows):
    """Rows whose numbers are all finite.

    Raises
    ------
    ArithmeticError
        Naming the first column that is not.
    """
    for row in rows:
        for name, value in row.items():
            if isinstance(value, float) and not np.isfinite(value):
                raise ArithmeticError(f"{name} is {value}")
    return rows
