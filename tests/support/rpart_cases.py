"""Random trees of R's rpart, with the node and the answer that R gives many rows.

Numbers go to R and come back in hexadecimal, so that nothing is rounded on the way.
"""

import ast
import inspect
import shutil
import subprocess
import textwrap

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.importing import rpart

CATEGORIES = ("factor", "ordered")
LEVELS = ["a", "b b", "c'\"", "é", "e\\n", "f,g", "h"]

SCRIPT = r"""
suppressMessages(library(rpart))
hex <- function(x) ifelse(is.na(x), "NA", sprintf("%a", as.numeric(x)))
read <- function(folder, part, about) {
  out <- list()
  for (i in seq_len(nrow(about))) {
    lines <- readLines(file.path(folder, paste0(part, i, ".txt")), encoding = "UTF-8")
    x <- suppressWarnings(as.numeric(lines))
    if (about$kind[i] == "logical") x <- as.logical(x)
    if (about$kind[i] %in% c("factor", "ordered")) {
      levels <- readLines(file.path(folder, paste0("levels", i, ".txt")),
                          encoding = "UTF-8")
      x <- factor(levels[x], levels, ordered = about$kind[i] == "ordered")
    }
    out[[about$name[i]]] <- x
  }
  as.data.frame(out, check.names = FALSE)
}
run <- function(folder) {
  about <- read.csv(file.path(folder, "about.csv"), encoding = "UTF-8")
  train <- read(folder, "train", about)
  new <- read(folder, "new", about)
  w <- as.numeric(readLines(file.path(folder, "weights.txt")))
  fit <- eval(parse(file.path(folder, "call.R"), encoding = "UTF-8")[[1]])
  write_rpart(fit, file.path(folder, "fit.csv"))
  # Values at each cut go to the other side than those just below it.
  for (i in seq_len(NROW(fit$splits))) {
    name <- rownames(fit$splits)[i]
    if (is.double(new[[name]])) {
      cut <- fit$splits[i, "index"]
      below <- cut - abs(cut) * .Machine$double.eps / 2
      new[[name]][sample(nrow(new), 4)] <- c(cut, below)
    }
  }
  rows <- new
  for (name in names(new)) {
    x <- new[[name]]
    rows[[name]] <- if (is.factor(x)) as.integer(x) else hex(x)
  }
  write.csv(rows, file.path(folder, "rows.csv"), row.names = FALSE)
  terms <- delete.response(fit$terms)
  frame <- model.frame(terms, new, na.action = na.pass, xlev = attr(fit, "xlevels"))
  where <- rpart:::pred.rpart(fit, rpart:::rpart.matrix(frame))
  answers <- if (fit$method == "class") predict(fit, new, type = "prob") else
    as.matrix(predict(fit, new))
  label <- if (fit$method == "class") as.integer(predict(fit, new, type = "class")) else
    0
  node <- as.numeric(rownames(fit$frame))[where]
  colnames(answers) <- NULL
  out <- data.frame(node, label, apply(answers, 2, hex))
  write.csv(out, file.path(folder, "answers.csv"), row.names = FALSE)
}
set.seed(1)
for (folder in commandArgs(TRUE)) run(folder)
"""


def lines_of_r():
    """The function that the documentation of the module gives."""
    documented = ast.get_docstring(ast.parse(inspect.getsource(rpart)))
    return textwrap.dedent(documented.split("::\n\n")[1].split("\n\nA JSON")[0])


def require_rpart():
    if shutil.which("Rscript") is None:
        pytest.skip("NO R: Rscript is not installed; run 'make databases'.")
    known = ["Rscript", "-e", "library(rpart)"]
    if subprocess.run(known, capture_output=True, check=False).returncode:
        pytest.skip("NO RPART: apt install r-cran-rpart.")


class Case:
    """One random table with a call of rpart; `write` it, run R, then `read` it."""

    def __init__(self, seed, folder):
        self.folder, self.rng = folder, np.random.default_rng(seed)
        rng, n = self.rng, int(self.rng.integers(30, 300))
        self.is_class = bool(rng.random() < 0.6)
        kinds = rng.choice(["number", "number", "factor", "ordered", "logical"], 5)
        self.kinds = [*map(str, kinds), "factor" if self.is_class else "number"]
        names = ["x 1", "x2", "x.3", "if", "Ünï"]
        self.names = [*names, "y"]
        self.sizes = [
            int(rng.integers(2, len(LEVELS) + 1)) if kind in CATEGORIES else 0
            for kind in self.kinds
        ]
        self.train = self.table(n, 0.15 * rng.integers(0, 2))
        self.new = self.table(400, 0.3)
        self.new[-1] = self.new[-1] * 0 + 1
        self.train[-1] = self.target(n)
        usual = rng.random() < 0.4
        self.weights = np.ones(n) if usual else rng.integers(1, 5, n) / 2

    def table(self, n, missing):
        rng, columns = self.rng, []
        for kind, size in zip(self.kinds, self.sizes, strict=True):
            if kind == "number":
                x = rng.normal(size=n).round(int(rng.integers(1, 18)))
            elif kind == "logical":
                x = rng.integers(0, 2, n).astype(float)
            else:  # some levels are rare, so that nodes lack them
                x = 1.0 + np.minimum(rng.geometric(0.4, n) - 1, size - 1)
            x[rng.random(n) < missing] = np.nan
            columns.append(x)
        return columns

    def target(self, n):
        rng = self.rng
        known = np.nan_to_num(np.column_stack(self.train[:-1]))
        score = known @ rng.normal(size=5) + rng.normal(size=n) / 2
        if not self.is_class:
            return score
        rank = np.argsort(np.argsort(score))
        return 1.0 + rank * self.sizes[-1] // n

    def call(self):
        rng = self.rng
        options = {
            "cp": rng.choice([0.0, 0.001, 0.02]),
            "minsplit": int(rng.integers(2, 25)),
            "maxdepth": int(rng.choice([2, 5, 30])),
            "maxsurrogate": int(rng.choice([0, 1, 5])),
            "usesurrogate": int(rng.integers(0, 3)),
            "surrogatestyle": int(rng.integers(0, 2)),
            "maxcompete": int(rng.choice([0, 4])),
            "xval": 0,
        }
        parts = [f"{name} = {value}" for name, value in options.items()]
        parts.append('method = "class"' if self.is_class else 'method = "anova"')
        parms = []
        k = self.sizes[-1]
        if self.is_class and rng.random() < 0.4:
            prior = rng.integers(1, 9, k)
            parms.append(f"prior = c({', '.join(map(str, prior))}) / {prior.sum()}")
        if self.is_class and rng.random() < 0.4:
            loss = rng.integers(1, 9, (k, k))
            np.fill_diagonal(loss, 0)
            cells = ", ".join(map(str, loss.ravel().tolist()))
            parms.append(f"loss = matrix(c({cells}), {k})")
        if self.is_class:
            parms.append(f'split = "{rng.choice(["gini", "information"])}"')
        if parms:
            parts.append(f"parms = list({', '.join(parms)})")
        return f"rpart(y ~ ., data = train, weights = w, {', '.join(parts)})"

    def write(self):
        self.folder.mkdir()
        about = pd.DataFrame({"name": self.names, "kind": self.kinds})
        about.to_csv(self.folder / "about.csv", index=False)
        for part in ("train", "new"):
            for i, column in enumerate(getattr(self, part), 1):
                text = ["NA" if x != x else x.hex() for x in column.tolist()]
                self.lines(f"{part}{i}.txt", text)
        for i, size in enumerate(self.sizes, 1):
            self.lines(f"levels{i}.txt", LEVELS[:size])
        self.lines("weights.txt", [x.hex() for x in self.weights.tolist()])
        self.lines("call.R", [self.call()])

    def lines(self, name, lines):
        text = "".join(f"{line}\n" for line in lines)
        (self.folder / name).write_text(text, "utf-8")

    def read(self):
        """Return (rows, node, label, answers) of R."""
        rows = pd.read_csv(self.folder / "rows.csv", dtype=str, keep_default_na=False)
        table = {
            name: self.values(kind, rows[name])
            for name, kind in zip(self.names[:-1], self.kinds, strict=False)
        }
        found = pd.read_csv(self.folder / "answers.csv", dtype=str)
        answers = np.vectorize(float.fromhex)(found.iloc[:, 2:].to_numpy(str))
        labels = [LEVELS[int(x) - 1] for x in found["label"]] if self.is_class else None
        frame = pd.DataFrame(table)
        return frame, found["node"].astype(int).to_numpy(), labels, answers

    def values(self, kind, texts):
        if kind in CATEGORIES:
            return [None if x == "NA" else LEVELS[int(x) - 1] for x in texts]
        return [np.nan if x == "NA" else float.fromhex(x) for x in texts]


def cases(seeds, folder):
    """Return fitted cases; R runs once for all of them."""
    found = [Case(seed, folder / str(seed)) for seed in seeds]
    for case in found:
        case.write()
    (folder / "run.R").write_text(lines_of_r() + SCRIPT, "utf-8")
    command = ["Rscript", "run.R", *(case.folder.name for case in found)]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return found


def compare(case):
    """Compare all answers of one random tree; return its number of nodes."""
    tree = tw.from_rpart(case.folder / "fit.csv")
    rows, nodes, labels, answers = case.read()
    told = (case.folder / "call.R").read_text("utf-8")
    assert (tree.data.extras["rpart_node"][tree.apply(rows)] == nodes).all(), told
    ours = tree.predict_proba(rows) if case.is_class else tree.predict(rows)
    np.testing.assert_allclose(ours.reshape(answers.shape), answers, rtol=1e-12)
    if case.is_class:
        assert tree.predict(rows).tolist() == labels, told
    return tree.n_nodes
