"""What the scikit-learn regressors share: units, starts, and one fit per output."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from mccvc.arrays import Array, ArrayLike, Indices
from mccvc.correntropy import correntropy, matching_objective
from mccvc.criteria.paper import MCC, MCCVC, MMSE
from mccvc.estimators._checks import (
    check_data,
    check_iteration,
    check_layer,
    check_number,
    check_set,
    is_auto,
)
from mccvc.estimators._scaled_problem import ScaledProblem
from mccvc.estimators._starts import error_scale
from mccvc.estimators.random_hidden_layer import RandomHiddenLayer
from mccvc.solvers.batch import BatchFit, fit_batch
from mccvc.solvers.row_blocks import BlockedDesign, outputs

# Welsch's constant for 95 % efficiency, 2.985 / sqrt(2), in standard deviations of the errors.
_EFFICIENT_WIDTH = 2.11
# The paper's sets for its linear study, in units of the errors' scale.
_AUTO_WIDTHS = np.linspace(0.2, 5.0, 25)
_AUTO_CENTERS = np.linspace(-5.0, 5.0, 101)
# Beyond this many times the largest width, the errors' scale is not covered.
_UNCOVERED = 3.0
# Hidden layers with more outputs than this are made in blocks, never held.
_LARGEST_HELD = 2**20
_FEWEST_BLOCKED = 16
# Predictions that move by at most this share of the width no longer move.
_STILL = 1e-3


class CorrentropyRegressor(RegressorMixin, BaseEstimator):
    """What all regressors share: checks, units, starts, and one fit per output."""

    alpha: float
    max_iter: int
    tol: float

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Inputs.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Targets; each is fitted on its own.
        sample_weight : array-like of shape (n_samples,), optional
            Weight of each sample, >= 0; a weight of two counts as two equal samples.

        Returns
        -------
        self : object
            The fitted estimator.

        Raises
        ------
        ValueError
            If a parameter or the data cannot be used; the message names the parameter or the
            column.

        Warns
        -----
        ConvergenceWarning
            If the iterations end before the objective settles, if all kernel values are 0,
            or if the widths do not cover the scale of the errors.
        """
        self._check_parameters()
        inputs, outputs = check_data(self, X, y)
        weight = _check_sample_weight(
            sample_weight, inputs, dtype=np.float64, ensure_non_negative=True
        )
        used = weight > 0
        if not used.any():
            raise ValueError("sample_weight is 0 for all samples.")
        design = self._fit_design(inputs if used.all() else inputs[used])
        single = outputs.ndim == 1
        targets = outputs[:, None] if single else outputs
        fits = []
        for column in targets.T:
            fits.append(self._fit_output(design, column[used], weight[used]))
        for name in fits[0]:
            values = [fit[name] for fit in fits]
            if single or name == "objective_path_":
                setattr(self, name, values[0] if single else values)
            else:
                setattr(self, name, np.array(values))
        self._set_weights(inputs, targets, single)
        return self

    def predict(self, X: ArrayLike) -> Array:
        """Predict targets.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Inputs.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_targets)
            H beta + intercept + c.
        """
        check_is_fitted(self)
        return self._predict(validate_data(self, X, reset=False, dtype=np.float64))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def _predict(self, inputs: Array) -> Array:
        weights = np.asarray(self.coef_)
        predicted = outputs(np.atleast_2d(weights), self._design(inputs))
        predicted = predicted[0] if weights.ndim == 1 else predicted.T
        return predicted + (self.intercept_ + self.center_)

    # --- what subclasses define ---------------------------------------------------------------

    def _fit_design(self, X: Array) -> Array | BlockedDesign:
        return X

    def _design(self, X: Array) -> Array | BlockedDesign:
        return X

    def _criterion(self, context: ScaledProblem) -> tuple[MMSE | MCC | MCCVC, Array | None]:
        """Criterion in scaled units; `context` knows scales, starts and errors."""
        raise NotImplementedError

    # ------------------------------------------------------------------------------------------

    def _check_parameters(self) -> None:
        check_number(self, "alpha", low=0, closed=True)

    def _fit_output(
        self, design: Array | BlockedDesign, target: Array, weight: Array
    ) -> dict[str, Any]:
        units = ScaledProblem(
            design,
            target,
            weight,
            alpha=self.alpha,
            intercept=getattr(self, "fit_intercept", False),
            movable=isinstance(self, VariableCenter),
            scaled=getattr(self, "scale", False),
            by_kernel=isinstance(self, FixedWidth | VariableCenter),
            init=getattr(self, "init", "zeros"),
        )
        criterion, start = self._criterion(units)
        path, moved = [], [units.target]

        def record(
            k: int,
            problems: Indices,
            beta: Array,
            intercept: Array,
            sigma: Array,
            center: Array,
            all_errors: Array,
        ) -> None:
            errors = all_errors[0]
            moved[:] = [*moved[-1:], errors - center[0]]
            ridge = units.lam / (2 * weight.sum() * sigma[0] ** 2) * beta[0] @ beta[0]
            value = ridge - correntropy(errors, sigma[0], center[0], weight)
            path.append(value / units.target_unit)

        iterated = not isinstance(criterion, MMSE)
        iteration: dict[str, Any] = (
            {"max_iter": self.max_iter, "tol": self.tol, "trace": record} if iterated else {}
        )
        fit = fit_batch(
            units.design,
            units.target,
            criterion,
            [units.lam],
            intercept=units.intercept,
            sample_weight=weight,
            start=start,
            **iteration,
        )
        coef, intercept = units.original_weights(fit.beta[0], fit.intercept[0])
        if isinstance(criterion, MMSE):
            return {
                "coef_": coef,
                "intercept_": units.original_level(intercept),
                "center_": 0.0,
            }
        # A variable center and beta can drift together without any effect on predictions.
        still = np.abs(moved[-1] - moved[0]).max() <= _STILL * fit.sigma[0]
        self._warn(units, criterion, fit, settled=fit.converged[0] or self.tol == 0 or still)
        by_center = isinstance(criterion, MCCVC) and not units.intercept
        return {
            "coef_": coef,
            "intercept_": 0.0 if by_center else units.original_level(intercept),
            "center_": units.original_level(fit.center[0])
            if by_center
            else fit.center[0] * units.target_unit,
            "sigma_": fit.sigma[0] * units.target_unit,
            "n_iter_": int(fit.n_iter[0]),
            "objective_path_": np.array(path),
        }

    def _warn(
        self, units: ScaledProblem, criterion: MCC | MCCVC, fit: BatchFit, settled: bool
    ) -> None:
        given = getattr(self, "widths", getattr(self, "sigma", None))
        if settled and is_auto(given) and not fit.vanished[0]:
            return
        unit, name = units.target_unit, type(self).__name__
        errors = units.target - fit.predict(units.design)
        scale = error_scale(errors, units.weight, centered=False, floor=units.floor)[0][0]
        widths = criterion.widths if isinstance(criterion, MCCVC) else criterion.sigma
        if fit.vanished[0]:
            message = (
                f"{name}: all kernel values are 0: widths {_shown(widths * unit)}, errors of scale "
                f"{scale * unit:.3g}; the last usable weights are kept. Increase the widths"
                " or use 'auto'."
            )
        elif not is_auto(given) and np.max(widths) * _UNCOVERED < scale:
            message = (
                f"{name}: widths {_shown(widths * unit)} do not cover the errors, which have scale "
                f"{scale * unit:.3g}. Increase the widths or use 'auto'."
            )
        elif not settled:
            message = (
                f"{name}: the objective has not settled within {self.tol} in {self.max_iter}"
                " iterations. Increase max_iter or tol."
            )
        else:
            return
        warnings.warn(message, ConvergenceWarning, stacklevel=4)

    def _set_weights(self, X: Array, targets: Array, single: bool) -> None:
        if not hasattr(self, "sigma_"):
            return
        errors = targets - self._predict(X).reshape(targets.shape)
        with np.errstate(over="ignore"):
            weights = np.exp(-0.5 * (errors / self.sigma_) ** 2)
        self.weights_ = weights[:, 0] if single else weights


class FixedWidth(CorrentropyRegressor):
    """MCC: one width, center zero."""

    sigma: Any
    init: str

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_iteration(self)
        if not is_auto(self.sigma):
            check_number(self, "sigma", low=0)

    def _criterion(self, units: ScaledProblem) -> tuple[MMSE | MCC | MCCVC, Array | None]:
        starts = units.starts()
        errors = units.errors(starts)
        if is_auto(self.sigma):
            scale, center, objective = error_scale(
                errors, units.weight, centered=not units.intercept, floor=units.floor
            )
            best = int(np.argmin(objective))
            sigma = _EFFICIENT_WIDTH * scale[best]
            start = starts[best : best + 1].copy()
            start[0, -1] += center[best]
            return MCC(sigma), start
        sigma = self.sigma / units.target_unit
        best = int(np.argmax(correntropy(errors, sigma, 0.0, units.weight)))
        return MCC(sigma), starts[best : best + 1]


class VariableCenter(CorrentropyRegressor):
    """MCC-VC: width and center from (18) at every iteration."""

    widths: Any
    centers: Any
    init: str

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_iteration(self)
        if not is_auto(self.widths):
            self._widths = check_set(self, "widths", positive=True)
        if not isinstance(self.centers, str):
            self._centers = check_set(self, "centers")
        elif self.centers not in ("auto", "median", "mean"):
            raise ValueError(
                f"The 'centers' parameter of {type(self).__name__} must be 'auto', 'median', "
                f"'mean' or an array of numbers. Got {self.centers!r} instead."
            )

    def _criterion(self, units: ScaledProblem) -> tuple[MMSE | MCC | MCCVC, Array | None]:
        starts = units.starts()
        errors = units.errors(starts)
        scale, center, objective = error_scale(
            errors, units.weight, centered=False, floor=units.floor
        )
        best = int(np.argmin(objective))
        widths = (
            _AUTO_WIDTHS * scale[best] if is_auto(self.widths) else self._widths / units.target_unit
        )
        centers: Any = self.centers
        if not isinstance(centers, str):
            shift = 0.0 if units.intercept else units.level
            centers = (self._centers - shift) / units.target_unit
        elif centers == "auto":
            level = 0.0 if units.intercept else starts[best, -1]
            centers = level + center[best] + _AUTO_CENTERS * scale[best]
        criterion = MCCVC(widths, centers)
        if not (is_auto(self.widths) and isinstance(self.centers, str)):
            levels = 0.0 if units.intercept else starts[:, -1:]
            errors = errors + levels
            sigma, center = criterion.kernel(errors, units.weight)
            values = matching_objective(errors, sigma, center, units.weight)
            best = int(np.argmin(values))
        return criterion, starts[best : best + 1]


class OnHiddenLayer(CorrentropyRegressor):
    """A random hidden layer in place of the inputs."""

    n_hidden: int
    activation: str
    scale: bool
    random_state: int | np.random.RandomState | None

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_layer(self)

    def _fit_design(self, X: Array) -> Array | BlockedDesign:
        self.hidden_layer_ = RandomHiddenLayer(
            self.n_hidden,
            activation=self.activation,
            scale=self.scale,
            random_state=self.random_state,
        ).set_output(transform="default")
        self.hidden_layer_.fit(X)
        return self._design(X)

    def _design(self, X: Array) -> Array | BlockedDesign:
        layer = self.hidden_layer_
        if len(X) * self.n_hidden <= _LARGEST_HELD or self.n_hidden < _FEWEST_BLOCKED:
            return layer.transform(X)
        return BlockedDesign(lambda part: layer.transform(X[part]), len(X), self.n_hidden)


def _shown(widths: Array) -> str:
    widths = np.atleast_1d(widths)
    low, high = widths.min(), widths.max()
    return f"{low:.3g}" if low == high else f"{low:.3g} to {high:.3g}"
