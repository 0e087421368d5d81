"""A real browser for tests, and files from npm; loud when there is none."""

import contextlib
import os
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NODE = ROOT / "build" / "node" / "node_modules"


def npm_file(path):
    """Return a file of an npm package that `make node` has installed."""
    found = NODE / path
    if not found.exists():
        package = path.split("/")[0]
        pytest.skip(f"NOT TESTED: npm package {package} is missing; run 'make node'")
    return str(found)


def chromium():
    """Return the browser to test with."""
    found = os.environ.get("CHROMIUM") or shutil.which("chromium")
    if not found:
        pytest.skip("NOT TESTED: no browser (apt install chromium, or set CHROMIUM)")
    return found


@contextlib.contextmanager
def chromium_page(**options):
    """Open a page in Chromium that may not reach any network."""
    program = chromium()
    sync_api = pytest.importorskip(
        "playwright.sync_api", reason="NOT TESTED: pip install playwright"
    )
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=program, args=["--no-sandbox"]
        )
        context = browser.new_context(offline=True, **options)
        try:
            yield context.new_page()
        finally:
            browser.close()
