"""Rules of the verdicts: what they say, and how often they are wrong."""

import numpy as np
import pytest

from mccvc.report.statistics import Estimate
from mccvc.report.verdicts import Part, Verdict, all_below, all_within, each_below

HOLDS, FAILS, OPEN = Verdict
N = 100


pytestmark = pytest.mark.slow


def part(mean, bound, error=1.0, n=N):
    return Part("x", Estimate(mean, error, n), bound, 1.0)


@pytest.mark.parametrize(
    ("means", "verdict"),
    [
        ([-9, -9], HOLDS),
        ([-9, 9], FAILS),  # one part refutes
        ([-9, -2.5], OPEN),  # one part is neither shown nor refuted
        ([-9, -1.2], OPEN),  # below the bound, but only just
        ([np.nan, 9], FAILS),  # a part without runs does not hide another
        ([np.nan, -9], OPEN),
        ([], OPEN),
    ],
)
def test_all_below(means, verdict):
    assert all_below([part(mean, -1) for mean in means]).verdict == verdict


@pytest.mark.parametrize(
    ("means", "verdict"),
    [([0, 1], HOLDS), ([0, 9], FAILS), ([0, -9], FAILS), ([0, 4], OPEN), ([], OPEN)],
)
def test_all_within(means, verdict):
    assert all_within([part(mean, 4) for mean in means]).verdict == verdict


def test_each_part_is_adjusted_for_the_others():
    alone, many = part(-2.1, 0), [part(-2.1, 0)] * 14
    assert each_below([alone]) == [HOLDS]
    assert each_below(many) == [OPEN] * 14
    assert each_below([*many[:2], part(9, 0)])[2] == FAILS


def test_against_is_adjusted_for_the_number_of_parts():
    assert all_below([part(2.1, 0)]).verdict == FAILS
    assert all_below([part(2.1, 0)] + [part(-2, 0)] * 6).verdict == OPEN
    refuted = all_below([part(2.1, 0)] + [part(-2, 0)] * 6)
    assert refuted.p_against == pytest.approx(7 * Estimate(2.1, 1, N).p_above(0))


def test_fewer_than_ten_runs_judge_nothing():
    assert all_below([part(-99, 0, n=9)]).verdict == OPEN
    assert all_below([part(99, 0, n=9)]).verdict == OPEN
    assert all_below([part(-99, 0, n=10)]).verdict == HOLDS


def test_no_spread():
    assert all_below([part(-1, 0, error=0.0)]).verdict == HOLDS
    assert all_below([part(1, 0, error=0.0)]).verdict == FAILS
    assert all_below([part(0, 0, error=0.0)]).verdict == OPEN


def test_verdicts_are_marked_by_more_than_colour():
    assert [verdict.mark for verdict in Verdict] == ["✓", "✗", "?"]


def _shares(rule, truths, bound, n_claims=1000, n=20, seed=0):
    """Shares of claims that hold and fail, of parts with true means and a spread of 1."""
    rng = np.random.default_rng(seed)
    verdicts = []
    for _ in range(n_claims):
        draws = (rng.normal(truth, 1.0, n) for truth in truths)
        parts = [Part("x", Estimate.of(values), bound, 1.0) for values in draws]
        verdicts.append(rule(parts).verdict)
    return [verdicts.count(verdict) / n_claims for verdict in (HOLDS, FAILS)]


MARGIN_OF_ERROR = 3 * np.sqrt(0.025 * 0.975 / 1000)


@pytest.mark.parametrize("n_parts", [1, 4, 14])
def test_wrong_verdicts_on_the_boundary_are_at_most_2_5_percent(n_parts):
    """All parts at the bound: neither "below" nor "above" is true of any."""
    holds, fails = _shares(all_below, [0.0] * n_parts, 0.0)
    assert holds <= 0.025 + MARGIN_OF_ERROR
    assert fails <= 0.025 + MARGIN_OF_ERROR
    holds, fails = _shares(all_within, [1.0] * n_parts, 1.0)
    assert holds <= 0.025 + MARGIN_OF_ERROR
    assert fails <= 0.025 + MARGIN_OF_ERROR


def test_a_claim_with_one_part_on_the_boundary_holds_in_at_most_2_5_percent():
    holds, _ = _shares(all_below, [-5.0, -5.0, 0.0], 0.0)
    assert holds == pytest.approx(0.025, abs=MARGIN_OF_ERROR)


def test_power_is_what_is_stated():
    """A part is seen with 80 % probability at the distance that `detectable` tells."""
    distance = Estimate(0.0, 1 / np.sqrt(20), 20).detectable()
    holds, _ = _shares(all_below, [-distance], 0.0)
    _, fails = _shares(all_below, [distance], 0.0)
    assert holds == pytest.approx(0.8, abs=0.03)
    assert fails == pytest.approx(0.8, abs=0.03)
