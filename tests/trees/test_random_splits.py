"""Splitters that draw: what they draw from, and that it depends on nothing but seed and path."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intemi import Project
from intemi.data import Column, Data, Table
from intemi.kernel import ConfigurationError
from intemi.machines.trees import (
    DecisionTree,
    ExhaustiveSearch,
    FilteredGainRatio,
    InformationGain,
    LinearSplit,
    RandomCombinations,
    RandomSubset,
    RandomTopSplit,
    SmallSets,
    Tree,
)
from intemi.machines.trees.components import NodeSplitter
from intemi.machines.trees.fast import grown
from intemi.machines.trees.node_data import NodeData
from tests.trees.examples import table_of


def random_data(seed: int, rows: int = 80, missing: float = 0.0, weighted: bool = False) -> Data:
    """Numbers with and without repetitions, and symbols."""
    rng = np.random.default_rng(seed)
    values = np.vstack([rng.normal(size=(3, rows)), rng.integers(0, 4, (3, rows))])
    values[rng.random(values.shape) < missing] = np.nan
    columns = [*(Column(f"x{i}") for i in range(4)), Column("s", tuple("abcd")), Column("t", tuple("abcd"))]
    classes = rng.integers(0, 3, rows)
    weights = rng.integers(1, 4, rows).astype(float) if weighted else None
    return Data(Table(columns, values, Column("class", tuple("ABC")), classes, weights))


def searched(learner: DecisionTree, data: Data, seed: int) -> Tree:
    """The tree that is grown node by node."""
    return learner._searched(data, seed)


def split_of_root(splitter: NodeSplitter, data: Data, seed: int) -> Any:
    [best] = splitter.best_splits(NodeData.of(data, seed), 1)
    return best


@given(st.integers(0, 2**32), st.integers(1, 7), st.sampled_from([0.0, 0.2]), st.booleans())
def test_compiled_trees_are_those_of_the_search(seed: int, features: int, missing: float, weighted: bool) -> None:
    data = random_data(seed, missing=missing, weighted=weighted)
    learner = DecisionTree(splitter=RandomSubset(features=features))
    tree = grown(learner, data, seed)
    assert tree is not None
    node_by_node = searched(learner, data, seed)
    assert tree.parameters.tolist() == node_by_node.parameters.tolist()
    assert tree.feature.tolist() == node_by_node.feature.tolist()
    assert tree.class_weights.tolist() == node_by_node.class_weights.tolist()


def test_samples_with_copies_of_rows_are_grown_like_any_others() -> None:
    data = random_data(1).select_rows(np.sort(np.random.default_rng(0).integers(0, 80, 80)))
    learner = DecisionTree(splitter=RandomSubset(features=2, splitter=ExhaustiveSearch(quality=InformationGain())))
    tree = grown(learner, data, 5)
    assert tree is not None
    assert tree.feature.tolist() == searched(learner, data, 5).feature.tolist()


@pytest.mark.parametrize(
    "search", [ExhaustiveSearch(quality=FilteredGainRatio()), ExhaustiveSearch(nominal=SmallSets())]
)
def test_what_compares_the_drawn_features_is_left_to_the_search(search: ExhaustiveSearch) -> None:
    learner = DecisionTree(splitter=RandomSubset(features=3, splitter=search))
    assert grown(learner, random_data(2), 1) is None
    assert len(searched(learner, random_data(2), 1)) > 1


def test_all_features_are_the_exhaustive_search() -> None:
    rng = np.random.default_rng(3)  # no two cuts are equally good at the root
    data = Data(Table([Column(f"x{i}") for i in range(5)], rng.normal(size=(5, 200)), Column("c", ("a", "b")),
                      (rng.random(200) < 0.4).astype(int)))  # fmt: skip
    best = split_of_root(ExhaustiveSearch(), data, 0)
    for seed in range(10):
        drawn = split_of_root(RandomSubset(features=5), data, seed)
        assert (drawn.feature, drawn.cuts.tolist()) == (best.feature, best.cuts.tolist())


def test_every_feature_is_drawn_as_often_as_any_other() -> None:
    node = random_data(4)
    first = Counter(tuple(NodeData.of(node, seed).shuffled(4)[:2].tolist()) for seed in range(12_000))
    assert len(first) == 12  # ordered pairs of four
    assert max(abs(count - 1000) for count in first.values()) < 5 * np.sqrt(1000)


def test_draws_depend_on_seed_and_path() -> None:
    root = NodeData.of(random_data(5), seed=7)
    rows = np.arange(10)
    orders = {
        tuple(node.shuffled(20).tolist())
        for node in (root, root.select(rows, branch=0), root.select(rows, branch=1),
                     root.select(rows, branch=0).select(rows, branch=1),
                     root.select(rows, branch=1).select(rows, branch=0))
    }  # fmt: skip
    assert len(orders) == 5
    again = NodeData.of(random_data(6), seed=7).select(np.arange(3), branch=1)
    assert again.shuffled(20).tolist() == root.select(rows, branch=1).shuffled(20).tolist()


def test_more_features_are_drawn_until_one_has_a_split() -> None:
    constant = {f"x{i}": [1, 1, 1, 1] for i in range(6)}
    data = table_of({**constant, "y": [1, 2, 3, 4]}, "AABB")
    for seed in range(20):
        assert split_of_root(RandomSubset(features=1), data, seed).feature == 6
        tree = grown(DecisionTree(splitter=RandomSubset(features=1)), data, seed)
        assert tree is not None
        assert tree.feature.tolist() == [6]
    alike = table_of(constant, "AABB")
    assert RandomSubset(features=1).best_splits(NodeData.of(alike), 1) == []
    tree = grown(DecisionTree(splitter=RandomSubset(features=1)), alike, 1)
    assert tree is not None
    assert len(tree) == 1


def test_the_number_of_features_is_that_of_breiman_or_of_scikit_learn() -> None:
    assert [RandomSubset().count_of(m) for m in (1, 4, 9, 13, 34)] == [1, 3, 4, 4, 6]
    assert [RandomSubset(features="sqrt").count_of(m) for m in (1, 4, 9, 13, 34)] == [1, 2, 3, 3, 5]
    assert RandomSubset(features=9).count_of(4) == 4
    with pytest.raises(ConfigurationError, match="features"):
        RandomSubset(features=0)


def test_one_of_the_best_splits_is_as_likely_as_another() -> None:
    data = table_of({"x": [1, 2, 3, 4, 5, 6, 7, 8]}, "AAABABBB")
    cuts = Counter(split_of_root(RandomTopSplit(k=3), data, seed).cuts[0] for seed in range(900))
    assert sorted(cuts) == [2.5, 3.5, 5.5]
    assert max(abs(count - 300) for count in cuts.values()) < 5 * np.sqrt(300)
    assert split_of_root(RandomTopSplit(k=1), data, 3).cuts.tolist() == [3.5]


def test_splits_that_separate_nothing_are_not_among_the_best() -> None:
    data = table_of({"x": [1, 1, 2, 2], "y": [1, 2, 3, 4]}, "ABAB")  # x separates nothing
    features = {split_of_root(RandomTopSplit(), data, seed).feature for seed in range(30)}
    assert features == {1}


def test_random_sums_are_cut_where_trees_cut_them() -> None:
    rng = np.random.default_rng(1)
    values = rng.normal(size=(4, 60)) * np.array([[1], [1e3], [1], [1e-3]])
    data = Data(Table([Column(f"x{i}") for i in range(4)], values, Column("c", ("a", "b")), rng.integers(0, 2, 60)))
    with Project() as project:
        found = project.run(DecisionTree(splitter=RandomCombinations()), data=project.given(data))
        assert found.results["Training error"] == 0.0
        assert (found.outputs["classifier"].classify(data) == data.classes).all()
    split = split_of_root(RandomCombinations(features=3), data, 1)
    assert isinstance(split, LinearSplit)
    assert len(split.features) == 3
    spread = values.std(axis=1)[split.features]
    assert (np.abs(split.coefficients * spread) <= 1.0).all()


def test_symbols_are_not_added_up() -> None:
    with pytest.raises(ConfigurationError, match="NominalToIndicators"):
        RandomCombinations().best_splits(NodeData.of(random_data(1)), 1)


@pytest.mark.parametrize("splitter", [RandomSubset(features=1), RandomTopSplit(), RandomCombinations()])
def test_the_seed_of_the_machine_decides(splitter: NodeSplitter) -> None:
    data = random_data(8).select_columns([0, 1, 2, 3])
    with Project() as project:
        given_data = project.given(data)
        trees = [
            project.run(DecisionTree(splitter=splitter, seed=seed), data=given_data).outputs["tree"]
            for seed in (1, 2, 1)
        ]
    assert trees[0] == trees[2] != trees[1]
