"""Random hidden layer as a scikit-learn transformer."""

from typing import Self

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from mccvc.arrays import Array, ArrayLike
from mccvc.estimators._checks import check_data, check_layer
from mccvc.hidden_layer import ACTIVATIONS, HiddenLayer
from mccvc.scale import weighted_quantile

# Lowest and highest tenth do not count in the range of an input.
_QUANTILES = (0.1, 0.5, 0.9)


class RandomHiddenLayer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Outputs of a hidden layer with random weights, as features for any linear model.

    Node j computes g(a_j . x + b_j) with a_j and b_j uniform on [-1, 1]. A layer of n nodes is
    the beginning of any larger layer with the same `random_state`.

    Parameters
    ----------
    n_hidden : int, default=100
        Number of hidden nodes.
    activation : {"logistic", "tanh", "relu", "sine", "radial", "hard-limit"}, default="logistic"
        Activation g of the nodes; "radial" is exp(-z^2), "hard-limit" 1 from z = 0 on, else 0.
    scale : bool, default=True
        Whether to scale inputs.
    input_scaling : {"robust", "minmax"}, default="robust"
        "robust" puts the median of each input at 1/2 and divides by its range without the lowest
        and the highest tenth, in units in which evenly spread inputs fill [0, 1]: rows far out
        do not flatten the others. An input of which most values are equal is divided by its
        whole range. "minmax" scales to [0, 1] over the training data. Constant inputs become
        constants.
    random_state : int, RandomState instance or None, default=None
        Draws the weights and biases.

    Attributes
    ----------
    weights_ : ndarray of shape (n_hidden, n_features)
        Input weights a_j.
    biases_ : ndarray of shape (n_hidden,)
        Biases b_j.
    minimum_, span_ : ndarray of shape (n_features,)
        What scaling subtracts and divides by: the least value and the range, or values that
        are in their place.
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

    def __init__(
        self,
        n_hidden: int = 100,
        *,
        activation: str = "logistic",
        scale: bool = True,
        input_scaling: str = "robust",
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_hidden = n_hidden
        self.activation = activation
        self.scale = scale
        self.input_scaling = input_scaling
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: object = None, sample_weight: ArrayLike | None = None) -> Self:
        """Draw the layer.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Inputs; they decide the scaling.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), optional
            Weight of each sample in the scaling, >= 0.

        Returns
        -------
        self : object
            The fitted transformer.
        """
        check_layer(self)
        inputs = check_data(self, X)
        weight = _check_sample_weight(
            sample_weight, inputs, dtype=np.float64, ensure_non_negative=True
        )
        used = weight > 0
        self.minimum_, self.span_ = self._scaling(inputs[used], weight[used])
        rng = check_random_state(self.random_state)
        activation = ACTIVATIONS[self.activation]
        self._layer = HiddenLayer(inputs.shape[1], self.n_hidden, rng, activation)
        self.weights_, self.biases_ = self._layer.weights, self._layer.biases
        self._n_features_out = self.n_hidden
        return self

    def _scaling(self, inputs: Array, weight: Array) -> tuple[Array, Array]:
        """What to subtract from and divide by in each column."""
        if not self.scale:
            return np.zeros(inputs.shape[1]), np.ones(inputs.shape[1])
        least, span = inputs.min(axis=0), np.ptp(inputs, axis=0)
        if self.input_scaling == "robust":
            low, middle, high = weighted_quantile(inputs.T, _QUANTILES, weight).T
            inner = (high - low) / (_QUANTILES[2] - _QUANTILES[0])
            # Two-valued inputs, and those with few values that differ.
            spread = (inner > 0) & (low < middle) & (middle < high)
            least = np.where(spread, middle - 0.5 * inner, least)
            span = np.where(spread, inner, span)
        return least, np.where(span > 0, span, 1.0)

    def transform(self, X: ArrayLike) -> Array:
        """Compute the outputs of the layer.

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
        inputs = validate_data(self, X, reset=False, dtype=np.float64)
        return self._layer((inputs - self.minimum_) / self.span_)
