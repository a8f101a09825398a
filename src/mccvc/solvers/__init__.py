"""Solvers: weighted ridge problems, their reweighting, batches and the grid search over them."""
