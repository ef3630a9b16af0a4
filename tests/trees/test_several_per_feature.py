"""Several splits of each feature: the best of all that can be made, and no more of a feature than is said."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from intemi.data import Data
from intemi.machines.trees.algorithms import C45
from intemi.machines.trees.decision_tree import DecisionTree
from intemi.machines.trees.node_data import NodeData
from intemi.machines.trees.quality import SSV, FilteredGainRatio, GainRatio, Gini, InformationGain, SplitQuality
from intemi.machines.trees.search import BeamSearch, Lookahead
from intemi.machines.trees.splits import Split, SymbolSplit, ThresholdSplit
from intemi.machines.trees.splitters.exhaustive import ExhaustiveSearch
from intemi.machines.trees.splitters.nominal import BranchForEach, NominalSplits, SmallSets, TwoSets
from intemi.machines.trees.splitters.several_per_feature import SeveralPerFeature
from intemi.testing import check_machine
from tests import datasets
from tests.trees.examples import G14, N8, every_binary_split, same_tree, table_of, tree_of
from tests.trees.test_exhaustive_search import tables
from tests.trees.test_search_beam import forest

MEASURES = [Gini(), InformationGain(), GainRatio(), SSV()]


def several(data: Data, per_feature: int, count: int = 10**6, **search: Any) -> list[Any]:
    """The best splits of all rows."""
    return SeveralPerFeature(ExhaustiveSearch(**search), per_feature).best_splits(NodeData.of(data), count)


def described(split: Split) -> tuple[int, list[float]]:
    return split.feature, split.parameters().tolist()


@given(tables(weighted=True), st.sampled_from(MEASURES), st.sampled_from([1.0, 2.0]))
def test_all_splits_are_found_if_all_are_wanted(data: Data, quality: SplitQuality, least: float) -> None:
    # The ratio counts missing values as a branch, which the tables of this search do not show.
    assume(not isinstance(quality, GainRatio) or not np.isnan(data.features).any())
    # Without an order of symbols, all sets are tried.
    assume(not quality.ordered or not any(column.is_nominal for column in data.columns))
    node = NodeData.of(data)
    assume(node.errors > 0)
    found = several(data, 10**6, quality=quality, min_branch=least, allow_zero_gain=True)
    for feature in range(len(data.columns)):
        legal = [table for _, table in every_binary_split(data, feature) if (table.sum(axis=1) >= least).all()]
        qualities = [quality.multi(table) for table in legal]
        ours = [split.quality for split in found if split.feature == feature]
        assert sorted(ours) == pytest.approx(sorted(each for each in qualities if each > -np.inf))
    for split in found:
        assert quality.multi(split.table(node)) == pytest.approx(split.quality)
    ranks = [round(split.quality, 9) for split in found]
    assert ranks == sorted(ranks, reverse=True)


@given(tables(weighted=True), st.sampled_from(MEASURES), st.integers(1, 3), st.integers(1, 6))
def test_fewer_are_the_best_of_all(data: Data, quality: SplitQuality, per_feature: int, count: int) -> None:
    for nominal in (TwoSets(), SmallSets(), BranchForEach()):
        every = several(data, 10**6, quality=quality, nominal=nominal)
        allowed = []
        for split in every:
            if sum(each.feature == split.feature for each in allowed) < per_feature:
                allowed.append(split)
        found = several(data, per_feature, count, quality=quality, nominal=nominal)
        if per_feature > 1 and count > 1:
            assert list(map(described, found)) == list(map(described, allowed[:count]))
        else:
            assert len(found) == min(len(allowed), count)


@given(tables(weighted=True), st.integers(1, 4))
def test_one_per_feature_is_the_search_alone(data: Data, count: int) -> None:
    plain = ExhaustiveSearch().best_splits(NodeData.of(data), count)
    assert list(map(described, several(data, 1, count))) == list(map(described, plain))
    assert list(map(described, several(data, 5, 1))) == list(map(described, plain[:1]))


@given(tables(weighted=True))
def test_no_split_is_proposed_twice(data: Data) -> None:
    found = [str(described(split)) for split in several(data, 4, allow_zero_gain=True)]
    assert len(found) == len(set(found))


def test_cuts_of_eight_rows_come_in_the_order_of_their_gain() -> None:
    splits = several(N8, 7)
    assert [split.cuts.tolist() for split in splits] == [[3.5], [5.5], [2.5], [6.5], [4.5], [1.5], [7.5]]
    assert [split.quality for split in splits[:2]] == pytest.approx([0.3, 0.3])


def test_c45_compares_cuts_by_gain_and_pays_for_telling_which() -> None:
    splits = several(N8, 5, quality=FilteredGainRatio(), min_branch=2.0, scale=True, threshold="value")
    assert [split.cuts.tolist() for split in splits] == [[3.0], [5.0], [2.0], [6.0]]
    penalty = np.log2(5) / 8
    assert splits[0].quality == pytest.approx(0.270898, abs=5e-7)
    assert splits[2].quality == pytest.approx((0.311278 - penalty) / 0.811278, abs=5e-6)


def test_missing_values_count_in_c45s_ratio() -> None:
    data = table_of({"x": [1, 1, 2, 2, 3, 3, None, None]}, "AABABBAB")
    first, second = several(data, 2, quality=FilteredGainRatio(mdl=False), scale=True)
    information = -sum(share * np.log2(share) for share in (2 / 8, 4 / 8, 2 / 8))
    known = 1 - (4 / 6) * -sum(share * np.log2(share) for share in (1 / 4, 3 / 4))
    assert (first.quality, second.quality) == pytest.approx((6 / 8 * known / information,) * 2)


@pytest.mark.parametrize(("nominal", "sets"), [(SmallSets(count=1), 4), (SmallSets(count=99), 7), (SmallSets(), 7)])
def test_as_many_sets_are_tried_as_the_search_tries(nominal: NominalSplits, sets: int) -> None:
    # Without numeric features so many sets are wanted as the node weighs, which is more than there are.
    data = table_of({"s": list("aabbccddd")}, "ABABAABAB")
    found = several(data, 99, nominal=nominal, quality=SSV())
    assert len(found) == sets
    assert all(isinstance(split, SymbolSplit) for split in found)


def test_sets_are_as_many_as_a_numeric_feature_has_cuts() -> None:
    data = table_of({"s": list("aabbccddd"), "x": [1, 2, 3, 4, 5, 5, 5, 5, 5]}, "ABABAABAB")
    found = several(data, 99, nominal=SmallSets(), quality=SSV())
    kinds = [type(split) for split in found]
    assert (kinds.count(ThresholdSplit), kinds.count(SymbolSplit)) == (4, 4)


def test_a_branch_for_each_symbol_is_one_split_of_a_feature() -> None:
    found = several(G14, 5, nominal=BranchForEach())
    assert sorted(split.feature for split in found) == [0, 1, 2, 3]


def test_a_beam_begins_with_several_cuts_of_a_feature() -> None:
    # The class is that of the middle third of x; two cuts of it are needed, and either may come first.
    data = table_of({"x": list(range(9))}, "AAABBBAAA")
    search = BeamSearch(width=4, finished=4)
    alone, several_of = (
        {float(tree.parameters[0]) for tree in forest(search, data, DecisionTree(splitter=splitter))}
        for splitter in (ExhaustiveSearch(), SeveralPerFeature(per_feature=4))
    )
    assert alone == {2.5}
    assert several_of >= {2.5, 5.5}


def test_hill_climbing_does_not_notice_it() -> None:
    data = datasets.load("labor")
    for learner in (DecisionTree(), C45(collapse=False, refinement=None)):
        splitter = SeveralPerFeature(learner.splitter, per_feature=3)
        assert same_tree(tree_of(learner.replace("splitter", splitter), data), tree_of(learner, data))


def test_lookahead_chooses_among_them() -> None:
    node = NodeData.of(table_of({"x": list(range(9))}, "AAABBBAAA"))
    plain, several_of = (
        Lookahead(splitter=splitter).best_splits(node, 9)
        for splitter in (ExhaustiveSearch(), SeveralPerFeature(per_feature=8))
    )
    assert (len(plain), len(several_of)) == (1, 8)
    assert several_of[0].quality == pytest.approx(plain[0].quality)


def test_the_machine_keeps_the_promises_of_all_machines() -> None:
    check_machine(DecisionTree(search=BeamSearch(width=2), splitter=SeveralPerFeature()), data=G14)
