"""Linear regression by correntropy, for scikit-learn; equation numbers are those of Chen et al."""

from dataclasses import replace
from typing import Any

import numpy as np

from mccvc.arrays import Array, ArrayLike
from mccvc.correntropy import correntropy
from mccvc.criteria.efficient import efficient_kernel
from mccvc.criteria.paper import MCC
from mccvc.estimators._checks import check_centers, check_number, check_set, check_share, is_auto
from mccvc.estimators._iteration import iterate, starting_points
from mccvc.estimators._linear_base import LinearFit, RobustLinear
from mccvc.estimators._matching import MatchingSets
from mccvc.scale import efficient_width

# Welsch's constant for 95 % efficiency, 2.985 / sqrt(2), in standard deviations of the errors.
_EFFICIENT_WIDTH = 2.11


class MCCRegressor(RobustLinear):
    """Linear regression by the maximum correntropy criterion.

    Minimizes J (11) with c = 0: - (1/N) sum_i G_sigma(t_i - x_i . beta - b) + lambda ||beta||^2,
    by the fixed point (12). Errors far beyond sigma do not count, so that outliers of any size
    have no influence. The criterion is Welsch's M-estimator.

    Parameters
    ----------
    sigma : float or "auto", default="auto"
        Kernel width, in units of the target. "auto" takes 2.11 times the standard deviation of
        the errors without outliers at the start, which has 95 % of the efficiency of least
        squares for normal errors.
    alpha : float, default=0.0
        Ridge penalty lambda' of (12), in which weights are G_sigma(e) = exp(-e^2 / (2 sigma^2)) /
        (sqrt(2 pi) sigma). To compare with a ridge penalty on weights between 0 and 1, multiply
        by sqrt(2 pi) sigma. With 0, collinear inputs share their weight (least norm).
    fit_intercept : bool, default=True
        Whether to fit an intercept; it is not penalized.
    init : {"robust", "zeros", "least-squares"}, default="robust"
        Starting point: the objective has local optima. "robust" compares fits by absolute
        errors and of random subsets, of all samples and of those with ordinary inputs, and starts
        from the one whose errors have the sharpest mode, which up to about half of the samples
        cannot spoil. It is the same for any order of the samples. "zeros" is Algorithm 1.
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
    inlier_share_ : float or ndarray of shape (n_targets,)
        Share of the errors that a kernel of their own scale stands for.
    covariance_ : ndarray of shape (n_features, n_features), or one for each target
        Covariance of `coef_`; see :class:`MCCVCRegressor`.
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

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if not is_auto(self.sigma):
            check_number(self, "sigma", low=0, others="'auto'")

    def _fit_target(self, design: Any, target: Array, weight: Array, inputs: Array) -> LinearFit:
        problem = self._scaled(design, target, weight, movable=self.fit_intercept)
        starts = starting_points(problem, self.init)
        best = 0
        if is_auto(self.sigma):
            sigma = _EFFICIENT_WIDTH * starts.scale
        else:
            sigma = float(self.sigma) / problem.target_unit
            errors = problem.errors(starts.beta)
            best = int(np.argmax(correntropy(errors, sigma, 0.0, weight)))
        start = starts.beta[best : best + 1]
        near = problem.without_far_rows(start, sigma)
        options: dict[str, Any] = {"max_iter": self.max_iter, "tol": self.tol}
        if near.is_long and is_auto(self.sigma):
            start = iterate(near.sampled(), MCC(sigma), start, **options).start
        fitted = iterate(near, MCC(sigma), start, **options)
        self._warn(near, fitted, sigma, auto=is_auto(self.sigma))
        return self._linear_fit(near, fitted)


class MCCVCRegressor(RobustLinear):
    """Linear regression by the maximum correntropy criterion with variable center.

    Algorithm 1: at every iteration width and center are those whose kernel matches the density
    of the errors best; beta then follows from (12). Predictions include the center, which
    serves as intercept. By default the kernel, unlike that of (18), need not account for all
    errors, and a last fit with a wider kernel makes the estimate efficient.

    With (18) this is L2E regression by another name (Scott 2001; Chi and Chi 2022), with a free
    share of inliers it is Scott's partial density component.

    Parameters
    ----------
    widths : array-like, float or "auto", default="auto"
        Admissible kernel widths S, in units of the target. "auto" takes 13 widths from 1 to 4
        times the standard deviation of the errors without outliers at the start; with
        ``inlier_share=1``, 0.2, 0.4, ..., 5 times it. A single width is kept to the end.
    centers : array-like, float, "auto", "median" or "mean", default="auto"
        Admissible centers C, in units of the target, or the statistic of the errors that serves
        as center. "auto" takes -2, -1.9, ..., 2 times the same scale around the mode; with
        ``inlier_share=1``, -5, -4.9, ..., 5 times it.
    alpha : float, default=0.0
        Ridge penalty lambda' of (12); see :class:`MCCRegressor`.
    fit_intercept : bool, default=False
        Whether to fit an intercept beside the center.
    inlier_share : 1 or None, default=None
        Share of the errors that the kernel stands for. None lets it follow from the errors: width
        and center maximize sqrt(sigma) mean G_sigma(e - c), and the share is 2 sqrt(pi) sigma
        times that mean. 1 is (18).
    efficiency : float or None, default=0.95
        Efficiency, relative to least squares with normal errors, of a last fit from the
        converged weights, with a kernel wider than that of the search (2.11 times for 0.95) and
        a free center. None leaves it out: Algorithm 1.
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
    inlier_share_ : float or ndarray of shape (n_targets,)
        Share of the errors that belongs to the kernel.
    covariance_ : ndarray of shape (n_features, n_features), or one for each target
        Covariance of `coef_`: sandwich with the criterion's psi, times n / (n - p), the width
        counting as given (Huber 1967). Without one, for the reason that the error says, with
        a penalty, with no more samples than unknowns and with inputs that depend on each other.
    weights_ : ndarray of shape (n_samples,) or (n_samples, n_targets)
        Kernel value of each error over the kernel's peak, from 0 (outlier) to 1.
    objective_path_ : ndarray of shape (n_iter_,), or a list of them
        J (11) after each iteration, at the width and center of that iteration.
    n_iter_ : int or ndarray of shape (n_targets,)
        Iterations done, those of the last fit where there are two.
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

    Scott, "Parametric statistical modeling by minimum integrated square error", 2001, and
    "Partial mixture estimation and outlier detection in data and regression", 2004.

    Chi and Chi, "A user-friendly computational framework for robust structured regression with
    the L2 criterion", 2022.

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
        inlier_share: float | None = None,
        efficiency: float | None = 0.95,
        init: str = "robust",
        max_iter: int = 100,
        tol: float = 1e-6,
    ) -> None:
        self.widths = widths
        self.centers = centers
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.inlier_share = inlier_share
        self.efficiency = efficiency
        self.init = init
        self.max_iter = max_iter
        self.tol = tol

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if not is_auto(self.widths):
            self._widths = check_set(self, "widths", positive=True)
        self._centers = check_centers(self)
        check_share(self, "inlier_share", whole=True)
        check_share(self, "efficiency")

    def _fit_target(self, design: Any, target: Array, weight: Array, inputs: Array) -> LinearFit:
        problem = self._scaled(design, target, weight, movable=True)
        starts = starting_points(problem, self.init)
        auto = is_auto(self.widths)
        sets = MatchingSets(None if auto else self._widths, self._centers, self.inlier_share)
        criterion, start = sets.criterion(problem, starts)
        options: dict[str, Any] = {"max_iter": self.max_iter, "tol": self.tol}
        near = problem.without_far_rows(start, criterion.widths[-1])
        if self.efficiency is None or len(criterion.widths) == 1:
            fitted = iterate(near, criterion, start, **options)
            self._warn(near, fitted, criterion.widths, auto=auto)
            return self._linear_fit(near, fitted, by_center=not self.fit_intercept)
        stage = iterate(near.sampled(), criterion, start, **options)
        kernel = efficient_kernel(float(stage.fit.sigma[0]), efficient_width(self.efficiency))
        final = replace(near, intercept=True)
        fitted = iterate(final, kernel, stage.start, **options)
        judged = stage if stage.fit.vanished[0] else fitted
        self._warn(final, judged, criterion.widths, auto=auto)
        return self._linear_fit(final, fitted, by_center=not self.fit_intercept)
