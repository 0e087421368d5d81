"""Pictures of the gallery, compared with PNG files that somebody has looked at.

Fonts and their smoothing differ a little between machines; a tolerance allows that.
After a wanted change: TREEWRIGHT_REWRITE=1 pytest tests/drawing/test_pictures.py, then
look at every file that changed before it is committed.
"""

import os
from pathlib import Path

import numpy as np
import pytest

from support.gallery import GALLERY
from support.renderers import Image, by_chromium, coarse
from support.repeats import first_of

GOLDEN = Path(__file__).parent / "golden"


@pytest.mark.parametrize("name", first_of(GALLERY, 5))
def test_the_picture_looks_as_it_did(name):
    drawn = by_chromium(GALLERY[name]().to_svg(), scale=0.6)
    path = GOLDEN / f"{name}.png"
    if os.environ.get("TREEWRIGHT_REWRITE"):
        image = Image.fromarray(drawn).quantize(64, dither=Image.Dither.NONE)
        image.save(path, optimize=True)
    expected = np.asarray(Image.open(path).convert("RGB"))
    assert np.abs(np.subtract(drawn.shape, expected.shape)).max() <= 2
    apart = np.abs(coarse(drawn) - coarse(expected)).max(axis=2)
    assert apart.mean() < 2.0
    assert np.percentile(apart, 99.5) < 48  # no card is missing or elsewhere


def test_the_golden_pictures_are_small():
    sizes = [path.stat().st_size for path in GOLDEN.glob("*.png")]
    assert len(sizes) == len(GALLERY)
    assert sum(sizes) < 500_000
