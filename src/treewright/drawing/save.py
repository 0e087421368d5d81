"""A picture of a tree as a file: SVG as it is, PNG and PDF by matplotlib."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from treewright.drawing.matplotlib import draw_tree, figure_of, font_families, pyplot
from treewright.drawing.svg import to_svg
from treewright.errors import OptionError
from treewright.files.atomic import file_to_write, replaced
from treewright.tree.data import TreeData

__all__ = ["save_picture"]

_FORMATS = (".svg", ".png", ".pdf")
_DOTS_PER_INCH = 192


def save_picture(
    tree: TreeData,
    path: str | os.PathLike[str],
    /,
    theme: str = "light",
    **options: Any,
) -> Path:
    """Save the picture of a tree; see `Tree.save_picture`.

    Among the options, `path` is that of a row.
    """
    where = file_to_write(path, "tree.svg")
    if where.suffix.lower() not in _FORMATS:
        raise OptionError(
            f"A picture is saved as .svg, .png or .pdf; the path is {str(where)!r}."
        )
    kind = where.suffix.lower().removeprefix(".")
    if kind == "svg":
        written = to_svg(tree, theme=theme, **options)
        with replaced(where) as file:
            file.write(f"{written}\n".encode())
        return where
    plt = pyplot()
    # Type 42 fonts keep the letters of a PDF as text that programs can read and edit.
    fonts = {"font.family": "sans-serif", "font.sans-serif": font_families()}
    with plt.rc_context({"pdf.fonttype": 42, "font.size": 10.0, **fonts}):
        ax = draw_tree(tree, theme=theme, **options)
        figure = figure_of(ax)
        back = figure.get_facecolor()
        with replaced(where) as file:
            figure.savefig(file, format=kind, dpi=_DOTS_PER_INCH, facecolor=back)
        plt.close(figure)
    return where
