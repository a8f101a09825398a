"""Tables as they come into a paper: pdflatex finds no line or page too small for them."""

import pytest
from latex import CLASSES, check_fits, needs_latex

from mccvc.report.markup import to_latex

pytestmark = needs_latex
# The widest tables there are: paired comparisons, Table III of many methods, claims with texts.
METHODS = ["ELM-MCC-VC, λ' by GCV", *(f"a method with a name {i}" for i in range(28))]
TABLES = {
    "comparisons": [
        {
            "Problem": "Airfoil Self-Noise",
            "First": METHODS[0],
            "Second": method,
            "Runs": "100",
            "Difference": "−0.0012▼",
            "Interval": "[−0.0020, −0.0004]",
            "Resampled": "[−0.0031, +0.0007]",
            "p": "< 0.0001",
            "Wilcoxon": "0.0031",
            "Power": "0.91",
        }
        for method in METHODS
    ],
    "table3": [
        {"Method": method}
        | {name: "**0.0235 ± 0.0100** ² σ" for name in ("Servo", "Airfoil", "Wine", "Slump")}
        for method in METHODS
    ],
    "claims": [
        {
            "Verdict": "✗ does not hold",
            "Claim": "Choosing width and center by (18) takes less time than 100 % of MCC's fits",
            "What came out": "times faster: Case 1 3.8, Case 2 3.5, from 5 to 10 widths on " * 4,
            "Where": "tables/published_vs_reproduced.csv",
        }
        for _ in range(20)
    ],
}


@pytest.mark.parametrize("kind", CLASSES)
def test_tables_fit_the_page(kind, tmp_path):
    for name, rows in TABLES.items():
        (tmp_path / f"{name}.tex").write_text(to_latex(rows, f"Table {name}.", name), "utf-8")
    check_fits(tmp_path, TABLES, kind)
