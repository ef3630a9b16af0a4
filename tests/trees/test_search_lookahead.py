"""Lookahead finds splits that are worth nothing by themselves."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intemi.data import Data
from intemi.machines.trees.decision_tree import DecisionTree
from intemi.machines.trees.missing import Fractional
from intemi.machines.trees.node_data import NodeData
from intemi.machines.trees.quality import SSV, Gini, InformationGain, SplitQuality
from intemi.machines.trees.search import Lookahead
from intemi.machines.trees.splits import Split
from intemi.machines.trees.splitters.exhaustive import ExhaustiveSearch
from intemi.machines.trees.splitters.whole_features import WholeFeatures
from intemi.machines.trees.whole_feature import ConfidentIntervals
from intemi.testing import check_machine
from tests.trees.examples import G14, leaves_of, same_tree, searched_tree, table_of, tree_of
from tests.trees.test_exhaustive_search import tables

_ROWS = ["0000", "0000", "0111", "0101", "1011", "1011", "1100", "1110"]
X1 = table_of({f"x{i}": [int(row[i]) for row in _ROWS] for i in range(3)}, [row[3] for row in _ROWS])
"""The class says whether x0 and x1 differ; x2 alone tells a little of it."""


def qualities(data: Data, depth: int) -> dict[int, float]:
    """What the splits of each feature are worth, the best one first."""
    splits = Lookahead(depth=depth).best_splits(NodeData.of(data), 10)
    return {split.feature: split.quality for split in splits}


def test_greedy_search_is_led_astray() -> None:
    tree = tree_of(DecisionTree(splitter=ExhaustiveSearch(quality=InformationGain())), X1)
    assert tree.feature[0] == 2
    assert tree.leaf_count == 6


def test_one_level_ahead_finds_the_pair_of_features() -> None:
    found = qualities(X1, depth=1)
    assert list(found) == [0, 1, 2]
    assert found == pytest.approx({0: 1.0, 1: 1.0, 2: 0.5})
    tree = tree_of(DecisionTree(splitter=Lookahead(depth=1)), X1)
    assert tree.feature.tolist() == [0, 1, 1]
    assert sorted(leaves_of(tree)) == [[0, 2], [0, 2], [2, 0], [2, 0]]


def test_two_levels_ahead_all_features_are_alike_and_the_best_by_itself_is_taken() -> None:
    found = qualities(X1, depth=2)
    assert found == pytest.approx({0: 1.0, 1: 1.0, 2: 1.0})
    assert next(iter(found)) == 2


def test_few_candidates_are_those_that_are_best_by_themselves() -> None:
    [only] = Lookahead(candidates=1).best_splits(NodeData.of(X1), 3)
    assert only.feature == 2


def test_without_candidates_there_is_no_split() -> None:
    assert Lookahead().best_splits(NodeData.of(table_of({"x": [1, 1]}, "AB")), 1) == []


def test_a_split_whose_levels_separate_nothing_is_not_made() -> None:
    alike = table_of({"x": [0, 0, 1, 1], "z": [0, 1, 0, 1]}, "ABAB").select_columns([0])
    assert Lookahead(depth=2).best_splits(NodeData.of(alike), 1) == []


def test_branches_that_must_be_leaves_are_not_split_further() -> None:
    x, classes = list(range(1, 21)), "A" * 8 + "BABAAB" + "B" * 6
    data = table_of({"x": x, "z": [i % 2 for i in x]}, classes)
    [best, *_] = Lookahead(splitter=WholeFeatures(splitter=ConfidentIntervals())).best_splits(NodeData.of(data), 2)
    assert best.closed is not None
    assert best.feature == 0


@given(tables(weighted=True), st.sampled_from([Gini(), InformationGain(), SSV()]))
def test_depth_nought_is_the_plain_splitter(data: Data, quality: SplitQuality) -> None:
    plain = ExhaustiveSearch(quality=quality)
    ahead = Lookahead(splitter=plain, quality=quality, depth=0)
    assert same_tree(searched_tree(DecisionTree(splitter=plain), data), tree_of(DecisionTree(splitter=ahead), data))


def gain(parts: list[np.ndarray]) -> float:
    """Information gain of a division, written down once more."""

    def entropy(weights: np.ndarray) -> float:
        shares = weights[weights > 0] / weights.sum()
        return float(-(shares * np.log2(shares)).sum())

    whole = np.sum(parts, axis=0)
    return entropy(whole) - sum(float(part.sum() / whole.sum()) * entropy(part) for part in parts if part.sum() > 0)


def leaves_ahead(data: NodeData, split: Split, levels: int) -> list[np.ndarray]:
    """The leaves of the small tree; the data know all their values."""
    branches, found = split.route(data), list[np.ndarray]()
    for branch in range(split.branch_count):
        part = data.select(np.flatnonzero(branches == branch), branch=branch)
        best = ExhaustiveSearch(quality=InformationGain(), allow_zero_gain=True).best_splits(part, 1)
        if levels == 0 or not best:
            found.append(part.class_weights)
        else:
            found += leaves_ahead(part, best[0], levels - 1)
    return found


@given(tables(weighted=True, missing=False), st.integers(1, 3))
def test_no_split_leads_to_better_leaves_than_the_one_found(data: Data, depth: int) -> None:
    node = NodeData.of(data)
    every = ExhaustiveSearch(quality=InformationGain(), allow_zero_gain=True).best_splits(node, 10)
    gains = {split.feature: gain(leaves_ahead(node, split, depth)) for split in every}
    worth = {feature: each for feature, each in gains.items() if each > 1e-12}
    found = Lookahead(depth=depth).best_splits(node, 10)
    assert {split.feature: split.quality for split in found} == pytest.approx(worth)
    if found:
        assert found[0].quality == pytest.approx(max(worth.values()))


@given(tables())
def test_missing_values_do_not_disturb_it(data: Data) -> None:
    machine = DecisionTree(splitter=Lookahead(missing_values=Fractional()), missing_values=Fractional())
    assert tree_of(machine, data).weights[0] == pytest.approx(len(data))


def test_the_machine_keeps_the_promises_of_all_machines() -> None:
    check_machine(DecisionTree(splitter=Lookahead()), data=G14)
