"""Whether fitted estimators of scikit-learn that were read can be used: its compiled code follows their arrays without
looking, so those of trees, of support vectors and of neighbour searches are checked by their public attributes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from intemi.machines.decoded import expect


def check_estimator(estimator: Any) -> None:
    """Refuse an estimator in which indices lie outside of arrays."""
    for part in _parts(estimator):
        for name, check in _CHECKS.items():
            if any(base.__name__ == name and base.__module__.startswith("sklearn.") for base in type(part).__mro__):
                check(part)


def _parts(whole: Any) -> Iterator[Any]:
    """An object and everything of scikit-learn inside it."""
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
        elif type(part).__module__.startswith("sklearn."):
            yield part
            pending += getattr(part, "__dict__", {}).values()


def _check_tree(tree: Any) -> None:
    left, right, nodes = tree.children_left, tree.children_right, tree.node_count
    sizes = {len(left), len(right), len(tree.feature), len(tree.value), nodes}
    expect(len(sizes) == 1 and nodes >= 1, "the arrays of a tree have one size")
    _check_children(left, right, left == -1, tree.feature, tree.n_features)
    classes = tree.n_classes
    expect(tree.value.shape == (nodes, tree.n_outputs, tree.max_n_classes), "a tree has values for all nodes")
    expect(len(classes) == tree.n_outputs and classes.min() >= 1, "a tree has classes for all outputs")
    expect(classes.max() <= tree.max_n_classes, "a tree has values for all classes")


def _check_predictor(predictor: Any) -> None:
    nodes = predictor.nodes
    expect(nodes.ndim == 1 and len(nodes) >= 1, "a tree has nodes")
    leaf = nodes["is_leaf"].astype(bool)
    expect(not nodes["is_categorical"].any(), "categorical tests are not read")
    features = np.iinfo(np.int32).max if leaf.all() else int(nodes["feature_idx"][~leaf].max()) + 1
    left, right = nodes["left"].astype(np.int64), nodes["right"].astype(np.int64)
    _check_children(left, right, leaf, nodes["feature_idx"], features)


def _check_children(left: Any, right: Any, leaf: Any, feature: Any, features: int) -> None:
    """Children come after their parents, each node but the root is the child of one, features are those there are."""
    inner = ~leaf
    children = np.concatenate((left[inner], right[inner]))
    expect(len(children) == len(left) - 1, "a tree has one parent for each node but the root")
    expect(np.array_equal(np.sort(children), np.arange(1, len(left))), "a node is the child of one other")
    own = np.flatnonzero(inner)
    expect((left[inner] > own).all() and (right[inner] > own).all(), "children come after their parents")
    expect(not len(own) or (feature[inner].min() >= 0 and feature[inner].max() < features), "a test is of a feature")


def _check_histograms(estimator: Any) -> None:
    wanted = estimator.n_features_in_
    for part in _parts(estimator):
        if type(part).__name__ == "TreePredictor":
            nodes = part.nodes[~part.nodes["is_leaf"].astype(bool)]
            expect(not len(nodes) or nodes["feature_idx"].max() < wanted, "a test is of a feature")


def _check_vectors(machine: Any) -> None:
    vectors, support = machine.support_vectors_, machine.support_
    expect(isinstance(vectors, np.ndarray), "support vectors are dense")
    count, offsets = len(vectors), machine.intercept_
    expect(vectors.ndim == 2 and vectors.dtype == np.float64 and len(support) == count, "support vectors are rows")
    counts = np.asarray(machine.n_support_)
    expect(counts.min() >= 0 and counts.sum() == count, "each support vector is of a class")
    rows = max(len(counts) - 1, 1)
    expect(machine.dual_coef_.shape == (rows, count), "each support vector has its coefficients")
    expect(len(offsets) >= len(counts) * (len(counts) - 1) // 2, "each pair of classes has an offset")
    if machine.kernel != "precomputed":
        expect(vectors.shape[1] == machine.n_features_in_, "support vectors have all features")


def _check_search(search: Any) -> None:
    data, indices, nodes, bounds = search.get_arrays()
    expect(len(data) >= 1 and np.array_equal(np.sort(indices), np.arange(len(data))), "a search finds each row once")
    starts, ends = nodes["idx_start"], nodes["idx_end"]
    expect(len(nodes) >= 1 and bounds.shape[1] == len(nodes), "nodes of a search have bounds")
    expect((starts >= 0).all() and (starts <= ends).all() and (ends <= len(data)).all(), "nodes of a search hold rows")
    last = np.arange(len(nodes)) * 2 + 2 >= len(nodes)
    expect(nodes["is_leaf"].astype(bool)[last].all(), "the last nodes of a search have no others below")


_CHECKS: dict[str, Callable[[Any], None]] = {
    "Tree": _check_tree,
    "TreePredictor": _check_predictor,
    "BaseHistGradientBoosting": _check_histograms,
    "BaseLibSVM": _check_vectors,
    "BinaryTree64": _check_search,
    "BinaryTree32": _check_search,
}
