"""Grid search as one would write it in NumPy: a loop over folds and points, no shared work."""

import numpy as np

SQRT_2PI = np.sqrt(2 * np.pi)


def fixed_point(design, target, lam, widths, center, max_iter, tol):
    """Algorithm 1 for one problem; `center` is 0 or "median". Returns beta and c."""
    n_samples, n_columns = design.shape
    beta = np.zeros(n_columns)
    errors = target.copy()
    sigma, c = widths[0], 0.0

    def objective(beta, errors):
        ridge = lam * beta @ beta / (2 * n_samples * sigma**2)
        return SQRT_2PI * sigma * ridge - np.mean(np.exp(-0.5 * ((errors - c) / sigma) ** 2))

    for _ in range(max_iter):
        if center == "median":
            c = np.median(errors)
            kernels = np.exp(-0.5 * ((errors - c) / widths[:, None]) ** 2)
            match = 2 / (SQRT_2PI * widths) * kernels.mean(axis=1)
            sigma = widths[np.argmin(1 / (2 * np.sqrt(np.pi) * widths) - match)]
        before = objective(beta, errors)
        weights = np.exp(-0.5 * ((errors - c) / sigma) ** 2) / (SQRT_2PI * sigma)
        weighted = design.T * weights
        gram = weighted @ design
        gram[np.diag_indices(n_columns)] += lam
        beta = np.linalg.solve(gram, weighted @ (target - c))
        errors = target - design @ beta
        if abs(objective(beta, errors) - before) < tol:
            break
    return beta, c


def grid_search(design, target, folds, points, center, max_iter, tol):
    """Index of the (lam, widths) of `points` with the lowest mean RMSE over the folds."""
    scores = np.zeros(len(points))
    for held_out in folds:
        train = np.ones(len(target), dtype=bool)
        train[held_out] = False
        for i, (lam, widths) in enumerate(points):
            beta, c = fixed_point(design[train], target[train], lam, widths, center, max_iter, tol)
            deviations = target[held_out] - design[held_out] @ beta - c
            scores[i] += np.sqrt(np.mean(deviations**2))
    return int(np.argmin(scores))
