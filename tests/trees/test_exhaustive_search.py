"""Exhaustive search finds the best of all splits: hand-checked numbers, and a search that tries everything."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import chi2_contingency

from intemi.data import Column, Data, Table
from intemi.machines.trees.algorithms import ID3
from intemi.machines.trees.kernels.found import GAIN
from intemi.machines.trees.kernels.symbols import largest_set
from intemi.machines.trees.node_data import NodeData
from intemi.machines.trees.quality import (
    AUC,
    SSV,
    Accuracy,
    FilteredGainRatio,
    GainRatio,
    Gini,
    InformationGain,
    MaxMinority,
    PermutationStatistic,
    SplitQuality,
    SSVAlpha,
    SSVLexicographic,
    SumMinority,
    SumOfImpurity,
    Twoing,
)
from intemi.machines.trees.splits import Split, SymbolSplit, ThresholdSplit
from intemi.machines.trees.splitters.exhaustive import ExhaustiveSearch, _Found
from intemi.machines.trees.splitters.nominal import BranchForEach, SmallSets, TwoSets
from intemi.machines.trees.splitters.significant import SignificantSplits
from tests import datasets
from tests.trees.examples import G14, N8, every_binary_split, table_of, tree_of

EVERY = [
    Accuracy(), InformationGain(), GainRatio(), Gini(), SSV(), SSVLexicographic(), SSVAlpha(), PermutationStatistic(),
    Twoing(), AUC(), SumMinority(), MaxMinority(), SumOfImpurity(),
]  # fmt: skip


def best(search: ExhaustiveSearch, data: Data) -> Any:
    """The best split of all rows."""
    splits = search.best_splits(NodeData.of(data), 1)
    return splits[0] if splits else None


@pytest.mark.parametrize("quality", [each for each in EVERY if not isinstance(each, MaxMinority)], ids=repr)
def test_eight_rows_are_cut_in_the_middle_of_three_and_four(quality: SplitQuality) -> None:
    assert best(ExhaustiveSearch(quality=quality), N8).cuts.tolist() == [3.5]


def test_the_weather_is_split_at_overcast() -> None:
    splits = ExhaustiveSearch().best_splits(NodeData.of(G14), 4)
    first = splits[0]
    assert isinstance(first, SymbolSplit)
    assert sorted(first.branch_of_symbol.tolist()) == [0, 1, 1] or sorted(first.branch_of_symbol.tolist()) == [0, 0, 1]
    gains = {G14.columns[split.feature].name: 14 * split.quality for split in splits}
    expected = {"outlook": 1.4285714, "humidity": 1.2857143, "windy": 0.4285714, "temperature": 0.2285714}
    assert list(gains) == list(expected)
    assert gains == pytest.approx(expected)


def test_a_branch_for_each_symbol_gains_what_id3_says() -> None:
    splits = ExhaustiveSearch(quality=InformationGain(), nominal=BranchForEach()).best_splits(NodeData.of(G14), 4)
    gains = {G14.columns[split.feature].name: split.quality for split in splits}
    expected = {"outlook": 0.246750, "humidity": 0.151836, "windy": 0.048127, "temperature": 0.029223}
    assert gains == pytest.approx(expected, abs=5e-7)


def test_c45_takes_the_best_ratio_of_at_least_average_gain() -> None:
    search = ExhaustiveSearch(quality=FilteredGainRatio(), nominal=BranchForEach(heavy="two"), min_branch=2, scale=True)
    splits = search.best_splits(NodeData.of(G14), 4)
    ratios = {G14.columns[split.feature].name: split.quality for split in splits}
    expected = {"outlook": 0.156428, "humidity": 0.151836, "windy": 0.048849, "temperature": 0.018773}
    assert ratios == pytest.approx(expected, abs=1e-6)
    assert G14.columns[splits[0].feature].name == "outlook"


def gains(search: ExhaustiveSearch, data: Data) -> np.ndarray:
    """What the best split of each feature gains, before it is divided by the information of the split."""
    return np.asarray(_Found(search, NodeData.of(data), range(len(data.columns))).found[:, GAIN])


def test_the_average_gain_of_the_weather_is_above_that_of_two_features() -> None:
    search = ExhaustiveSearch(quality=FilteredGainRatio(), nominal=BranchForEach(heavy="two"), min_branch=2, scale=True)
    found = gains(search, G14)
    assert found.mean() == pytest.approx(0.118984, abs=1e-6)
    assert [G14.columns[each].name for each in np.flatnonzero(found >= found.mean() - 1e-3)] == ["outlook", "humidity"]


def test_c45_counts_a_missing_value_as_a_part_of_its_own() -> None:
    values = [G14.columns[0].categories[int(code)] for code in G14.feature(0)]  # type: ignore[index]
    data = table_of({"outlook": [None, *values[1:]]}, G14.classes.tolist())
    search = ExhaustiveSearch(quality=FilteredGainRatio(), nominal=BranchForEach(heavy="two"), min_branch=2, scale=True)
    [gain], ratio = gains(search, data), best(search, data).quality
    assert (ratio, gain, gain / ratio) == pytest.approx((0.105928, 0.194403, 1.835238), abs=1e-6)
    known = ExhaustiveSearch(quality=InformationGain(), nominal=BranchForEach())
    assert best(known, data).quality == pytest.approx(0.209357, abs=1e-6)


def test_c45_pays_for_telling_which_cut_was_taken() -> None:
    search = ExhaustiveSearch(quality=FilteredGainRatio(), min_branch=2, scale=True, threshold="value")
    split = best(search, N8)
    assert split.quality == pytest.approx(0.270898, abs=5e-7)
    assert split.cuts.tolist() == [3.0]
    [net] = gains(search, N8)
    [gain] = gains(search.replace("quality.mdl", False), N8)
    assert (gain, gain - net, net, net / split.quality) == pytest.approx((0.548795, 0.290241, 0.258554, 0.954434), 2e-6)


@pytest.mark.parametrize("quality", [InformationGain(), Gini()], ids=repr)
@pytest.mark.parametrize("nominal", [BranchForEach(), TwoSets()], ids=repr)
def test_gains_favour_features_of_many_symbols_that_say_nothing(quality: SplitQuality, nominal: Any) -> None:
    """The known bias: of two symbols and of eight, drawn without regard to the class, nearly always the eight win."""
    rng = np.random.default_rng(3)
    search = ExhaustiveSearch(quality=quality, nominal=nominal)
    columns = [Column("two", tuple("ab")), Column("eight", tuple("abcdefgh"))]
    chosen = []
    for _ in range(100):
        values = [rng.integers(2, size=80), rng.integers(8, size=80)]
        node = NodeData.of(Data(Table(columns, values, Column("class", ("A", "B")), rng.integers(2, size=80))))
        chosen += [split.feature for split in search.best_splits(node, 1)]
    assert np.mean(chosen) > 0.9


def test_the_number_of_sets_is_as_close_as_can_be_to_what_is_wanted() -> None:
    assert [largest_set(5, 0, wanted) for wanted in (1.0, 9.0, 10.0, 11.0, 99.0)] == [1, 1, 1, 2, 2]
    assert [largest_set(8, 0, wanted) for wanted in (8.0, 36.0, 92.0, 127.0)] == [1, 2, 3, 4]
    assert [largest_set(10, 0, wanted) for wanted in (10.0, 55.0, 175.0, 385.0, 511.0)] == [1, 2, 3, 4, 5]
    assert largest_set(9, 1, 0.0) == 4


THESIS = [(40, 10, 10), (10, 40, 10), (20, 30, 10), (20, 15, 25), (10, 5, 45)]


def rows_of(counts: list[tuple[int, ...]]) -> Data:
    """Rows with a nominal feature, so many of each symbol and class."""
    rows = [(f"a{s + 1}", c) for s, row in enumerate(counts) for c, n in enumerate(row) for _ in range(n)]
    return table_of({"a": [symbol for symbol, _ in rows]}, [c for _, c in rows])


@pytest.mark.parametrize(("quality", "gain"), [(Gini(), 0.0660), (InformationGain(), 0.1428)], ids=repr)
def test_the_order_by_profiles_finds_the_best_sets_of_the_thesis(quality: SplitQuality, gain: float) -> None:
    data = rows_of(THESIS)
    ordered = best(ExhaustiveSearch(quality=quality, nominal=TwoSets(enumerated=2, order="profile")), data)
    everything = best(ExhaustiveSearch(quality=quality), data)
    assert ordered.quality == pytest.approx(gain, abs=5e-5)
    assert everything.quality == pytest.approx(ordered.quality)


def test_the_order_by_profiles_has_the_scores_of_the_thesis() -> None:
    from intemi.machines.trees.kernels.symbols import BY_PROFILE, scores

    out = np.empty(5)
    scores(np.array(THESIS, dtype=float).ravel(), 3, np.arange(5, dtype=np.int32), 5, BY_PROFILE, out)
    assert out == pytest.approx([-0.057177, -0.321480, -0.233379, 0.116690, 0.495347], abs=5e-7)


def test_the_order_by_coordinates_is_that_of_correspondence_analysis() -> None:
    from intemi.machines.trees.kernels.symbols import BY_COORDINATE, scores

    out = np.empty(3)
    scores(np.array([4.0, 1, 0, 1, 3, 2, 1, 0, 3]), 3, np.arange(3, dtype=np.int32), 3, BY_COORDINATE, out)
    assert abs(np.corrcoef(out, [-1.327589, 0.319188, 1.180704])[0, 1]) == pytest.approx(1.0)


def test_nothing_is_split_where_there_is_nothing_to_split() -> None:
    search = ExhaustiveSearch()
    assert best(search, table_of({"x": [1, 1, 1]}, "ABA")) is None
    assert best(search, table_of({"x": [1, 2, 3]}, "AAA", labels="AB")) is None
    assert best(search, table_of({"x": [None, None, None]}, "ABA")) is None
    assert best(search, table_of({"x": [None, 1, None]}, "ABA")) is None
    assert best(search, table_of({"s": ["u", "u", "u"]}, "ABA")) is None
    assert best(search, table_of({}, "ABA")) is None


def test_exclusive_or_is_split_only_where_zero_gain_is_allowed() -> None:
    data = table_of({"x": [0, 0, 1, 1], "y": [0, 1, 0, 1]}, "ABBA")
    assert best(ExhaustiveSearch(), data) is None
    assert best(ExhaustiveSearch(allow_zero_gain=True), data).feature == 0


def test_neighbouring_numbers_are_told_apart() -> None:
    low, high = 1.0, np.nextafter(1.0, 2.0)
    assert best(ExhaustiveSearch(), table_of({"x": [low, high]}, "AB")).cuts.tolist() == [low]
    assert -1.7e308 <= best(ExhaustiveSearch(), table_of({"x": [-1.7e308, 1.7e308]}, "AB")).cuts[0] < 1.7e308


def test_of_equal_features_the_first_one_is_taken() -> None:
    data = table_of({"a": [1, 2, 3, 4], "b": [1, 2, 3, 4]}, "AABB")
    assert best(ExhaustiveSearch(), data).feature == 0


@st.composite
def tables(draw: st.DrawFn, weighted: bool = False, missing: bool = True) -> Data:
    """A few rows with numeric and nominal features, many equal values among them, and some missing."""
    size = draw(st.integers(2, 14))
    labels = "ABC"[: draw(st.integers(2, 3))]
    gap = [None] if missing else []
    numeric = st.lists(st.sampled_from([*gap, 0.5, 1, 2, 3, 4, 7]), min_size=size, max_size=size)
    nominal = st.lists(st.sampled_from([*gap, "u", "v", "w", "x", "y"]), min_size=size, max_size=size)
    columns = draw(st.lists(st.one_of(numeric, numeric, nominal), min_size=1, max_size=3))
    classes = draw(st.lists(st.sampled_from(labels), min_size=size, max_size=size))
    weights = draw(st.lists(st.integers(1, 3), min_size=size, max_size=size)) if weighted else None
    named = {f"f{i}": ["u" if each is None and i < 0 else each for each in column] for i, column in enumerate(columns)}
    return table_of(named, classes, weights, labels)


@given(tables(weighted=True), st.sampled_from(EVERY), st.sampled_from([1.0, 2.0, 3.0]))
def test_no_split_is_better_than_the_one_found(data: Data, quality: SplitQuality, least: float) -> None:
    # An order of symbols is exact only if all its beginnings are legal.
    assume(least == 1.0 or not any(column.is_nominal for column in data.columns))
    # The ratio counts missing values as a branch, which the tables of this search do not show.
    assume(not isinstance(quality, GainRatio) or not np.isnan(data.features).any())
    found: Split | None = best(ExhaustiveSearch(quality=quality, min_branch=least, allow_zero_gain=True), data)
    qualities = []
    for feature in range(len(data.columns)):
        for _, table in every_binary_split(data, feature):
            if (table.sum(axis=1) >= least).all():
                qualities.append(quality.multi(table))
    node = NodeData.of(data)
    legal = [each for each in qualities if each > -np.inf] if node.errors > 0 else []
    if found is None:
        assert not legal
    else:
        assert found.quality == pytest.approx(max(legal), abs=1e-9)
        assert quality.multi(found.table(node)) == pytest.approx(found.quality, abs=1e-9)


@given(tables(), st.sampled_from(EVERY))
def test_of_equal_cuts_the_lowest_is_taken(data: Data, quality: SplitQuality) -> None:
    assume(not isinstance(quality, GainRatio) or not np.isnan(data.features).any())  # see above
    for feature in range(len(data.columns)):
        splits = ExhaustiveSearch(quality=quality, allow_zero_gain=True).best_splits_of(NodeData.of(data), feature, 1)
        if splits and isinstance(splits[0], ThresholdSplit):
            scored = [(test, quality.multi(table)) for test, table in every_binary_split(data, feature)]
            top = max(value for _, value in scored)
            if not isinstance(quality, SSVLexicographic):  # which has a second number to decide
                lowest = min(test for test, value in scored if value >= top - 1e-12 * max(1.0, abs(top)))
                assert splits[0].cuts[0] == lowest


@given(tables(weighted=True), st.sampled_from(EVERY))
def test_a_row_of_weight_two_is_the_row_twice(data: Data, quality: SplitQuality) -> None:
    times = data.weights.astype(int)
    twice = Data(
        type(data.table)(
            data.columns, np.repeat(data.features, times, axis=1), data.target, np.repeat(data.classes, times)
        )
    )
    search = ExhaustiveSearch(quality=quality, allow_zero_gain=True)
    once_found, twice_found = best(search, data), best(search, twice)
    assert (once_found is None) == (twice_found is None)
    if once_found is not None:
        assert once_found.feature == twice_found.feature
        assert once_found.parameters().tolist() == twice_found.parameters().tolist()
        assert once_found.quality == pytest.approx(twice_found.quality)


@given(tables(), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(data: Data, random: Any) -> None:
    order = list(range(len(data)))
    random.shuffle(order)
    shuffled = Data(type(data.table)(data.columns, data.features[:, order], data.target, data.classes[order]))
    one, other = best(ExhaustiveSearch(), data), best(ExhaustiveSearch(), shuffled)
    assert (one is None) == (other is None)
    if one is not None:
        assert (one.feature, one.parameters().tolist()) == (other.feature, other.parameters().tolist())


@given(tables(), st.sampled_from([Gini(), SSV(), InformationGain()]))
def test_a_monotone_map_of_a_feature_does_not_change_the_partition(data: Data, quality: SplitQuality) -> None:
    numeric = np.array([not column.is_nominal for column in data.columns])
    features = np.where(numeric[:, None], np.exp(data.features), data.features)
    mapped = Data(type(data.table)(data.columns, features, data.target, data.classes))
    one, other = (best(ExhaustiveSearch(quality=quality), each) for each in (data, mapped))
    assert (one is None) == (other is None)
    if one is not None:
        assert one.route(NodeData.of(data)).tolist() == other.route(NodeData.of(mapped)).tolist()


@given(tables())
def test_branches_get_the_weights_they_say(data: Data) -> None:
    node = NodeData.of(data)
    for nominal in (TwoSets(), BranchForEach(), SmallSets()):
        for split in ExhaustiveSearch(nominal=nominal).best_splits(node, 3):
            branches = split.route(node)
            known = ~np.isnan(node.feature(split.feature))
            assert split.branch_weights.sum() == pytest.approx(node.weights[known].sum())
            assert (split.branch_weights > 0).all()
            counts = np.bincount(branches[branches >= 0], node.weights[branches >= 0])
            assert counts == pytest.approx(split.branch_weights)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)).filter(any), min_size=2, max_size=7))
def test_for_two_classes_ordered_symbols_are_as_good_as_all_sets(counts: list[tuple[int, int]]) -> None:
    data = rows_of(list(counts))
    if len(data.labels) < 2:
        return
    for quality in (Accuracy(), InformationGain(), Gini(), Twoing(), AUC(), PermutationStatistic(), SumMinority()):
        assert quality.ordered
        everything = [quality.multi(table) for _, table in every_binary_split(data, 0)]
        found = best(ExhaustiveSearch(quality=quality, allow_zero_gain=True), data)
        assert found.quality == pytest.approx(max(everything), abs=1e-9)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)).filter(any), min_size=2, max_size=7))
def test_sets_are_the_best_of_those_that_weigh_enough(counts: list[tuple[int, int]]) -> None:
    data = rows_of(list(counts))
    if len(data.labels) < 2:
        return
    for least in (2, 5, 8):
        legal = [table for _, table in every_binary_split(data, 0) if np.sum(table, axis=1).min() >= least]
        found = best(ExhaustiveSearch(min_branch=least, allow_zero_gain=True), data)
        assert (found is None) == (not legal)
        if found is not None:
            assert found.quality == pytest.approx(max(Gini().multi(table) for table in legal), abs=1e-9)


@pytest.mark.parametrize(("alpha", "root"), [(None, "outlook"), (0.2, "outlook"), (0.1, "humidity"), (0.05, None)])
def test_id3_leaves_out_features_on_which_the_classes_do_not_depend(alpha: float | None, root: str | None) -> None:
    """The p of outlook is 0.17, that of humidity 0.094."""
    tree = tree_of(ID3(alpha=alpha), G14)
    assert (tree.columns[tree.feature[0]].name if len(tree) > 1 else None) == root


def test_significant_splits_are_in_the_order_of_the_splitter() -> None:
    data = NodeData.of(datasets.load("vote"))
    plain = ExhaustiveSearch().best_splits(data, len(data.columns))
    kept = SignificantSplits(ExhaustiveSearch(), alpha=1e-12).best_splits(data, len(data.columns))
    p = [chi2_contingency(split.table(data), correction=False).pvalue for split in plain]
    assert [split.feature for split in kept] == [s.feature for s, each in zip(plain, p, strict=True) if each <= 1e-12]
    assert 0 < len(kept) < len(plain)
