"""Each form of the weighted ridge problems, alone, against the dense normal equations."""

import numpy as np
import pytest

from mccvc.solvers.conjugate_gradients import _STEPS_UNFACTORED, ConjugateGradients
from mccvc.solvers.normal_equations import NormalEquations
from mccvc.solvers.weighted_ridge import DoublePrecision, RidgeProblems, equal_rows


def problems_of(design, weights, lam, target, centers=None, start=None):
    n_problems = len(weights)
    start = np.zeros((n_problems, design.shape[1])) if start is None else start
    centers = np.zeros((n_problems, 1)) if centers is None else centers
    errors = target - start @ design.T
    places = np.arange(n_problems)
    return RidgeProblems(places, weights, np.asarray(lam), centers, start, errors, target)


def dense(design, penalty, problems):
    """Solutions of the augmented least-squares problems."""
    solutions = []
    targets = np.broadcast_to(problems.targets, problems.weights.shape)
    for weights, lam, target in zip(problems.weights, problems.lam, targets, strict=True):
        roots = np.sqrt(weights)
        stacked = np.vstack([roots[:, None] * design, np.diag(np.sqrt(lam * penalty))])
        padded = np.append(roots * target, np.zeros(len(penalty)))
        solutions.append(np.linalg.lstsq(stacked, padded, rcond=None)[0])
    return np.array(solutions)


FORMS = [(NormalEquations, 6), (NormalEquations, 50), (ConjugateGradients, 80)]


@pytest.mark.parametrize(("form", "n_columns"), FORMS)
def test_each_form_needs_no_fallback(monkeypatch, form, n_columns):
    """Batches in any order, twice: later iterations use what earlier ones left."""

    def forbidden(*arguments):
        raise AssertionError("fallback used")

    monkeypatch.setattr(DoublePrecision, "solve", forbidden)
    rng = np.random.default_rng(13)
    design = rng.normal(size=(200, n_columns))
    penalty = np.ones(n_columns)
    penalty[-1] = 0.0
    size = (5, 1e-6) if form is ConjugateGradients else ()
    solver = form(design, penalty, *size)
    lam = np.array([1e-3, 0.1, 1.0, 10.0, 100.0])
    target = rng.normal(size=200)
    first = rng.random((5, 200)) + 0.1
    problems = problems_of(design, first, lam, target, rng.normal(size=(5, 1)))
    for order in (np.arange(5), np.array([4, 0, 2])):
        some = problems.take(order)
        solutions = solver.solve(some, exact=True)
        expected = dense(design, penalty, some)
        np.testing.assert_allclose(solutions, expected, rtol=1e-6, atol=1e-8)
        # The second time with other weights, for which the factors of the first still serve.
        start = np.zeros((5, n_columns))
        start[order] = solutions
        weights = first * rng.uniform(0.9, 1.1, (5, 200))
        problems = problems_of(design, weights, lam, target, problems.centers, start)
    if form is ConjugateGradients:
        assert (solver.steps[order] <= _STEPS_UNFACTORED).all()


@pytest.mark.parametrize(("form", "n_columns"), FORMS)
def test_equal_weights_of_a_first_step_share_their_gram_matrix(form, n_columns):
    rng = np.random.default_rng(17)
    design = rng.normal(size=(150, n_columns))
    weights = np.exp(-(rng.normal(size=(2, 150)) ** 2) / 2 / np.array([[0.1], [1.0]]))[
        [0, 1, 0, 0, 1, 1]
    ]
    lam = np.geomspace(1e-6, 10, 6)
    size = (6, 1e-6) if form is ConjugateGradients else ()
    problems = problems_of(design, weights, lam, rng.normal(size=150))
    penalty = np.ones(n_columns)
    solutions = form(design, penalty, *size).solve(problems, exact=True)
    np.testing.assert_allclose(solutions, dense(design, penalty, problems), rtol=1e-5, atol=1e-7)


def test_equal_rows_are_found():
    rows = np.array([[1.0, 2.0], [0.0, 1.0], [1.0, 2.0], [0.0, 1.0], [3.0, 3.0]])
    first, which = equal_rows(rows)
    assert first.tolist() == [0, 1, 4]
    np.testing.assert_array_equal(rows[first][which], rows)


@pytest.mark.parametrize("share", [0.0, 0.6])
def test_rows_of_negligible_weight_change_no_digit(share):
    """Weights of narrow kernels: those below the rounding of the rest are left out."""
    rng = np.random.default_rng(18)
    design = rng.normal(size=(150, 40))
    weights = np.where(np.arange(150) < share * 150, 10.0 ** rng.uniform(-300, -30, 150), 1.0)
    problems = problems_of(design, weights[None], [1e-6], rng.normal(size=150))
    solution = DoublePrecision(design, np.ones(40)).solve(problems)
    np.testing.assert_allclose(solution, dense(design, np.ones(40), problems), rtol=1e-9)


def test_double_precision_factor_is_cholesky_s_or_none():
    rng = np.random.default_rng(15)
    design, weights = rng.normal(size=(90, 70)), rng.random(90)
    penalty = np.append(np.ones(69), 0.0)
    solver = DoublePrecision(design, penalty)
    factor = solver.factor(solver.gram(weights, 0.3), 0.3)
    gram = (design.T * weights) @ design + 0.3 * np.diag(penalty)
    np.testing.assert_allclose(np.tril(factor), np.linalg.cholesky(gram), rtol=1e-8)
    design[:, 5] = design[:, 3] + design[:, 4]
    solver = DoublePrecision(design, penalty)
    assert solver.factor(solver.gram(weights, 0.0), 0.0) is None
    solution = solver.solve_one(weights, 0.0, design[:, 5])
    np.testing.assert_allclose(design @ solution, design[:, 5], atol=1e-9)
    assert solution[5] == pytest.approx(2 / 3)
    np.testing.assert_allclose(solution[3:5], 1 / 3)


@pytest.mark.parametrize("n_columns", [6, 50])
def test_singular_problems_of_a_batch_do_not_disturb_the_others(n_columns):
    rng = np.random.default_rng(19)
    half = rng.normal(size=(120, n_columns // 2))
    design = np.hstack([half, half])
    lam = np.array([0.0, 1e-3, 0.1, 1.0, 10.0])
    problems = problems_of(design, rng.random((5, 120)), lam, rng.normal(size=120))
    solutions = NormalEquations(design, np.ones(n_columns)).solve(problems)
    expected = dense(design, np.ones(n_columns), problems)
    np.testing.assert_allclose(solutions, expected, rtol=1e-6, atol=1e-9)


def test_stiff_problem_of_a_wide_design_is_solved_in_double_precision():
    """Weights on fewer rows than columns and a tiny penalty: single precision is of no use."""
    rng = np.random.default_rng(16)
    design = rng.normal(size=(150, 100))
    weights = np.where(np.arange(150) < 60, 1.0, 1e-9)[None]
    problems = problems_of(design, weights, [1e-8], rng.normal(size=150))
    solver = ConjugateGradients(design, np.ones(100), 1, 1e-6)
    solution = solver.solve(problems, exact=True)
    expected = dense(design, np.ones(100), problems)
    np.testing.assert_allclose(solution, expected, rtol=1e-4, atol=1e-5)
