"""Algorithm 1 of the paper, transcribed line by line: literal, slow, one problem at a time."""

import math

import numpy as np


def gaussian(e, sigma):
    return math.exp(-(e**2) / (2 * sigma**2)) / (math.sqrt(2 * math.pi) * sigma)


def matching(errors, sigma, c):
    """Objective of (18)."""
    total = sum(gaussian(e - c, sigma) for e in errors)
    return 1 / (2 * math.sqrt(math.pi) * sigma) - 2 / len(errors) * total


def cost(H, t, beta, sigma, c, lam):
    """J (11), with lambda = lambda' / (2 N sigma^2)."""
    errors = t - H @ beta
    total = sum(gaussian(e - c, sigma) for e in errors)
    return -total / len(t) + lam / (2 * len(t) * sigma**2) * beta @ beta


def lip_mcc_vc(H, t, lam, widths, centers, K, xi):
    """LIP-MCC-VC. `centers` is a list or "median"; a width list of one and centers [0] is MCC.

    Returns beta, sigma, c, the number of iterations, and the costs before and after each.
    """
    beta, costs = np.zeros(H.shape[1]), []
    for k in range(1, K + 1):  # noqa: B007 - k is returned
        errors = t - H @ beta
        candidates = [float(np.median(errors))] if centers == "median" else centers
        _, sigma, c = min((matching(errors, s, m), s, m) for s in widths for m in candidates)
        Lambda = np.diag([gaussian(e - c, sigma) for e in errors])
        before = cost(H, t, beta, sigma, c, lam)
        beta = np.linalg.solve(H.T @ Lambda @ H + lam * np.eye(H.shape[1]), H.T @ Lambda @ (t - c))
        after = cost(H, t, beta, sigma, c, lam)
        costs.append((before, after))
        if abs(after - before) < xi / (math.sqrt(2 * math.pi) * sigma):
            break
    return beta, sigma, c, k, costs


def mode(H, t, lam, sigma, steps):
    """MCC-VC's first stage: weights of peak 1, the center where the mean kernel is largest."""
    beta = np.zeros(H.shape[1])
    for _ in range(steps):
        e = t - H @ beta
        C = np.quantile(e, np.linspace(0.02, 0.98, 25), method="averaged_inverted_cdf")
        c = C[np.argmax([sum(gaussian(x - m, sigma) for x in e) for m in C])]
        W = np.diag(np.exp(-((e - c) ** 2) / (2 * sigma**2)))
        beta = np.linalg.solve(H.T @ W @ H + lam * np.eye(H.shape[1]), H.T @ W @ (t - c))
    return beta, c


def efficient(H, t, lam, sigma, beta, b, steps):
    """Its second stage: weights of peak 1 at a width, weights beta and an unpenalized intercept."""
    G = np.column_stack([H, np.ones(len(t))])
    D = np.diag([1.0] * H.shape[1] + [0.0])
    both = np.append(beta, b)
    for _ in range(steps):
        W = np.diag(np.exp(-((t - G @ both) ** 2) / (2 * sigma**2)))
        both = np.linalg.solve(G.T @ W @ G + lam * D, G.T @ W @ t)
    return both[:-1], both[-1]
