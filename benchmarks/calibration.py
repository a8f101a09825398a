"""``python -m benchmarks.calibration OUT``: how often the tests of the report are wrong.

The ELM experiment is repeated on many datasets of one source, fresh draws or disjoint parts of a
large dataset; on each, the paper's methods see the same random halves, as in the study. The spread
of the mean differences over the datasets is what a test on one dataset must know. About an hour.
"""

import argparse
from functools import partial
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats
from sklearn.datasets import make_friedman1

from mccvc.report.statistics import OVERLAP, SignedRank
from mccvc.report.verdicts import Part, Verdict, all_below
from mccvc.study.config import method_of
from mccvc.study.elm import ElmSpec, elm_rows
from mccvc.study.shards import read_normalized

LAM = [4.0**-12, 4.0**-9, 4.0**-6, 4.0**-4, 4.0**-2, 1.0]
METHODS = {
    "elm-mcc-vc": {
        "criterion": "mcc-vc",
        "widths": {"start": 0.1, "stop": 2.0, "step": 0.1},
        "centers": "median",
    },
    "relm": {"criterion": "mmse"},
    "elm-rcc": {"criterion": "mcc", "sigma": [0.04, 0.1, 0.256, 0.64]},
}


def friedman(n_rows, outliers, i):
    """The i-th fresh draw of Friedman's first function, with a share of outliers."""
    rng = np.random.default_rng([n_rows, int(100 * outliers), i])
    seed = int(rng.integers(2**31))
    inputs, target = make_friedman1(n_rows, 5, noise=1.0, random_state=seed)
    is_outlier = rng.random(n_rows) < outliers
    target = target + np.where(is_outlier, rng.normal(0, 10, n_rows), 0)
    return _scaled(inputs), _scaled(target)


def part(data, name, partition, i):
    """The i-th of ten disjoint parts of a dataset."""
    inputs, target = read_normalized(data / f"{name}.parquet")
    order = np.random.default_rng([partition, 7]).permutation(len(target))
    rows = np.array_split(order, 10)[i]
    return inputs[rows], target[rows]


def sources(data):
    """What the i-th dataset is, how many there are, and the splits of each, by name."""
    return {
        "friedman-100": (partial(friedman, 100, 0.0), 60, 40),
        "friedman-166-outliers": (partial(friedman, 166, 0.1), 60, 20),
        "parts-wine-red": (partial(part, data, "wine-red", 0), 10, 100),
        "parts-airfoil": (partial(part, data, "airfoil", 0), 10, 40),
        "parts-concrete": (partial(part, data, "concrete", 0), 10, 40),
    }


def _scaled(values):
    return (values - values.min(axis=0)) / np.ptp(values, axis=0)


def rows_of(source, draw, n_datasets, n_runs):
    """Testing RMSE of every method in every run on every dataset of a source."""
    rows = []
    for i in range(n_datasets):
        data = draw(i)
        for name, entry in METHODS.items():
            spec = ElmSpec(
                seed=1,
                problem=f"{source}-{i}",
                method=name,
                fit=method_of(entry, LAM),
                n_hidden=(25,),
                folds=5,
                max_iter=30,
                tol=1e-5,
            )
            for run in range(n_runs):
                rmse = elm_rows(spec, run, data)[0]["test_rmse"]
                rows.append((source, len(data[1]), i, run, name, rmse))
    columns = ["source", "n_rows", "dataset", "run", "method", "test_rmse"]
    return pd.DataFrame(rows, columns=columns)


def splits(rows):
    """Calibration of the three t tests on one source, a line for each pair of methods."""
    wide = rows.pivot_table(index=["dataset", "run"], columns="method", values="test_rmse")
    for first, second in combinations(METHODS, 2):
        differences = (wide[first] - wide[second]).to_numpy().reshape(wide.index.levshape)
        n_datasets, n = differences.shape
        means, variances = differences.mean(axis=1), differences.var(axis=1, ddof=1)
        overlap = means.var(ddof=1) / variances.mean() - 1 / n
        line = {
            "source": rows["source"].iloc[0],
            "n_rows": rows["n_rows"].iloc[0],
            "n_datasets": n_datasets,
            "n_splits": n,
            "first": first,
            "second": second,
            "overlap": overlap,
            "worth_of_100_splits": 1 / (1 / 100 + max(overlap, 0.0)),
        }
        # The true difference is estimated by the mean over all datasets, which takes part.
        distance = np.abs(means - means.mean()) / np.sqrt(1 - 1 / n_datasets)
        spread = np.sqrt(variances.mean()) / wide[second].mean()
        for test, share in (("plain", 0.0), ("resampled", OVERLAP), ("corrected", 1.0)):
            error = np.sqrt((1 / n + share) * variances)
            p = 2 * stats.t.sf(distance / error, n - 1)
            detects = stats.t.ppf([0.975, 0.8], 99).sum() * np.sqrt(1 / 100 + share) * spread
            line |= {f"wrong_{test}": (p < 0.05).mean(), f"detects_{test}": detects}
        yield line


def next_dataset(n_sets=4000, n_datasets=7):
    """Verdicts of the test over datasets: wrong ones where the median gain is 1 %, and power.

    Relative differences are normal with a deviation of 3 %.
    """
    rng = np.random.default_rng(0)
    for gain in (0.01, 0.03, 0.05, -0.01, -0.03):
        verdicts = []
        for _ in range(n_sets):
            tests = (SignedRank(rng.normal(-gain, 0.03, n_datasets)) for _ in range(2))
            parts = [Part("", test, -0.01, 1.0) for test in tests]
            verdicts.append(all_below(parts).verdict)
        shares = {v.name.lower(): verdicts.count(v) / n_sets for v in Verdict}
        yield {"median_gain": gain, "n_datasets": n_datasets, **shares}


def main():
    """Simulate, and write the tables of the calibration."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.calibration", description=__doc__)
    parser.add_argument("out", type=Path, help="directory of the tables to write")
    parser.add_argument("--data", type=Path, default=Path("data/normalized"))
    parser.add_argument("--rows", type=Path, help="directory that keeps the rows between runs")
    options = parser.parse_args()
    lines = []
    for source, (draw, n_datasets, n_runs) in sources(options.data).items():
        kept = options.rows and options.rows / f"{source}.parquet"
        if kept and kept.exists():
            rows = pd.read_parquet(kept)
        else:
            rows = rows_of(source, draw, n_datasets, n_runs)
            if kept:
                rows.to_parquet(kept)
        lines += splits(rows)
    pd.DataFrame(lines).round(4).to_csv(options.out / "calibration_splits.csv", index=False)
    table = pd.DataFrame(next_dataset())
    table.to_csv(options.out / "calibration_datasets.csv", index=False)


if __name__ == "__main__":
    main()
