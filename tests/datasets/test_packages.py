"""Files that installed packages bring along, added without an edit."""

import shutil
from pathlib import Path

import numpy as np
import pytest
import sklearn.datasets
import statsmodels.datasets
from adding import added

SKLEARN = Path(sklearn.datasets.__file__).parent
STATSMODELS = Path(statsmodels.datasets.__file__).parent

# Rows, inputs after coding, target, and what is in the first row of the target's column.
FILES = [
    (SKLEARN / "data/iris.csv", 150, 4, "virginica", 0),
    (SKLEARN / "data/breast_cancer.csv", 569, 30, "x31", 0),
    (SKLEARN / "data/wine_data.csv", 178, 13, "x14", 0),
    (SKLEARN / "data/linnerud_physiological.csv", 20, 2, "Pulse", 50),
    (SKLEARN / "data/diabetes_data_raw.csv.gz", 442, 9, "x10", 87),
    (STATSMODELS / "anes96/anes96.csv", 944, 9, "'vote'", 1),
    (STATSMODELS / "china_smoking/china_smoking.csv", 8, 11, "smoking_no_cancer_no", 61),
    (STATSMODELS / "engel/engel.csv", 235, 1, "foodexp", 255.839424594576),
    (STATSMODELS / "interest_inflation/E6_jmulti.csv", 107, 1, "x2", 0.083),
    (STATSMODELS / "longley/longley.csv", 16, 6, "YEAR", 1947),
    (STATSMODELS / "statecrime/statecrime.csv", 51, 6, "urban", 48.65),
    (STATSMODELS / "strikes/strikes.csv", 62, 1, "iprod", 0.01138),
]


@pytest.mark.parametrize(("source", "rows", "inputs", "target", "first"), FILES)
def test_file_of_a_package(tmp_path, source, rows, inputs, target, first):
    path = Path(shutil.copy(source, tmp_path))
    data = added(path)
    assert data.spec.target == target
    assert data.frame[target].iloc[0] == pytest.approx(first, rel=1e-15)
    assert data.table.shape == (rows, inputs + 1)
    assert np.isfinite(data.table.to_numpy()).all()
