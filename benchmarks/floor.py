"""The least that one iteration could cost without sharing work between problems."""

import time

import numpy as np
from scipy.linalg.blas import dsyrk
from scipy.linalg.lapack import dpotrf, dpotrs

from benchmarks.data import default_study


def iteration(n_samples, n_columns):
    """A function that does the work of one fixed-point step and nothing else."""
    rng = np.random.default_rng(0)
    rows = np.asfortranarray(rng.random((n_columns, n_samples)))
    gram = np.zeros((n_columns, n_columns), order="F")
    right, errors = rng.random(n_columns), rng.random(n_samples)
    kernel = np.empty(n_samples)
    ridge = float(n_samples * n_columns)
    diagonal = np.diag_indices(n_columns)

    def step():
        product = dsyrk(1.0, rows, c=gram, lower=1, overwrite_c=1)
        product[diagonal] += ridge
        factor, _ = dpotrf(product, lower=1, overwrite_a=1, clean=0)
        dpotrs(factor, right, lower=1)
        np.exp(errors, out=kernel)

    return step


def seconds(n_samples, n_columns, repeats=7):
    """Median CPU seconds of one step, over bursts of at least 10 ms."""
    step = iteration(n_samples, n_columns)
    step()
    started = time.process_time()
    step()
    count = max(3, int(0.01 / (time.process_time() - started)))
    bursts = []
    for _ in range(repeats):
        started = time.process_time()
        for _ in range(count):
            step()
        bursts.append((time.process_time() - started) / count)
    return float(np.median(bursts))


def study_floor(rows):
    """Seconds that the searches of a study would take at the floor of each step.

    Parameters
    ----------
    rows : list of dict
        Rows of the ELM study; ``search_solves`` has an entry for each number of hidden nodes.

    Returns
    -------
    float
    """
    sizes = default_study().config["elm"]["n_hidden"]
    folds = default_study().config["elm"]["folds"]
    costs = {}
    total = 0.0
    for row in rows:
        n_samples = row["n_train"] - row["n_train"] // folds
        for n_hidden, solves in zip(sizes, row["search_solves"], strict=True):
            key = (n_samples, n_hidden)
            costs[key] = costs.get(key) or seconds(*key)
            total += solves * costs[key]
    return total
