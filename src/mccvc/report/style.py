"""How figures look: colours, style, panels."""

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import seaborn as sns
from matplotlib.ticker import FuncFormatter

# One colour per role in all figures, from seaborn's colour-blind palette.
_PALETTE = sns.color_palette("colorblind")
_OF_ROLES = {
    "mmse": _PALETTE[7],
    "mcc": _PALETTE[1],
    "mcc-vc": _PALETTE[0],
    "mmse-intercept": _PALETTE[4],
    "mcc-intercept": _PALETTE[2],
    "relm": _PALETTE[7],
    "elm-rcc": _PALETTE[1],
    "elm-mcc-vc": _PALETTE[0],
}
_SPARE = [_PALETTE[i] for i in (3, 5, 6, 8, 9)]
PLAIN = FuncFormatter(lambda value, position: f"{value:g}".replace("-", "−"))
# Width of a journal page, in inches.
PAGE = 7.16
_INK = "#1a1a1a"


def styled():
    """Context in which figures are drawn; the page inverts their lightness on dark screens."""
    style = sns.axes_style("ticks") | sns.plotting_context("paper", font_scale=0.95)
    style |= {"pdf.fonttype": 42, "axes.grid": True, "grid.alpha": 0.3, "axes.axisbelow": True}
    style |= {"grid.color": "0.6"}
    inked = ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color")
    style |= {"boxplot.flierprops.color": _INK}
    return plt.rc_context(style | dict.fromkeys(inked, _INK))


def ink():
    """The colour of text."""
    return _INK


def shade():
    """A grey for what stays in the background."""
    return "0.75"


def colours(roles):
    """Colour of each entry: that of its role, or a spare one.

    Parameters
    ----------
    roles : mccvc.report.roles.Roles

    Returns
    -------
    dict
    """
    of_roles = {name: _OF_ROLES[role] for role, name in roles.entries.items()}
    others = [name for name in roles.names if name not in of_roles]
    spare = _SPARE if len(others) <= len(_SPARE) else sns.husl_palette(len(others))
    return of_roles | dict(zip(others, spare, strict=False))


def lead_colour():
    """Colour of the paper's own method."""
    return _OF_ROLES["mcc-vc"]


def note(text):
    """A figure that says why there is none."""
    figure, axis = plt.subplots(figsize=(PAGE, 1.0), layout="constrained")
    axis.set_axis_off()
    axis.text(0.5, 0.5, text, ha="center", va="center")
    return figure


def panels(items, height, columns=None):
    """A grid of panels; returns the figure and its axes, one for each item."""
    columns = columns or (1 if len(items) < 3 else 2)
    lines = max(1, -(-len(items) // columns))
    figure, grid = plt.subplots(
        lines, columns, figsize=(PAGE, height * lines), layout="constrained", squeeze=False
    )
    spare = grid.flat[len(items) :]
    for axis in spare:
        axis.remove()
    return figure, dict(zip(grid.flat, items, strict=False))
