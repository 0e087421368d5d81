"""The scripts of the page as modules: unit tests in node, and the join to one file."""

import json
import os
import shutil
import subprocess

import numpy as np
import pytest

import treewright as tw
from support import report_trees as trees
from support.browser import ROOT
from support.report_data import data_of
from treewright.drawing.report.join import join_modules
from treewright.errors import TreewrightError

SCRIPTS = ROOT / "src" / "treewright" / "drawing" / "report" / "scripts"


def memorising():
    """A tree on a column with 40 categories for 80 rows."""
    rng = np.random.default_rng(1)
    shop = [f"shop {i % 40:02}" for i in range(80)]
    high = rng.random(40) < 0.5
    y = ["high" if high[i % 40] else "low" for i in range(80)]
    model = tw.TreeClassifier(
        prune=None, kinds={"shop": "categorical"}, findings="ignore"
    )
    return model.fit({"shop": shop}, y), {"shop": shop}, y


FIXTURES = {
    "credit": lambda: trees.credit(prune=None, max_depth=6),
    "hitters": trees.hitters,
    "penguins": trees.gappy_penguins,
    "tennis": trees.tennis_id3,
    "divided": lambda: trees.gappy_penguins(method="c45"),
    "stopping": lambda: trees.gappy_penguins(
        missing="surrogate", surrogate_fallback="stop", max_surrogates=1
    ),
    "memory": memorising,
}


@pytest.fixture(scope="module")
def fixtures(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fixtures")
    for name, make in FIXTURES.items():
        model, X, y = make()
        data = data_of(tw.report(model, folder / "r.html", X, y))
        (folder / f"{name}.json").write_text(json.dumps(data))
    return folder


def node():
    found = shutil.which("node")
    if not found:
        pytest.skip("NOT TESTED: no node (apt install nodejs)")
    return found


@pytest.mark.parametrize("file", ["pure.test.js", "model.test.js"])
def test_the_modules_pass_their_tests_in_node(fixtures, file):
    done = subprocess.run(
        [node(), "--test", str(ROOT / "tests" / "report" / "node" / file)],
        env={**os.environ, "TREEWRIGHT_FIXTURES": str(fixtures)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert "# fail 0" in done.stdout
    assert "# tests 0" not in done.stdout


def test_every_module_is_part_of_the_page():
    joined = join_modules("main.js", lambda name: (SCRIPTS / name).read_text())
    for each in SCRIPTS.glob("*.js"):
        name = each.stem.replace("-", "_")
        assert f"const ${name} = (() => {{" in joined, each.name
    assert "export " not in joined
    assert "import " not in joined.replace(" import ", "")


# -- the join -----------------------------------------------------------------------


def joined(**files):
    return join_modules("main.js", lambda name: files[name.removesuffix(".js")])


def test_modules_run_after_what_they_import_and_only_once():
    script = joined(
        main='import { two } from "./b.js";\nimport { one } from "./a.js";\n'
        "console.log(one + two());\n",
        a='console.log("a");\nexport const one = 1;\n',
        b='import { one } from "./a.js";\nexport function two() { return one * 2; }\n',
    )
    done = subprocess.run([node(), "-e", script], capture_output=True, text=True)
    assert done.stdout == "a\n3\n"


@pytest.mark.parametrize(
    "line",
    [
        'import x from "./a.js";',
        'import * as x from "./a.js";',
        'import { x as y } from "./a.js";',
        'import "./a.js";',
        "export default 3;",
        "export { x };",
        'export * from "./a.js";',
    ],
)
def test_what_cannot_be_joined_is_refused(line):
    with pytest.raises(TreewrightError, match="cannot join the line"):
        joined(main=f"{line}\n", a="export const x = 1;\n")


def test_a_circle_of_imports_is_refused():
    with pytest.raises(TreewrightError, match="import each other"):
        joined(
            main='import { a } from "./a.js";\n',
            a='import { b } from "./b.js";\nexport const a = 1;\n',
            b='import { a } from "./a.js";\nexport const b = 1;\n',
        )
