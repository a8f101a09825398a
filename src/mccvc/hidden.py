"""Random hidden layer of an extreme learning machine."""

from scipy.special import expit


class HiddenLayer:
    """Sigmoid hidden layer with random input weights and biases.

    Node j computes 1 / (1 + exp(-(a_j . x + b_j))), with a_j and b_j uniform on [-1, 1].
    Nodes are drawn one after another, so that a layer of n nodes is the beginning of any
    larger layer drawn from the same generator state.

    Parameters
    ----------
    n_features : int
        Number of inputs d.
    n_hidden : int
        Number of nodes.
    rng : numpy.random.Generator
        Source of the weights; its state advances.
    """

    def __init__(self, n_features, n_hidden, rng):
        drawn = rng.uniform(-1.0, 1.0, size=(n_hidden, n_features + 1))
        self.weights, self.biases = drawn[:, :-1], drawn[:, -1]

    def __call__(self, inputs, n_hidden=None):
        """Outputs H of the first `n_hidden` nodes (default all): (n_samples, n_hidden)."""
        return expit(inputs @ self.weights[:n_hidden].T + self.biases[:n_hidden])
