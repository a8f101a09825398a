"""Tests over the mean results of several methods on several datasets."""

from dataclasses import dataclass

import baycomp
import numpy as np
import pandas as pd
from scipy import stats

from mccvc.report.statistics import LEVEL, wilcoxon

# Seed and size of the samples that the Bayesian signed-rank test draws.
_SAMPLES, _SEED = 20_000, 0


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
    relative : dict of tuple
        Relative differences of the datasets, for each pair: (n_datasets,).
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
    relative: dict[tuple[str, str], np.ndarray]
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
    lines, differences = [], {}
    for first, second in pairs:
        relative = (2 * (whole[first] - whole[second]) / (whole[first] + whole[second])).to_numpy()
        differences[first, second] = relative
        lines.append(
            {"first": first, "second": second, "p_wilcoxon": wilcoxon(relative)}
            | _signed_rank(relative, rope)
        )
    return AcrossDatasets(
        n_datasets=n,
        left_out=[name for name in means.index if name not in whole.index],
        ranks=ranks,
        friedman=friedman,
        p_friedman=p_friedman,
        critical_difference=critical_difference(k, n),
        relative=differences,
        smallest_p=2.0 ** (1 - n) if n else np.nan,
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
