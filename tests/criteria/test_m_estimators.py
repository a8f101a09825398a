"""M-estimators against independent implementations."""

import numpy as np
import pytest
from criteria.literal import criterion, literal
from scipy import stats
from sklearn.linear_model import QuantileRegressor, Ridge

from mccvc.solvers.batch import fit_batch
from mccvc.solvers.irls import irls


def test_least_absolute_deviations_are_the_median_regression(problem):
    design, target = problem
    found = fit_batch(design, target, criterion("lad"), [0.0], intercept=True, max_iter=3000, tol=0)
    theirs = QuantileRegressor(quantile=0.5, alpha=0.0).fit(design, target)
    ours, best = (
        np.abs(target - design @ beta - level).sum()
        for beta, level in ((found.beta[0], found.intercept[0]), (theirs.coef_, theirs.intercept_))
    )
    assert ours == pytest.approx(best, rel=1e-5)


def test_student_t_is_its_maximum_likelihood():
    """On a column of ones: location and scale of scipy's t distribution."""
    sample = stats.t.rvs(3, loc=2.0, scale=0.7, size=400, random_state=5)
    ones = np.ones((400, 1))
    found = irls(ones, sample, criterion("student-t"), [0.0], max_iter=500, tol=1e-13)
    _, location, _ = stats.t.fit(sample, fix_df=3)
    assert found.beta[0, 0] == pytest.approx(location, abs=1e-4)


def test_tukey_starts_from_huber(problem):
    design, target = problem
    huber_fit = irls(design, target, criterion("huber"), [0.1], max_iter=100, tol=1e-6)
    first = []
    irls(
        design,
        target,
        criterion("tukey"),
        [0.1],
        tol=1e-6,
        trace=lambda k, problems, beta, *rest: first.append(beta.copy()),
    )
    weights = literal("tukey", target - design @ huber_fit.beta[0])[0]
    root = np.sqrt(weights / weights.max())[:, None]
    ridge = Ridge(alpha=0.1 / weights.max(), fit_intercept=False).fit(
        root * design, root[:, 0] * target
    )
    np.testing.assert_allclose(first[0][0], ridge.coef_, rtol=1e-6)
