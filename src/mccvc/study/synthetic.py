"""The linear system of the paper's first experiment and its noises."""

import numpy as np


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
