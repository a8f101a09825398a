"""Verdicts from intervals."""

import numpy as np
import pytest

from mccvc.report.verdicts import Verdict, all_of, better, equal

HOLDS, FAILS, OPEN = Verdict


@pytest.mark.parametrize(
    ("low", "high", "margin", "verdict"),
    [
        (-2, -1, 0.5, HOLDS),
        (1, 2, 0.5, FAILS),
        (-0.4, 0.3, 0.5, FAILS),  # a gain of 0.5 is ruled out
        (-1, 1, 0.5, OPEN),
        (np.nan, np.nan, 0.5, OPEN),
    ],
)
def test_better(low, high, margin, verdict):
    assert better(low, high, margin) == verdict


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [(-0.1, 0.2, HOLDS), (0.6, 0.9, FAILS), (-0.9, -0.5, FAILS), (0.1, 0.7, OPEN)],
)
def test_equal(low, high, verdict):
    assert equal(low, high, 0.5) == verdict
    assert equal(np.nan, np.nan, 0.5) == OPEN


def test_all_of():
    assert all_of([HOLDS, HOLDS]) == HOLDS
    assert all_of([HOLDS, OPEN]) == OPEN
    assert all_of([HOLDS, OPEN, FAILS]) == FAILS
    assert all_of([]) == OPEN


def test_verdicts_are_marked_by_more_than_colour():
    assert [verdict.mark for verdict in Verdict] == ["✓", "✗", "?"]
