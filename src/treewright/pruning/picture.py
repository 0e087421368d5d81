"""A pruning in a notebook: the curve of the errors, and the table of sizes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from treewright.pruning.result import Pruning

__all__ = ["notebook_html"]

_WIDTH, _HEIGHT = 520, 190
_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 12, 10, 26
_INKS = {"error": "#8a94a3", "cv_error": "#4a6bd6", "validation_error": "#c2620f"}
_INKS |= {"score": "#2a8a5f"}
_NAMES = {
    "error": "training",
    "cv_error": "cross-validated",
    "validation_error": "validation",
}


def notebook_html(pruning: Pruning) -> str:
    """Return the summary, the curve and the table as HTML for a notebook.

    Parameters
    ----------
    pruning : Pruning
        The record of a pruning.

    Returns
    -------
    str
        Self-contained HTML that suits light and dark pages.
    """
    lines = [pruning.words, *(f"({note})" for note in pruning.all_notes)]
    parts = [f"<div>{escape(line)}</div>" for line in lines]
    if len(pruning.n_leaves) > 1:
        parts.append("".join(_curve(pruning)))
    if len(pruning.n_leaves):
        table = escape(str(pruning).split("\n\n", 1)[-1])
        parts.append(
            "<details><summary>Table of sizes</summary>"
            f'<pre style="line-height:1.35">{table}</pre></details>'
        )
    return f'<div style="max-width:{_WIDTH}px">{"".join(parts)}</div>'


def _curve(pruning: Pruning) -> Iterator[str]:
    shown = {name: getattr(pruning, name).tolist() for name in _INKS}
    shown = {name: values for name, values in shown.items() if values}
    leaves = pruning.n_leaves.tolist()
    top = max((v for values in shown.values() for v in values if v == v), default=1.0)
    top = (top or 1.0) * 1.15  # the names of the curves stand above them

    def x(n: float) -> float:
        span = math.log(max(leaves)) or 1.0
        return _LEFT + math.log(n) / span * (_WIDTH - _LEFT - _RIGHT)

    def y(error: float) -> float:
        return _TOP + (1 - error / top) * (_HEIGHT - _TOP - _BOTTOM)

    names = _NAMES | {"score": f"score: {pruning.score_name}"}
    curves = ", ".join(names[name] for name in shown)
    yield (
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" width="100%" role="img" '
        f'aria-label="Error against leaves: {curves}" '
        'font-family="sans-serif" font-size="11" fill="currentColor">'
    )
    yield from _axes(leaves, top, x, y)
    if len(pruning.cv_error) and pruning.best >= 0:
        by, std = ("score", "score_std") if "score" in shown else ("cv_error", "cv_std")
        limit = shown[by][pruning.best] + float(getattr(pruning, std)[pruning.best])
        yield _line(_LEFT, _WIDTH - _RIGHT, y(limit), y(limit), _INKS[by], "2 3")
    at = x(max(pruning.n_leaves_after, 1))
    yield _line(at, at, _TOP, _HEIGHT - _BOTTOM, "#c2185b")
    place = _LEFT + 8.0
    for name, values in shown.items():
        points = " ".join(
            f"{x(n):.1f},{y(v):.1f}"
            for n, v in zip(leaves, values, strict=True)
            if v == v
        )
        ink = _INKS[name]
        yield (
            f'<polyline points="{points}" fill="none" stroke="{ink}" '
            'stroke-width="1.8"/>'
        )
        yield (
            f'<rect x="{place}" y="{_TOP}" width="12" height="3" fill="{ink}"/>'
            f'<text x="{place + 17}" y="{_TOP + 5}">{names[name]}</text>'
        )
        place += 30 + 6.2 * len(names[name])
    yield "</svg>"


def _axes(leaves: Sequence[int], top: float, x: object, y: object) -> Iterator[str]:
    assert callable(x)
    assert callable(y)
    step = 10 ** math.floor(math.log10(top / 2))
    step *= next(m for m in (1, 2, 5, 10) if top / (m * step) <= 5)
    for k in range(int(top / step) + 1):
        at = y(k * step)
        yield (
            f'<line x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{at:.1f}" y2="{at:.1f}" '
            'stroke="currentColor" stroke-opacity=".15"/>'
            f'<text x="{_LEFT - 6}" y="{at + 4:.1f}" text-anchor="end" '
            f'fill-opacity=".7">{k * step:.3g}</text>'
        )
    last = math.inf
    for n in leaves:
        if last - x(n) < 34 and n != 1:
            continue
        if last - x(n) >= 26:
            last = x(n)
            yield (
                f'<text x="{last:.1f}" y="{_HEIGHT - 8}" text-anchor="middle" '
                f'fill-opacity=".7">{n:,}</text>'
            )


def _line(x1: float, x2: float, y1: float, y2: float, ink: str, dash: str = "") -> str:
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    return (
        f'<line x1="{x1:.1f}" x2="{x2:.1f}" y1="{y1:.1f}" y2="{y2:.1f}" '
        f'stroke="{ink}" stroke-width="1.2"{dashed}/>'
    )
