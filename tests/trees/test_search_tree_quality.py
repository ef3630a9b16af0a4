"""Measures of trees that a search compares: hand-checked numbers, and the best of all trees."""

from __future__ import annotations

from fractions import Fraction
from math import comb, factorial, log2

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from intemi.data import Data
from intemi.machines.trees.node_data import NodeData
from intemi.machines.trees.search import BeamSearch, CodeLength, Leaves, PathEstimate, TreeQuality
from intemi.machines.trees.stop import AnyOf, MaxDepth, MaxErrors
from intemi.machines.trees.tree import Tree
from intemi.testing import check_machine
from tests.trees.examples import G14
from tests.trees.refinement.fixtures import T1, TM, Example
from tests.trees.test_exhaustive_search import tables
from tests.trees.test_search_beam import GREEDY, every_tree, forest, parts_of
from tests.trees.test_search_lookahead import X1


def leaves_of(tree: Tree) -> Leaves:
    """The leaves of a tree that has grown."""
    depths = [0]
    for node in range(1, len(tree)):
        depths.append(depths[tree.parent[node]] + 1)
    some = (tree.branch_count == 0) & (tree.weights > 0)
    return Leaves(tree.class_weights[some], np.array(depths, dtype=np.int32)[some], int((tree.branch_count > 0).sum()))


def code_length(tree: Tree) -> float:
    """The same in whole numbers: all orders of the classes, all numbers of them, and a bit for each split."""
    total = float((tree.branch_count > 0).sum())
    for row in tree.class_weights[tree.branch_count == 0].astype(int).tolist():
        orders = factorial(sum(row))
        for each in row:
            orders //= factorial(each)
        total += log2(orders) + log2(comb(sum(row) + len(row) - 1, len(row) - 1))
    return total


def path_estimate(tree: Tree) -> float:
    """The same in fractions."""
    root = [Fraction(int(each)) for each in tree.class_weights[0]]
    rates = []
    leaves = leaves_of(tree)
    for weights, depth in zip(leaves.class_weights.astype(int).tolist(), leaves.depths.tolist(), strict=True):
        pairs = zip(weights, root, strict=True)
        rates.append(min(1 - (n + depth * p / sum(root)) / (sum(weights) + depth) for n, p in pairs))
    return float(sum(rates) / len(rates))


@pytest.mark.parametrize(("example", "length"), [(T1, 16.5098), (TM, 20.3760 + 9.8138 - 9.5622)], ids=["T1", "TM"])
def test_a_tree_is_as_long_as_the_pruning_says(example: Example, length: float) -> None:
    assert -CodeLength().of(leaves_of(example.tree)) == pytest.approx(length, abs=2e-4)
    assert code_length(example.tree) == pytest.approx(length, abs=2e-4)


def test_the_estimates_of_five_leaves() -> None:
    # b 8,0 and g 2,1 and h 0,5 at depth 2, d 2,0 and e 0,2 at depth 3; of the rows 0.6 are A.
    rates = [1 - 9.2 / 10, 1 - 3.2 / 5, 1 - 5.8 / 7, 1 - 3.8 / 5, 1 - 3.2 / 5]
    assert -PathEstimate().of(leaves_of(T1.tree)) == pytest.approx(np.mean(rates))
    assert path_estimate(T1.tree) == pytest.approx(np.mean(rates))


def test_a_root_alone_is_judged_by_its_own_rows() -> None:
    root = Leaves(np.array([[3.0, 1.0]]), np.array([0]), splits=0)
    assert PathEstimate().of(root) == -0.25
    assert CodeLength().of(root) == pytest.approx(-log2(4 * 5))


@pytest.mark.parametrize("quality", [CodeLength(), PathEstimate()], ids=repr)
@given(data=tables(missing=False))
def test_a_wide_beam_finds_the_best_tree(quality: TreeQuality, data: Data) -> None:
    machine = GREEDY.replace("stop", AnyOf((MaxErrors(), MaxDepth(depth=4))))
    assume(len(every_tree(NodeData.of(data), parts_of(machine))) < 200)
    trees = forest(BeamSearch(width=10**6, branch=99, finished=10**6, quality=quality), data, machine)
    measure = code_length if isinstance(quality, CodeLength) else path_estimate
    values = [measure(tree) for tree in trees]
    if len(trees) > 1:
        assert values == pytest.approx(sorted(values))
        assert [-quality.of(leaves_of(tree)) for tree in trees] == pytest.approx(values)


@given(st.lists(st.lists(st.integers(0, 6), min_size=3, max_size=3).filter(any), min_size=1, max_size=5))
def test_the_order_of_leaves_does_not_matter(rows: list[list[int]]) -> None:
    weights, depths = np.array(rows, dtype=float), np.arange(len(rows), dtype=np.int32)
    for quality in (CodeLength(), PathEstimate()):
        one = quality.of(Leaves(weights, depths, len(rows) - 1))
        assert quality.of(Leaves(weights[::-1], depths[::-1], len(rows) - 1)) == pytest.approx(one)


@pytest.mark.parametrize("quality", [CodeLength(), PathEstimate()], ids=repr)
def test_the_pair_of_features_makes_the_better_tree(quality: TreeQuality) -> None:
    short, *_, long = forest(BeamSearch(width=100, branch=3, finished=100, quality=quality), X1)
    assert (short.leaf_count, long.leaf_count) == (4, 6)


def test_the_machine_keeps_the_promises_of_all_machines() -> None:
    check_machine(GREEDY.replace("search", BeamSearch(width=2, quality=CodeLength())), data=G14)
