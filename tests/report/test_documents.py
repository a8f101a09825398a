"""The guide says what the recorded study says."""

import runpy

import pandas as pd
import pytest
from paths import ROOT

SCRIPT = runpy.run_path(str(ROOT / "docs/update_results.py"))


@pytest.mark.parametrize("path", ["README.md", "docs/evidence.md", "docs/findings.md"])
def test_marked_places_are_those_of_the_recorded_study(path):
    text = (ROOT / path).read_text(encoding="utf-8")
    assert SCRIPT["filled"](text) == text
    marked = [name for name in SCRIPT["PLACES"] if f"<!-- {name} -->" in text]
    assert len(marked) >= 2


def test_every_place_is_somewhere():
    texts = "".join(
        (ROOT / p).read_text(encoding="utf-8")
        for p in ("README.md", "docs/evidence.md", "docs/findings.md")
    )
    assert all(f"<!-- {name} -->\n" in texts for name in SCRIPT["PLACES"])


def test_recorded_calibration_bears_out_the_share_that_the_tests_use():
    from mccvc.report.statistics import OVERLAP

    found = pd.read_csv(ROOT / "docs/results/calibration_splits.csv")
    assert (found["overlap"] < OVERLAP).all()
    # 5 % of so many datasets, and chance.
    weights = found["n_datasets"] / found["n_datasets"].sum()
    assert (found["wrong_resampled"] * weights).sum() <= 0.05
    assert (found["wrong_plain"] * weights).sum() > 0.1
    assert (found["detects_resampled"] < found["detects_corrected"] / 2).all()
