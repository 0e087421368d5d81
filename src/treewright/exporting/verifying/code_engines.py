"""Compilers and interpreters: each function runs generated code on some rows."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from treewright.exporting.check_rows import Value
from treewright.exporting.code.r import R
from treewright.exporting.program import Program, Variable
from treewright.exporting.verifying.engine import (
    Answers,
    answers_from,
    program_called,
    rows_as_text,
    run,
)

__all__ = ["CODE_ENGINES"]

Rows = Sequence[tuple[Value, ...]]


def run_python(program: Program, source: str, rows: Rows, folder: Path) -> Answers:
    """Run a Python module in this process."""
    module: dict[str, Callable[..., list[float]]] = {}
    exec(compile(source, "tree.py", "exec"), module)
    names = [variable.name for variable in program.variables]
    dicts = [dict(zip(names, row, strict=True)) for row in rows]
    probabilities = None
    if program.is_classifier:
        probabilities = [module["probabilities"](row) for row in dicts]
    leaves: list[int] = [module["leaf"](row) for row in dicts]  # type: ignore[misc]
    return Answers(leaves, [module["predict"](row) for row in dicts], probabilities)


_NODE = """
import * as tree from "./tree.mjs";
import { readFileSync } from "node:fs";
const names = %s;
const view = new DataView(new ArrayBuffer(8));
const bits = (x) => (view.setFloat64(0, x), view.getBigInt64(0).toString());
const read = (c) => {
  if (c === "-") return null;
  if (c[0] === "x") return Buffer.from(c.slice(1), "hex").toString("utf8");
  view.setBigInt64(0, BigInt(c));
  return view.getFloat64(0);
};
for (const line of readFileSync(process.argv[2], "utf8").trimEnd().split("\\n")) {
  const cells = line.split(" ");
  const row = Object.fromEntries(names.map((name, i) => [name, read(cells[i])]));
  const out = [tree.leaf(row)];
  const answer = tree.predict(row);
  if (tree.probabilities) {
    out.push(tree.CLASSES.indexOf(answer), ...tree.probabilities(row).map(bits));
  } else out.push(bits(answer));
  console.log(out.join(" "));
}
"""


def run_javascript(program: Program, source: str, rows: Rows, folder: Path) -> Answers:
    """Run an ES module in node."""
    node = program_called("node", "nodejs")
    names = json.dumps([variable.name for variable in program.variables])
    (folder / "tree.mjs").write_text(source, "utf-8")
    (folder / "run.mjs").write_text(_NODE % names, "utf-8")
    return _driven(program, rows, folder, node, folder / "run.mjs")


def _driven(
    program: Program, rows: Rows, folder: Path, *command: str | Path
) -> Answers:
    """Run a driver on rows in a file."""
    path = folder / "rows.txt"
    path.write_text(rows_as_text(program, rows), "ascii")
    return answers_from(program, run(*command, path))


_C = """
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include "tree.h"
static char *cell(char **at) {
  char *start = *at;
  while (**at > ' ') ++*at;
  if (**at) *(*at)++ = 0;
  return start;
}
static double number(char **at) {
  const int64_t bits = strtoll(cell(at), NULL, 10);
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}
static const char *text(char **at) {
  char *start = cell(at), *out = start;
  if (*start == '-') return NULL;
  for (char *in = start + 1; *in; in += 2) {
    const char pair[3] = {in[0], in[1], 0};
    *out++ = (char)strtol(pair, NULL, 16);
  }
  *out = 0;
  return start;
}
static void print_bits(double x) {
  int64_t bits;
  memcpy(&bits, &x, sizeof bits);
  printf(" %%lld", (long long)bits);
}
int main(int n, char **arguments) {
  FILE *file = fopen(arguments[n - 1], "r");
  static char line[1 << 20];
  (void)text; (void)number;
  while (fgets(line, sizeof line, file) != NULL) {
    char *at = line;
    struct tree_row row;
    (void)at;
    %s
    printf("%%d", tree_leaf(&row));
    %s
    printf("\\n");
  }
  fclose(file);
  return 0;
}
"""
_C_CLASS = """double p[TREE_N_CLASSES];
    tree_probabilities(&row, p);
    printf(" %d", tree_predict(&row));
    for (int k = 0; k < TREE_N_CLASSES; ++k) print_bits(p[k]);"""
_C_FLAGS = ("-std=c99", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function", "-O1")


def run_c(program: Program, source: str, rows: Rows, folder: Path) -> Answers:
    """Compile a header with a driver under the sanitizer of undefined behaviour."""
    compiler = program_called("gcc", "cc", "clang")
    fields = "\n    ".join(
        f"row.x{v.place} = {_reader(v)}(&at);" for v in program.variables
    )
    show = _C_CLASS if program.is_classifier else "print_bits(tree_predict(&row));"
    (folder / "tree.h").write_text(source, "utf-8")
    (folder / "main.c").write_text(_C % (fields or "row.unused = 0;", show), "utf-8")
    binary = folder / "tree"
    undefined = ("-fsanitize=undefined", "-fno-sanitize-recover=all")
    run(compiler, *_C_FLAGS, *undefined, folder / "main.c", "-o", binary, "-lm")
    return _driven(program, rows, folder, binary)


def _reader(variable: Variable) -> str:
    """Return the function of a driver that reads a cell of this variable."""
    return "text" if variable.type == "text" else "number"


_JAVA = """
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
public class Main {
  static String text(String cell) {
    if (cell.equals("-")) return null;
    byte[] bytes = new byte[(cell.length() - 1) / 2];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) Integer.parseInt(cell.substring(1 + 2 * i, 3 + 2 * i), 16);
    }
    return new String(bytes, StandardCharsets.UTF_8);
  }
  static double number(String cell) {
    return Double.longBitsToDouble(Long.parseLong(cell));
  }
  static void add(StringBuilder out, double x) {
    out.append(" ").append(Double.doubleToRawLongBits(x));
  }
  public static void main(String[] arguments) throws Exception {
    StringBuilder out = new StringBuilder();
    for (String line : Files.readAllLines(Path.of(arguments[0]))) {
      String[] cells = line.split(" ");
      Tree.Row row = new Tree.Row();
      %s
      out.append(Tree.leaf(row));
      %s
      out.append("\\n");
    }
    System.out.print(out);
  }
}
"""
_JAVA_CLASS = """String answer = Tree.predict(row);
      out.append(" ").append(java.util.Arrays.asList(Tree.CLASSES).indexOf(answer));
      for (double p : Tree.probabilities(row)) add(out, p);"""


def run_java(program: Program, source: str, rows: Rows, folder: Path) -> Answers:
    """Compile a class with a driver, all warnings being errors."""
    compiler, java = program_called("javac"), program_called("java")
    fields = "\n      ".join(
        f"row.x{v.place} = {_reader(v)}(cells[{v.place}]);" for v in program.variables
    )
    show = _JAVA_CLASS if program.is_classifier else "add(out, Tree.predict(row));"
    (folder / "Tree.java").write_text(source, "utf-8")
    (folder / "Main.java").write_text(_JAVA % (fields, show), "utf-8")
    flags = ("-Xlint:all", "-Werror", "-encoding", "utf-8", "-d", folder)
    run(compiler, *flags, folder / "Tree.java", folder / "Main.java")
    return _driven(program, rows, folder, java, "-cp", folder, "Main")


_RUST = """
mod tree;
#[allow(dead_code)]
fn text(hex: &str) -> String {
    let byte = |i: usize| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).unwrap();
    String::from_utf8((0..hex.len() / 2).map(byte).collect()).unwrap()
}
fn main() {
    let all = std::fs::read_to_string(std::env::args().last().unwrap()).unwrap();
    for line in all.lines() {
        #[allow(unused_variables)]
        let cells: Vec<&str> = line.split(' ').collect();
        #[allow(unused_mut)]
        let mut row = tree::Row::default();
        %s
        print!("{}", tree::leaf(&row));
        %s
        println!();
    }
}
"""
_RUST_CLASS = """let answer = tree::predict(&row);
        print!(" {}", tree::CLASSES.iter().position(|c| *c == answer).unwrap());
        for p in tree::probabilities(&row) {
            print!(" {}", p.to_bits() as i64);
        }"""


def run_rust(program: Program, source: str, rows: Rows, folder: Path) -> Answers:
    """Compile a module with a driver, all warnings being errors."""
    compiler = program_called("rustc")
    fields = "\n        ".join(_rust_field(variable) for variable in program.variables)
    show = 'print!(" {}", tree::predict(&row).to_bits() as i64);'
    show = _RUST_CLASS if program.is_classifier else show
    (folder / "tree.rs").write_text(source, "utf-8")
    (folder / "main.rs").write_text(_RUST % (fields, show), "utf-8")
    binary = folder / "main"
    flags = ("--edition", "2021", "-D", "warnings", "-o", binary)
    run(compiler, *flags, folder / "main.rs")
    return _driven(program, rows, folder, binary)


def _rust_field(variable: Variable) -> str:
    place = variable.place
    if variable.type == "text":
        read = f"let t{place} = cells[{place}].strip_prefix('x').map(text);"
        return f"{read} row.x{place} = t{place}.as_deref();"
    parsed = f"cells[{place}].parse::<i64>().unwrap() as u64"
    return f"row.x{place} = f64::from_bits({parsed});"


_R = """
source(file.path(folder, "tree.R"), encoding = "UTF-8")
d <- list()
n <- %d
rows <- file(file.path(folder, "rows.bin"), "rb")
%s
d <- structure(d, row.names = seq_len(n), class = "data.frame")
%s
"""
_R_CLASS = """p <- tree_probabilities(d)
place <- match(tree_predict(d), .tree$classes) - 1
shown <- apply(p, 1, function(x) paste(sprintf("%a", x), collapse = " "))
cat(paste(tree_leaf(d), place, shown), sep = "\\n")"""
_R_NUMBER = 'cat(paste(tree_leaf(d), sprintf("%a", tree_predict(d))), sep = "\\n")'


def run_r(program: Program, source: str, rows: Rows, folder: Path) -> Answers:
    """Run functions in Rscript, which prints numbers in hexadecimal."""
    rscript = program_called("Rscript")
    columns = list(zip(*rows, strict=True)) if program.variables else []
    pairs = [_r_column(*pair) for pair in zip(program.variables, columns, strict=True)]
    (folder / "rows.bin").write_bytes(b"".join(content for _, content in pairs))
    (folder / "tree.R").write_text(source, "utf-8")
    show = _R_CLASS if program.is_classifier else _R_NUMBER
    reading = "\n".join(line for line, _ in pairs)
    start = f"folder <- {R.quoted(str(folder))}"
    script = start + _R % (len(rows), reading, show)
    (folder / "run.R").write_text(script, "utf-8")
    # Rscript reads a file that it is given line by line, in quadratic time.
    sourced = f"source({R.quoted(str(folder / 'run.R'))}, keep.source = FALSE)"
    lines = [
        line.split() for line in run(rscript, "--vanilla", "-e", sourced).splitlines()
    ]
    leaves, number = [int(line[0]) for line in lines], float.fromhex
    if not program.is_classifier:
        return Answers(leaves, [number(line[1]) for line in lines], None)
    answers = [program.classes[int(line[1])] for line in lines]
    return Answers(leaves, answers, [[number(x) for x in line[2:]] for line in lines])


def _r_column(variable: Variable, values: Sequence[Value]) -> tuple[str, bytes]:
    """Return the line of R that reads a column, and the bytes that it reads."""
    column = f"d[[{R.quoted(variable.name)}]]"
    if variable.type != "text":
        numbers = np.array([math.nan if v is None else v for v in values], np.float64)
        return f'{column} <- readBin(rows, "double", n)', numbers.tobytes()
    place = {text: i for i, text in enumerate(dict.fromkeys(values), 1)}
    texts = ["NA_character_" if v is None else R.quoted(str(v)) for v in place]
    codes = np.array([place[v] for v in values], np.int32)
    read = f'c({", ".join(texts)})[readBin(rows, "integer", n)]'
    return f"{column} <- {read}", codes.tobytes()


CODE_ENGINES: dict[str, Callable[[Program, str, Rows, Path], Answers]] = {
    "python": run_python,
    "javascript": run_javascript,
    "c": run_c,
    "java": run_java,
    "rust": run_rust,
    "r": run_r,
}
"""The engine of each language."""
