"""A tree as one SVG picture that needs nothing from outside."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from treewright.drawing.escape import xml
from treewright.drawing.marks import Box, Dot, Flow, Mark, Words
from treewright.drawing.palette import THEMES
from treewright.drawing.scene import Scene, Spot, compose
from treewright.drawing.visible_nodes import MOST_LEAVES, fold
from treewright.errors import OptionError, nearest_name
from treewright.tree.data import TreeData

__all__ = ["FONTS", "to_svg"]

FONTS = "'Helvetica Neue',Helvetica,Arial,'Liberation Sans',sans-serif"
_THEMES = ("auto", *THEMES)


def to_svg(
    tree: TreeData,
    *,
    max_depth: int | None = None,
    max_leaves: int | None = MOST_LEAVES,
    way: Mapping[int, str] | None = None,
    theme: str = "auto",
    direction: str | None = None,
) -> str:
    """Return a picture of the tree; see `Tree.to_svg`.

    `way` has the nodes that one row passes, each with the row's value there.
    """
    if theme not in _THEMES:
        near = nearest_name(str(theme), _THEMES)
        hint = f" Did you mean {near!r}?" if near else ""
        raise OptionError(
            f"theme must be 'auto', 'light' or 'dark'; got {theme!r}.{hint}"
        )
    folded = fold(tree, max_depth, max_leaves, tuple(way or ()))
    scene = compose(tree, folded, way=way, direction=direction)
    return "\n".join(_lines(scene, theme))


def _lines(scene: Scene, theme: str) -> Iterator[str]:
    width, height = _number(scene.width), _number(scene.height)
    title = xml(scene.title)
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="treewright tw-{theme}" '
        f'width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'role="img" aria-label="{title}" font-family="{FONTS}">'
    )
    yield f"<style>{_style(theme)}</style>"
    yield f'<rect class="f-page" width="{width}" height="{height}" rx="10"/>'
    yield '<g fill="none">'
    # The way of a row is drawn over the other branches.
    for flow in sorted(scene.flows, key=lambda flow: flow.ink == "accent"):
        yield _flow(flow)
    yield "</g>"
    for spot in scene.spots:
        yield from _spot(spot)
    yield "".join(map(_mark, scene.around))
    yield "</svg>"


def _style(theme: str) -> str:
    """Return the rules for the colours; every selector names this theme's class."""
    root = f"svg.treewright.tw-{theme}"
    first = "light" if theme == "auto" else theme
    inks = THEMES[first]
    rules = [f"{root}{{{_variables(first)}}}"]
    if theme == "auto":
        rules.append(
            f"@media(prefers-color-scheme:dark){{{root}{{{_variables('dark')}}}}}"
        )
    rules += [f"{root} .f-{ink}{{fill:var(--tw-{ink})}}" for ink in inks]
    rules += [
        f"{root} .s-{ink}{{stroke:var(--tw-{ink})}}"
        for ink in ("line", "accent", "flow", "text")
    ]
    rules.append(f"{root} .dim{{opacity:.5}}")
    return "".join(rules)


def _variables(theme: str) -> str:
    return ";".join(f"--tw-{ink}:{colour}" for ink, colour in THEMES[theme].items())


def _spot(spot: Spot) -> Iterator[str]:
    dim = ' class="dim"' if spot.is_dim else ""
    yield f'<g data-node="{spot.node}"{dim}><title>{xml(spot.title)}</title>'
    yield "".join(map(_mark, spot.marks))
    yield "</g>"


def _flow(flow: Flow) -> str:
    points = [" ".join(map(_number, point)) for point in flow.bend()]
    width = _number(flow.width)
    start, *bend = points
    return (
        f'<path class="s-{flow.ink}" stroke-width="{width}" '
        f'd="M{start}C{" ".join(bend)}"/>'
    )


def _mark(mark: Mark) -> str:
    x, y = _number(mark.x), _number(mark.y)
    if isinstance(mark, Box):
        edge = f" s-{mark.edge}" if mark.edge else ""
        thick = f' stroke-width="{_number(mark.thick)}"' if mark.thick != 1 else ""
        radius = f' rx="{_number(mark.radius)}"' if mark.radius else ""
        return (
            f'<rect class="f-{mark.fill}{edge}" x="{x}" y="{y}" '
            f'width="{_number(mark.width)}" height="{_number(mark.height)}"'
            f"{radius}{thick}/>"
        )
    if isinstance(mark, Dot):
        return (
            f'<circle class="f-{mark.fill} s-{mark.edge}" cx="{x}" cy="{y}" '
            f'r="{_number(mark.radius)}" stroke-width="{_number(mark.thick)}"/>'
        )
    return _words(mark, x, y)


def _words(mark: Words, x: str, y: str) -> str:
    anchor = "" if mark.anchor == "start" else f' text-anchor="{mark.anchor}"'
    weight = ' font-weight="600"' if mark.bold else ""
    return (
        f'<text class="f-{mark.ink}" x="{x}" y="{y}" '
        f'font-size="{_number(mark.size)}"{weight}{anchor}>{xml(mark.text)}</text>'
    )


def _number(x: float) -> str:
    """Return a length to a twentieth of a pixel or better."""
    return f"{x:.2f}".rstrip("0").rstrip(".")
