"""How each kind of method is tuned; digests of code follow the one that is used."""

from collections.abc import Callable

import numpy as np

from mccvc.study.judged import tune_judged
from mccvc.study.specs import CriterionMethod, JudgedMethod, RegressorMethod
from mccvc.study.tuning import Tuned, TuningData, TuningSpec, tune_criterion, tune_regressor

TUNERS: dict[type, Callable[[TuningData, TuningSpec, np.random.Generator], list[Tuned]]] = {
    CriterionMethod: tune_criterion,
    JudgedMethod: tune_judged,
    RegressorMethod: tune_regressor,
}
