"""A robust extreme learning machine that chooses everything by itself, for scikit-learn."""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from mccvc.arrays import Array, ArrayLike, Indices
from mccvc.criteria.registry import CRITERIA
from mccvc.estimators._base import each_target, warn_of_fit
from mccvc.estimators._checks import (
    check_choice,
    check_data,
    check_layer,
    check_number,
    check_set,
    check_sizes,
    is_auto,
)
from mccvc.estimators._layer_starts import PENALTIES, robust_layer_start
from mccvc.estimators._scaled_problem import ScaledProblem
from mccvc.estimators.random_hidden_layer import RandomHiddenLayer
from mccvc.scale import weighted_quantile
from mccvc.solvers.candidates import Grid
from mccvc.solvers.hedged import hedged
from mccvc.solvers.judging import SCORES, Judged, Parts, judged

TWO_STAGES = "mcc-vc-efficient"
CHOICES = sorted(set(CRITERIA) - {"mcc-vc"})
# Penalties that "auto" compares.
_AUTO: Array = np.array([1e-8, 1e-6, 1e-4, 1e-2, 1.0, 1e2])
# Widths of ELM-RCC in the paper's study, in ranges of the target.
_WIDTHS = {"mcc": {"sigma": 0.016384 * 2.5 ** np.arange(6)}}
# Errors within so many standard deviations of a first robust fit are those of ordinary targets;
# that fit sees at most so many rows.
_ORDINARY = 5.0
_FEW_ROWS = 500
_FARTHEST = 1e100
# Kernels are too narrow for targets that spread over so many times the range that was given.
_WIDE = 20.0


class _TargetFit(NamedTuple):
    """A fit to a target whose ordinary values have been scaled to [0, 1]."""

    low: float
    span: float
    judged: Judged

    def predict(self, design: Array) -> Array:
        return self.low + self.span * self.judged.predict(design)


class ELMAveragedRegressor(RegressorMixin, BaseEstimator):
    """Extreme learning machine with nothing to tune, for data that may have outliers.

    Candidates are fits by correntropy for several kernel widths, penalties and numbers of hidden
    nodes. Their errors on folds held out are truncated, so that outliers do not decide, and all
    candidates that are hardly worse than the best are averaged. Two further parts, which helped
    on some data and cost on others, can be added: predictions cut off at the range of the
    targets that are no outliers, and averaged ridge regression beside them. Any other criterion
    can take the place of correntropy.

    Parameters
    ----------
    criterion : str, default="mcc"
        "mcc", "mcc-vc-efficient" (MCC-VC in two stages), "mmse", or one of the criteria of
        :class:`RobustLinearRegressor`.
    parameters : dict or None, default=None
        Values to choose from of each parameter of the criterion, those with a unit in ranges of the
        target. By default those of "mcc" are the paper's; "mcc-vc-efficient" takes none.
    n_hidden : int or array-like of int, default=(50, 200)
        Numbers of hidden nodes to choose from.
    alpha : float, array-like or "auto", default="auto"
        Ridge penalties lambda' to choose from, for weights of at most 1 and a target of range 1.
        "auto" is 1e-8, 1e-6, 1e-4, 0.01, 1 and 100.
    scoring : {"truncated", "squared", "correntropy", "median"}, default="truncated"
        How errors held out are judged; truncated squares end at 0.3 of the target's range.
    combine : {"mean", "best"}, default="mean"
        Whether the mean of all candidates predicts that are not worse than the best by two
        standard errors of the paired difference, or the best one.
    clip : bool, default=False
        Whether predictions are cut off at the range of the targets that are no outliers.
    hedge : bool, default=False
        Whether the prediction is the mean with averaged ridge regression, unless that is worse by
        three standard errors of the truncated score.
    cv : int, default=5
        Number of folds.
    target_range : float or "auto", default="auto"
        Range of the target without outliers, in its units. "auto" takes that of the targets which
        a first robust fit keeps.
    activation : {"logistic", "tanh", "relu", "sine", "radial", "hard-limit"}, default="logistic"
        Activation of the nodes.
    scale : bool, default=True
        Whether to scale inputs.
    input_scaling : {"robust", "minmax"}, default="robust"
        How inputs are scaled; see :class:`RandomHiddenLayer`.
    max_iter : int, default=20
        Largest number of iterations of each fit and stage.
    tol : float, default=1e-5
        Termination tolerance. 0 runs all iterations.
    random_state : int, RandomState instance or None, default=None
        Draws the hidden layer and the folds.

    Attributes
    ----------
    n_hidden_, alpha_ : int or float, or ndarray of shape (n_targets,)
        Number of hidden nodes and penalty of the best candidate.
    n_iter_ : int or ndarray of shape (n_targets,)
        Iterations of its stages together.
    n_averaged_ : int or ndarray of shape (n_targets,)
        Number of candidates whose mean predicts.
    hedged_ : bool or ndarray of shape (n_targets,)
        Whether ridge regression has a say.
    target_range_ : float or ndarray of shape (n_targets,)
        Range of the target without outliers that was used.
    clip_ : tuple of float, or a list of them
        Range at which predictions are cut off, infinite without `clip`.
    hidden_layer_ : RandomHiddenLayer
        The largest hidden layer; smaller ones are its beginning.
    n_features_in_ : int
        Number of inputs.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the inputs, if they have names.

    See Also
    --------
    ELMMCCVCRegressor : One fit by MCC-VC, with standard attributes.

    Notes
    -----
    Where a corner of the inputs holds outliers alone, an average may follow them there; `clip`
    bounds how far. Weak where the noise is skewed, since the mode of the errors is not their
    mean, and where outliers are within the range of the other targets. The fits of all candidates
    hold the hidden layer: time grows with ``cv * n_samples * max(n_hidden) ** 2``. The default is
    ELM-RCC of the benchmark with the score "truncated" and the combination "mean".

    References
    ----------
    Chen et al., "Maximum Correntropy Criterion with Variable Center", Algorithm 1, for the first
    stage. docs/findings.md has what each part gives.

    Examples
    --------
    >>> import numpy as np
    >>> from mccvc import ELMAveragedRegressor
    >>> X = np.linspace(0, 1, 200)[:, None]
    >>> y = np.sin(3 * X[:, 0])
    >>> y[::5] += 5
    >>> model = ELMAveragedRegressor(random_state=0).fit(X, y)
    >>> print(abs(model.predict(X) - np.sin(3 * X[:, 0])).max() < 0.1)
    True
    """

    def __init__(
        self,
        criterion: str = "mcc",
        *,
        parameters: Mapping[str, ArrayLike] | None = None,
        n_hidden: ArrayLike = (50, 200),
        alpha: ArrayLike = "auto",
        scoring: str = "truncated",
        combine: str = "mean",
        clip: bool = False,
        hedge: bool = False,
        cv: int = 5,
        target_range: float | str = "auto",
        activation: str = "logistic",
        scale: bool = True,
        input_scaling: str = "robust",
        max_iter: int = 20,
        tol: float = 1e-5,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.criterion = criterion
        self.parameters = parameters
        self.n_hidden = n_hidden
        self.alpha = alpha
        self.scoring = scoring
        self.combine = combine
        self.clip = clip
        self.hedge = hedge
        self.cv = cv
        self.target_range = target_range
        self.activation = activation
        self.scale = scale
        self.input_scaling = input_scaling
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Inputs.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Targets; each is fitted on its own.

        Returns
        -------
        self : object
            The fitted estimator.

        Raises
        ------
        ValueError
            If a parameter or the data cannot be used; the message names the parameter or the
            column.

        Warns
        -----
        ConvergenceWarning
            If more than half of the targets, but not all, are equal, or if `target_range` is a
            small share of their interquartile range.
        """
        sizes, penalties, grid = self._checked()
        inputs, targets = check_data(self, X, y)
        n_samples = len(inputs)
        if n_samples < self.cv:
            raise ValueError(
                f"The 'cv' parameter of {type(self).__name__} must be at most the number of"
                f" samples. Got {self.cv}, with n_samples={n_samples}."
            )
        rng = check_random_state(self.random_state)
        self.hidden_layer_ = RandomHiddenLayer(
            sizes[-1],
            activation=self.activation,
            scale=self.scale,
            input_scaling=self.input_scaling,
            random_state=rng,
        ).set_output(transform="default")
        design = self.hidden_layer_.fit_transform(inputs)
        folds = np.array_split(rng.permutation(n_samples), self.cv)
        self._single = targets.ndim == 1
        columns = targets.reshape(n_samples, -1).T
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            self._fits = [
                self._fit_target(design, target, folds, sizes, penalties, grid)
                for target in columns
            ]
        self._learn(sizes, penalties, grid)
        return self

    def predict(self, X: ArrayLike) -> Array:
        """Predict targets.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Inputs.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_targets)
        """
        check_is_fitted(self)
        inputs = validate_data(self, X, reset=False, dtype=np.float64)
        design = self.hidden_layer_.transform(inputs)
        predicted = [fit.predict(design) for fit in self._fits]
        return predicted[0] if self._single else np.column_stack(predicted)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def _checked(self) -> tuple[list[int], Array, list[dict[str, float]]]:
        """Sizes, penalties and grid points of the criterion's parameters."""
        check_choice(self, "criterion", CHOICES)
        check_choice(self, "scoring", SCORES)
        check_choice(self, "combine", ("mean", "best"))
        if self.combine == "mean" and self.scoring == "median":
            raise ValueError("combine='mean' compares means: it does not go with scoring='median'.")
        check_number(self, "cv", low=2, closed=True, whole=True)
        check_number(self, "max_iter", low=1, closed=True, whole=True)
        check_number(self, "tol", low=0, closed=True)
        if not is_auto(self.target_range):
            check_number(self, "target_range", low=0, others="'auto'")
        sizes = [int(size) for size in check_sizes(self, "n_hidden")]
        check_layer(self, n_hidden=False)
        penalties: Array = _AUTO
        if not is_auto(self.alpha):
            penalties = check_set(self, "alpha", positive=True)
        return sizes, penalties, self._grid()

    def _grid(self) -> list[dict[str, float]]:
        limits = {} if self.criterion == TWO_STAGES else CRITERIA[self.criterion].limits
        given = dict(
            _WIDTHS.get(self.criterion, {}) if self.parameters is None else self.parameters
        )
        if set(given) != set(limits):
            raise ValueError(
                f"The 'parameters' of {type(self).__name__} must give values of {sorted(limits)}"
                f" for criterion {self.criterion!r}. Got {sorted(given)} instead."
            )
        values = {name: np.atleast_1d(np.asarray(v, dtype=float)) for name, v in given.items()}
        for name, some in values.items():
            if not len(some) or not all(value in limits[name] for value in some):
                raise ValueError(
                    f"Parameter {name!r} of criterion {self.criterion!r} must be "
                    f"{limits[name].description}. Got {given[name]!r} instead."
                )
        return [dict(zip(values, point, strict=True)) for point in product(*values.values())]

    def _fit_target(
        self,
        design: Array,
        target: Array,
        folds: Sequence[Indices],
        sizes: Sequence[int],
        penalties: Array,
        grid: list[dict[str, float]],
    ) -> _TargetFit:
        smallest, largest = float(target.min()), float(target.max())
        if not np.isfinite(largest - smallest):
            raise ValueError(f"Input y reaches from {smallest:.3g} to {largest:.3g}; scale it.")
        self._warn_if_tied(target)
        low, high = ordinary_range(design, target)
        span = (high - low or 1.0) if is_auto(self.target_range) else float(self.target_range)
        if not is_auto(self.target_range):
            self._warn_if_narrow(target, span)
        # An outlier of any size is one, and its square is a number.
        scaled = np.clip((target - low) / span, -_FARTHEST, _FARTHEST)
        parts = Parts(self.scoring, self.combine, bool(self.clip), "fixed", bool(self.hedge))
        options: dict[str, Any] = {"max_iter": self.max_iter, "tol": self.tol}
        if self.criterion == TWO_STAGES:
            fit = hedged(design, scaled, folds, sizes, penalties, parts=parts, **options)
        else:
            kind: Any = CRITERIA[self.criterion]
            names = grid[0]
            criterion = kind(
                **{n: np.tile([point[n] for point in grid], len(penalties)) for n in names}
            )
            # ELM-RCC of the benchmark has none.
            lam, intercept = np.repeat(penalties, len(grid)), self.criterion != "mcc"
            candidates = Grid(criterion, lam, sizes, intercept=intercept, **options)
            fit = judged(design, scaled, folds, candidates, [parts])[0]
        return _TargetFit(float(low), span, fit)

    def _warn_if_narrow(self, target: Array, span: float) -> None:
        """Warn if the range that was given is a small share of that of the targets."""
        lower, upper = weighted_quantile(target, [0.25, 0.75])
        if upper - lower > _WIDE * span:
            warn_of_fit(
                f"{type(self).__name__}: target_range is {span:.3g}, but the interquartile range of"
                f" the targets is {upper - lower:.3g}: nearly all may count as outliers."
            )

    def _warn_if_tied(self, target: Array) -> None:
        """Warn if more than half of the targets, but not all, are equal."""
        values, counts = np.unique(target, return_counts=True)
        share = counts.max() / len(target)
        if 0.5 < share < 1:
            warn_of_fit(
                f"{type(self).__name__}: {share:.1%} of the targets equal"
                f" {values[np.argmax(counts)]:.6g}; the others may count as outliers. Counts,"
                " classes and limits of detection need a model of their own."
            )

    def _learn(self, sizes: Sequence[int], penalties: Array, grid: list[dict[str, float]]) -> None:
        """Set what the fits know beside their predictions."""
        best = [fit.judged.average.best for fit in self._fits]
        n_points = self._fits[0].judged.average.members.size // len(sizes)
        per_penalty = n_points // len(penalties)
        single = self._single
        self.n_hidden_ = each_target([sizes[i // n_points] for i in best], single)
        self.alpha_ = each_target(
            [float(penalties[i % n_points // per_penalty]) for i in best], single
        )
        fitted = [fit.judged.fits.one(i) for fit, i in zip(self._fits, best, strict=True)]
        self.n_iter_ = each_target([int(fit.n_iter[place]) for fit, place in fitted], single)
        averaged = [int(fit.judged.average.members.sum()) for fit in self._fits]
        self.n_averaged_ = each_target(averaged, single)
        self.hedged_ = each_target([fit.judged.ridge is not None for fit in self._fits], single)
        self.target_range_ = each_target([fit.span for fit in self._fits], single)
        clips = [
            tuple(fit.low + fit.span * np.array([fit.judged.average.low, fit.judged.average.high]))
            for fit in self._fits
        ]
        self.clip_ = clips[0] if single else clips


def ordinary_range(design: Array, target: Array) -> tuple[float, float]:
    """Smallest and largest target of the rows that a robust fit keeps.

    Parameters
    ----------
    design : ndarray of shape (n_samples, n_hidden)
        Outputs of the hidden layer.
    target : ndarray of shape (n_samples,)
        Target.

    Returns
    -------
    low, high : float
    """
    problem = ScaledProblem.of(
        design,
        target,
        np.ones(len(target)),
        alpha=1.0,
        intercept=False,
        movable=True,
        scaled=True,
        by_kernel=False,
    )
    sample = problem.distinct.thinned(_FEW_ROWS)
    few = problem.rows(sample.rows, sample.weight)
    start = robust_layer_start(
        few.design,
        few.target,
        few.weight,
        penalties=PENALTIES,
        lam=problem.lam,
        level=True,
        floor=problem.floor,
    )
    kept = target[np.abs(problem.errors(start.beta)[0]) <= _ORDINARY * start.scale]
    # Where most targets are equal (counts, classes), a robust fit keeps no others.
    some = kept if len(kept) and np.ptp(kept) > 0 else target
    return float(some.min()), float(some.max())
