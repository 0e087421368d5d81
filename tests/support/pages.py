"""Reports in a real browser, and functions that query them."""

import contextlib

from support.browser import chromium_page
from treewright.reporting import report


@contextlib.contextmanager
def browser_page(**options):
    """A page that keeps a list of everything that went wrong, or out."""
    with chromium_page(**options) as page:
        yield _watched(page)


@contextlib.contextmanager
def another_page(page, **options):
    """A page of another size or colour in the same browser."""
    context = page.context.browser.new_context(offline=True, **options)
    try:
        yield _watched(context.new_page())
    finally:
        context.close()


def _watched(page):
    page.problems = []
    page.on("console", lambda m: page.problems.append(f"console: {m.text}"))
    page.on("pageerror", lambda e: page.problems.append(f"error: {e}"))
    page.on("dialog", lambda d: page.problems.append(f"dialog: {d.message}"))
    page.on("request", lambda r: _note(page, r.url))
    return page


def _note(page, url):
    if not url.startswith(("file:///", "blob:")):
        page.problems.append(f"request: {url[:200]}")


def open_report(page, tree, folder, **more):
    """Write a report, open it, and wait until it stands."""
    path = report(tree, folder / "report.html", **more)
    page.goto(path.as_uri())
    page.wait_for_selector("html[data-ready]", state="attached")
    assert page.problems == []
    return path


def fill(page, texts):
    """Put text into fields by their columns, as typing or choosing does."""
    page.evaluate(
        """(pairs) => pairs.forEach(([j, text], i) => {
            const { input } = treewright.fields.get(j);
            input.value = text;
            if (i === pairs.length - 1) input.dispatchEvent(new Event("input"));
        })""",
        [list(pair) for pair in texts.items()],
    )


def until(page, expression):
    """Wait for what a timer does; the page's policy forbids waiting by strings."""
    for _ in range(100):
        if page.evaluate(expression):
            return
        page.wait_for_timeout(20)
    raise AssertionError(f"never came true: {expression}")
