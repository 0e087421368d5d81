"""Bugs that other tree libraries had, each as a test of ours: threads and processes.

The comment of each test says what went wrong elsewhere, and where.
"""

import importlib.util
import itertools
import multiprocessing
import os
import subprocess
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from support.repeats import first_of

LINUX = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="reads or limits memory as on Linux"
)


def in_fresh_python(code, timeout=60):
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        timeout=timeout,
    )
    assert done.returncode == 0, f"exit {done.returncode}: {done.stderr}"
    return done.stdout.strip()


def table(seed, n_rows=2000):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 6))
    X[rng.random(X.shape) < 0.05] = np.nan
    return X, rng.integers(0, 4, n_rows)


# --- threads -------------------------------------------------------------------------


def test_one_estimator_fitted_by_eight_threads():
    # scikit-learn #19580: a criterion object shared by threads, and a crash.
    X, y = table(12)
    shared = tw.TreeClassifier(prune=None, n_jobs=2)
    expected = tw.TreeClassifier(prune=None, n_jobs=1).fit(X, y).tree_
    with ThreadPoolExecutor(8) as pool:
        trees = list(pool.map(lambda _: shared.fit(X, y).tree_, range(24)))
    assert all(tree == expected for tree in trees)


def test_different_tables_fitted_side_by_side():
    seeds = range(16)
    alone = [
        tw.TreeClassifier(prune=None, n_jobs=1).fit(*table(seed)).tree_
        for seed in seeds
    ]
    with ThreadPoolExecutor(8) as pool:
        together = list(
            pool.map(
                lambda seed: tw.TreeClassifier(prune=None).fit(*table(seed)).tree_,
                seeds,
            )
        )
    assert together == alone


def test_eight_threads_read_one_tree():
    # scikit-learn #30041, XGBoost #11167, #10572, #10719: races in export, predict
    # and split. Nothing has used the tree before the threads start.
    X, y = table(13, 20_000)
    expected = tw.TreeClassifier(prune=None).fit(X, y)
    fitted = tw.TreeClassifier(prune=None).fit(X, y)
    questions = {
        "predict": lambda e: e.predict(X).tolist(),
        "proba": lambda e: e.predict_proba(X[:500]).tolist(),
        "apply": lambda e: e.apply(X).tolist(),
        "path": lambda e: e.decision_path(X[:500]).indices.tolist(),
        "text": lambda e: e.tree_.text(6),
        "pandas": lambda e: e.tree_.to_pandas().to_csv(),
        "fingerprint": lambda e: e.tree_.fingerprint,
        "shape": lambda e: (e.get_depth(), e.get_n_leaves()),
    }
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda ask: ask(fitted), [*questions.values()] * 2))
    assert answers == [ask(expected) for ask in questions.values()] * 2


# --- memory --------------------------------------------------------------------------


def resident_bytes():
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


@LINUX
def test_two_hundred_fits_do_not_leak():
    # scikit-learn #7811, #8623, XGBoost 3.2: memory lost on every fit, or with every
    # data frame.
    X, y = table(16)
    frame = pd.DataFrame(X, columns=list("abcdef")).assign(
        word=np.array(list("xyz"))[y % 3]
    )
    estimator = tw.TreeClassifier(prune=None)

    def fit_and_predict(times):
        for _ in range(times):
            estimator.fit(X, y).predict(X)
            estimator.fit(frame, y).predict(frame)

    fit_and_predict(30)
    before = resident_bytes()
    fit_and_predict(100)
    assert resident_bytes() - before < max(0.01 * before, 4e6)


OUT_OF_MEMORY = """
import resource
import numpy as np
import treewright as tw

rng = np.random.default_rng(0)
X, y = rng.random((1_000_000, 8)), rng.integers(0, 2, 1_000_000)
estimator = tw.TreeClassifier(prune=None, n_jobs={n_jobs}).fit(X[:1000], y[:1000])
before = dict(vars(estimator))
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
refused = explained = 0
for spare in (1, 4, 12, 25, 40, 60, 90, 130):
    limit = (used + spare * 2**20, resource.RLIM_INFINITY)
    resource.setrlimit(resource.RLIMIT_AS, limit)
    try:
        tw.TreeClassifier(prune=None, n_jobs={n_jobs}, max_depth=6).fit(X, y)
    except MemoryError as error:
        refused += 1
        words = "1,000,000 rows and 8 columns: besides the table, its sorted columns"
        explained += words in str(error) and "take 31 MB" in str(error)
        assert explained or "Unable to allocate" in str(error), error
    except RuntimeError as error:  # not even the memory for a thread
        assert "Resource temporarily unavailable" in str(error), error
resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
assert refused >= 3, refused
assert explained >= 1
assert vars(estimator) == before
assert estimator.predict(X[:1000]).tolist() == y[:1000].tolist()
assert tw.TreeClassifier(prune=None, max_depth=3).fit(X, y).get_n_leaves() == 8
print("refused and alive")
"""


@LINUX
@pytest.mark.parametrize("n_jobs", first_of([2, 1, 6], 1))
def test_no_memory_left_is_a_memory_error(n_jobs):
    # scikit-learn #4900, #7079: the error was dropped where memory ran out.
    assert in_fresh_python(OUT_OF_MEMORY.format(n_jobs=n_jobs)) == "refused and alive"


# --- processes -----------------------------------------------------------------------


def fit_in_child(queue):
    X, y = table(35, 30_000)
    queue.put(tw.TreeClassifier(prune=None, n_jobs=2).fit(X, y).tree_.fingerprint)


@pytest.mark.skipif(
    "fork" not in multiprocessing.get_all_start_methods(), reason="needs fork"
)
def test_fit_in_a_forked_child_after_a_fit_in_the_parent():
    # LightGBM #1789, #4751, XGBoost #7044, #2163, loky #248, scikit-learn #3115: a
    # thread pool made before the fork, and a child that waited for ever.
    X, y = table(35, 30_000)
    expected = tw.TreeClassifier(prune=None, n_jobs=2).fit(X, y)
    expected.predict(X)
    context = multiprocessing.get_context("fork")
    queue = context.SimpleQueue()
    child = context.Process(target=fit_in_child, args=(queue,))
    with warnings.catch_warnings():
        # Python warns of forks beside threads, such as those of the test runner.
        warnings.simplefilter("ignore", DeprecationWarning)
        child.start()
    child.join(60)
    alive = child.is_alive()
    if alive:
        child.kill()
    assert not alive, "the child hangs"
    assert queue.get() == expected.tree_.fingerprint


USE = {
    "treewright": "treewright.TreeClassifier(n_jobs=2).fit(X, y).predict(X)",
    "sklearn": "__import__('sklearn.ensemble').ensemble"
    ".HistGradientBoostingClassifier(max_iter=2).fit(X, y).predict(X)",
    "lightgbm": "lightgbm.train({'verbose': -1}, lightgbm.Dataset(X, y), 2).predict(X)",
    "xgboost": "xgboost.train({}, xgboost.DMatrix(X, y), 2)",
    "torch": "torch.set_num_threads(2), torch.rand(500, 500) @ torch.rand(500, 500)",
}
PEERS = [
    name for name in ("lightgbm", "xgboost", "torch") if importlib.util.find_spec(name)
]


@pytest.mark.parametrize(
    "order",
    [
        ["treewright", "sklearn", *PEERS],
        [*PEERS, "sklearn", "treewright"],
        *([PEERS[0], "treewright", name] for name in PEERS[1:]),
    ],
    ids=" ".join,
)
def test_any_order_of_imports_works(order):
    # LightGBM FAQ 10 and 16: two OpenMP runtimes in one process, and a crash.
    lines = [
        "import numpy",
        "rng = numpy.random.default_rng(0)",
        "X, y = rng.random((20_000, 5)), rng.integers(0, 2, 20_000)",
        *(f"import {name}" for name in order),
        *(USE[name] for name in order),
        *(USE[name] for name in reversed(order)),
        "print('alive')",
    ]
    assert in_fresh_python("\n".join(lines)) == "alive"


def test_same_tree_in_another_process():
    # LightGBM #2085, #3761, #3654: same seed, another run, another model. Hashes of
    # strings differ from process to process; nothing may depend on them.
    code = (
        "import numpy as np, treewright as tw\n"
        "rng = np.random.default_rng(0)\n"
        "X = {'word': rng.choice(list('abcdefgh'), 500), 'x': rng.normal(size=500)}\n"
        "y = rng.choice(['yes', 'no', 'perhaps'], 500)\n"
        "tree = tw.TreeClassifier(prune=None, max_features=1).fit(X, y).tree_\n"
        "print(tree.fingerprint)"
    )
    assert len({in_fresh_python(code) for _ in itertools.repeat(None, 2)}) == 1
