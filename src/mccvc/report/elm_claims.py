"""Claims on Table III."""

import math

import numpy as np

from mccvc.report.claim import FAR, MATTERS, SAVED, Cast, detects, judged, mean
from mccvc.report.statistics import OVERLAP, Estimate, SignedRank
from mccvc.report.verdicts import Kind, Part, Verdict, all_below, each_below

OURS, OTHERS = "elm-mcc-vc", ("relm", "elm-rcc")


class ElmClaims:
    """Claims on the ELM experiment.

    Parameters
    ----------
    plan : ExperimentPlan
        The experiment.
    label : mccvc.report.labels.Labels
        What the entries are called.
    rows : pandas.DataFrame
        Its rows without failed runs.
    across : mccvc.report.across.AcrossDatasets
        Tests over the datasets, of the paper's methods alone.
    """

    def __init__(self, plan, label, rows, across):
        self.cast = Cast(plan, label)
        self.rows, self.across = self.cast.of(rows), across
        self.datasets = plan.problems

    def all(self):
        """All claims, those of the paper first."""
        return [
            self.lower_error(),
            self.wide_margin("yacht"),
            self.saves_work(),
            self.better_method(),
            self.over_datasets(),
        ]

    def _against_others(self, share):
        """Parts on the differences to both others; `share` of n_test / n_train is added to 1/n."""
        parts = []
        for dataset in self.datasets:
            for other in OTHERS:
                one, two, n_test, n_train = self.cast.runs(
                    self.rows,
                    dataset,
                    *((OURS, "test_rmse"), (other, "test_rmse")),
                    *((OURS, "n_test"), (OURS, "n_train")),
                )
                plain, scale = Estimate.of(one - two), mean(two)
                ratio = mean(n_test) / mean(n_train)
                error = plain.error * np.sqrt(1 + plain.n_runs * share * ratio)
                estimate = Estimate(plain.mean, error, plain.n_runs)
                parts.append(Part(dataset, estimate, -MATTERS["elm"] * scale, scale))
        return parts

    def _listed(self, parts, verdicts, verdict):
        names = dict.fromkeys(
            part.name for part, v in zip(parts, verdicts, strict=True) if v == verdict
        )
        return self.cast.problem_label.listed(names) or "none"

    def lower_error(self):
        """The mean over the splits of these data is lower than both others', on every dataset."""
        parts = self._against_others(0.0)
        verdicts = each_below(parts)
        lowest = self._lowest()
        counts = ", ".join(
            f"{self.cast.label(role)} {lowest.count(role)}" for role in (OURS, *OTHERS)
        )
        return judged(
            all_below(parts),
            claim="elm-mcc-vc-lowest-mean",
            kind=Kind.PAPER,
            text=f"{self.cast.label(OURS)} outperforms {self.cast.label(OTHERS[0])} and"
            f" {self.cast.label(OTHERS[1])} over the splits of all {len(self.datasets)} datasets",
            where="Section IV.B; Table III",
            test="paired t over the splits: mean testing RMSE lower by more than"
            f" {MATTERS['elm']:.0%} than both others on every dataset",
            power=detects(parts),
            figure=f"lowest mean: {counts} of {len(self.datasets)}; such a gain is ruled out"
            f" (Holm) on {self._listed(parts, verdicts, Verdict.FAILS)}",
            evidence="tables/comparisons.csv",
        )

    def better_method(self):
        """The same for other samples of the same sources."""
        parts = self._against_others(OVERLAP)
        verdicts = each_below(parts)
        counts = ", ".join(
            f"{verdicts.count(verdict)} {text}"
            for verdict, text in (
                (Verdict.HOLDS, "so"),
                (Verdict.FAILS, "not so"),
                (Verdict.OPEN, "open"),
            )
        )
        return judged(
            all_below(parts),
            claim="elm-mcc-vc-better-method",
            kind=Kind.OURS,
            text=f"{self.cast.label(OURS)} is better than {self.cast.label(OTHERS[0])} and"
            f" {self.cast.label(OTHERS[1])} for other samples of the same sources, on each dataset",
            where="Section IV.B, beyond its splits",
            test=f"resampled t (variance (1/n + {OVERLAP:g} n_test/n_train) s²): lower by more than"
            f" {MATTERS['elm']:.0%} than both others on every dataset",
            power=detects(parts),
            figure=f"of {len(parts)} comparisons {counts} (Holm); ruled out on"
            f" {self._listed(parts, verdicts, Verdict.FAILS)}",
            evidence="tables/comparisons.csv",
        )

    def wide_margin(self, dataset):
        """At most half the RMSE of both others on one dataset."""
        parts, means = [], []
        for other in OTHERS:
            columns = ((OURS, "test_rmse"), (other, "test_rmse"))
            one, two = self.cast.runs(self.rows, dataset, *columns)
            parts.append(Part(dataset, Estimate.of(one - FAR * two), 0.0, mean(two)))
            means.append(f"{self.cast.label(other)} {mean(two):.4f}")
        figure = f"mean testing RMSE: {self.cast.label(OURS)} {mean(one):.4f}, " + ", ".join(means)
        return judged(
            all_below(parts),
            claim=f"{dataset}-wide-margin",
            kind=Kind.PAPER,
            text=f"On {self.cast.problem_label(dataset)}, {self.cast.label(OURS)} is better by a"
            f" wide margin (at most {FAR:g} times the RMSE of either other)",
            where="Section IV.B; Table III",
            test=f"paired t over the splits: its RMSE − {FAR:g} times the other's below 0",
            power=detects(parts),
            figure=figure if len(one) else "not in this study",
            evidence="tables/table3.csv",
        )

    def saves_work(self):
        """The search of ELM-MCC-VC solves fewer problems (12) than that of ELM-RCC."""
        rows = self.rows.assign(solves=self.rows["search_solves"].map(_total))
        parts, solves, seconds = [], [], []
        for dataset in self.datasets:
            one, two = self.cast.runs(rows, dataset, (OURS, "solves"), (OTHERS[1], "solves"))
            estimate = Estimate.of(one - (1 - SAVED) * two)
            parts.append(Part(dataset, estimate, 0.0, mean(two)))
            columns = ((OURS, "tune_seconds"), (OTHERS[1], "tune_seconds"))
            quick, slow = self.cast.runs(rows, dataset, *columns)
            if len(one):
                solves.append(two.mean() / one.mean())
                seconds.append(slow.mean() / quick.mean())
        entry = self.cast.roles.entries.get(OTHERS[1])
        n_widths = len(self.cast.plan.fit(entry).grid["sigma"]) if entry else 0
        figure = "no runs"
        if solves:
            pays = [math.floor(n_widths / ratio) + 1 for ratio in solves]
            figure = (
                f"{min(solves):.1f} to {max(solves):.1f} times fewer systems,"
                f" {min(seconds):.1f} to {max(seconds):.1f} times less time; it pays from"
                f" {min(pays)} to {max(pays)} widths on, here {n_widths}"
            )
        return judged(
            all_below(parts),
            claim="search-saves-work-elm",
            kind=Kind.OURS,
            text="Choosing the width by (18) solves fewer systems (12) than cross-validating it,"
            f" on all {len(self.datasets)} datasets",
            where="Section IV.A, observation iii, for Table III",
            test=f"paired t: systems solved by {self.cast.label(OURS)}'s search less than"
            f" {1 - SAVED:.0%} of those by {self.cast.label(OTHERS[1])}'s, on every dataset",
            power=detects(parts),
            figure=figure,
            evidence="runs/elm",
        )

    def over_datasets(self):
        """Better than both others on the next dataset."""
        names = [self.cast.roles.entries.get(role) for role in (OURS, *OTHERS)]
        relative = [self.across.relative.get((names[0], name), []) for name in names[1:]]
        parts = [Part("", SignedRank(values), -MATTERS["elm"], 1.0) for values in relative]
        pairs = self.across.pairs.dropna(subset="p_first")
        pairs = pairs[(pairs["first"] == names[0]) & pairs["second"].isin(names[1:])]
        figure = "; ".join(
            f"against {self.cast.problem_label(pair.second)}: better {pair.p_first:.2f},"
            f" equal {pair.p_equivalent:.2f}, worse {pair.p_second:.2f}"
            for pair in pairs.itertuples()
        )
        return judged(
            all_below(parts),
            claim="elm-mcc-vc-better-over-datasets",
            kind=Kind.OURS,
            text=f"{self.cast.label(OURS)} would be better than {self.cast.label(OTHERS[0])} and"
            f" {self.cast.label(OTHERS[1])} on the next dataset of this kind",
            where="Section IV.B, as a general statement",
            test=f"signed-rank test over {self.across.n_datasets} datasets: median difference of"
            f" the mean RMSEs below −{MATTERS['elm']:.0%} against both others",
            power=detects(parts),
            figure="probabilities (Bayesian signed-rank): " + (figure or "not in this study"),
            evidence="tables/across_datasets.csv",
        )

    def _lowest(self):
        """Role with the lowest mean testing RMSE, for each dataset that has rows."""
        means = self.rows[self.rows["role"].isin([OURS, *OTHERS])]
        means = means.groupby(["dataset", "role"])["test_rmse"].mean()
        known = means.index.get_level_values("dataset")
        return [means[dataset].idxmin() for dataset in self.datasets if dataset in known]


def _total(solves):
    return np.nan if solves is None else np.sum(solves)
