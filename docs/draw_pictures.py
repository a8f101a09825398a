"""Draw the examples' pictures of the guide: ``python docs/draw_pictures.py [FOLDER]``.

The folder is ``docs/pictures`` unless another is named. The site runs the examples itself; these
pictures serve readers of the Markdown files.
"""

import runpy
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt

DOCS = Path(__file__).parent
EXAMPLES = sorted((DOCS / "examples").glob("*.py"))


def draw(script, out):
    """Run an example and save its first figure."""
    plt.close("all")
    runpy.run_path(str(script), run_name="__main__")
    plt.figure(plt.get_fignums()[0]).savefig(out, dpi=150)


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if sys.argv[1:] else DOCS / "pictures"
    folder.mkdir(exist_ok=True)
    for example in EXAMPLES:
        draw(example, folder / f"{example.stem}.png")
