"""Checks of fitted estimators of scikit-learn that were read from a file or folder.

Compiled code of scikit-learn follows the indices in an estimator without checking them, so whoever writes a file could
have it read or write outside of arrays. `CHECKS` lists by class what must hold before anything is called. A class that
is not in the table, whose module calls compiled code, is refused; what only calls numpy needs no check, since numpy
checks indices itself. The checks read the state that estimators are pickled with, since that is what a file contains.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES
from types import ModuleType
from typing import Any

import numpy as np

from intemi.kernel.errors import MalformedError
from intemi.kernel.libraries import library
from intemi.machines.decoded import expect

MAX_JOBS = 1024
"""Threads or processes that an estimator may ask for."""
HARMLESS_MODULES = frozenset(
    f"sklearn.utils.{name}" for name in ("_isfinite", "_openmp_helpers", "_random", "murmurhash", "sparsefuncs_fast")
)
"""Compiled modules whose functions get nothing but the rows to predict, or sparse arrays, which are checked."""


def check_estimator(estimator: Any) -> None:
    """Refuse an estimator with parts that do not fit together, or that nothing here can check."""
    for part in _parts(estimator):
        try:
            _check_part(part)
        except MalformedError:
            raise
        except Exception as error:  # whatever a check provokes in parts of other types than those that were fitted
            raise MalformedError(f"an estimator has a {type(part).__name__} that cannot be checked: {error}") from error


def _check_part(part: Any) -> None:
    if hasattr(part, "check_format"):  # a sparse array
        part.check_format(full_check=True)
        return
    _check_any(part)
    kind: Any = type(part)
    checks = [CHECKS[base.__name__] for base in _own_bases(kind) if base.__name__ in CHECKS]
    if not checks and calls_compiled(kind):
        raise MalformedError(f"an estimator with a {kind.__name__} has no safe encoding: nothing can check it")
    if _is_fitted(part):
        for check in checks:
            check(part)


def _is_fitted(part: Any) -> bool:
    """Whether a part can be used: scikit-learn refuses an estimator without an attribute that ends with "_"."""
    return not _is_a(part, "BaseEstimator") or any(name.endswith("_") for name in vars(part))


@cache
def is_compiled(cls: type) -> bool:
    """Whether a class of scikit-learn, or one of its bases, is defined in compiled code."""
    return any(_is_compiled_module(base.__module__) for base in _own_bases(cls))


@cache
def calls_compiled(cls: type) -> bool:
    """Whether the module of a class of scikit-learn, or of one of its bases, uses compiled code of scikit-learn."""
    if is_compiled(cls):
        return True
    used = [each for base in _own_bases(cls) for each in vars(sys.modules[base.__module__]).values()]
    names = {each.__name__ if isinstance(each, ModuleType) else getattr(each, "__module__", None) for each in used}
    return any(isinstance(name, str) and _is_compiled_module(name) for name in names)


def _own_bases(cls: type) -> list[type]:
    return [base for base in cls.__mro__ if base.__module__.startswith(("sklearn.", "_loss"))]


def _is_compiled_module(name: str) -> bool:
    if name == "_loss":  # what the classes of sklearn._loss._loss give as their module
        return True
    file = getattr(sys.modules.get(name), "__file__", None) or ""
    return name.startswith("sklearn.") and name not in HARMLESS_MODULES and file.endswith(tuple(EXTENSION_SUFFIXES))


def _parts(whole: Any) -> Iterator[Any]:
    """An object and everything of scikit-learn inside it, and all sparse arrays."""
    pending, seen = [whole], set()
    while pending:
        part = pending.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        if isinstance(part, Mapping):
            pending += part.values()
        elif isinstance(part, list | tuple | set | frozenset):
            pending += part
        elif isinstance(part, np.ndarray):
            pending += part.ravel().tolist() if part.dtype == object else ()
        elif type(part).__module__.startswith("scipy.sparse"):
            yield part
        elif _own_bases(type(part)):
            yield part
            pending += getattr(part, "__dict__", {}).values()


def _is_a(part: Any, name: str) -> bool:
    return any(base.__name__ == name for base in _own_bases(type(part)))


def _is_count(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool) and bool(value >= 0)


def _expect_array(value: Any, kinds: str, *shape: int) -> None:
    """Refuse what is not a plain array of such a shape."""
    expect(type(value) is np.ndarray and value.dtype.kind in kinds, "an array of numbers is needed")
    expect(value.shape == shape, f"an array has the shape {value.shape}, not {shape}")


def _check_any(part: Any) -> None:
    """What holds for all estimators."""
    state = getattr(part, "__dict__", {})
    for name, least in (("n_jobs", -MAX_JOBS), ("n_threads", 1), ("_n_threads", 1)):
        jobs = state.get(name)
        is_number = isinstance(jobs, int | np.integer) and least <= jobs <= MAX_JOBS
        expect(jobs is None or is_number, f"{name} is at most {MAX_JOBS}")
    classes, count = state.get("classes_"), state.get("n_classes_")
    if _is_count(count) and classes is not None:
        expect(len(classes) == count, "n_classes_ is the number of classes")


def _features_of(estimator: Any) -> int:
    """How many features an estimator has, which scikit-learn compares with the rows that it is given."""
    count = vars(estimator).get("n_features_in_")
    expect(_is_count(count), "an estimator states its number of features")
    return int(count)


def _classes_of(estimator: Any) -> int:
    classes = vars(estimator).get("classes_")
    expect(type(classes) is np.ndarray and classes.ndim == 1 and len(classes) >= 1, "a classifier has classes")
    return len(classes)


# Trees


def _check_tree(tree: Any) -> None:
    expect(1 <= tree.node_count <= tree.capacity, "a tree has its nodes")  # before any array of them is made
    left, right, nodes = tree.children_left, tree.children_right, tree.node_count
    sizes = {len(left), len(right), len(tree.feature), len(tree.value), nodes}
    expect(len(sizes) == 1 and nodes >= 1, "the arrays of a tree have one size")
    _check_children(left, right, left == -1, tree.feature, tree.n_features)
    classes = tree.n_classes
    expect(tree.value.shape == (nodes, tree.n_outputs, tree.max_n_classes), "a tree has values for all nodes")
    expect(len(classes) == tree.n_outputs and classes.min() >= 1, "a tree has classes for all outputs")
    expect(classes.max() <= tree.max_n_classes, "a tree has values for all classes")


def _check_children(left: Any, right: Any, leaf: Any, feature: Any, features: int) -> None:
    """Children come after their parents, each node but the root is the child of one, features exist."""
    inner = ~leaf
    children = np.concatenate((left[inner], right[inner]))
    expect(len(children) == len(left) - 1, "a tree has one parent for each node but the root")
    expect(np.array_equal(np.sort(children), np.arange(1, len(left))), "a node is the child of one other")
    own = np.flatnonzero(inner)
    expect((left[inner] > own).all() and (right[inner] > own).all(), "children come after their parents")
    expect(not len(own) or (feature[inner].min() >= 0 and feature[inner].max() < features), "a test is of a feature")


def _check_decision_tree(estimator: Any) -> None:
    tree = vars(estimator).get("tree_")
    expect(_is_a(tree, "Tree"), "a decision tree has a tree")
    expect(tree.n_features == _features_of(estimator), "a tree has the features of its estimator")
    expect(tree.n_outputs == 1, "a tree has one output")
    wanted = _classes_of(estimator) if _is_a(estimator, "ClassifierMixin") else 1
    expect(tree.max_n_classes == tree.n_classes[0] == wanted, "a tree has the classes of its estimator")


def _check_forest(estimator: Any) -> None:
    features, trees = _features_of(estimator), vars(estimator).get("estimators_")
    expect(type(trees) is list and all(_is_a(each, "BaseDecisionTree") for each in trees), "a forest has trees")
    expect(all(_features_of(each) == features for each in trees), "trees have the features of their forest")
    if _is_a(estimator, "ClassifierMixin"):
        classes = _classes_of(estimator)
        expect(all(_classes_of(each) == classes for each in trees), "trees have the classes of their forest")


def _check_gradient_boosting(estimator: Any) -> None:
    """Its compiled code adds a column of the output for each column of trees."""
    state, features = vars(estimator), _features_of(estimator)
    trees, columns = state.get("estimators_"), _columns_of(estimator)
    expect(type(trees) is np.ndarray and trees.ndim == 2, "boosting has rows of trees")
    expect(trees.shape[1] == columns, "boosting has a column of trees for each class")
    for each in trees.ravel().tolist():
        expect(_is_a(each, "DecisionTreeRegressor"), "boosting is of regression trees")
        expect(_features_of(each) == features, "trees have the features of their estimator")
    init = state.get("init_")
    expect(init == "zero" or _is_a(init, "DummyClassifier") or _is_a(init, "DummyRegressor"), "boosting starts simply")
    if _is_a(init, "DummyClassifier"):
        expect(
            len(init.class_prior_) == _classes_of(init) == _classes_of(estimator), "boosting starts with all classes"
        )
    elif _is_a(init, "DummyRegressor"):
        _expect_array(init.constant_, "f", 1, 1)
    expect(init == "zero" or init.n_outputs_ == 1, "boosting has one output")


def _check_histogram_boosting(estimator: Any) -> None:
    state, features, columns = vars(estimator), _features_of(estimator), _columns_of(estimator)
    expect(state.get("_preprocessor") is None, "categorical features are not read")
    expect(not np.any(state["_bin_mapper"].is_categorical_), "categorical features are not read")
    _expect_array(state.get("_baseline_prediction"), "f", 1, columns)
    for row in state["_predictors"]:
        expect(len(row) == columns, "boosting has a tree for each class")
        for each in row:
            expect(_is_a(each, "TreePredictor"), "boosting is of trees")
            inner = each.nodes[~each.nodes["is_leaf"].astype(bool)]
            expect(not len(inner) or inner["feature_idx"].max() < features, "a test is of a feature")


def _columns_of(estimator: Any) -> int:
    """How many numbers boosting predicts for a row: one for each class, a single one for two classes or a value."""
    classes = _classes_of(estimator) if _is_a(estimator, "ClassifierMixin") else 1
    columns = 1 if classes <= 2 else classes
    loss = vars(estimator).get("_loss")
    expect(_is_a(loss, "BaseLoss"), "boosting has a loss")
    expect(_is_a(loss.link, "BaseLink"), "a loss has a link")
    expect(bool(loss.is_multiclass) == (columns > 1), "the loss is of the number of classes")
    stated = vars(estimator).get("n_trees_per_iteration_")
    expect(stated == columns, "boosting has a tree for each class")
    return columns


def _check_predictor(predictor: Any) -> None:
    nodes = predictor.nodes
    expect(nodes.ndim == 1 and len(nodes) >= 1, "a tree has nodes")
    leaf = nodes["is_leaf"].astype(bool)
    expect(not nodes["is_categorical"].any(), "categorical tests are not read")
    features = np.iinfo(np.int32).max if leaf.all() else int(nodes["feature_idx"][~leaf].max()) + 1
    left, right = nodes["left"].astype(np.int64), nodes["right"].astype(np.int64)
    _check_children(left, right, leaf, nodes["feature_idx"], features)


# Support vectors


def _check_vectors(machine: Any) -> None:
    """LIBSVM takes the lengths of all arrays from the number of support vectors of each class."""
    state, features = vars(machine), _features_of(machine)
    expect("_impl" not in state and state.get("_sparse") is False, "support vectors are dense")
    is_classifier = _is_a(machine, "ClassifierMixin")
    classes = _classes_of(machine) if is_classifier else 2
    pairs = classes * (classes - 1) // 2
    support, counts, rows = state["support_"], state["_n_support"], state["shape_fit_"]
    count = len(support)
    _expect_array(support, "i", count)
    _expect_array(counts, "i", classes)
    expect(counts.min() >= 0, "each support vector is of a class")
    expect(not is_classifier or counts.sum() == count, "each support vector is of a class")
    expect(not count or (support.min() >= 0 and support.max() < rows[0]), "support vectors are rows")
    if machine.kernel == "precomputed":
        expect(rows[0] == features, "a kernel table has a column for each row")
    else:
        _expect_array(state["support_vectors_"], "f", count, features)
    for name in ("_dual_coef_", "dual_coef_"):
        _expect_array(state[name], "f", classes - 1, count)
    for name in ("_intercept_", "intercept_"):
        _expect_array(state[name], "f", pairs)
    sizes = {len(state[name]) for name in ("_probA", "_probB")}
    expect(sizes in ({0}, {pairs if is_classifier else 1}), "each pair of classes has its probabilities")


# Neighbours


def _check_neighbours(estimator: Any) -> None:
    state, features = vars(estimator), _features_of(estimator)
    rows, known, search = state.get("n_samples_fit_"), state["_fit_X"], state["_tree"]
    expect(_is_count(rows) and known.ndim == 2 and known.shape == (rows, features), "neighbours are rows of features")
    expect(state["_fit_method"] in ("brute", "kd_tree", "ball_tree"), "neighbours are found by a known method")
    expect((search is None) == (state["_fit_method"] == "brute"), "neighbours are found by a search")
    if search is not None:
        expect(_is_a(search, "BinaryTree64") or _is_a(search, "BinaryTree32"), "neighbours are found by a search")
        expect(search.get_arrays()[0].shape == known.shape, "a search has all rows")
    wanted = state.get("n_neighbors")
    expect(wanted is None or (_is_count(wanted) and wanted <= rows), "there are at most as many neighbours as rows")
    for name, value in {**(state.get("metric_params") or {}), **(state["effective_metric_params_"] or {})}.items():
        if name != "p":
            _expect_array(value, "f", *((features, features) if name == "VI" else (features,)))
    if _is_a(estimator, "ClassifierMixin"):
        _expect_array(state["_y"], "i", rows)
        codes = state["_y"]
        expect(codes.min() >= 0 and codes.max() < _classes_of(estimator), "rows have classes")


def _check_search(search: Any) -> None:
    state = search.__getstate__()
    data, indices, nodes, bounds = search.get_arrays()
    expect(len(data) >= 1 and np.array_equal(np.sort(indices), np.arange(len(data))), "a search finds each row once")
    starts, ends = nodes["idx_start"], nodes["idx_end"]
    expect(len(nodes) >= 1 and state[6] == len(nodes), "a search has nodes")
    corners = 2 if _is_a(search, "KDTree") else 1
    expect(bounds.shape == (corners, len(nodes), data.shape[1]), "nodes of a search have bounds")
    expect((starts >= 0).all() and (starts <= ends).all() and (ends <= len(data)).all(), "nodes of a search hold rows")
    last = np.arange(len(nodes)) * 2 + 2 >= len(nodes)
    expect(nodes["is_leaf"].astype(bool)[last].all(), "the last nodes of a search have no others below")
    metrics = [each for each in state if _is_a(each, "DistanceMetric")]
    expect(len(metrics) == 1, "a search has a metric")
    _check_metric(metrics[0])
    metrics[0].pairwise(np.asarray(data[:1], dtype=np.float64 if _is_a(search, "BinaryTree64") else np.float32))


def _check_metric(metric: Any) -> None:
    expect(not _is_a(metric, "PyFuncDistance64") and not _is_a(metric, "PyFuncDistance32"), "a metric is a named one")
    _, vector, matrix = metric.__getstate__()[:3]
    if type(metric).__name__.startswith("Mahalanobis"):
        expect(matrix.shape == (len(matrix), len(matrix)), "the matrix of a metric is square")
        expect(matrix.shape == (len(vector), len(vector)), "a metric is of one number of features")


# The others


def _check_means(estimator: Any) -> None:
    centers = estimator.cluster_centers_
    _expect_array(centers, "f", len(centers), _features_of(estimator))
    expect(len(centers) >= 1, "there are centers")


def _check_one_hot(encoder: Any) -> None:
    """Its columns become the indices of a sparse array."""
    state, features = vars(encoder), _features_of(encoder)
    categories, widths = state["categories_"], state["_n_features_outs"]
    expect(type(categories) is list and type(widths) is list, "categories are lists")
    expect(len(categories) == len(widths) == features, "each feature has categories")
    groups = type(state["_infrequent_enabled"]) is bool and state["_infrequent_enabled"]
    grouped = state["_default_to_infrequent_mappings"] if groups else [None] * features
    infrequent = state["_infrequent_indices"] if groups else [None] * features
    dropped = state.get("_drop_idx_after_grouping")
    dropped = [None] * features if dropped is None else dropped.tolist()
    expect(len(grouped) == len(infrequent) == len(dropped) == features, "each feature has categories")
    for each, group, rare, drop, width in zip(categories, grouped, infrequent, dropped, widths, strict=True):
        expect(type(each) is np.ndarray and each.ndim == 1 and _is_count(width), "categories are an array")
        if each.dtype.kind != "O":  # which is searched, and must be in order
            known = each[:-1] if each.dtype.kind == "f" and len(each) and np.isnan(each[-1]) else each
            expect(bool((known[1:] > known[:-1]).all()), "categories are in order")
        count = len(each)
        expect((group is None) == (rare is None), "rare categories have a group")
        if group is not None:
            _expect_array(group, "iu", count)
            _expect_array(rare, "iu", len(rare))
            expect(len(group) and group.min() >= 0, "rare categories have a group")
            expect(len(rare) and rare.min() >= 0 and rare.max() < count, "rare categories are categories")
            count = int(group.max()) + 1
        expect(drop is None or (_is_count(drop) and drop < count), "what is left out is a category")
        expect(width == count - (drop is not None), "each category has a column")


def _nothing(part: Any) -> None:
    """Compiled code is called only while it is fitted, or compares the shapes of all arrays first."""


CHECKS: dict[str, Callable[[Any], None]] = {
    "Tree": _check_tree,
    "BaseDecisionTree": _check_decision_tree,
    "BaseForest": _check_forest,
    "BaseGradientBoosting": _check_gradient_boosting,
    "BaseHistGradientBoosting": _check_histogram_boosting,
    "TreePredictor": _check_predictor,
    "BaseLibSVM": _check_vectors,
    "NeighborsBase": _check_neighbours,
    "BinaryTree64": _check_search,
    "BinaryTree32": _check_search,
    "DistanceMetric": _check_metric,
    "KMeans": _check_means,
    "MiniBatchKMeans": _check_means,
    "OneHotEncoder": _check_one_hot,
    # Numbers of a loss, no arrays.
    "CyLossFunction": _nothing,
    "CyHalfMultinomialLoss": _nothing,
    "BaseLoss": _nothing,
    "_BinMapper": _nothing,
    # Linear models, whose compiled code fits them.
    "LinearModel": _nothing,
    "LinearClassifierMixin": _nothing,
    "SparseCoefMixin": _nothing,
    # Others that numpy transforms.
    "FeatureAgglomeration": _nothing,
    "IsotonicRegression": _nothing,
    "PolynomialFeatures": _nothing,
    "TargetEncoder": _nothing,
    # Topics and factors, whose shapes are compared or made on the way.
    "LatentDirichletAllocation": _nothing,
    "_BaseNMF": _nothing,
}
"""What must hold of an instance of a class, by the name of the class or of one of its bases."""


def is_checked(cls: type) -> bool:
    """Whether the table has a class that is compiled, or one of its bases."""
    return any(base.__name__ in CHECKS for base in _own_bases(cls))


def expect_kind(estimator: Any, *, classifies: bool) -> None:
    """Refuse an estimator that is no classifier, or one that transforms nothing."""
    base = library("sklearn.base")
    if classifies:
        expect(base.is_classifier(estimator), "a classifier is needed")
    else:
        expect(hasattr(estimator, "transform"), "a transformer is needed")
