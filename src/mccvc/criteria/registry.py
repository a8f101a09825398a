"""All criteria by the names that a config uses."""

from typing import Any

from mccvc.criteria.efficient import EfficientMCCVC
from mccvc.criteria.information import GMCC, KMPE, KRSL, MEE, MMKCC, QMEE, MixtureMCC
from mccvc.criteria.m_estimators import LAD, Cauchy, Huber, StudentT, Tukey, Welsch
from mccvc.criteria.paper import MCC, MCCVC, MMSE

CRITERIA: dict[str, Any] = {
    "mmse": MMSE,
    "mcc": MCC,
    "mcc-vc": MCCVC,
    "mcc-vc-efficient": EfficientMCCVC,
    "huber": Huber,
    "tukey": Tukey,
    "welsch": Welsch,
    "cauchy": Cauchy,
    "student-t": StudentT,
    "lad": LAD,
    "gmcc": GMCC,
    "kmpe": KMPE,
    "krsl": KRSL,
    "mixture-mcc": MixtureMCC,
    "mmkcc": MMKCC,
    "mee": MEE,
    "qmee": QMEE,
}
