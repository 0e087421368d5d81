"""What people print has a form in a notebook; shown in a real JupyterLab."""

import contextlib
import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from html.parser import HTMLParser

import pytest

import treewright as tw
from support.browser import chromium, chromium_page
from support.gallery import GALLERY
from support.looks import HOSTILE, hostile_tree, penguins, table
from treewright.drawing.palette import DARK, LIGHT


def birds():
    columns = table("penguins.csv")
    return columns, columns["species"]


def printed(tree, X, y):
    """Return everything about a tree that people print."""
    row = {k: v[0] for k, v in X.items()}
    found = [
        tree,
        tree.explain(row),
        tree.why(0, X, y),
        tree.rules(),
        tree.evaluate(X, y),
        tree.schema,
        tw.as_table(X, y),
        tw.pruning_path(tree),
        tw.inspect(X, y),
    ]
    if tree.data.is_classifier:
        found.append(tree.formula(tree.classes[0]))
    return found


class Balanced(HTMLParser):
    """Raises unless every element that is opened is closed."""

    VOID = ("br", "hr", "img", "meta", "link", "input")

    def __init__(self):
        super().__init__()
        self.open = []
        self.seen = set()

    def handle_starttag(self, tag, attrs):
        self.seen.add(tag)
        assert not [name for name, _ in attrs if name.startswith("on")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def checked(html):
    parser = Balanced()
    parser.feed(html)
    parser.close()
    assert not parser.open
    return parser.seen


def test_everything_that_people_print_has_a_form_in_a_notebook():
    X, y = birds()
    for each in printed(penguins(), X, y):
        checked(each._repr_html_())
    fitted = tw.TreeClassifier(findings="ignore").fit(X, y)
    checked(fitted.pruning_._repr_html_())
    shown = fitted._repr_mimebundle_()
    assert "svg" in checked(shown["text/html"])
    assert shown["text/plain"] == repr(fitted)
    assert "TreeClassifier" in tw.TreeClassifier()._repr_mimebundle_()["text/plain"]


@pytest.mark.parametrize("name", [h for h in HOSTILE if h and h.isprintable()])
def test_hostile_names_stay_text_in_a_notebook(name):
    tree = hostile_tree(name)
    X = {name: [name, "plain", "third"], name + "!": [0.0, 1.0, 0.0]}
    for each in printed(tree, X, [name, "plain", "plain"]):
        seen = checked(each._repr_html_())
        assert not seen & {"script", "img", "iframe"}


@pytest.mark.parametrize("name", GALLERY)
def test_pictures_fit_a_cell(name):
    html = GALLERY[name]()._repr_html_()
    width = float(html.partition('width="')[2].partition('"')[0])
    assert width <= 800 / 0.85 or name == "hostile"
    assert "max-width:100%" in html


def test_a_report_without_a_path_shows_itself():
    found = tw.report(penguins())
    html = found._repr_html_()
    assert html.startswith('<iframe srcdoc="&lt;!')
    assert checked(html) == {"iframe"}
    assert "tw.report(tree, path)" in repr(found)


@pytest.mark.parametrize(
    ("body", "system", "inks"),
    [
        ("", "light", LIGHT),
        ("", "dark", DARK),
        ('data-jp-theme-light="true"', "dark", LIGHT),
        ('data-jp-theme-light="false"', "light", DARK),
        ('class="vscode-light" data-vscode-theme-kind="vscode-light"', "dark", LIGHT),
        ('class="vscode-dark" data-vscode-theme-kind="vscode-dark"', "light", DARK),
        ('class="light light-theme"', "dark", LIGHT),
        ('class="dark dark-theme"', "light", DARK),
    ],
)
def test_a_picture_follows_the_theme_of_its_page(body, system, inks):
    html = penguins()._repr_html_()
    with chromium_page(color_scheme=system) as page:
        page.set_content(f"<html><body {body}>{html}</body></html>")
        fills = page.eval_on_selector_all(
            "svg .f-page, svg .f-text, svg .s-line",
            "all => all.map((each) => getComputedStyle(each).fill)",
        )
    assert fills[0] == rgb(inks["page"])
    assert rgb(inks["text"]) in fills


# -- JupyterLab ------------------------------------------------------------------------

CELLS = (
    "import treewright as tw, pandas as pd\n"
    "from importlib.resources import files\n"
    "path = str(files('treewright') / 'data' / 'penguins.csv')\n"
    "X = pd.read_csv(path).to_dict('list'); y = X.pop('species')\n"
    "fitted = tw.TreeClassifier(max_depth=3).fit(X, y); tree = fitted.tree_",
    "tree",
    "fitted",
    "tree.rules()",
    "tree.explain({k: v[0] for k, v in X.items()})",
    "tree.why(0, X, y)",
    "tree.evaluate(X, y)",
    "fitted.pruning_",
    "tw.as_table(X, y)",
    "tw.report(tree)",
)


def executed(folder, environment):
    """Run the cells in a real kernel, and sign the notebook so that it is trusted."""
    code = (
        "import sys, nbformat, nbclient, json\n"
        "from nbformat.sign import NotebookNotary\n"
        "nb = nbformat.v4.new_notebook()\n"
        "nb.cells = [nbformat.v4.new_code_cell(c) for c in json.loads(sys.argv[1])]\n"
        "nbclient.NotebookClient(nb, timeout=120, kernel_name='python3').execute()\n"
        "nbformat.write(nb, 'trees.ipynb')\n"
        "NotebookNotary().sign(nbformat.read('trees.ipynb', as_version=4))\n"
    )
    subprocess.run(
        [sys.executable, "-c", code, json.dumps(CELLS)],
        cwd=folder,
        env=environment,
        check=True,
        timeout=240,
        capture_output=True,
    )


@contextlib.contextmanager
def jupyterlab(folder, theme):
    """Start JupyterLab on a free port, with one theme."""
    for package in ("jupyterlab", "nbclient", "ipykernel"):
        pytest.importorskip(package, reason="NOT TESTED: run 'make notebook'")
    home = folder / "home"
    settings = home / "lab" / "user-settings" / "@jupyterlab" / "apputils-extension"
    settings.mkdir(parents=True)
    (settings / "themes.jupyterlab-settings").write_text(json.dumps({"theme": theme}))
    (settings / "notification.jupyterlab-settings").write_text(
        json.dumps({"fetchNews": "false", "checkForUpdates": False})
    )
    environment = os.environ | {
        "HOME": str(home),
        "JUPYTER_CONFIG_DIR": str(home),
        "JUPYTER_DATA_DIR": str(home / "data"),
        "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
        "JUPYTERLAB_SETTINGS_DIR": str(home / "lab" / "user-settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(home / "workspaces"),
    }
    executed(folder, environment)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen(
        [
            sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root",
            f"--port={port}", "--ip=127.0.0.1", "--IdentityProvider.token=",
            "--ServerApp.disable_check_xsrf=True",
        ],
        cwd=folder,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        address = f"http://127.0.0.1:{port}"
        for _ in range(120):
            with contextlib.suppress(OSError):
                urllib.request.urlopen(f"{address}/api", timeout=2)
                break
            time.sleep(0.5)
        yield f"{address}/lab/tree/trees.ipynb"
    finally:
        server.terminate()
        server.wait(timeout=20)


def rgb(colour):
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgb({red}, {green}, {blue})"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("theme", "system", "inks"),
    [("JupyterLab Light", "dark", LIGHT), ("JupyterLab Dark", "light", DARK)],
)
def test_jupyterlab_shows_everything_in_its_own_theme(tmp_path, theme, system, inks):
    program = chromium()
    sync_api = pytest.importorskip(
        "playwright.sync_api", reason="NOT TESTED: pip install playwright"
    )
    with (
        jupyterlab(tmp_path, theme) as address,
        sync_api.sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(
            executable_path=program, args=["--no-sandbox"]
        )
        page = browser.new_page(
            color_scheme=system, viewport={"width": 1150, "height": 9000}
        )
        page.goto(address)
        page.wait_for_selector(".jp-OutputArea svg.treewright", timeout=90_000)
        page.wait_for_selector(".jp-OutputArea iframe", timeout=30_000)
        page.wait_for_timeout(1000)
        if os.environ.get("TREEWRIGHT_PICTURES"):
            page.screenshot(path=f"{os.environ['TREEWRIGHT_PICTURES']}/{theme}.png")
        fills = page.eval_on_selector_all(
            ".jp-OutputArea svg.treewright .f-page",
            "all => all.map((each) => getComputedStyle(each).fill)",
        )
        boxes = page.eval_on_selector_all(
            ".jp-OutputArea svg.treewright",
            "all => all.map((each) => [each.getBoundingClientRect().width,"
            " each.closest('.jp-OutputArea-output').getBoundingClientRect().width])",
        )
        tables = page.locator(".jp-OutputArea table").count()
        told = page.frame_locator(".jp-OutputArea iframe").locator("h1").inner_text()
        browser.close()
    assert fills == [rgb(inks["page"])] * 2
    assert all(picture <= cell + 1 for picture, cell in boxes)
    assert tables >= 4
    assert told.endswith("y")  # the target is a list without a name
