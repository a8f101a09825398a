"""What the regressors on a random hidden layer share."""

from typing import Any

import numpy as np

from mccvc.arrays import Array
from mccvc.correntropy import correntropy, matching_objective
from mccvc.criteria.paper import MCC, MCCVC
from mccvc.estimators._base import LinearInParameters, RobustFit, RobustRegressor
from mccvc.estimators._checks import check_layer
from mccvc.estimators._iteration import iterate
from mccvc.estimators._layer_starts import candidate_starts, error_scale
from mccvc.estimators._scaled_problem import ScaledProblem
from mccvc.estimators.random_hidden_layer import RandomHiddenLayer
from mccvc.scale import matched_share, mode
from mccvc.solvers.row_blocks import BlockedDesign
from mccvc.width_center import select_width_center

# Hidden layers with more outputs than this are made in blocks, never held.
_LARGEST_HELD = 2**20
_FEWEST_BLOCKED = 16


class OnHiddenLayer(LinearInParameters):
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

    def _scaled(
        self, design: Any, target: Array, weight: Array, *, movable: bool, by_kernel: bool
    ) -> ScaledProblem:
        return ScaledProblem.of(
            design,
            target,
            weight,
            alpha=self.alpha,
            intercept=False,
            movable=movable,
            scaled=self.scale,
            by_kernel=by_kernel,
        )


class RobustOnHiddenLayer(OnHiddenLayer, RobustRegressor):
    """Robust regressors on a hidden layer."""

    def _candidates(self, problem: ScaledProblem) -> tuple[Array, Array]:
        """Starts by the name of `init`, and their errors."""
        if self.init == "zeros":
            starts = np.zeros((1, problem.design.shape[1] + 1))
        else:
            starts = candidate_starts(
                problem.design,
                problem.target,
                problem.lam,
                intercept=problem.movable,
                sample_weight=problem.weight,
                rng=np.random.default_rng(0),
            )
            starts = starts[1:2] if self.init == "least-squares" else starts
        return starts, problem.errors(starts)

    def _fixed_width(self, problem: ScaledProblem, sigma: float | None) -> tuple[MCC, Array]:
        """MCC with a width in scaled units, or one of the errors' scale, and its start."""
        starts, errors = self._candidates(problem)
        if sigma is not None:
            best = int(np.argmax(correntropy(errors, sigma, 0.0, problem.weight)))
            return MCC(sigma), starts[best : best + 1]
        scale, center, objective = error_scale(
            errors, problem.weight, centered=True, floor=problem.floor
        )
        best = int(np.argmin(objective))
        start = starts[best : best + 1].copy()
        start[0, -1] += center[best]
        return MCC(2.11 * scale[best]), start

    def _variable_center(
        self, problem: ScaledProblem, widths: Array | None, centers: Array | str
    ) -> tuple[MCCVC, Array]:
        """MCC-VC with sets in scaled units, or of the errors' scale, and its start."""
        starts, errors = self._candidates(problem)
        scale, center, objective = error_scale(
            errors, problem.weight, centered=False, floor=problem.floor
        )
        best = int(np.argmin(objective))
        auto = widths is None and isinstance(centers, str)
        if widths is None:
            widths = np.linspace(0.2, 5.0, 25) * scale[best]
        if isinstance(centers, str) and centers == "auto":
            centers = starts[best, -1] + center[best] + np.linspace(-5, 5, 101) * scale[best]
        if not auto:
            errors = errors + starts[:, -1:]
            sigma, center = select_width_center(errors, widths, centers, problem.weight)
            best = int(np.argmin(matching_objective(errors, sigma, center, problem.weight)))
        return MCCVC(widths, centers), starts[best : best + 1]

    def _robust_fit(
        self,
        problem: ScaledProblem,
        criterion: MCC | MCCVC,
        start: Array,
        widths: Any,
        *,
        auto: bool,
        by_center: bool,
    ) -> RobustFit:
        progress = iterate(problem, criterion, start, max_iter=self.max_iter, tol=self.tol)
        self._warn(problem, progress, widths, auto=auto)
        fit, unit = progress.fit, problem.target_unit
        errors = problem.target - fit.predict(problem.design)[0]
        scale, _ = mode(errors, problem.weight, problem.floor, centered=True)
        coef, intercept = problem.original_weights(fit.beta[0], fit.intercept[0])
        center = float(fit.center[0])
        return RobustFit(
            coef=coef,
            intercept=0.0 if by_center else problem.original_level(intercept),
            center=problem.original_level(center) if by_center else center * unit,
            sigma=float(fit.sigma[0]) * unit,
            share=matched_share(errors, scale, problem.weight),
            n_iter=int(fit.n_iter[0]),
            objective=progress.objective,
        )
