"""What the scikit-learn regressors share: checks, one fit per target, predictions."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from mccvc.arrays import Array, ArrayLike, Flags
from mccvc.estimators._checks import check_data, check_iteration, check_number
from mccvc.estimators._iteration import Progress
from mccvc.estimators._scaled_problem import ScaledProblem
from mccvc.scale import matched_share, mode
from mccvc.solvers.row_blocks import BlockedDesign, outputs

# Beyond this many times the largest width, the errors' scale is not covered.
_UNCOVERED = 3.0
# Errors of exact fits, and of samples that are missed by one, in units of what counts as none.
_EXACT = 4.0
_MISSED = 1e3


@dataclass(frozen=True)
class TargetFit:
    """Weights, intercept, center and penalty for one target, in the data's units."""

    coef: Array
    intercept: float
    center: float
    alpha: float


@dataclass(frozen=True)
class RobustFit(TargetFit):
    """What a robust fit knows beside the weights, in the data's units."""

    sigma: float
    share: float
    n_iter: int
    objective: Array


class LinearInParameters(RegressorMixin, BaseEstimator):
    """Regressors with predictions H beta + intercept + c, one fit per target."""

    alpha: Any

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
            if the widths do not cover the scale of the errors, or if more than half of the
            samples, but not all, are fitted exactly, so that the others have no influence.
        """
        self._check_parameters()
        inputs, outputs = check_data(self, X, y)
        weight = _check_sample_weight(
            sample_weight, inputs, dtype=np.float64, ensure_non_negative=True
        )
        used = weight > 0
        if not used.any():
            raise ValueError("sample_weight is 0 for all samples.")
        rows, shares = inputs[used], weight[used]
        design = self._fit_design(rows, shares)
        single = outputs.ndim == 1
        targets = outputs[:, None] if single else outputs
        # Outliers of any size are allowed: their squares are infinite, their weights 0.
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            fits = [self._fit_target(design, t[used], shares, rows) for t in targets.T]
        self.coef_ = each_target([fit.coef for fit in fits], single)
        self.intercept_ = each_target([fit.intercept for fit in fits], single)
        self.center_ = each_target([fit.center for fit in fits], single)
        self.alpha_ = each_target([fit.alpha for fit in fits], single)
        self._learn(fits, inputs, targets, used, single)
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

    def _check_parameters(self) -> None:
        check_number(self, "alpha", low=0, closed=True)

    def _fit_design(self, X: Array, weight: Array) -> Array | BlockedDesign:
        return X

    def _design(self, X: Array) -> Array | BlockedDesign:
        return X

    def _fit_target(self, design: Any, target: Array, weight: Array, inputs: Array) -> TargetFit:
        raise NotImplementedError

    def _learn(
        self, fits: Sequence[Any], inputs: Array, targets: Array, used: Flags, single: bool
    ) -> None:
        """Set what the fits know beside weights, intercept and center."""


class RobustRegressor(LinearInParameters):
    """Regressors by a kernel: width, share of inliers, weights of the samples, iterations."""

    max_iter: int
    tol: float
    init: str

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._check_iteration()

    def _check_iteration(self) -> None:
        check_iteration(self)

    def _learn(
        self, fits: Sequence[Any], inputs: Array, targets: Array, used: Flags, single: bool
    ) -> None:
        self.sigma_ = each_target([fit.sigma for fit in fits], single)
        self.inlier_share_ = each_target([fit.share for fit in fits], single)
        self.n_iter_ = each_target([fit.n_iter for fit in fits], single)
        paths = [fit.objective for fit in fits]
        self.objective_path_ = paths[0] if single else paths
        errors = targets - self._predict(inputs).reshape(targets.shape)
        with np.errstate(over="ignore"):
            weights = np.exp(-0.5 * (errors / self.sigma_) ** 2)
        self.weights_ = weights[:, 0] if single else weights

    def _described(
        self,
        problem: ScaledProblem,
        progress: Progress,
        errors: Array,
        alpha: float,
        *,
        by_center: bool,
    ) -> RobustFit:
        """A fit in the data's units; `by_center` says that the center is the level."""
        fit, unit, sample = progress.fit, problem.target_unit, problem.distinct
        scale, _ = mode(errors[sample.rows], sample.weight, problem.floor, centered=True)
        coef, intercept = problem.original_weights(fit.beta[0], fit.intercept[0])
        center = float(fit.center[0])
        level = problem.original_level(intercept + center * by_center)
        return RobustFit(
            coef=coef,
            intercept=0.0 if by_center else level,
            center=level if by_center else center * unit,
            alpha=alpha,
            sigma=float(fit.sigma[0]) * unit,
            share=matched_share(errors, scale, problem.weight),
            n_iter=int(fit.n_iter[0]),
            objective=progress.objective,
        )

    def _warn(
        self, problem: ScaledProblem, progress: Progress, widths: Array | float, *, auto: bool
    ) -> None:
        """Warn of a fit that is not to be relied on; widths in scaled units."""
        fit, unit, name = progress.fit, problem.target_unit, type(self).__name__
        if progress.settled and auto and not fit.vanished[0]:
            return
        errors = problem.errors_of(fit)
        scale, _ = mode(errors, problem.weight, problem.floor, centered=False)
        if fit.vanished[0]:
            message = (
                f"all kernel values are 0: widths {_shown(widths, unit)}, errors of scale "
                f"{scale * unit:.3g}; the last usable weights are kept. Increase the widths"
                " or use 'auto'."
            )
        elif not auto and np.max(widths) * _UNCOVERED < scale:
            message = (
                f"widths {_shown(widths, unit)} do not cover the errors, which have scale "
                f"{scale * unit:.3g}. Increase the widths or use 'auto'."
            )
        elif not progress.settled:
            message = (
                f"the objective has not settled within {self.tol} in {self.max_iter}"
                " iterations. Increase max_iter or tol."
            )
        else:
            return
        warn_of_fit(f"{name}: {message}")

    def _warn_if_exact(self, problem: ScaledProblem, errors: Array) -> None:
        """Warn if more than half of the samples are fitted exactly and others are not."""
        size = np.abs(errors)
        fitted = size <= _EXACT * problem.floor
        share = problem.weight[fitted].sum() / problem.weight.sum()
        if (
            share > 0.5
            and fitted.sum() > problem.design.shape[1] + problem.movable
            and size.max() > _MISSED * problem.floor
        ):
            warn_of_fit(
                f"{type(self).__name__}: {share:.1%} of the samples are fitted exactly; the others"
                " have no influence on the fit. Equal targets that are not the rule (zeros, limits"
                " of detection) need a model of their own."
            )


def warn_of_fit(message: str) -> None:
    """A warning at the line that called this package."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals["__name__"].startswith("mccvc."):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, ConvergenceWarning, stacklevel=level)


def each_target(values: list[Any], single: bool) -> Any:
    """The value of the only target, or those of all in an array."""
    return values[0] if single else np.array(values)


def _shown(widths: Array | float, unit: float) -> str:
    widths = np.atleast_1d(widths) * unit
    low, high = widths.min(), widths.max()
    return f"{low:.3g}" if low == high else f"{low:.3g} to {high:.3g}"
