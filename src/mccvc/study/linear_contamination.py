"""Linear regression with outliers, one property of the data varied at a time."""

import time
from typing import Annotated, Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from msgspec import Meta

from mccvc.arrays import Array, Flags
from mccvc.solvers.irls import irls
from mccvc.study.linear import ChiSquare, Laplace, Normal, design_of
from mccvc.study.methods import grid_points
from mccvc.study.seeds import generator
from mccvc.study.specs import CriterionMethod, Experiment, RegressorMethod, Row, RunSpec, Spec

_Share = Annotated[float, Meta(ge=0, le=1)]
_Positive = Annotated[float, Meta(gt=0)]
_NotNegative = Annotated[float, Meta(ge=0)]


class StudentT(Spec, tag_field="family", tag="student-t", frozen=True, kw_only=True):
    """Student's t with scale 1; with one degree of freedom it is Cauchy's distribution."""

    dof: _Positive

    def draw(self, n_samples: int, rng: np.random.Generator) -> Array:
        """Samples of the noise: (n_samples,)."""
        return rng.standard_t(self.dof, n_samples)


class Mixture(Spec, tag_field="family", tag="mixture", frozen=True, kw_only=True):
    """Standard normal noise of which a share is normal with another mean and variance."""

    share: _Share
    mean: float = 0.0
    variance: _Positive

    def draw(self, n_samples: int, rng: np.random.Generator) -> Array:
        """Samples of the noise: (n_samples,)."""
        usual, other = rng.standard_normal((2, n_samples))
        is_other = rng.random(n_samples) < self.share
        return np.where(is_other, self.mean + np.sqrt(self.variance) * other, usual)


class Sample(NamedTuple):
    """Inputs (n_samples, n_weights), target (n_samples,) and which rows are no outliers."""

    inputs: Array
    target: Array
    inliers: Flags


class ContaminatedSystem(Spec, frozen=True, kw_only=True):
    """y = w*' x + (1 - g) B + g O; outliers may lie to one side, and far out in the inputs.

    Attributes
    ----------
    n_samples : int
        Samples N of a run.
    weights : tuple of float
        True weights w*.
    n_weights : int, optional
        Number of inputs, whose weights are those above, over and over; by default as many as
        there are weights.
    input_limit : float
        Inputs are uniform between minus and plus this.
    outlier_probability : float
        Probability of g = 1.
    outlier_mean, outlier_variance : float
        Of O, which is normal.
    outlier_shift : float
        By how much all inputs of outliers are raised; their targets stay.
    noise : Normal, Laplace, ChiSquare, StudentT or Mixture
        Inner noise B.
    """

    n_samples: Annotated[int, Meta(ge=2)]
    weights: Annotated[tuple[float, ...], Meta(min_length=1)]
    n_weights: Annotated[int, Meta(ge=1)] | None = None
    input_limit: _Positive
    outlier_probability: _Share
    outlier_mean: float = 0.0
    outlier_variance: _NotNegative
    outlier_shift: float = 0.0
    noise: Normal | Laplace | ChiSquare | StudentT | Mixture

    def __post_init__(self) -> None:
        for name in ("variance", "dof"):
            if not getattr(self.noise, name, 1.0) > 0:
                raise ValueError(f"noise.{name} {getattr(self.noise, name)}; expected a number > 0")
        if self.n_samples <= len(self.all_weights):
            raise ValueError(f"expected more samples than the {len(self.all_weights)} weights")

    @property
    def all_weights(self) -> Array:
        """True weights w* of all inputs: (n_weights,)."""
        return np.resize(np.asarray(self.weights, dtype=float), self.n_weights or len(self.weights))

    def draw(self, rng: np.random.Generator) -> Sample:
        """The data of a run; outliers of a small probability are among those of a larger one."""
        n, weights = self.n_samples, self.all_weights
        inputs = rng.uniform(-self.input_limit, self.input_limit, size=(n, len(weights)))
        is_outlier = rng.random(n) < self.outlier_probability
        outliers = rng.normal(self.outlier_mean, np.sqrt(self.outlier_variance), n)
        noise = np.where(is_outlier, outliers, self.noise.draw(n, rng))
        target = inputs @ weights + noise
        inputs[is_outlier] += self.outlier_shift
        return Sample(inputs, target, ~is_outlier)


class CurveSpec(RunSpec, tag="linear-contamination", frozen=True, kw_only=True):
    """What a row of the experiment depends on; the problem is a curve.

    Attributes
    ----------
    fit : CriterionMethod or RegressorMethod
        A criterion with one grid point, or a regressor with its parameters.
    at : tuple of float
        Values of the property that varies.
    systems : tuple of ContaminatedSystem
        Where the data come from at each of them.
    """

    fit: CriterionMethod | RegressorMethod
    at: tuple[float, ...]
    systems: tuple[ContaminatedSystem, ...]


def curve_rows(spec: CurveSpec, run: int, data: None = None) -> list[Row]:
    """One run of one method on one curve: a row for each value.

    Parameters
    ----------
    spec : CurveSpec
        Specification.
    run : int
        Index of the run.
    data : None
        There is no dataset.

    Returns
    -------
    list of dict
        The columns of :data:`LINEAR_CONTAMINATION`; ``inlier_rmse`` is the error of least squares
        with an intercept on the rows that are no outliers, null if these are too few.
    """
    rows = []
    for value, system in zip(spec.at, spec.systems, strict=True):
        sample = system.draw(generator(spec.seed, LINEAR_CONTAMINATION.name, spec.problem, run))
        seed = generator(spec.seed, LINEAR_CONTAMINATION.name, spec.problem, run, "estimator")
        started = time.perf_counter()
        weights, said = _fitted(spec, sample, int(seed.integers(2**31)))
        seconds = time.perf_counter() - started
        row = LINEAR_CONTAMINATION.key(spec, run) | {
            "value": value,
            "weight_rmse": _rmse(weights, system),
            "inlier_rmse": _inlier_rmse(sample, system),
            "fit_seconds": seconds,
        }
        rows.append(row | said)
    return rows


def _fitted(spec: CurveSpec, sample: Sample, seed: int) -> tuple[Array, Row]:
    """Weights of a method, without the intercept, and the columns that it fills."""
    method = spec.fit
    if isinstance(method, RegressorMethod):
        # Imported here: no other job needs scikit-learn.
        from mccvc.study.regressors import seeded_regressor

        model = seeded_regressor(method, seed).fit(sample.inputs, sample.target)
        # Whatever a linear model calls its weights.
        one = np.eye(sample.inputs.shape[1])
        level, *values = model.predict(np.vstack([0 * one[:1], one, 2 * one]))
        weights, twice = np.reshape(values, (2, -1)) - level
        if not np.allclose(twice, 2 * weights):
            raise ValueError(f"{' '.join(method.estimator)} is not linear in its inputs")
        return weights, {}
    design, penalty = design_of(sample.inputs, method)
    points = grid_points(method)
    options: dict[str, Any] = {"max_iter": spec.max_iter, "tol": spec.tol}
    fit = irls(design, sample.target, points.criterion, points.lam, penalty=penalty, **options)
    said = {"n_iter": fit.n_iter[0], "converged": fit.converged[0]} | points.kernel_of(fit)
    return fit.beta[0], said


def _rmse(weights: npt.NDArray[np.floating], system: ContaminatedSystem) -> float:
    """sqrt(||w - w*||^2 / n_weights), for weights whose first elements are w."""
    true = system.all_weights
    return np.sqrt(np.mean((weights[: len(true)] - true) ** 2))


def _inlier_rmse(sample: Sample, system: ContaminatedSystem) -> float | None:
    design = np.column_stack([sample.inputs, np.ones(len(sample.inputs))])[sample.inliers]
    if len(design) < design.shape[1]:
        return None
    return _rmse(np.linalg.lstsq(design, sample.target[sample.inliers])[0], system)


LINEAR_CONTAMINATION = Experiment(
    name="linear-contamination",
    problem="curve",
    method="method",
    spec=CurveSpec,
    rows=curve_rows,
    results=pa.schema(
        [
            ("value", pa.float64()),
            ("weight_rmse", pa.float64()),
            ("inlier_rmse", pa.float64()),
            ("sigma", pa.float64()),
            ("center", pa.float64()),
            ("n_iter", pa.int32()),
            ("converged", pa.bool_()),
            ("fit_seconds", pa.float64()),
        ]
    ),
)
