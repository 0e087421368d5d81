"""A picture looks the same in every program that draws SVG."""

from xml.etree import ElementTree

import numpy as np
import pytest

from support.gallery import GALLERY
from support.renderers import OTHERS, by_chromium, coarse
from support.repeats import first_of
from treewright.drawing.palette import LIGHT

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def chromium_pictures():
    return {}


@pytest.mark.parametrize("name", first_of(GALLERY, 5))
@pytest.mark.parametrize("program", OTHERS)
def test_the_picture_is_that_of_chromium(name, program, chromium_pictures):
    svg = GALLERY[name]().to_svg()
    drawn = OTHERS[program](svg)
    if name not in chromium_pictures:
        chromium_pictures[name] = by_chromium(svg)
    expected = chromium_pictures[name]
    assert np.abs(np.subtract(drawn.shape, expected.shape)).max() <= 2
    apart = np.abs(coarse(drawn) - coarse(expected))
    # cairosvg rounds the width of every letter to whole pixels.
    assert apart.mean() < (4.0 if program == "cairosvg" else 2.0)
    assert drawn.mean() > 200  # not black
    assert drawn.std() > 5  # not blank


@pytest.mark.parametrize("palette", ["colour", "print"])
@pytest.mark.parametrize("theme", ["auto", "light", "dark"])
def test_every_shape_carries_its_colour(palette, theme):
    root = ElementTree.fromstring(
        GALLERY["penguins"]().to_svg(theme=theme, palette=palette)
    )
    for each in root.iter():
        if each.tag in (f"{SVG}rect", f"{SVG}circle", f"{SVG}text"):
            assert each.get("fill", "").startswith(("#", "url(#"))
        if each.tag == f"{SVG}path":
            assert each.get("stroke", "").startswith("#")


def pixel(picture, colour):
    wanted = [int(colour[i : i + 2], 16) for i in (1, 3, 5)]
    return (np.abs(picture.astype(int) - wanted).max(axis=2) <= 2).sum()


@pytest.mark.parametrize("program", OTHERS)
def test_other_programs_use_the_light_colours(program):
    drawn = OTHERS[program](GALLERY["penguins"]().to_svg())
    for ink in ("c0", "c1", "c2", "flow"):
        assert pixel(drawn, LIGHT[ink]) > 200, ink
