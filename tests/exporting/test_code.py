"""Generated source code in its own compiler or interpreter: the answers of the tree."""

import numpy as np
import pytest

import treewright as tw
from support import programs
from support.export_trees import DIVIDED, HARD
from support.repeats import first_of
from treewright.errors import OptionError
from treewright.exporting.check_rows import answered, check_rows
from treewright.exporting.code.steps import steps_of
from treewright.exporting.export import FORMATS, export
from treewright.exporting.program import program_of
from treewright.exporting.verifying.code_engines import CODE_ENGINES
from treewright.exporting.verifying.engine import EngineMissingError, program_called
from treewright.exporting.verifying.engine import run as run_program

ENGINES = list(CODE_ENGINES)
SLOW = ("java", "rust", "r")


def run(language, program, rows, folder):
    source = export(program.tree, language)
    try:
        return CODE_ENGINES[language](program, source, rows, folder)
    except EngineMissingError as missing:
        return pytest.skip(f"NO COMPILER: {missing}")


def compare(engine, program, rows, folder):
    expected, found = answered(program, rows), run(engine, program, rows, folder)
    if program.divides_rows:
        if program.is_classifier:
            np.testing.assert_allclose(
                found.probabilities, expected.probabilities, atol=1e-12
            )
        else:
            np.testing.assert_allclose(found.answers, expected.answers, rtol=1e-12)
        return
    assert found.leaves == expected.nodes
    assert found.answers == expected.answers
    if program.is_classifier:
        np.testing.assert_array_equal(found.probabilities, expected.probabilities)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("form", ["nested", "tables"])
@pytest.mark.parametrize("block", first_of(range(3), 1))
def test_generated_code_answers_as_the_tree_does(
    engine, form, block, tmp_path, monkeypatch
):
    if form == "tables":
        monkeypatch.setattr(language_of(engine), "most_nested_nodes", 0)
    n_trees = 4 if engine in SLOW else 20
    for seed in range(block * n_trees, (block + 1) * n_trees):
        program = program_of(programs.random_tree(seed))
        rows = check_rows(program).rows + programs.random_rows(program, 60, seed)
        compare(engine, program, rows, tmp_path)


def language_of(engine):
    """Return the class that writes a language."""
    return FORMATS[engine].write.args[0]


@pytest.mark.parametrize("name", HARD)
@pytest.mark.parametrize("form", ["nested", "tables"])
def test_python_of_a_hard_tree_answers_as_the_tree_does(
    name, form, tmp_path, monkeypatch
):
    if form == "tables":
        monkeypatch.setattr(language_of("python"), "most_nested_nodes", 0)
    program = program_of(HARD[name]())
    rows = check_rows(program).rows + programs.random_rows(program, 100)
    compare("python", program, rows, tmp_path)


@pytest.mark.parametrize("name", [name for name in HARD if name not in DIVIDED])
def test_steps_lead_every_row_to_its_leaf(name):
    program = program_of(HARD[name]())
    steps = steps_of(program)
    rows = check_rows(program).rows + programs.random_rows(program, 100)
    for row, node in zip(rows, answered(program, rows).nodes, strict=True):
        assert program.ends[~walked(steps, encoded(program, row))] == node, row


def encoded(program, row):
    """Return a row as numbers: a category as its place; missing and unseen as NaN."""
    codes = [{x: float(i) for i, x in enumerate(v.labels)} for v in program.variables]
    pairs = zip(codes, row, strict=True)
    return [
        code.get(x, np.nan) if code else float(np.nan if x is None else x)
        for code, x in pairs
    ]


def walked(steps, x):
    at = steps.first
    while at >= 0:
        number = x[steps.variable[at]]
        if np.isnan(number):
            at = steps.missing[at]
        else:
            below = number <= steps.value[at]
            at = steps.at_most[at] if below else steps.above[at]
    return at


def test_python_of_a_divided_tree_answers_the_class_of_least_cost():
    rng = np.random.default_rng(0)
    kind = np.where(rng.random(200) < 0.2, None, rng.choice(list("abc"), 200))
    y = np.where(rng.random(200) < 0.3, "bad", "good")
    options = {"method": "c45", "costs": [[0, 5], [1, 0]], "prune": None}
    tree = tw.TreeClassifier(**options).fit({"kind": kind}, y).tree_
    module = {}
    exec(tree.export("python"), module)
    assert tree.data.schema.target.costs is not None
    for x in ("a", "b", "c", None):
        assert module["predict"]({"kind": x}) == tree.predict({"kind": [x]})[0]
    assert module["predict"]({}) == "bad"  # though the other class is more probable


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
    numbers = [(2.5, -1.0, 1e300)[i % 3] for i in range(len(values))]
    X = {'a"b*/\n// \\': values, "n'`${1}": range(len(values)), "?": numbers}
    y = [HOSTILE[(i * 7 + i % 3) % len(HOSTILE)] for i in range(len(values))]
    table = tw.as_table(X, y, kinds={"?": "categorical"})
    program = program_of(tw.grow(table).data)
    assert {variable.type for variable in program.variables} >= {"text", "code"}
    compare(engine, program, check_rows(program).rows, tmp_path)


@pytest.mark.parametrize("engine", ENGINES)
def test_true_and_false_may_be_categories(engine, tmp_path):
    on, size = [True, False, None, False] * 30, [1.0, 2.0, 3.0, 4.0, 5.0] * 24
    y = ["yes" if a and b > 2 else "no" for a, b in zip(on, size, strict=True)]
    table = tw.as_table({"on": on, "size": size}, y, kinds={"on": "categorical"})
    program = program_of(tw.grow(table).data)
    assert any(variable.labels == (False, True) for variable in program.variables)
    compare(engine, program, check_rows(program).rows, tmp_path)


@pytest.mark.parametrize("engine", ENGINES)
def test_nul_in_a_category_or_class_is_kept_or_refused(engine, tmp_path):
    texts = ["NUL\0in", "NUL", "b"]
    program = program_of(tw.grow(tw.as_table({"x": texts * 30}, texts * 30)).data)
    if engine in ("c", "r"):
        with pytest.raises(OptionError, match="cannot contain NUL"):
            export(program.tree, engine)
    else:
        compare(engine, program, check_rows(program).rows, tmp_path)


@pytest.mark.parametrize("engine", ["rust", "onnx"])
def test_text_that_is_not_valid_unicode_is_refused(engine):
    tree = tw.grow(tw.as_table({"x": ["a\udc80", "b"] * 30}, ["no", "yes"] * 30))
    with pytest.raises(OptionError, match=r"hold the text 'a\\udc80'.*not valid Unic"):
        tree.export(engine)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_deep_tree_becomes_tables(engine, tmp_path):
    x = np.arange(1000.0)
    y = np.cumsum(2.0 ** np.minimum(x, 900))
    program = program_of(tw.grow(tw.as_table({"x": x}, y)).data)
    assert program.tree.depth.max() > 100
    compare(engine, program, check_rows(program).rows[:500], tmp_path)


MAIN = {
    "rust": 'mod tree;\nfn main() { print!("{}", tree::leaf(&tree::Row::default())); }',
    "java": "class Main { public static void main(String[] a) {"
    " System.out.print(Tree.leaf(new Tree.Row())); } }",
}


@pytest.mark.parametrize("engine", MAIN)
def test_a_column_that_is_left_out_is_missing(engine, tmp_path):
    X = {"x": [-1.0, 0.0, 1.0, None] * 20, "g": ["a", "b", None, "b"] * 20}
    tree = tw.grow(tw.as_table(X, ["n", "n", "y", "y"] * 20))
    left_out = int(tree.apply({"x": [None], "g": [None]})[0])
    assert left_out != int(tree.apply({"x": [0.0], "g": [None]})[0])
    try:
        compiler = program_called({"rust": "rustc", "java": "javac"}[engine])
    except EngineMissingError as missing:
        pytest.skip(f"NO COMPILER: {missing}")
    name = {"rust": "tree.rs", "java": "Tree.java"}[engine]
    (tmp_path / name).write_text(tree.export(engine), "utf-8")
    main = tmp_path / f"{'main' if engine == 'rust' else 'Main'}{name[4:]}"
    main.write_text(MAIN[engine])
    if engine == "rust":
        run_program(compiler, main, "-o", tmp_path / "main")
        found = run_program(tmp_path / "main")
    else:
        run_program(compiler, "-d", tmp_path, tmp_path / name, main)
        found = run_program(program_called("java"), "-cp", tmp_path, "Main")
    assert int(found) == left_out
