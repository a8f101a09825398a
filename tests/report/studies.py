"""Made-up studies and rows, for the tests of the report."""

import numpy as np
import pandas as pd

from mccvc.study.elm import ElmSpec
from mccvc.study.entries import method_of
from mccvc.study.linear import LinearSpec, LinearSystem
from mccvc.study.plan import ExperimentPlan, ResolvedStudy

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
DATASETS = ("servo", "airfoil", "concrete", "housing", "yacht", "wine-red", "slump")
LAM = [0.1, 1.0]


def study(linear=None, elm=None, cases=None, datasets=DATASETS, runs=40, labels=None):
    """A resolved study of entries by name."""
    linear, elm = LINEAR if linear is None else linear, ELM if elm is None else elm
    system = {"n_samples": 9, "weights": [1, 2], "input_limit": 2}
    system |= {"outlier_probability": 0.1, "outlier_variance": 1e4}
    common = {"seed": 1, "max_iter": 9, "tol": 0.0}
    linear_specs = [
        LinearSpec(
            problem=case,
            method=name,
            fit=method_of(method, LAM),
            system=LinearSystem.of(system | {"noise": noise}),
            **common,
        )
        for case, noise in (NOISES if cases is None else cases).items()
        for name, method in linear.items()
    ]
    elm_specs = [
        ElmSpec(
            problem=dataset, method=name, fit=method_of(fit, LAM), n_hidden=(9,), folds=2, **common
        )
        for dataset in datasets
        for name, fit in elm.items()
    ]
    return ResolvedStudy(
        experiments=tuple(
            ExperimentPlan(
                name=name,
                runs=runs,
                blocks=(f"0000-{runs - 1:04d}",),
                specs=tuple(specs),
                code={spec.method: "a" for spec in specs},
                labels=labels or {},
            )
            for name, specs in (("linear", linear_specs), ("elm", elm_specs))
        )
    )


def grid_rows(of, seed=0):
    """Rows of the linear experiment at all grid points, random and the same for any names."""
    rng = np.random.default_rng(seed)
    rows = []
    for spec in of["linear"].specs:
        for lam in spec.fit.lam:
            for sigma in spec.fit.grid.get("sigma", [np.nan]):
                for run in range(of["linear"].runs):
                    width = rng.choice(spec.fit.widths) if spec.fit.widths else sigma
                    rows.append(
                        {
                            "study": "linear",
                            "case": spec.problem,
                            "criterion": spec.method,
                            "run": run,
                            "lam": lam,
                            "sigma": width,
                            "weight_rmse": rng.gamma(4.0, 0.02),
                            "fit_seconds": rng.gamma(9.0, 1e-3),
                            "error": None,
                        }
                    )
    return pd.DataFrame(rows)
