"""Alternating timings."""

import importlib
import statistics
import time

# Seconds that one measurement takes at least.
_SHORTEST = 0.05


def alternate(functions, repeats):
    """Median CPU seconds of each function, called in turn so that all see the same machine.

    Parameters
    ----------
    functions : dict of callables
        By name.
    repeats : int
        Rounds after one to warm up; short functions are called several times in each. 0 takes
        the times of the one to warm up, and one round of the functions that it is too short for.

    Returns
    -------
    seconds : dict of float
        Medians by name.
    results : dict
        What each function returned last.
    """
    results, counts, times = {}, {}, {}
    for name, function in functions.items():
        started = time.process_time()
        results[name] = function()
        elapsed = time.process_time() - started
        counts[name] = max(1, int(_SHORTEST / elapsed))
        times[name] = [] if repeats or counts[name] > 1 else [elapsed]
    for _ in range(max(repeats, 1)):
        for name, function in functions.items():
            if not repeats and times[name]:
                continue
            started = time.process_time()
            for _ in range(counts[name]):
                function()
            times[name].append((time.process_time() - started) / counts[name])
    return {name: statistics.median(values) for name, values in times.items()}, results


def installed(module):
    """A module, or None if it is not installed."""
    try:
        return importlib.import_module(module)
    except ImportError:
        return None


def against(item, case, ours, reference, seconds, **others):
    """A row of the table: our time, the reference's and how many times ours fits into it."""
    return {
        "item": item,
        "case": case,
        "reference": reference,
        "ours_seconds": seconds[ours],
        "reference_seconds": seconds[reference],
        "ratio": seconds[reference] / seconds[ours],
        **others,
    }


def compare(item, case, functions, repeats, error):
    """Rows for ``functions["ours"]`` against each other function, with errors of the results."""
    seconds, results = alternate(functions, repeats)
    errors = {name: error(result) for name, result in results.items()}
    return [
        against(
            item,
            case,
            "ours",
            name,
            seconds,
            ours_error=errors["ours"],
            reference_error=errors[name],
        )
        for name in functions
        if name != "ours"
    ]
