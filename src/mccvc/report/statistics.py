"""Tests and intervals of paired runs, and what they can detect."""

from dataclasses import asdict, dataclass

import numpy as np
import pandas as pd
from scipy import special

from mccvc.study.plan import MIN_RUNS

LEVEL = 0.95
POWER = 0.8
# Variance of a mean over very many random halves of one dataset, as a share of the variance between
# the halves: above what was found in each calibration (docs/evidence.md). Nadeau and Bengio's is 1.
OVERLAP = 0.15


@dataclass(frozen=True)
class Estimate:
    """A mean over runs.

    Attributes
    ----------
    mean : float
        Estimate.
    error : float
        Its standard error.
    n_runs : int
        Number of runs, one more than the degrees of freedom.
    """

    mean: float
    error: float
    n_runs: int

    @classmethod
    def of(cls, values):
        """Mean of independent values."""
        values = np.asarray(values, dtype=float)
        n = len(values)
        error = values.std(ddof=1) / np.sqrt(n) if n > 1 else np.nan
        return cls(float(values.mean()) if n else np.nan, float(error), n)

    def p_below(self, bound):
        """One-sided p value of "not below": small if the true mean is below the bound."""
        return self._p(self.mean - bound)

    def p_above(self, bound):
        """One-sided p value of "not above": small if the true mean is above the bound."""
        return self._p(bound - self.mean)

    def p_differs(self):
        """Two-sided p value of a true mean of 0."""
        return float(np.minimum(1.0, 2 * self._p(-abs(self.mean))))

    def interval(self):
        """95 % interval of the true mean."""
        if self.n_runs < MIN_RUNS:
            return np.nan, np.nan
        half = half_width(self.error, self.n_runs)
        return float(self.mean - half), float(self.mean + half)

    def detectable(self):
        """Distance from a bound that is seen with 80 % probability, one-sided at 2.5 %."""
        if self.n_runs < MIN_RUNS:
            return np.nan
        return _seen(self.error, self.n_runs)

    def _p(self, distance):
        if self.n_runs < MIN_RUNS or np.isnan(distance):
            return np.nan
        if self.error == 0:
            return 0.0 if distance < 0 else 1.0
        return float(special.stdtr(self.n_runs - 1, distance / self.error))


def half_width(error, n_runs):
    """Half of the 95 % interval of a mean over runs with a standard error, from Student's t."""
    return special.stdtrit(n_runs - 1, (1 + LEVEL) / 2) * error


def _seen(error, n_runs):
    """Distance that the one-sided t test at 2.5 % sees with 80 % probability."""
    return float(special.stdtrit(n_runs - 1, [(1 + LEVEL) / 2, POWER]).sum() * error)


class SignedRank:
    """The median of a few values whose distribution is symmetric, by Wilcoxon's signed-rank test.

    Parameters
    ----------
    values : ndarray of shape (n_values,)
        Independent values.
    """

    def __init__(self, values):
        self._values = np.asarray(values, dtype=float)

    def p_below(self, bound):
        """One-sided p value of "not below": small if the true median is below the bound."""
        return self._p(self._values - bound)

    def p_above(self, bound):
        """One-sided p value of "not above": small if the true median is above the bound."""
        return self._p(bound - self._values)

    def detectable(self):
        """Distance from a bound that is seen with about 80 % probability, one-sided at 2.5 %."""
        n = len(self._values)
        if n < 2:
            return np.nan
        return _seen(self._values.std(ddof=1) / np.sqrt(n), n)

    @staticmethod
    def _p(distances):
        distances = distances[distances != 0]
        if len(distances) < 1:
            return np.nan
        return _wilcoxon(distances, alternative="less")


@dataclass(frozen=True)
class Paired:
    """Comparison of two methods over the same runs; differences are first minus second.

    Three t tests differ in the variance that they give to the mean difference d of n runs with
    spread s: s^2 / n (``plain``), (1/n + overlap n_test / n_train) s^2 (``resampled``) and
    (1/n + n_test / n_train) s^2 (``corrected``: Nadeau and Bengio, Machine Learning 52, 2003).

    Attributes
    ----------
    n_runs : int
        Pairs of runs.
    difference : float
        Mean difference.
    mc_error : float
        Its Monte Carlo error, s / sqrt(n): what other seeds would change.
    resampled_error : float
        What other seeds and another sample of the same source would change.
    detectable : float
        Distance from a bound that the resampled test sees with 80 % probability.
    low, high : float
        95 % interval of the mean difference over the splits of this dataset.
    low_resampled, high_resampled : float
        95 % interval of the mean difference over samples of the same source.
    low_corrected, high_corrected : float
        The same after Nadeau and Bengio.
    win, tie, loss : int
        Runs in which the first is lower, equal, higher.
    p_plain, p_resampled, p_corrected, p_wilcoxon : float
        Two-sided p values of no difference.
    """

    n_runs: int
    difference: float
    mc_error: float
    resampled_error: float
    detectable: float
    low: float
    high: float
    low_resampled: float
    high_resampled: float
    low_corrected: float
    high_corrected: float
    win: int
    tie: int
    loss: int
    p_plain: float
    p_resampled: float
    p_corrected: float
    p_wilcoxon: float


def paired(first, second, test_ratio, overlap=OVERLAP):
    """Compare the results of two methods in the same runs.

    Wilcoxon's signed-rank test drops zero differences; ties get mean ranks.

    Parameters
    ----------
    first, second : ndarray of shape (n_runs,)
        Results of the runs, in the same order; lower is better.
    test_ratio : float
        n_test / n_train of the splits, 0 for independent runs, where all t tests are one.
    overlap : float, default OVERLAP
        What the overlap of the splits adds to the variance, from 0 to 1.

    Returns
    -------
    Paired
        With NaN for what fewer than :data:`MIN_RUNS` runs cannot tell.
    """
    differences = np.asarray(first, dtype=float) - np.asarray(second, dtype=float)
    plain = Estimate.of(differences)
    n = plain.n_runs
    resampled, corrected = (
        Estimate(plain.mean, plain.error * np.sqrt(1 + n * share * test_ratio), n)
        for share in (overlap, 1.0)
    )
    (low, high), (low_resampled, high_resampled), (low_corrected, high_corrected) = (
        estimate.interval() for estimate in (plain, resampled, corrected)
    )
    return Paired(
        n_runs=n,
        difference=plain.mean,
        mc_error=plain.error,
        resampled_error=resampled.error,
        detectable=resampled.detectable(),
        low=low,
        high=high,
        low_resampled=low_resampled,
        high_resampled=high_resampled,
        low_corrected=low_corrected,
        high_corrected=high_corrected,
        win=int((differences < 0).sum()),
        tie=int((differences == 0).sum()),
        loss=int((differences > 0).sum()),
        p_plain=plain.p_differs(),
        p_resampled=resampled.p_differs(),
        p_corrected=corrected.p_differs(),
        p_wilcoxon=wilcoxon(differences) if n >= MIN_RUNS else np.nan,
    )


def wilcoxon(differences):
    """Two-sided p value of Wilcoxon's signed-rank test; NaN for fewer than two differences."""
    if len(differences) < 2:
        return np.nan
    if not differences.any():
        return 1.0
    # Zeros go first: with them scipy would not use the exact distribution.
    return _wilcoxon(differences[differences != 0])


def _wilcoxon(differences, alternative="two-sided"):
    # Imported here, as below: tables and the page test nothing, and need not wait for it.
    from scipy import stats

    return float(stats.wilcoxon(differences, alternative=alternative).pvalue)


def holm(p_values):
    """Holm's adjustment of p values; NaN stays NaN and does not count.

    Parameters
    ----------
    p_values : array-like of shape (n_tests,)

    Returns
    -------
    ndarray of shape (n_tests,)
    """
    from statsmodels.stats.multitest import multipletests

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
    pairs : dict of tuple
        Names of the methods to compare, each pair with the overlap of :func:`paired`.

    Returns
    -------
    pandas.DataFrame
        ``group``, ``first``, ``second``, means over the common runs, the fields of
        :class:`Paired`, and p values adjusted by Holm's method over the groups, for each pair
        of methods on its own: what else ran changes none of them.
    """
    lines = []
    methods = list(dict.fromkeys(name for pair in pairs for name in pair))
    for name, ratio in ratios.items():
        part = rows[rows[group] == name]
        wide = part.pivot_table(index="run", columns=method, values=value).reindex(columns=methods)
        for (first, second), overlap in pairs.items():
            both = wide[[first, second]].dropna()
            one, other = both[first].to_numpy(), both[second].to_numpy()
            means = {"mean_first": _mean(one), "mean_second": _mean(other)}
            tests = asdict(paired(one, other, ratio, overlap))
            names = {"group": name, "first": first, "second": second}
            lines.append(names | {"overlap": overlap if ratio else 0.0} | means | tests)
    table = pd.DataFrame(lines, columns=_PAIRED)
    for test in ("plain", "resampled", "corrected", "wilcoxon"):
        by_pair = table.groupby(["first", "second"], sort=False)[f"p_{test}"]
        table[f"p_{test}_holm"] = by_pair.transform(holm)
    return table


_PAIRED = [
    *("group", "first", "second", "overlap", "mean_first", "mean_second"),
    *Paired.__dataclass_fields__,
]


def _mean(values):
    return values.mean() if len(values) else np.nan


def runs_needed(difference, spread, power=POWER):
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
    from scipy import integrate

    if n < 2:
        return 0.0
    if spread == 0:
        return float(difference != 0)
    freedom = n - 1
    bound = special.stdtrit(freedom, (1 + LEVEL) / 2)
    shift = abs(difference) / spread * np.sqrt(n)

    def rejected(quantile):
        needed = bound * np.sqrt(special.chdtri(freedom, 1 - quantile) / freedom)
        return special.ndtr(shift - needed) + special.ndtr(-shift - needed)

    return float(integrate.quad(rejected, 0.0, 1.0, limit=200)[0])


def smallest_detectable(spread, test_ratio, overlap=OVERLAP, power=POWER):
    """Smallest difference that the resampled test detects, however many the runs.

    With n to infinity its standard error tends to s sqrt(overlap n_test / n_train).

    Parameters
    ----------
    spread : float
        Standard deviation of the differences between runs.
    test_ratio : float
        n_test / n_train.
    overlap : float, default OVERLAP
        What the overlap of the splits adds to the variance, from 0 to 1.
    power : float, default 0.8
        Probability of detecting it.

    Returns
    -------
    float
    """
    quantiles = special.ndtri((1 + LEVEL) / 2) + special.ndtri(power)
    return float(quantiles * spread * np.sqrt(overlap * test_ratio))
