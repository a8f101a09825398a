"""How many runs a difference between two methods needs."""

from mccvc.report.evidence import compare_runs
from mccvc.report.statistics import runs_needed, smallest_detectable
from mccvc.report.tables import label, read_runs, select_grid_points, to_markdown


def power_table(study, runs, difference):
    """Runs that the paired t tests need to see a difference, from the spread of finished runs.

    Parameters
    ----------
    study : dict
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
    linear, elm = (read_runs(study, runs, kind, []) for kind in ("linear", "elm"))
    elm = elm[elm["error"].isna()]
    compared = compare_runs(study, select_grid_points(linear), elm)
    compared = compared[compared["n_runs"] > 1]
    if compared.empty:
        raise ValueError(f"{runs}: no pair of methods with two runs in common")
    shares = (elm["n_test"] / elm["n_train"]).groupby(elm["dataset"]).first()
    rows = []
    for row in compared.itertuples():
        spread = row.mc_error * row.n_runs**0.5
        share = shares.get(row.group, 0.0) if row.study == "elm" else 0.0
        rows.append(
            {
                "Data": label(row.group),
                "Comparison": f"{label(row.first)} − {label(row.second)}",
                "Spread": f"{spread:.4f}",
                "Runs needed": str(runs_needed(difference, spread)),
                "Smallest difference (corrected)": _smallest(spread, share),
            }
        )
    return to_markdown(rows, _CAPTION.format(difference=difference))


def _smallest(spread, share):
    return f"{smallest_detectable(spread, share):.4f}" if share else "any"


_CAPTION = (
    "Spread: standard deviation of the paired differences of the RMSE. Runs needed: by the plain"
    " paired t test to detect a mean difference of {difference:g} at 5 % with a power of 80 %, that"
    " is for the mean over the splits of these very data. Smallest difference: what the corrected"
    " resampled t test detects with the same power after any number of runs; below it, only more"
    " data help, or larger training parts. Runs of the linear study are independent."
)
