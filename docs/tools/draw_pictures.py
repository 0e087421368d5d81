"""Photograph the report of the penguins: real output, light and dark, small files.

``python docs/tools/draw_pictures.py`` needs Chromium and playwright (``make browser``).
It writes docs/pictures/report-light.png and report-dark.png.
"""

import io
import shutil
import tempfile
from importlib.resources import files
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

import treewright as tw

FOLDER = Path(__file__).parents[1] / "pictures"
WIDTH, HEIGHT = 1180, 1120
COLOURS = 96


def main() -> None:
    """Grow the tree of the page Start, and photograph its report."""
    path = files("treewright") / "data" / "penguins.csv"
    table = tw.read(path, target="species")
    training, test = (table.take(rows) for rows in tw.hold_out(table, 0.25))
    fitted = tw.TreeClassifier().fit(training)
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        tw.report(fitted, page, test)
        for theme in ("light", "dark"):
            _photograph(page, theme)


def _photograph(page: Path, theme: str) -> None:
    """Save the first screen of the report as a PNG with few colours."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        opened = browser.new_page(
            color_scheme=theme, viewport={"width": WIDTH, "height": HEIGHT}
        )
        opened.goto(page.as_uri())
        opened.wait_for_timeout(800)
        taken = Image.open(io.BytesIO(opened.screenshot()))
        browser.close()
    few = taken.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    few.save(FOLDER / f"report-{theme}.png", optimize=True)


if __name__ == "__main__":
    main()
