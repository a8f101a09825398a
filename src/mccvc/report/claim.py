"""A claim, and the rows of a study under the roles that its entries play in the paper."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from mccvc.report.roles import roles_of
from mccvc.report.verdicts import Judgement, Kind, Verdict

# Differences below this share of the RMSE of both count as none, by experiment.
MATTERS = {"linear": 0.05, "elm": 0.01}
# "Far better" and "by a wide margin": at most this share of the other's RMSE.
FAR = 0.5
# Time or work that is saved counts from this share on.
SAVED = 0.1


@dataclass(frozen=True)
class Claim:
    """One claim.

    Attributes
    ----------
    claim : str
        Short name.
    kind : Kind
        A published figure, a claim of the paper, or a question of ours.
    text : str
        What is claimed, in our words.
    where : str
        Its place in the paper, or the place that it asks about.
    test : str
        What decides.
    power : str
        What the test can see.
    figure : str
        The numbers that decided.
    verdict : Verdict
        What came out.
    p_for, p_against : float
        Evidence, see :class:`mccvc.report.verdicts.Judgement`; NaN where there is no p value.
    evidence : str
        The file with the numbers, from the directory of results.
    """

    claim: str
    kind: Kind
    text: str
    where: str
    test: str
    power: str
    figure: str
    verdict: Verdict
    p_for: float
    p_against: float
    evidence: str


def judged(judgement: Judgement, **others):
    """A claim with the verdict and the p values of a judgement."""
    return Claim(
        verdict=judgement.verdict,
        p_for=judgement.p_for,
        p_against=judgement.p_against,
        **others,
    )


class Cast:
    """Rows of an experiment with a column ``role``, for the entries that play one.

    Parameters
    ----------
    plan : ExperimentPlan
        The experiment.
    label : mccvc.report.labels.Labels
        What the entries are called.
    """

    def __init__(self, plan, label):
        self.plan, self.roles = plan, roles_of(plan)
        self.problem_label = label
        self._names = {entry: role for role, entry in self.roles.entries.items()}

    def of(self, rows):
        """The rows of entries that play a role."""
        role = rows[self.plan.experiment.method].map(self._names)
        return rows.assign(role=role).dropna(subset="role")

    def label(self, role):
        """Label of the entry that plays a role, or of the role if none does."""
        return self.problem_label(self.roles.entries.get(role, role))

    def runs(self, rows, problem, *columns):
        """Columns of roles side by side, for the runs of a problem that have all of them.

        Parameters
        ----------
        rows : pandas.DataFrame
            Rows with roles.
        problem : str
            Name of the problem.
        *columns : tuple of str
            Role and column, each.

        Returns
        -------
        ndarray of shape (n_columns, n_runs)
        """
        rows = rows[rows[self.plan.experiment.problem] == problem].set_index("run")
        series = [rows.loc[rows["role"] == role, column] for role, column in columns]
        return pd.DataFrame(dict(enumerate(series))).dropna().to_numpy(dtype=float).T


def mean(values):
    """Mean of an array, NaN of an empty one."""
    return float(values.mean()) if len(values) else np.nan


def detects(parts):
    """What the tests of the parts of a claim can see, in words."""
    shares = [part.estimate.detectable() / part.scale for part in parts if part.scale]
    shares = [share for share in shares if not np.isnan(share)]
    if not shares:
        return "too few runs"
    low, high = min(shares), max(shares)
    span = f"{low:.1%}" if f"{low:.1%}" == f"{high:.1%}" else f"{low:.1%} to {high:.1%}"
    return f"a deviation of {span} in a part is seen with 80 % probability"
