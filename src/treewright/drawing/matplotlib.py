"""The same picture of a tree in a matplotlib axes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from treewright.drawing.marks import Box, Dot, Flow, Mark, Words
from treewright.drawing.palette import THEMES
from treewright.drawing.scene import Scene, compose
from treewright.drawing.visible_nodes import MOST_LEAVES, fold
from treewright.errors import OptionError, TreewrightError
from treewright.tree.data import TreeData

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["check_axes", "draw_tree", "fonts", "pyplot"]

_PIXELS_PER_INCH = 96.0
_POINTS_PER_INCH = 72.0
_FAMILIES = ("Helvetica Neue", "Helvetica", "Arial", "Liberation Sans")


def pyplot() -> Any:
    """Return matplotlib.pyplot, or say how to get it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as problem:
        raise TreewrightError(
            "Charts need the package 'matplotlib': pip install 'treewright[plot]'"
        ) from problem
    return plt


def fonts() -> list[str]:
    """Return the font families to use: those of the SVG as far as they are there."""
    from matplotlib import font_manager, rcParams

    there = {font.name for font in font_manager.fontManager.ttflist}
    wanted = [family for family in _FAMILIES if family in there]
    return [*wanted[:1], *rcParams["font.sans-serif"][:1]]


def draw_tree(
    tree: TreeData,
    ax: Axes | None = None,
    *,
    max_depth: int | None = None,
    max_leaves: int | None = MOST_LEAVES,
    way: Mapping[int, str] | None = None,
    theme: str = "light",
    direction: str | None = None,
) -> Axes:
    """Draw the tree into an axes, as large as it can be without distortion.

    Parameters
    ----------
    tree : TreeData
        The tree.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure of the right size by default.
    max_depth, max_leaves, way, direction
        As in `treewright.drawing.svg.to_svg`.
    theme : {'light', 'dark'}, default='light'
        Colours.

    Returns
    -------
    matplotlib.axes.Axes
    """
    plt = pyplot()
    if theme not in THEMES:
        raise OptionError(f"theme must be 'light' or 'dark'; got {theme!r}.")
    inks, families = THEMES[theme], fonts()
    check_axes(ax)
    folded = fold(tree, max_depth, max_leaves, tuple(way or ()))
    measure = _measure(families)
    scene = compose(tree, folded, way=way, direction=direction, measure=measure)
    if ax is None:
        size = scene.width / _PIXELS_PER_INCH, scene.height / _PIXELS_PER_INCH
        figure = plt.figure(figsize=size, facecolor=inks["page"])
        ax = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    assert ax is not None
    ax.set(xlim=(0, scene.width), ylim=(scene.height, 0), aspect="equal")
    ax.set_axis_off()
    _Painter(ax, inks, families, _points_per_pixel(ax, scene)).paint(scene)
    return ax


def check_axes(ax: object) -> None:
    """Refuse what is neither a matplotlib axes nor None."""
    if ax is None or hasattr(ax, "set_xlim"):
        return
    several = " Pass one of them, such as ax[0]." * hasattr(ax, "__len__")
    raise OptionError(
        "ax must be a matplotlib Axes, as plt.subplots() gives, or None for a new "
        f"figure; got {type(ax).__name__} {ax!r:.60}.{several}"
    )


def _points_per_pixel(ax: Axes, scene: Scene) -> float:
    """Return how large a unit of the scene is drawn in this axes."""
    box = ax.get_window_extent()
    figure = ax.get_figure(root=True)
    assert figure is not None
    dots = min(box.width / scene.width, box.height / scene.height)
    return float(dots * _POINTS_PER_INCH / figure.dpi)


def _measure(families: list[str]) -> Any:
    """Return a function that measures text in the font it will be drawn in."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    regular = FontProperties(family=families, size=100)
    heavy = FontProperties(family=families, size=100, weight="bold")

    def measure(text: str, size: float, bold: bool) -> float:
        # Of a very long text a part is enough: it will not fit anyway.
        part = text[:500]
        width, _, _ = text_to_path.get_text_width_height_descent(
            part, heavy if bold else regular, ismath=False
        )
        return float(width) * size / 100 * len(text) / max(len(part), 1)

    return measure


class _Painter:
    """Turns marks into matplotlib artists."""

    def __init__(
        self, ax: Axes, inks: Mapping[str, str], families: list[str], scale: float
    ) -> None:
        self.ax = ax
        self.inks = inks
        self.families = families
        self.scale = scale

    def paint(self, scene: Scene) -> None:
        # The way of a row is drawn over the other branches.
        for flow in sorted(scene.flows, key=lambda flow: flow.ink == "accent"):
            self.flow(flow)
        for spot in scene.spots:
            for mark in spot.marks:
                self.mark(mark, 0.5 if spot.is_dim else 1.0)
        for mark in scene.around:
            self.mark(mark, 1.0)

    def flow(self, flow: Flow) -> None:
        from matplotlib.patches import PathPatch
        from matplotlib.path import Path

        curve = Path(flow.bend(), [Path.MOVETO] + [Path.CURVE4] * 3)
        self.ax.add_patch(
            PathPatch(
                curve,
                facecolor="none",
                edgecolor=self.inks[flow.ink],
                linewidth=flow.width * self.scale,
                capstyle="butt",
                zorder=1,
            )
        )

    def mark(self, mark: Mark, alpha: float) -> None:
        if isinstance(mark, Box):
            self.box(mark, alpha)
        elif isinstance(mark, Dot):
            self.dot(mark, alpha)
        else:
            self.words(mark, alpha)

    def box(self, mark: Box, alpha: float) -> None:
        from matplotlib.patches import FancyBboxPatch

        style = f"round,pad=0,rounding_size={mark.radius}" if mark.radius else "square"
        if not mark.radius:
            style += ",pad=0"
        self.ax.add_patch(
            FancyBboxPatch(
                (mark.x, mark.y),
                mark.width,
                mark.height,
                boxstyle=style,
                facecolor=self.inks[mark.fill],
                edgecolor=self.inks[mark.edge] if mark.edge else "none",
                linewidth=mark.thick * self.scale if mark.edge else 0.0,
                alpha=alpha,
                zorder=2,
            )
        )

    def dot(self, mark: Dot, alpha: float) -> None:
        from matplotlib.patches import Circle

        self.ax.add_patch(
            Circle(
                (mark.x, mark.y),
                mark.radius,
                facecolor=self.inks[mark.fill],
                edgecolor=self.inks[mark.edge],
                linewidth=mark.thick * self.scale,
                alpha=alpha,
                zorder=2,
            )
        )

    def words(self, mark: Words, alpha: float) -> None:
        aligned = {"start": "left", "middle": "center", "end": "right"}
        self.ax.text(
            mark.x,
            mark.y,
            mark.text,
            fontsize=mark.size * self.scale,
            family=self.families,
            weight="bold" if mark.bold else "normal",
            color=self.inks[mark.ink],
            horizontalalignment=aligned[mark.anchor],
            verticalalignment="baseline",
            parse_math=False,
            alpha=alpha,
            zorder=3,
        )
