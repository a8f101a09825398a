"""The paper's claims, each judged by our runs; no verdict is typed in."""

from dataclasses import asdict, dataclass

import numpy as np
import pandas as pd
from scipy import stats

from mccvc.report.statistics import LEVEL
from mccvc.report.tables import AGREEMENT, label

# Names of the claims that are figures of a table.
CELL = r"table\d-"
HOLDS, FAILS, OPEN = "holds", "does not hold", "cannot be decided"

# Half width of the region of practical equivalence, as a share of the mean RMSE of both.
ROPE = {"linear": 0.05, "elm": 0.01}
# "Far better" and "by a wide margin": at most this share of the other's RMSE.
FAR = 0.5
# Total variation distance by which a kernel that matches may exceed the best possible one.
MATCH = 0.05
# Probability from which the Bayesian test decides.
_PROBABLE = 0.95


@dataclass(frozen=True)
class Claim:
    """One claim.

    Attributes
    ----------
    claim : str
        Short name.
    text : str
        What is claimed, in our words.
    where : str
        Its place in the paper; "ours" if the paper does not make it.
    test : str
        What decides.
    figure : str
        The numbers that decided.
    verdict : str
        ``holds``, ``does not hold`` or ``cannot be decided``.
    evidence : str
        The file with the numbers, from the directory of results.
    """

    claim: str
    text: str
    where: str
    test: str
    figure: str
    verdict: str
    evidence: str


def better(low, high, margin=0.0):
    """Verdict on "lower than", from the interval of the difference.

    It holds if the interval is below 0, and does not if the gain, if there is any, is less than
    `margin`.
    """
    if np.isnan(low) or np.isnan(high):
        return OPEN
    if high < 0:
        return HOLDS
    return FAILS if low >= -margin else OPEN


def equal(low, high, margin):
    """Verdict on "practically equal": the interval of the difference lies within +- `margin`."""
    if np.isnan(low) or np.isnan(high):
        return OPEN
    if -margin < low and high < margin:
        return HOLDS
    return FAILS if low >= margin or high <= -margin else OPEN


def all_of(verdicts):
    """Verdict on all parts together."""
    verdicts = list(verdicts)
    if FAILS in verdicts:
        return FAILS
    return HOLDS if verdicts and set(verdicts) == {HOLDS} else OPEN


def claims(study, picked, elm, compared, across, distances, comparison):
    """Judge all claims.

    Parameters
    ----------
    study : dict
        The resolved study.
    picked : pandas.DataFrame
        Rows of the linear study at the chosen grid points.
    elm : pandas.DataFrame
        Rows of the ELM study without failed runs.
    compared : pandas.DataFrame
        Paired comparisons of both studies, see :func:`mccvc.report.statistics.comparisons`.
    across : mccvc.report.statistics.AcrossDatasets
        Tests over the datasets.
    distances : pandas.DataFrame
        Kernel distances of the first iterations, see :mod:`mccvc.study.traces`.
    comparison : pandas.DataFrame
        Every published figure beside ours.

    Returns
    -------
    pandas.DataFrame
        A row for each claim, with the fields of :class:`Claim`.
    """
    cases = study["linear"].problems
    datasets = study["elm"].problems
    centered = [s.problem for s in study["linear"].specs if s.system.noise.is_centered]
    centered = [case for case in cases if case in centered]
    shifted = [case for case in cases if case not in centered]
    linear = _Linear(picked, compared[compared["study"] == "linear"])
    hidden = _Elm(elm, compared[compared["study"] == "elm"])
    found = [
        linear.far_better("mcc", "mmse", cases),
        linear.far_better("mcc-vc", "mmse", cases),
        linear.better("mcc-vc", "mcc", shifted, "Section IV.A, observation ii"),
        linear.better("mcc-vc", "mcc-intercept", shifted, "ours"),
        linear.equal("mcc-vc", "mcc", centered),
        linear.saves_time(cases),
        hidden.saves_time(datasets),
        *_kernel_matches(distances),
        hidden.lowest_mean(datasets),
        hidden.better_method(datasets),
        _over_datasets(across),
        hidden.wide_margin("yacht"),
        *map(_cell, comparison[comparison["table"] != "table2"].itertuples()),
    ]
    return pd.DataFrame([asdict(claim) for claim in found])


class _Linear:
    """Claims on Table I; the runs are independent, so the plain paired t interval is right."""

    def __init__(self, picked, compared):
        self.picked, self.compared = picked, compared

    def _rows(self, first, second, cases):
        return [_pair(self.compared, case, first, second) for case in cases]

    def far_better(self, first, second, cases):
        rows = self.picked.pivot_table(
            index="run", columns=["case", "criterion"], values="weight_rmse"
        )
        verdicts, shares = [], []
        for case in cases:
            try:
                one, other = rows[case, first], rows[case, second]
            except KeyError:
                verdicts.append(OPEN)
                continue
            low, high = _interval(one - FAR * other)
            verdicts.append(better(low, high))
            shares.append(f"{label(case)} {one.mean() / other.mean():.2f}")
        return Claim(
            f"{first}-far-better-than-{second}",
            f"{label(first)} is far better than {label(second)} (at most {FAR:g} times its RMSE)"
            f" in all {len(cases)} cases",
            "Section IV.A, observation i; Table I",
            f"paired t, 95 % interval of RMSE({label(first)}) - {FAR:g} RMSE({label(second)})"
            " below 0 in every case",
            "ratio of mean RMSEs: " + ", ".join(shares),
            all_of(verdicts),
            "tables/table1.csv",
        )

    def better(self, first, second, cases, where):
        rows = self._rows(first, second, cases)
        verdicts = [better(r.low, r.high, _margin(r, "linear")) for r in rows]
        return Claim(
            f"{first}-better-than-{second}",
            f"{label(first)} is better than {label(second)} where the noise is not centered at 0"
            f" ({_listed(cases)})",
            where,
            "paired t, 95 % interval of the difference below 0 in every case; it does not hold"
            f" where a gain of {ROPE['linear']:.0%} of the RMSE is ruled out",
            _differences(rows),
            all_of(verdicts),
            "tables/comparisons.csv",
        )

    def equal(self, first, second, cases):
        rows = self._rows(first, second, cases)
        verdicts = [equal(r.low, r.high, _margin(r, "linear")) for r in rows]
        return Claim(
            f"{first}-equals-{second}",
            f"{label(first)} and {label(second)} are equally good where the noise is centered at 0"
            f" ({_listed(cases)})",
            "Table I",
            f"paired t, 95 % interval of the difference within {ROPE['linear']:.0%} of the RMSE in"
            " every case",
            _differences(rows),
            all_of(verdicts),
            "tables/comparisons.csv",
        )

    def saves_time(self, cases):
        found = [
            _time_saved(
                self.picked[self.picked["case"] == case].set_index(["criterion", "run"]),
                ("mcc-vc", "fit_seconds"),
                ("mcc", "tune_seconds"),
            )
            for case in cases
        ]
        ratios = [f"{label(c)} {r:.1f}" for c, (_, r) in zip(cases, found, strict=True) if r]
        return Claim(
            "search-saves-time",
            "Choosing width and center by (18) takes less time than fitting MCC at every width",
            "Section IV.A, observation iii; Table I",
            "paired t, 95 % interval of the seconds of one MCC-VC fit less those of the MCC fits of"
            " all widths below 0 in every case",
            "times faster: " + ", ".join(ratios),
            all_of(verdict for verdict, _ in found),
            "tables/table1.csv",
        )


class _Elm:
    """Claims on Table III."""

    def __init__(self, rows, compared):
        self.rows, self.compared = rows, compared

    def _against_others(self, datasets):
        return [
            _pair(self.compared, dataset, "elm-mcc-vc", other)
            for dataset in datasets
            for other in ("relm", "elm-rcc")
        ]

    def saves_time(self, datasets):
        found = [
            _time_saved(
                self.rows[self.rows["dataset"] == dataset].set_index(["method", "run"]),
                ("elm-mcc-vc", "tune_seconds"),
                ("elm-rcc", "tune_seconds"),
            )
            for dataset in datasets
        ]
        ratios = [ratio for _, ratio in found if ratio]
        span = f"{min(ratios):.1f} to {max(ratios):.1f} times faster" if ratios else "no runs"
        return Claim(
            "search-saves-time-elm",
            "Choosing the width by (18) takes less time than cross-validating it, on all"
            f" {len(datasets)} datasets",
            "Section III.C, for Table III",
            "paired t, 95 % interval of the seconds of ELM-MCC-VC's search less those of ELM-RCC's"
            " below 0 on every dataset",
            span,
            all_of(verdict for verdict, _ in found),
            "runs/elm",
        )

    def lowest_mean(self, datasets):
        rows = self._against_others(datasets)
        verdicts = []
        for row in rows:
            worse = row.difference > 0 and row.p_plain_holm < 1 - LEVEL
            found = better(row.low, row.high, _margin(row, "elm"))
            verdicts.append(FAILS if worse else OPEN if found == FAILS else found)
        behind = sorted({row.group for row, v in zip(rows, verdicts, strict=True) if v == FAILS})
        lowest = _lowest(self.rows, datasets)
        return Claim(
            "elm-mcc-vc-lowest-mean",
            "ELM-MCC-VC has the lowest mean testing RMSE over the splits of all"
            f" {len(datasets)} datasets",
            "Section IV.B; Table III",
            "paired t over the splits, against each of the two others: 95 % intervals below 0 on"
            " every dataset; it does not hold where a difference above 0 has p < 0.05 (Holm)",
            f"lowest mean on {lowest.count('elm-mcc-vc')} of {len(datasets)}"
            f" (RELM {lowest.count('relm')}, ELM-RCC {lowest.count('elm-rcc')});"
            f" behind on {_listed(behind) or 'none'}",
            all_of(verdicts),
            "tables/comparisons.csv",
        )

    def better_method(self, datasets):
        rows = self._against_others(datasets)
        verdicts = [better(r.low_corrected, r.high_corrected, _margin(r, "elm")) for r in rows]
        said = {HOLDS: "hold", FAILS: "do not hold", OPEN: "cannot be decided"}
        smallest = min((r.p_corrected_holm for r in rows), default=np.nan)
        return Claim(
            "elm-mcc-vc-better-method",
            "ELM-MCC-VC is the better method on each dataset, for other samples of the same source"
            " too",
            "Section IV.B",
            "corrected resampled t, which allows for the overlap of the splits: 95 % intervals"
            f" below 0 against both others; it does not hold where a gain of {ROPE['elm']:.0%} is"
            " ruled out",
            f"of {len(rows)} comparisons "
            + ", ".join(f"{verdicts.count(v)} {text}" for v, text in said.items())
            + f"; smallest p {smallest:.2g} (Holm)",
            all_of(verdicts),
            "tables/comparisons.csv",
        )

    def wide_margin(self, dataset):
        rows = self.rows[self.rows["dataset"] == dataset]
        wide = rows.pivot_table(index="run", columns="method", values="test_rmse")
        verdicts, figure = [OPEN], "not in this study"
        others = [m for m in ("relm", "elm-rcc") if m in wide]
        if "elm-mcc-vc" in wide and others:
            verdicts = [
                better(*_interval((wide["elm-mcc-vc"] - FAR * wide[m]).dropna())) for m in others
            ]
            figure = ", ".join(f"{label(m)} {wide[m].mean():.4f}" for m in ("elm-mcc-vc", *others))
        return Claim(
            f"{dataset}-wide-margin",
            f"On {label(dataset)}, ELM-MCC-VC is better by a wide margin (at most {FAR:g} times the"
            " RMSE of either other)",
            "Section IV.B; Table III",
            f"paired t over the splits, 95 % interval of its RMSE - {FAR:g} times the other's"
            " below 0",
            "mean testing RMSE: " + figure,
            all_of(verdicts),
            "tables/table3.csv",
        )


def _over_datasets(across):
    found = across.pairs[across.pairs["first"] == "elm-mcc-vc"]
    found = found[found["second"].isin(["relm", "elm-rcc"])]
    verdicts = [
        HOLDS if row.p_first >= _PROBABLE else FAILS if row.p_first <= 1 - _PROBABLE else OPEN
        for row in found.itertuples()
    ]
    figure = "; ".join(
        f"against {label(row.second)}: better {row.p_first:.2f}, equal {row.p_equivalent:.2f},"
        f" worse {row.p_second:.2f}"
        for row in found.itertuples()
    )
    return Claim(
        "elm-mcc-vc-better-over-datasets",
        "ELM-MCC-VC would be better than RELM and ELM-RCC on the next dataset of this kind",
        "Section IV.B, as a general statement",
        f"Bayesian signed-rank over {across.n_datasets} datasets, equivalence within"
        f" {ROPE['elm']:.0%}: probability of better at least {_PROBABLE:g} against both; at most"
        f" {1 - _PROBABLE:.2g} against one and it does not hold",
        "probabilities " + (figure or "not in this study"),
        all_of(verdicts),
        "tables/across_datasets.csv",
    )


def _kernel_matches(distances):
    for case, rows in distances.groupby("case", sort=False):
        second = rows[rows["iteration"] == 2]
        low, high = _interval(second["distance"] - second["smallest"])
        means = rows.groupby("iteration")[["distance", "smallest"]].mean()
        yield Claim(
            f"kernel-matches-{case}",
            f"{label(case)}: after two iterations the kernel that (18) chooses matches the density"
            " of the errors",
            "Fig. 1" if case == "case2" else "Fig. 1, for other noise",
            "total variation distance between kernel and density at the second iteration less than"
            f" {MATCH:g} above that of the nearest kernel of the sets, 95 % interval over the runs",
            "distance (nearest): "
            + ", ".join(
                f"iteration {row.Index} {row.distance:.3f} ({row.smallest:.3f})"
                for row in means.itertuples()
            ),
            better(low - MATCH, high - MATCH),
            "traces/distances.parquet",
        )


def _cell(row):
    """A figure of Table I or III."""
    number = {"table1": "I", "table3": "III"}[row.table]
    names = {"rmse": "RMSE", "seconds": "seconds", "train_rmse": "training RMSE"}
    metric = names.get(row.metric, "testing RMSE")
    decided = row.metric != "seconds" and not pd.isna(row.agrees)
    verdict = (HOLDS if row.agrees else FAILS) if decided else OPEN
    test = (
        "seconds of another machine are not comparable"
        if row.metric == "seconds"
        else f"within {AGREEMENT:g} standard errors of both means"
    )
    reproduced = (
        "no run" if pd.isna(row.reproduced_mean) else f"ours {_figure(row.reproduced_mean)}"
    )
    z = "" if pd.isna(row.z) else f", z = {row.z:+.1f}"
    return Claim(
        f"{row.table}-{row.row}-{row.method}-{row.metric}".replace("_", "-"),
        f"{label(row.row)}, {label(row.method)}: {metric} {_figure(row.published_mean)}",
        f"Table {number}",
        test,
        reproduced + z,
        verdict,
        "tables/published_vs_reproduced.csv",
    )


def _figure(value):
    return f"{value:.4f}"


def _interval(values):
    """95 % interval of a mean over independent runs."""
    n = len(values)
    if n < 2:
        return np.nan, np.nan
    error = stats.t.ppf((1 + LEVEL) / 2, n - 1) * np.std(values, ddof=1) / np.sqrt(n)
    return float(np.mean(values) - error), float(np.mean(values) + error)


def _time_saved(rows, ours, theirs):
    """Whether ours takes less time, and how many times less; each is a method and a column."""
    try:
        one, other = rows[ours[1]][ours[0]], rows[theirs[1]][theirs[0]]
    except KeyError:
        return OPEN, None
    return better(*_interval(one - other)), other.mean() / one.mean()


def _pair(compared, group, first, second):
    """The comparison of two methods; without one, all of it NaN."""
    found = compared[
        (compared["group"] == group) & (compared["first"] == first) & (compared["second"] == second)
    ]
    if found.empty:
        found = pd.DataFrame([dict.fromkeys(compared.columns, np.nan)]).assign(group=group)
    return next(found.itertuples())


def _margin(row, kind):
    return ROPE[kind] * (row.mean_first + row.mean_second) / 2


def _differences(rows):
    return "difference: " + ", ".join(
        f"{label(row.group)} {row.difference:+.4f} [{row.low:+.4f}, {row.high:+.4f}]"
        for row in rows
    ).replace("-", "−")


def _lowest(rows, datasets):
    """Method of the paper with the lowest mean testing RMSE, for each dataset that has rows."""
    paper = rows[rows["method"].isin(["relm", "elm-rcc", "elm-mcc-vc"])]
    means = paper.groupby(["dataset", "method"])["test_rmse"].mean()
    known = means.index.get_level_values("dataset")
    return [means[dataset].idxmin() for dataset in datasets if dataset in known]


def _listed(names):
    return ", ".join(map(label, names))
