"""The paper's claims, each judged by our runs; no verdict is typed in."""

from dataclasses import asdict, dataclass

import numpy as np
import pandas as pd
from scipy import stats

from mccvc.report.labels import Labels
from mccvc.report.markup import fixed, signed
from mccvc.report.roles import roles_of
from mccvc.report.statistics import LEVEL
from mccvc.report.tables import AGREEMENT
from mccvc.report.verdicts import Kind, Verdict, all_of, better, equal

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
    kind : Kind
        A published figure, a claim of the paper, or a question of ours.
    text : str
        What is claimed, in our words.
    where : str
        Its place in the paper, or the place that it asks about.
    test : str
        What decides.
    figure : str
        The numbers that decided.
    verdict : Verdict
        What came out.
    evidence : str
        The file with the numbers, from the directory of results.
    """

    claim: str
    kind: Kind
    text: str
    where: str
    test: str
    figure: str
    verdict: Verdict
    evidence: str


def claims(study, picked, elm, paired, across, distances, reproduced):
    """Judge all claims.

    Parameters
    ----------
    study : ResolvedStudy
        The resolved study.
    picked : pandas.DataFrame
        Rows of the linear experiment at the chosen grid points.
    elm : pandas.DataFrame
        Rows of the ELM experiment without failed runs.
    paired : pandas.DataFrame
        Paired comparisons of both, see :func:`mccvc.report.statistics.compare_pairs`.
    across : mccvc.report.statistics.AcrossDatasets
        Tests over the datasets.
    distances : pandas.DataFrame
        Kernel distances of the first iterations, see :mod:`mccvc.study.traces`.
    reproduced : pandas.DataFrame
        Every published figure beside ours.

    Returns
    -------
    pandas.DataFrame
        A row for each claim, with the fields of :class:`Claim`.
    """
    cases, datasets = study["linear"].problems, study["elm"].problems
    noises = {spec.problem: spec.system.noise for spec in study["linear"].specs}
    centered = [case for case in cases if noises[case].is_centered]
    shifted = [case for case in cases if case not in centered]
    label = Labels.of(study)
    linear = _Linear(study, picked, paired, label)
    hidden = _Elm(study, elm, paired, label)
    judged = [
        linear.far_better("mcc", "mmse", cases),
        linear.far_better("mcc-vc", "mmse", cases),
        linear.better("mcc-vc", "mcc", shifted, Kind.PAPER, "Section IV.A, observation ii"),
        linear.better("mcc-vc", "mcc-intercept", shifted, Kind.OURS, "ours"),
        linear.equal("mcc-vc", "mcc", centered),
        linear.saves_time(cases),
        hidden.saves_time(datasets),
        *_kernel_matches(distances, label),
        hidden.lowest_mean(datasets),
        hidden.better_method(datasets),
        hidden.over_datasets(across),
        hidden.wide_margin("yacht"),
        *(_cell(row, label) for row in reproduced[reproduced["table"] != "table2"].itertuples()),
    ]
    return pd.DataFrame([asdict(claim) for claim in judged])


class _Cast:
    """Rows and comparisons under the roles that the entries of a study play in the paper."""

    def __init__(self, roles, label, rows, column, paired):
        name_of = {entry: role for role, entry in roles.entries.items()}
        rows = rows.assign(role=rows[column].map(name_of))
        self.rows = rows.dropna(subset="role")
        named = paired.assign(
            first=paired["first"].map(name_of), second=paired["second"].map(name_of)
        )
        self.paired = named.dropna(subset=["first", "second"])
        self.entries, self.group_label = roles.entries, label

    def pair(self, group, first, second):
        """The comparison of two roles; without one, all of it NaN."""
        pairs = self.paired[
            (self.paired["group"] == group)
            & (self.paired["first"] == first)
            & (self.paired["second"] == second)
        ]
        if pairs.empty:
            pairs = pd.DataFrame([dict.fromkeys(self.paired.columns, np.nan)]).assign(group=group)
        return next(pairs.itertuples())

    def label(self, role):
        """Label of the entry that plays a role."""
        return self.group_label(self.entries.get(role, role))


class _Linear(_Cast):
    """Claims on Table I; the runs are independent, so the plain paired t interval is right."""

    def __init__(self, study, picked, paired, label):
        paired = paired[paired["study"] == "linear"]
        super().__init__(roles_of(study["linear"]), label, picked, "criterion", paired)

    def _pairs(self, first, second, cases):
        return [self.pair(case, first, second) for case in cases]

    def far_better(self, first, second, cases):
        rows = self.rows.pivot_table(index="run", columns=["case", "role"], values="weight_rmse")
        one, other = self.label(first), self.label(second)
        verdicts, shares = [], []
        for case in cases:
            if (case, first) not in rows or (case, second) not in rows:
                verdicts.append(Verdict.OPEN)
                continue
            low, high = _interval(rows[case, first] - FAR * rows[case, second])
            verdicts.append(better(low, high))
            share = rows[case, first].mean() / rows[case, second].mean()
            shares.append(f"{self.group_label(case)} {share:.2f}")
        return Claim(
            f"{first}-far-better-than-{second}",
            Kind.PAPER,
            f"{one} is far better than {other} (at most {FAR:g} times its RMSE)"
            f" in all {len(cases)} cases",
            "Section IV.A, observation i; Table I",
            f"paired t, 95 % interval of RMSE({one}) - {FAR:g} RMSE({other}) below 0 in every case",
            "ratio of mean RMSEs: " + ", ".join(shares),
            all_of(verdicts),
            "tables/table1.csv",
        )

    def better(self, first, second, cases, kind, where):
        pairs = self._pairs(first, second, cases)
        return Claim(
            f"{first}-better-than-{second}",
            kind,
            f"{self.label(first)} is better than {self.label(second)} where the noise is not"
            f" centered at 0 ({self.group_label.listed(cases)})",
            where,
            "paired t, 95 % interval of the difference below 0 in every case; it does not hold"
            f" where a gain of {ROPE['linear']:.0%} of the RMSE is ruled out",
            self._differences(pairs),
            all_of(better(pair.low, pair.high, _margin(pair, "linear")) for pair in pairs),
            "tables/comparisons.csv",
        )

    def equal(self, first, second, cases):
        pairs = self._pairs(first, second, cases)
        return Claim(
            f"{first}-equals-{second}",
            Kind.PAPER,
            f"{self.label(first)} and {self.label(second)} are equally good where the noise is"
            f" centered at 0 ({self.group_label.listed(cases)})",
            "Table I",
            f"paired t, 95 % interval of the difference within {ROPE['linear']:.0%} of the RMSE in"
            " every case",
            self._differences(pairs),
            all_of(equal(pair.low, pair.high, _margin(pair, "linear")) for pair in pairs),
            "tables/comparisons.csv",
        )

    def _differences(self, pairs):
        return "difference: " + ", ".join(
            f"{self.group_label(pair.group)} {signed(pair.difference)}"
            f" [{signed(pair.low)}, {signed(pair.high)}]"
            for pair in pairs
        )

    def saves_time(self, cases):
        savings = [
            _time_saved(
                self.rows[self.rows["case"] == case].set_index(["role", "run"]),
                ("mcc-vc", "fit_seconds"),
                ("mcc", "tune_seconds"),
            )
            for case in cases
        ]
        ratios = [
            f"{self.group_label(case)} {ratio:.1f}"
            for case, (_, ratio) in zip(cases, savings, strict=True)
            if ratio
        ]
        return Claim(
            "search-saves-time",
            Kind.PAPER,
            "Choosing width and center by (18) takes less time than fitting MCC at every width",
            "Section IV.A, observation iii; Table I",
            "paired t, 95 % interval of the seconds of one MCC-VC fit less those of the MCC fits of"
            " all widths below 0 in every case",
            "times faster: " + ", ".join(ratios),
            all_of(verdict for verdict, _ in savings),
            "tables/table1.csv",
        )


class _Elm(_Cast):
    """Claims on Table III."""

    def __init__(self, study, elm, paired, label):
        paired = paired[paired["study"] == "elm"]
        super().__init__(roles_of(study["elm"]), label, elm, "method", paired)

    def _against_others(self, datasets):
        return [
            self.pair(dataset, "elm-mcc-vc", other)
            for dataset in datasets
            for other in ("relm", "elm-rcc")
        ]

    def saves_time(self, datasets):
        savings = [
            _time_saved(
                self.rows[self.rows["dataset"] == dataset].set_index(["role", "run"]),
                ("elm-mcc-vc", "tune_seconds"),
                ("elm-rcc", "tune_seconds"),
            )
            for dataset in datasets
        ]
        ratios = [ratio for _, ratio in savings if ratio]
        span = f"{min(ratios):.1f} to {max(ratios):.1f} times faster" if ratios else "no runs"
        return Claim(
            "search-saves-time-elm",
            Kind.PAPER,
            "Choosing the width by (18) takes less time than cross-validating it, on all"
            f" {len(datasets)} datasets",
            "Section III.C, for Table III",
            "paired t, 95 % interval of the seconds of ELM-MCC-VC's search less those of ELM-RCC's"
            " below 0 on every dataset",
            span,
            all_of(verdict for verdict, _ in savings),
            "runs/elm",
        )

    def lowest_mean(self, datasets):
        pairs = self._against_others(datasets)
        verdicts = []
        for pair in pairs:
            worse = pair.difference > 0 and pair.p_plain_holm < 1 - LEVEL
            verdict = better(pair.low, pair.high, _margin(pair, "elm"))
            if verdict == Verdict.FAILS and not worse:
                verdict = Verdict.OPEN
            verdicts.append(Verdict.FAILS if worse else verdict)
        behind = {pair.group for pair, v in zip(pairs, verdicts, strict=True) if v == Verdict.FAILS}
        lowest = self._lowest(datasets)
        return Claim(
            "elm-mcc-vc-lowest-mean",
            Kind.PAPER,
            f"{self.label('elm-mcc-vc')} has the lowest mean testing RMSE over the splits of all"
            f" {len(datasets)} datasets",
            "Section IV.B; Table III",
            "paired t over the splits, against each of the two others: 95 % intervals below 0 on"
            " every dataset; it does not hold where a difference above 0 has p < 0.05 (Holm)",
            f"lowest mean on {lowest.count('elm-mcc-vc')} of {len(datasets)}"
            f" ({self.label('relm')} {lowest.count('relm')},"
            f" {self.label('elm-rcc')} {lowest.count('elm-rcc')});"
            f" behind on {self.group_label.listed(sorted(behind)) or 'none'}",
            all_of(verdicts),
            "tables/comparisons.csv",
        )

    def better_method(self, datasets):
        pairs = self._against_others(datasets)
        verdicts = [
            better(pair.low_corrected, pair.high_corrected, _margin(pair, "elm")) for pair in pairs
        ]
        counts = ", ".join(
            f"{verdicts.count(verdict)} {text}"
            for verdict, text in (
                (Verdict.HOLDS, "hold"),
                (Verdict.FAILS, "do not hold"),
                (Verdict.OPEN, "cannot be decided"),
            )
        )
        smallest = min((pair.p_corrected_holm for pair in pairs), default=np.nan)
        return Claim(
            "elm-mcc-vc-better-method",
            Kind.PAPER,
            f"{self.label('elm-mcc-vc')} is the better method on each dataset, for other samples of"
            " the same source too",
            "Section IV.B",
            "corrected resampled t, which allows for the overlap of the splits: 95 % intervals"
            f" below 0 against both others; it does not hold where a gain of {ROPE['elm']:.0%} is"
            " ruled out",
            f"of {len(pairs)} comparisons {counts}; smallest p {smallest:.2g} (Holm)",
            all_of(verdicts),
            "tables/comparisons.csv",
        )

    def wide_margin(self, dataset):
        rows = self.rows[self.rows["dataset"] == dataset]
        wide = rows.pivot_table(index="run", columns="role", values="test_rmse")
        verdicts, figure = [Verdict.OPEN], "not in this study"
        others = [role for role in ("relm", "elm-rcc") if role in wide]
        if "elm-mcc-vc" in wide and others:
            verdicts = [
                better(*_interval((wide["elm-mcc-vc"] - FAR * wide[role]).dropna()))
                for role in others
            ]
            figure = ", ".join(
                f"{self.label(role)} {wide[role].mean():.4f}" for role in ("elm-mcc-vc", *others)
            )
        return Claim(
            f"{dataset}-wide-margin",
            Kind.PAPER,
            f"On {self.group_label(dataset)}, {self.label('elm-mcc-vc')} is better by a wide margin"
            f" (at most {FAR:g} times the RMSE of either other)",
            "Section IV.B; Table III",
            f"paired t over the splits, 95 % interval of its RMSE - {FAR:g} times the other's"
            " below 0",
            "mean testing RMSE: " + figure,
            all_of(verdicts),
            "tables/table3.csv",
        )

    def over_datasets(self, across):
        name_of = {entry: role for role, entry in self.entries.items()}
        pairs = across.pairs.assign(
            first=across.pairs["first"].map(name_of), second=across.pairs["second"].map(name_of)
        )
        pairs = pairs[(pairs["first"] == "elm-mcc-vc") & pairs["second"].isin(["relm", "elm-rcc"])]
        figure = "; ".join(
            f"against {self.label(pair.second)}: better {pair.p_first:.2f},"
            f" equal {pair.p_equivalent:.2f}, worse {pair.p_second:.2f}"
            for pair in pairs.itertuples()
        )
        return Claim(
            "elm-mcc-vc-better-over-datasets",
            Kind.PAPER,
            f"{self.label('elm-mcc-vc')} would be better than {self.label('relm')} and"
            f" {self.label('elm-rcc')} on the next dataset of this kind",
            "Section IV.B, as a general statement",
            f"Bayesian signed-rank over {across.n_datasets} datasets, equivalence within"
            f" {ROPE['elm']:.0%}: probability of better at least {_PROBABLE:g} against both; at"
            f" most {1 - _PROBABLE:.2g} against one and it does not hold",
            "probabilities " + (figure or "not in this study"),
            all_of(
                Verdict.HOLDS
                if pair.p_first >= _PROBABLE
                else Verdict.FAILS
                if pair.p_first <= 1 - _PROBABLE
                else Verdict.OPEN
                for pair in pairs.itertuples()
            ),
            "tables/across_datasets.csv",
        )

    def _lowest(self, datasets):
        """Role with the lowest mean testing RMSE, for each dataset that has rows."""
        means = self.rows.groupby(["dataset", "role"])["test_rmse"].mean()
        known = means.index.get_level_values("dataset")
        return [means[dataset].idxmin() for dataset in datasets if dataset in known]


def _kernel_matches(distances, label):
    for case, rows in distances.groupby("case", sort=False):
        second = rows[rows["iteration"] == 2]
        low, high = _interval(second["distance"] - second["smallest"])
        means = rows.groupby("iteration")[["distance", "smallest"]].mean()
        yield Claim(
            f"kernel-matches-{case}",
            Kind.PAPER if case == "case2" else Kind.OURS,
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


def _cell(row, label):
    """A figure of Table I or III."""
    number = {"table1": "I", "table3": "III"}[row.table]
    names = {"rmse": "RMSE", "seconds": "seconds", "train_rmse": "training RMSE"}
    metric = names.get(row.metric, "testing RMSE")
    decided = row.metric != "seconds" and not pd.isna(row.agrees)
    verdict = (Verdict.HOLDS if row.agrees else Verdict.FAILS) if decided else Verdict.OPEN
    test = (
        "seconds of another machine are not comparable"
        if row.metric == "seconds"
        else f"within {AGREEMENT:g} standard errors of both means"
    )
    reproduced = "no run" if pd.isna(row.reproduced_mean) else f"ours {fixed(row.reproduced_mean)}"
    z = "" if pd.isna(row.z) else f", z = {row.z:+.1f}"
    return Claim(
        f"{row.table}-{row.row}-{row.method}-{row.metric}".replace("_", "-"),
        Kind.FIGURE,
        f"{label(row.row)}, {label(row.method)}: {metric} {fixed(row.published_mean)}",
        f"Table {number}",
        test,
        reproduced + z,
        verdict,
        "tables/published_vs_reproduced.csv",
    )


def _interval(values):
    """95 % interval of a mean over independent runs."""
    n = len(values)
    if n < 2:
        return np.nan, np.nan
    error = stats.t.ppf((1 + LEVEL) / 2, n - 1) * np.std(values, ddof=1) / np.sqrt(n)
    return float(np.mean(values) - error), float(np.mean(values) + error)


def _time_saved(rows, ours, theirs):
    """Whether ours takes less time, and how many times less; each is a role and a column."""
    try:
        one, other = rows[ours[1]][ours[0]], rows[theirs[1]][theirs[0]]
    except KeyError:
        return Verdict.OPEN, None
    return better(*_interval(one - other)), other.mean() / one.mean()


def _margin(pair, experiment):
    return ROPE[experiment] * (pair.mean_first + pair.mean_second) / 2
