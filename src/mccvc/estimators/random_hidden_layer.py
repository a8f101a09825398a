"""Random hidden layer as a scikit-learn transformer."""

from typing import Self

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from mccvc.arrays import Array, ArrayLike
from mccvc.estimators._checks import check_data, check_layer
from mccvc.hidden_layer import ACTIVATIONS, HiddenLayer


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

    def __init__(
        self,
        n_hidden: int = 100,
        *,
        activation: str = "logistic",
        scale: bool = True,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_hidden = n_hidden
        self.activation = activation
        self.scale = scale
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: object = None) -> Self:
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
        check_layer(self)
        inputs = check_data(self, X)
        self.minimum_ = inputs.min(axis=0) if self.scale else np.zeros(inputs.shape[1])
        span = inputs.max(axis=0) - self.minimum_ if self.scale else np.ones(inputs.shape[1])
        self.span_ = np.where(span > 0, span, 1.0)
        rng = check_random_state(self.random_state)
        activation = ACTIVATIONS[self.activation]
        self._layer = HiddenLayer(inputs.shape[1], self.n_hidden, rng, activation)
        self.weights_, self.biases_ = self._layer.weights, self._layer.biases
        self._n_features_out = self.n_hidden
        return self

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
