"""Specifications: all that a row depends on, as values with one canonical JSON form."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any, Literal, Self

import msgspec

from mccvc.solvers.judging import Parts
from mccvc.study.digests import digest

if TYPE_CHECKING:
    import pyarrow as pa

Values = tuple[float, ...]


class Spec(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True
):
    """A value that is equal to another one if their JSON forms are."""

    def json(self) -> str:
        """The canonical JSON form: keys sorted, no blanks, defaults left out."""
        return msgspec.json.encode(self, order="sorted").decode()

    @classmethod
    def read(cls, text: str) -> Self:
        """The specification of a JSON form.

        Raises
        ------
        ValueError
            Naming the key that does not fit.
        """
        return msgspec.json.decode(text, type=cls)

    @classmethod
    def of(cls, entry: dict[str, Any]) -> Self:
        """The specification of a mapping, such as an entry of the config."""
        return msgspec.convert(entry, cls, strict=False)

    @property
    def digest(self) -> str:
        """Digest of the JSON form, as kept in every row."""
        return digest(self.json())


class CriterionMethod(Spec, tag="criterion", frozen=True, kw_only=True):
    """A criterion with its grid, fitted by this package's solvers.

    Attributes
    ----------
    criterion : str
        A key of :data:`mccvc.criteria.registry.CRITERIA`.
    lam : tuple of float
        Penalties lambda'.
    grid : dict of tuple of float
        Values of each parameter of the criterion.
    widths, centers : tuple of float
        The sets of (18), for ``mcc-vc`` and ``mcc-vc-efficient``; centers may be ``median``,
        ``mean`` and, for the latter, ``quantiles``.
    intercept : bool
        Whether a column of ones is added, which is not penalized.
    direct : bool
        Whether the inputs are columns beside the hidden nodes.
    """

    criterion: str
    lam: Values
    grid: dict[str, Values] = msgspec.field(default_factory=dict)
    widths: Values | None = None
    centers: Values | str | None = None
    intercept: bool = False
    direct: bool = False


class JudgedMethod(CriterionMethod, tag="judged", frozen=True, kw_only=True):
    """A criterion whose grid is searched once, and judged and used in one way or several.

    Attributes
    ----------
    score, combine, clip, scale, hedge : tuple
        Values of each of :class:`mccvc.solvers.judging.Parts`; every combination is a way.
    """

    score: tuple[Literal["squared", "truncated", "correntropy", "median"], ...] = ("squared",)
    combine: tuple[Literal["best", "mean"], ...] = ("best",)
    clip: tuple[bool, ...] = (False,)
    scale: tuple[Literal["fixed", "matched"], ...] = ("fixed",)
    hedge: tuple[bool, ...] = (False,)

    @property
    def ways(self) -> list[Parts]:
        """Every combination, but no means of candidates that medians judge: they are not paired."""
        values = (getattr(self, part) for part in Parts._fields)
        ways = [Parts(*combination) for combination in product(*values)]
        return [way for way in ways if (way.score, way.combine) != ("median", "mean")]


class RegressorMethod(Spec, tag="regressor", frozen=True, kw_only=True):
    """Any regressor with scikit-learn's interface.

    Attributes
    ----------
    estimator : tuple of str
        Import paths: transformers, and last the regressor.
    parameters : dict
        Fixed parameters.
    grid : dict of tuple
        Values of the parameters that cross-validation chooses.
    features : {"hidden", "inputs"}
        What it is fitted on.
    """

    estimator: tuple[str, ...]
    parameters: dict[str, Any] = msgspec.field(default_factory=dict)
    grid: dict[str, tuple[Any, ...]] = msgspec.field(default_factory=dict)
    features: Literal["hidden", "inputs"] = "hidden"


Method = CriterionMethod | JudgedMethod | RegressorMethod


class RunSpec(Spec, frozen=True, kw_only=True):
    """What every experiment says of its rows.

    Attributes
    ----------
    seed : int
        Seed of the study.
    problem, method : str
        Names of the entries, which key the draws and name the files; they decide no number else.
    fit : CriterionMethod or RegressorMethod
        What the method computes.
    max_iter : int
        Largest number of iterations K.
    tol : float
        Termination tolerance xi.
    """

    seed: int
    problem: str
    method: str
    fit: Method
    max_iter: int
    tol: float

    @property
    def dataset(self) -> str | None:
        """Name of the dataset that the rows are computed from, if any."""
        return None


Row = dict[str, Any]


@dataclass(frozen=True)
class Experiment:
    """A kind of runs: what one of them is, and how it becomes rows.

    Attributes
    ----------
    name : str
        Name in paths and in the column ``study``.
    problem, method : str
        Columns that hold the names of the problem and of the method.
    spec : type of RunSpec
        Its specifications.
    rows : callable
        ``rows(spec, run, data)``: the rows of one run; data are the inputs and the target of the
        spec's dataset, or None. A function of a module, whose code the digests follow.
    results : pyarrow.Schema
        The other columns of its rows.
    """

    name: str
    problem: str
    method: str
    spec: type[RunSpec]
    rows: Callable[..., list[Row]]
    results: "pa.Schema"

    def key(self, spec: RunSpec, run: int) -> Row:
        """The columns that say which run a row is of."""
        return {
            "study": self.name,
            self.problem: spec.problem,
            self.method: spec.method,
            "run": run,
        }
