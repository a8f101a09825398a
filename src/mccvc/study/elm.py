"""The ELM experiment: a method tuned and tested on random splits of a dataset."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from mccvc.arrays import Array, Indices
from mccvc.hidden_layer import HiddenLayer
from mccvc.study.seeds import generator
from mccvc.study.specs import Experiment, Row
from mccvc.study.tuners import TUNERS
from mccvc.study.tuning import TuningData, TuningSpec

Labelled = tuple[Array, Array]


class ElmSpec(TuningSpec, tag="elm", frozen=True, kw_only=True):
    """What a row of the ELM experiment depends on; the problem is a dataset.

    Attributes
    ----------
    values : str, optional
        Digest of the dataset's parsed values.
    n_train, n_test : int, optional
        Rows to train and to test on; half of all, rounded down, for each by default.
    duplicates_together : bool
        Whether equal rows go to the same side of the split.
    """

    values: str | None = None
    n_train: int | None = None
    n_test: int | None = None
    duplicates_together: bool = False

    @property
    def dataset(self) -> str:
        """Name of the dataset."""
        return self.problem

    def split_sizes(self, n_rows: int) -> tuple[int, int]:
        """Rows to train and to test on, of a dataset with `n_rows`."""
        if self.n_train is None or self.n_test is None:
            return n_rows // 2, n_rows // 2
        return self.n_train, self.n_test

    def generator(self, run: int, purpose: str) -> np.random.Generator:
        """Generator for one purpose of a run, the same for all methods."""
        return generator(self.seed, "elm", self.dataset, run, purpose)

    def layer(self, run: int, n_features: int) -> HiddenLayer:
        """The largest hidden layer of a run, the same for all methods."""
        return HiddenLayer(n_features, max(self.n_hidden), self.generator(run, "hidden"))


class Split(NamedTuple):
    """Rows to train and to test on, and the held-out rows of each fold among the former."""

    train: Indices
    test: Indices
    folds: Sequence[Indices]


def elm_rows(spec: ElmSpec, run: int, data: tuple[Array, Array]) -> list[Row]:
    """One run of one method on one dataset: one row.

    All methods see the same split, hidden layer and folds in a run. The number of hidden
    nodes, lambda' and, for MCC, sigma are chosen by cross-validation on the training part; the
    model is then fitted to the whole of it.

    Parameters
    ----------
    spec : ElmSpec
        Specification.
    run : int
        Index of the run.
    data : tuple of ndarray
        Inputs (n_rows, n_features) and target (n_rows,), scaled to [0, 1].

    Returns
    -------
    list of dict
        The columns of :data:`ELM`; RMSEs in units of the scaled target.

    Raises
    ------
    ValueError
        If the dataset has too few rows.
    """
    return [ELM.key(spec, run) | row for row in tuned_and_tested(spec, run, *data)]


def tuned_and_tested(
    spec: ElmSpec,
    run: int,
    inputs: Array,
    target: Array,
    spoil: Callable[[Array, Array], Labelled] | None = None,
) -> list[Row]:
    """The columns of one run, but for those that say which it is.

    Parameters
    ----------
    spec, run, inputs, target
        As for :func:`elm_rows`.
    spoil : callable, optional
        Gives the inputs and the target to train on, from those of the training part.

    Returns
    -------
    list of dict
        As :func:`elm_rows`; one for each way in which the method is judged, which then has
        columns that say how.
    """
    train, test = halves_of(spec, run, inputs, target)
    if spoil is not None:
        spoilt_inputs, spoilt_target = spoil(train.inputs, train.target)
        train = train._replace(inputs=spoilt_inputs, target=spoilt_target)
    rng = spec.generator(run, "estimator")
    return [
        tested(train, test, *map(tuned.predict, (train.inputs, test[0]))) | tuned.columns
        for tuned in TUNERS[type(spec.fit)](train, spec, rng)
    ]


def halves_of(spec: ElmSpec, run: int, inputs: Array, target: Array) -> tuple[TuningData, Labelled]:
    """What a run trains on, with its folds and hidden layer; inputs and target to test on."""
    split = split_of(spec, run, inputs, target)
    layer = spec.layer(run, inputs.shape[1])
    train = TuningData(inputs[split.train], target[split.train], split.folds, layer)
    return train, (inputs[split.test], target[split.test])


def tested(train: TuningData, test: Labelled, fitted: Array, predicted: Array) -> Row:
    """The columns that say how well predictions for both halves fit them."""

    def rmse(values: Array, predictions: Array) -> float:
        return np.sqrt(np.mean((values - predictions) ** 2))

    return {
        "train_rmse": rmse(train.target, fitted),
        "test_rmse": rmse(test[1], predicted),
        "n_train": len(train.target),
        "n_test": len(test[1]),
        "n_features": train.inputs.shape[1],
    }


def split_of(spec: ElmSpec, run: int, inputs: Array, target: Array) -> Split:
    """Rows to train and to test on, and the folds, of a run.

    Raises
    ------
    ValueError
        If the dataset has fewer rows than the split or the folds need.
    """
    n_train, n_test = spec.split_sizes(len(target))
    if n_train < spec.folds:
        raise ValueError(f"{n_train} training rows are fewer than {spec.folds} folds")
    if n_train + n_test > len(target):
        raise ValueError(f"{n_train} + {n_test} rows to train and test on, of {len(target)}")
    rng = spec.generator(run, "split")
    if spec.duplicates_together:
        order, n_train = grouped_order(inputs, target, n_train, rng)
    else:
        order = rng.permutation(len(target))
    folds = np.array_split(spec.generator(run, "folds").permutation(n_train), spec.folds)
    return Split(order[:n_train], order[n_train : n_train + n_test], folds)


def grouped_order(
    inputs: Array, target: Array, n_train: int, rng: np.random.Generator
) -> tuple[Indices, int]:
    """A random order in which equal rows follow one another, and where to split it.

    Parameters
    ----------
    inputs : ndarray of shape (n_rows, n_features)
        Inputs.
    target : ndarray of shape (n_rows,)
        Target.
    n_train : int
        Rows to train on, at least; the last group is kept whole.
    rng : numpy.random.Generator
        Orders the distinct rows.

    Returns
    -------
    order : ndarray of int, shape (n_rows,)
    n_train : int
    """
    rows = np.column_stack([inputs, target])
    _, group = np.unique(rows, axis=0, return_inverse=True)
    place = rng.permutation(group.max() + 1)[group.ravel()]
    order = np.argsort(place, kind="stable")
    ends = np.flatnonzero(np.diff(place[order], append=-1)) + 1
    return order, int(ends[ends >= n_train][0])


ELM = Experiment(
    name="elm",
    problem="dataset",
    method="method",
    spec=ElmSpec,
    rows=elm_rows,
    results=pa.schema(
        [
            ("train_rmse", pa.float64()),
            ("test_rmse", pa.float64()),
            ("n_train", pa.int32()),
            ("n_test", pa.int32()),
            ("n_features", pa.int32()),
            ("n_hidden", pa.int32()),
            ("lam", pa.float64()),
            ("sigma", pa.float64()),
            ("center", pa.float64()),
            ("n_iter", pa.int32()),
            ("converged", pa.bool_()),
            ("cv_rmse", pa.float64()),
            ("fit_seconds", pa.float64()),
            ("tune_seconds", pa.float64()),
            ("search_solves", pa.list_(pa.int32())),
            ("parameters", pa.string()),
        ]
    ),
)
