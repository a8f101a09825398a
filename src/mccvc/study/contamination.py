"""The contamination experiment: ELMs on spoilt training rows, tested on clean ones."""

from typing import Literal

import numpy as np
import pyarrow as pa

from mccvc.arrays import Array
from mccvc.study.elm import ELM, ElmSpec, tuned_and_tested
from mccvc.study.specs import Experiment, Row

# Degrees of freedom of the chi-square noise, those of the paper's fourth case.
_FREEDOM = 3
# Clustered outliers lie within this share of the target's range of one another.
_CLUSTER = 0.01


class ContaminationSpec(ElmSpec, tag="contamination", frozen=True, kw_only=True):
    """What a row of the contamination experiment depends on; a problem is a dataset, spoilt.

    Attributes
    ----------
    source : str
        The dataset, which keys the draws: splits, layers and folds are those of the ELM
        experiment.
    kind : {"one-sided", "symmetric", "clustered", "leverage", "noise"}
        Where the outliers lie: above the targets; above or below; at one distance above; or far
        out in the inputs, with their targets. Or skewed inner noise that is added to the targets.
    share : float
        Share of the training rows that are spoilt, in [0, 1].
    size : tuple of float
        Smallest and largest distance, in ranges of the target, or of the inputs; the smallest
        value and the mean of the noise.
    """

    source: str
    kind: Literal["one-sided", "symmetric", "clustered", "leverage", "noise"] = "one-sided"
    share: float = 0.0
    size: tuple[float, float] = (1.0, 3.0)

    @property
    def dataset(self) -> str:
        """Name of the dataset."""
        return self.source


def spoilt(
    inputs: Array, target: Array, spec: ContaminationSpec, rng: np.random.Generator
) -> tuple[Array, Array]:
    """Training rows with outliers; those of a smaller share are among those of a larger one.

    Parameters
    ----------
    inputs : ndarray of shape (n_train, n_features)
        Inputs, scaled to [0, 1].
    target : ndarray of shape (n_train,)
        Target, scaled to [0, 1].
    spec : ContaminationSpec
        Kind, share and size.
    rng : numpy.random.Generator
        Draws rows, distances and signs, the same for every share and kind.

    Returns
    -------
    inputs, target : ndarray
        Copies, spoilt.
    """
    n_train = len(target)
    bad = rng.permutation(n_train)[: round(spec.share * n_train)]
    distance = rng.uniform(*spec.size, n_train)[bad]
    sign = rng.choice([-1.0, 1.0], n_train)[bad]
    direction = rng.choice([-1.0, 1.0], inputs.shape[1])
    # Last, so that the draws before it are those of the other kinds.
    skewed = rng.chisquare(_FREEDOM, n_train)[bad] / _FREEDOM
    inputs, target = inputs.copy(), target.copy()
    if spec.kind == "leverage":
        inputs[bad] += distance[:, None] * direction
    elif spec.kind == "noise":
        smallest, mean = spec.size
        target[bad] += smallest + (mean - smallest) * skewed
    elif spec.kind == "clustered":
        target[bad] = 1 + np.mean(spec.size) + _CLUSTER * (distance - np.mean(spec.size))
    else:
        target[bad] += distance * (sign if spec.kind == "symmetric" else 1.0)
    return inputs, target


def contaminated_rows(spec: ContaminationSpec, run: int, data: tuple[Array, Array]) -> list[Row]:
    """One run of one method on one dataset, spoilt in one way: a row, or one for each of its ways.

    Parameters
    ----------
    spec : ContaminationSpec
        Specification.
    run : int
        Index of the run.
    data : tuple of ndarray
        Inputs (n_rows, n_features) and target (n_rows,), scaled to [0, 1].

    Returns
    -------
    list of dict
        The columns of :data:`CONTAMINATION`; RMSEs in units of the scaled target, that of the
        training rows against their spoilt targets.

    Raises
    ------
    ValueError
        If the dataset has too few rows.
    """
    rng = spec.generator(run, "outliers")
    said = {"dataset": spec.dataset, "kind": spec.kind, "share": spec.share}
    said |= dict(zip(("smallest", "largest"), spec.size, strict=True))
    rows = tuned_and_tested(spec, run, *data, spoil=lambda x, t: spoilt(x, t, spec, rng))
    return [CONTAMINATION.key(spec, run) | said | row for row in rows]


CONTAMINATION = Experiment(
    name="contamination",
    problem="problem",
    method="method",
    spec=ContaminationSpec,
    rows=contaminated_rows,
    results=pa.schema(
        [
            ("dataset", pa.string()),
            ("kind", pa.string()),
            ("share", pa.float64()),
            ("smallest", pa.float64()),
            ("largest", pa.float64()),
            # How the method was judged and used, null for the paper's way.
            ("score", pa.string()),
            ("combine", pa.string()),
            ("clip", pa.bool_()),
            ("scale", pa.string()),
            ("hedge", pa.bool_()),
            *ELM.results,
        ]
    ),
)
