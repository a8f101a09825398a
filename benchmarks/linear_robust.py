"""MCC-VC on a large linear problem with outliers against the usual robust regressors."""

import warnings

import numpy as np
from sklearn.linear_model import (
    HuberRegressor,
    LinearRegression,
    RANSACRegressor,
    TheilSenRegressor,
)

from benchmarks.timing import compare, installed
from mccvc import MCCRegressor, MCCVCRegressor

N_SAMPLES, N_FEATURES, OUTLIERS = 100_000, 20, 0.1


def run(repeats):
    """Rows with the root mean squared error of the weights beside the time."""
    rng = np.random.default_rng(0)
    inputs = rng.normal(size=(N_SAMPLES, N_FEATURES))
    weights = rng.normal(size=N_FEATURES)
    target = inputs @ weights + rng.normal(0, 0.5, N_SAMPLES)
    outliers = rng.random(N_SAMPLES) < OUTLIERS
    target[outliers] += rng.normal(20, 20, outliers.sum())

    def fit(model):
        def run_once():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                fitted = model.fit(inputs, target)
            return getattr(fitted, "estimator_", fitted).coef_

        return run_once

    functions = {
        "ours": fit(MCCVCRegressor()),
        "MCCRegressor": fit(MCCRegressor()),
        "HuberRegressor": fit(HuberRegressor()),
        "RANSACRegressor": fit(RANSACRegressor(LinearRegression(), random_state=0)),
        "TheilSenRegressor": fit(TheilSenRegressor(random_state=0)),
    }
    if api := installed("statsmodels.api"):
        design = np.column_stack([inputs, np.ones(N_SAMPLES)])

        def tukey():
            model = api.RLM(target, design, M=api.robust.norms.TukeyBiweight())
            return model.fit().params[:-1]

        functions["statsmodels RLM, Tukey"] = tukey

    def error(coefficients):
        return float(np.sqrt(np.mean((coefficients - weights) ** 2)))

    case = f"N = {N_SAMPLES}, {N_FEATURES} inputs, {OUTLIERS:.0%} outliers"
    return compare("linear-robust", case, functions, repeats, error)
