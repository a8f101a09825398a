"""Criteria: from errors to the weights, centers and kernels of the next step."""
