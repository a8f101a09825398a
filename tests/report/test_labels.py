"""Labels: given in the config, or made from the name."""

import pytest

from mccvc.report.labels import Labels


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("elm-rcc", "ELM-RCC"),
        ("elm-rcc-intercept", "ELM-RCC, intercept"),
        ("relm-intercept", "RELM, intercept"),
        ("mcc-intercept", "MCC with intercept"),
        ("case3", "Case 3"),
        ("wine-white", "Wine-white"),
        ("elm-gmcc", "ELM-GMCC"),
        ("elm-huber", "ELM-Huber"),
        ("rvfl", "RVFL"),
        ("huber-regressor", "Huber-regressor"),
    ],
)
def test_default_labels(name, expected):
    assert Labels()(name) == expected


def test_a_given_label_wins():
    label = Labels({"mcc-fine": "MCC, fine grid"})
    assert label("mcc-fine") == "MCC, fine grid"
    assert label.listed(["mcc-fine", "mmse"]) == "MCC, fine grid, MMSE"
