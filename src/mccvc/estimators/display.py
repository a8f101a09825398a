"""What users of robust fits look at: residuals, weights, rejected rows, normal quantiles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from scipy.stats import norm
from sklearn.utils.validation import check_is_fitted

from mccvc.arrays import Array, ArrayLike
from mccvc.scale import NORMAL

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

_KINDS = ("residuals-vs-fitted", "residuals-vs-weights", "normal-quantiles")
# Rows with a smaller weight count as rejected; normal errors keep at least this much of the
# weight of a kernel with 95 % efficiency in all but 0.1 % of the rows.
_REJECTED = 0.3
# More names than this would hide one another.
_MOST_NAMES = 12


class RobustDisplay:
    """Diagnostic plots of a robust fit.

    It is recommended to use :meth:`from_estimator`.

    Parameters
    ----------
    fitted : array-like of shape (n_samples,)
        Predictions for the training rows, in units of the target.
    residuals : array-like of shape (n_samples,)
        Target less prediction, in units of the target.
    weights : array-like of shape (n_samples,)
        Weight of each row in the fit, from 0 to 1.
    names : array-like of shape (n_samples,), optional
        Names of the rows; their positions by default.
    threshold : float, default=0.3
        Rows of less weight are rejected ones. This is for criteria whose weights fall to 0;
        Huber's and least absolute deviations' weights fall slowly and reject nothing.

    Attributes
    ----------
    rejected_ : ndarray of shape (n_rejected,)
        Names of the rejected rows, the largest residual first.
    scale_ : float
        Standard deviation of the residuals of the rows kept, from their median absolute
        deviation, in units of the target.
    figure_ : matplotlib.figure.Figure
        The figure, once plotted.
    axes_ : ndarray of shape (n_kinds,)
        Its axes, once plotted.

    Raises
    ------
    ValueError
        If the lengths differ.

    See Also
    --------
    sklearn.metrics.PredictionErrorDisplay : Residuals of any regressor.

    Examples
    --------
    >>> import numpy as np
    >>> from mccvc import MCCRegressor, RobustDisplay
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-2, 2, (60, 1))
    >>> y = 3 * X[:, 0] + rng.normal(0, 0.1, 60)
    >>> y[[7, 20]] += [5, 9]
    >>> display = RobustDisplay.from_estimator(MCCRegressor().fit(X, y), X, y)
    >>> display.rejected_
    array([20,  7])
    """

    def __init__(
        self,
        fitted: ArrayLike,
        residuals: ArrayLike,
        weights: ArrayLike,
        *,
        names: ArrayLike | None = None,
        threshold: float = _REJECTED,
    ) -> None:
        self.fitted = np.asarray(fitted, dtype=float)
        self.residuals = np.asarray(residuals, dtype=float)
        self.weights = np.asarray(weights, dtype=float)
        n_samples = len(self.residuals)
        self.names = np.arange(n_samples) if names is None else np.asarray(names)
        for name in ("fitted", "weights", "names"):
            if getattr(self, name).shape != (n_samples,):
                raise ValueError(
                    f"{name} has shape {getattr(self, name).shape}; expected ({n_samples},), a"
                    " value for each residual."
                )
        self.threshold = threshold
        self._kept = self.weights >= threshold
        order = np.argsort(-np.abs(self.residuals), kind="stable")
        self.rejected_ = self.names[order[~self._kept[order]]]
        kept = self.residuals[self._kept]
        self.scale_ = float(NORMAL * np.median(np.abs(kept - np.median(kept)))) if len(kept) else 0

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: ArrayLike,
        y: ArrayLike,
        *,
        names: ArrayLike | None = None,
        threshold: float = _REJECTED,
    ) -> Self:
        """Diagnostics of a fitted regressor on the rows that it was fitted to; plots nothing yet.

        Parameters
        ----------
        estimator : estimator
            Fitted regressor with the attribute `weights_`, or a pipeline or a search with one
            at its end.
        X : array-like of shape (n_samples, n_features)
            The inputs that it was fitted to.
        y : array-like of shape (n_samples,)
            The target that it was fitted to.
        names : array-like of shape (n_samples,), optional
            Names of the rows; by default the index of a data frame, or positions.
        threshold : float, default=0.3
            Rows of less weight are rejected ones.

        Returns
        -------
        RobustDisplay

        Raises
        ------
        ValueError
            If the regressor has no weights, weights of several targets, or weights of other
            rows than these.
        sklearn.exceptions.NotFittedError
            If it is not fitted.
        """
        check_is_fitted(estimator)
        last = getattr(estimator, "best_estimator_", estimator)
        last = last[-1] if hasattr(last, "steps") else last
        weights = getattr(last, "weights_", None)
        if weights is None:
            raise ValueError(
                f"{type(last).__name__} has no weights_; expected a robust regressor of mccvc."
            )
        target = np.asarray(y, dtype=float)
        if weights.shape != target.shape or target.ndim != 1:
            raise ValueError(
                f"weights_ has shape {weights.shape} and y {target.shape}; expected one target,"
                " and the rows that the regressor was fitted to."
            )
        if names is None:
            names = getattr(X, "index", None)
        fitted = estimator.predict(X)
        return cls(fitted, target - fitted, weights, names=names, threshold=threshold)

    def plot(
        self, *, kinds: Sequence[str] = _KINDS, axes: Sequence[Axes] | None = None, **points: Any
    ) -> Self:
        """Draw the diagnostics.

        Parameters
        ----------
        kinds : sequence of str
            Of "residuals-vs-fitted", "residuals-vs-weights" and "normal-quantiles", all by
            default.
        axes : sequence of matplotlib.axes.Axes, optional
            Where to draw, one for each kind; a new figure by default.
        **points : dict
            Passed to `matplotlib.axes.Axes.scatter`.

        Returns
        -------
        self : RobustDisplay

        Raises
        ------
        ValueError
            If a kind is unknown, or the number of axes is another one than that of kinds.
        ImportError
            If matplotlib is not installed.
        """
        draw = {
            "residuals-vs-fitted": self._against_fitted,
            "residuals-vs-weights": self._against_weights,
            "normal-quantiles": self._quantiles,
        }
        if unknown := [kind for kind in kinds if kind not in draw]:
            raise ValueError(f"kinds has {unknown[0]!r}; expected of {', '.join(map(repr, draw))}.")
        axes = _new_axes(len(kinds)) if axes is None else axes
        if len(axes) != len(kinds):
            raise ValueError(f"{len(axes)} axes for {len(kinds)} kinds; expected one for each.")
        self.axes_ = np.array(axes, dtype=object)
        self.figure_: Figure | SubFigure = axes[0].figure
        for kind, axis in zip(kinds, axes, strict=True):
            draw[kind](axis, {"s": 14, "linewidths": 0, "alpha": 0.8} | points)
        return self

    def _against_fitted(self, axis: Axes, points: dict[str, Any]) -> None:
        self._scatter(axis, self.fitted, self.residuals, points)
        for level in (-2.5, 0, 2.5):
            axis.axhline(level * self.scale_, color="0.5", linewidth=0.8, zorder=0)
        axis.set(xlabel="fitted value", ylabel="residual", title="lines at 0 and ±2.5 scales")

    def _against_weights(self, axis: Axes, points: dict[str, Any]) -> None:
        self._scatter(axis, self.weights, self.residuals, points)
        axis.axvline(self.threshold, color="0.5", linewidth=0.8, zorder=0)
        n_rejected = len(self.rejected_)
        title = f"{n_rejected} of {len(self.names)} rows rejected"
        axis.set(xlabel="weight in the fit", ylabel="residual", title=title)

    def _quantiles(self, axis: Axes, points: dict[str, Any]) -> None:
        n_samples = len(self.residuals)
        ranks = np.argsort(np.argsort(self.residuals, kind="stable"), kind="stable")
        normal = norm.ppf((ranks + 0.5) / n_samples)
        self._scatter(axis, normal, self.residuals, points)
        ends = norm.ppf([0.5 / n_samples, 1 - 0.5 / n_samples])
        center = np.median(self.residuals[self._kept]) if self._kept.any() else 0.0
        axis.plot(ends, center + self.scale_ * ends, color="0.5", linewidth=0.8, zorder=0)
        axis.set(
            xlabel="normal quantile",
            ylabel="residual",
            title=f"line: normal, scale {self.scale_:.3g}",
        )

    def _scatter(self, axis: Axes, x: Array, y: Array, points: dict[str, Any]) -> None:
        """All rows; rejected ones in another colour and form, with their names."""
        kept = self._kept
        axis.scatter(x[kept], y[kept], **({"color": "#0173b2"} | points))
        axis.scatter(x[~kept], y[~kept], **(points | {"color": "#d55e00", "marker": "D"}))
        axis.margins(0.1)
        order = np.argsort(-np.abs(self.residuals), kind="stable")
        for row in order[~kept[order]][:_MOST_NAMES]:
            axis.annotate(
                str(self.names[row]),
                (x[row], y[row]),
                xytext=(4, 3),
                textcoords="offset points",
                fontsize="small",
            )


def _new_axes(n_axes: int) -> Sequence[Axes]:
    """Axes side by side in a new figure."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("RobustDisplay.plot needs matplotlib: pip install matplotlib") from error
    _, axes = plt.subplots(1, n_axes, figsize=(4.2 * n_axes, 3.6), layout="constrained")
    return list(np.atleast_1d(axes))
