"""Scikit-learn estimators: robust regression by correntropy, linear and on random features.

All of them maximize J (11) by the fixed point (12)-(13) of Chen et al., "Maximum Correntropy
Criterion with Variable Center"; equation numbers are those of the paper.
"""

import numbers
import warnings

import numpy as np
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    RegressorMixin,
    TransformerMixin,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from mccvc.correntropy import correntropy, matching_objective, weighted_quantile
from mccvc.criteria import MCC, MCCVC, MMSE
from mccvc.hidden import ACTIVATIONS, HiddenLayer
from mccvc.lip import fit_lip
from mccvc.starts import SCALE_FLOOR, candidate_starts, error_scale, robust_scale

# Welsch's constant for 95 % efficiency, 2.985 / sqrt(2), in standard deviations of the errors.
_EFFICIENT_WIDTH = 2.11
# The paper's sets for its linear study, in units of the errors' scale.
_AUTO_WIDTHS = np.linspace(0.2, 5.0, 25)
_AUTO_CENTERS = np.linspace(-5.0, 5.0, 101)
# Beyond this many times the largest width, the errors' scale is not covered.
_UNCOVERED = 3.0
# Predictions that move by at most this share of the width no longer move.
_STILL = 1e-3
_LARGEST_RATIO = 1e100
_NO_TARGET = "no_validation"  # scikit-learn's word for it
_INITS = ("robust", "zeros", "least-squares")


class _CorrentropyRegressor(RegressorMixin, BaseEstimator):
    """What all regressors share: checks, units, starts, and one fit per output."""

    def fit(self, X, y, sample_weight=None):
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
            or if the widths do not cover the scale of the errors.
        """
        self._check_parameters()
        X, y = _check_data(self, X, y)
        weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        used = weight > 0
        if not used.any():
            raise ValueError("sample_weight is 0 for all samples.")
        design = self._fit_design(X[used])
        targets = y if y.ndim == 2 else y[:, None]
        fits = [self._fit_output(design, column[used], weight[used]) for column in targets.T]
        single = y.ndim == 1
        for name in fits[0]:
            values = [fit[name] for fit in fits]
            if name == "objective_path_":
                setattr(self, name, values[0] if single else values)
            else:
                setattr(self, name, values[0] if single else np.array(values))
        self._set_weights(X, targets, single)
        return self

    def predict(self, X):
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
        X = validate_data(self, X, reset=False, dtype=np.float64)
        return self._transform(X) @ np.asarray(self.coef_).T + (self.intercept_ + self.center_)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    # --- what subclasses define ---------------------------------------------------------------

    def _fit_design(self, X):
        return X

    def _transform(self, X):
        return X

    def _criterion(self, context):
        """Criterion in scaled units; `context` knows scales, starts and errors."""
        raise NotImplementedError

    # ------------------------------------------------------------------------------------------

    def _check_parameters(self):
        _check_number(self, "alpha", low=0, closed=True)

    def _fit_output(self, design, target, weight):
        units = _Units(self, design, target, weight)
        criterion, start = self._criterion(units)
        path, moved = [], [units.target]

        def record(k, problems, beta, intercept, sigma, center):
            errors = units.target - units.design @ beta[0] - intercept[0]
            moved[:] = [*moved[-1:], errors - center[0]]
            ridge = units.lam / (2 * weight.sum() * sigma[0] ** 2) * beta[0] @ beta[0]
            value = ridge - correntropy(errors, sigma[0], center[0], weight)
            path.append(value / units.target_unit)

        fit = fit_lip(
            units.design,
            units.target,
            criterion,
            [units.lam],
            intercept=units.intercept,
            sample_weight=weight,
            start=start,
            max_iter=getattr(self, "max_iter", 1),
            tol=getattr(self, "tol", 0.0),
            trace=None if isinstance(criterion, MMSE) else record,
        )
        coef, intercept = units.original_weights(fit.beta[0], fit.intercept[0])
        if isinstance(criterion, MMSE):
            return {
                "coef_": coef,
                "intercept_": units.original_level(intercept),
                "center_": 0.0,
            }
        # A variable center and beta can drift together without any effect on predictions.
        still = np.abs(moved[-1] - moved[0]).max() <= _STILL * fit.sigma[0]
        self._warn(units, criterion, fit, settled=fit.converged[0] or self.tol == 0 or still)
        by_center = isinstance(criterion, MCCVC) and not units.intercept
        return {
            "coef_": coef,
            "intercept_": 0.0 if by_center else units.original_level(intercept),
            "center_": units.original_level(fit.center[0])
            if by_center
            else fit.center[0] * units.target_unit,
            "sigma_": fit.sigma[0] * units.target_unit,
            "n_iter_": int(fit.n_iter[0]),
            "objective_path_": np.array(path),
        }

    def _warn(self, units, criterion, fit, settled):
        unit, name = units.target_unit, type(self).__name__
        errors = units.target - fit.predict(units.design)
        scale = error_scale(errors, units.weight, centered=False, floor=units.floor)[0][0]
        variable = isinstance(criterion, MCCVC)
        widths = criterion.widths if variable else criterion.sigma
        given = self.widths if variable else self.sigma
        if fit.vanished[0]:
            message = (
                f"{name}: all kernel values are 0: widths {_shown(widths * unit)}, errors of scale "
                f"{scale * unit:.3g}; the last usable weights are kept. Increase the widths"
                " or use 'auto'."
            )
        elif not _is_auto(given) and np.max(widths) * _UNCOVERED < scale:
            message = (
                f"{name}: widths {_shown(widths * unit)} do not cover the errors, which have scale "
                f"{scale * unit:.3g}. Increase the widths or use 'auto'."
            )
        elif not settled:
            message = (
                f"{name}: the objective has not settled within {self.tol} in {self.max_iter}"
                " iterations. Increase max_iter or tol."
            )
        else:
            return
        warnings.warn(message, ConvergenceWarning, stacklevel=4)

    def _set_weights(self, X, targets, single):
        if not hasattr(self, "sigma_"):
            return
        errors = targets - self.predict(X).reshape(targets.shape)
        with np.errstate(over="ignore"):
            weights = np.exp(-0.5 * (errors / self.sigma_) ** 2)
        self.weights_ = weights[:, 0] if single else weights


class _Units:
    """A problem in units in which its numbers are of order 1.

    The kernel of (2) carries 1 / units of the target, so lambda' of (12) scales with the
    target's unit and with the inverse square of the design's.
    """

    def __init__(self, estimator, design, target, weight):
        self.weight = weight
        self.intercept = getattr(estimator, "fit_intercept", False)
        scaled = getattr(estimator, "scale", False)
        variable = isinstance(estimator, _VariableCenter)
        self.movable = self.intercept or variable
        movable = scaled or self.movable
        self.level = float(weighted_quantile(target, 0.5, weight)) if movable else 0.0
        self.target_unit = robust_scale(target - self.level, weight)
        self.target = (target - self.level) / self.target_unit
        self.floor = max(SCALE_FLOOR, 16 * np.finfo(float).eps * abs(self.level / self.target_unit))
        largest = np.abs(design).max(axis=0)
        _check_ratio(design, largest)
        if estimator.alpha == 0:
            # Without a penalty columns may have units of their own.
            self.design_unit = np.array([_power_of_two(value) for value in largest])
            self.lam = 0.0
        else:
            self.design_unit = _power_of_two(largest.max())
            by_kernel = isinstance(estimator, _FixedWidth | _VariableCenter) and not scaled
            self.lam = estimator.alpha * (self.target_unit if by_kernel else 1.0)
            self.lam = self.lam / self.design_unit / self.design_unit
        self.design = design / self.design_unit
        self._starts = None
        self._estimator = estimator

    def starts(self):
        """Candidate starts; for ``init="zeros"`` and ``"least-squares"`` just that one."""
        if self._starts is None:
            init = self._estimator.init
            if init == "zeros":
                self._starts = np.zeros((1, self.design.shape[1] + 1))
            else:
                self._starts = candidate_starts(
                    self.design,
                    self.target,
                    self.lam,
                    intercept=self.movable,
                    sample_weight=self.weight,
                    rng=np.random.default_rng(0),
                )
                if init == "least-squares":
                    self._starts = self._starts[1:2]
        return self._starts

    def errors(self, starts):
        """Errors of each start: (n_candidates, n_samples)."""
        return self.target - starts[:, :-1] @ self.design.T - starts[:, -1:]

    def original_level(self, level):
        """Intercept or center in the target's own units."""
        return float(level * self.target_unit + self.level)

    def original_weights(self, beta, intercept):
        """Coefficients, of least norm if they are not unique, and intercept in scaled units."""
        coef = beta * (self.target_unit / self.design_unit)
        if np.ndim(self.design_unit) == 0:
            return coef, intercept
        mean = np.average(self.design, axis=0, weights=self.weight) * self.intercept
        columns = self.design - mean
        _, singular, right = np.linalg.svd(columns, full_matrices=True)
        tolerance = np.finfo(float).eps * max(columns.shape) * singular.max(initial=0.0)
        free = right[int((singular > tolerance).sum()) :]
        if not len(free):
            return coef, intercept
        directions = np.linalg.qr((free * (self.design_unit.min() / self.design_unit)).T)[0]
        excess = directions @ (directions.T @ coef)
        return coef - excess, intercept + mean @ (excess * self.design_unit) / self.target_unit


class _FixedWidth:
    """MCC: one width, center zero."""

    def _check_parameters(self):
        super()._check_parameters()
        _check_iteration(self)
        if not _is_auto(self.sigma):
            _check_number(self, "sigma", low=0)

    def _criterion(self, units):
        starts = units.starts()
        errors = units.errors(starts)
        if _is_auto(self.sigma):
            scale, center, objective = error_scale(
                errors, units.weight, centered=not units.intercept, floor=units.floor
            )
            best = int(np.argmin(objective))
            sigma = _EFFICIENT_WIDTH * scale[best]
            start = starts[best : best + 1].copy()
            start[0, -1] += center[best]
            return MCC(sigma), start
        sigma = self.sigma / units.target_unit
        best = int(np.argmax(correntropy(errors, sigma, 0.0, units.weight)))
        return MCC(sigma), starts[best : best + 1]


class _VariableCenter:
    """MCC-VC: width and center from (18) at every iteration."""

    def _check_parameters(self):
        super()._check_parameters()
        _check_iteration(self)
        if not _is_auto(self.widths):
            self._widths = _check_set(self, "widths", positive=True)
        if not isinstance(self.centers, str):
            self._centers = _check_set(self, "centers")
        elif self.centers not in ("auto", "median", "mean"):
            raise ValueError(
                f"The 'centers' parameter of {type(self).__name__} must be 'auto', 'median', "
                f"'mean' or an array of numbers. Got {self.centers!r} instead."
            )

    def _criterion(self, units):
        starts = units.starts()
        errors = units.errors(starts)
        scale, center, objective = error_scale(
            errors, units.weight, centered=False, floor=units.floor
        )
        best = int(np.argmin(objective))
        widths = (
            _AUTO_WIDTHS * scale[best]
            if _is_auto(self.widths)
            else self._widths / units.target_unit
        )
        if not isinstance(self.centers, str):
            shift = 0.0 if units.intercept else units.level
            centers = (self._centers - shift) / units.target_unit
        elif self.centers == "auto":
            level = 0.0 if units.intercept else starts[best, -1]
            centers = level + center[best] + _AUTO_CENTERS * scale[best]
        else:
            centers = self.centers
        criterion = MCCVC(widths, centers)
        if not (_is_auto(self.widths) and isinstance(self.centers, str)):
            problems = np.arange(len(starts))
            levels = 0.0 if units.intercept else starts[:, -1:]
            errors = errors + levels
            sigma, center = criterion.kernel(errors, problems, units.weight)
            values = matching_objective(errors, sigma, center, units.weight)
            best = int(np.argmin(values))
        return criterion, starts[best : best + 1]


class _OnHiddenLayer:
    """A random hidden layer in place of the inputs."""

    def _check_parameters(self):
        super()._check_parameters()
        _check_layer(self)

    def _fit_design(self, X):
        self.hidden_layer_ = RandomHiddenLayer(
            self.n_hidden,
            activation=self.activation,
            scale=self.scale,
            random_state=self.random_state,
        )
        return self.hidden_layer_.fit_transform(X)

    def _transform(self, X):
        return self.hidden_layer_.transform(X)


class MCCRegressor(_FixedWidth, _CorrentropyRegressor):
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
        self, sigma="auto", *, alpha=0.0, fit_intercept=True, init="robust", max_iter=100, tol=1e-6
    ):
        self.sigma = sigma
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.init = init
        self.max_iter = max_iter
        self.tol = tol


class MCCVCRegressor(_VariableCenter, _CorrentropyRegressor):
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
        widths="auto",
        centers="auto",
        *,
        alpha=0.0,
        fit_intercept=False,
        init="robust",
        max_iter=100,
        tol=1e-6,
    ):
        self.widths = widths
        self.centers = centers
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.init = init
        self.max_iter = max_iter
        self.tol = tol


class RELMRegressor(_OnHiddenLayer, _CorrentropyRegressor):
    """Regularized extreme learning machine: ridge regression on a random hidden layer (10).

    Parameters
    ----------
    n_hidden : int, default=100
        Number of hidden nodes.
    alpha : float, default=1e-3
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
    >>> y = np.sin(6 * X[:, 0])
    >>> model = RELMRegressor(random_state=0, alpha=1e-6).fit(X, y)
    >>> print(round(model.score(X, y), 3))
    1.0
    """

    def __init__(
        self, n_hidden=100, *, alpha=1e-3, activation="logistic", scale=True, random_state=None
    ):
        self.n_hidden = n_hidden
        self.alpha = alpha
        self.activation = activation
        self.scale = scale
        self.random_state = random_state

    def _criterion(self, units):
        return MMSE(), None


class ELMRCCRegressor(_OnHiddenLayer, _FixedWidth, _CorrentropyRegressor):
    """Extreme learning machine trained by the maximum correntropy criterion.

    :class:`MCCRegressor` on a random hidden layer, without intercept.

    Parameters
    ----------
    sigma : float or "auto", default="auto"
        Kernel width, in units of the target; see :class:`MCCRegressor`.
    n_hidden : int, default=100
        Number of hidden nodes.
    alpha : float, default=1e-3
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
    >>> y = np.sin(6 * X[:, 0])
    >>> y[::10] = 20
    >>> model = ELMRCCRegressor(random_state=0, alpha=1e-6).fit(X, y)
    >>> print(abs(model.predict(X) - np.sin(6 * X[:, 0])).max() < 0.1)
    True
    """

    def __init__(
        self,
        sigma="auto",
        *,
        n_hidden=100,
        alpha=1e-3,
        activation="logistic",
        scale=True,
        init="robust",
        max_iter=100,
        tol=1e-4,
        random_state=None,
    ):
        self.sigma = sigma
        self.n_hidden = n_hidden
        self.alpha = alpha
        self.activation = activation
        self.scale = scale
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state


class ELMMCCVCRegressor(_OnHiddenLayer, _VariableCenter, _CorrentropyRegressor):
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
    alpha : float, default=1e-3
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
    >>> y = np.sin(6 * X[:, 0])
    >>> y[::5] += 5
    >>> model = ELMMCCVCRegressor(random_state=0, alpha=1e-6).fit(X, y)
    >>> print(abs(model.predict(X) - np.sin(6 * X[:, 0])).max() < 0.1)
    True
    """

    def __init__(
        self,
        widths="auto",
        centers="median",
        *,
        n_hidden=100,
        alpha=1e-3,
        activation="logistic",
        scale=True,
        init="robust",
        max_iter=100,
        tol=1e-4,
        random_state=None,
    ):
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


class RandomHiddenLayer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Outputs of a hidden layer with random weights, as features for any linear model.

    Node j computes g(a_j . x + b_j) with a_j and b_j uniform on [-1, 1]. A layer of n nodes is
    the beginning of any larger layer with the same `random_state`.

    Parameters
    ----------
    n_hidden : int, default=100
        Number of hidden nodes.
    activation : {"logistic", "tanh", "relu"}, default="logistic"
        Activation g of the nodes.
    scale : bool, default=True
        Whether to scale inputs to [0, 1] over the training data; constant inputs become 0.
    random_state : int, RandomState instance or None, default=None
        Draws the weights and biases.

    Attributes
    ----------
    weights_ : ndarray of shape (n_hidden, n_features)
        Input weights a_j.
    biases_ : ndarray of shape (n_hidden,)
        Biases b_j.
    minimum_, span_ : ndarray of shape (n_features,)
        What scaling subtracts and divides by.
    n_features_in_ : int
        Number of inputs.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the inputs, if they have names.

    See Also
    --------
    RELMRegressor : Ridge regression on this layer.

    References
    ----------
    Huang et al., "Extreme learning machine: theory and applications", 2006.

    Examples
    --------
    >>> import numpy as np
    >>> from mccvc import RandomHiddenLayer
    >>> RandomHiddenLayer(5, random_state=0).fit_transform(np.eye(3)).shape
    (3, 5)
    """

    def __init__(self, n_hidden=100, *, activation="logistic", scale=True, random_state=None):
        self.n_hidden = n_hidden
        self.activation = activation
        self.scale = scale
        self.random_state = random_state

    def fit(self, X, y=None):
        """Draw the layer.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Inputs; they decide the scaling.
        y : None
            Ignored.

        Returns
        -------
        self : object
            The fitted transformer.
        """
        _check_layer(self)
        X = _check_data(self, X)
        self.minimum_ = X.min(axis=0) if self.scale else np.zeros(X.shape[1])
        span = X.max(axis=0) - self.minimum_ if self.scale else np.ones(X.shape[1])
        self.span_ = np.where(span > 0, span, 1.0)
        rng = check_random_state(self.random_state)
        self._layer = HiddenLayer(X.shape[1], self.n_hidden, rng, self.activation)
        self.weights_, self.biases_ = self._layer.weights, self._layer.biases
        self._n_features_out = self.n_hidden
        return self

    def transform(self, X):
        """Outputs of the layer.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Inputs.

        Returns
        -------
        ndarray of shape (n_samples, n_hidden)
            Outputs H.
        """
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64)
        return self._layer((X - self.minimum_) / self.span_)


def _check_data(estimator, X, y=_NO_TARGET):
    """Checked arrays; names the column that holds NaN, infinity or text."""
    names = list(getattr(X, "columns", []))
    targets = np.asarray(y)
    if targets.dtype.kind == "f":
        _check_finite("y", targets.reshape(len(targets), -1)[:, 0], None)
    options = {} if _is_no_target(y) else {"multi_output": True, "y_numeric": True}
    try:
        checked = validate_data(
            estimator, X, y, dtype=np.float64, ensure_all_finite=False, **options
        )
    except (ValueError, TypeError) as error:
        kinds = zip(names, getattr(X, "dtypes", []), strict=False)
        text = [str(name) for name, kind in kinds if _is_text(kind)]
        if text:
            raise ValueError(f"Input X holds text in columns {text}; encode it first.") from error
        raise
    if _is_no_target(y):
        return _check_finite("X", checked, names)
    X, y = checked
    return _check_finite("X", X, names), _check_finite("y", np.asarray(y, dtype=np.float64), None)


def _check_finite(what, values, names):
    for problem, bad in (
        ("NaN", np.isnan(values)),
        ("infinity or a value too large for dtype('float64')", np.isinf(values)),
    ):
        if bad.any():
            row, *column = np.argwhere(bad)[0]
            place = f"row {row}"
            if column:
                name = names[column[0]] if names else int(column[0])
                place = f"column {name!r}, {place}"
            raise ValueError(f"Input {what} contains {problem} ({place}).")
    return values


def _is_no_target(y):
    return isinstance(y, str) and y == _NO_TARGET


def _is_text(kind):
    return str(kind) in ("object", "str", "string", "category")


def _check_number(estimator, name, *, low, closed=False, whole=False):
    """Raise if a parameter is not a number above (`closed`: at least) `low`."""
    value = getattr(estimator, name)
    kind = numbers.Integral if whole else numbers.Real
    fine = isinstance(value, kind) and not isinstance(value, bool)
    if not (fine and np.isfinite(value) and (value >= low if closed else value > low)):
        bracket = "[" if closed else "("
        raise ValueError(
            f"The {name!r} parameter of {type(estimator).__name__} must be "
            f"{'an int' if whole else 'a float'} in the range {bracket}{low}, inf). "
            f"Got {value!r} instead."
        )


def _check_set(estimator, name, *, positive=False):
    """Distinct numbers of a parameter, ascending."""
    value = getattr(estimator, name)
    try:
        found = np.unique(np.asarray(value, dtype=float))
    except (TypeError, ValueError):
        found = np.array([])
    if not found.size or not np.isfinite(found).all() or (positive and found[0] <= 0):
        kind = "numbers > 0" if positive else "numbers"
        others = "'auto'" if positive else "'auto', 'median', 'mean'"
        raise ValueError(
            f"The {name!r} parameter of {type(estimator).__name__} must be {others} or one or more"
            f" finite {kind}. Got {value!r} instead."
        )
    return found


def _check_choice(estimator, name, choices):
    value = getattr(estimator, name)
    if value not in choices:
        raise ValueError(
            f"The {name!r} parameter of {type(estimator).__name__} must be one of "
            f"{list(choices)}. Got {value!r} instead."
        )


def _check_iteration(estimator):
    _check_number(estimator, "max_iter", low=1, closed=True, whole=True)
    _check_number(estimator, "tol", low=0, closed=True)
    _check_choice(estimator, "init", _INITS)


def _check_layer(estimator):
    _check_number(estimator, "n_hidden", low=1, closed=True, whole=True)
    _check_choice(estimator, "activation", ACTIVATIONS)


def _check_ratio(design, largest):
    """Raise if one value of a column dwarfs all others beyond what arithmetic can hold."""
    typical = np.quantile(np.abs(design), 0.5, axis=0)
    column = np.argmax(largest / np.where(typical > 0, typical, largest + (largest == 0)))
    if typical[column] > 0 and largest[column] > _LARGEST_RATIO * typical[column]:
        raise ValueError(
            f"Input X contains {largest[column]:.3g} in column {column}, whose typical value is "
            f"{typical[column]:.3g}; remove it."
        )


def _is_auto(value):
    return isinstance(value, str) and value == "auto"


def _power_of_two(value):
    """Largest power of two up to a value, 1 for 0."""
    return float(np.ldexp(1.0, np.frexp(value)[1] - 1)) if value > 0 else 1.0


def _shown(widths):
    widths = np.atleast_1d(widths)
    low, high = widths.min(), widths.max()
    return f"{low:.3g}" if low == high else f"{low:.3g} to {high:.3g}"
