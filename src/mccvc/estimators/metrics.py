"""Correntropy as a score and as a loss, for model selection."""

from collections.abc import Callable

import numpy as np
from sklearn.metrics import make_scorer
from sklearn.utils.validation import check_consistent_length, column_or_1d

from mccvc.arrays import ArrayLike
from mccvc.correntropy import SQRT_2PI, correntropy


def correntropy_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sigma: float = 1.0,
    center: float = 0.0,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Correntropy of targets and predictions (3), divided by the kernel's peak.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        Targets and predictions.
    sigma : float, default=1.0
        Kernel width, > 0, in units of the target.
    center : float, default=0.0
        Kernel center.
    sample_weight : array-like of shape (n_samples,), optional
        Weight of each sample.

    Returns
    -------
    float
        From 0 to 1, which is a perfect prediction (up to the center). Higher is better.

    Raises
    ------
    ValueError
        If `sigma` is not positive.

    Examples
    --------
    >>> from mccvc import correntropy_score
    >>> round(float(correntropy_score([1, 2, 3], [1, 2, 100])), 3)
    0.667
    """
    if not sigma > 0:
        raise ValueError(f"sigma must be > 0. Got {sigma!r} instead.")
    y_true, y_pred = column_or_1d(y_true), column_or_1d(y_pred)
    check_consistent_length(y_true, y_pred, sample_weight)
    errors = np.asarray(y_true, dtype=float) - y_pred
    weight = None if sample_weight is None else np.asarray(sample_weight, dtype=float)
    return float(correntropy(errors, sigma, center, weight) * SQRT_2PI * sigma)


def correntropy_loss(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sigma: float = 1.0,
    center: float = 0.0,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Correntropy loss (C-loss): 1 minus :func:`correntropy_score`.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        Targets and predictions.
    sigma : float, default=1.0
        Kernel width, > 0, in units of the target.
    center : float, default=0.0
        Kernel center.
    sample_weight : array-like of shape (n_samples,), optional
        Weight of each sample.

    Returns
    -------
    float
        From 0, a perfect prediction (up to the center), to 1. Lower is better.

    Examples
    --------
    >>> from mccvc import correntropy_loss
    >>> round(float(correntropy_loss([1, 2, 3], [1, 2, 100])), 3)
    0.333
    """
    return 1.0 - correntropy_score(
        y_true, y_pred, sigma=sigma, center=center, sample_weight=sample_weight
    )


def correntropy_scorer(sigma: float = 1.0, center: float = 0.0) -> Callable[..., float]:
    """Scorer for ``scoring=`` of scikit-learn's searches and cross-validation.

    Parameters
    ----------
    sigma : float, default=1.0
        Kernel width, > 0, in units of the target.
    center : float, default=0.0
        Kernel center.

    Returns
    -------
    callable
        ``scorer(estimator, X, y)``; higher is better.

    Examples
    --------
    >>> from sklearn.model_selection import GridSearchCV
    >>> from mccvc import ELMRCCRegressor, correntropy_scorer
    >>> search = GridSearchCV(
    ...     ELMRCCRegressor(), {"alpha": [1e-4, 1e-2]}, scoring=correntropy_scorer(sigma=0.5)
    ... )
    """
    return make_scorer(correntropy_score, sigma=sigma, center=center)
