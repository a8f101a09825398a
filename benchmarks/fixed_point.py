"""One fixed-point step of the default batch of ELM-RCC against the unbatched floor."""

import tempfile

import numpy as np
from sklearn.utils import check_random_state

from benchmarks import floor
from benchmarks.data import default_study, training_half
from benchmarks.grid_search import SIZES
from benchmarks.timing import against, alternate
from mccvc.hidden_layer import HiddenLayer
from mccvc.solvers.batch import fit_batch
from mccvc.study.methods import grid_points


def run(repeats):
    """Rows for each number of hidden nodes; the SVD of the hidden layer is part of our time."""
    study = default_study()
    spec = study.elm_spec("concrete", "elm-rcc")
    with tempfile.TemporaryDirectory() as directory:
        inputs, target, folds = training_half(study, "concrete", "elm-rcc", directory)
    train = np.setdiff1d(np.arange(len(target)), folds[0])
    criterion, lam, _ = grid_points(spec.fit)
    rows = []
    for n_hidden in SIZES:
        design = HiddenLayer(inputs.shape[1], n_hidden, check_random_state(0))(inputs[train])
        step = floor.iteration(len(train), n_hidden)

        def fit(design=design):
            options = {"max_iter": spec.max_iter, "tol": spec.tol}
            return fit_batch(design, target[train], criterion, lam, **options).n_iter.sum()

        def steps(step=step):
            for _ in range(100):
                step()

        seconds, found = alternate({"ours": fit, "floor": steps}, repeats)
        per_step = {"ours": seconds["ours"] / found["ours"], "floor": seconds["floor"] / 100}
        case = f"N = {len(train)}, {n_hidden} nodes, {len(lam)} problems"
        rows.append(against("fixed-point", case, "ours", "floor", per_step))
    return rows
