"""The linear experiment: a system with inner noise and outliers, and what criteria make of it."""

import time

import numpy as np
import pyarrow as pa
from scipy.special import gammaln, xlogy

from mccvc.arrays import Array
from mccvc.correntropy import gaussian_kernel
from mccvc.solvers.irls import irls
from mccvc.study.methods import grid_points
from mccvc.study.seeds import generator
from mccvc.study.specs import CriterionMethod, Experiment, Row, RunSpec, Spec


class _SymmetricNoise(Spec, tag_field="family", frozen=True, kw_only=True):
    """Noise around its mean; the variance is in squared units of the target."""

    mean: float
    variance: float

    @property
    def title(self) -> str:
        """The noise in words."""
        return f"{type(self).__name__}, mean {self.mean:g}, variance {self.variance:g}"

    @property
    def is_centered(self) -> bool:
        """Whether its mode is 0."""
        return self.mean == 0


class Normal(_SymmetricNoise, tag="normal", frozen=True, kw_only=True):
    """Normal noise."""

    def draw(self, n_samples: int, rng: np.random.Generator) -> Array:
        """Samples of the noise: (n_samples,)."""
        return rng.normal(self.mean, np.sqrt(self.variance), n_samples)

    def density(self, values: Array) -> Array:
        """Density of the noise at some values."""
        return gaussian_kernel(values, np.sqrt(self.variance), self.mean)


class Laplace(_SymmetricNoise, tag="laplace", frozen=True, kw_only=True):
    """Laplace noise."""

    def draw(self, n_samples: int, rng: np.random.Generator) -> Array:
        """Samples of the noise: (n_samples,)."""
        return rng.laplace(self.mean, np.sqrt(self.variance / 2), n_samples)

    def density(self, values: Array) -> Array:
        """Density of the noise at some values."""
        scale = np.sqrt(self.variance / 2)
        return np.exp(-np.abs(values - self.mean) / scale) / (2 * scale)


class ChiSquare(Spec, tag_field="family", tag="chi-square", frozen=True, kw_only=True):
    """Chi-square noise."""

    dof: float

    def draw(self, n_samples: int, rng: np.random.Generator) -> Array:
        """Samples of the noise: (n_samples,)."""
        return rng.chisquare(self.dof, n_samples)

    def density(self, values: Array) -> Array:
        """Density of the noise at some values; infinite at 0 for less than 2 degrees of freedom."""
        half = self.dof / 2
        inside = np.maximum(values, 0.0)
        exponent = xlogy(half - 1, inside) - inside / 2 - half * np.log(2) - gammaln(half)
        return np.where(values < 0, 0.0, np.exp(exponent))

    @property
    def title(self) -> str:
        """The noise in words."""
        return f"Chi-square, {self.dof:g} degrees of freedom"

    @property
    def is_centered(self) -> bool:
        """Whether its mode is 0."""
        return False


class LinearSystem(Spec, frozen=True, kw_only=True):
    """y = w*' x + (1 - g) B + g O, with g = 1 with the outlier probability.

    Attributes
    ----------
    n_samples : int
        Samples N of a run.
    weights : tuple of float
        True weights w*.
    input_limit : float
        Inputs are uniform between minus and plus this.
    outlier_probability : float
        Probability of g = 1.
    outlier_variance : float
        Variance of O, which is normal with mean 0.
    noise : Normal, Laplace or ChiSquare
        Inner noise B.
    """

    n_samples: int
    weights: tuple[float, ...]
    input_limit: float
    outlier_probability: float
    outlier_variance: float
    noise: Normal | Laplace | ChiSquare

    def draw(self, rng: np.random.Generator) -> tuple[Array, Array]:
        """Inputs (n_samples, n_weights) and target (n_samples,) of a run."""
        n, limit = self.n_samples, self.input_limit
        inputs = rng.uniform(-limit, limit, size=(n, len(self.weights)))
        is_outlier = rng.random(n) < self.outlier_probability
        outliers = rng.normal(0.0, np.sqrt(self.outlier_variance), n)
        noise = np.where(is_outlier, outliers, self.noise.draw(n, rng))
        return inputs, inputs @ np.asarray(self.weights, dtype=float) + noise


class LinearSpec(RunSpec, tag="linear", frozen=True, kw_only=True):
    """What a row of the linear experiment depends on; the problem is a case of inner noise.

    Attributes
    ----------
    system : LinearSystem
        Where inputs and targets come from.
    together : bool
        Whether all grid points of a run are fitted as one batch, which takes a tenth of the time
        and leaves no seconds of a single fit.
    """

    system: LinearSystem
    fit: CriterionMethod
    together: bool = False

    def data(self, run: int) -> tuple[Array, Array]:
        """Inputs and target of a run."""
        return self.system.draw(generator(self.seed, "linear", self.problem, run))

    def weight_rmse(self, beta: Array) -> float:
        """sqrt(||w - w*||^2 / n_weights), for beta whose first elements are w."""
        deviation = beta[: len(self.system.weights)] - np.asarray(self.system.weights, dtype=float)
        return np.sqrt(np.mean(deviation**2))


def design_of(inputs: Array, method: CriterionMethod) -> tuple[Array, Array]:
    """Design and penalty factors of a linear method, with a column of ones if it asks for one."""
    penalty = np.ones(inputs.shape[1])
    if not method.intercept:
        return inputs, penalty
    return np.column_stack([inputs, np.ones(len(inputs))]), np.append(penalty, 0.0)


def linear_rows(spec: LinearSpec, run: int, data: None = None) -> list[Row]:
    """One run of one criterion on one linear case: a row for each grid point.

    Parameters
    ----------
    spec : LinearSpec
        Specification.
    run : int
        Index of the run.
    data : None
        There is no dataset.

    Returns
    -------
    list of dict
        The columns of :data:`LINEAR`.
    """
    inputs, target = spec.data(run)
    design, penalty = design_of(inputs, spec.fit)
    points = grid_points(spec.fit)
    rows = []
    everything = np.arange(len(points.lam))
    for group in [everything] if spec.together else everything[:, None]:
        started = time.perf_counter()
        fit = irls(
            design,
            target,
            points.criterion.take(group),
            points.lam[group],
            penalty=penalty,
            max_iter=spec.max_iter,
            tol=spec.tol,
        )
        seconds = None if spec.together else time.perf_counter() - started
        for place, point in enumerate(group):
            row = LINEAR.key(spec, run) | {
                "weight_rmse": spec.weight_rmse(fit.beta[place]),
                "lam": points.lam[point],
                "n_iter": fit.n_iter[place],
                "converged": fit.converged[place],
                "fit_seconds": seconds,
            }
            rows.append(row | points.kernel_of(fit, place))
    return rows


LINEAR = Experiment(
    name="linear",
    problem="case",
    method="criterion",
    spec=LinearSpec,
    rows=linear_rows,
    results=pa.schema(
        [
            ("weight_rmse", pa.float64()),
            ("lam", pa.float64()),
            ("sigma", pa.float64()),
            ("center", pa.float64()),
            ("n_iter", pa.int32()),
            ("converged", pa.bool_()),
            ("fit_seconds", pa.float64()),
        ]
    ),
)
