"""One function per library: fit a tree and let the library choose its size.

Each takes a Split and returns an Answer for its test rows.
"""

import csv
import dataclasses
import importlib.util
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np

ALPHAS, FOLDS = 20, 5
TODAY = {
    "criterion": None,
    "min_samples_leaf": 1,
    "shrinkage": None,
    "prune_rule": "1se",
    "prune_risk": "error",
}
"""The default before the recipe: Gini, leaves of one row, plain answers, 1-SE."""


@dataclasses.dataclass(frozen=True)
class Answer:
    """The answers of one tree for the test rows."""

    value: np.ndarray
    leaves: int
    probability: np.ndarray | None = None
    classes: np.ndarray | None = None


def before(split, **settings):
    """Fit treewright with the default that it had before the recipe."""
    known = dict(TODAY)
    if split.task == "class":
        known |= {"criterion": "gini", "size_by": "error"}
    return treewright(split, **known | settings)


def treewright(split, **settings):
    """Fit treewright: the table as it is, one fit."""
    import treewright as tw

    kind = tw.TreeClassifier if split.task == "class" else tw.TreeRegressor
    tree = kind(**settings).fit(split.X.iloc[split.train], split.y[split.train])
    return _answer(tree, split.X.iloc[split.test], tree.get_n_leaves())


def _answer(tree, rows, leaves):
    """Ask an estimator of scikit-learn's kind."""
    if not hasattr(tree, "predict_proba"):
        return Answer(tree.predict(rows), leaves)
    proba = tree.predict_proba(rows)
    return Answer(tree.predict(rows), leaves, proba, tree.classes_)


def sklearn_grid(split):
    """Search 20 alphas by 5 folds in scikit-learn, on one-hot columns.

    Numbers keep their missing values; a missing category is one more category.
    """
    from sklearn.compose import ColumnTransformer
    from sklearn.model_selection import GridSearchCV
    from sklearn.preprocessing import OneHotEncoder
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    table = split.X.copy()
    table[split.categorical] = table[split.categorical].fillna("missing")
    columns = ColumnTransformer(
        [("one_hot", encoder, split.categorical)], remainder="passthrough"
    )
    X = columns.fit_transform(table.iloc[split.train]).astype(np.float32)
    y = split.y[split.train]
    kind = DecisionTreeClassifier if split.task == "class" else DecisionTreeRegressor
    path = kind(random_state=0).cost_complexity_pruning_path(X, y)
    alphas = np.unique(np.quantile(path.ccp_alphas, np.linspace(0, 1, ALPHAS)))
    search = GridSearchCV(
        kind(random_state=0), {"ccp_alpha": np.maximum(alphas, 0.0)}, cv=FOLDS
    ).fit(X, y)
    new = columns.transform(table.iloc[split.test]).astype(np.float32)
    best = search.best_estimator_
    return _answer(best, new, int(best.get_n_leaves()))


_RPART = """
given <- commandArgs(TRUE)
suppressMessages(library(rpart))
all <- read.csv(given[1], na.strings = "", stringsAsFactors = TRUE, check.names = TRUE)
set.seed(as.integer(given[3]))
train <- all[all$.part == "train", names(all) != ".part"]
test <- all[all$.part == "test", names(all) != ".part"]
method <- given[4]
if (method == "class") train$.y <- factor(train$.y)
tree <- rpart(.y ~ ., train, method = method,
              control = rpart.control(cp = 0, xval = 10))
table <- tree$cptable
if (nrow(table) > 1) {
  best <- which.min(table[, "xerror"])
  allowed <- table[best, "xerror"] + table[best, "xstd"]
  tree <- prune(tree, cp = table[which(table[, "xerror"] <= allowed)[1], "CP"])
}
kind <- if (method == "class") "class" else "vector"
answer <- as.character(predict(tree, test, type = kind))
writeLines(c(sum(tree$frame$var == "<leaf>"), answer), given[2])
"""


def rpart_1se(split, seed=1):
    """Fit rpart: cp = 0, 10 folds, cut back by the one-standard-error rule.

    Starting R and reading the table are part of the time.
    """
    with tempfile.TemporaryDirectory() as folder:
        given, answer = Path(folder) / "table.csv", Path(folder) / "answer.txt"
        script = Path(folder) / "fit.R"
        script.write_text(_RPART)
        # R answers row by row, so the rows are written in the order of the division.
        rows = np.concatenate([split.train, split.test])
        part = np.repeat(["train", "test"], [len(split.train), len(split.test)])
        table = split.X.iloc[rows].assign(**{".y": split.y[rows], ".part": part})
        table.to_csv(given, index=False, quoting=csv.QUOTE_NONNUMERIC)
        method = "class" if split.task == "class" else "anova"
        words = ["Rscript", str(script), str(given), str(answer), str(seed), method]
        subprocess.run(words, check=True, capture_output=True, timeout=1800)
        n_leaves, *said = answer.read_text().splitlines()
    assert len(said) == len(split.test)
    answers = np.array(said, dtype=object if split.task == "class" else float)
    return Answer(answers, int(n_leaves))


def has_rpart():
    """Return whether R and rpart are there."""
    if shutil.which("Rscript") is None:
        return False
    words = ["Rscript", "-e", "library(rpart)"]
    return subprocess.run(words, check=False, capture_output=True).returncode == 0


def ydf_cart(split):
    """Fit YDF's CART: a tenth of the rows held out, pruned on them."""
    import ydf

    ydf.verbose(0)
    table = split.X.copy()
    for name in split.categorical:
        table[name] = table[name].astype(object).where(table[name].notna(), "")
    table.columns = [f"x{i}" for i in range(table.shape[1])]
    train = table.iloc[split.train].assign(y=split.y[split.train])
    tasks = {"class": ydf.Task.CLASSIFICATION, "number": ydf.Task.REGRESSION}
    model = ydf.CartLearner(label="y", task=tasks[split.task]).train(train)
    answer = np.asarray(model.predict(table.iloc[split.test]))
    leaves = _n_leaves(model.get_tree(0).root)
    if split.task != "class":
        return Answer(answer, leaves)
    classes = np.array(model.label_classes(), dtype=object)
    if answer.ndim == 1:
        answer = np.stack([1 - answer, answer], axis=1)
    return Answer(classes[answer.argmax(axis=1)], leaves, answer, classes)


def _n_leaves(root):
    waiting, found = [root], 0
    while waiting:
        node = waiting.pop()
        if node.is_leaf:
            found += 1
        else:
            waiting += [node.pos_child, node.neg_child]
    return found


def has_ydf():
    """Return whether YDF is there."""
    return importlib.util.find_spec("ydf") is not None
