"""
Outliers that all point one way
===============================

Outliers that all point one way: least squares, Huber and MCC side by side.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import HuberRegressor, LinearRegression

from mccvc import MCCRegressor

rng = np.random.default_rng(0)
X = rng.uniform(-2, 2, (150, 1))
y = 3 * X[:, 0] + 1 + rng.normal(0, 0.5, 150)
y[:45] += rng.uniform(8, 25, 45)  # 30 %, all above the line

models = {
    "least squares": (LinearRegression(), "0.5"),
    "Huber": (HuberRegressor(max_iter=500), "#de8f05"),
    "MCC": (MCCRegressor(), "#0173b2"),
}
figure, axis = plt.subplots(figsize=(6, 3.6), constrained_layout=True)
grid = np.linspace(-2, 2, 2)[:, None]
for name, (model, colour) in models.items():
    model.fit(X, y)
    text = f"{name}: {model.coef_[0]:.2f} x + {model.intercept_:.2f}"
    axis.plot(grid, model.predict(grid), color=colour, linewidth=2, label=text)
    print(text)
weights = models["MCC"][0].weights_
axis.scatter(X, y, c=weights, cmap="Blues", vmin=-0.4, edgecolors="0.4", linewidths=0.4, s=16)
axis.plot(grid, 3 * grid + 1, "k:", label="truth: 3 x + 1")
axis.set(xlabel="x", ylabel="y", ylim=(-8, 40), title="30 % outliers above the line")
axis.legend(loc="upper left", frameon=False)
