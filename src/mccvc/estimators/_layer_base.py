"""What the regressors on a random hidden layer share."""

from dataclasses import replace
from typing import Any

import numpy as np

from mccvc.arrays import Array
from mccvc.correntropy import SQRT_2PI
from mccvc.estimators._base import LinearInParameters, RobustFit, RobustRegressor
from mccvc.estimators._checks import check_layer, check_number, is_auto
from mccvc.estimators._iteration import Progress, starting_points
from mccvc.estimators._layer_starts import (
    EFFICIENT_WIDTH,
    PENALTIES,
    LayerStart,
    best_ridge,
    robust_layer_start,
)
from mccvc.estimators._sample import distinct_rows
from mccvc.estimators._scaled_problem import ScaledProblem
from mccvc.estimators._starts import Starts
from mccvc.estimators.random_hidden_layer import RandomHiddenLayer
from mccvc.solvers.row_blocks import BlockedDesign

# Hidden layers with more outputs than this are made in blocks, never held.
_LARGEST_HELD = 2**20
_FEWEST_BLOCKED = 16
# Starts and penalties are sought on at most so many rows, or so many for each node.
_FEW_ROWS = 500
_ROWS_PER_NODE = 4


class OnHiddenLayer(LinearInParameters):
    """A random hidden layer in place of the inputs."""

    n_hidden: int
    activation: str
    scale: bool
    input_scaling: str
    random_state: int | np.random.RandomState | None

    def _check_parameters(self) -> None:
        if not is_auto(self.alpha):
            check_number(self, "alpha", low=0, closed=True, others="'auto'")
        check_layer(self)

    def _fit_design(self, X: Array, weight: Array) -> Array | BlockedDesign:
        self.hidden_layer_ = RandomHiddenLayer(
            self.n_hidden,
            activation=self.activation,
            scale=self.scale,
            input_scaling=self.input_scaling,
            random_state=self.random_state,
        ).set_output(transform="default")
        self.hidden_layer_.fit(X, sample_weight=weight)
        return self._design(X)

    def _design(self, X: Array) -> Array | BlockedDesign:
        layer = self.hidden_layer_
        if len(X) * self.n_hidden <= _LARGEST_HELD or self.n_hidden < _FEWEST_BLOCKED:
            return layer.transform(X)
        return BlockedDesign(lambda part: layer.transform(X[part]), len(X), self.n_hidden)

    def _scaled(
        self,
        design: Any,
        target: Array,
        weight: Array,
        inputs: Array,
        *,
        movable: bool,
        by_kernel: bool,
    ) -> ScaledProblem:
        """The problem in scaled units; with ``alpha="auto"`` its lam is that of alpha = 1."""
        problem = ScaledProblem.of(
            design,
            target,
            weight,
            alpha=1.0 if is_auto(self.alpha) else self.alpha,
            intercept=False,
            movable=movable,
            scaled=self.scale,
            by_kernel=by_kernel,
        )
        # Rows with equal inputs have equal outputs.
        return replace(problem, known=distinct_rows(inputs, target, weight))

    def _few(self, problem: ScaledProblem) -> ScaledProblem:
        """Distinct rows, at most so many that an SVD of their outputs is quick."""
        few = problem.distinct.thinned(max(_FEW_ROWS, _ROWS_PER_NODE * self.n_hidden))
        return problem.rows(few.rows, few.weight)

    def _robust_start(self, problem: ScaledProblem, *, level: bool) -> LayerStart:
        """A robust start from few rows, with a penalty of its own for ``alpha="auto"``."""
        few = self._few(problem)
        return robust_layer_start(
            few.design,
            few.target,
            few.weight,
            penalties=PENALTIES if is_auto(self.alpha) else None,
            lam=problem.lam,
            level=level,
            floor=problem.floor,
        )

    def _ridge(self, problem: ScaledProblem) -> tuple[ScaledProblem, float]:
        """The problem with the penalty to use for least squares, and alpha in the data's units."""
        if not is_auto(self.alpha):
            return problem, float(self.alpha)
        few = self._few(problem)
        penalty = best_ridge(few.design, few.target, few.weight, PENALTIES, level=False)
        return replace(problem, lam=penalty), penalty / problem.lam


class RobustOnHiddenLayer(OnHiddenLayer, RobustRegressor):
    """Robust regressors on a hidden layer."""

    def _check_parameters(self) -> None:
        OnHiddenLayer._check_parameters(self)
        self._check_iteration()

    def _start(
        self, problem: ScaledProblem, sigma: float | None, *, level: bool
    ) -> tuple[ScaledProblem, Starts, float]:
        """The problem with the penalty to use, where to begin, and alpha in the data's units.

        `sigma` is a kernel width in scaled units, None for one that follows from the errors;
        `level` says whether predictions have a level that follows from them.
        """
        auto = is_auto(self.alpha)
        if self.init != "robust" and not auto:
            return problem, starting_points(problem, self.init), float(self.alpha)
        # A median serves as level in scaled units, and a robust one serves better.
        shifts = self.scale and not problem.movable
        start = self._robust_start(problem, level=level or shifts)
        if shifts:
            problem = problem.shifted(float(start.beta[0, -1]))
            start.beta[0, -1] = 0.0
        alpha = self.alpha
        if auto:
            width = EFFICIENT_WIDTH * start.scale if sigma is None else sigma
            lam = start.penalty / (SQRT_2PI * width)
            problem, alpha = replace(problem, lam=lam), lam / problem.lam
        if self.init != "robust":
            return problem, starting_points(problem, self.init), float(alpha)
        return problem, Starts(start.beta, start.scale), float(alpha)

    def _layer_fit(
        self, problem: ScaledProblem, progress: Progress, alpha: float, *, by_center: bool
    ) -> RobustFit:
        """A fit in the data's units."""
        errors = problem.errors_of(progress.fit)
        return self._described(problem, progress, errors, alpha, by_center=by_center)
