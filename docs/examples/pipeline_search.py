"""
A hidden layer, tuned in a pipeline
===================================

A hidden layer, tuned by grid search in a pipeline, on a curve with outliers.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mccvc import ELMMCCVCRegressor, RELMRegressor, correntropy_scorer

rng = np.random.default_rng(1)
X = np.sort(rng.uniform(0, 10, (200, 1)), axis=0)
curve = 2 * np.sin(0.6 * X[:, 0])
y = curve + rng.normal(0, 0.1, 200)
y[rng.random(200) < 0.25] += 6

figure, axis = plt.subplots(figsize=(6, 3.6), constrained_layout=True)
axis.scatter(X, y, s=8, color="0.7", label="data, 25 % outliers")
axis.plot(X, curve, "k:", label="truth", zorder=5)
for name, elm, colour in (
    ("RELM", RELMRegressor(random_state=0), "#949494"),
    ("ELM-MCC-VC", ELMMCCVCRegressor(random_state=0), "#0173b2"),
):
    step = type(elm).__name__.lower()
    search = GridSearchCV(
        make_pipeline(StandardScaler(), elm),
        {f"{step}__alpha": 10.0 ** np.arange(-10, 0), f"{step}__n_hidden": [30, 100]},
        scoring=correntropy_scorer(sigma=0.3),
        cv=KFold(5, shuffle=True, random_state=0),
    )
    with warnings.catch_warnings():
        # Hopeless grid points may not converge; the chosen one is told below.
        warnings.simplefilter("ignore", ConvergenceWarning)
        search.fit(X, y)
    error = np.sqrt(np.mean((search.predict(X) - curve) ** 2))
    print(name, search.best_params_, f"RMSE to the truth {error:.3f}")
    axis.plot(X, search.predict(X), color=colour, linewidth=2, label=f"{name}, RMSE {error:.2f}")
axis.set(xlabel="x", ylabel="y", ylim=(-3, 12))
axis.legend(loc="upper left", frameon=False, ncols=2)
