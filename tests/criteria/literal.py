"""The formulas of each criterion's source, transcribed literally, beside the paper's criteria."""

import math

import numpy as np
from scipy import stats
from sklearn.cluster import KMeans

from mccvc.criteria.registry import CRITERIA

# One grid point for each criterion.
POINTS = {
    "huber": {},
    "tukey": {},
    "welsch": {},
    "cauchy": {},
    "student-t": {"nu": 3.0},
    "lad": {},
    "gmcc": {"alpha": 1.5, "b": 0.7},
    "kmpe": {"sigma": 0.8, "p": 3.0},
    "krsl": {"sigma": 0.8, "mu": 2.0},
    "mixture-mcc": {"sigma": 0.3, "sigma2": 1.5, "a": 0.4},
    "mmkcc": {"sigma": 0.4, "sigma2": 1.2, "n_centers": 2.0, "gamma": 0.1},
    "mee": {"sigma": 0.8},
    "qmee": {"sigma": 0.8, "epsilon": 0.15},
}


def mad_scale(e):
    median = float(np.median(e))
    return float(np.median([abs(x - median) for x in e])) / stats.norm.ppf(0.75)


def kappa(x, sigma):
    return math.exp(-(x**2) / (2 * sigma**2))


def gauss(x, sigma):
    return kappa(x, sigma) / (math.sqrt(2 * math.pi) * sigma)


def huber(e):
    s = mad_scale(e)
    return [min(1, 1.345 * s / abs(x)) for x in e]


def tukey(e):
    s = mad_scale(e)
    return [(1 - (x / (4.685 * s)) ** 2) ** 2 if abs(x) < 4.685 * s else 0 for x in e]


def welsch(e):
    s = mad_scale(e)
    return [math.exp(-((x / (2.985 * s)) ** 2)) for x in e]


def cauchy(e):
    s = mad_scale(e)
    return [1 / (1 + (x / (2.385 * s)) ** 2) for x in e]


def student_t(e, nu):
    """EM: the scale from the weights, the weights from the scale."""
    s2 = 1.0
    for _ in range(5000):
        w = [(nu + 1) / (nu + x**2 / s2) for x in e]
        s2 = sum(wi * x**2 for wi, x in zip(w, e, strict=True)) / len(e)
    return w


def lad(e):
    return [1 / abs(x) for x in e]


def gmcc(e, alpha, b):
    return [abs(x) ** (alpha - 2) * math.exp(-(abs(x / b) ** alpha)) for x in e]


def kmpe(e, sigma, p):
    return [(1 - kappa(x, sigma)) ** ((p - 2) / 2) * kappa(x, sigma) for x in e]


def krsl(e, sigma, mu):
    return [kappa(x, sigma) * math.exp(mu * (1 - kappa(x, sigma))) for x in e]


def mixture_mcc(e, sigma, sigma2, a):
    return [a / sigma**2 * kappa(x, sigma) + (1 - a) / sigma2**2 * kappa(x, sigma2) for x in e]


def mmkcc(e, sigma, sigma2, n_centers, gamma):
    """Weights, and the sums that stand in place of W c on the right-hand side."""
    start = np.quantile(e, (np.arange(n_centers) + 0.5) / n_centers)[:, None]
    found = KMeans(int(n_centers), init=start, n_init=1, tol=0).fit(np.reshape(e, (-1, 1)))
    means = np.sort(found.cluster_centers_.ravel())
    c = [*means, *means]
    s = [sigma] * len(means) + [sigma2] * len(means)
    m = len(c)
    K = [[gauss(c[i] - c[j], math.hypot(s[i], s[j])) for j in range(m)] for i in range(m)]
    h = [sum(gauss(x - c[i], s[i]) for x in e) / len(e) for i in range(m)]
    a = [max(x, 0) for x in np.linalg.solve(np.array(K) + gamma * np.eye(m), h)]
    terms = [[a[i] / s[i] ** 2 * gauss(x - c[i], s[i]) for i in range(m)] for x in e]
    return (
        [sum(row) for row in terms],
        [sum(t * ci for t, ci in zip(row, c, strict=True)) for row in terms],
    )


def mee(e, sigma):
    D = [sum(kappa(x - y, sigma) for y in e) for x in e]
    return D, [sum(kappa(x - y, sigma) * y for y in e) for x in e]


def codebook(e, epsilon):
    words, counts = [], []
    for x in e:
        distances = [abs(x - w) for w in words]
        if words and min(distances) <= epsilon:
            counts[distances.index(min(distances))] += 1
        else:
            words.append(x)
            counts.append(1)
    return words, counts


def qmee(e, sigma, epsilon):
    pairs = list(zip(*codebook(e, epsilon), strict=True))
    weights = [sum(M * kappa(x - c, sigma) for c, M in pairs) for x in e]
    return weights, [sum(M * c * kappa(x - c, sigma) for c, M in pairs) for x in e]


LITERAL = {name.replace("_", "-"): f for name, f in globals().items() if callable(f)}


def literal(name, errors):
    """Weights, and weights times centers."""
    found = LITERAL[name](list(errors), **POINTS[name])
    if not isinstance(found, tuple):
        found = (found, [0.0] * len(errors))
    return tuple(np.array(part) for part in found)


def criterion(name, n_problems=1):
    return CRITERIA[name](**{k: np.full(n_problems, v) for k, v in POINTS[name].items()})
