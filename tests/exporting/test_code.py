"""Generated source code in its own compiler or interpreter: the answers of the tree."""

import numpy as np
import pytest

import treewright as tw
from support import programs
from support.repeats import first_of
from treewright.errors import OptionError
from treewright.exporting.check_rows import answered, check_rows
from treewright.exporting.export import export
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
        monkeypatch.setattr(
            "treewright.exporting.code.language.Language.most_nested_nodes", 0
        )
    n_trees = 4 if engine in SLOW else 20
    for seed in range(block * n_trees, (block + 1) * n_trees):
        program = program_of(programs.random_tree(seed))
        rows = check_rows(program).rows + programs.random_rows(program, 60, seed)
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
def test_nul_in_a_category_or_class_is_kept_or_refused(engine, tmp_path):
    texts = ["NUL\0in", "NUL", "b"]
    program = program_of(tw.grow(tw.as_table({"x": texts * 30}, texts * 30)).data)
    if engine in ("c", "r"):
        with pytest.raises(OptionError, match="cannot contain NUL"):
            export(program.tree, engine)
    else:
        compare(engine, program, check_rows(program).rows, tmp_path)


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
