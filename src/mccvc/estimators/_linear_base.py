"""What the robust linear regressors share: scaling, uncertainty, summary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mccvc.arrays import Array, Flags
from mccvc.estimators._base import RobustFit, RobustRegressor
from mccvc.estimators._covariance import sandwich
from mccvc.estimators._iteration import Progress
from mccvc.estimators._scaled_problem import ScaledProblem

# Samples with a smaller weight count as rejected.
_REJECTED = 0.1
_SHOWN_ROWS = 10


@dataclass(frozen=True)
class LinearFit(RobustFit):
    """A robust fit with the covariance of weights and level, or the reason why there is none."""

    covariance: Array | str


class RobustLinear(RobustRegressor):
    """Robust regressors that are linear in the inputs."""

    fit_intercept: bool

    @property
    def covariance_(self) -> Array:
        """Covariance of `coef_`: (n_features, n_features), with several targets one for each.

        Sandwich estimate with the criterion's psi, times n / (n - p) (Huber 1967; Huber and
        Ronchetti 2009, section 7.6); sample weights count as repeated samples.
        """
        check_is_fitted(self)
        for found in self._covariances:
            if isinstance(found, str):
                raise AttributeError(f"{type(self).__name__} has no covariance_: {found}.")
        parts = [np.asarray(found)[:-1, :-1] for found in self._covariances]
        return np.array(parts) if self._several else parts[0]

    def summary(self) -> str:
        """Coefficients with their standard errors, share of inliers and rejected samples.

        Returns
        -------
        str
            A table for each target. Samples with a weight below 0.1 count as rejected.
        """
        check_is_fitted(self)
        names = [str(n) for n in getattr(self, "feature_names_in_", ())]
        names = [*(names or [f"x{j}" for j in range(self.n_features_in_)]), "level"]
        width = max(map(len, names))
        weights = self.weights_.reshape(len(self.weights_), -1)
        lines = []
        for k, found in enumerate(self._covariances):
            coef = np.atleast_2d(self.coef_)[k]
            level = np.ravel(self.intercept_)[k] + np.ravel(self.center_)[k]
            lines.append(f"{type(self).__name__}{f', target {k}' if self._several else ''}")
            lines.append(f"{'':{width}}  {'coefficient':>12}  {'std. error':>12}")
            known = not isinstance(found, str)
            errors = np.sqrt(np.diag(found)) if known else np.full(len(names), np.nan)
            for name, value, error in zip(names, [*coef, level], errors, strict=True):
                shown = f"{error:>12.5g}" if known else f"{'-':>12}"
                lines.append(f"{name:{width}}  {value:>12.5g}  {shown}")
            if not known:
                lines.append(f"no standard errors: {found}")
            rejected = np.flatnonzero(weights[:, k] < _REJECTED)
            rows = ", ".join(map(str, rejected[:_SHOWN_ROWS]))
            more = ", ..." if len(rejected) > _SHOWN_ROWS else ""
            lines.append(
                f"width {np.ravel(self.sigma_)[k]:.5g}, inlier share "
                f"{np.ravel(self.inlier_share_)[k]:.1%}, {len(rejected)} of {len(weights)} samples"
                f" rejected{f': {rows}{more}' if len(rejected) else ''}"
            )
        return "\n".join(lines)

    def _scaled(
        self, design: Array, target: Array, weight: Array, *, movable: bool
    ) -> ScaledProblem:
        return ScaledProblem.of(
            design,
            target,
            weight,
            alpha=self.alpha,
            intercept=self.fit_intercept,
            movable=movable,
            scaled=False,
            by_kernel=True,
        )

    def _linear_fit(
        self, problem: ScaledProblem, progress: Progress, *, by_center: bool = False
    ) -> LinearFit:
        """A fit in the data's units with its covariance."""
        errors = problem.errors_of(progress.fit)
        self._warn_if_exact(problem, errors)
        described = self._described(
            problem, progress, errors, float(self.alpha), by_center=by_center
        )
        sigma = float(progress.fit.sigma[0])
        return LinearFit(**vars(described), covariance=self._covariance(problem, errors, sigma))

    def _covariance(self, problem: ScaledProblem, errors: Array, sigma: float) -> Array | str:
        """Covariance of weights and level in the data's units, or why there is none."""
        unknowns = problem.design.shape[1] + problem.movable
        if self.alpha > 0:
            return "with a penalty the coefficients are biased, which it would not show"
        if problem.weight.sum() <= unknowns:
            return "there are no more samples than unknowns"
        if not problem.columns_are_independent:
            return "inputs depend on each other, so that the coefficients are not unique"
        found = sandwich(problem.design, errors, sigma, problem.weight, intercept=problem.movable)
        units = np.append(problem.target_unit / problem.design_unit, problem.target_unit)
        return found * np.outer(units, units)

    def _learn(
        self, fits: Sequence[Any], inputs: Array, targets: Array, used: Flags, single: bool
    ) -> None:
        super()._learn(fits, inputs, targets, used, single)
        self._covariances = [fit.covariance for fit in fits]
        self._several = not single
