"""Where tests of independence end growth."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2_contingency, fisher_exact

from intemi.machines.trees import DecisionTree, IndependenceTestAcceptor, IndependenceTestStop
from intemi.machines.trees.components import Growth
from intemi.machines.trees.independence import _chi2, _fisher, _p_of_feature
from intemi.machines.trees.node_data import NodeData
from tests import datasets
from tests.trees.examples import D1, leaves_of, table_of, tree_of
from tests.trees.small_nodes import random_node, repeated

SPLITS = {
    "R": ([[10, 2], [2, 6]], 0.0091, 0.0194),
    "a": ([[8, 0], [2, 2]], 0.0285, 0.0909),
    "c": ([[2, 0], [0, 2]], 0.0455, 0.3333),
    "f": ([[2, 1], [0, 5]], 0.0350, 0.1071),
}
"""Branches × classes of the splits of a small tree, and p by either test."""


@pytest.mark.parametrize("name", SPLITS)
def test_p_of_splits(name: str) -> None:
    counts, by_chi2, by_fisher = SPLITS[name]
    table = np.array(counts, dtype=float)
    assert (round(_chi2(table), 4), round(_fisher(table), 4)) == (by_chi2, by_fisher)
    assert _chi2(table) == pytest.approx(chi2_contingency(table, correction=False).pvalue)
    assert _fisher(table) == pytest.approx(fisher_exact(table).pvalue)


@pytest.mark.parametrize(
    ("acceptor", "leaves"),
    [
        (IndependenceTestAcceptor(), [[8, 0], [2, 0], [0, 2], [2, 1], [0, 5]]),
        (IndependenceTestAcceptor(alpha=0.01), [[10, 2], [2, 6]]),
        (IndependenceTestAcceptor(test="fisher"), [[10, 2], [2, 6]]),
    ],
    ids=repr,
)
def test_splits_on_which_the_classes_do_not_depend_are_not_made(acceptor: Any, leaves: list[list[float]]) -> None:
    assert sorted(leaves_of(tree_of(DecisionTree(acceptor=acceptor), D1))) == sorted(leaves)


def stops(criterion: IndependenceTestStop, data: Any) -> bool:
    return criterion.stops(NodeData.of(data), Growth())


def test_p_of_the_strongest_feature_is_corrected_for_their_number() -> None:
    """x is related to the class with p = 0.0143, alone or beside three features that say nothing."""
    x, classes = [0] * 12 + [1] * 12, "A" * 9 + "B" * 3 + "A" * 3 + "B" * 9
    alone = table_of({"x": x}, classes)
    beside = table_of({"x": x, **{name: [0, 1] * 12 for name in "uvw"}}, classes)
    p = chi2_contingency([[9, 3], [3, 9]], correction=False).pvalue
    assert _p_of_feature(NodeData.of(alone), 0) == pytest.approx(p)
    for criterion, expected in (
        (IndependenceTestStop(alpha=4.01 * p), False),
        (IndependenceTestStop(alpha=3.99 * p), True),
        (IndependenceTestStop(alpha=1.0001 * (1 - (1 - p) ** 4), correction="sidak"), False),
        (IndependenceTestStop(alpha=0.9999 * (1 - (1 - p) ** 4), correction="sidak"), True),
        (IndependenceTestStop(alpha=1.01 * p, correction="none"), False),
        (IndependenceTestStop(alpha=0.99 * p, correction="none"), True),
    ):
        assert stops(criterion, beside) == expected
    assert not stops(IndependenceTestStop(alpha=1.01 * p), alone)


def test_features_that_do_not_vary_are_not_counted_as_tested() -> None:
    """p = 0.0143 of x alone, which a correction for four features would make 0.057."""
    x, classes = [0] * 12 + [1] * 12, "A" * 9 + "B" * 3 + "A" * 3 + "B" * 9
    data = table_of({"x": x, "u": [0] * 24, "v": ["a"] * 24, "w": [None] * 24}, classes)
    for correction in ("bonferroni", "sidak"):
        assert not stops(IndependenceTestStop(correction=correction), data)


def test_of_few_cases_fishers_test_is_made() -> None:
    data = table_of({"x": list("ppqq")}, "AABB")
    assert _p_of_feature(NodeData.of(data), 0) == pytest.approx(1 / 3)
    assert stops(IndependenceTestStop(), data)


def test_numbers_are_tested_by_their_quarters() -> None:
    x = np.arange(40.0)
    data = table_of({"x": x.tolist()}, ["AB"[int(10 <= each < 30)] for each in x])
    table = [[10, 0], [0, 10], [0, 10], [10, 0]]
    assert _p_of_feature(NodeData.of(data), 0) == pytest.approx(chi2_contingency(table, correction=False).pvalue)


def test_a_feature_that_says_nothing_is_no_reason_to_go_on() -> None:
    data = table_of({"x": [1, 1, 1, 1], "y": [None, None, None, None]}, "AABB")
    assert [_p_of_feature(NodeData.of(data), feature) for feature in (0, 1)] == [1, 1]
    assert stops(IndependenceTestStop(), data)


def test_trees_are_smaller() -> None:
    data = datasets.load("heart-statlog")
    full = tree_of(DecisionTree(), data)
    for learner in (DecisionTree(stop=IndependenceTestStop()), DecisionTree(acceptor=IndependenceTestAcceptor())):
        assert 1 < tree_of(learner, data).leaf_count < full.leaf_count


@given(st.integers(0, 2**32))
def test_a_weight_of_two_is_the_row_twice(seed: int) -> None:
    rng = np.random.default_rng(seed)
    data = random_node(rng)
    weighted, twice = repeated(data, rng.integers(1, 4, size=len(data)))
    for feature in range(len(weighted.columns)):
        assert _p_of_feature(weighted, feature) == pytest.approx(_p_of_feature(twice, feature), rel=1e-9)


def test_heavy_rows_do_not_keep_anybody_waiting() -> None:
    data = table_of({"x": list("ppqq"), "y": [1, 2, 3, 4]}, "AABB", weights=[1e9, 3e9, 2e9, 1e12])
    for learner in (
        DecisionTree(stop=IndependenceTestStop()),
        DecisionTree(acceptor=IndependenceTestAcceptor(test="fisher")),
    ):
        assert tree_of(learner, data).leaf_count == 2
