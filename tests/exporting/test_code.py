"""Generated source code in its own compiler or interpreter: the answers of the tree."""

import json
import math
import shutil
import subprocess

import numpy as np
import programs
import pytest

import treewright as tw
from treewright.exporting.check_rows import answered, check_rows
from treewright.exporting.code.c import C
from treewright.exporting.code.javascript import JavaScript
from treewright.exporting.code.python import Python
from treewright.exporting.program import program_of

SEEDS = range(60)


class Run:
    """The answers of generated code: leaf, prediction and probabilities of each row."""

    def __init__(self, leaves, predictions, probabilities):
        self.leaves = leaves
        self.predictions = predictions
        self.probabilities = probabilities


def need(*names):
    for name in names:
        if shutil.which(name):
            return shutil.which(name)
    return pytest.skip(f"NO COMPILER: {names[0]} is not installed.")


def named(program, row):
    values = zip(program.variables, row, strict=True)
    return {variable.name: value for variable, value in values}


def run_python(program, rows, folder):
    module = {}
    exec(compile(Python(program).file(), "tree.py", "exec"), module)
    dicts = [named(program, row) for row in rows]
    classes = program.is_classifier
    return Run(
        [module["leaf"](row) for row in dicts],
        [module["predict"](row) for row in dicts],
        [module["probabilities"](row) for row in dicts] if classes else None,
    )


def run_javascript(program, rows, folder):
    node = need("node")
    (folder / "tree.mjs").write_text(JavaScript(program).file(), "utf-8")
    (folder / "rows.json").write_text(json.dumps([named(program, r) for r in rows]))
    (folder / "run.mjs").write_text(
        'import * as tree from "./tree.mjs";\n'
        'import { readFileSync } from "node:fs";\n'
        'const rows = JSON.parse(readFileSync(process.argv[2]));\n'
        "const each = (f) => (f ? rows.map(f) : null);\n"
        "console.log(JSON.stringify([each(tree.leaf), each(tree.predict),"
        " each(tree.probabilities)]));\n"
    )
    done = subprocess.run(
        [node, folder / "run.mjs", folder / "rows.json"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return Run(*json.loads(done.stdout))


def c_value(variable, value):
    if variable.type == "text":
        return "NULL" if value is None else C.text(None, value)
    return "NAN" if value is None else C.number(C, float(value))


def run_c(program, rows, folder, *flags):
    compiler = need("gcc", "cc")
    (folder / "tree.h").write_text(C(program).file(), "utf-8")
    cells = ",\n".join(
        "{" + (", ".join(map(c_value, program.variables, row)) or "0") + "}" for row in rows
    )
    width = len(program.classes)
    show = (
        f'double p[{width}]; tree_probabilities(rows + i, p); printf(" %d", tree_predict(rows + i));'
        f' for (int k = 0; k < {width}; ++k) printf(" %a", p[k]);'
        if program.is_classifier
        else 'printf(" %a", tree_predict(rows + i));'
    )
    (folder / "main.c").write_text(
        '#include <stdio.h>\n#include "tree.h"\n'
        f"static const struct tree_row rows[] = {{\n{cells}\n}};\n"
        f"int main(void) {{\n  for (int i = 0; i < {len(rows)}; ++i) {{\n"
        f'    printf("%d", tree_leaf(rows + i)); {show} printf("\\n");\n  }}\n  return 0;\n}}\n'
    )
    flags = flags or ("-O1", "-fsanitize=undefined", "-fno-sanitize-recover")
    command = [compiler, "-std=c99", "-Wall", "-Wextra", "-Werror", *flags]
    made = subprocess.run(
        [*command, folder / "main.c", "-o", folder / "tree", "-lm"], capture_output=True, text=True
    )
    assert made.returncode == 0, made.stderr[:3000]
    done = subprocess.run([folder / "tree"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    lines = [line.split() for line in done.stdout.splitlines()]
    leaves = [int(line[0]) for line in lines]
    if not program.is_classifier:
        return Run(leaves, [float.fromhex(line[1]) for line in lines], None)
    predictions = [program.classes[int(line[1])] for line in lines]
    return Run(leaves, predictions, [[float.fromhex(x) for x in line[2:]] for line in lines])


ENGINES = [run_python, run_javascript, run_c]


def compare(engine, program, rows, folder):
    expected, found = answered(program, rows), engine(program, rows, folder)
    if program.divides_rows:
        if program.is_classifier:
            np.testing.assert_allclose(
                found.probabilities, expected.probabilities, atol=1e-12
            )
        else:
            np.testing.assert_allclose(found.predictions, expected.answers, rtol=1e-12)
        return
    assert found.leaves == expected.nodes
    assert found.predictions == expected.answers
    if program.is_classifier:
        np.testing.assert_array_equal(found.probabilities, expected.probabilities)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("form", ["nested", "tables"])
def test_generated_code_answers_as_the_tree_does(engine, form, tmp_path, monkeypatch):
    if form == "tables":
        monkeypatch.setattr("treewright.exporting.code.language.Language.most_nested_nodes", 0)
    for seed in SEEDS:
        program = program_of(programs.random_tree(seed))
        rows = check_rows(program).rows + programs.random_rows(program, 60, seed)
        if engine is run_javascript:  # JSON has no infinities
            rows = [r for r in rows if not any(isinstance(x, float) and math.isinf(x) for x in r)]
        compare(engine, program, rows, tmp_path)


HOSTILE = [
    "it's",
    'a "quoted" one',
    '"); system("true"); //',
    "*/ int evil; /*",
    "line\nbreak\r\nend \u2028 x",
    "back\\slash \\n \\",
    "??/ trigraph",
    "émoji 🎄",
    "",
    " blank ",
    "%s {} $x `y` ${z}",
]


@pytest.mark.parametrize("engine", ENGINES)
def test_hostile_names_and_categories_are_only_text(engine, tmp_path):
    values = HOSTILE * 30
    X = {'a"b*/\n// \\': values, "n'`${1}": range(len(values))}
    y = [HOSTILE[(i * 7) % len(HOSTILE)] for i in range(len(values))]
    program = program_of(tw.grow(tw.as_table(X, y)).data)
    compare(engine, program, check_rows(program).rows, tmp_path)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_deep_tree_becomes_tables(engine, tmp_path):
    x = np.arange(1000.0)
    y = np.cumsum(2.0 ** np.minimum(x, 900))
    program = program_of(tw.grow(tw.as_table({"x": x}, y)).data)
    assert program.tree.depth.max() > 100
    compare(engine, program, check_rows(program).rows[:500], tmp_path)
