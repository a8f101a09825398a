"""What the regressors with a criterion by name share."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mccvc.arrays import Array, Flags
from mccvc.criteria.base import Criterion, Iterate, Step
from mccvc.criteria.registry import CRITERIA
from mccvc.estimators._base import LinearInParameters, TargetFit, each_target, warn_of_fit
from mccvc.estimators._checks import check_choice, check_iteration
from mccvc.estimators._scaled_problem import ScaledProblem
from mccvc.estimators._starts import Starts
from mccvc.scale import mode
from mccvc.solvers.batch import fit_batch

# Parameters of each criterion, those in units of the errors with about 95 % efficiency where the
# criterion can have it.
DEFAULTS: dict[str, dict[str, float]] = {
    "cauchy": {},
    "gmcc": {"alpha": 2.0, "b": 2.985},
    "huber": {},
    "kmpe": {"sigma": 2.11, "p": 2.0},
    "krsl": {"sigma": 2.11, "mu": 0.5},
    "lad": {},
    "mcc": {"sigma": 2.11},
    "mee": {"sigma": 1.5},
    "mixture-mcc": {"sigma": 1.5, "sigma2": 4.0, "a": 0.5},
    "mmkcc": {"sigma": 1.5, "sigma2": 4.0, "n_centers": 2.0, "gamma": 1e-3},
    "qmee": {"sigma": 1.5, "epsilon": 0.1},
    "student-t": {"nu": 3.0},
    "tukey": {},
    "welsch": {},
}
# Predictions that move by at most this share of the errors' scale no longer move.
_STILL = 1e-3
# Parameters in units of the target.
_LENGTHS = frozenset({"b", "sigma", "sigma2", "epsilon"})


@dataclass(frozen=True)
class CriterionFit(TargetFit):
    """What a fit of any criterion knows beside the weights."""

    scale: float
    n_iter: int
    weights: Array


class AnyCriterion(LinearInParameters):
    """Regressors with ``criterion=``."""

    criterion: str | Criterion
    parameters: Mapping[str, float] | None
    units: str
    init: str
    max_iter: int
    tol: float

    def _check_criterion(self) -> None:
        check_iteration(self)
        check_choice(self, "units", ("errors", "target"))
        if not isinstance(self.criterion, str) and hasattr(self.criterion, "step"):
            if self.parameters is not None:
                raise ValueError("'parameters' go with a criterion's name, not with an object.")
            if getattr(self.criterion, "first_stage", None) is not None:
                raise ValueError(
                    "A criterion of two stages is that of MCCVCRegressor and ELMMCCVCRegressor,"
                    " with their parameter 'efficiency'."
                )
            return
        check_choice(self, "criterion", DEFAULTS)
        limits = CRITERIA[str(self.criterion)].limits
        for name, value in (self.parameters or {}).items():
            if name not in limits:
                raise ValueError(
                    f"Criterion {self.criterion!r} has no parameter {name!r}, only {list(limits)}."
                )
            if float(value) not in limits[name]:
                raise ValueError(
                    f"Parameter {name!r} of criterion {self.criterion!r} must be "
                    f"{limits[name].description}. Got {value!r} instead."
                )

    def _in_scaled_units(self, problem: ScaledProblem, scale: float) -> Criterion:
        """The criterion for a problem whose errors have a scale, both in scaled units."""
        unit = 1 / problem.target_unit
        if isinstance(self.criterion, str):
            values = DEFAULTS[self.criterion] | dict(self.parameters or {})
            kind: Any = CRITERIA[self.criterion]
            unit = scale if self.units == "errors" else unit
        else:
            kind = type(self.criterion)
            values = {name: getattr(self.criterion, name) for name in kind.limits}
        return kind(
            **{
                name: np.atleast_1d(np.asarray(value, dtype=float))
                * (unit if name in _LENGTHS else 1.0)
                for name, value in values.items()
            }
        )

    def _fit_criterion(
        self,
        problem: ScaledProblem,
        near: ScaledProblem,
        starts: Starts,
        penalty: float | None,
    ) -> CriterionFit:
        """Fit the rows that are near, for all; `penalty` is one for weights of at most 1."""
        # In an order of their own, so that a codebook does not depend on that of the rows.
        rows = near.sampled() if near.distinct.complete else near
        criterion = self._in_scaled_units(problem, starts.scale)
        first = _step(criterion, rows, rows.errors(starts.beta[:1]))
        # The ridge problem of a step has the penalty over the largest weight.
        lam = near.lam if penalty is None else penalty / float(first.lam[0])
        # Where samples have centers of their own, these do the work of an intercept.
        leveled = problem.intercept and not first.centers.any()
        moved = [rows.target]
        fit = fit_batch(
            rows.design,
            rows.target,
            criterion,
            [lam],
            intercept=leveled,
            sample_weight=rows.weight,
            start=starts.beta[:1],
            max_iter=self.max_iter,
            tol=self.tol,
            trace=lambda *state: moved.append(state[-1][0]),
        )
        still = np.abs(moved[-1] - moved[-2]).max() <= _STILL * starts.scale
        if fit.vanished[0] or not (fit.converged[0] or self.tol == 0 or still):
            reason = "no sample has any weight" if fit.vanished[0] else "it has not settled"
            warn_of_fit(
                f"{type(self).__name__}: {reason} within {self.tol} in {self.max_iter} iterations."
                " Increase max_iter, tol or the parameters in units of the errors."
            )
        errors = problem.errors_of(fit)
        center = float(fit.center[0])
        if problem.intercept and not leveled and center == 0:
            some = problem.distinct
            center = mode(errors[some.rows], some.weight, problem.floor, centered=False)[1]
            errors = errors - center
        weights = _step(criterion, problem, errors[None]).weights[0]
        coef, intercept = near.original_weights(fit.beta[0], fit.intercept[0])
        return CriterionFit(
            coef=coef,
            intercept=problem.original_level(intercept),
            center=center * problem.target_unit,
            alpha=lam * problem.alpha_per_lam,
            scale=starts.scale * problem.target_unit,
            n_iter=int(fit.n_iter[0]),
            weights=weights,
        )

    def _learn(
        self, fits: Sequence[Any], inputs: Array, targets: Array, used: Flags, single: bool
    ) -> None:
        self.scale_ = each_target([fit.scale for fit in fits], single)
        self.n_iter_ = each_target([fit.n_iter for fit in fits], single)
        weights = np.zeros((len(used), len(fits)))
        weights[used] = np.column_stack([fit.weights for fit in fits])
        self.weights_ = weights[:, 0] if single else weights


def _step(criterion: Criterion, problem: ScaledProblem, errors: Array) -> Step:
    """The step from given errors, for a penalty of 1."""
    one = np.ones(1)
    return criterion.step(Iterate(errors, one, one, problem.target, problem.weight))
