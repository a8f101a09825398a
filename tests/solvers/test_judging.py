"""Choosing among candidates when some of their errors are not finite."""

import numpy as np
import pytest

from mccvc.solvers.judging import Parts, hardly_worse, judge

FOLDS = [np.arange(10), np.arange(10, 23)]
TARGET = np.linspace(0, 1, 23)


def predictions():
    """Near the target, a little further, and far from it."""
    rng = np.random.default_rng(0)
    return TARGET + rng.normal(0, 1, (3, 23)) * [[0.1], [0.101], [0.4]]


@pytest.mark.parametrize("combine", ["best", "mean"])
def test_candidates_that_fail_are_no_members(combine):
    some = predictions()
    some[1, 3] = np.inf
    average, _ = judge(some, TARGET, FOLDS, Parts("truncated", combine))
    assert average.best == 0
    assert list(average.members) == [True, combine == "mean", False]
    average, _ = judge(some, TARGET, FOLDS, Parts("squared", combine))
    assert list(average.members) == [True, False, False]


def test_no_candidate_is_told():
    some = np.full((3, 23), np.inf)
    with pytest.raises(ArithmeticError, match="no grid point gives finite errors"):
        judge(some, TARGET, FOLDS, Parts("squared", "mean"))


def test_the_best_is_never_worse_than_itself():
    losses = np.array([[np.inf, 1.0], [np.inf, 2.0]])
    assert list(hardly_worse(losses, 1, 2.0)) == [False, True]
