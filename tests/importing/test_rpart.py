"""Trees of rpart come in: in R itself, every row ends in the same node."""

import json
import math
import subprocess
from importlib.resources import files

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from support.rpart_cases import lines_of_r, require_rpart
from treewright.errors import OptionError, TreeFormatError
from treewright.tree.check import check

FITS = {
    "classes": "species ~ ., cp = 0.001, minsplit = 5",
    "priors": "species ~ ., cp = 0.001, minsplit = 5, "
    'parms = list(prior = c(0.2, 0.5, 0.3), split = "information")',
    "losses": "species ~ ., cp = 0.001, minsplit = 5, "
    "parms = list(loss = matrix(c(0, 1, 4, 2, 0, 1, 3, 5, 0), 3))",
    "numbers": "body_mass_g ~ ., cp = 0.001, minsplit = 5",
    "no majority": "body_mass_g ~ ., cp = 0.001, minsplit = 5, usesurrogate = 1, "
    "maxsurrogate = 1",
    "no surrogates": "body_mass_g ~ ., cp = 0.001, minsplit = 5, usesurrogate = 0",
    "weights": "body_mass_g ~ ., cp = 0.001, weights = seq_len(nrow(train))",
    "one leaf": "species ~ ., cp = 0.9",
    "ordered": "species ~ size + island + sex + bill_length_mm, cp = 0.001, "
    "minsplit = 5",
}

SCRIPT = """
library(rpart)
train <- read.csv("penguins.csv", na.strings = c("NA", ""), stringsAsFactors = TRUE)
ranges <- c(0, 3500, 4200, 9999)
train$size <- cut(train$body_mass_g, ranges, c("s", "m", "l"), ordered_result = TRUE)
set.seed(1)
new <- train[sample(nrow(train), 3000, TRUE), ]
for (name in names(new)) {
  new[[name]] <- sample(new[[name]])
  new[[name]][sample(3000, 400)] <- NA
}
fit <- rpart(FORMULA, data = train)
write_rpart(fit, "fit.csv")
# Values at each cut go to the other side than those just below it.
for (i in seq_len(NROW(fit$splits))) {
  name <- rownames(fit$splits)[i]
  if (is.numeric(new[[name]])) new[[name]][sample(3000, 5)] <- fit$splits[i, "index"]
}
terms <- delete.response(fit$terms)
frame <- model.frame(terms, new, na.action = na.pass, xlev = attr(fit, "xlevels"))
where <- rpart:::pred.rpart(fit, rpart:::rpart.matrix(frame))
answers <- if (fit$method == "class") predict(fit, new, type = "prob") else
  as.matrix(predict(fit, new))
written <- apply(answers, 2, function(x) sprintf("%.17g", x))
node <- as.numeric(rownames(fit$frame))[where]
write.csv(data.frame(node, written), "answers.csv", row.names = FALSE)
numbers <- sapply(new, is.double)
new[numbers] <- lapply(new[numbers], function(x) sprintf("%.17g", x))
write.csv(new, "rows.csv", row.names = FALSE)
"""


def run_r(folder, formula):
    require_rpart()
    penguins = files("treewright") / "data" / "penguins.csv"
    (folder / "penguins.csv").write_bytes(penguins.read_bytes())
    script = lines_of_r() + SCRIPT.replace("FORMULA", formula)
    (folder / "fit.R").write_text(script, "utf-8")
    subprocess.run(["Rscript", "fit.R"], cwd=folder, check=True, capture_output=True)


@pytest.mark.parametrize("name", FITS)
def test_every_row_ends_in_the_node_of_rpart(name, tmp_path):
    run_r(tmp_path, FITS[name])
    tree = tw.from_rpart(tmp_path / "fit.csv")
    check(tree.data)
    # Older versions of pandas round; newer ones deprecate the argument.
    old = int(pd.__version__.split(".")[0]) < 3
    exact = {"float_precision": "round_trip"} if old else {}
    rows = pd.read_csv(tmp_path / "rows.csv", **exact)
    expected = pd.read_csv(tmp_path / "answers.csv", **exact)
    nodes = tree.data.extras["rpart_node"][tree.apply(rows)]
    assert (nodes == expected["node"]).all()
    answers = expected.iloc[:, 1:].to_numpy()
    ours = tree.predict_proba(rows) if tree.classes.size else tree.predict(rows)
    np.testing.assert_allclose(ours.reshape(answers.shape), answers, rtol=1e-12)


def small_tree():
    """kyphosis in rpart 4.1.19, cp=0.05: the root split and one below it."""
    frame = {
        "node": [1, 2, 4, 5, 3],
        "var": ["Start", "Place", "<leaf>", "<leaf>", "<leaf>"],
        "n": [81, 62, 29, 33, 19],
        "wt": [81, 62, 29, 33, 19],
        "dev": [17, 6, 0, 6, 8],
        "yval": [1, 1, 1, 1, 2],
        "ncompete": [1, 0, 0, 0, 0],
        "nsurrogate": [1, 0, 0, 0, 0],
    }
    splits = {
        "variable": ["Start", "Number", "Number", "Place"],
        "count": [81, 81, 0, 62],
        "ncat": [1, -1, -1, 3],
        "improve": [6.76, 2.87, 0.8, 1.02],
        "index": [8.5, 5.5, 6.5, 1],
        "adj": [0, 0, 0.16, 0],
    }
    return {
        "about": {
            "method": "class",
            "target": "Kyphosis",
            "columns": ["Start", "Number", "Place"],
            "ylevels": ["absent", "present"],
            "usesurrogate": 2,
        },
        "frame": frame,
        "splits": splits,
        "csplit": {"V1": [1], "V2": [3], "V3": [2]},
        "xlevels": {"Place": ["a", "b", "c"]},
        "counts": {"V1": [64, 56, 29, 27, 8], "V2": [17, 6, 0, 6, 11]},
        "loss": {"V1": [0, 1], "V2": [1, 0]},
        "parms": {"prior": [64 / 81, 17 / 81], "split": 1},
    }


def test_cuts_surrogates_and_categories_are_read_as_rpart_means_them(tmp_path):
    (tmp_path / "fit.json").write_text(json.dumps(small_tree()))
    tree = tw.from_rpart(tmp_path / "fit.json")
    assert tree == tw.from_rpart(small_tree())
    check(tree.data)
    below = np.nextafter(8.5, 0)
    rows = {
        # at the cut, just below it, by surrogate at its cut and below, by majority
        "Start": [8.5, below, np.nan, np.nan, np.nan, 9, 9, 9],
        "Number": [0, 0, 6.5, np.nextafter(6.5, 0), np.nan, 0, 0, 0],
        "Place": ["a", "a", "a", "a", "b", "b", "c", None],
    }
    nodes = tree.data.extras["rpart_node"][tree.apply(rows)]
    # A category that the node has not seen, and a missing one, go with the majority.
    assert nodes.tolist() == [4, 3, 3, 4, 5, 5, 5, 5]
    assert tree.predict_proba(rows)[1].tolist() == [8 / 19, 11 / 19]


def test_an_imported_tree_can_be_read_saved_and_exported(tmp_path):
    tree = tw.from_rpart(small_tree())
    assert "Place = a" in tree.text()
    row = {"Start": 9.0, "Number": 3.0, "Place": "b"}
    assert "Place is b" in str(tree.explain(row))
    assert tw.pruning_path(tree).n_leaves[0] <= 3
    tree.save(tmp_path / "one.tree.json")
    assert tw.load(tmp_path / "one.tree.json") == tree
    tree.export("python", tmp_path / "tree.py")
    assert tree.verify(tmp_path / "tree.py").ok


def without(table, column):
    tables = small_tree()
    del tables[table][column]
    return tables


def changed(table, column, value):
    tables = small_tree()
    tables[table][column] = value
    return tables


@pytest.mark.parametrize(
    ("tables", "error", "message"),
    [
        (without("frame", "ncompete"), TreeFormatError, "lacks 'ncompete'"),
        ({}, TreeFormatError, "lacks 'method'"),
        (changed("about", "method", "poisson"), OptionError, "method='poisson'"),
        (changed("frame", "node", [1, 2, 4, 5, 9]), TreeFormatError, "not the tables"),
        (changed("splits", "index", [8.5]), TreeFormatError, "not the tables"),
        (changed("frame", "n", ["?"] * 5), TreeFormatError, "not the tables"),
        (changed("splits", "variable", ["Q"] * 4), TreeFormatError, "not the tables"),
        (changed("splits", "count", [math.inf] * 4), TreeFormatError, "not the tables"),
        (
            changed("frame", "n", [81, 62, 29.5, 33, 19]),
            TreeFormatError,
            r"^The tree .* whole numbers in 'n' of the table 'frame'; got 29\.5\. ",
        ),
        (
            changed("frame", "n", [12345678.5, 62, 29, 33, 19]),
            TreeFormatError,
            r"in 'n' of the table 'frame'; got 12345678\.5\. ",
        ),
        (
            changed("frame", "node", [1, 2, 4, 5, math.inf]),
            TreeFormatError,
            "in 'node' of the table 'frame'; got inf",
        ),
        (
            changed("csplit", "V2", ["NA"]),
            TreeFormatError,
            "not the tables of a tree of rpart .*'NA'",
        ),
        (
            changed("csplit", "V2", [1.5]),
            TreeFormatError,
            "in 'V2' of the table 'csplit'; got 1.5",
        ),
    ],
)
def test_broken_tables_are_refused(tables, error, message):
    with pytest.raises(error, match=message):
        tw.from_rpart(tables)


def test_a_file_of_another_kind_is_refused(tmp_path):
    (tmp_path / "fit.csv").write_text("a,b\n1,2\n")
    with pytest.raises(TreeFormatError, match="columns table, column and value"):
        tw.from_rpart(tmp_path / "fit.csv")
    (tmp_path / "fit.rds").write_bytes(b"\x1f\x8b\x08\x00\xff")
    with pytest.raises(TreeFormatError, match=r"not text.*\.rds file can be read by R"):
        tw.from_rpart(tmp_path / "fit.rds")
    with pytest.raises(TreeFormatError, match="is a folder"):
        tw.from_rpart(tmp_path)
    (tmp_path / "fit.json").write_text("{broken")
    with pytest.raises(TreeFormatError, match="is not JSON"):
        tw.from_rpart(tmp_path / "fit.json")


def test_names_of_columns_may_have_blanks():
    # As R writes the terms of y ~ `a b`: quoted there, plain in the splits.
    frame = {
        "node": [1, 2, 3],
        "var": ["a b", "<leaf>", "<leaf>"],
        "n": [4, 2, 2],
        "wt": [4, 2, 2],
        "dev": [1, 0, 0],
        "yval": [0.5, 0, 1],
        "ncompete": [0, 0, 0],
        "nsurrogate": [0, 0, 0],
    }
    about = {"method": "anova", "target": "y", "columns": ["`a b`"], "usesurrogate": 2}
    splits = {"variable": ["a b"], "count": [4], "ncat": [-1], "improve": [1.0]}
    splits |= {"index": [3.0], "adj": [0.0]}
    tree = tw.from_rpart({"about": about, "frame": frame, "splits": splits})
    assert tree.schema.names == ("a b",)
    assert tree.predict({"a b": [2.9, 3.0]}).tolist() == [0.0, 1.0]
