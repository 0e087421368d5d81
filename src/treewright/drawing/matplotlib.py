"""The picture of a tree, drawn into a matplotlib axes for the inches it has.

Fonts, their size and dark styles are those of the reader's rcParams. In a small axes
no letter is smaller than `SMALLEST_POINTS`: cards drop the numbers of rows, then the
shares, then the tree is folded, and the picture says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from treewright.drawing.cards import SMALLEST_LETTERS, Chart
from treewright.drawing.look import Look, check_theme, make_look, pixels_of
from treewright.drawing.marks import Box, Dot, Flow, Mark, Words
from treewright.drawing.measure import Measure
from treewright.drawing.palette import PATTERNS, PRINT, THEMES
from treewright.drawing.scene import LEAST_ROOM, TIGHT_MARGIN, Scene, compose
from treewright.drawing.visible_nodes import MOST_LEAVES, visible_nodes
from treewright.errors import OptionError, TreewrightError
from treewright.tree.data import TreeData

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "SMALLEST_POINTS",
    "check_axes",
    "draw_tree",
    "font_families",
    "font_measure",
    "inks_of",
    "is_dark",
    "laid_out",
    "points_of",
    "pyplot",
]

SMALLEST_POINTS = 6.0
"""No letter of a tree in a given axes is smaller, if two leaves fit at all."""
_POINTS_PER_PIXEL = 0.75
_POINTS_PER_INCH = 72.0
_USUAL_SIZE = 10.0
"""The font size of rcParams at which a picture has the sizes of the SVG."""
_FAMILIES = ("Helvetica Neue", "Helvetica", "Arial", "Liberation Sans")
_KEPT_ROOM = 0.85
_NOTICED = 1.0
"""A tree is laid out again if its room changes by more points than this."""
_FEWER_LEAVES = (40, 30, 24, 18, 14, 11, 8, 6, 5, 4, 3, 2)


def pyplot() -> Any:
    """Return matplotlib.pyplot, or raise an error that says how to install it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as problem:
        raise TreewrightError(
            "Charts need the package 'matplotlib': pip install 'treewright[plot]'"
        ) from problem
    return plt


def font_families() -> list[str]:
    """Return the font families of the SVG that are installed, and a last resort."""
    from matplotlib import font_manager, rcParams

    installed = {font.name for font in font_manager.fontManager.ttflist}
    wanted = [family for family in _FAMILIES if family in installed]
    return [*wanted[:1], *rcParams["font.sans-serif"][:1]]


def is_dark(colour: Any) -> bool:
    """Whether a colour of matplotlib is darker than middle grey."""
    from matplotlib.colors import to_rgb

    return sum(to_rgb(colour)) < 1.5 if colour not in ("none", "None") else False


def draw_tree(
    tree: TreeData,
    ax: Axes | None = None,
    *,
    max_depth: int | None = None,
    max_leaves: int | None = MOST_LEAVES,
    path: Mapping[int, str] | None = None,
    theme: str = "auto",
    direction: str | None = None,
    width: float | str | None = None,
    charts: Mapping[int, Chart] | None = None,
    **look: Any,
) -> Axes:
    """Draw the tree into an axes without distortion.

    Parameters
    ----------
    tree : TreeData
        The tree.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure of the right size by default.
    max_depth, max_leaves, path, direction
        As in `treewright.drawing.svg.to_svg`.
    theme : {'auto', 'light', 'dark'}, default='auto'
        Colours; 'auto' follows the background of the axes or of rcParams.
    width : float or str, optional
        Width of a new figure in pixels, of which an inch has 96, or with a unit.
    charts : mapping of int to Chart, optional
        Drawings that take the place of the distribution in some nodes.
    **look
        The options of `make_look`.

    Returns
    -------
    matplotlib.axes.Axes
    """
    plt = pyplot()
    check_theme(theme)
    check_axes(ax)
    chosen = make_look(**look)
    request = _Request(
        tree, max_depth, max_leaves, path, direction, chosen, charts or {}
    )
    usual = _POINTS_PER_PIXEL * plt.rcParams["font.size"] / _USUAL_SIZE
    if ax is None:
        scene = request.scene(chosen, max_leaves)
        scale = usual
        if width is not None:
            scale = pixels_of(width) * _POINTS_PER_PIXEL / scene.width
        inks = _inks(chosen, theme, plt.rcParams["figure.facecolor"])
        inches = scale / _POINTS_PER_INCH
        figure = plt.figure(
            figsize=(scene.width * inches, scene.height * inches),
            facecolor=inks["page"],
        )
        ax = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    else:
        inks = _inks(chosen, theme, _background(ax))
        ax.set_axis_off()
        ax.set(aspect="equal", anchor="N")
        fitted = _FittedPicture(ax, request, inks, usual)
        fitted.draw_into(ax, _points_of_place(ax))
        ax.set_axes_locator(fitted)
        return ax
    ax.set(aspect="equal", anchor="N")
    ax.set_axis_off()
    _paint(ax, scene, scale, points_of(ax), inks, chosen)
    return ax


def _paint(
    ax: Axes,
    scene: Scene,
    scale: float,
    points: tuple[float, float],
    inks: Mapping[str, str],
    look: Look,
) -> list[Artist]:
    """Draw a scene in the middle of an axes, and return its artists."""
    wide, high = (length / scale for length in points)
    middle = (wide - scene.width) / 2
    ax.set(xlim=(-middle, wide - middle), ylim=(max(high, scene.height), 0))
    return _Painter(ax, inks, scale, look.palette == "print").paint(scene)


class _FittedPicture:
    """A tree that is laid out again whenever its axes gets another size.

    Matplotlib asks the locator of an axes for its place before the axes is drawn, and
    after a layout engine or a resized window has changed it.
    """

    def __init__(
        self, ax: Axes, request: _Request, inks: Mapping[str, str], usual: float
    ) -> None:
        self.get_subplotspec = ax.get_subplotspec  # `tight_layout` asks for it
        self.request = request
        self.inks = inks
        self.usual = usual
        self.points = (0.0, 0.0)
        self.artists: list[Artist] = []

    def __call__(self, ax: Any, renderer: Any) -> Any:
        points = _points_of_place(ax)
        moved = max(abs(a - b) for a, b in zip(points, self.points, strict=True))
        if moved > _NOTICED:
            self.draw_into(ax, points)
        return ax.get_position(original=True)

    def draw_into(self, ax: Axes, points: tuple[float, float]) -> None:
        """Draw the fullest picture that is readable on so many points."""
        for artist in self.artists:
            if artist in ax.get_children():  # the reader may have cleared the axes
                artist.remove()
        scene, scale = _fitted(self.request, points, self.usual)
        look = self.request.look
        self.artists = _paint(ax, scene, scale, points, self.inks, look)
        self.points = points


def _points_of_place(ax: Axes) -> tuple[float, float]:
    """Return the room of an axes in points, before its aspect is applied."""
    place, figure = ax.get_position(original=True), figure_of(ax)
    part = ax.get_figure()
    assert part is not None
    inch = _POINTS_PER_INCH / figure.dpi
    room = part.bbox.width * inch, part.bbox.height * inch
    return max(place.width * room[0], 1.0), max(place.height * room[1], 1.0)


class _Request:
    """What to draw; the room decides how much of it is shown."""

    def __init__(
        self,
        tree: TreeData,
        max_depth: int | None,
        max_leaves: int | None,
        path: Mapping[int, str] | None,
        direction: str | None,
        look: Look,
        charts: Mapping[int, Chart],
    ) -> None:
        self.tree = tree
        self.max_depth = max_depth
        self.max_leaves = max_leaves
        self.path = path or {}
        self.direction = direction
        self.look = look
        self.charts = charts
        self.measure = font_measure()

    def scene(
        self,
        look: Look,
        max_leaves: int | None,
        direction: str | None = None,
        least_room: float = LEAST_ROOM,
        notes: str = "",
    ) -> Scene:
        """Lay out the picture with fewer figures or fewer leaves."""
        visible = visible_nodes(self.tree, self.max_depth, max_leaves, tuple(self.path))
        return compose(
            self.tree,
            visible,
            path=self.path,
            direction=direction or self.direction,
            measure=self.measure,
            look=look,
            charts=self.charts,
            notes=notes,
            least_room=least_room,
        )

    def smaller(self) -> Iterator[tuple[Look, int | None, str]]:
        """Yield ever smaller pictures: look, number of leaves, and what they lack."""
        yield self.look, self.max_leaves, ""
        look = replace(self.look, is_tight=True)
        yield look, self.max_leaves, ""
        gone: list[str] = []
        for figures, name in (
            (("rows",), "row counts"),
            (("share", "shares", "interval"), "shares"),
        ):
            kept = tuple(each for each in look.show if each not in figures)
            if kept != look.show:
                look, gone = replace(look, show=kept), [*gone, name]
                yield look, self.max_leaves, _left_out(gone)
        most = self.tree.n_leaves
        most = most if self.max_leaves is None else min(most, self.max_leaves)
        for leaves in _FEWER_LEAVES:
            if leaves < most:
                yield look, leaves, _left_out(gone)


def _left_out(names: list[str]) -> str:
    text = " and ".join(names)
    return f"{text[:1].upper()}{text[1:]} are left out." if text else ""


def _fitted(
    request: _Request, box: tuple[float, float], usual: float
) -> tuple[Scene, float]:
    """Return the fullest picture with readable letters, and its scale in points."""
    least = SMALLEST_POINTS / SMALLEST_LETTERS
    room = min(LEAST_ROOM, box[0] / least - 2 * TIGHT_MARGIN)
    ways = (request.direction,) if request.direction else ("down", "right")
    for look, leaves, notes in request.smaller():
        forms = [request.scene(look, leaves, way, room, notes) for way in ways]
        scale, scene = max(
            ((_scale(each, box, usual), each) for each in forms), key=lambda f: f[0]
        )
        if scale >= least:
            break
    return scene, scale


def _scale(scene: Scene, box: tuple[float, float], usual: float) -> float:
    return min(box[0] / scene.width, box[1] / scene.height, usual)


def check_axes(ax: object) -> None:
    """Raise unless `ax` is a matplotlib axes or None."""
    if ax is None or hasattr(ax, "set_xlim"):
        return
    several = " Pass one of them, such as ax[0]." * hasattr(ax, "__len__")
    raise OptionError(
        "ax must be a matplotlib Axes, as from plt.subplots(), or None for a new "
        f"figure; got {type(ax).__name__} {ax!r:.60}.{several}"
    )


def figure_of(ax: Artist) -> Figure:
    """Return the figure that holds an axes, also if a part of it lies between."""
    figure = ax.get_figure()
    assert figure is not None
    whole: Figure = figure.figure  # of a part, the whole; of a figure, itself
    return whole


def laid_out(ax: Axes) -> None:
    """Let a figure with a layout engine give its axes their sizes."""
    figure = figure_of(ax)
    if figure.get_layout_engine() is not None:
        figure.draw_without_rendering()


def inks_of(ax: Axes) -> Mapping[str, str]:
    """Return the colours for the background of an axes."""
    return THEMES["dark" if is_dark(_background(ax)) else "light"]


def _inks(look: Look, theme: str, background: Any) -> Mapping[str, str]:
    if look.palette == "print":
        return PRINT
    if theme == "auto":
        theme = "dark" if is_dark(background) else "light"
    return THEMES[theme]


def _background(ax: Axes) -> Any:
    figure = figure_of(ax)
    return figure.get_facecolor()


def points_of(ax: Axes) -> tuple[float, float]:
    """Return the width and height of an axes in points."""
    figure = figure_of(ax)
    box = ax.get_window_extent()
    # The layout may give neighbours some of the room once they are drawn.
    shared = figure.get_layout_engine() is not None and len(figure.axes) > 1
    part = _KEPT_ROOM if shared else 1.0
    points = part * _POINTS_PER_INCH / figure.dpi
    return max(box.width * points, 1.0), max(box.height * points, 1.0)


def font_measure() -> Measure:
    """Return a function that measures text in the font it will be drawn in."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    regular = FontProperties(size=100)
    heavy = FontProperties(size=100, weight="bold")

    @lru_cache(maxsize=20_000)
    def hundredths(text: str, bold: bool) -> float:
        # Measure only the start of a very long text: it will not fit anyway.
        part = text[:500]
        width, _, _ = text_to_path.get_text_width_height_descent(
            part, heavy if bold else regular, ismath=False
        )
        return float(width) * len(text) / max(len(part), 1)

    return lambda text, size, bold: hundredths(text, bold) * size / 100


@lru_cache(maxsize=1)
def scaled_text() -> Any:
    """Return the class of texts that grow and shrink with their axes.

    A layout engine may resize an axes after it was drawn into.
    """
    from matplotlib.text import Text

    class ScaledText(Text):
        """A text whose size is in units of the data."""

        units = 10.0

        def draw(self, renderer: Any) -> None:
            """Draw the text in the size of its axes."""
            ax = self.axes
            if ax is not None:
                box, limits = ax.get_window_extent(renderer), ax.get_xlim()
                dots = box.width / abs(limits[1] - limits[0])
                figure = figure_of(ax)
                self.set_fontsize(self.units * dots * _POINTS_PER_INCH / figure.dpi)
            super().draw(renderer)

    return ScaledText


class _Painter:
    """Turns marks into matplotlib artists."""

    def __init__(
        self, ax: Axes, inks: Mapping[str, str], scale: float, in_print: bool
    ) -> None:
        self.ax = ax
        self.inks = inks
        self.scale = scale
        self.in_print = in_print

    def paint(self, scene: Scene) -> list[Artist]:
        before = set(self.ax.get_children())
        self._paint(scene)
        made = [each for each in self.ax.get_children() if each not in before]
        # The tree fits its axes; a layout engine need not make room for its parts.
        for artist in made:
            artist.set_in_layout(False)
        return made

    def _paint(self, scene: Scene) -> None:
        # The path of a row is drawn over the other branches.
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
        fill, edge, hatch = self.inks[mark.fill], mark.edge, ""
        if self.in_print and mark.fill in PATTERNS:
            (fill, _, hatch), edge = PATTERNS[mark.fill], edge or "text"
        self.ax.add_patch(
            FancyBboxPatch(
                (mark.x, mark.y),
                mark.width,
                mark.height,
                boxstyle=style,
                facecolor=fill,
                edgecolor=self.inks[edge] if edge else "none",
                linewidth=mark.thick * self.scale if edge else 0.0,
                hatch=hatch,
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
        text = scaled_text()(
            mark.x,
            mark.y,
            mark.text,
            weight="bold" if mark.bold else "normal",
            color=self.inks[mark.ink],
            horizontalalignment=aligned[mark.anchor],
            verticalalignment="baseline",
            parse_math=False,
            alpha=alpha,
            zorder=3,
        )
        text.units = mark.size
        text.set_fontsize(mark.size * self.scale)
        self.ax.add_artist(text)
        text.set_transform(self.ax.transData)
        text.set_clip_on(False)  # small letters are a little wider than their outlines
