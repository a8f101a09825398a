"""Tests and intervals: paired over the runs of one dataset, and across datasets."""

from dataclasses import asdict, dataclass

import baycomp
import numpy as np
import pandas as pd
from scipy import integrate, special, stats
from statsmodels.stats.multitest import multipletests

LEVEL = 0.95
# Seed and size of the samples that the Bayesian signed-rank test draws.
_SAMPLES, _SEED = 20_000, 0


@dataclass(frozen=True)
class Paired:
    """Comparison of two methods over the same runs; differences are first minus second.

    Attributes
    ----------
    n_runs : int
        Pairs of runs.
    difference : float
        Mean difference.
    mc_error : float
        Its Monte Carlo error, s / sqrt(n): what other seeds would change.
    low, high : float
        95 % interval of the mean difference over the splits of this dataset (plain t).
    low_corrected, high_corrected : float
        95 % interval that allows for the overlap of the splits (corrected resampled t).
    win, tie, loss : int
        Runs in which the first is lower, equal, higher.
    p_plain, p_corrected, p_wilcoxon : float
        Two-sided p values of no difference.
    """

    n_runs: int
    difference: float
    mc_error: float
    low: float
    high: float
    low_corrected: float
    high_corrected: float
    win: int
    tie: int
    loss: int
    p_plain: float
    p_corrected: float
    p_wilcoxon: float


def paired(first, second, test_ratio):
    """Compare the results of two methods in the same runs.

    The variance of the corrected resampled t test is (1/n + n_test / n_train) s^2: random splits
    share samples, so that n of them hold less than n independent ones (Nadeau and Bengio, Machine
    Learning 52, 2003). Wilcoxon's signed-rank test drops zero differences; ties get mean ranks.

    Parameters
    ----------
    first, second : ndarray of shape (n_runs,)
        Results of the runs, in the same order; lower is better.
    test_ratio : float
        n_test / n_train of the splits, 0 for independent runs, where both t tests are one.

    Returns
    -------
    Paired
        With NaN for what fewer than two runs cannot tell.
    """
    differences = np.asarray(first, dtype=float) - np.asarray(second, dtype=float)
    n = len(differences)
    mean = float(differences.mean()) if n else np.nan
    spread = float(differences.std(ddof=1)) if n > 1 else np.nan
    plain, corrected = np.sqrt(1 / n) * spread if n else np.nan, np.nan
    if n:
        corrected = np.sqrt(1 / n + test_ratio) * spread
    quantile = stats.t.ppf((1 + LEVEL) / 2, n - 1) if n > 1 else np.nan
    return Paired(
        n_runs=n,
        difference=mean,
        mc_error=plain,
        low=mean - quantile * plain,
        high=mean + quantile * plain,
        low_corrected=mean - quantile * corrected,
        high_corrected=mean + quantile * corrected,
        win=int((differences < 0).sum()),
        tie=int((differences == 0).sum()),
        loss=int((differences > 0).sum()),
        p_plain=_t_test(mean, plain, n),
        p_corrected=_t_test(mean, corrected, n),
        p_wilcoxon=_wilcoxon(differences),
    )


def _t_test(mean, error, n):
    if n < 2:
        return np.nan
    if error == 0:
        return 1.0 if mean == 0 else 0.0
    return float(2 * stats.t.sf(abs(mean) / error, n - 1))


def _wilcoxon(differences):
    if len(differences) < 2:
        return np.nan
    if not differences.any():
        return 1.0
    # Zeros go first: with them scipy would not use the exact distribution.
    return float(stats.wilcoxon(differences[differences != 0]).pvalue)


def holm(p_values):
    """Holm's adjustment of p values; NaN stays NaN and does not count.

    Parameters
    ----------
    p_values : array-like of shape (n_tests,)

    Returns
    -------
    ndarray of shape (n_tests,)
    """
    p_values = np.asarray(p_values, dtype=float)
    adjusted = np.full(len(p_values), np.nan)
    known = ~np.isnan(p_values)
    if known.any():
        adjusted[known] = multipletests(p_values[known], method="holm")[1]
    return adjusted


def compare_pairs(rows, group, method, value, ratios, pairs):
    """Pairs of methods in every group, paired by run.

    Parameters
    ----------
    rows : pandas.DataFrame
        Rows without failed runs, with ``run`` and the columns named below.
    group, method, value : str
        Columns of the dataset or case, of the method, and of what is compared.
    ratios : dict
        n_test / n_train by group; 0 for independent runs.
    pairs : list of tuple
        Names of the methods to compare.

    Returns
    -------
    pandas.DataFrame
        ``group``, ``first``, ``second``, means over the common runs, the fields of
        :class:`Paired`, and p values adjusted by Holm's method over the table.
    """
    lines = []
    methods = list(dict.fromkeys(name for pair in pairs for name in pair))
    for name, ratio in ratios.items():
        part = rows[rows[group] == name]
        wide = part.pivot_table(index="run", columns=method, values=value).reindex(columns=methods)
        for first, second in pairs:
            both = wide[[first, second]].dropna()
            one, other = both[first].to_numpy(), both[second].to_numpy()
            means = {"mean_first": _mean(one), "mean_second": _mean(other)}
            tests = asdict(paired(one, other, ratio))
            lines.append({"group": name, "first": first, "second": second} | means | tests)
    table = pd.DataFrame(lines, columns=_PAIRED)
    for test in ("plain", "corrected", "wilcoxon"):
        table[f"p_{test}_holm"] = holm(table[f"p_{test}"])
    return table


_PAIRED = [
    *("group", "first", "second", "mean_first", "mean_second"),
    *Paired.__dataclass_fields__,
]


def _mean(values):
    return values.mean() if len(values) else np.nan


@dataclass(frozen=True)
class AcrossDatasets:
    """Tests over the mean results of several methods on several datasets.

    Attributes
    ----------
    n_datasets : int
        Datasets on which every method has a result.
    left_out : list of str
        The others.
    ranks : pandas.Series
        Average rank of each method, 1 for the lowest mean; ties share ranks.
    friedman, p_friedman : float
        Statistic and p value of Friedman's test.
    critical_difference : float
        Nemenyi's, at 5 %: smaller differences of average ranks are within chance.
    smallest_p : float
        The smallest p value that a two-sided Wilcoxon test on so many datasets can give.
    pairs : pandas.DataFrame
        ``first``, ``second``, ``p_wilcoxon``, and the probabilities that the next dataset
        favours the first, neither by more than the region of practical equivalence, the second.
    """

    n_datasets: int
    left_out: list[str]
    ranks: pd.Series
    friedman: float
    p_friedman: float
    critical_difference: float
    smallest_p: float
    pairs: pd.DataFrame


def across_datasets(means, rope, pairs):
    """Compare methods over datasets.

    Friedman's test with Nemenyi's critical difference as in Demsar, JMLR 7, 2006; Wilcoxon's
    signed-rank test and its Bayesian form (Benavoli et al., ICML 2014) on relative differences,
    so that a dataset with large errors counts no more than another.

    Parameters
    ----------
    means : pandas.DataFrame
        Mean results, a row for each dataset, a column for each method; lower is better.
    rope : float
        Half width of the region of practical equivalence, as a share of the mean of both.
    pairs : list of tuple
        Names of the methods to compare by pairs.

    Returns
    -------
    AcrossDatasets
    """
    whole = means.dropna()
    n, k = whole.shape
    ranks = whole.rank(axis=1).mean()
    friedman, p_friedman = np.nan, np.nan
    if n > 1 and k > 2 and (whole.max(axis=1) > whole.min(axis=1)).any():
        friedman, p_friedman = map(float, stats.friedmanchisquare(*whole.T.to_numpy()))
    lines = []
    for first, second in pairs:
        relative = (2 * (whole[first] - whole[second]) / (whole[first] + whole[second])).to_numpy()
        lines.append(
            {"first": first, "second": second, "p_wilcoxon": _wilcoxon(relative)}
            | _signed_rank(relative, rope)
        )
    return AcrossDatasets(
        n_datasets=n,
        left_out=[name for name in means.index if name not in whole.index],
        ranks=ranks,
        friedman=friedman,
        p_friedman=p_friedman,
        critical_difference=critical_difference(k, n),
        smallest_p=2.0 ** (1 - n),
        pairs=pd.DataFrame(lines, columns=_PAIR),
    )


_PAIR = ["first", "second", "p_wilcoxon", "p_first", "p_equivalent", "p_second"]


def critical_difference(n_methods, n_datasets):
    """Nemenyi's critical difference of average ranks at 5 % (Demsar 2006).

    Parameters
    ----------
    n_methods, n_datasets : int

    Returns
    -------
    float
    """
    if n_methods < 2 or n_datasets < 1:
        return np.nan
    quantile = stats.studentized_range.ppf(LEVEL, n_methods, np.inf) / np.sqrt(2)
    return float(quantile * np.sqrt(n_methods * (n_methods + 1) / (6 * n_datasets)))


def _signed_rank(relative, rope):
    """Probabilities that the first is lower, that both are equivalent, that the second is."""
    if len(relative) < 1:
        return dict.fromkeys(_PAIR[3:], np.nan)
    zeros = np.zeros_like(relative)
    probabilities = baycomp.SignedRankTest.probs(
        zeros, relative, rope=rope, nsamples=_SAMPLES, random_state=_SEED
    )
    first, equivalent, second = (
        probabilities if rope > 0 else (probabilities[0], 0.0, probabilities[1])
    )
    return {"p_first": first, "p_equivalent": equivalent, "p_second": second}


def runs_needed(difference, spread, power=0.8):
    """Runs after which the plain paired t test detects a difference at 5 %.

    Parameters
    ----------
    difference : float
        True mean difference, not 0.
    spread : float
        Standard deviation of the differences between runs.
    power : float, default 0.8
        Probability of detecting it.

    Returns
    -------
    int
        At least 2.

    Raises
    ------
    ValueError
        If the difference is 0 or not finite, or the spread negative or not finite.
    """
    if difference == 0 or not np.isfinite(difference):
        raise ValueError(f"difference {difference:g}; expected a finite number other than 0")
    if not 0 <= spread < np.inf:
        raise ValueError(f"spread {spread:g}; expected a finite number >= 0")
    n = 2
    while t_test_power(n, difference, spread) < power:
        n *= 2
    low = n // 2
    while n - low > 1:
        middle = (n + low) // 2
        if t_test_power(middle, difference, spread) >= power:
            n = middle
        else:
            low = middle
    return n


def t_test_power(n, difference, spread):
    """Power of the two-sided paired t test at 5 %.

    An integral over the distribution of the estimated spread: SciPy's noncentral t distribution
    is NaN for many effects beyond three standard deviations.

    Parameters
    ----------
    n : int
        Number of runs.
    difference : float
        True mean difference.
    spread : float
        Standard deviation of the differences between runs.

    Returns
    -------
    float
    """
    if n < 2:
        return 0.0
    if spread == 0:
        return float(difference != 0)
    freedom = n - 1
    bound = stats.t.ppf((1 + LEVEL) / 2, freedom)
    shift = abs(difference) / spread * np.sqrt(n)

    def rejected(quantile):
        needed = bound * np.sqrt(special.chdtri(freedom, 1 - quantile) / freedom)
        return special.ndtr(shift - needed) + special.ndtr(-shift - needed)

    return float(integrate.quad(rejected, 0.0, 1.0, limit=200)[0])


def smallest_detectable(spread, test_ratio, power=0.8):
    """Smallest difference that the corrected test detects, however many the runs.

    With n to infinity its standard error tends to s sqrt(n_test / n_train).

    Parameters
    ----------
    spread : float
        Standard deviation of the differences between runs.
    test_ratio : float
        n_test / n_train.
    power : float, default 0.8
        Probability of detecting it.

    Returns
    -------
    float
    """
    quantiles = stats.norm.ppf((1 + LEVEL) / 2) + stats.norm.ppf(power)
    return float(quantiles * spread * np.sqrt(test_ratio))
