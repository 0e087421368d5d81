"""The promises of the palette: visible on its page, and apart for all eyes."""

from itertools import combinations

import numpy as np
import pytest

from treewright.drawing.palette import CLASS_INKS, PATTERNS, RAMP_INKS, THEMES

# What an eye without one kind of cone sees, for linear light (Machado et al. 2009).
EYES = {
    "all": np.eye(3),
    "no red": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
               [-0.003882, -0.048116, 1.051998]],
    "no green": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
                 [-0.011820, 0.042940, 0.968881]],
    "no blue": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
                [0.004733, 0.691367, 0.303900]],
}  # fmt: skip


def linear(colour):
    c = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def contrast(a, b):
    low, high = sorted(linear(c) @ [0.2126, 0.7152, 0.0722] for c in (a, b))
    return (high + 0.05) / (low + 0.05)


def oklab(light):
    cones = np.array(
        [[0.4122214708, 0.5363325363, 0.0514459929],
         [0.2119034982, 0.6806995451, 0.1073969566],
         [0.0883024619, 0.2817188376, 0.6299787005]]
    ) @ np.clip(light, 0, 1)  # fmt: skip
    mix = [[0.2104542553, 0.7936177850, -0.0040720468],
           [1.9779984951, -2.4285922050, 0.4505937099],
           [0.0259040371, 0.7827717662, -0.8086757660]]  # fmt: skip
    return np.array(mix) @ np.cbrt(cones)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("ground", ["page", "card", "leaf"])
def test_text_can_be_read_and_shapes_can_be_seen(theme, ground):
    inks = THEMES[theme]
    for ink in ("text", "muted", "accent"):
        assert contrast(inks[ink], inks[ground]) >= 4.5, ink
    if ground == "page":
        for ink in CLASS_INKS:
            assert contrast(inks[ink], inks[ground]) >= 3.0, ink


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("eyes", EYES)
@pytest.mark.parametrize(("n", "least"), [(2, 0.2), (4, 0.12), (8, 0.07)])
def test_class_colours_are_distinct_for_colour_blind_readers(theme, eyes, n, least):
    seen = [
        oklab(np.array(EYES[eyes]) @ linear(THEMES[theme][ink]))
        for ink in CLASS_INKS[:n]
    ]
    nearest = min(float(np.linalg.norm(a - b)) for a, b in combinations(seen, 2))
    assert nearest >= least


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize(("n", "least"), [(2, 18), (4, 9), (8, 4.5)])
def test_class_colours_differ_in_lightness_for_grey_print(theme, n, least):
    shades = [
        116 * np.cbrt(linear(THEMES[theme][ink]) @ [0.2126, 0.7152, 0.0722]) - 16
        for ink in CLASS_INKS[:n]
    ]
    assert np.diff(sorted(shades)).min() >= least


def test_patterns_for_print_are_all_different():
    assert len(set(PATTERNS.values())) == len(CLASS_INKS)


@pytest.mark.parametrize("theme", THEMES)
def test_the_ramp_grows_ever_further_from_the_page(theme):
    inks = THEMES[theme]
    steps = [contrast(inks[ink], inks["page"]) for ink in RAMP_INKS]
    assert steps == sorted(steps)


def test_themes_name_the_same_colours():
    assert len({frozenset(inks) for inks in THEMES.values()}) == 1
