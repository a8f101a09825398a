"""Tests and intervals against worked examples, other libraries and simulation."""

import warnings

import autorank
import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.linear_model import LinearRegression

from mccvc.report.across import across_datasets, critical_difference
from mccvc.report.statistics import (
    OVERLAP,
    Estimate,
    SignedRank,
    compare_pairs,
    holm,
    paired,
    runs_needed,
    smallest_detectable,
    t_test_power,
)

# Table 6 of Demsar (2006): AUC of four variants of C4.5 on 14 datasets. The source ranks the equal
# figures of "voting" as 2 and 3, from more digits than it prints.
DEMSAR = pd.DataFrame(
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.590, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000],
        [0.940, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.9751, 0.975],
        [0.957, 0.978, 0.946, 0.970],
    ],
    columns=["C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"],
)
PAIRS = [("C4.5", "C4.5+m")]


pytestmark = pytest.mark.slow


def test_ranks_and_friedman_of_demsar():
    """Average ranks 3.143, 2.000, 2.893, 1.964; chi-square 9.28 without correction for ties."""
    found = across_datasets((1 - DEMSAR).round(6), 0.01, PAIRS)
    np.testing.assert_allclose(found.ranks, [3.143, 2.000, 2.893, 1.964], atol=5e-4)
    n, k = DEMSAR.shape
    plain = 12 * n / (k * (k + 1)) * ((found.ranks**2).sum() - k * (k + 1) ** 2 / 4)
    assert plain == pytest.approx(9.28, abs=5e-3)
    # Ties can only raise the statistic, by the share of ranks that they leave equal.
    ranks = (1 - DEMSAR).round(6).rank(axis=1)
    ties = ranks.apply(lambda row: (row.value_counts() ** 3 - row.value_counts()).sum(), axis=1)
    assert found.friedman == pytest.approx(plain / (1 - ties.sum() / (n * (k**3 - k))))
    assert found.p_friedman == pytest.approx(stats.chi2.sf(found.friedman, k - 1))


def test_critical_differences():
    """1.25 for four methods on 14 datasets in Demsar; 1.2528 for three on seven."""
    assert critical_difference(4, 14) == pytest.approx(2.569 * np.sqrt(20 / 84), abs=1e-3)
    assert critical_difference(3, 7) == pytest.approx(1.2528, abs=5e-5)
    assert np.isnan(critical_difference(1, 7))


def test_wilcoxon_of_demsar():
    """C4.5 against C4.5+m, the two equal datasets dropped."""
    first, second = DEMSAR["C4.5"].to_numpy(), DEMSAR["C4.5+m"].to_numpy()
    found = paired(first, second, 0.0)
    differences = first - second
    assert found.p_wilcoxon == pytest.approx(stats.wilcoxon(differences[differences != 0]).pvalue)
    assert (found.win, found.tie, found.loss) == (10, 2, 2)


def test_across_datasets_agrees_with_autorank():
    rng = np.random.default_rng(3)
    means = pd.DataFrame(rng.normal([0.10, 0.11, 0.14], 0.01, (9, 3)), columns=list("abc"))
    found = across_datasets(means, 0.01, [("a", "b"), ("a", "c")])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = autorank.autorank(means, order="ascending", force_mode="nonparametric")
    assert theirs.omnibus == "friedman"
    assert found.p_friedman == pytest.approx(theirs.pvalue)
    assert found.critical_difference == pytest.approx(theirs.cd, rel=1e-4)
    for name in "abc":
        assert found.ranks[name] == pytest.approx(theirs.rankdf.loc[name, "meanrank"])


def test_dataset_without_all_methods_is_named():
    means = pd.DataFrame({"a": [1.0, 2, 3, 4], "b": [1.1, 2.1, np.nan, 4.1]}, index=list("wxyz"))
    found = across_datasets(means, 0.01, [("a", "b")])
    assert (found.n_datasets, found.left_out) == (3, ["y"])
    assert found.smallest_p == 0.25
    assert found.pairs["p_wilcoxon"][0] == 0.25


def test_smallest_wilcoxon_p_is_that_of_all_signs_equal():
    means = pd.DataFrame({"a": np.arange(1.0, 8), "b": np.arange(1.0, 8) * 1.1})
    found = across_datasets(means, 0.01, [("a", "b")])
    assert found.smallest_p == pytest.approx(0.0156, abs=5e-5)
    assert found.pairs["p_wilcoxon"][0] == pytest.approx(found.smallest_p)
    assert found.pairs["p_first"][0] > 0.99


def test_bayesian_test_sees_equivalence_and_direction():
    base = np.linspace(1, 2, 12)
    means = pd.DataFrame({"a": base, "near": base * 1.001, "worse": base * 1.05})
    pairs = across_datasets(means, 0.01, [("a", "near"), ("worse", "a")]).pairs
    assert pairs["p_equivalent"][0] > 0.99
    assert pairs["p_second"][1] > 0.99
    sums = pairs[["p_first", "p_equivalent", "p_second"]].sum(axis=1)
    np.testing.assert_allclose(sums, 1)


def test_plain_t_is_that_of_scipy():
    rng = np.random.default_rng(0)
    first, second = rng.normal(0.1, 0.02, 40), rng.normal(0.11, 0.02, 40)
    theirs = stats.ttest_rel(first, second)
    found = paired(first, second, 0.0)
    assert found.p_plain == found.p_corrected == pytest.approx(theirs.pvalue)
    low, high = theirs.confidence_interval()
    assert (found.low, found.high) == pytest.approx((low, high))
    assert found.mc_error == pytest.approx(stats.sem(first - second))


def test_corrected_t_is_nadeau_and_bengio():
    """t = mean / sqrt((1/n + n_test/n_train) s^2) with n - 1 degrees of freedom."""
    differences = np.array([0.01, -0.02, 0.03, 0.015, 0.0] * 2)
    found = paired(differences, np.zeros(10), 1.0)
    t = differences.mean() / np.sqrt((1 / 10 + 1.0) * differences.var(ddof=1))
    assert found.p_corrected == pytest.approx(2 * stats.t.sf(t, 9))
    half = stats.t.ppf(0.975, 9) * np.sqrt(1.1 * differences.var(ddof=1))
    assert found.low_corrected == pytest.approx(differences.mean() - half)
    assert found.high_corrected == pytest.approx(differences.mean() + half)
    error = np.sqrt((1 / 10 + OVERLAP) * differences.var(ddof=1))
    assert found.resampled_error == pytest.approx(error)
    assert found.low_resampled == pytest.approx(differences.mean() - stats.t.ppf(0.975, 9) * error)
    assert (found.win, found.tie, found.loss) == (2, 2, 6)
    assert found.p_corrected > found.p_resampled > found.p_plain


def test_degenerate_differences():
    equal = paired(np.ones(10), np.ones(10), 1.0)
    assert (equal.p_plain, equal.p_corrected, equal.p_wilcoxon) == (1, 1, 1)
    shifted = paired(np.ones(10), np.zeros(10), 1.0)
    assert (shifted.p_plain, shifted.loss) == (0, 10)


@pytest.mark.parametrize("n", [0, 1, 2, 9])
def test_fewer_than_ten_runs_are_not_judged(n):
    found = paired(np.arange(n) + 5.0, np.arange(n) * 2.0, 1.0)
    assert found.n_runs == n
    judged = [found.p_plain, found.p_resampled, found.p_corrected, found.p_wilcoxon]
    assert np.isnan([*judged, found.low, found.high_resampled, found.detectable]).all()
    assert np.isnan(found.mc_error) == (n < 2)


def test_holm_is_the_step_down_rule():
    np.testing.assert_allclose(
        holm([0.01, np.nan, 0.04, 0.03]), [0.03, np.nan, 0.06, 0.06], equal_nan=True
    )
    assert np.isnan(holm([np.nan, np.nan])).all()


def test_pairs_go_by_run_and_name_empty_cells():
    rows = pd.DataFrame(
        [("d", "a", run, 0.1 + 0.01 * run) for run in range(15)]
        + [("d", "b", run, 0.1) for run in range(14, 2, -1)]
        + [("e", "a", 0, 0.1), ("e", "a", 1, 0.2)],
        columns=["dataset", "method", "run", "test_rmse"],
    )
    table = compare_pairs(
        rows, "dataset", "method", "test_rmse", {"d": 1.0, "e": 1.0}, {("a", "b"): OVERLAP}
    ).set_index("group")
    assert table.loc["d", "n_runs"] == 12
    assert table.loc["d", "difference"] == pytest.approx(0.085)
    assert table.loc["e", "n_runs"] == 0
    assert np.isnan(table.loc["e", "p_corrected_holm"])
    assert table.loc["d", "p_corrected_holm"] == table.loc["d", "p_corrected"]


def test_holm_goes_over_the_groups_of_one_pair_only():
    rng = np.random.default_rng(0)
    rows = pd.DataFrame(
        (group, method, run, rng.normal())
        for group in "de"
        for method in "abc"
        for run in range(12)
    )
    rows.columns = ["dataset", "method", "run", "test_rmse"]
    ratios = {"d": 1.0, "e": 1.0}
    args = (rows, "dataset", "method", "test_rmse", ratios)
    both = compare_pairs(*args, {("a", "b"): OVERLAP, ("a", "c"): 1.0})
    alone = compare_pairs(*args, {("a", "b"): OVERLAP})
    kept = both[both["second"] == "b"].reset_index(drop=True)
    pd.testing.assert_frame_equal(kept, alone)
    expected = holm(alone["p_plain"])
    np.testing.assert_allclose(alone["p_plain_holm"], expected)


def _rejections(n_datasets, n_splits, n_rows, seed):
    """Shares of datasets on which each test finds two equally good methods different.

    The target is the sum of two equally distributed inputs and noise; each method regresses on
    one of them.
    """
    rng = np.random.default_rng(seed)
    rejected = {"plain": 0, "corrected": 0}
    for _ in range(n_datasets):
        inputs = rng.normal(size=(n_rows, 2))
        target = inputs.sum(axis=1) + rng.normal(size=n_rows)
        rmses = np.empty((n_splits, 2))
        for split in range(n_splits):
            order = rng.permutation(n_rows)
            train, test = order[: n_rows // 2], order[n_rows // 2 :]
            for j in range(2):
                column = inputs[:, j : j + 1]
                model = LinearRegression().fit(column[train], target[train])
                residual = target[test] - model.predict(column[test])
                rmses[split, j] = np.sqrt(np.mean(residual**2))
        found = paired(rmses[:, 0], rmses[:, 1], 1.0)
        rejected["plain"] += found.p_plain < 0.05
        rejected["corrected"] += found.p_corrected < 0.05
    return {name: count / n_datasets for name, count in rejected.items()}


def test_false_positives_of_equal_methods():
    """The corrected test keeps its 5 % within Monte Carlo error; the plain one far exceeds it."""
    shares = _rejections(n_datasets=400, n_splits=15, n_rows=80, seed=5)
    error = np.sqrt(0.05 * 0.95 / 400)
    assert shares["corrected"] <= 0.05 + 3 * error
    assert shares["plain"] > 0.2


def _ridge_rmses(rng, n_rows, n_splits, penalties, n_hidden=8):
    """RMSEs of ridge regression on one random hidden layer a split, a column for each penalty."""
    inputs = rng.uniform(size=(n_rows, 3))
    target = np.sin(3 * inputs[:, 0]) + inputs[:, 1] ** 2 + 0.2 * rng.normal(size=n_rows)
    rmses = np.empty((n_splits, len(penalties)))
    for split in range(n_splits):
        order = rng.permutation(n_rows)
        train, test = order[: n_rows // 2], order[n_rows // 2 :]
        hidden = np.tanh(
            inputs @ rng.uniform(-1, 1, (3, n_hidden)) + rng.uniform(-1, 1, (1, n_hidden))
        )
        for j, penalty in enumerate(penalties):
            gram = hidden[train].T @ hidden[train] + penalty * np.eye(n_hidden)
            beta = np.linalg.solve(gram, hidden[train].T @ target[train])
            rmses[split, j] = np.sqrt(np.mean((target[test] - hidden[test] @ beta) ** 2))
    return rmses


def test_errors_and_power_of_methods_on_the_same_halves_and_hidden_layer():
    """The design of the study: how often each t test misses the mean over all datasets."""
    rng = np.random.default_rng(11)
    n_datasets, n_splits = 200, 20
    rmses = [_ridge_rmses(rng, 80, n_splits, (1e-3, 3e-1)) for _ in range(n_datasets)]
    differences = np.array([r[:, 0] - r[:, 1] for r in rmses])
    truth = differences.mean()
    found = [paired(d, np.full(n_splits, truth), 1.0) for d in differences]
    plain, resampled, corrected = (
        np.mean([getattr(f, f"p_{test}") < 0.05 for f in found])
        for test in ("plain", "resampled", "corrected")
    )
    error = np.sqrt(0.05 * 0.95 / n_datasets)
    assert plain > 0.05 + 3 * error
    assert resampled <= 0.05 + 3 * error
    assert corrected <= resampled
    # A shift by what the resampled test detects: it does, the corrected one hardly ever.
    shifted = [
        paired(d + f.detectable, np.full(n_splits, truth), 1.0)
        for d, f in zip(differences, found, strict=True)
    ]
    assert np.mean([f.p_resampled < 0.05 for f in shifted]) > 0.75
    assert np.mean([f.p_corrected < 0.05 for f in shifted]) < 0.25


@pytest.mark.parametrize("n", [10, 100])
def test_paired_t_keeps_its_error_with_skewed_differences(n):
    """Differences of RMSEs, whose distributions have a longer tail to the right."""
    rng = np.random.default_rng(12)
    common = rng.gamma(4.0, 0.02, (4000, n))
    differences = common * rng.gamma(9.0, 1 / 9, (4000, n)) - common * rng.gamma(
        9.0, 1 / 9, (4000, n)
    )
    wrong = np.mean([Estimate.of(d).p_differs() < 0.05 for d in differences])
    assert wrong <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 4000)


def test_signed_rank_keeps_its_error_and_sees_large_gains():
    rng = np.random.default_rng(13)
    on_bound = [SignedRank(rng.normal(-1, 3, 7)).p_below(-1) <= 0.025 for _ in range(4000)]
    assert np.mean(on_bound) <= 0.025
    far = [SignedRank(rng.normal(-11, 3, 7)).p_below(-1) <= 0.025 for _ in range(500)]
    assert np.mean(far) > 0.9
    assert SignedRank([-2.0] * 7).p_below(-1) == pytest.approx(1 / 2**7)
    assert np.isnan(SignedRank([]).p_below(0))
    assert np.isnan(SignedRank([]).detectable())


def test_runs_needed_is_the_power_of_the_t_test():
    n = runs_needed(0.5, 1.0)
    assert n == 34  # the textbook's example of a medium effect, paired t, power 0.8
    rng = np.random.default_rng(2)
    samples = rng.normal(0.5, 1.0, (4000, n))
    detected = (stats.ttest_1samp(samples, 0, axis=1).pvalue < 0.05).mean()
    assert detected == pytest.approx(0.8, abs=0.025)
    assert runs_needed(1.0, 0.0) == runs_needed(1.0, 1e-300) == 2


@pytest.mark.parametrize("effect", [0.3, 1.0, 3.0, 5.6, 8.0, 12.0, 20.0, 100.0])
def test_power_is_that_of_simulated_tests(effect):
    """SciPy's noncentral t is NaN for some of these effects."""
    rng = np.random.default_rng(4)
    for n in (2, 3, 5, 30):
        samples = rng.normal(effect, 1.0, (20_000, n))
        detected = (stats.ttest_1samp(samples, 0, axis=1).pvalue < 0.05).mean()
        error = np.sqrt(max(detected * (1 - detected), 1e-4) / 20_000)
        assert t_test_power(n, effect, 1.0) == pytest.approx(detected, abs=5 * error)


def test_runs_needed_for_large_effects_have_the_power():
    for effect in np.linspace(0.5, 40, 80):
        n = runs_needed(effect, 1.0)
        assert t_test_power(n, effect, 1.0) >= 0.8
        assert n == 2 or t_test_power(n - 1, effect, 1.0) < 0.8
    assert [runs_needed(effect, 1.0) for effect in (5.6, 8, 11, 12)] == [3, 3, 3, 2]


def test_runs_needed_for_tiny_effects_are_those_of_the_normal_distribution():
    expected = (stats.norm.ppf(0.975) + stats.norm.ppf(0.8)) ** 2 / 1e-4**2
    assert runs_needed(1e-4, 1.0) == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize(
    ("difference", "spread"), [(0.0, 1.0), (np.nan, 1.0), (np.inf, 1.0), (1.0, np.nan), (1.0, -1.0)]
)
def test_runs_needed_refuses_what_has_no_answer(difference, spread):
    with pytest.raises(ValueError, match="expected a finite number"):
        runs_needed(difference, spread)


def test_smallest_detectable_is_reached_by_no_number_of_runs():
    smallest = smallest_detectable(1.0, 1.0)
    assert smallest == pytest.approx((1.96 + 0.8416) * np.sqrt(OVERLAP), abs=1e-3)
    n = 1_000_000
    error = np.sqrt(1 / n + OVERLAP)
    power = stats.nct.sf(stats.t.ppf(0.975, n - 1), n - 1, smallest / error)
    assert power == pytest.approx(0.8, abs=0.001)
    assert smallest_detectable(0.0, 1.0) == 0.0
