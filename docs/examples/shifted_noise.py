"""
Noise with a mean of three
==========================

Noise with a mean of three: a kernel centered at zero does not fit the errors.
"""

import matplotlib.pyplot as plt
import numpy as np

from mccvc import MCCRegressor, MCCVCRegressor

rng = np.random.default_rng(0)
truth = np.array([1.0, 2.0])
models = {
    "MCC,\nno intercept": MCCRegressor(fit_intercept=False),
    "MCC-VC": MCCVCRegressor(),
    "MCC with\nintercept": MCCRegressor(),
}
errors = {name: [] for name in models}
for _ in range(50):
    X = rng.uniform(-2, 2, (400, 2))
    noise = np.where(rng.random(400) < 0.1, rng.normal(0, 100, 400), rng.normal(3, 1, 400))
    for name, model in models.items():
        model.fit(X, X @ truth + noise)
        errors[name].append(np.sqrt(np.mean((model.coef_ - truth) ** 2)))

figure, axis = plt.subplots(figsize=(6, 3.2), constrained_layout=True)
boxes = axis.boxplot(
    errors.values(), tick_labels=errors.keys(), patch_artist=True, medianprops={"color": "k"}
)
for box, colour in zip(boxes["boxes"], ("#de8f05", "#0173b2", "#029e73"), strict=True):
    box.set_facecolor(colour)
axis.set(
    yscale="log", ylabel="RMSE of the weights", title="Noise N(3, 1) with 10 % outliers, 50 runs"
)
for name, values in errors.items():
    print(name.replace("\n", " "), round(float(np.mean(values)), 3))
