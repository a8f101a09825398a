"""Extreme learning machines by least squares and correntropy, for scikit-learn."""

from typing import Any

import numpy as np

from mccvc.arrays import Array, ArrayLike
from mccvc.criteria.paper import MMSE
from mccvc.estimators._base import RobustFit, TargetFit
from mccvc.estimators._checks import check_centers, check_number, check_set, is_auto
from mccvc.estimators._layer_base import OnHiddenLayer, RobustOnHiddenLayer
from mccvc.solvers.batch import fit_batch


class RELMRegressor(OnHiddenLayer):
    """Regularized extreme learning machine: ridge regression on a random hidden layer (10).

    Parameters
    ----------
    n_hidden : int, default=100
        Number of hidden nodes.
    alpha : float, default=1e-6
        Ridge penalty lambda of (9), for the target in units of its robust scale if `scale`.
    activation : {"logistic", "tanh", "relu"}, default="logistic"
        Activation of the nodes.
    scale : bool, default=True
        Whether to scale inputs to [0, 1] over the training data and to measure the target from
        its median in units of a robust scale. The paper's data are scaled beforehand.
    random_state : int, RandomState instance or None, default=None
        Draws the hidden layer.

    Attributes
    ----------
    coef_ : ndarray of shape (n_hidden,) or (n_targets, n_hidden)
        Output weights beta.
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
        alpha: float = 1e-6,
        activation: str = "logistic",
        scale: bool = True,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_hidden = n_hidden
        self.alpha = alpha
        self.activation = activation
        self.scale = scale
        self.random_state = random_state

    def _fit_target(self, design: Any, target: Array, weight: Array) -> TargetFit:
        problem = self._scaled(design, target, weight, movable=False, by_kernel=False)
        fit = fit_batch(problem.design, problem.target, MMSE(), [problem.lam], sample_weight=weight)
        coef, intercept = problem.original_weights(fit.beta[0], fit.intercept[0])
        return TargetFit(coef, problem.original_level(intercept), 0.0)


class ELMRCCRegressor(RobustOnHiddenLayer):
    """Extreme learning machine trained by the maximum correntropy criterion.

    :class:`MCCRegressor` on a random hidden layer, without intercept.

    Parameters
    ----------
    sigma : float or "auto", default="auto"
        Kernel width, in units of the target; see :class:`MCCRegressor`.
    n_hidden : int, default=100
        Number of hidden nodes.
    alpha : float, default=1e-6
        Ridge penalty lambda' of (12), for the target in units of its robust scale if `scale`.
    activation : {"logistic", "tanh", "relu"}, default="logistic"
        Activation of the nodes.
    scale : bool, default=True
        Whether to scale inputs to [0, 1] over the training data and to measure the target from
        its median in units of a robust scale. The paper's data are scaled beforehand.
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
    intercept_ : float or ndarray of shape (n_targets,)
        Median of the target if `scale`, else 0.
    sigma_, center_ : float or ndarray of shape (n_targets,)
        Kernel width used, and 0.
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
        alpha: float = 1e-6,
        activation: str = "logistic",
        scale: bool = True,
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
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if not is_auto(self.sigma):
            check_number(self, "sigma", low=0, others="'auto'")

    def _fit_target(self, design: Any, target: Array, weight: Array) -> RobustFit:
        problem = self._scaled(design, target, weight, movable=False, by_kernel=True)
        auto = is_auto(self.sigma)
        sigma = None if auto else float(self.sigma) / problem.target_unit
        criterion, start = self._fixed_width(problem, sigma)
        return self._robust_fit(
            problem, criterion, start, criterion.sigma, auto=auto, by_center=False
        )


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
    n_hidden : int, default=100
        Number of hidden nodes.
    alpha : float, default=1e-6
        Ridge penalty lambda' of (12), for the target in units of its robust scale if `scale`.
    activation : {"logistic", "tanh", "relu"}, default="logistic"
        Activation of the nodes.
    scale : bool, default=True
        Whether to scale inputs to [0, 1] over the training data and to measure the target in
        units of a robust scale. The paper's data are scaled beforehand.
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
    intercept_ : float or ndarray of shape (n_targets,)
        0; predictions add it and `center_`.
    sigma_, center_ : float or ndarray of shape (n_targets,)
        Kernel width and center of the last iteration.
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
        n_hidden: int = 100,
        alpha: float = 1e-6,
        activation: str = "logistic",
        scale: bool = True,
        init: str = "robust",
        max_iter: int = 100,
        tol: float = 1e-4,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.widths = widths
        self.centers = centers
        self.n_hidden = n_hidden
        self.alpha = alpha
        self.activation = activation
        self.scale = scale
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if not is_auto(self.widths):
            self._widths = check_set(self, "widths", positive=True)
        self._centers = check_centers(self)

    def _fit_target(self, design: Any, target: Array, weight: Array) -> RobustFit:
        problem = self._scaled(design, target, weight, movable=True, by_kernel=True)
        auto = is_auto(self.widths)
        centers: Any = self._centers
        if not isinstance(centers, str):
            centers = (centers - problem.level) / problem.target_unit
        widths = None if auto else self._widths / problem.target_unit
        criterion, start = self._variable_center(problem, widths, centers)
        return self._robust_fit(
            problem, criterion, start, criterion.widths, auto=auto, by_center=True
        )
