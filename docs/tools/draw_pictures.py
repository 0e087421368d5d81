"""Draw the pictures of the front page: real output, light and dark, small files.

``python docs/tools/draw_pictures.py`` needs Chromium and playwright (``make browser``)
for the pictures of the report. It writes
docs/pictures/tree-light.svg, tree-dark.svg, report-light.png and report-dark.png.
"""

import io
import shutil
import tempfile
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import pandas as pd
from PIL import Image
from playwright.sync_api import sync_playwright

import treewright as tw

FOLDER = Path(__file__).parents[1] / "pictures"
WIDTH, HEIGHT = 1180, 1120
COLOURS = 96


class Species(list):
    """The target, with its name."""

    name = "species"


def main() -> None:
    """Grow the tree of the demonstration, and draw it and its report."""
    path = files("treewright") / "data" / "penguins.csv"
    table = pd.read_csv(str(path)).to_dict("list")
    columns, target = _every(table, lambda row: row % 4 > 0)
    fitted = tw.TreeClassifier().fit(columns, target)
    FOLDER.mkdir(exist_ok=True)
    for theme in ("light", "dark"):
        fitted.tree_.save_picture(FOLDER / f"tree-{theme}.svg", theme=theme)
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        tw.report(fitted, page, *_every(table, lambda row: row % 4 == 0))
        for theme in ("light", "dark"):
            _photograph(page, theme)


def _every(
    table: dict[str, list[object]], is_wanted: Callable[[int], bool]
) -> tuple[dict[str, list[object]], Species]:
    """Return the columns and the target of some rows."""
    kept = [row for row in range(len(table["species"])) if is_wanted(row)]
    columns = {name: [column[row] for row in kept] for name, column in table.items()}
    return columns, Species(columns.pop("species"))


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
