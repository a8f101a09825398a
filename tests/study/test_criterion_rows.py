"""Rows of the ELM experiment for the criteria beside the paper's, and for direct links."""

import numpy as np
import pytest
from criteria.literal import POINTS
from sklearn.linear_model import Ridge
from study.one_run import row

from mccvc.hidden_layer import HiddenLayer
from mccvc.study.seeds import generator


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    inputs = rng.random((81, 3))
    return inputs, np.sin(4 * inputs[:, 0]) * inputs[:, 1] + rng.normal(0, 0.01, 81)


@pytest.mark.parametrize("name", POINTS)
def test_row_of_a_further_criterion(name, data):
    grid = {key: [value, 2 * value] for key, value in POINTS[name].items() if key != "a"}
    grid |= {"a": [0.2, 0.5]} if "a" in POINTS[name] else {}
    fit = {"criterion": name, "lam": [1e-6, 1e-3], "grid": grid, "intercept": True}
    made = row(fit, data, 0)
    assert 0.005 < made["test_rmse"] < 0.3
    assert "sigma" not in made
    assert ("parameters" in made) == bool(grid)


def test_direct_links_are_columns_beside_the_hidden_layer(data):
    """RVFL: ridge regression on [X, H] and a column of ones."""
    inputs, target = data
    fit = {"criterion": "mmse", "lam": [1e-3], "direct": True, "intercept": True}
    made = row(fit, data, 1, n_hidden=(20,))
    layer = HiddenLayer(3, 20, generator(3, "elm", "toy", 1, "hidden"))
    columns = np.hstack([inputs, layer(inputs)])
    order = generator(3, "elm", "toy", 1, "split").permutation(81)
    train, test = order[:40], order[40:80]
    model = Ridge(alpha=1e-3).fit(columns[train], target[train])
    errors = target[test] - model.predict(columns[test])
    assert made["test_rmse"] == pytest.approx(np.sqrt(np.mean(errors**2)), rel=1e-6)
    assert made["n_hidden"] == 20
