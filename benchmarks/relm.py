"""One ridge ELM and its path over lambda' against the ELM libraries and scikit-learn's Ridge."""

import numpy as np
from sklearn.linear_model import Ridge
from sklearn.utils import check_random_state

from benchmarks.timing import compare, installed
from mccvc.criteria.paper import MMSE
from mccvc.hidden_layer import HiddenLayer, logistic
from mccvc.solvers.batch import fit_batch

N_SAMPLES, N_HIDDEN = 1030, 200
PATH = np.geomspace(1e-6, 1e2, 25)
LAM = 1e-3


def run(repeats):
    """Rows for one fit, hidden layer included, and for 25 penalties on the same H."""
    rng = np.random.default_rng(0)
    inputs = rng.random((2 * N_SAMPLES, 8))
    target = (
        np.sin(6 * inputs[:, 0]) * inputs[:, 1] + inputs[:, 2] + rng.normal(0, 0.05, len(inputs))
    )
    x, y, x_test, y_test = (
        inputs[:N_SAMPLES],
        target[:N_SAMPLES],
        inputs[N_SAMPLES:],
        target[N_SAMPLES:],
    )

    def layer():
        return HiddenLayer(8, N_HIDDEN, check_random_state(0), logistic)

    def error(predict):
        return float(np.sqrt(np.mean((y_test - np.ravel(predict())) ** 2)))

    def ours():
        hidden = layer()
        fit = fit_batch(hidden(x), y, MMSE(), [LAM])
        return lambda: fit.predict(hidden(x_test))

    def ridge():
        hidden = layer()
        fit = Ridge(alpha=LAM, fit_intercept=False).fit(hidden(x), y)
        return lambda: fit.predict(hidden(x_test))

    def hpelm_fit():
        hidden = layer()
        model = hpelm.HPELM(8, 1, norm=LAM)
        model.add_neurons(N_HIDDEN, "sigm", hidden.weights.T, hidden.biases)
        model.train(x, y[:, None])
        return lambda: model.predict(x_test)

    def skelm_fit():
        model = skelm.ELMRegressor(alpha=LAM, n_neurons=N_HIDDEN, ufunc="sigm", random_state=0)
        model.fit(x, y)
        return lambda: model.predict(x_test)

    functions = {"ours": ours, "Ridge": ridge}
    if hpelm := installed("hpelm"):
        functions["hpelm"] = hpelm_fit
    if skelm := installed("skelm"):
        functions["scikit-elm"] = skelm_fit
    case = f"N = {N_SAMPLES}, {N_HIDDEN} nodes"
    rows = compare("relm", f"{case}, one fit", functions, repeats, error)

    design, design_test = layer()(x), layer()(x_test)

    def ours_path():
        fit = fit_batch(design, y, MMSE(), PATH)
        return lambda: fit.predict(design_test)[12]

    def ridge_path():
        fits = [Ridge(alpha=lam, fit_intercept=False).fit(design, y) for lam in PATH]
        return lambda: fits[12].predict(design_test)

    functions = {"ours": ours_path, "Ridge, 25 times": ridge_path}
    return rows + compare("relm", f"{case}, 25 penalties on one H", functions, repeats, error)
