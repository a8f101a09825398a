"""The tables of a finished study compile in a paper."""

import shutil

import pytest
from latex import CLASSES, check_fits, needs_latex

pytestmark = needs_latex


@pytest.mark.parametrize("kind", CLASSES)
def test_all_tables_fit_the_page(finished, tmp_path, kind):
    files = sorted((finished.path / "results/tables").glob("*.tex"))
    for file in files:
        shutil.copy(file, tmp_path)
    names = [file.stem for file in files]
    assert {"table1", "table2", "table3", "comparisons", "claims"} <= set(names)
    check_fits(tmp_path, names, kind)
