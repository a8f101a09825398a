"""Figures to files: PNG of few colours for screens, PDF with fonts for print, data as CSV."""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_pdf import FigureCanvasPdf
from PIL import Image

from mccvc.report.style import styled
from mccvc.report.tables import write_csv
from mccvc.study.files import atomic_path

_DPI = 150
# A third of the size of all colours.
_COLOURS = 128


def save_figures(figures, out):
    """Draw figures and write their files.

    Parameters
    ----------
    figures : dict of callable
        By the name of its files, what gives the figure and its data.
    out : path-like
        Directory.
    """
    for name, draw in figures.items():
        with styled():
            figure, data = draw()
            # Not by savefig, which draws each figure once more to measure it.
            figure.dpi = _DPI
            with atomic_path(Path(out) / f"{name}.png") as temporary:
                _picture(figure).save(temporary, "PNG", dpi=(_DPI, _DPI), optimize=True)
            # The layout of the first serves the other.
            figure.set_layout_engine("none")
            with atomic_path(Path(out) / f"{name}.pdf") as temporary:
                FigureCanvasPdf(figure).print_pdf(temporary, metadata={"CreationDate": None})
            plt.close(figure)
        write_csv(data, Path(out) / f"{name}.csv")


def _picture(figure):
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB").quantize(_COLOURS)
