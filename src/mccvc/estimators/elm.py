"""Extreme learning machines by least squares and correntropy, for scikit-learn."""

from dataclasses import replace
from typing import Any

import numpy as np

from mccvc.arrays import Array, ArrayLike
from mccvc.criteria.efficient import efficient_kernel
from mccvc.criteria.paper import MCC, MMSE
from mccvc.estimators._base import RobustFit, TargetFit
from mccvc.estimators._checks import (
    check_centers,
    check_number,
    check_set,
    check_share,
    is_auto,
)
from mccvc.estimators._iteration import iterate
from mccvc.estimators._layer_base import OnHiddenLayer, RobustOnHiddenLayer
from mccvc.estimators._layer_starts import EFFICIENT_WIDTH
from mccvc.estimators._matching import MatchingSets
from mccvc.scale import efficient_width
from mccvc.solvers.batch import fit_batch


class RELMRegressor(OnHiddenLayer):
    """Regularized extreme learning machine: ridge regression on a random hidden layer (10).

    Parameters
    ----------
    n_hidden : int, default=100
        Number of hidden nodes.
    alpha : float or "auto", default="auto"
        Ridge penalty lambda of (9), for the target in units of its robust scale if `scale`.
        "auto" takes, of penalties from 1e-8 to 100, the one with the smallest generalized
        cross-validation.
    activation : {"logistic", "tanh", "relu", "sine", "radial", "hard-limit"}, default="logistic"
        Activation of the nodes.
    scale : bool, default=True
        Whether to scale inputs and to measure the target from its median in units of a robust
        scale. The paper's data are scaled beforehand.
    input_scaling : {"robust", "minmax"}, default="robust"
        How inputs are scaled; see :class:`RandomHiddenLayer`.
    random_state : int, RandomState instance or None, default=None
        Draws the hidden layer.

    Attributes
    ----------
    coef_ : ndarray of shape (n_hidden,) or (n_targets, n_hidden)
        Output weights beta.
    alpha_ : float or ndarray of shape (n_targets,)
        Penalty used.
    intercept_ : float or ndarray of shape (n_targets,)
        Median of the target if `scale`, else 0.
    center_ : float
        0.
    hidden_layer_ : RandomHiddenLayer
        The hidden layer.
    n_features_in_ : int
        Number of inputs.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the inputs, if they have names.

    See Also
    --------
    ELMMCCVCRegressor : The same layer, with weights robust against outliers.

    References
    ----------
    Chen et al., "Maximum Correntropy Criterion with Variable Center", equations (8)-(10).

    Examples
    --------
    >>> import numpy as np
    >>> from mccvc import RELMRegressor
    >>> X = np.linspace(0, 1, 200)[:, None]
    >>> y = np.sin(3 * X[:, 0])
    >>> model = RELMRegressor(random_state=0, alpha=1e-9).fit(X, y)
    >>> print(round(model.score(X, y), 3))
    1.0
    """

    def __init__(
        self,
        n_hidden: int = 100,
        *,
        alpha: float | str = "auto",
        activation: str = "logistic",
        scale: bool = True,
        input_scaling: str = "robust",
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_hidden = n_hidden
        self.alpha = alpha
        self.activation = activation
        self.scale = scale
        self.input_scaling = input_scaling
        self.random_state = random_state

    def _fit_target(self, design: Any, target: Array, weight: Array, inputs: Array) -> TargetFit:
        problem = self._scaled(design, target, weight, inputs, movable=False, by_kernel=False)
        problem, alpha = self._ridge(problem)
        options: dict[str, Any] = {"sample_weight": weight}
        fit = fit_batch(problem.design, problem.target, MMSE(), [problem.lam], **options)
        coef, intercept = problem.original_weights(fit.beta[0], fit.intercept[0])
        return TargetFit(coef, problem.original_level(intercept), 0.0, alpha)


class ELMRCCRegressor(RobustOnHiddenLayer):
    """Extreme learning machine trained by the maximum correntropy criterion.

    :class:`MCCRegressor` on a random hidden layer, without intercept.

    Parameters
    ----------
    sigma : float or "auto", default="auto"
        Kernel width, in units of the target; see :class:`MCCRegressor`.
    n_hidden : int, default=100
        Number of hidden nodes.
    alpha : float or "auto", default="auto"
        Ridge penalty lambda' of (12), for the target in units of its robust scale if `scale`.
        "auto" compares penalties from 1e-8 to 100, for weights of at most 1, by the errors of
        samples left out, truncated at three standard deviations.
    activation : {"logistic", "tanh", "relu", "sine", "radial", "hard-limit"}, default="logistic"
        Activation of the nodes.
    scale : bool, default=True
        Whether to scale inputs and to measure the target from its median in units of a robust
        scale. The paper's data are scaled beforehand.
    input_scaling : {"robust", "minmax"}, default="robust"
        How inputs are scaled; see :class:`RandomHiddenLayer`.
    init : {"robust", "zeros", "least-squares"}, default="robust"
        Starting point; see :class:`MCCRegressor`. "zeros" is Algorithm 1.
    max_iter : int, default=100
        Largest number of iterations K.
    tol : float, default=1e-4
        Termination tolerance xi of the objective, relative to the kernel's peak.
    random_state : int, RandomState instance or None, default=None
        Draws the hidden layer.

    Attributes
    ----------
    coef_ : ndarray of shape (n_hidden,) or (n_targets, n_hidden)
        Output weights beta.
    alpha_ : float or ndarray of shape (n_targets,)
        Penalty used.
    intercept_ : float or ndarray of shape (n_targets,)
        Median of the target if `scale`, else 0.
    sigma_, center_ : float or ndarray of shape (n_targets,)
        Kernel width used, and 0.
    inlier_share_ : float or ndarray of shape (n_targets,)
        Share of the errors that a kernel of their own scale stands for.
    weights_ : ndarray of shape (n_samples,) or (n_samples, n_targets)
        Kernel value of each error over the kernel's peak, from 0 (outlier) to 1.
    objective_path_ : ndarray of shape (n_iter_,), or a list of them
        J (11) after each iteration.
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
    ELMMCCVCRegressor : Kernel whose width and center follow the errors.

    References
    ----------
    Chen et al., "Maximum Correntropy Criterion with Variable Center", section IV-B.

    Examples
    --------
    >>> import numpy as np
    >>> from mccvc import ELMRCCRegressor
    >>> X = np.linspace(0, 1, 200)[:, None]
    >>> y = np.sin(3 * X[:, 0])
    >>> y[::10] = 20
    >>> model = ELMRCCRegressor(random_state=0, alpha=1e-9).fit(X, y)
    >>> print(abs(model.predict(X) - np.sin(3 * X[:, 0])).max() < 0.1)
    True
    """

    def __init__(
        self,
        sigma: float | str = "auto",
        *,
        n_hidden: int = 100,
        alpha: float | str = "auto",
        activation: str = "logistic",
        scale: bool = True,
        input_scaling: str = "robust",
        init: str = "robust",
        max_iter: int = 100,
        tol: float = 1e-4,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.sigma = sigma
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
        super()._check_parameters()
        if not is_auto(self.sigma):
            check_number(self, "sigma", low=0, others="'auto'")

    def _fit_target(self, design: Any, target: Array, weight: Array, inputs: Array) -> RobustFit:
        problem = self._scaled(design, target, weight, inputs, movable=False, by_kernel=True)
        given = None if is_auto(self.sigma) else float(self.sigma) / problem.target_unit
        problem, starts, alpha = self._start(problem, given, level=False)
        sigma = EFFICIENT_WIDTH * starts.scale if given is None else given
        fitted = iterate(problem, MCC(sigma), starts.beta[:1], max_iter=self.max_iter, tol=self.tol)
        self._warn(problem, fitted, sigma, auto=given is None)
        return self._layer_fit(problem, fitted, alpha, by_center=False)


class ELMMCCVCRegressor(RobustOnHiddenLayer):
    """Extreme learning machine trained by MCC with variable center.

    :class:`MCCVCRegressor` on a random hidden layer. Predictions include the center.

    Parameters
    ----------
    widths : array-like, float or "auto", default="auto"
        Admissible kernel widths S, in units of the target; see :class:`MCCVCRegressor`. The
        paper's set is ``numpy.arange(1, 21) * 0.1`` for a target scaled to [0, 1].
    centers : array-like, float, "auto", "median" or "mean", default="median"
        Admissible centers C, or the statistic of the errors that serves as center.
    inlier_share : 1 or None, default=None
        Share of the errors that the kernel stands for; see :class:`MCCVCRegressor`.
    efficiency : float or None, default=0.95
        Efficiency of a last fit with a wider kernel; see :class:`MCCVCRegressor`.
    n_hidden : int, default=100
        Number of hidden nodes.
    alpha : float or "auto", default="auto"
        Ridge penalty lambda' of (12), for the target in units of its robust scale if `scale`.
        "auto" compares penalties from 1e-8 to 100, for weights of at most 1, by the errors of
        samples left out, truncated at three standard deviations.
    activation : {"logistic", "tanh", "relu", "sine", "radial", "hard-limit"}, default="logistic"
        Activation of the nodes.
    scale : bool, default=True
        Whether to scale inputs and to measure the target in units of a robust scale. The
        paper's data are scaled beforehand.
    input_scaling : {"robust", "minmax"}, default="robust"
        How inputs are scaled; see :class:`RandomHiddenLayer`.
    init : {"robust", "zeros", "least-squares"}, default="robust"
        Starting point; see :class:`MCCRegressor`. "zeros" is Algorithm 1.
    max_iter : int, default=100
        Largest number of iterations K.
    tol : float, default=1e-4
        Termination tolerance xi of the objective, relative to the kernel's peak.
    random_state : int, RandomState instance or None, default=None
        Draws the hidden layer.

    Attributes
    ----------
    coef_ : ndarray of shape (n_hidden,) or (n_targets, n_hidden)
        Output weights beta.
    alpha_ : float or ndarray of shape (n_targets,)
        Penalty used.
    intercept_ : float or ndarray of shape (n_targets,)
        0; predictions add it and `center_`.
    sigma_, center_ : float or ndarray of shape (n_targets,)
        Kernel width and center of the last iteration.
    inlier_share_ : float or ndarray of shape (n_targets,)
        Share of the errors that a kernel of their own scale stands for.
    weights_ : ndarray of shape (n_samples,) or (n_samples, n_targets)
        Kernel value of each error over the kernel's peak, from 0 (outlier) to 1.
    objective_path_ : ndarray of shape (n_iter_,), or a list of them
        J (11) after each iteration, at the width and center of that iteration.
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
    ELMRCCRegressor : Kernel of one width, centered at zero.
    RELMRegressor : Least squares on the same layer.

    References
    ----------
    Chen et al., "Maximum Correntropy Criterion with Variable Center", Algorithm 1, section IV-B.

    Examples
    --------
    >>> import numpy as np
    >>> from mccvc import ELMMCCVCRegressor
    >>> X = np.linspace(0, 1, 200)[:, None]
    >>> y = np.sin(3 * X[:, 0])
    >>> y[::5] += 5
    >>> model = ELMMCCVCRegressor(random_state=0, alpha=1e-7).fit(X, y)
    >>> print(abs(model.predict(X) - np.sin(3 * X[:, 0])).max() < 0.1)
    True
    """

    def __init__(
        self,
        widths: ArrayLike = "auto",
        centers: ArrayLike = "median",
        *,
        inlier_share: float | None = None,
        efficiency: float | None = 0.95,
        n_hidden: int = 100,
        alpha: float | str = "auto",
        activation: str = "logistic",
        scale: bool = True,
        input_scaling: str = "robust",
        init: str = "robust",
        max_iter: int = 100,
        tol: float = 1e-4,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.widths = widths
        self.centers = centers
        self.inlier_share = inlier_share
        self.efficiency = efficiency
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
        super()._check_parameters()
        if not is_auto(self.widths):
            self._widths = check_set(self, "widths", positive=True)
        self._centers = check_centers(self)
        check_share(self, "inlier_share", whole=True)
        check_share(self, "efficiency")

    def _fit_target(self, design: Any, target: Array, weight: Array, inputs: Array) -> RobustFit:
        problem = self._scaled(design, target, weight, inputs, movable=True, by_kernel=True)
        auto = is_auto(self.widths)
        problem, starts, alpha = self._start(problem, None, level=isinstance(self._centers, str))
        options: dict[str, Any] = {"max_iter": self.max_iter, "tol": self.tol}
        sets = MatchingSets(None if auto else self._widths, self._centers, self.inlier_share)
        criterion, start = sets.criterion(problem, starts)
        if self.efficiency is None or len(criterion.widths) == 1:
            fitted = iterate(problem, criterion, start, **options)
            self._warn(problem, fitted, criterion.widths, auto=auto)
            return self._layer_fit(problem, fitted, alpha, by_center=True)
        width = starts.scale
        if not auto or self.init != "robust":
            stage = iterate(problem, criterion, start, **options)
            start, width = stage.start, float(stage.fit.sigma[0])
        final = replace(problem, intercept=True)
        kernel = efficient_kernel(width, efficient_width(self.efficiency))
        fitted = iterate(final, kernel, start, **options)
        self._warn(final, fitted, criterion.widths, auto=auto)
        return self._layer_fit(final, fitted, alpha, by_center=True)
