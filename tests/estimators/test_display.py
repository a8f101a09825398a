"""Diagnostic plots: what they name, show and refuse."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mccvc import ELMMCCVCRegressor, MCCRegressor, RobustDisplay

plt = pytest.importorskip("matplotlib.pyplot")
plt.switch_backend("Agg")


@pytest.fixture
def data():
    rng = np.random.default_rng(3)
    X = rng.uniform(-2, 2, (50, 2))
    y = X @ [1.0, 2.0] + rng.normal(0, 0.1, 50)
    y[[4, 30]] += [3.0, -8.0]
    return X, y


@pytest.mark.parametrize(
    "model",
    [
        MCCRegressor(),
        make_pipeline(StandardScaler(), MCCRegressor()),
        GridSearchCV(MCCRegressor(), {"alpha": [0.0, 0.1]}, cv=3),
        ELMMCCVCRegressor(random_state=0),
    ],
    ids=lambda model: type(model).__name__,
)
def test_rejected_rows_are_named_largest_first(model, data):
    X, y = data
    display = RobustDisplay.from_estimator(model.fit(X, y), X, y)
    assert list(display.rejected_) == [30, 4]
    assert np.allclose(display.fitted + display.residuals, y)
    assert 0.05 < display.scale_ < 0.2


def test_names_come_from_the_index(data):
    pd = pytest.importorskip("pandas")
    X = pd.DataFrame(data[0], index=[f"row {i}" for i in range(50)])
    model = MCCRegressor().fit(X, data[1])
    assert list(RobustDisplay.from_estimator(model, X, data[1]).rejected_) == ["row 30", "row 4"]


def test_draws_every_kind_and_into_given_axes(data):
    display = RobustDisplay.from_estimator(MCCRegressor().fit(*data), *data).plot()
    labels = [(axis.get_xlabel(), axis.get_ylabel()) for axis in display.axes_]
    assert labels == [
        ("fitted value", "residual"),
        ("weight in the fit", "residual"),
        ("normal quantile", "residual"),
    ]
    for axis in display.axes_:
        assert {text.get_text() for text in axis.texts} == {"30", "4"}
        assert sum(len(points.get_offsets()) for points in axis.collections) == 50
    assert display.axes_[1].get_title() == "2 of 50 rows rejected"
    figure, axis = plt.subplots()
    display.plot(kinds=["normal-quantiles"], axes=[axis])
    assert display.figure_ is figure
    # Normal errors lie on the line of their scale.
    line = axis.lines[0]
    slope = np.diff(line.get_ydata()) / np.diff(line.get_xdata())
    assert slope == pytest.approx(display.scale_)
    plt.close("all")


def test_refuses_what_it_cannot_show(data):
    X, y = data
    model = MCCRegressor().fit(X, y)
    with pytest.raises(ValueError, match="LinearRegression has no weights_"):
        RobustDisplay.from_estimator(LinearRegression().fit(X, y), X, y)
    with pytest.raises(ValueError, match="rows that the regressor was fitted to"):
        RobustDisplay.from_estimator(model, X[:9], y[:9])
    two = MCCRegressor().fit(X, np.column_stack([y, y]))
    with pytest.raises(ValueError, match="one target"):
        RobustDisplay.from_estimator(two, X, np.column_stack([y, y]))
    display = RobustDisplay.from_estimator(model, X, y)
    with pytest.raises(ValueError, match="kinds has 'leverage'"):
        display.plot(kinds=["leverage"])
    with pytest.raises(ValueError, match="1 axes for 3 kinds"):
        display.plot(axes=plt.subplots()[1:])
    with pytest.raises(ValueError, match="weights has shape"):
        RobustDisplay([1.0, 2.0], [0.0, 0.0], [1.0])
    plt.close("all")
