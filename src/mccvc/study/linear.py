"""The linear experiment: the system, its noises, and one run of a criterion on a case."""

import time

import numpy as np

from mccvc.solvers.irls import irls
from mccvc.study.methods import batch
from mccvc.study.seeds import generator


def inner_noise(distribution, n_samples, rng):
    """Draw the inner noise B of one case.

    Parameters
    ----------
    distribution : dict
        ``family``: ``normal`` or ``laplace`` with ``mean`` and ``variance``, or
        ``chi-square`` with ``dof``.
    n_samples : int
        Number of samples.
    rng : numpy.random.Generator
        Source of randomness.

    Returns
    -------
    ndarray of shape (n_samples,)
    """
    family = distribution["family"]
    if family == "chi-square":
        return rng.chisquare(distribution["dof"], n_samples)
    mean, variance = distribution["mean"], distribution["variance"]
    if family == "normal":
        return rng.normal(mean, np.sqrt(variance), n_samples)
    return rng.laplace(mean, np.sqrt(variance / 2), n_samples)


def linear_system(spec, rng):
    """Inputs and outputs of the linear system with inner and outlier noise.

    y = w*' x + (1 - g) B + g O, with g = 1 with the outlier probability and O normal with mean
    zero.

    Parameters
    ----------
    spec : dict
        ``n_samples``, ``weights`` (w*), ``input_limit`` (inputs uniform on +- this),
        ``noise`` (see :func:`inner_noise`), ``outlier_probability``, ``outlier_variance``.
    rng : numpy.random.Generator
        Source of randomness.

    Returns
    -------
    inputs : ndarray of shape (n_samples, n_weights)
    target : ndarray of shape (n_samples,)
    """
    n, limit = spec["n_samples"], spec["input_limit"]
    inputs = rng.uniform(-limit, limit, size=(n, len(spec["weights"])))
    is_outlier = rng.random(n) < spec["outlier_probability"]
    outliers = rng.normal(0.0, np.sqrt(spec["outlier_variance"]), n)
    noise = np.where(is_outlier, outliers, inner_noise(spec["noise"], n, rng))
    return inputs, inputs @ np.asarray(spec["weights"], dtype=float) + noise


def linear_design(inputs, method):
    """Design and penalty factors of a linear method, with a column of ones if it asks for one."""
    if not method.get("intercept", False):
        return inputs, np.ones(inputs.shape[1])
    design = np.column_stack([inputs, np.ones(len(inputs))])
    return design, np.append(np.ones(inputs.shape[1]), 0.0)


def linear_data(spec, run):
    """Inputs and target of one Monte Carlo run of a linear case."""
    return linear_system(spec["system"], generator(spec["seed"], "linear", spec["case"], run))


def linear_rows(spec, run):
    """One run of one criterion on one linear case: a row for each grid point.

    Parameters
    ----------
    spec : dict
        ``seed``, ``case``, ``criterion`` (name), ``system``, ``method``, ``max_iter``, ``tol``.
    run : int
        Index of the run.

    Returns
    -------
    list of dict
        ``weight_rmse`` is sqrt(||w - w*||^2 / n_weights).
    """
    inputs, target = linear_data(spec, run)
    design, penalty = linear_design(inputs, spec["method"])
    true_weights = np.asarray(spec["system"]["weights"], dtype=float)
    criterion, lams, _ = batch(spec["method"])
    rows = []
    for point, lam in enumerate(lams):
        row = {
            "study": "linear",
            "case": spec["case"],
            "criterion": spec["criterion"],
            "run": run,
            "lam": lam,
        }
        started = time.perf_counter()
        fit = irls(
            design,
            target,
            criterion.take([point]),
            [lam],
            penalty=penalty,
            max_iter=spec["max_iter"],
            tol=spec["tol"],
        )
        row["fit_seconds"] = time.perf_counter() - started
        row |= {name: getattr(fit, name)[0] for name in _FIT_COLUMNS}
        row["sigma"] = row["sigma"] if criterion.has_width else None
        row["center"] = row["center"] if criterion.has_center else None
        deviation = fit.beta[0][: len(true_weights)] - true_weights
        row["weight_rmse"] = np.sqrt(np.mean(deviation**2))
        rows.append(row)
    return rows


_FIT_COLUMNS = ("sigma", "center", "n_iter", "converged")
