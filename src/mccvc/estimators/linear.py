"""Linear regression by correntropy, for scikit-learn; equation numbers are those of Chen et al."""

from mccvc.arrays import ArrayLike
from mccvc.estimators._base import FixedWidth, VariableCenter


class MCCRegressor(FixedWidth):
    """Linear regression by the maximum correntropy criterion.

    Minimizes J (11) with c = 0: - (1/N) sum_i G_sigma(t_i - x_i . beta - b) + lambda ||beta||^2,
    by the fixed point (12). Errors far beyond sigma do not count, so that outliers of any size
    have no influence. The criterion is Welsch's M-estimator.

    Parameters
    ----------
    sigma : float or "auto", default="auto"
        Kernel width, in units of the target. "auto" takes 2.11 times the scale of the errors
        around their mode at the start, which has 95 % of the efficiency of least squares for
        normal errors.
    alpha : float, default=0.0
        Ridge penalty lambda' of (12), in which weights are G_sigma(e) = exp(-e^2 / (2 sigma^2)) /
        (sqrt(2 pi) sigma). To compare with a ridge penalty on weights between 0 and 1, multiply
        by sqrt(2 pi) sigma. With 0, collinear inputs share their weight (least norm).
    fit_intercept : bool, default=True
        Whether to fit an intercept; it is not penalized.
    init : {"robust", "zeros", "least-squares"}, default="robust"
        Starting point: the objective has local optima. "robust" compares zeros, least squares,
        a fit with a kernel that narrows step by step and, up to 12 unknowns, exact fits of 40
        subsets, and starts from the one whose errors have the sharpest mode. "zeros" is
        Algorithm 1.
    max_iter : int, default=100
        Largest number of iterations K.
    tol : float, default=1e-6
        Termination tolerance xi of the objective, relative to the kernel's peak. 0 runs all
        iterations.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
        Coefficients beta.
    intercept_ : float or ndarray of shape (n_targets,)
        Intercept b.
    sigma_ : float or ndarray of shape (n_targets,)
        Kernel width used.
    center_ : float or ndarray of shape (n_targets,)
        Kernel center, 0.
    weights_ : ndarray of shape (n_samples,) or (n_samples, n_targets)
        Kernel value of each error over the kernel's peak, from 0 (outlier) to 1.
    objective_path_ : ndarray of shape (n_iter_,), or a list of them
        J (11) after each iteration.
    n_iter_ : int or ndarray of shape (n_targets,)
        Iterations done.
    n_features_in_ : int
        Number of inputs.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the inputs, if they have names.

    See Also
    --------
    MCCVCRegressor : Kernel whose width and center follow the errors.
    sklearn.linear_model.HuberRegressor : Bounds the influence of outliers without rejecting them.

    References
    ----------
    Chen et al., "Maximum Correntropy Criterion with Variable Center", equations (1), (12).

    Examples
    --------
    >>> import numpy as np
    >>> from mccvc import MCCRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-2, 2, (200, 1))
    >>> y = 3 * X[:, 0] + 1 + rng.normal(0, 0.1, 200)
    >>> y[:60] += 50
    >>> model = MCCRegressor().fit(X, y)
    >>> print(model.coef_.round(1), round(model.intercept_, 1))
    [3.] 1.0
    """

    def __init__(
        self,
        sigma: float | str = "auto",
        *,
        alpha: float = 0.0,
        fit_intercept: bool = True,
        init: str = "robust",
        max_iter: int = 100,
        tol: float = 1e-6,
    ) -> None:
        self.sigma = sigma
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.init = init
        self.max_iter = max_iter
        self.tol = tol


class MCCVCRegressor(VariableCenter):
    """Linear regression by the maximum correntropy criterion with variable center.

    Algorithm 1: at every iteration width and center are those whose kernel matches the density
    of the errors best (18); beta then follows from (12). Predictions include the center, which
    serves as intercept.

    Parameters
    ----------
    widths : array-like, float or "auto", default="auto"
        Admissible kernel widths S, in units of the target. "auto" takes 0.2, 0.4, ..., 5 times
        the scale of the errors around their mode at the start.
    centers : array-like, float, "auto", "median" or "mean", default="auto"
        Admissible centers C, in units of the target, or the statistic of the errors that serves
        as center. "auto" takes -5, -4.9, ..., 5 times the same scale around the mode.
    alpha : float, default=0.0
        Ridge penalty lambda' of (12); see :class:`MCCRegressor`.
    fit_intercept : bool, default=False
        Whether to fit an intercept beside the center.
    init : {"robust", "zeros", "least-squares"}, default="robust"
        Starting point; see :class:`MCCRegressor`. "zeros" is Algorithm 1.
    max_iter : int, default=100
        Largest number of iterations K.
    tol : float, default=1e-6
        Termination tolerance xi of the objective, relative to the kernel's peak. 0 runs all
        iterations.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
        Coefficients beta.
    intercept_ : float or ndarray of shape (n_targets,)
        Intercept, 0 without one. Predictions add it and `center_`.
    sigma_, center_ : float or ndarray of shape (n_targets,)
        Kernel width and center of the last iteration.
    weights_ : ndarray of shape (n_samples,) or (n_samples, n_targets)
        Kernel value of each error over the kernel's peak, from 0 (outlier) to 1.
    objective_path_ : ndarray of shape (n_iter_,), or a list of them
        J (11) after each iteration, at the width and center of that iteration.
    n_iter_ : int or ndarray of shape (n_targets,)
        Iterations done.
    n_features_in_ : int
        Number of inputs.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the inputs, if they have names.

    See Also
    --------
    MCCRegressor : Kernel of one width, centered at zero.

    References
    ----------
    Chen et al., "Maximum Correntropy Criterion with Variable Center", Algorithm 1.

    Examples
    --------
    >>> import numpy as np
    >>> from mccvc import MCCVCRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-2, 2, (400, 2))
    >>> y = X @ [1, 2] + rng.normal(3, 1, 400)
    >>> y[:40] = rng.normal(0, 100, 40)
    >>> model = MCCVCRegressor().fit(X, y)
    >>> print(model.coef_.round(1), round(model.center_))
    [1. 2.] 3
    """

    def __init__(
        self,
        widths: ArrayLike = "auto",
        centers: ArrayLike = "auto",
        *,
        alpha: float = 0.0,
        fit_intercept: bool = False,
        init: str = "robust",
        max_iter: int = 100,
        tol: float = 1e-6,
    ) -> None:
        self.widths = widths
        self.centers = centers
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
