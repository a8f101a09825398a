"""Data with outliers for all tests of criteria."""

import numpy as np
import pytest


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(4)
    design = rng.normal(size=(90, 4))
    noise = np.where(rng.random(90) < 0.15, rng.normal(6, 4, 90), rng.normal(0.3, 0.5, 90))
    return design, design @ [1.0, -2.0, 0.5, 0.0] + noise
