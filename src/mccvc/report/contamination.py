"""Tables and figures of the contamination experiment: which method helps where."""

from pathlib import Path

from mccvc.report.contamination_figures import best_map, curves
from mccvc.report.contamination_ratios import (
    best_methods,
    cell_means,
    cell_ratios,
    condition_text,
    left_out,
    named_ways,
    over_cells,
    simple_ways,
)
from mccvc.report.drawing import save_figures
from mccvc.report.labels import Labels
from mccvc.report.markup import fixed
from mccvc.report.roles import roles_of
from mccvc.report.tables import write_csv, write_table

# Lines beside those of the paper's methods.
_FURTHER = 3
_WITHOUT = {
    "score": "squared instead of truncated errors as score",
    "combine": "the best grid point instead of the average",
    "clip": "no clip",
    "scale": "a fixed instead of the matched scale",
    "hedge": "no ridge beside it",
}


def write_contamination(study, runs, tables, figures):
    """Write tables and figures.

    Parameters
    ----------
    study : ResolvedStudy
        The resolved study.
    runs, tables, figures : path-like
        Directories of the shards, and of the tables and figures to write.
    """
    plan, tables, figures = study["contamination"], Path(tables), Path(figures)
    label, roles = Labels.of(study), roles_of(plan)
    rows = plan.rows(runs)
    rows, ways = named_ways(rows[rows["error"].isna()])
    write_csv(cell_means(rows), tables / "contamination.csv")
    base = [roles.entries[role] for role in ("relm", "elm-mcc-vc") if role in roles.entries]
    ratios = cell_ratios(rows, base)
    write_csv(ratios, tables / "contamination_ratios.csv")
    methods = ways.merge(over_cells(ratios), on="method")
    # The best of very many ways is the luckiest one.
    conditions = best_methods(ratios[ratios["method"].isin(simple_ways(methods)["method"])])
    parts = left_out(methods)
    for name, table, shown in (
        ("contamination_methods", methods, present_methods(methods, label)),
        ("contamination_parts", parts, present_parts(parts, label)),
        ("contamination_conditions", conditions, present_conditions(conditions, label)),
    ):
        write_table(tables, name, table, shown)
    # The best way of each entry: ways of one are much the same.
    best = methods.sort_values("spoilt").drop_duplicates("entry")["method"]
    further = [name for name in best if name not in roles.papers][:_FURTHER]
    shown = [*roles.papers, *further] or list(ways["method"])[:_FURTHER]
    drawn = {
        "contamination": lambda: curves(rows, shown, label),
        "contamination_map": lambda: best_map(rows[rows["method"].isin(shown)], label),
    }
    save_figures(drawn, figures)


def present_methods(table, label):
    """The methods, best under outliers first, as texts; ways far from whole and paper left out."""
    return [
        {
            "Method": label(row.method),
            "Clean": fixed(row.clean, 3),
            "Spoilt": fixed(row.spoilt, 3),
            "Worse": f"{row.worse} of {row.n_cells}",
            "Better": f"{row.better} of {row.n_cells}",
        }
        for row in simple_ways(table).sort_values("spoilt").itertuples()
    ]


def present_parts(table, label):
    """What each part gives, as texts."""
    said = {
        "none": "all parts",
        "all but score": "the truncated score alone",
        "all": "none of them",
    }
    return [
        {
            "Method": label(row.entry),
            "With": (said | _WITHOUT)[row.left_out],
            "Clean": fixed(row.clean, 3),
            "Spoilt": fixed(row.spoilt, 3),
        }
        for row in table.itertuples()
    ]


def present_conditions(table, label):
    """The best method of each condition, as texts."""
    return [
        {
            "Training rows": condition_text(row),
            "Use": label(row.method),
            "Mean ratio": fixed(row.ratio, 3),
            "Largest ratio": fixed(row.largest_ratio, 3),
        }
        for row in table.itertuples()
    ]
