"""Rows of a finished study: reading them, and picking grid points."""

from types import SimpleNamespace

import pandas as pd

from mccvc.study.config import spec_digest
from mccvc.study.shards import read_shards


def resolved(study):
    """The resolved study with attributes in place of keys.

    Parameters
    ----------
    study : dict
        ``results/study.json``.

    Returns
    -------
    types.SimpleNamespace
    """
    return SimpleNamespace(
        runs=study["runs"],
        blocks=study["blocks"],
        code=study["code"],
        titles=study["titles"],
        labels=study.get("labels", {}),
        raw=study,
        linear=SimpleNamespace(specs=[_spec(spec, "method") for spec in study["linear"]]),
        elm=SimpleNamespace(specs=[_spec(spec, "fit") for spec in study["elm"]]),
    )


class _Spec(SimpleNamespace):
    """A specification; its keys serve functions of the study that still ask for them."""

    def __getitem__(self, key):
        return getattr(self, key)


def _spec(spec, key):
    absent = {"criterion": None, "intercept": False, "direct": False, "sigma": None}
    absent |= {"widths": None, "centers": None}
    return _Spec(
        **{**spec, key: SimpleNamespace(**{**absent, **spec[key]})}, digest=spec_digest(spec)
    )


def read_runs(study, runs, kind, missing=None):
    """All rows of the linear or ELM experiment, those of failed runs among them.

    Parameters
    ----------
    study : types.SimpleNamespace
        The resolved study.
    runs : path-like
        Directory of the shards.
    kind : str
        ``linear`` or ``elm``.
    missing : list, optional
        Gets the paths of shards that are not there, which then are left out.

    Returns
    -------
    pandas.DataFrame
    """
    keys = {"linear": ("case", "criterion"), "elm": ("dataset", "method")}[kind]
    specs = {
        tuple(getattr(spec, key) for key in keys): spec.digest
        for spec in getattr(study, kind).specs
    }
    return read_shards(runs, kind, specs, study.blocks, study.code[kind], missing)


def select_grid_points(specs, rows):
    """Rows of the grid point with the lowest mean RMSE, for each case and criterion.

    The choice looks at the results of all runs, as the paper's "trial and error" does. Among
    equals the smallest lambda' wins, then the smallest width.

    Parameters
    ----------
    specs : sequence of LinearSpec
        The linear experiment. Where widths are given one by one (MCC), they are part of the
        grid; MCC-VC chooses its width itself, and its grid is over lambda'.
    rows : pandas.DataFrame
        Rows of the linear experiment.

    Returns
    -------
    pandas.DataFrame
        The rows of the chosen points, with a column ``tune_seconds``: what all widths of the
        chosen lambda' took in that run.
    """
    rows = rows[rows["error"].isna()]
    if rows.empty:
        return rows.assign(tune_seconds=rows["fit_seconds"])
    rows = rows.assign(
        width=rows["sigma"].where(rows["criterion"].isin(searching_widths(specs)), 0.0)
    )
    group = ["case", "criterion"]
    means = rows.groupby([*group, "lam", "width"], sort=True)["weight_rmse"].mean()
    best = means.groupby(group).idxmin()
    chosen = pd.DataFrame(best.tolist(), columns=[*group, "lam", "width"])
    tuning = rows.groupby([*group, "lam", "run"])["fit_seconds"].sum().rename("tune_seconds")
    picked = rows.merge(chosen, on=[*group, "lam", "width"])
    return picked.merge(tuning.reset_index(), on=[*group, "lam", "run"])


def searching_widths(specs):
    """Names of the criteria of the linear experiment whose grid holds kernel widths."""
    return {spec.criterion for spec in specs if spec.method.sigma is not None}


def is_centered(noise):
    """Whether the inner noise of a case is centered at 0."""
    return noise["family"] != "chi-square" and noise["mean"] == 0


def failures(linear, elm):
    """The runs that failed, with their errors.

    Parameters
    ----------
    linear, elm : pandas.DataFrame
        All rows of both experiments.

    Returns
    -------
    pandas.DataFrame
        Columns ``study``, ``row`` (case or dataset), ``method``, ``run`` and ``error``.
    """
    names = {"case": "row", "criterion": "method", "dataset": "row"}
    parts = [rows[rows["error"].notna()].rename(columns=names) for rows in (linear, elm)]
    return pd.concat([part[["study", "row", "method", "run", "error"]] for part in parts])
