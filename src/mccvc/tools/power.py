"""How many runs a difference between two methods needs."""

from mccvc.report.evidence import compare_runs
from mccvc.report.labels import Labels
from mccvc.report.markup import to_markdown
from mccvc.report.results import cross_fitted
from mccvc.report.statistics import runs_needed, smallest_detectable


def power_table(study, runs, difference):
    """Runs that the paired t tests need to see a difference, from the spread of finished runs.

    Parameters
    ----------
    study : ResolvedStudy
        The resolved study.
    runs : path-like
        Directory of the shards.
    difference : float
        Difference of the RMSE to detect, > 0.

    Returns
    -------
    str
        A Markdown table.

    Raises
    ------
    ValueError
        If the difference is not positive.
    """
    if not difference > 0:
        raise ValueError(f"difference {difference:g}; expected a number > 0")
    label = Labels.of(study)
    linear, elm = (study[kind].rows(runs, []) for kind in ("linear", "elm"))
    elm = elm[elm["error"].isna()]
    paired = compare_runs(study, cross_fitted(study["linear"], linear), elm)
    paired = paired[paired["n_runs"] > 1]
    if paired.empty:
        raise ValueError(f"{runs}: no pair of methods with two runs in common")
    ratios = (elm["n_test"] / elm["n_train"]).groupby(elm["dataset"]).first()
    rows = []
    for row in paired.itertuples():
        spread = row.mc_error * row.n_runs**0.5
        ratio = ratios.get(row.group, 0.0) if row.study == "elm" else 0.0
        rows.append(
            {
                "Data": label(row.group),
                "Comparison": f"{label(row.first)} − {label(row.second)}",
                "Spread": f"{spread:.4f}",
                "Runs needed": str(runs_needed(difference, spread)),
                "Smallest difference (other samples)": _smallest(spread, ratio, row.overlap),
            }
        )
    return to_markdown(rows, _CAPTION.format(difference=difference))


def _smallest(spread, ratio, overlap):
    return f"{smallest_detectable(spread, ratio, overlap):.4f}" if ratio else "any"


_CAPTION = (
    "Spread: standard deviation of the paired differences of the RMSE. Runs needed: by the plain"
    " paired t test to detect a mean difference of {difference:g} at 5 % with a power of 80 %, that"
    " is for the mean over the splits of these very data. Smallest difference: what the"
    " resampled t test, which asks about other samples of the same source, detects with the same"
    " power after any number of runs; below it, only more data help. Runs of the"
    " linear experiment are independent."
)
