"""
Every criterion on the stack loss data
======================================

Every criterion on Brownlee's stack loss data: the slope of the air flow.
"""

import warnings

import matplotlib.pyplot as plt
import statsmodels.api as sm
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LinearRegression

from mccvc import RobustLinearRegressor
from mccvc.criteria.registry import CRITERIA

data = sm.datasets.stackloss.load_pandas()
slopes, rejected = {}, {}
for name in sorted(set(CRITERIA) - {"mmse", "mcc-vc", "mcc-vc-efficient"}):
    with warnings.catch_warnings():
        # Moving centers may go on moving with no effect on the slopes.
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = RobustLinearRegressor(name).fit(data.exog, data.endog)
    slopes[name] = model.coef_[0]
    rejected[name] = [int(row) + 1 for row in (model.weights_ < 0.1).nonzero()[0]]
    print(f"{name:12} slope {slopes[name]:.3f}, rejected rows {rejected[name]}")
least = LinearRegression().fit(data.exog, data.endog).coef_[0]

figure, axis = plt.subplots(figsize=(6, 3.6), constrained_layout=True)
axis.axvline(least, color="0.6", linestyle=":", label="least squares")
axis.scatter(list(slopes.values()), list(slopes), color="#0173b2", zorder=3)
axis.set(xlabel="stack loss for each unit of air flow")
axis.legend(frameon=False)
