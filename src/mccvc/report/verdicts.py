"""Verdicts on claims, and what kinds of claims there are."""

from enum import StrEnum

import numpy as np


class Verdict(StrEnum):
    """What the runs say about a claim."""

    HOLDS = "holds"
    FAILS = "does not hold"
    OPEN = "cannot be decided"

    @property
    def mark(self):
        """A sign before the word, so that colour is not all that tells verdicts apart."""
        return {Verdict.HOLDS: "✓", Verdict.FAILS: "✗", Verdict.OPEN: "?"}[self]


class Kind(StrEnum):
    """Who makes a claim, and in which form."""

    FIGURE = "published figure"
    PAPER = "claim of the paper"
    OURS = "question of ours"


def better(low, high, margin=0.0):
    """Verdict on "lower than", from the interval of the difference.

    It holds if the interval is below 0, and does not if the gain, if there is any, is less than
    `margin`.
    """
    if np.isnan(low) or np.isnan(high):
        return Verdict.OPEN
    if high < 0:
        return Verdict.HOLDS
    return Verdict.FAILS if low >= -margin else Verdict.OPEN


def equal(low, high, margin):
    """Verdict on "practically equal": the interval of the difference lies within +- `margin`."""
    if np.isnan(low) or np.isnan(high):
        return Verdict.OPEN
    if -margin < low and high < margin:
        return Verdict.HOLDS
    return Verdict.FAILS if low >= margin or high <= -margin else Verdict.OPEN


def all_of(verdicts):
    """Verdict on all parts together."""
    verdicts = list(verdicts)
    if Verdict.FAILS in verdicts:
        return Verdict.FAILS
    return Verdict.HOLDS if verdicts and set(verdicts) == {Verdict.HOLDS} else Verdict.OPEN
