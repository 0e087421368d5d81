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
from treewright.exporting.code.java import Java
from treewright.exporting.code.javascript import JavaScript
from treewright.exporting.code.python import Python
from treewright.exporting.code.r import R
from treewright.exporting.code.rust import Rust
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
    return read_hex(program, done.stdout)


def read_hex(program, output):
    """Read lines of leaf, place of the class (or number), and probabilities."""
    lines = [line.split() for line in output.splitlines()]
    leaves = [int(line[0]) for line in lines]
    if not program.is_classifier:
        return Run(leaves, [float.fromhex(line[1]) for line in lines], None)
    predictions = [program.classes[int(line[1])] for line in lines]
    return Run(leaves, predictions, [[float.fromhex(x) for x in line[2:]] for line in lines])


def bits(value):
    """Return a number as a decimal of its 64 bits."""
    return str(np.float64(math.nan if value is None else value).view(np.int64))


def rows_as_text(program, rows):
    """Return one line per row: bits of numbers, and texts as hexadecimal UTF-8."""
    lines = []
    for row in rows:
        cells = [
            ("-" if value is None else "x" + value.encode().hex())
            if variable.type == "text"
            else bits(value)
            for variable, value in zip(program.variables, row, strict=True)
        ]
        lines.append(" ".join(cells) or "-")
    return "\n".join(lines) + "\n"


def run_java(program, rows, folder):
    compiler, java = need("javac"), need("java")
    (folder / "Tree.java").write_text(Java(program).file(), "utf-8")
    fields = "".join(
        f"row.x{v.place} = text(c[{v.place}]);"
        if v.type == "text"
        else f"row.x{v.place} = Double.longBitsToDouble(Long.parseLong(c[{v.place}]));"
        for v in program.variables
    )
    show = 'out.append(" ").append(Double.toHexString(Tree.predict(row)));'
    if program.is_classifier:
        show = (
            'out.append(" ").append(java.util.Arrays.asList(Tree.CLASSES).indexOf(Tree.predict(row)));'
            'for (double p : Tree.probabilities(row)) out.append(" ").append(Double.toHexString(p));'
        )
    (folder / "Main.java").write_text(
        "import java.nio.file.*; import java.nio.charset.*;\n"
        "public class Main { static String text(String c) { if (c.equals(\"-\")) return null;\n"
        "byte[] b = new byte[(c.length() - 1) / 2];\n"
        "for (int i = 0; i < b.length; i++) b[i] = (byte) Integer.parseInt(c.substring(1 + 2 * i, 3 + 2 * i), 16);\n"
        "return new String(b, StandardCharsets.UTF_8); }\n"
        "public static void main(String[] a) throws Exception { StringBuilder out = new StringBuilder();\n"
        "for (String line : Files.readAllLines(Path.of(a[0]))) { String[] c = line.split(\" \");\n"
        f"Tree.Row row = new Tree.Row(); {fields}\n"
        f"out.append(Tree.leaf(row)); {show} out.append(\"\\n\"); }} System.out.print(out); }} }}\n"
    )
    (folder / "rows.txt").write_text(rows_as_text(program, rows))
    command = [compiler, "-Xlint:all", "-Werror", "-encoding", "utf-8", "-d", folder]
    made = subprocess.run([*command, folder / "Tree.java", folder / "Main.java"], capture_output=True, text=True)
    assert made.returncode == 0, made.stderr[:3000]
    done = subprocess.run([java, "-Xshare:auto", "-cp", folder, "Main", folder / "rows.txt"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[:3000]
    return read_hex(program, done.stdout)


def run_rust(program, rows, folder):
    compiler = need("rustc")
    (folder / "tree.rs").write_text(Rust(program).file(), "utf-8")
    setting = "".join(
        f"let t{v.place} = c[{v.place}].strip_prefix('x').map(text); row.x{v.place} = t{v.place}.as_deref();"
        if v.type == "text"
        else f"row.x{v.place} = f64::from_bits(c[{v.place}].parse::<i64>().unwrap() as u64);"
        for v in program.variables
    )
    show = 'print!(" {}", tree::predict(&row).to_bits());'
    if program.is_classifier:
        show = (
            'let k = tree::predict(&row); print!(" {}", tree::CLASSES.iter().position(|c| *c == k).unwrap());'
            'for p in tree::probabilities(&row) { print!(" {}", p.to_bits()); }'
        )
    (folder / "main.rs").write_text(
        "mod tree;\n#[allow(dead_code)]\nfn text(h: &str) -> String { let b: Vec<u8> = (0..h.len() / 2)\n"
        ".map(|i| u8::from_str_radix(&h[2 * i..2 * i + 2], 16).unwrap()).collect(); String::from_utf8(b).unwrap() }\n"
        "fn main() { let all = std::fs::read_to_string(std::env::args().nth(1).unwrap()).unwrap();\n"
        "for line in all.lines() { #[allow(unused_variables)] let c: Vec<&str> = line.split(' ').collect();\n"
        f"#[allow(unused_mut)] let mut row = tree::Row::default(); {setting}\n"
        f'print!("{{}}", tree::leaf(&row)); {show} println!(); }} }}\n'
    )
    (folder / "rows.txt").write_text(rows_as_text(program, rows))
    made = subprocess.run([compiler, "--edition", "2021", "-D", "warnings", "-o", folder / "main", folder / "main.rs"], capture_output=True, text=True)
    assert made.returncode == 0, made.stderr[:3000]
    done = subprocess.run([folder / "main", folder / "rows.txt"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[:3000]
    return read_bits(program, done.stdout)


def read_bits(program, output):
    number = lambda x: float(np.array(int(x), np.uint64).view(np.float64))  # noqa: E731
    lines = [line.split() for line in output.splitlines()]
    leaves = [int(line[0]) for line in lines]
    if not program.is_classifier:
        return Run(leaves, [number(line[1]) for line in lines], None)
    predictions = [program.classes[int(line[1])] for line in lines]
    return Run(leaves, predictions, [[number(x) for x in line[2:]] for line in lines])


def r_column(variable, values):
    if variable.type == "text":
        items = ["NA_character_" if v is None or "\0" in v else R.text(None, v) for v in values]
    else:
        items = ["NaN" if v is None else r_exact(float(v)) for v in values]
    return f"d[[{R.text(None, variable.name)}]] <- c(\n" + ",\n".join(items) + ")\n"


def r_exact(number):
    """Return a number as a product that R reads without rounding."""
    if math.isinf(number):
        return "Inf" if number > 0 else "-Inf"
    mantissa, exponent = math.frexp(number)
    whole = int(mantissa * 2**53)
    half = (exponent - 53) // 2
    return f"({whole} * 2^({half}) * 2^({exponent - 53 - half}))"


def run_r(program, rows, folder):
    rscript = need("Rscript")
    (folder / "tree.R").write_text(R(program).file(), "utf-8")
    columns = zip(*rows, strict=True) if program.variables else []
    data = "".join(map(r_column, program.variables, columns))
    shown = "sprintf('%a', tree_predict(d))"
    if program.is_classifier:
        shown = (
            "match(tree_predict(d), .tree$classes) - 1, "
            "apply(tree_probabilities(d), 1, function(p) paste(sprintf('%a', p), collapse = ' '))"
        )
    (folder / "run.R").write_text(
        f"source('{folder}/tree.R', encoding = 'UTF-8')\n"
        f"d <- list()\n{data}d <- structure(d, row.names = seq_len({len(rows)}), class = 'data.frame')\n"
        f"cat(paste(tree_leaf(d), {shown}), sep = '\\n')\n",
        "utf-8",
    )
    done = subprocess.run([rscript, "--vanilla", folder / "run.R"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[:3000]
    return read_hex(program, done.stdout)


ENGINES = [run_python, run_javascript, run_c, run_java, run_rust, run_r]
SLOW = (run_java, run_rust, run_r)


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
    for seed in range(12) if engine in SLOW else SEEDS:
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
