"""Names of methods, criteria, cases and datasets as tables and figures print them."""

_USUAL = {
    "mmse": "MMSE",
    "mcc": "MCC",
    "mcc-vc": "MCC-VC",
    "mmse-intercept": "MMSE with intercept",
    "mcc-intercept": "MCC with intercept",
    "relm": "RELM",
    "elm-rcc": "ELM-RCC",
    "elm-mcc-vc": "ELM-MCC-VC",
}
_ACRONYMS = {
    *("elm", "rvfl", "mcc", "gmcc", "mmkcc", "kmpe", "krsl", "lad", "mee", "qmee"),
    *("ransac", "qsar", "cpu"),
}


class Labels:
    """Labels of the entries of a study: those that its config gives, or made from their names.

    Parameters
    ----------
    given : dict of str, optional
        Labels by name.
    """

    def __init__(self, given=None):
        self._given = dict(given or {})

    @classmethod
    def of(cls, study):
        """Labels of all entries of a resolved study."""
        given: dict[str, str] = {}
        for plan in study.experiments:
            given |= plan.labels
        return cls(given)

    def __call__(self, name):
        """Label of one entry, or of one of its ways (``entry: way``)."""
        entry, _, way = name.partition(": ")
        label = self._given.get(entry) or default_label(entry)
        return f"{label}, {way}" if way else label

    def listed(self, names):
        """Labels of several entries, with commas."""
        return ", ".join(map(self, names))


def default_label(name):
    """Label of an entry whose config gives none.

    Parameters
    ----------
    name : str
        Name of a method, criterion, case or dataset.

    Returns
    -------
    str
    """
    if name in _USUAL:
        return _USUAL[name]
    for known in sorted(_USUAL, key=len, reverse=True):
        if name.startswith(f"{known}-"):
            return f"{_USUAL[known]}, {name.removeprefix(f'{known}-')}"
    if name.startswith("case"):
        return f"Case {name.removeprefix('case')}"
    parts = [part.upper() if part in _ACRONYMS else part for part in name.split("-")]
    # A name begins with a capital, and so does what stands on the hidden layer.
    for i, part in enumerate(parts):
        if i == 0 or parts[i - 1] == "ELM":
            parts[i] = part[:1].upper() + part[1:]
    return "-".join(parts)
