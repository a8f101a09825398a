"""Which entries of a study are the paper's methods, read from what they compute."""

from dataclasses import dataclass

from mccvc.solvers.judging import Parts
from mccvc.study.specs import CriterionMethod, JudgedMethod

# Entries that take part in the paper's tables and claims, its own method last, and two baselines.
LINEAR_PAPER = ("mmse", "mcc", "mcc-vc")
ELM_PAPER = ("relm", "elm-rcc", "elm-mcc-vc")
_LINEAR = {
    "mmse": ("mmse", False),
    "mcc": ("mcc", False),
    "mcc-vc": ("mcc-vc", False),
    "mmse-intercept": ("mmse", True),
    "mcc-intercept": ("mcc", True),
}
_ELM = {"relm": ("mmse", False), "elm-rcc": ("mcc", False), "elm-mcc-vc": ("mcc-vc", False)}


@dataclass(frozen=True)
class Roles:
    """The methods of an experiment and the parts that they play in the paper.

    Attributes
    ----------
    names : tuple of str
        Names of all entries, in the order of the study.
    entries : dict of str
        Name of the entry that plays a role; roles that none plays are absent.
    paper : tuple of str
        Roles of the paper, its own method last.
    """

    names: tuple[str, ...]
    entries: dict[str, str]
    paper: tuple[str, ...]

    @property
    def papers(self):
        """Names of the entries that are the paper's methods."""
        return [self.entries[role] for role in self.paper if role in self.entries]

    @property
    def lead(self):
        """Name of the paper's own method, or of the first entry of a study without it."""
        return self.entries.get(self.paper[-1], next(iter(self.names), None))

    def of(self, name):
        """Role of an entry, None if it plays none."""
        return next((role for role, entry in self.entries.items() if entry == name), None)

    def pairs(self):
        """Pairs to compare: the lead with each other entry, and the paper's others.

        Returns
        -------
        list of tuple
        """
        others = [name for name in self.names if name != self.lead]
        paper = [name for name in others if name in self.papers]
        return [(self.lead, name) for name in others] + [
            (first, second) for i, first in enumerate(paper) for second in paper[i + 1 :]
        ]


def roles_of(plan):
    """Roles of the methods of an experiment.

    A role goes to what computes the same; of several to the usual name, then to the first.

    Parameters
    ----------
    plan : ExperimentPlan

    Returns
    -------
    Roles
    """
    wanted, paper = (_LINEAR, LINEAR_PAPER) if plan.name == "linear" else (_ELM, ELM_PAPER)
    computed = {name: _computes(plan.fit(name)) for name in plan.methods}
    entries = {}
    for role, what in wanted.items():
        able = [name for name in computed if computed[name] == what]
        if able:
            entries[role] = role if role in able else able[0]
    return Roles(tuple(computed), entries, paper)


def _computes(fit):
    """Criterion and intercept of a method on the design alone, None for any other method."""
    if not isinstance(fit, CriterionMethod) or fit.direct:
        return None
    if isinstance(fit, JudgedMethod) and Parts() not in fit.ways:
        return None
    return fit.criterion, fit.intercept
