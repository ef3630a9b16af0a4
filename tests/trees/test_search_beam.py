"""Beam search: as good as trying everything if it is wide, hill climbing if it is not."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from intemi.data import Data
from intemi.machines.trees.acceptors import AcceptIfImproved, MinBranchSize
from intemi.machines.trees.algorithms import C45, CART
from intemi.machines.trees.best_first_algorithms import BestFirstTree
from intemi.machines.trees.components import Growth
from intemi.machines.trees.decision_tree import DecisionTree
from intemi.machines.trees.growing import GrowingNode, assembled
from intemi.machines.trees.node_data import NodeData
from intemi.machines.trees.prospects import SSVProspects
from intemi.machines.trees.quality import Accuracy, InformationGain
from intemi.machines.trees.search import BeamSearch, HillClimbing
from intemi.machines.trees.search.method import Parts
from intemi.machines.trees.splitters.exhaustive import ExhaustiveSearch
from intemi.machines.trees.stop import AnyOf, MaxDepth, MaxErrors, MaxLeaves, MinNodeSize
from intemi.machines.trees.tree import Tree
from intemi.testing import check_machine
from tests import datasets
from tests.trees.examples import G14, leaves_of, same_tree, searched_tree, table_of, tree_of
from tests.trees.test_exhaustive_search import tables
from tests.trees.test_search_lookahead import X1

GREEDY = DecisionTree(splitter=ExhaustiveSearch(quality=InformationGain(), allow_zero_gain=True))


def parts_of(machine: DecisionTree) -> Parts:
    """What a search of that machine works with."""
    return Parts(
        machine.splitter, machine.stop, machine.acceptor, machine.transformation, machine.prospects,
        machine.missing_values,
    )  # fmt: skip


def forest(search: BeamSearch, data: Data, machine: DecisionTree = GREEDY) -> list[Tree]:
    """All trees that a search finishes."""
    found = search.forest(NodeData.of(data), parts_of(machine))
    return [assembled(root, data.columns, data.labels) for root in found]


def test_a_beam_of_one_is_led_astray() -> None:
    tree = tree_of(GREEDY.replace("search", BeamSearch(width=1, branch=3)), X1)
    assert tree.feature[0] == 2
    assert tree.leaf_count == 6


def test_a_beam_of_two_finds_the_pair_of_features() -> None:
    tree = tree_of(GREEDY.replace("search", BeamSearch(width=2, branch=3)), X1)
    assert tree.feature.tolist() == [0, 1, 1]
    assert sorted(leaves_of(tree)) == [[0, 2], [0, 2], [2, 0], [2, 0]]
    assert tree.expansion.tolist()[:3] == [1, 2, 3]


@pytest.mark.parametrize(("leaves", "roots", "qualities"), [(2, [2, 0], [0.188722, 0.0]), (3, [0, 2], [0.5, 0.344361])])
def test_a_beam_of_two_holds_what_the_specification_says(leaves: int, roots: list[int], qualities: list[float]) -> None:
    machine = GREEDY.replace("stop", AnyOf((MaxErrors(), MaxLeaves(leaves=leaves))))
    trees = forest(BeamSearch(width=2, branch=3, finished=2), X1, machine)
    assert [int(tree.feature[0]) for tree in trees] == roots
    assert [InformationGain().multi(leaves_of(tree)) for tree in trees] == pytest.approx(qualities, abs=1e-6)


def test_a_layered_search_begins_with_one_tree() -> None:
    # One tree in the first round, so the feature that is best by itself is the root for good.
    tree = tree_of(GREEDY.replace("search", BeamSearch(width=64, branch=3, layered=True)), X1)
    assert tree.feature[0] == 2


PLAIN = {
    "CART": CART(surrogates=0, refinement=None),
    "CART with surrogates": CART(refinement=None),
    "C4.5": C45(collapse=False, refinement=None),
    "few leaves": DecisionTree(stop=AnyOf((MaxErrors(), MaxLeaves(leaves=4))), prospects=SSVProspects()),
    "shallow": DecisionTree(stop=AnyOf((MaxDepth(depth=3), MinNodeSize(size=3)))),
    "judged": DecisionTree(acceptor=AcceptIfImproved()),
    "large branches": DecisionTree(acceptor=MinBranchSize(size=2)),
    "best first": BestFirstTree(min_objects=1).replace("search", HillClimbing()),
    "best first, few": BestFirstTree(expansions=2, min_objects=1).replace("search", HillClimbing()),
}


@pytest.mark.parametrize("name", PLAIN)
@given(data=tables(weighted=True))
def test_a_beam_of_one_tree_and_one_split_is_hill_climbing(name: str, data: Data) -> None:
    machine = PLAIN[name]
    narrow = machine.replace("search", BeamSearch(width=1, branch=1))
    assert same_tree(searched_tree(narrow, data), searched_tree(machine, data))


@pytest.mark.parametrize("name", ["iris", "vote", "zoo", "labor"])
def test_the_same_on_real_data(name: str) -> None:
    data = datasets.load(name)
    for machine in (CART(surrogates=0, refinement=None), BestFirstTree().replace("search", HillClimbing())):
        narrow = machine.replace("search", BeamSearch(width=1, branch=1))
        assert same_tree(tree_of(narrow, data), tree_of(machine, data))


def every_tree(data: NodeData, parts: Parts) -> list[list[np.ndarray]]:
    """The leaves of all trees that can be made of the best splits of the features."""
    splits = [] if parts.stop.stops(data, Growth()) else parts.best_splits(data, 99)
    divisions = [each for split in splits if (each := parts.division(data, split)) is not None]
    found = []
    for division in divisions:
        for below in product(*(every_tree(part, parts) for part in division.parts)):
            found.append([leaf for leaves in below for leaf in leaves])
    return found or [[data.class_weights]]


@given(data=tables(missing=False))
def test_a_wide_beam_finishes_every_tree_once_and_the_best_one_first(data: Data) -> None:
    machine = GREEDY.replace("stop", AnyOf((MaxErrors(), MaxDepth(depth=4))))
    every = every_tree(NodeData.of(data), parts_of(machine))
    assume(len(every) < 400)
    found = forest(BeamSearch(width=10**6, branch=99, finished=10**6), data, machine)
    ours = sorted(sorted(leaves_of(tree)) for tree in found)
    assert ours == sorted(sorted(list(map(float, leaf)) for leaf in leaves) for leaves in every)
    if len(found) > 1:
        qualities = [InformationGain().multi(leaves_of(tree)) for tree in found]
        assert qualities == sorted(qualities, reverse=True) or np.allclose(qualities, sorted(qualities, reverse=True))


def test_of_equally_good_trees_the_one_with_fewer_leaves_comes_first() -> None:
    trees = forest(BeamSearch(width=100, branch=3, finished=100), X1)
    pure = [tree.leaf_count for tree in trees]
    assert pure == sorted(pure)
    assert (pure[0], pure[-1]) == (4, 6)


def test_a_tree_may_be_judged_by_its_errors() -> None:
    machine = GREEDY.replace("stop", AnyOf((MaxErrors(), MaxLeaves(leaves=3))))
    trees = forest(BeamSearch(width=20, branch=9, finished=20, quality=Accuracy()), G14, machine)
    right = [sum(max(leaf) for leaf in leaves_of(tree)) for tree in trees]
    assert right == sorted(right, reverse=True)


def test_families_do_not_fill_the_beam() -> None:
    data = datasets.load("heart-statlog")
    machine = CART(InformationGain(), surrogates=0, refinement=None).replace(
        "stop", AnyOf((MaxErrors(), MaxDepth(depth=4)))
    )
    roots = {
        few: {int(tree.feature[0]) for tree in forest(BeamSearch(per_parent=few, finished=5), data, machine)}
        for few in (1, 5)
    }
    assert len(roots[1]) > len(roots[5])


def test_a_wider_beam_keeps_more_of_what_greed_loses() -> None:
    # Parity of three features among two useless ones: no split gains anything before the last.
    rng = np.random.default_rng(0)
    bits = rng.integers(0, 2, (5, 64))
    data = table_of({f"x{i}": row.tolist() for i, row in enumerate(bits)}, (bits[:3].sum(axis=0) % 2).tolist())
    greedy, wide = (tree_of(GREEDY.replace("search", each), data) for each in (HillClimbing(), BeamSearch(width=40)))
    assert wide.leaf_count < greedy.leaf_count


@pytest.mark.parametrize("classes", ["AAA", "ABA"])
def test_what_cannot_be_split_is_a_leaf(classes: str) -> None:
    data = table_of({"x": [1, 1, 1]}, classes, labels="AB")
    assert len(tree_of(DecisionTree(search=BeamSearch()), data)) == 1


def test_refused_splits_leave_other_nodes_to_be_split() -> None:
    machine = DecisionTree(search=BeamSearch(), acceptor=MinBranchSize(size=3))
    tree = tree_of(machine, datasets.load("iris"))
    assert tree.leaf_count > 2
    assert tree.weights[tree.branch_count == 0].min() >= 3


def test_nodes_are_counted_as_the_tree_says() -> None:
    root: GrowingNode = BeamSearch().search(NodeData.of(X1), parts_of(GREEDY))
    assert root.expansion == 1
    assert [child.branch_weight for child in root.children] == [4.0, 4.0]


@given(tables(weighted=True), st.integers(1, 4), st.integers(1, 4))
def test_children_share_the_weight_of_their_parent(data: Data, width: int, branch: int) -> None:
    tree = tree_of(C45(collapse=False, refinement=None).replace("search", BeamSearch(width=width, branch=branch)), data)
    for node in map(int, np.flatnonzero(tree.branch_count)):
        total = tree.class_weights[list(tree.children(node))].sum(axis=0)
        assert total == pytest.approx(tree.class_weights[node], abs=1e-4)


def test_the_machine_keeps_the_promises_of_all_machines() -> None:
    check_machine(DecisionTree(search=BeamSearch(width=2)), data=G14)
