"""The scripts of the page as modules: unit tests in node, and the join to one file."""

import datetime as dt
import json
import os
import shutil
import subprocess
from zoneinfo import ZoneInfo

import numpy as np
import pytest

import treewright as tw
from support import report_trees as trees
from support.browser import ROOT
from support.report_data import data_of
from treewright.drawing.report.join import join_modules
from treewright.errors import TreewrightError
from treewright.table.grain import moment_above, moment_below
from treewright.table.schema import Feature

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


YEARS = [
    ("Europe/Berlin", 2021),
    ("America/Sao_Paulo", 2017),  # clocks skip a midnight
    ("America/Havana", 2012),  # clocks skip the midnight that begins April
    ("America/Havana", 2015),  # the midnight that begins November occurs twice
    ("America/St_Johns", 2009),  # clocks go back over the midnight that begins November
    ("Pacific/Apia", 2011),  # clocks skip a day
]


def hours_near_changes(timezone, year):
    """Every hour, and a second before it, within a day of each change of the clocks."""
    zone, hour = ZoneInfo(timezone), dt.timedelta(hours=1)
    begin = dt.datetime(year, 1, 1, tzinfo=dt.UTC)
    hours = [begin + i * hour for i in range(366 * 24)]
    shifts = [each.astimezone(zone).utcoffset() for each in hours]
    changes = [i for i in range(1, len(hours)) if shifts[i] != shifts[i - 1]]
    assert len(changes) >= 2
    near = {i + n for i in changes for n in range(-26, 27)}
    return [hours[i].timestamp() * 1e6 - before for i in near for before in (0, 1e6)]


def moments():
    """Whole days and months below and above a moment, as Python finds them."""
    return [
        {
            "grain": grain,
            "timezone": timezone,
            "value": value,
            "below": moment_below(feature, value),
            "above": moment_above(feature, value),
        }
        for timezone, year in YEARS
        for grain in ("day", "month")
        for feature in [
            Feature("x", stored_as="datetime", timezone=timezone, grain=grain)
        ]
        for value in hours_near_changes(timezone, year)
    ]


@pytest.fixture(scope="module")
def fixtures(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fixtures")
    for name, make in FIXTURES.items():
        model, X, y = make()
        data = data_of(tw.report(model, folder / "r.html", X, y))
        (folder / f"{name}.json").write_text(json.dumps(data))
    (folder / "moments.json").write_text(json.dumps(moments()))
    return folder


def node():
    found = shutil.which("node")
    if not found:
        pytest.skip("NOT TESTED: no node (apt install nodejs)")
    return found


@pytest.mark.parametrize("file", ["pure.test.js", "model.test.js", "moments.test.js"])
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
