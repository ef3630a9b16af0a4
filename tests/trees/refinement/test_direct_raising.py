"""Subtree raising: rows go down again, and the tree knows it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intemi.data import Data
from intemi.kernel import ConfigurationError
from intemi.machines.trees.algorithms import C45, CART
from intemi.machines.trees.refinement.error_based import ErrorBased
from intemi.machines.trees.refinement.machines import NodeCounts
from intemi.machines.trees.tree import Tree
from tests.trees.examples import table_of, tree_of

RAISING = ErrorBased(estimator="j48", slack=0.1, raising=True)


def rows(*groups: tuple[int, Any, Any, str]) -> Data:
    """Data of groups of equal rows: how many, the values of x and y, the class."""
    every = [group[1:] for group in groups for _ in range(group[0])]
    return table_of({"x": [row[0] for row in every], "y": [row[1] for row in every]}, [row[2] for row in every])


def grown_by_x(data: Data) -> Tree:
    """A tree that asks for x, and where x is large for y."""
    lower, upper = [data.select_rows(data.features[0] == value) for value in (0, 1)]
    low, high = [upper.select_rows(upper.features[1] == value) for value in (0, 1)]
    nodes = [data, lower, upper, low, high]
    weights = [np.bincount(each.classes, minlength=2).astype(float).tolist() for each in nodes]
    plain: list[dict[str, Any]] = [{"class_weights": each, "branch_weight": sum(each)} for each in weights]
    for node, feature, children in ((0, "x", [1, 2]), (2, "y", [3, 4])):
        test = {"kind": "thresholds", "feature": feature, "cuts": [0.5]}
        plain[node] |= {"tests": [test], "children": children}
        plain[node] |= {"default_branch": -1, "quality": 1.0, "expansion": node // 2 + 1}
    columns = [{"name": name} for name in "xy"]
    return Tree.from_plain({"columns": columns, "labels": list(data.labels), "nodes": plain})


def test_a_branch_that_suits_all_rows_is_raised() -> None:
    data = rows((2, 0, 0, "A"), (1, 0, 1, "B"), (10, 1, 0, "A"), (10, 1, 1, "B"))
    raised = RAISING.pruned(grown_by_x(data), data)
    assert raised.leaf_count == 2
    assert raised.columns[raised.feature[0]].name == "y"
    assert raised.class_weights.tolist() == [[12, 11], [12, 0], [0, 11]]
    assert raised.branch_weight.tolist() == [23, 12, 11]
    assert raised.expansion.tolist() == [1, 0, 0]


def test_a_branch_that_does_not_suit_the_other_rows_stays_where_it_is() -> None:
    data = rows((8, 0, 0, "B"), (10, 1, 0, "A"), (10, 1, 1, "B"))
    tree = grown_by_x(data)
    assert RAISING.pruned(tree, data) == tree


def test_a_leaf_that_is_as_good_is_preferred() -> None:
    data = rows((3, 0, 0, "A"), (1, 0, 1, "A"), (9, 1, 0, "A"), (9, 1, 1, "A"), (1, 1, 1, "B"))
    assert RAISING.pruned(grown_by_x(data), data).class_weights.tolist() == [[22, 1]]


def test_parts_of_rows_follow_the_branches_as_they_are_after_raising() -> None:
    data = rows((2, 0, 0, "A"), (1, 0, 1, "B"), (12, 1, 0, "A"), (8, 1, 1, "B"))
    missing = rows((2, 0, 0, "A"), (1, 0, 1, "B"), (12, 1, 0, "A"), (8, 1, 1, "B"), (1, 0, None, "A"))
    tree = grown_by_x(data)
    more = np.array([1.0, 1.0, *[0.0] * (len(tree) - 2)])
    class_weights = tree.class_weights + np.outer(more, [1, 0])
    tree = replace(tree, class_weights=class_weights, branch_weight=tree.branch_weight + more)
    raised = RAISING.pruned(tree, missing)
    share = 14 / 23
    expected = np.array([[15, 9], [14 + share, 0], [1 - share, 9]])
    np.testing.assert_allclose(raised.class_weights, expected)
    assert raised.branch_weight.tolist() == [24, 14, 9]


@given(seed=st.integers(0, 10_000), missing=st.sampled_from([0.0, 0.2]), weighted=st.booleans())
@pytest.mark.parametrize(
    "learner",
    [C45(collapse=False, refinement=None), C45(binary=True, refinement=None), CART(refinement=None)],
    ids=["C45", "binary", "CART"],
)
def test_a_raised_tree_knows_the_rows_that_reach_its_nodes(
    learner: Any, seed: int, missing: float, weighted: bool
) -> None:
    rng = np.random.default_rng(seed)
    size = 60
    columns: dict[str, Any] = {
        "u": rng.integers(0, 6, size).tolist(),
        "v": rng.normal(size=size).round(1).tolist(),
        "w": rng.choice(["p", "q", "r", "s"], size).tolist(),
    }
    for values in columns.values():
        for place in np.flatnonzero(rng.random(size) < missing):
            values[place] = None
    classes = ["AB"[int((u or 0) > 2) ^ int(rng.random() < 0.3)] for u in columns["u"]]
    weights = rng.integers(1, 4, size).astype(float) if weighted else None
    data = table_of(columns, classes, weights, labels="AB")
    tree = tree_of(learner, data)
    raised = RAISING.pruned(tree, data)
    assert raised.leaf_count <= tree.leaf_count
    counted = NodeCounts().run(raised, data).outputs["counts"]
    np.testing.assert_allclose(raised.class_weights, counted, atol=1e-4)
    inner = raised.branch_count > 0
    assert sorted(raised.expansion[inner]) == list(range(1, inner.sum() + 1))
    assert (raised.expansion[raised.parent[1:]][inner[1:]] < raised.expansion[1:][inner[1:]]).all()


def test_raising_needs_the_training_data() -> None:
    data = rows((3, 0, 0, "A"), (9, 1, 0, "A"), (9, 1, 1, "B"))
    with pytest.raises(ConfigurationError, match="ErrorBased: raising needs the data that the tree was grown on, got"):
        RAISING.pruned(grown_by_x(data))
    with pytest.raises(ConfigurationError, match=r"whose classes weigh \[12.0, 9.0\], got \[11.0, 9.0\]"):
        RAISING.pruned(grown_by_x(data), data.select_rows(np.arange(1, len(data))))
