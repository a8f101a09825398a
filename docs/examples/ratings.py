"""
Ratings, where many targets are equal
=====================================

The quality of red wines (Cortez and others, 2009) takes six values, two of them four times out of
five. A kernel must not shrink to the errors that are exactly equal: the width has a lower bound,
and the fit stays near least squares, as it should where there are no outliers.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.linear_model import LinearRegression

from mccvc import ELMMCCVCRegressor, MCCRegressor, MCCVCRegressor

# The repository, from wherever in it this runs.
root = next(p for p in (Path.cwd(), *Path.cwd().parents) if (p / "data/bundled").is_dir())
wine = pd.read_csv(root / "data/bundled/winequality-red.csv", sep=";")
X, y = wine.drop(columns="quality"), wine["quality"]
train = np.random.default_rng(0).permutation(len(y)) < len(y) // 2

scores = {}
for model in (
    LinearRegression(),
    MCCRegressor(),
    MCCVCRegressor(),
    ELMMCCVCRegressor(random_state=0),
):
    name = type(model).__name__
    scores[name] = model.fit(X[train], y[train]).score(X[~train], y[~train])
    print(f"{name}: R² on the other half {scores[name]:.3f}")

figure, axis = plt.subplots(figsize=(6, 2.4), layout="constrained")
axis.barh(list(scores), list(scores.values()), color="#0173b2")
axis.invert_yaxis()
axis.set(xlabel="R² on the other half", xlim=(0, 0.5))
plt.show()
