"""Growing, inspecting and checking need neither scikit-learn nor pandas."""

import subprocess
import sys

CODE = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("sklearn", "scipy", "pandas", "matplotlib"):
            raise ImportError(name + " is blocked")

sys.meta_path.insert(0, Blocked())
import treewright as tw

X = {"a": [1.0, 2, 3, 5] * 20, "c": list("xyxx") * 20}
y = ["n", "n", "y", "y"] * 20
table = tw.as_table(X, y)
tree = tw.grow(table)
print(tree.predict(X)[:4].tolist(), tree.n_leaves)
print(tw.inspect(X, y).n_rows, tw.check(tree, X).n_rows)
print(tree.evaluate(X, y).accuracy, len(tree.rules()), "all rows" in tree.text())
try:
    tw.TreeClassifier
except ImportError as problem:
    print(problem)
"""


def test_scikit_learn_is_needed_for_the_estimators_only():
    done = subprocess.run(
        [sys.executable, "-c", CODE], capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    assert done.stdout.splitlines()[:3] == [
        "['n', 'n', 'y', 'y'] 2",
        "80 80",
        "1.0 2 True",
    ]
    assert "sklearn" in done.stdout.splitlines()[3]


def test_importing_treewright_loads_nothing_large():
    code = (
        "import sys, treewright; treewright.grow; treewright.inspect; treewright.check;"
        "print(sorted({'sklearn', 'scipy', 'pandas', 'polars', 'pyarrow', 'narwhals'}"
        " & {name.split('.')[0] for name in sys.modules}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
