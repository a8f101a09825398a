import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import gaussian, matching

from mccvc.correntropy import correntropy, gaussian_kernel, matching_objective
from mccvc.scale import weighted_quantile
from mccvc.width_center import _mean_kernels, _spacing, select_width_center

WIDTHS = np.round(np.arange(1, 26) * 0.2, 10)
CENTERS = np.round(np.arange(-50, 51) * 0.1, 10)


def direct_choice(errors, widths, centers):
    """Width and center with the smallest objective, every pair evaluated."""
    values = [[matching_objective(errors, s, c) for c in centers] for s in widths]
    i, j = np.unravel_index(np.argmin(values), np.shape(values))
    return widths[i], centers[j]


def test_kernel_and_correntropy_follow_the_formulas():
    errors = np.array([-1.0, 0.3, 4.0])
    expected = [gaussian(e - 0.5, 0.7) for e in errors]
    np.testing.assert_allclose(gaussian_kernel(errors, 0.7, 0.5), expected, rtol=1e-13)
    assert correntropy(errors, 0.7, 0.5) == pytest.approx(np.mean(expected), rel=1e-13)
    assert matching_objective(errors, 0.7, 0.5) == pytest.approx(matching(errors, 0.7, 0.5))


@pytest.mark.slow
@given(st.integers(0, 2**32 - 1), st.sampled_from([0.05, 0.5, 3.0]))
def test_search_equals_evaluation_of_every_pair(seed, scale):
    rng = np.random.default_rng(seed)
    errors = rng.normal(rng.uniform(-4, 4), scale, 60)
    errors[:6] = rng.normal(0, 100, 6)
    sigma, center = select_width_center(errors[None], WIDTHS, CENTERS)
    assert (sigma[0], center[0]) == direct_choice(errors, WIDTHS, CENTERS)


def test_search_of_a_batch_is_that_of_each_problem():
    rng = np.random.default_rng(0)
    errors = rng.normal(1, [[0.2], [1.0], [3.0]], (3, 80))
    sigma, center = select_width_center(errors, WIDTHS, "median")
    for row, s, c in zip(errors, sigma, center, strict=True):
        assert c == np.median(row)
        assert s == direct_choice(row, WIDTHS, [c])[0]


def test_two_equal_modes_give_the_lower_center_in_any_row_order():
    errors = np.repeat([-3.0, 3.0], 20) + np.tile(np.linspace(-0.1, 0.1, 20), 2)
    rng = np.random.default_rng(0)
    for _ in range(20):
        _, center = select_width_center(rng.permutation(errors)[None], WIDTHS, CENTERS)
        assert center[0] == -3.0


def test_mean_serves_as_center():
    errors = np.array([[0.0, 1.0, 5.0]])
    assert select_width_center(errors, WIDTHS, "mean")[1][0] == pytest.approx(2.0, rel=1e-15)


@given(st.integers(0, 2**32 - 1), st.floats(0.03, 30), st.floats(-1000, 1000))
def test_sums_over_equally_spaced_centers_are_exact(seed, width, offset):
    rng = np.random.default_rng(seed)
    errors = offset + rng.standard_cauchy((2, 50))
    centers = offset + CENTERS
    weight = rng.random(50)
    spacing = (centers[-1] - centers[0]) / (len(centers) - 1)
    found = _mean_kernels(errors, np.array([width]), np.stack([centers] * 2), weight, spacing)[:, 0]
    scaled = (errors[:, None, :] - centers[:, None]) / width
    direct = np.exp(-0.5 * scaled**2) @ weight
    np.testing.assert_allclose(found, direct, rtol=1e-9, atol=1e-13 * weight.sum())


def test_equal_spacing_is_recognized():
    assert _spacing(CENTERS) == pytest.approx(0.1)
    assert _spacing(CENTERS + 1e-6 * np.sin(CENTERS)) == 0.0
    assert _spacing("median") == 0.0


def test_search_over_many_errors_needs_little_memory():
    errors = np.random.default_rng(1).normal(1.0, 0.5, (1, 200_000))
    tracemalloc.start()
    sigma, center = select_width_center(errors, WIDTHS, CENTERS)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (sigma[0], center[0]) == pytest.approx((0.6, 1.0))
    assert peak < 30e6


def test_batches_weights_and_the_default_center():
    errors = np.array([[-1.0, 0.3, 4.0], [0.5, 0.2, -0.1]])
    weight = np.array([1.0, 2.0, 0.5])
    kernels = np.array([[gaussian(e, 0.7) for e in row] for row in errors])
    expected = kernels @ weight / weight.sum()
    np.testing.assert_allclose(correntropy(errors, 0.7, sample_weight=weight), expected, rtol=1e-13)
    np.testing.assert_allclose(gaussian_kernel(errors, 0.7), kernels, rtol=1e-13)
    widths, centers = np.array([0.7, 2.0]), np.array([0.0, 1.0])
    found = matching_objective(errors, widths, centers, weight)
    for value, row, s, c in zip(found, errors, widths, centers, strict=True):
        match = np.average([gaussian(e - c, s) for e in row], weights=weight)
        assert value == pytest.approx(1 / (2 * np.sqrt(np.pi) * s) - 2 * match)


@given(st.integers(0, 2**32 - 1))
def test_weights_count_as_repeated_errors(seed):
    rng = np.random.default_rng(seed)
    errors = rng.normal(1.0, 1.0, 15)
    repeats = rng.integers(1, 4, 15)
    repeated = np.repeat(errors, repeats)
    for centers in (CENTERS, "median", "mean"):
        weighted = select_width_center(errors[None], WIDTHS, centers, repeats.astype(float))
        plain = select_width_center(repeated[None], WIDTHS, centers)
        np.testing.assert_allclose(weighted, plain, rtol=1e-12)
    for q in (0.0, 0.25, 0.5, 0.9, 1.0):
        found = weighted_quantile(errors, q, repeats.astype(float))
        assert found == pytest.approx(np.quantile(repeated, q, method="averaged_inverted_cdf"))


def test_centers_of_each_problem_may_differ():
    errors = np.array([[0.0, 0.1, -0.1, 9.0], [5.0, 5.1, 4.9, 0.0]])
    centers = np.array([[-1.0, 0.0, 1.0], [4.0, 5.0, 6.0]])
    sigma, center = select_width_center(errors, np.array([0.2, 0.4]), centers)
    assert list(center) == [0.0, 5.0]
    assert list(sigma) == [0.2, 0.2]


def test_quantiles_of_a_batch_are_those_of_each_row():
    rng = np.random.default_rng(2)
    values, weight = rng.normal(size=(3, 9)), rng.integers(1, 4, 9).astype(float)
    for q in (0.0, 0.3, 0.5, 1.0):
        rows = [weighted_quantile(row, q, weight) for row in values]
        np.testing.assert_array_equal(weighted_quantile(values, q, weight), rows)
        plain = np.quantile(values, q, axis=1, method="averaged_inverted_cdf")
        np.testing.assert_allclose(weighted_quantile(values, q), plain)


@pytest.mark.parametrize("centers", [CENTERS, np.geomspace(0.1, 5, 20)], ids=["equal", "unequal"])
def test_many_errors_are_summed_in_parts(centers):
    errors = np.random.default_rng(3).normal(1.0, 0.5, (2, 60_000))
    weight = np.full(60_000, 1 / 60_000)
    spread = np.stack([centers] * 2)
    found = _mean_kernels(errors, np.array([0.6]), spread, weight, _spacing(centers))[:, 0]
    for row, errors_of_one in zip(found, errors, strict=True):
        direct = [np.exp(-0.5 * ((errors_of_one - c) / 0.6) ** 2).mean() for c in centers]
        np.testing.assert_allclose(row, direct, rtol=1e-11, atol=1e-15)
