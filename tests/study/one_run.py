"""One run of the ELM experiment on made-up data, for a method as the config writes it."""

from mccvc.study.elm import ElmSpec, elm_rows
from mccvc.study.entries import method_of


def row(fit, data, run, n_hidden=(5, 20)):
    spec = ElmSpec(
        seed=3,
        problem="toy",
        method="new",
        fit=method_of(fit, None),
        max_iter=30,
        tol=1e-5,
        n_hidden=n_hidden,
        folds=4,
    )
    (made,) = elm_rows(spec, run, data)
    return made
