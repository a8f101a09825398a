"""Robust regression by the maximum correntropy criterion with variable center (MCC-VC)."""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

# Loaded when asked for, so that a fit job of the workflow does not wait for scikit-learn.
_HOMES = {
    "ELMAveragedRegressor": "estimators.averaged",
    "ELMMCCVCRegressor": "estimators.elm",
    "ELMRCCRegressor": "estimators.elm",
    "MCCRegressor": "estimators.linear",
    "MCCVCRegressor": "estimators.linear",
    "RELMRegressor": "estimators.elm",
    "RobustDisplay": "estimators.display",
    "RobustELMRegressor": "estimators.robust",
    "RobustLinearRegressor": "estimators.robust",
    "RandomHiddenLayer": "estimators.random_hidden_layer",
    "correntropy_loss": "estimators.metrics",
    "correntropy_score": "estimators.metrics",
    "correntropy_scorer": "estimators.metrics",
}

__all__ = [*sorted(_HOMES), "__version__"]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"mccvc.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
