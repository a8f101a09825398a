"""The hedged method against its seven steps, transcribed line by line."""

from itertools import product

import numpy as np
import pytest
from reference import efficient, mode

from mccvc.hidden_layer import HiddenLayer
from mccvc.solvers.hedged import WHOLE, hedged

SIZES, LAM, KAPPAS = (8, 12), (1e-3, 0.01), (1.0, 2.11, 3.0)
POINTS = list(product(SIZES, LAM, KAPPAS))
STEPS = 8
# No quantile falls between two of so many errors, where rounding would decide.
ROWS = 71
SIGMA = 0.1


def made(seed, share, n=ROWS):
    """A hidden layer, a target that is partly raised, folds, and the layer of other inputs."""
    rng = np.random.default_rng(seed)
    inputs, others = rng.random((n, 2)), rng.random((40, 2))
    target = np.sin(5 * inputs[:, 0]) * inputs[:, 1] / 2 + 0.5 + 0.06 * rng.normal(size=n)
    target[: round(share * n)] += rng.uniform(1, 3, n)[: round(share * n)]
    layer = HiddenLayer(2, max(SIZES), rng)
    return layer(inputs), target, np.array_split(rng.permutation(n), 4), layer(others)


def two_stages(H, t, size, lam, kappa):
    beta, c = mode(H[:, :size], t, lam, SIGMA, STEPS)
    return efficient(H[:, :size], t, lam, kappa * SIGMA, beta, c, STEPS)


def ridge(H, t, size, lam):
    G = np.column_stack([H[:, :size], np.ones(len(t))])
    both = np.linalg.solve(G.T @ G + lam * np.diag([1.0] * size + [0.0]), G.T @ t)
    return both[:-1], both[-1]


def predictions(fit, points, H, t, folds, others):
    """Of every candidate those out of fold, and those for other rows."""
    held_out, new = [], []
    for point in points:
        p = np.empty(len(t))
        for fold in folds:
            rest = np.setdiff1d(np.arange(len(t)), fold)
            beta, b = fit(H[rest], t[rest], *point)
            p[fold] = H[fold, : point[0]] @ beta + b
        beta, b = fit(H, t, *point)
        held_out.append(p)
        new.append(others[:, : point[0]] @ beta + b)
    return held_out, new


def standard_error(d):
    return np.std(d, ddof=1) / np.sqrt(len(d))


def near(losses, within):
    """Candidates whose mean loss is within some paired standard errors of the smallest one."""
    best = min(losses, key=np.mean)
    return [
        i
        for i, loss in enumerate(losses)
        if np.mean(loss - best) <= within * standard_error(loss - best)
    ]


def scale_and_center(e):
    """Step 3."""
    m = max(0.5 * 1.4826 * np.median(np.abs(e - np.median(e))), 0.001)
    centers = np.quantile(e, np.linspace(0.02, 0.98, 49), method="averaged_inverted_cdf")
    pairs = [(m * 8 ** (j / 24), c) for j in range(25) for c in centers]
    return max(
        pairs,
        key=lambda p: np.sqrt(p[0]) * np.mean(np.exp(-((e - p[1]) ** 2) / 2 / p[0] ** 2) / p[0]),
    )


def searches(*data):
    """Predictions of all candidates, and those of ridge regression."""
    robust = predictions(two_stages, POINTS, *data)
    return robust, predictions(ridge, list(product(SIZES, LAM)), *data)


def literal(t, folds, robust, plain, parts):
    held_out, new = robust
    outlying, center, reach = 3 * SIGMA, 0.0, 3 * SIGMA
    e = min(
        (t - p for p, point in zip(held_out, POINTS, strict=True) if point[2] == 2.11),
        key=lambda e: np.mean(np.minimum(e**2, (3 * SIGMA) ** 2)),
    )
    if parts.scale == "matched":
        s, center = scale_and_center(e)
        outlying, reach = 3 * s, max(3 * SIGMA, 5 * s)
    if parts.clip:
        kept = t[np.abs(e - center) <= reach]
        held_out = [np.clip(p, kept.min(), kept.max()) for p in held_out]
        new = [np.clip(p, kept.min(), kept.max()) for p in new]
    if parts.score == "truncated":
        losses = [np.minimum((t - p) ** 2, outlying**2) for p in held_out]
        best = int(np.argmin([np.mean(loss) for loss in losses]))
    else:
        losses = [(t - p) ** 2 for p in held_out]
        folded = [np.mean([np.sqrt(np.mean(loss[f])) for f in folds]) for loss in losses]
        best = int(np.argmin(folded))
    members = near(losses, 2) if parts.combine == "mean" else [best]
    a_held_out = np.mean([held_out[i] for i in members], axis=0)
    a = np.mean([new[i] for i in members], axis=0)
    if not parts.hedge:
        return a, len(members), None
    held_out, new = plain
    held_out = [np.clip(p, t.min(), t.max()) for p in held_out]
    chosen = near([(t - p) ** 2 for p in held_out], 1)
    b_held_out = np.mean([held_out[i] for i in chosen], axis=0)
    b = np.mean([np.clip(new[i], t.min(), t.max()) for i in chosen], axis=0)
    d = np.minimum((t - a_held_out) ** 2, outlying**2) - np.minimum(
        (t - b_held_out) ** 2, outlying**2
    )
    if np.mean(d) < -3 * standard_error(d):
        return a, len(members), False
    return (a + b) / 2, len(members), True


@pytest.mark.parametrize(("seed", "share"), [(2, 0.0), (3, 0.1), (0, 0.3)])
def test_seven_steps_and_each_left_out(seed, share):
    H, t, folds, others = made(seed, share)
    ways = [
        WHOLE,
        WHOLE._replace(hedge=False),
        WHOLE._replace(scale="fixed"),
        WHOLE._replace(clip=False),
        WHOLE._replace(combine="best"),
        WHOLE._replace(score="squared", combine="best"),
    ]
    searched = searches(H, t, folds, others)
    found = []
    for parts in ways:
        fit = hedged(H, t, folds, SIZES, LAM, parts=parts, max_iter=STEPS, tol=0)
        expected, n_members, by_ridge = literal(t, folds, *searched, parts)
        assert fit.average.members.sum() == n_members
        assert by_ridge is None or (fit.ridge is not None) == by_ridge
        np.testing.assert_allclose(fit.predict(others), expected, atol=1e-6)
        found.append(fit.predict(others))
    # Ridge regression has a say on clean rows alone.
    assert (np.abs(found[0] - found[1]).max() > 1e-3) == (share == 0)
    assert np.abs(found[0] - found[4]).max() > 1e-4


def test_outliers_hardly_move_the_predictions():
    *clean, others = made(0, 0.0)
    *spoilt, _ = made(0, 0.3)
    found = [hedged(*data, SIZES, LAM).predict(others) for data in (clean, spoilt)]
    assert np.sqrt(np.mean((found[1] - found[0]) ** 2)) < 0.04
    assert np.ptp(found[0]) > 0.3
