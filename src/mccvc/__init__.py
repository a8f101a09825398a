"""Robust regression by the maximum correntropy criterion with variable center (MCC-VC)."""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

# Loaded when asked for, so that a fit job of the workflow does not wait for scikit-learn.
_HOMES = {
    "ELMMCCVCRegressor": "estimators",
    "ELMRCCRegressor": "estimators",
    "MCCRegressor": "estimators",
    "MCCVCRegressor": "estimators",
    "RELMRegressor": "estimators",
    "RandomHiddenLayer": "features",
    "correntropy_loss": "metrics",
    "correntropy_score": "metrics",
    "correntropy_scorer": "metrics",
}

__all__ = [*sorted(_HOMES), "__version__"]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"mccvc.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
