"""Claims on Table I and Fig. 1; the runs are independent."""

import math

from mccvc.report.claim import FAR, MATTERS, SAVED, Cast, detects, judged, mean
from mccvc.report.markup import signed
from mccvc.report.statistics import Estimate
from mccvc.report.verdicts import Kind, Part, all_below, all_within

# Total variation distance that a kernel that matches may have beyond the share of the outliers,
# which no kernel can match.
MATCH = 0.05


class LinearClaims:
    """Claims on the linear experiment.

    Parameters
    ----------
    plan : ExperimentPlan
        The experiment.
    label : mccvc.report.labels.Labels
        What the entries are called.
    rows : pandas.DataFrame
        Rows of all runs, each at the grid point that other runs chose.
    timed : pandas.DataFrame
        Rows of Table I, with seconds.
    distances : pandas.DataFrame
        Kernel distances of the first iterations, see :mod:`mccvc.study.traces`.
    """

    def __init__(self, plan, label, rows, timed, distances):
        self.cast = Cast(plan, label)
        self.rows, self.timed = self.cast.of(rows), self.cast.of(timed)
        self.distances = self.cast.of(distances)
        self.cases = plan.problems
        self.systems = {spec.problem: spec.system for spec in plan.specs}
        self.centered = [c for c in self.cases if self.systems[c].noise.is_centered]
        self.shifted = [c for c in self.cases if c not in self.centered]

    def all(self):
        """All claims, in the paper's order."""
        return [
            self.far_better("mcc", "mmse"),
            self.far_better("mcc-vc", "mmse"),
            self.better("mcc-vc", "mcc", Kind.PAPER, "Section IV.A, observation ii"),
            self.saves_time(),
            *(self.kernel_matches(case) for case in self.cases),
            self.better("mcc-vc", "mcc-intercept", Kind.OURS, "Table I, a baseline not in it"),
            self.equal("mcc-vc", "mcc"),
        ]

    def _rmses(self, case, first, second):
        columns = ((first, "weight_rmse"), (second, "weight_rmse"))
        return self.cast.runs(self.rows, case, *columns)

    def far_better(self, first, second):
        """The first has at most half the RMSE of the second, in every case."""
        parts, shares = [], []
        for case in self.cases:
            one, other = self._rmses(case, first, second)
            parts.append(Part(case, Estimate.of(one - FAR * other), 0.0, mean(other)))
            shares.append(f"{self.cast.problem_label(case)} {mean(one) / mean(other):.2f}")
        first_label, second_label = self.cast.label(first), self.cast.label(second)
        return judged(
            all_below(parts),
            claim=f"{first}-far-better-than-{second}",
            kind=Kind.PAPER,
            text=f"{first_label} is far better than {second_label} (at most {FAR:g} times its"
            f" RMSE) in all {len(self.cases)} cases",
            where="Section IV.A, observation i; Table I",
            test=f"paired t: RMSE({first_label}) − {FAR:g} RMSE({second_label}) below 0 in every"
            " case",
            power=detects(parts),
            figure="ratio of mean RMSEs: " + ", ".join(shares),
            evidence="tables/table1.csv",
        )

    def _differences(self, cases, first, second, sign):
        """Parts on the differences of two roles, and these in words."""
        parts, shown = [], []
        for case in cases:
            one, other = self._rmses(case, first, second)
            scale = mean(other)
            estimate = Estimate.of(one - other)
            parts.append(Part(case, estimate, sign * MATTERS["linear"] * scale, scale))
            low, high = estimate.interval()
            shown.append(
                f"{self.cast.problem_label(case)} {estimate.mean / scale:+.1%}"
                f" ({signed(estimate.mean)} [{signed(low)}, {signed(high)}])"
            )
        return parts, "difference: " + ", ".join(shown).replace("-", "−")

    def _listed(self, cases):
        return self.cast.problem_label.listed(cases) or "none of these"

    def better(self, first, second, kind, where):
        """The first is better by what matters, where the noise is not centered at 0."""
        parts, figure = self._differences(self.shifted, first, second, -1)
        return judged(
            all_below(parts),
            claim=f"{first}-better-than-{second}",
            kind=kind,
            text=f"{self.cast.label(first)} is better than {self.cast.label(second)} where the"
            f" noise is not centered at 0 ({self._listed(self.shifted)})",
            where=where,
            test=f"paired t: lower by more than {MATTERS['linear']:.0%} of the RMSE in every case",
            power=detects(parts),
            figure=figure,
            evidence="tables/comparisons.csv",
        )

    def equal(self, first, second):
        """Both are the same up to what matters, where the noise is centered at 0."""
        parts, figure = self._differences(self.centered, first, second, 1)
        return judged(
            all_within(parts),
            claim=f"{first}-equals-{second}",
            kind=Kind.OURS,
            text=f"{self.cast.label(first)} and {self.cast.label(second)} are equally good where"
            f" the noise is centered at 0 ({self._listed(self.centered)})",
            where="Table I, cases without a shift",
            test="two one-sided paired t: they differ by less than"
            f" {MATTERS['linear']:.0%} of the RMSE in every case",
            power=detects(parts),
            figure=figure,
            evidence="tables/comparisons.csv",
        )

    def saves_time(self):
        """One fit of MCC-VC takes less time than the fits of MCC at all its widths."""
        parts, ratios, pays = [], [], []
        n_widths = self._number_of_widths()
        for case in self.cases:
            columns = (("mcc-vc", "fit_seconds"), ("mcc", "tune_seconds"))
            one, all_widths = self.cast.runs(self.timed, case, *columns)
            estimate = Estimate.of(one - (1 - SAVED) * all_widths)
            parts.append(Part(case, estimate, 0.0, mean(all_widths)))
            if len(one):
                ratio = all_widths.mean() / one.mean()
                ratios.append(f"{self.cast.problem_label(case)} {ratio:.1f}")
                pays.append(math.floor(n_widths / ratio) + 1)
        figure = "no runs"
        if pays:
            figure = (
                f"times faster: {', '.join(ratios)}; it pays from {min(pays)} to {max(pays)}"
                f" widths on, here {n_widths}"
            )
        return judged(
            all_below(parts),
            claim="search-saves-time",
            kind=Kind.PAPER,
            text="Choosing width and center by (18) takes less time than fitting MCC at every"
            " width",
            where="Section IV.A, observation iii; Table I",
            test="paired t: seconds of one MCC-VC fit less than"
            f" {1 - SAVED:.0%} of those of the MCC fits of all widths, in every case",
            power=detects(parts),
            figure=figure,
            evidence="tables/table1.csv",
        )

    def _number_of_widths(self):
        entry = self.cast.roles.entries.get("mcc")
        return len(self.cast.plan.fit(entry).grid["sigma"]) if entry else 0

    def kernel_matches(self, case):
        """The kernel that (18) chooses is near the density of the errors after two iterations."""
        rows = self.distances[
            (self.distances["case"] == case) & (self.distances["role"] == "mcc-vc")
        ]
        share = self.systems[case].outlier_probability
        estimate = Estimate.of(rows.loc[rows["iteration"] == 2, "distance"])
        part = Part(case, estimate, share + MATCH, 1.0)
        means = rows.groupby("iteration")[["distance", "smallest"]].mean()
        return judged(
            all_below([part]),
            claim=f"kernel-matches-{case}",
            kind=Kind.PAPER if case == "case2" else Kind.OURS,
            text=f"{self.cast.problem_label(case)}: after two iterations the kernel that (18)"
            " chooses matches the density of the errors",
            where="Fig. 1" if case == "case2" else "Fig. 1, for other noise",
            test="t: total variation distance between kernel and density at the second iteration"
            f" below {share + MATCH:g}, of which {share:g} are the outliers'",
            power=detects([part]).replace("in a part ", ""),
            figure="distance (of the nearest kernel of the sets): "
            + ", ".join(
                f"iteration {row.Index} {row.distance:.3f} ({row.smallest:.3f})"
                for row in means.itertuples()
            ),
            evidence="traces/distances.parquet",
        )
