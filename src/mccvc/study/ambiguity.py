"""The ambiguity experiment: ELMs by other readings of what the paper leaves open."""

from typing import Literal

import numpy as np
import pyarrow as pa
from scipy.special import expit

from mccvc.arrays import Array
from mccvc.hidden_layer import ACTIVATIONS, HiddenLayer
from mccvc.solvers.batch import fit_batch
from mccvc.study.elm import ELM, ElmSpec, Labelled, halves_of, tested
from mccvc.study.methods import grid_points
from mccvc.study.seeds import generator
from mccvc.study.specs import CriterionMethod, Experiment, Row
from mccvc.study.tuners import TUNERS
from mccvc.study.tuning import TuningData

# Attributes of a specification that a reading sets by keys of the same name.
DECISIONS = ("activation", "weights", "biases", "scaling", "adds_center", "each_point")


class AmbiguitySpec(ElmSpec, tag="ambiguity", frozen=True, kw_only=True):
    """What a row of the ambiguity experiment depends on; a problem is a dataset in a reading.

    Defaults are the decisions of the ELM experiment, so that the reading that changes none has
    its rows.

    Attributes
    ----------
    source : str
        The dataset, which keys the draws: splits, layers and folds are those of the ELM
        experiment.
    reading : str
        Name of the reading.
    own_table : bool
        Whether the dataset is read in another way, into a table named after the problem.
    activation : {"sigmoid", "tanh", "relu", "sine", "radial", "hard-limit"}
        Function of the hidden nodes.
    weights : float
        Input weights are uniform between minus and plus this.
    biases : tuple of float
        Biases are uniform between these.
    scaling : {"all", "training"}
        Rows whose ranges scale inputs and target to [0, 1].
    adds_center : bool
        Whether predictions are H beta + c, or H beta alone; points are chosen with c.
    each_point : bool
        Whether there is a row for each grid point, in place of one for the chosen point.
    """

    source: str
    reading: str
    own_table: bool = False
    activation: Literal["sigmoid", "tanh", "relu", "sine", "radial", "hard-limit"] = "sigmoid"
    weights: float = 1.0
    biases: tuple[float, float] = (-1.0, 1.0)
    scaling: Literal["all", "training"] = "all"
    adds_center: bool = True
    each_point: bool = False

    @property
    def dataset(self) -> str:
        """Name of the normalized table."""
        return self.problem if self.own_table else self.source

    def generator(self, run: int, purpose: str) -> np.random.Generator:
        """Generator for one purpose of a run, that of the ELM experiment."""
        return generator(self.seed, "elm", self.source, run, purpose)

    def layer(self, run: int, n_features: int) -> HiddenLayer:
        """The largest hidden layer of a run; other limits stretch the same draws."""
        return HiddenLayer(
            n_features,
            max(self.n_hidden),
            self.generator(run, "hidden"),
            expit if self.activation == "sigmoid" else ACTIVATIONS[self.activation],
            self.weights,
            self.biases,
        )


def ambiguity_rows(spec: AmbiguitySpec, run: int, data: Labelled) -> list[Row]:
    """One run of one method on one dataset in one reading: a row, or one for each grid point.

    Parameters
    ----------
    spec : AmbiguitySpec
        Specification.
    run : int
        Index of the run.
    data : tuple of ndarray
        Inputs (n_rows, n_features) and target (n_rows,), scaled to [0, 1].

    Returns
    -------
    list of dict
        The columns of :data:`AMBIGUITY`; RMSEs in units of the scaled target.

    Raises
    ------
    ValueError
        If the dataset has too few rows, or a constant target among those to train on.
    """
    train, test = halves_of(spec, run, *data)
    if spec.scaling == "training":
        train, test = scaled_over_training(train, test)
    if spec.each_point:
        rows = rows_of_points(spec, train, test)
    else:
        (tuned,) = TUNERS[type(spec.fit)](train, spec, spec.generator(run, "estimator"))
        left_out = 0.0 if spec.adds_center else tuned.columns.get("center", 0.0)
        both = (tuned.predict(inputs) - left_out for inputs in (train.inputs, test[0]))
        rows = [tested(train, test, *both) | tuned.columns]
    key = AMBIGUITY.key(spec, run) | {"dataset": spec.source, "reading": spec.reading}
    return [key | row for row in rows]


def scaled_over_training(train: TuningData, test: Labelled) -> tuple[TuningData, Labelled]:
    """Both halves in the ranges of the training half; a column that is constant there becomes 0.

    Raises
    ------
    ValueError
        If the target is constant there.
    """
    lowest, span = train.inputs.min(axis=0), np.ptp(train.inputs, axis=0)
    level, height = train.target.min(), np.ptp(train.target)
    if height == 0:
        raise ValueError("the target is constant in the training half")

    def scaled(inputs: Array, target: Array) -> Labelled:
        moved = np.where(span > 0, inputs - lowest, 0.0)
        return moved / np.where(span > 0, span, 1.0), (target - level) / height

    inputs, target = scaled(train.inputs, train.target)
    return train._replace(inputs=inputs, target=target), scaled(*test)


def rows_of_points(spec: AmbiguitySpec, train: TuningData, test: Labelled) -> list[Row]:
    """Both errors at each number of nodes and grid point, fitted to the training half."""
    method = spec.fit
    assert isinstance(method, CriterionMethod)
    points = grid_points(method)
    rows = []
    for n_hidden in spec.n_hidden:
        design, unseen = (train.design(method, x, n_hidden) for x in (train.inputs, test[0]))
        fit = fit_batch(
            design,
            train.target,
            points.criterion,
            points.lam,
            intercept=method.intercept,
            max_iter=spec.max_iter,
            tol=spec.tol,
        )
        left_out = 0.0 if spec.adds_center else fit.center[:, None]
        both = fit.predict(design) - left_out, fit.predict(unseen) - left_out
        for place, predictions in enumerate(zip(*both, strict=True)):
            row = {
                "n_hidden": n_hidden,
                "lam": points.lam[place],
                "n_iter": fit.n_iter[place],
                "converged": fit.converged[place],
            }
            row |= tested(train, test, *predictions)
            rows.append(row | points.kernel_of(fit, place))
    return rows


AMBIGUITY = Experiment(
    name="ambiguity",
    problem="problem",
    method="method",
    spec=AmbiguitySpec,
    rows=ambiguity_rows,
    results=pa.schema([("dataset", pa.string()), ("reading", pa.string()), *ELM.results]),
)
