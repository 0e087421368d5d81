"""A picture of a tree as a file: SVG as it is, PNG and PDF by matplotlib."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from treewright.drawing.matplotlib import draw_tree, font_families, pyplot
from treewright.drawing.svg import to_svg
from treewright.errors import OptionError
from treewright.tree.data import TreeData

__all__ = ["save_picture"]

_FORMATS = (".svg", ".png", ".pdf")
_DOTS_PER_INCH = 192


def save_picture(
    tree: TreeData, path: str | os.PathLike[str], theme: str = "light", **options: Any
) -> Path:
    """Save the picture of a tree; see `Tree.save_picture`."""
    if not isinstance(path, str | os.PathLike):
        raise OptionError(
            f"path must be the name of a file, such as 'tree.svg'; got {path!r}."
        )
    where = Path(path)
    if where.suffix.lower() not in _FORMATS:
        raise OptionError(
            f"A picture is saved as .svg, .png or .pdf; the path is {str(where)!r}."
        )
    if not where.parent.is_dir():
        raise OptionError(
            f"There is no folder {str(where.parent)!r} to write {where.name!r} into. "
            "Make it first."
        )
    if where.suffix.lower() == ".svg":
        written = to_svg(tree, theme=theme, **options)
        where.write_text(written + "\n", encoding="utf-8", newline="\n")
        return where
    plt = pyplot()
    # Type 42 fonts keep the letters of a PDF as text that programs can read and edit.
    fonts = {"font.family": "sans-serif", "font.sans-serif": font_families()}
    with plt.rc_context({"pdf.fonttype": 42, "font.size": 10.0, **fonts}):
        ax = draw_tree(tree, theme=theme, **options)
        figure = ax.get_figure(root=True)
        assert figure is not None
        figure.savefig(where, dpi=_DOTS_PER_INCH, facecolor=figure.get_facecolor())
        plt.close(figure)
    return where
