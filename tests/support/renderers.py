"""Programs that draw SVG; loud when one is missing."""

import io
import shutil
import subprocess

import numpy as np
import pytest

from support.browser import chromium_page

Image = pytest.importorskip("PIL.Image", reason="NOT TESTED: pip install pillow")


def _program(name, package):
    found = shutil.which(name)
    if not found:
        pytest.skip(f"NOT TESTED: {name} is missing (apt install {package})")
    return found


def by_librsvg(svg):
    program = _program("rsvg-convert", "librsvg2-bin")
    made = subprocess.run(
        [program], input=svg.encode(), capture_output=True, check=True, timeout=60
    )
    return _picture(made.stdout)


def by_cairosvg(svg):
    try:
        cairosvg = pytest.importorskip(
            "cairosvg", reason="NOT TESTED: pip install cairosvg", exc_type=ImportError
        )
        return _picture(cairosvg.svg2png(bytestring=svg.encode()))
    except OSError:
        pytest.skip("NOT TESTED: cairosvg finds no libcairo (apt install libcairo2)")


def by_inkscape(svg):
    program = _program("inkscape", "inkscape")
    made = subprocess.run(
        [program, "--pipe", "--export-type=png", "--export-filename=-"],
        input=svg.encode(),
        capture_output=True,
        check=True,
        timeout=120,
    )
    start = made.stdout.index(b"\x89PNG")  # warnings may stand before it
    return _picture(made.stdout[start:])


def by_chromium(svg, scale=1.0, **options):
    with chromium_page(device_scale_factor=scale, **options) as page:
        page.set_viewport_size({"width": 4000, "height": 3000})
        page.set_content(f'<body style="margin:0;background:#fff">{svg}</body>')
        return _picture(page.locator("svg").screenshot())


OTHERS = {"librsvg": by_librsvg, "cairosvg": by_cairosvg, "inkscape": by_inkscape}


def _picture(png):
    """Return the picture on white paper, as numbers from 0 to 255."""
    drawn = Image.open(io.BytesIO(png)).convert("RGBA")
    paper = Image.new("RGBA", drawn.size, "white")
    paper.alpha_composite(drawn)
    return np.asarray(paper.convert("RGB"))


def coarse(picture, size=(160, 100)):
    """Return a small blurred copy, in which a pixel's shift does not matter."""
    return np.asarray(Image.fromarray(picture).resize(size, Image.BOX), dtype=float)
