"""Tools for trees of scikit-learn work on the result of to_sklearn."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.tree import export_text, plot_tree

import treewright as tw


def needed(name):
    return pytest.importorskip(name, reason=f"NO PACKAGE {name}: make tools")


def table(of):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(400, 4)).astype(np.float32)
    score = X[:, 0] * 2 + (X[:, 1] > 0) + rng.normal(size=400) / 5
    if of == "class":
        return X, np.digitize(score, [-1, 1])
    return X, score


@pytest.fixture(params=["class", "number"])
def grown(request):
    X, y = table(request.param)
    maker = tw.TreeClassifier if request.param == "class" else tw.TreeRegressor
    tree = maker(min_samples_leaf=8).fit(X, y).tree_
    assert tree.n_leaves > 4
    return tree, X


def expected(tree, X):
    if tree.classes.size:
        return tree.predict_proba(X)
    return tree.predict(X).reshape(-1, 1)


@pytest.mark.filterwarnings("ignore")
def test_values_of_shap_sum_to_the_prediction(grown):
    shap = needed("shap")
    tree, X = grown
    explainer = shap.TreeExplainer(tree.to_sklearn())
    values = np.asarray(explainer.shap_values(X))
    values = values.reshape(*X.shape, -1)
    base = np.ravel(explainer.expected_value)
    total = base + values.sum(axis=1)
    np.testing.assert_allclose(total, expected(tree, X), atol=1e-6)


@pytest.mark.filterwarnings("ignore")
def test_skl2onnx_gives_the_answers_of_the_tree(grown):
    skl2onnx, runtime = needed("skl2onnx"), needed("onnxruntime")
    tree, X = grown
    options = {"zipmap": False} if tree.classes.size else None
    model = skl2onnx.to_onnx(tree.to_sklearn(), X[:1], options=options)
    session = runtime.InferenceSession(model.SerializeToString())
    answers = session.run(None, {"X": X})[-1].reshape(len(X), -1)
    np.testing.assert_allclose(answers, expected(tree, X), atol=1e-5)


def forest_of(one):
    """A forest of one tree: treelite reads forests only."""
    is_class = hasattr(one, "classes_")
    forest = (RandomForestClassifier if is_class else RandomForestRegressor)(1)
    forest.estimators_, forest.n_outputs_ = [one], 1
    forest.n_features_in_ = one.n_features_in_
    if is_class:
        forest.classes_, forest.n_classes_ = one.classes_, one.n_classes_
    return forest


@pytest.mark.filterwarnings("ignore")
def test_treelite_gives_the_answers_of_the_tree(grown):
    treelite = needed("treelite")
    tree, X = grown
    model = treelite.sklearn.import_model(forest_of(tree.to_sklearn()))
    answers = treelite.gtil.predict(model, X).reshape(len(X), -1)
    np.testing.assert_allclose(answers, expected(tree, X), atol=1e-6)


@pytest.mark.filterwarnings("ignore")
def test_dtreeviz_reads_the_tree(grown):
    dtreeviz = needed("dtreeviz")
    tree, X = grown
    y = tree.predict(X)
    names = [f"x{i}" for i in range(4)]
    classes = [str(c) for c in tree.classes] or None
    model = dtreeviz.model(tree.to_sklearn(), X, y, names, "y", classes)
    assert model.shadow_tree.nnodes() == tree.n_nodes
    assert len(model.shadow_tree.leaves) == tree.n_leaves


def test_scikit_learn_draws_and_prints_the_tree(grown):
    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    tree, _ = grown
    drawn = plot_tree(tree.to_sklearn())
    plt.close("all")
    n_boxes = sum("samples" in box.get_text() for box in drawn)
    assert n_boxes == tree.n_nodes
    text = export_text(tree.to_sklearn(), max_depth=99)
    assert text.count("class:" if tree.classes.size else "value:") == tree.n_leaves
