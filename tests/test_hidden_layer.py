import numpy as np
from scipy.special import expit

from mccvc.hidden_layer import HiddenLayer, logistic


def test_small_layer_is_the_beginning_of_a_large_one():
    inputs = np.random.default_rng(0).random((7, 3))
    large = HiddenLayer(3, 50, np.random.default_rng(1))
    small = HiddenLayer(3, 20, np.random.default_rng(1))
    np.testing.assert_array_equal(small(inputs), large(inputs, 20))


def test_nodes_are_sigmoids_of_weights_between_minus_one_and_one():
    layer = HiddenLayer(3, 1000, np.random.default_rng(2))
    for drawn in (layer.weights, layer.biases):
        assert -1 <= drawn.min() < -0.95
        assert 0.95 < drawn.max() <= 1
    x = np.array([0.2, 0.4, 0.9])
    expected = 1 / (1 + np.exp(-(layer.weights @ x + layer.biases)))
    np.testing.assert_allclose(layer(x[None])[0], expected, rtol=1e-14)


def test_sigmoid_in_place_is_scipys_but_for_the_last_digit():
    fields = np.array([-1e300, -800.0, -30.0, -1.0, 0.0, 0.5, 40.0, 800.0])
    expected = expit(fields)
    np.testing.assert_allclose(logistic(fields), expected, rtol=4e-16)
