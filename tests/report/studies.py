"""Made-up studies and rows, for the tests of the report."""

import numpy as np
import pandas as pd

from mccvc.report.results import resolved

NOISES = {
    "case1": {"family": "normal", "mean": 0, "variance": 2},
    "case2": {"family": "normal", "mean": 3, "variance": 1},
}
LINEAR = {
    "mmse": {"criterion": "mmse"},
    "mcc": {"criterion": "mcc", "sigma": [1.0, 2.0]},
    "mcc-vc": {"criterion": "mcc-vc", "widths": [1.0, 2.0], "centers": [0.0]},
    "mmse-intercept": {"criterion": "mmse", "intercept": True},
    "mcc-intercept": {"criterion": "mcc", "intercept": True, "sigma": [1.0, 2.0]},
}
ELM = {
    "relm": {"criterion": "mmse"},
    "elm-rcc": {"criterion": "mcc", "sigma": [0.1, 0.2]},
    "elm-mcc-vc": {"criterion": "mcc-vc", "widths": [0.1, 0.2], "centers": "median"},
}
DATASETS = ("servo", "yacht", "slump")


def study(linear=None, elm=None, cases=None, datasets=DATASETS, runs=40, labels=None):
    """A resolved study of entries by name."""
    linear, elm = LINEAR if linear is None else linear, ELM if elm is None else elm
    cases = NOISES if cases is None else cases
    return resolved(
        {
            "runs": runs,
            "blocks": [f"0000-{runs - 1:04d}"],
            "titles": {},
            "labels": labels or {},
            "code": {"linear": dict.fromkeys(linear, "a"), "elm": dict.fromkeys(elm, "b")},
            "linear": [
                {
                    "seed": 1,
                    "case": case,
                    "criterion": name,
                    "system": {"noise": noise, "outlier_probability": 0.1},
                    "method": {"lam": [0.1, 1.0], **method},
                }
                for case, noise in cases.items()
                for name, method in linear.items()
            ],
            "elm": [
                {
                    "seed": 1,
                    "dataset": dataset,
                    "method": name,
                    "n_train": None,
                    "n_test": None,
                    "fit": {"lam": [0.1, 1.0], **fit},
                }
                for dataset in datasets
                for name, fit in elm.items()
            ],
        }
    )


def grid_rows(of, seed=0):
    """Rows of the linear experiment at all grid points, random and the same for any names."""
    rng = np.random.default_rng(seed)
    rows = []
    for spec in of.linear.specs:
        for lam in spec.method.lam:
            for sigma in spec.method.sigma or [np.nan]:
                for run in range(of.runs):
                    width = rng.choice(spec.method.widths) if spec.method.widths else sigma
                    rows.append(
                        {
                            "study": "linear",
                            "case": spec.case,
                            "criterion": spec.criterion,
                            "run": run,
                            "lam": lam,
                            "sigma": width,
                            "weight_rmse": rng.gamma(4.0, 0.02),
                            "fit_seconds": rng.gamma(9.0, 1e-3),
                            "error": None,
                        }
                    )
    return pd.DataFrame(rows)
