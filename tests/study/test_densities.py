import numpy as np
import pytest
from scipy import stats

from mccvc.correntropy import gaussian_kernel
from mccvc.study.densities import _GRID, KernelSet, error_density
from mccvc.study.linear import LinearSystem

SYSTEM = {
    "n_samples": 200_000,
    "weights": [1, 2],
    "input_limit": 2,
    "outlier_probability": 0.1,
    "outlier_variance": 10000,
}
NOISES = [
    {"family": "normal", "mean": 3, "variance": 1},
    {"family": "laplace", "mean": 0, "variance": 1},
    {"family": "chi-square", "dof": 3},
]


@pytest.mark.parametrize(
    ("noise", "known"),
    [*zip(NOISES, (stats.norm(3, 1), stats.laplace(0, np.sqrt(0.5)), stats.chi2(3)), strict=True)],
    ids=lambda value: value["family"] if isinstance(value, dict) else "",
)
def test_noise_has_the_known_density(noise, known):
    system = LinearSystem.of(SYSTEM | {"noise": noise})
    np.testing.assert_allclose(system.noise.density(_GRID), known.pdf(_GRID), atol=1e-15)


@pytest.mark.parametrize("noise", NOISES, ids=lambda noise: noise["family"])
@pytest.mark.parametrize("deviation", [(0.0, 0.0), (0.5, -1.0)])
def test_density_is_that_of_many_errors(noise, deviation):
    system = LinearSystem.of(SYSTEM | {"noise": noise})
    inputs, target = system.draw(np.random.default_rng(0))
    errors = target - inputs @ (np.array([1, 2]) - deviation)
    density = error_density(system, np.array(deviation))
    step = _GRID[1] - _GRID[0]
    cumulative = np.cumsum(density) * step + (errors < _GRID[0]).mean()
    for quantile in (-1.0, 0.5, 2.0, 4.0):
        place = np.searchsorted(_GRID, quantile)
        assert cumulative[place] == pytest.approx((errors <= quantile + step / 2).mean(), abs=0.01)


def test_distance_is_zero_for_the_kernel_itself_and_one_without_overlap():
    kernels = KernelSet([0.5, 1.0], [0.0, 20.0])
    found = kernels.distances(gaussian_kernel(_GRID, 1.0, 0.0))
    assert found[kernels.index(1.0, 0.0)] == pytest.approx(0, abs=1e-6)
    assert found[kernels.index(1.0, 20.0)] == pytest.approx(1, abs=1e-6)
    # Two normal densities that differ in scale by two cross at +-x: the distance is known.
    x = np.sqrt(np.log(2) * 2 / (4 - 1))
    from scipy.stats import norm

    expected = 2 * (norm.cdf(x / 0.5) - norm.cdf(x))
    assert found[kernels.index(0.5, 0.0)] == pytest.approx(expected, abs=1e-3)


def test_outliers_beyond_the_grid_count():
    density = error_density(LinearSystem.of(SYSTEM | {"noise": NOISES[0]}), np.zeros(2))
    best = KernelSet([1.0], [3.0]).distances(density)[0]
    assert best == pytest.approx(0.1, abs=0.005)
