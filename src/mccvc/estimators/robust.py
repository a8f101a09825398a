"""Regressors with any criterion of the registry, for scikit-learn."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from mccvc.arrays import Array
from mccvc.criteria.base import Criterion
from mccvc.estimators._any_criterion import AnyCriterion, CriterionFit
from mccvc.estimators._checks import check_number, is_auto
from mccvc.estimators._iteration import starting_points
from mccvc.estimators._layer_base import OnHiddenLayer
from mccvc.estimators._scaled_problem import ScaledProblem
from mccvc.estimators._starts import Starts


class RobustLinearRegressor(AnyCriterion):
    """Linear regression by any robust criterion.

    Parameters
    ----------
    criterion : str or Criterion, default="tukey"
        One of "cauchy", "gmcc", "huber", "kmpe", "krsl", "lad", "mcc", "mee", "mixture-mcc",
        "mmkcc", "qmee", "student-t", "tukey" and "welsch", or an object of
        :mod:`mccvc.criteria`, whose parameters are in units of the target.
    parameters : dict or None, default=None
        Parameters of the criterion that are to differ from its defaults, by name.
    units : {"errors", "target"}, default="errors"
        Whether parameters with a unit (widths, bandwidths, radii) are multiples of the scale of
        the errors without outliers, `scale_`, or in units of the target.
    alpha : float, default=0.0
        Ridge penalty lambda', for the target in units of its robust scale and the criterion's
        weights as its source gives them.
    fit_intercept : bool, default=True
        Whether to fit an intercept; it is not penalized.
    init : {"robust", "zeros", "least-squares"}, default="robust"
        Starting point; see :class:`MCCRegressor`.
    max_iter : int, default=200
        Largest number of iterations.
    tol : float, default=1e-6
        Termination tolerance. 0 runs all iterations.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
        Coefficients.
    intercept_, center_ : float or ndarray of shape (n_targets,)
        Intercept, and what the criterion adds to predictions (entropies: the median of the
        errors).
    alpha_ : float or ndarray of shape (n_targets,)
        Penalty used.
    scale_ : float or ndarray of shape (n_targets,)
        Scale of the errors without outliers at the start.
    weights_ : ndarray of shape (n_samples,) or (n_samples, n_targets)
        Weight of each sample over the largest one.
    n_iter_ : int or ndarray of shape (n_targets,)
        Iterations done.
    n_features_in_ : int
        Number of inputs.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the inputs, if they have names.

    See Also
    --------
    MCCRegressor : Correntropy, with standard errors.

    References
    ----------
    The docstring of each criterion names its source.

    Examples
    --------
    >>> import numpy as np
    >>> from mccvc import RobustLinearRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-2, 2, (200, 1))
    >>> y = 3 * X[:, 0] + 1 + rng.normal(0, 0.1, 200)
    >>> y[:60] += 50
    >>> for name in ("tukey", "gmcc", "mee"):
    ...     print(name, RobustLinearRegressor(name).fit(X, y).coef_.round(1))
    tukey [3.]
    gmcc [3.]
    mee [3.]
    """

    def __init__(
        self,
        criterion: str | Criterion = "tukey",
        *,
        parameters: Mapping[str, float] | None = None,
        units: str = "errors",
        alpha: float = 0.0,
        fit_intercept: bool = True,
        init: str = "robust",
        max_iter: int = 200,
        tol: float = 1e-6,
    ) -> None:
        self.criterion = criterion
        self.parameters = parameters
        self.units = units
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.init = init
        self.max_iter = max_iter
        self.tol = tol

    def _check_parameters(self) -> None:
        check_number(self, "alpha", low=0, closed=True)
        self._check_criterion()

    def _fit_target(self, design: Any, target: Array, weight: Array, inputs: Array) -> CriterionFit:
        problem = ScaledProblem.of(
            design,
            target,
            weight,
            alpha=self.alpha,
            intercept=self.fit_intercept,
            movable=self.fit_intercept,
            scaled=self.alpha > 0,
            by_kernel=False,
        )
        starts = starting_points(problem, self.init)
        near = problem.without_far_rows(starts.beta[:1], starts.scale)
        return self._fit_criterion(problem, near, starts, None)


class RobustELMRegressor(AnyCriterion, OnHiddenLayer):
    """Extreme learning machine trained by any robust criterion, with an intercept.

    Parameters
    ----------
    criterion : str or Criterion, default="tukey"
        See :class:`RobustLinearRegressor`.
    parameters : dict or None, default=None
        Parameters of the criterion that are to differ from its defaults, by name.
    units : {"errors", "target"}, default="errors"
        Units of the parameters; see :class:`RobustLinearRegressor`.
    n_hidden : int, default=100
        Number of hidden nodes.
    alpha : float or "auto", default="auto"
        Ridge penalty lambda', for the target in units of its robust scale and the criterion's
        weights as its source gives them. "auto" compares penalties from 1e-8 to 100, for weights
        of at most 1, by the errors of samples left out, truncated at three standard deviations.
    activation : {"logistic", "tanh", "relu", "sine", "radial", "hard-limit"}, default="logistic"
        Activation of the nodes.
    scale : bool, default=True
        Whether to scale inputs.
    input_scaling : {"robust", "minmax"}, default="robust"
        How inputs are scaled; see :class:`RandomHiddenLayer`.
    init : {"robust", "zeros", "least-squares"}, default="robust"
        Starting point; see :class:`MCCRegressor`.
    max_iter : int, default=200
        Largest number of iterations.
    tol : float, default=1e-4
        Termination tolerance. 0 runs all iterations.
    random_state : int, RandomState instance or None, default=None
        Draws the hidden layer.

    Attributes
    ----------
    coef_ : ndarray of shape (n_hidden,) or (n_targets, n_hidden)
        Output weights.
    intercept_, center_, alpha_, scale_ : float or ndarray of shape (n_targets,)
        As for :class:`RobustLinearRegressor`.
    weights_ : ndarray of shape (n_samples,) or (n_samples, n_targets)
        Weight of each sample over the largest one.
    n_iter_ : int or ndarray of shape (n_targets,)
        Iterations done.
    hidden_layer_ : RandomHiddenLayer
        The hidden layer.
    n_features_in_ : int
        Number of inputs.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the inputs, if they have names.

    See Also
    --------
    ELMMCCVCRegressor : Correntropy with variable center.

    References
    ----------
    The docstring of each criterion names its source.

    Examples
    --------
    >>> import numpy as np
    >>> from mccvc import RobustELMRegressor
    >>> X = np.linspace(0, 1, 200)[:, None]
    >>> y = np.sin(3 * X[:, 0])
    >>> y[::5] += 5
    >>> model = RobustELMRegressor("krsl", random_state=0).fit(X, y)
    >>> print(abs(model.predict(X) - np.sin(3 * X[:, 0])).max() < 0.1)
    True
    """

    def __init__(
        self,
        criterion: str | Criterion = "tukey",
        *,
        parameters: Mapping[str, float] | None = None,
        units: str = "errors",
        n_hidden: int = 100,
        alpha: float | str = "auto",
        activation: str = "logistic",
        scale: bool = True,
        input_scaling: str = "robust",
        init: str = "robust",
        max_iter: int = 200,
        tol: float = 1e-4,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.criterion = criterion
        self.parameters = parameters
        self.units = units
        self.n_hidden = n_hidden
        self.alpha = alpha
        self.activation = activation
        self.scale = scale
        self.input_scaling = input_scaling
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _check_parameters(self) -> None:
        OnHiddenLayer._check_parameters(self)
        self._check_criterion()

    def _fit_target(self, design: Any, target: Array, weight: Array, inputs: Array) -> CriterionFit:
        problem = self._scaled(design, target, weight, inputs, movable=True, by_kernel=False)
        problem = replace(problem, intercept=True)
        auto = is_auto(self.alpha)
        if self.init != "robust" and not auto:
            return self._fit_criterion(problem, problem, starting_points(problem, self.init), None)
        start = self._robust_start(problem, level=True)
        starts = Starts(start.beta, start.scale)
        if self.init != "robust":
            starts = starting_points(problem, self.init)
        return self._fit_criterion(problem, problem, starts, start.penalty if auto else None)
