"""A beam whose trees divide the rows differently."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

from intemi.data import Data
from intemi.machines.trees.algorithms import C45
from intemi.machines.trees.classifier import TreeClassifier
from intemi.machines.trees.decision_tree import DecisionTree
from intemi.machines.trees.decisions import Proportions
from intemi.machines.trees.growing import assembled
from intemi.machines.trees.node_data import NodeData
from intemi.machines.trees.search import BeamSearch
from intemi.machines.trees.search.agreement import adjusted_rand_index
from intemi.machines.trees.search.partial_trees import PartialTree, grown
from intemi.machines.trees.splitters.several_per_feature import SeveralPerFeature
from intemi.testing import check_machine
from tests import datasets
from tests.trees.examples import G14, same_tree, table_of, tree_of
from tests.trees.test_exhaustive_search import tables
from tests.trees.test_search_beam import GREEDY, forest, parts_of
from tests.trees.test_search_lookahead import X1

DIVISIONS = st.integers(1, 12).flatmap(
    lambda size: st.tuples(*[st.lists(st.integers(0, 4), min_size=size, max_size=size)] * 2)
)


@given(DIVISIONS)
def test_the_index_is_that_of_a_trusted_program(divisions: tuple[list[int], list[int]]) -> None:
    one, other = (np.array(each, dtype=np.int32) for each in divisions)
    assert adjusted_rand_index(one, other) == pytest.approx(adjusted_rand_score(one, other))


class Watched(BeamSearch):
    """A beam search that remembers what it held."""

    version = 1

    def _best(self, families: Sequence[Sequence[PartialTree]], width: int) -> list[PartialTree]:
        beam = super()._best(families, width)
        BEAMS.append((beam, [tree for family in families for tree in family]))
        return beam


BEAMS: list[tuple[list[PartialTree], list[PartialTree]]] = []


def held(search: Watched, data: Data, machine: DecisionTree) -> list[tuple[list[np.ndarray], list[np.ndarray]]]:
    """In each round the divisions that the trees in the beam make, and all that were there to choose from."""
    BEAMS.clear()
    search.forest(NodeData.of(data), parts_of(machine))

    def division(tree: PartialTree) -> np.ndarray:
        made = assembled(grown(NodeData.of(data), tree.last), data.columns, data.labels)
        return TreeClassifier(data.columns, data.labels, made, Proportions()).leaves(data)

    return [([division(each) for each in beam], [division(each) for each in every]) for beam, every in BEAMS]


@given(tables(missing=False), st.sampled_from([0.0, 0.3, 0.7, 0.999]), st.integers(2, 5))
def test_no_two_trees_of_the_beam_are_alike(data: Data, most: float, width: int) -> None:
    machine = GREEDY.replace("splitter", SeveralPerFeature(GREEDY.splitter, per_feature=2))
    for beam, every in held(Watched(width=width, max_ari=most), data, machine):
        alike = [adjusted_rand_score(one, other) for one in beam for other in beam if one is not other]
        assert max(alike, default=0.0) <= most + 1e-9
        if len(beam) < width:  # what was left out is like one of those that were taken
            for one in every:
                assert any(adjusted_rand_score(one, other) > most - 1e-9 for other in beam)


def test_two_ways_to_the_same_leaves_are_one() -> None:
    # x0 and then x1, or x1 and then x0: the same four leaves.
    search = BeamSearch(width=100, branch=3, finished=100)
    counts = [len(forest(search.replace("max_ari", most), X1)) for most in (1.0, 0.999)]
    assert counts[1] < counts[0]
    leaves = [
        TreeClassifier(X1.columns, X1.labels, tree, Proportions()).leaves(X1)
        for tree in forest(search.replace("max_ari", 0.999), X1)
    ]
    for one, other in pairwise(leaves):
        assert adjusted_rand_score(one, other) < 1


def test_a_beam_of_one_tree_does_not_compare() -> None:
    data = datasets.load("iris")
    trees = [tree_of(DecisionTree(search=BeamSearch(width=1, branch=1, max_ari=most)), data) for most in (0.0, 1.0)]
    assert same_tree(*trees)


def test_the_best_tree_is_never_dropped() -> None:
    for most in (0.0, 0.5, 1.0):
        machine = GREEDY.replace("search", BeamSearch(width=2, branch=3, max_ari=most))
        assert tree_of(machine, X1).leaf_count in (4, 6)
    assert tree_of(GREEDY.replace("search", BeamSearch(width=2, branch=3, max_ari=0.5)), X1).leaf_count == 4


def test_a_row_that_is_divided_counts_where_most_of_it_is() -> None:
    data = table_of({"x": [1, 2, 3, 4, 5, None], "z": [1, 2, 1, 2, 1, 2]}, "AABBBA")
    machine = C45(collapse=False, min_objects=1, refinement=None).replace("search", Watched(width=3, max_ari=0.9))
    BEAMS.clear()
    machine.search.forest(NodeData.of(data), parts_of(machine))
    first = BEAMS[0][0][0]
    assert first.places[5] == first.places[2]  # three rows with x above 2.5, two below
    assert len(set(first.places.tolist())) == 2


def test_the_machine_keeps_the_promises_of_all_machines() -> None:
    check_machine(DecisionTree(search=BeamSearch(width=2, max_ari=0.8)), data=G14)
