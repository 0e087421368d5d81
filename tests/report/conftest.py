"""One browser for all tests of a file."""

import pytest

from support.pages import browser_page


@pytest.fixture(scope="module")
def browser():
    with browser_page(viewport={"width": 1280, "height": 900}) as page:
        yield page


@pytest.fixture
def page(browser):
    browser.problems.clear()
    yield browser
    assert browser.problems == []
