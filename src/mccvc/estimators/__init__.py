"""Regressors and a transformer for scikit-learn, and correntropy as a score."""
