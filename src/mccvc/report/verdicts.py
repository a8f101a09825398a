"""Verdicts on claims: what they are, and the rules that reach them."""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from mccvc.report.statistics import Estimate, SignedRank, holm

# Probability of a wrong verdict in either direction; both together 5 %.
WRONG = 0.025


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

    PAPER = "claim of the paper"
    OURS = "question of ours"
    FIGURE = "published figure"


@dataclass(frozen=True)
class Part:
    """One of the statements that a claim makes, such as that on one dataset.

    Attributes
    ----------
    name : str
        Case or dataset.
    estimate : Estimate or SignedRank
        What is estimated, the lower the better.
    bound : float
        What it must be below; for "equal", how far from 0 it may be.
    scale : float
        What differences are a share of.
    """

    name: str
    estimate: Estimate | SignedRank
    bound: float
    scale: float


@dataclass(frozen=True)
class Judgement:
    """A verdict and the evidence for it.

    Attributes
    ----------
    verdict : Verdict
        It holds if `p_for` is at most 2.5 %, and does not if `p_against` is.
    p_for : float
        One-sided p value against "some part is not so": the largest of the parts.
    p_against : float
        One-sided p value against "every part is so": the smallest of the parts, adjusted for
        their number (Holm).
    """

    verdict: Verdict
    p_for: float
    p_against: float


def all_below(parts):
    """Judge "below the bound in every part"."""
    return _judge(
        [part.estimate.p_below(part.bound) for part in parts],
        [part.estimate.p_above(part.bound) for part in parts],
    )


def all_within(parts):
    """Judge "nearer to 0 than the bound in every part", by two one-sided tests in each."""
    return _judge(
        [max(p.estimate.p_below(p.bound), p.estimate.p_above(-p.bound)) for p in parts],
        # The farther side of two is looked for, hence twice.
        [2 * min(p.estimate.p_above(p.bound), p.estimate.p_below(-p.bound)) for p in parts],
    )


def each_below(parts):
    """Judge "below the bound" for each part, adjusted for their number.

    Returns
    -------
    list of Verdict
    """
    p_for = holm([part.estimate.p_below(part.bound) for part in parts])
    p_against = holm([part.estimate.p_above(part.bound) for part in parts])
    return [_verdict(*both) for both in zip(p_for, p_against, strict=True)]


def _judge(p_for, p_against):
    # Every part must be shown, so the weakest counts as it is; any part refutes.
    whole = max(p_for) if p_for and not np.isnan(p_for).any() else np.nan
    known = [p for p in p_against if not np.isnan(p)]
    refuted = min(1.0, len(p_against) * min(known)) if known else np.nan
    return Judgement(_verdict(whole, refuted), whole, refuted)


def _verdict(p_for, p_against):
    if p_against <= WRONG:
        return Verdict.FAILS
    return Verdict.HOLDS if p_for <= WRONG else Verdict.OPEN
