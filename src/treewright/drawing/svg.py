"""A tree as one self-contained SVG picture.

Every shape carries its colour, so that any program can draw it. Style rules only
change the colours on dark pages: those of the system, and those of JupyterLab,
VS Code and marimo, whose themes need not be the system's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from treewright.drawing.escape import xml
from treewright.drawing.look import PLAIN, Look, check_theme, length_of, make_look
from treewright.drawing.marks import Box, Dot, Flow, Mark, Words
from treewright.drawing.palette import LIGHT, PATTERNS, PRINT, THEMES
from treewright.drawing.scene import Scene, Spot, compose
from treewright.drawing.visible_nodes import MOST_LEAVES, visible_nodes
from treewright.tree.data import TreeData

__all__ = ["DARK_PAGES", "FONTS", "cell_svg", "to_svg"]

FONTS = "Arial,Helvetica,'Liberation Sans',sans-serif"
"""Fonts of the same widths; a program that reads only the first has a substitute."""
_CELL_WIDTH, _CELL_SHRINK = 800.0, 0.85
_CELL_LEAVES = (MOST_LEAVES, 40, 24, 16, 12, 8, 6, 4)
DARK_PAGES = (
    '[data-jp-theme-light="false"]',
    "body.vscode-dark",
    "body.vscode-high-contrast:not(.vscode-high-contrast-light)",
    "body.dark",
    "body.dark-theme",
)
"""Selectors of notebooks with a dark theme."""
_NOTEBOOKS = (
    "[data-jp-theme-light]",
    "body[data-vscode-theme-kind]",
    "body.vscode-light",
    "body.light",
    "body.light-theme",
    *DARK_PAGES[1:],
)


def to_svg(
    tree: TreeData,
    *,
    max_depth: int | None = None,
    max_leaves: int | None = MOST_LEAVES,
    path: Mapping[int, str] | None = None,
    theme: str = "auto",
    direction: str | None = None,
    width: float | str | None = None,
    **look: Any,
) -> str:
    """Return a picture of the tree; see `Tree.to_svg`.

    `path` is the path of one row: its nodes, each with the row's value there. `look`
    are the options of `make_look`.
    """
    check_theme(theme)
    chosen = make_look(**look)
    visible = visible_nodes(tree, max_depth, max_leaves, tuple(path or ()))
    scene = compose(tree, visible, path=path, direction=direction, look=chosen)
    size = _size(scene, width)
    return "\n".join(_Writer(theme, chosen).lines(scene, size))


def cell_svg(tree: TreeData) -> str:
    """Return the picture for a cell of a notebook, about 800 pixels wide.

    A tree that would be much wider is folded; a little wider, and it is shrunk.
    """
    for leaves in _CELL_LEAVES:
        visible = visible_nodes(tree, None, leaves)
        scene = compose(tree, visible, screen=(_CELL_WIDTH, 3 * _CELL_WIDTH))
        if scene.width <= _CELL_WIDTH / _CELL_SHRINK:
            break
    writer = _Writer("auto", PLAIN, 'style="max-width:100%;height:auto" ')
    return "\n".join(writer.lines(scene, _size(scene, None)))


def _size(scene: Scene, width: float | str | None) -> tuple[str, str]:
    """Return the width and height of the picture with their units."""
    if width is None:
        return _number(scene.width), _number(scene.height)
    wide, unit = length_of(width)
    high = wide * scene.height / scene.width
    return f"{_number(wide)}{unit}", f"{_number(high)}{unit}"


class _Writer:
    """Turns marks into elements with the colours of one theme."""

    def __init__(self, theme: str, look: Look, attributes: str = "") -> None:
        self.attributes = attributes
        self.is_print = look.palette == "print"
        self.theme = "light" if self.is_print else theme
        self.inks = PRINT if self.is_print else THEMES.get(theme, LIGHT)
        self.used: set[str] = set()

    def lines(self, scene: Scene, size: tuple[str, str]) -> Iterator[str]:
        shapes = list(self._shapes(scene))
        width, height = _number(scene.width), _number(scene.height)
        yield (
            '<svg xmlns="http://www.w3.org/2000/svg" '
            f'class="treewright tw-{self.theme}" '
            f'width="{size[0]}" height="{size[1]}" viewBox="0 0 {width} {height}" '
            f'{self.attributes}role="img" font-family="{FONTS}">'
        )
        yield f"<title>{xml(scene.title)}</title>"
        yield f"<desc>{xml(scene.outline)}</desc>"
        if self.theme == "auto":
            yield f"<style>{self._dark_rules()}</style>"
        if self.is_print:
            yield f"<defs>{''.join(_patterns(self.used))}</defs>"
        yield from shapes
        yield "</svg>"

    def _shapes(self, scene: Scene) -> Iterator[str]:
        width, height = _number(scene.width), _number(scene.height)
        page = self._paint("f", "page")
        yield f'<rect {page} width="{width}" height="{height}" rx="10"/>'
        yield '<g fill="none">'
        # The path of a row is drawn over the other branches.
        for flow in sorted(scene.flows, key=lambda flow: flow.ink == "accent"):
            yield self._flow(flow)
        yield "</g>"
        for spot in scene.spots:
            yield from self._spot(spot)
        yield "".join(map(self._mark, scene.around))

    def _paint(self, kind: str, ink: str) -> str:
        """Return the attributes that fill or stroke a shape with a colour."""
        self.used.add(f"{kind}-{ink}")
        name = "fill" if kind == "f" else "stroke"
        colour = self.inks[ink]
        if self.is_print and ink in PATTERNS:
            colour = f"url(#tw-{ink})"
        return f'class="{kind}-{ink}" {name}="{colour}"'

    def _dark_rules(self) -> str:
        """Return rules that recolour the shapes on dark pages.

        Programs that do not know variables ignore the whole block.
        """
        root = "svg.treewright.tw-auto"
        inks = sorted({each[2:] for each in self.used})
        dark = ";".join(f"--tw-{ink}:{THEMES['dark'][ink]}" for ink in inks)
        rules = [
            f"{root} .{each}{{{'fill' if each[0] == 'f' else 'stroke'}:"
            f"var(--tw-{each[2:]},{LIGHT[each[2:]]})}}"
            for each in sorted(self.used)
        ]
        inside = ",".join(f"{page} *" for page in _NOTEBOOKS)
        return (
            f"@supports(color:var(--a)){{{''.join(rules)}"
            f"@media(prefers-color-scheme:dark){{{root}:not({inside}){{{dark}}}}}"
            f":is({','.join(DARK_PAGES)}) {root}{{{dark}}}}}"
        )

    def _spot(self, spot: Spot) -> Iterator[str]:
        dim = ' opacity=".5"' if spot.is_dim else ""
        yield f'<g data-node="{spot.node}"{dim}><title>{xml(spot.title)}</title>'
        yield "".join(map(self._mark, spot.marks))
        yield "</g>"

    def _flow(self, flow: Flow) -> str:
        points = [" ".join(map(_number, point)) for point in flow.bend()]
        width = _number(flow.width)
        start, *bend = points
        return (
            f'<path {self._paint("s", flow.ink)} stroke-width="{width}" '
            f'd="M{start}C{" ".join(bend)}"/>'
        )

    def _mark(self, mark: Mark) -> str:
        x, y = _number(mark.x), _number(mark.y)
        if isinstance(mark, Box):
            thick = f' stroke-width="{_number(mark.thick)}"' if mark.thick != 1 else ""
            radius = f' rx="{_number(mark.radius)}"' if mark.radius else ""
            return (
                f'<rect {self._both(mark.fill, mark.edge)} x="{x}" y="{y}" '
                f'width="{_number(mark.width)}" height="{_number(mark.height)}"'
                f"{radius}{thick}/>"
            )
        if isinstance(mark, Dot):
            return (
                f'<circle {self._both(mark.fill, mark.edge)} cx="{x}" cy="{y}" '
                f'r="{_number(mark.radius)}" stroke-width="{_number(mark.thick)}"/>'
            )
        return self._words(mark, x, y)

    def _both(self, fill: str, edge: str) -> str:
        if not edge and not (self.is_print and fill in PATTERNS):
            return self._paint("f", fill)
        edge = edge or "text"  # a white pattern on white paper needs a border
        self.used |= {f"f-{fill}", f"s-{edge}"}
        inside = self._paint("f", fill).partition(" ")[2]
        border = self._paint("s", edge).partition(" ")[2]
        return f'class="f-{fill} s-{edge}" {inside} {border}'

    def _words(self, mark: Words, x: str, y: str) -> str:
        anchor = "" if mark.anchor == "start" else f' text-anchor="{mark.anchor}"'
        weight = ' font-weight="bold"' if mark.bold else ""
        return (
            f'<text {self._paint("f", mark.ink)} x="{x}" y="{y}" '
            f'font-size="{_number(mark.size)}"{weight}{anchor}>{xml(mark.text)}</text>'
        )


def _patterns(used: set[str]) -> Iterator[str]:
    for ink, (ground, strokes, _) in PATTERNS.items():
        if f"f-{ink}" not in used:
            continue
        lines = f'<path d="{strokes}" fill="none" stroke="#111111"/>' * bool(strokes)
        yield (
            f'<pattern id="tw-{ink}" width="6" height="6" '
            f'patternUnits="userSpaceOnUse"><rect width="6" height="6" '
            f'fill="{ground}"/>{lines}</pattern>'
        )


def _number(x: float) -> str:
    """Return a length with two decimals, without trailing zeros."""
    return f"{x:.2f}".rstrip("0").rstrip(".")
