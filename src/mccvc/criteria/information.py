"""Information-theoretic criteria beside the paper's: correntropies and error entropies.

Each class follows its source's stationary condition for the linear model t = H beta + e, up to
the scale of lambda'. The parameters are arrays with an element for each problem of a batch. kappa
is the Gaussian kernel with peak 1, exp(-e^2 / (2 sigma^2)).
"""

from bisect import bisect
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mccvc.arrays import Array
from mccvc.correntropy import SQRT_2PI
from mccvc.criteria.base import (
    COUNT,
    NONNEGATIVE,
    POSITIVE,
    SHARE,
    SMALLEST_SHARE,
    Criterion,
    Iterate,
    Step,
    floored,
)
from mccvc.scale import weighted_quantile


@dataclass(frozen=True)
class GMCC(Criterion):
    """Generalized correntropy, ``|e|^(alpha - 2) exp(-|e / b|^alpha)``; alpha = 2 is correntropy.

    Chen, Xing, Zhao, Zheng and Principe, IEEE Trans. Signal Process. 64, 2016. For alpha < 2,
    ``|e|`` is at least 10^-6 of the largest error.

    Parameters
    ----------
    alpha : ndarray of shape (n_problems,)
        Shape, > 0.
    b : ndarray of shape (n_problems,)
        Bandwidth, > 0, in the units of the target.
    """

    alpha: Array
    b: Array
    limits: ClassVar = {"alpha": POSITIVE, "b": POSITIVE}

    @property
    def step_length(self) -> Array:
        """Below 1 where a whole step would cycle."""
        return _length_without_cycle(self.alpha)

    def weight(self, errors: Array, sample_weight: Array | None = None) -> Array:
        """Weights of the errors."""
        alpha, b = self.alpha[:, None], self.b[:, None]
        size = floored(errors)
        return size ** (alpha - 2) * np.exp(-((size / b) ** alpha))


@dataclass(frozen=True)
class KMPE(Criterion):
    """Kernel mean p-power error, (1 - kappa)^((p - 2) / 2) kappa; p = 2 is correntropy.

    Chen, Xing, Wang, Qin and Zheng, IEEE Trans. Cybern. 48, 2018 (arXiv 1612.07019). For p < 2,
    1 - kappa is at least 10^-6.

    Parameters
    ----------
    sigma : ndarray of shape (n_problems,)
        Kernel width, > 0, in the units of the target.
    p : ndarray of shape (n_problems,)
        Power, > 0.
    """

    sigma: Array
    p: Array
    limits: ClassVar = {"sigma": POSITIVE, "p": POSITIVE}

    @property
    def step_length(self) -> Array:
        """Below 1 where a whole step would cycle."""
        return _length_without_cycle(self.p)

    def weight(self, errors: Array, sample_weight: Array | None = None) -> Array:
        """Weights of the errors."""
        exponent = -((errors / self.sigma[:, None]) ** 2) / 2
        p = self.p[:, None]
        distance = np.maximum(-np.expm1(exponent), np.where(p < 2, SMALLEST_SHARE, 0.0))
        return distance ** (p / 2 - 1) * np.exp(exponent)


@dataclass(frozen=True)
class KRSL(Criterion):
    """Kernel risk-sensitive loss, kappa exp(mu (1 - kappa)); mu = 0 is correntropy.

    Chen, Xing, Xu, Zhao, Zheng and Principe, IEEE Trans. Signal Process. 65, 2017.

    Parameters
    ----------
    sigma : ndarray of shape (n_problems,)
        Kernel width, > 0, in the units of the target.
    mu : ndarray of shape (n_problems,)
        Risk-sensitive parameter, >= 0.
    """

    sigma: Array
    mu: Array
    limits: ClassVar = {"sigma": POSITIVE, "mu": NONNEGATIVE}

    def weight(self, errors: Array, sample_weight: Array | None = None) -> Array:
        """Weights of the errors."""
        exponent = -((errors / self.sigma[:, None]) ** 2) / 2
        return np.exp(exponent - self.mu[:, None] * np.expm1(exponent))


@dataclass(frozen=True)
class MixtureMCC(Criterion):
    """Mixture correntropy, a / s1^2 kappa_s1 + (1 - a) / s2^2 kappa_s2.

    The gradient of a kappa_s1 + (1 - a) kappa_s2, kernels of peak 1: Chen, Wang, Lu, Wang, Cao
    and Qin, Pattern Recognit. 79, 2018.

    Parameters
    ----------
    sigma, sigma2 : ndarray of shape (n_problems,)
        Kernel widths, > 0, in the units of the target.
    a : ndarray of shape (n_problems,)
        Share of the first kernel, from 0 to 1.
    """

    sigma: Array
    sigma2: Array
    a: Array
    limits: ClassVar = {"sigma": POSITIVE, "sigma2": POSITIVE, "a": SHARE}

    def weight(self, errors: Array, sample_weight: Array | None = None) -> Array:
        """Weights of the errors."""
        a = self.a[:, None]
        first, second = (
            np.exp(-((errors / s) ** 2) / 2) / s**2
            for s in (self.sigma[:, None], self.sigma2[:, None])
        )
        return a * first + (1 - a) * second


@dataclass(frozen=True)
class MMKCC(Criterion):
    """Multi-kernel correntropy with a center for each kernel.

    Kernels of both widths sit at each of `n_centers` centers, which k-means finds in the errors.
    Their shares match the density of the errors, a = (K + gamma I)^-1 h with K_ij =
    G_sqrt(si^2 + sj^2)(c_i - c_j) and h_i = mean G_si(e - c_i); negative ones become 0. Weights
    are sum_i a_i / si^2 G_si(e - c_i), and each sample's center is the mean of the c_i under the
    terms of that sum. Chen, Xie, Wang, Yuan, Ren and Qin, IEEE Trans. Cybern. 52, 2022 (arXiv
    1905.10115); k-means starts at quantiles.

    Parameters
    ----------
    sigma, sigma2 : ndarray of shape (n_problems,)
        Kernel widths, > 0, in the units of the target.
    n_centers : ndarray of shape (n_problems,)
        Number of centers, >= 1.
    gamma : ndarray of shape (n_problems,)
        Regularization of the shares, > 0.
    """

    sigma: Array
    sigma2: Array
    n_centers: Array
    gamma: Array
    limits: ClassVar = {
        "sigma": POSITIVE,
        "sigma2": POSITIVE,
        "n_centers": COUNT,
        "gamma": POSITIVE,
    }

    def weights(self, errors: Array, sample_weight: Array | None = None) -> tuple[Array, Array]:
        """Weights and centers of the errors, both (n_problems, n_samples)."""
        pairs = [self._of(b, row, sample_weight) for b, row in enumerate(errors)]
        weights, centers = map(np.array, zip(*pairs, strict=True))
        return weights, centers

    def _of(self, problem: int, errors: Array, sample_weight: Array | None) -> tuple[Array, Array]:
        means = _k_means(errors, int(self.n_centers[problem]), sample_weight)
        centers = np.tile(means, 2)
        widths = np.repeat([self.sigma[problem], self.sigma2[problem]], len(means))
        density = _normal(errors - centers[:, None], widths[:, None])
        both = np.sqrt(widths[:, None] ** 2 + widths**2)
        overlap = _normal(centers[:, None] - centers, both)
        regular = overlap + self.gamma[problem] * np.eye(len(centers))
        match = np.average(density, axis=1, weights=sample_weight)
        shares = np.maximum(np.linalg.solve(regular, match), 0.0)
        terms = (shares / widths**2)[:, None] * density
        weights = terms.sum(axis=0)
        pulled = centers @ terms
        return weights, np.divide(pulled, weights, out=np.zeros_like(pulled), where=weights > 0)


@dataclass(frozen=True)
class MEE(Criterion):
    """Minimum error entropy, with Parzen windows of the errors' differences.

    Maximizes mean kappa(e_i - e_j). Its stationary condition H' (D - K) (t - H beta) = lambda'
    beta, K_ij = kappa(e_i - e_j), D the row sums of K, is written with D on the left only, so
    that the step is a weighted ridge regression: weights D_ii, centers (K e)_i / D_ii. The bias
    is the median of the errors, which the criterion leaves open. Erdogmus and Principe, IEEE
    Trans. Signal Process. 50, 2002. An iteration takes time proportional to n_samples^2.

    Parameters
    ----------
    sigma : ndarray of shape (n_problems,)
        Kernel width, > 0, in the units of the target.
    """

    sigma: Array
    limits: ClassVar = {"sigma": POSITIVE}

    def weights(self, errors: Array, sample_weight: Array | None = None) -> tuple[Array, Array]:
        """Weights and centers of the errors, both (n_problems, n_samples)."""
        counts = np.ones(errors.shape[1]) if sample_weight is None else sample_weight
        codebooks = [(row, counts) for row in errors]
        return _against_codebooks(errors, self.sigma, codebooks)

    def center(self, step: Step, after: Iterate) -> Array:
        """Median of the errors."""
        return weighted_quantile(after.errors, 0.5, after.sample_weight)


@dataclass(frozen=True)
class QMEE(MEE):
    """Quantized minimum error entropy: :class:`MEE` with a codebook in place of all errors.

    In the order of the rows, an error joins the nearest codeword if that is within epsilon, else
    becomes one. Weights sum_m M_m kappa(e_i - c_m), centers their means of c_m. Chen, Xing,
    Zheng and Principe, IEEE Trans. Neural Netw. Learn. Syst. 30, 2019 (arXiv 1710.04089).

    Parameters
    ----------
    sigma : ndarray of shape (n_problems,)
        Kernel width, > 0, in the units of the target.
    epsilon : ndarray of shape (n_problems,)
        Radius of quantization, > 0, in the units of the target.
    """

    epsilon: Array
    limits: ClassVar = {"sigma": POSITIVE, "epsilon": POSITIVE}

    def weights(self, errors: Array, sample_weight: Array | None = None) -> tuple[Array, Array]:
        """Weights and centers of the errors, both (n_problems, n_samples)."""
        pairs = zip(errors, self.epsilon, strict=True)
        codebooks = [quantized(row, radius, sample_weight) for row, radius in pairs]
        return _against_codebooks(errors, self.sigma, codebooks)


def quantized(
    errors: Array, epsilon: float, sample_weight: Array | None = None
) -> tuple[Array, Array]:
    """Codewords and how many errors each stands for.

    Parameters
    ----------
    errors : ndarray of shape (n_samples,)
        Errors, in the order in which they are quantized.
    epsilon : float
        Radius.
    sample_weight : ndarray of shape (n_samples,), optional
        How many errors each one counts as (default one).

    Returns
    -------
    codewords, counts : ndarray of shape (n_codewords,)
        Codewords ascending.
    """
    codewords: list[float] = []
    counts: list[float] = []
    each = np.ones(len(errors)) if sample_weight is None else sample_weight
    for error, count in zip(errors.tolist(), each.tolist(), strict=True):
        place = bisect(codewords, error)
        near = [i for i in (place - 1, place) if 0 <= i < len(codewords)]
        nearest = min(near, key=lambda i: abs(error - codewords[i]), default=None)
        if nearest is not None and abs(error - codewords[nearest]) <= epsilon:
            counts[nearest] += count
        else:
            codewords.insert(place, error)
            counts.insert(place, count)
    return np.array(codewords), np.array(counts)


def _against_codebooks(
    errors: Array, sigma: Array, codebooks: list[tuple[Array, Array]]
) -> tuple[Array, Array]:
    weights, centers = np.empty_like(errors), np.empty_like(errors)
    for b, (words, counts) in enumerate(codebooks):
        differences = (errors[b][:, None] - words) / sigma[b]
        kernel = np.exp(-0.5 * differences**2)
        weights[b] = kernel @ counts
        centers[b] = (kernel @ (counts * words)) / weights[b]
    return weights, centers


def _k_means(errors: Array, n_centers: int, sample_weight: Array | None) -> Array:
    """Centers of Lloyd's algorithm on the line, started at quantiles."""
    middles = (np.arange(n_centers) + 0.5) / n_centers
    if sample_weight is None:
        centers, pulls = np.unique(np.quantile(errors, middles)), errors
    else:
        centers = np.unique(weighted_quantile(errors, middles, sample_weight))
        pulls = sample_weight * errors
    for _ in range(50):
        nearest = np.searchsorted((centers[1:] + centers[:-1]) / 2, errors)
        counts = np.bincount(nearest, weights=sample_weight, minlength=len(centers))
        sums = np.bincount(nearest, weights=pulls, minlength=len(centers))
        moved = np.divide(sums, counts, out=centers.copy(), where=counts > 0)
        if np.array_equal(moved, centers):
            break
        centers = moved
    return centers


def _length_without_cycle(power: Array) -> Array:
    """Share of a step for a loss l that grows as \\|e\\|^p near 0, with weights w = l' / e.

    Near a solution a whole step multiplies the distance to it by a matrix with eigenvalues
    between the extremes of 1 - l'' / w, from -(p - 2), where errors are small, to below 1. So it
    converges for p < 3 and may run into a cycle above. A share of 1 / (p - 1), which makes it
    Newton's step for \\|e\\|^p, leaves eigenvalues from 0 to below 1. Fletcher, Grant and Hebden,
    Computer Journal 14, 1971.
    """
    return np.where(power >= 3, 1 / np.maximum(power - 1, 1), 1.0)


def _normal(values: Array, sigma: Array) -> Array:
    """Gaussian density G_sigma."""
    return np.exp(-0.5 * (values / sigma) ** 2) / (SQRT_2PI * sigma)
