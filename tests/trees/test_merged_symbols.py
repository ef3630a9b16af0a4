"""Merged symbols: a plain search that merges pairs finds the same sets, and nothing is left to improve."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intemi.kernel import ConfigurationError
from intemi.machines.trees.algorithms import C45
from intemi.machines.trees.decision_tree import DecisionTree
from intemi.machines.trees.node_data import NodeData
from intemi.machines.trees.quality import FilteredGainRatio, GainRatio, Gini, InformationGain
from intemi.machines.trees.splits import SymbolSplit
from intemi.machines.trees.splitters.exhaustive import ExhaustiveSearch
from intemi.machines.trees.splitters.merged_symbols import MergedSymbols
from intemi.machines.trees.splitters.nominal import BranchForEach
from intemi.testing import check_machine
from scripts.reference_data import HOME
from tests import datasets
from tests.trees.examples import G14, same_tree, table_of, tree_of
from tests.trees.test_exhaustive_search import rows_of

Sets = list[tuple[int, ...]]


def entropy(weights: Any) -> float:
    shares = np.asarray([each for each in weights if each > 0]) / np.sum(weights)
    return float(-(shares * np.log2(shares)).sum())


def ratio(table: np.ndarray, sets: Sets, unknown: float) -> float:
    """The gain ratio of a division of the symbols, as C4.5's books have it; 0 if it tells next to nothing."""
    parts = [table[list(each)].sum(axis=0) for each in sets]
    weights = [float(part.sum()) for part in parts]
    gain = entropy(table.sum(axis=0)) - sum(w * entropy(p) for w, p in zip(weights, parts, strict=True)) / table.sum()
    information = entropy([*weights, unknown])
    return gain / information if information > 1e-3 else 0.0


def merged(table: np.ndarray, unknown: float, least: float) -> Sets | None:
    """The same search, so simple that it cannot be wrong."""

    def heavy(sets: Sets) -> int:
        return sum(table[list(each)].sum() >= least for each in sets)

    sets: Sets = [(symbol,) for symbol in range(len(table)) if table[symbol].sum() > 0]
    while len(sets) > 2:
        is_forced = heavy(sets) < 2
        heaviest = max(sets, key=lambda each: table[list(each)].sum())
        tried = []
        for one, other in combinations(sets, 2):
            after = [one + other if each == one else each for each in sets if each != other]
            if heaviest not in (one, other) if is_forced else heavy(after) >= 2:
                tried.append(after)
        ratios = [ratio(table, after, unknown) for after in tried]
        if not is_forced and max(ratios, default=0.0) <= ratio(table, sets, unknown) + 1e-12:
            break
        sets = next(after for after, each in zip(tried, ratios, strict=True) if each >= max(ratios) - 1e-12)
    return [tuple(sorted(each)) for each in sets] if heavy(sets) >= 2 else None


def sets_of(branches: np.ndarray | None) -> Sets | None:
    if branches is None:
        return None
    return [tuple(np.flatnonzero(branches == branch).tolist()) for branch in range(branches.max() + 1)]


@st.composite
def symbol_tables(draw: st.DrawFn) -> np.ndarray:
    classes = draw(st.integers(2, 3))
    row = st.lists(st.integers(0, 6), min_size=classes, max_size=classes)
    table = np.array(draw(st.lists(row, min_size=2, max_size=7)), dtype=float)
    table[0, 0] += 1
    table[1, 1] += 1
    return table


@given(symbol_tables(), st.sampled_from([0.0, 1.0, 2.5]), st.sampled_from([0.0, 1.0, 2.0, 5.0]))
def test_sets_are_those_of_the_plain_search(table: np.ndarray, unknown: float, least: float) -> None:
    assert sets_of(MergedSymbols().sets(table, unknown, least)) == merged(table, unknown, least)


def test_symbols_of_one_class_come_together() -> None:
    table = np.array([[3.0, 0, 0], [0, 2, 0], [5, 0, 0], [0, 4, 0], [0, 0, 6]])
    assert sets_of(MergedSymbols().sets(table, 0.0, 1.0)) == [(0, 2), (1, 3), (4,)]


def test_light_symbols_come_together_until_they_are_heavy_enough() -> None:
    table = np.array([[6.0, 0], [0, 1], [0, 1], [1, 0]])
    assert sets_of(MergedSymbols().sets(table, 0.0, 3.0)) == [(0,), (1, 2, 3)]
    assert MergedSymbols().sets(table, 0.0, 4.0) is None


def test_symbols_that_do_not_occur_have_a_branch_of_their_own_if_wanted() -> None:
    table = np.array([[3.0, 0], [0, 0], [0, 2], [0, 0]])
    branches = [MergedSymbols(empty=empty).sets(table, 0.0, 1.0) for empty in (False, True)]
    assert [each.tolist() for each in branches if each is not None] == [[0, -1, 1, -1], [0, 2, 1, 2]]


@given(symbol_tables())
def test_no_merger_of_two_branches_would_improve_the_ratio(table: np.ndarray) -> None:
    sets = sets_of(MergedSymbols().sets(table, 0.0, 0.0))
    assert sets is not None
    assert ratio(table, sets, 0.0) >= ratio(table, [(s,) for s in np.flatnonzero(table.any(axis=1))], 0.0) - 1e-9
    for one, other in combinations(sets, 2) if len(sets) > 2 else []:
        after = [one + other if each == one else each for each in sets if each != other]
        assert ratio(table, after, 0.0) <= ratio(table, sets, 0.0) + 1e-9


@pytest.mark.parametrize("quality", [GainRatio(), InformationGain(), Gini()], ids=repr)
def test_the_split_is_worth_what_the_measure_says(quality: Any) -> None:
    for data in (G14, datasets.load("zoo")):
        node = NodeData.of(data)
        splits = ExhaustiveSearch(quality=quality, nominal=MergedSymbols()).best_splits(node, 99)
        for split in splits:
            if isinstance(split, SymbolSplit):
                assert quality.multi(split.table(node)) == pytest.approx(split.quality)
        qualities = [split.quality for split in splits]
        assert qualities == pytest.approx(sorted(qualities, reverse=True))


def test_c45s_measure_counts_a_missing_value_as_a_part_of_its_own() -> None:
    values = ["a", "a", "b", "b", "c", "c", "c", None]
    data = table_of({"s": values}, "AABBBBAA")
    search = ExhaustiveSearch(quality=FilteredGainRatio(), nominal=MergedSymbols(), scale=True)
    [best] = search.best_splits(NodeData.of(data), 1)
    assert isinstance(best, SymbolSplit)
    known = np.array([[2.0, 0], [0, 2], [1, 2]])
    assert sets_of(best.branch_of_symbol) == merged(known, 1.0, 1.0)
    assert best.quality == pytest.approx(7 / 8 * ratio(known, merged(known, 1.0, 1.0) or [], 1.0))


def test_two_symbols_are_what_they_are_with_a_branch_for_each() -> None:
    data = HOME.load("led7")
    plain, subset = C45(refinement=None), C45(subset=True, refinement=None)
    assert same_tree(tree_of(plain, data), tree_of(subset, data))


def test_a_tree_of_sets_is_smaller_where_many_symbols_mean_the_same() -> None:
    data = rows_of([(8, 0), (0, 7), (6, 0), (0, 9), (7, 0), (0, 5)])
    assert [
        tree_of(learner, data).leaf_count for learner in (C45(refinement=None), C45(subset=True, refinement=None))
    ] == [6, 2]


def test_unseen_symbols_get_what_the_node_says() -> None:
    data = rows_of([(8, 0), (0, 7), (6, 0), (0, 9)])
    three = data.select_rows(data.feature(0) != 2)
    tree = tree_of(C45(subset=True, refinement=None), three)
    assert tree.branch_count[0] == 3
    assert tree.weights[1:].tolist() == [8, 16, 0]


def test_features_may_be_searched_one_by_one() -> None:
    learner = C45(subset=True, average_filter=False, refinement=None)
    assert tree_of(learner, datasets.load("labor")).leaf_count > 1


def test_sets_are_a_way_to_split_of_any_search() -> None:
    each, sets = (
        tree_of(DecisionTree(splitter=ExhaustiveSearch(nominal=nominal)), G14)
        for nominal in (BranchForEach(), MergedSymbols())
    )
    assert (each.branch_count[0], sets.branch_count[0]) == (3, 2)


def test_one_symbol_and_sets_of_them_are_not_asked_for_at_once() -> None:
    with pytest.raises(ConfigurationError, match="C45: binary and subset are two ways"):
        C45(binary=True, subset=True, refinement=None)


def test_the_machine_keeps_the_promises_of_all_machines() -> None:
    check_machine(C45(subset=True, refinement=None), data=G14)
