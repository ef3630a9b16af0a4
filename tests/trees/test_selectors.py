"""Selectors rank features as checked by hand, agree with scipy, and do not favour features of many values."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from intemi.kernel import ConfigurationError
from intemi.machines.trees.components import FeatureSelector
from intemi.machines.trees.node_data import NodeData
from intemi.machines.trees.selectors import (
    LargestF,
    PairwiseTests,
    PermutationTest,
    SmallestP,
    SmallestQ,
    Undecided,
    pairwise_tests,
)
from intemi.machines.trees.selectors.tables import deviates, intervals_of, weighted_quantiles
from intemi.machines.trees.statistical_algorithms import CTree
from tests.trees.examples import table_of, tree_of
from tests.trees.small_nodes import C9, C9_CLASSES, L10, L10_CLASSES, golf, node, random_node, repeated

RESAMPLED = PermutationTest(alpha=1.0, resample=50)
SELECTORS = [LargestF(), SmallestP(), SmallestQ(), PermutationTest(alpha=1.0), RESAMPLED, PairwiseTests(bootstrap=10)]


def order(selector: FeatureSelector, data: NodeData) -> list[int]:
    return [each.feature for each in selector.rank(data)]


def test_the_largest_f_wins_if_it_reaches_the_threshold() -> None:
    ranked = LargestF().rank(node(C9, [0] * 9, C9[::-1], classes=C9_CLASSES))
    assert [each.feature for each in ranked] == [0, 2]
    assert ranked[0].score == pytest.approx(18.5)
    assert not ranked[0].use_deviation


def test_distances_from_the_mean_are_used_where_means_are_equal() -> None:
    [ranked] = LargestF().rank(node(L10, classes=L10_CLASSES))
    assert ranked.use_deviation
    assert ranked.score == pytest.approx(11.150579, abs=1e-6)


def test_a_feature_that_no_f_speaks_for_is_undecided() -> None:
    [ranked] = LargestF(threshold=12.0).rank(node(L10, classes=L10_CLASSES))
    assert isinstance(ranked, Undecided)


def test_the_smallest_p_is_compared_between_numeric_and_nominal_features() -> None:
    table = [[2, 1, 0], [0, 3, 0], [1, 0, 2]]
    symbols = [symbol for of_class in table for symbol, count in enumerate(of_class) for _ in range(count)]
    first, second = SmallestP().rank(node(symbols, C9, classes=C9_CLASSES, nominal=[0]))
    assert (first.feature, second.feature) == (1, 0)
    assert math.exp(-first.score) == pytest.approx(0.0027167, abs=1e-7)
    assert math.exp(-second.score) == pytest.approx(0.049747, abs=1e-6)


def test_levenes_test_decides_where_no_mean_differs() -> None:
    [ranked] = SmallestP().rank(node(L10, classes=L10_CLASSES))
    assert ranked.use_deviation
    assert math.exp(-ranked.score) == pytest.approx(0.010243, abs=1e-6)
    [ranked] = SmallestP(alpha=0.02).rank(node(L10, classes=L10_CLASSES))  # 0.010243 is above 0.02 / 2
    assert not ranked.use_deviation
    assert ranked.score == pytest.approx(0.0)


def test_golf_is_ranked_by_chi_squared() -> None:
    ranked = SmallestP().rank(golf())
    p = {each.feature: math.exp(-each.score) for each in ranked}
    assert p == pytest.approx({0: 0.169766, 1: 0.751875, 2: 0.094264, 3: 0.333998}, abs=1e-6)
    assert ranked[0].feature == 2


def test_q_is_the_share_of_scatter_within_classes() -> None:
    ranked = SmallestQ().rank(node([1, 4, 2, 5, 3, 6], [1, 2, 3, 4, 5, 6], classes=[0, 0, 0, 1, 1, 1]))
    assert [each.feature for each in ranked] == [1, 0]
    assert [-each.score for each in ranked] == pytest.approx([0.129032, 0.363636], abs=1e-6)


def test_permutation_tests_of_golf_are_those_of_libcoin() -> None:
    ranked = PermutationTest(alpha=1.0, adjustment="none").rank(golf())
    assert math.exp(-ranked[1].score) == pytest.approx(0.192691, abs=1e-6)
    assert [each.feature for each in ranked][:2] == [2, 0]
    assert PermutationTest().rank(golf()) == []


def test_only_significant_features_are_worth_splitting_on() -> None:
    rng = np.random.default_rng(1)
    classes = [0] * 30 + [1] * 30
    data = node(np.r_[rng.normal(size=30), 2 + rng.normal(size=30)], rng.normal(size=60), classes=classes)
    assert order(PermutationTest(), data) == [0]
    assert order(PermutationTest(statistic="maximum"), data) == [0]


def test_bonferroni_counts_features_that_vary() -> None:
    # p = 0.043308 alone; twice that test would need p below 0.0253.
    x, classes = list(range(1, 9)), [0, 0, 0, 1, 0, 1, 1, 1]
    assert order(PermutationTest(), node(x, [3] * 8, classes=classes)) == [0]
    assert order(PermutationTest(), node(x, x, classes=classes)) == []
    assert order(PermutationTest(adjustment="none"), node(x, x, classes=classes)) == [0, 1]


def test_resampling_is_for_whole_weights_and_depends_on_the_seed_of_the_node() -> None:
    x, classes = list(range(1, 9)), [0, 0, 0, 1, 0, 1, 1, 1]
    limit, resampled = PermutationTest(), PermutationTest(alpha=0.2, resample=99)
    assert not limit.is_random
    assert resampled.is_random
    assert resampled.rank(node(x, classes=classes)) == resampled.rank(node(x, classes=classes))
    scores = {resampled.rank(node(x, classes=classes, seed=seed))[0].score for seed in range(20)}
    assert len(scores) > 1
    halves = node(x, classes=classes, weights=[0.5, 1.5] * 4)
    assert resampled.rank(halves) == PermutationTest(alpha=0.2).rank(halves)


def test_permutations_that_are_too_few_for_anything_to_be_significant_are_refused() -> None:
    data = node(*np.random.default_rng(0).normal(size=(8, 30)), classes=[0, 1] * 15)
    fewest = 156  # 1 - (1 - 1 / 157) ** 8 is below 0.05
    assert PermutationTest(resample=fewest).rank(data) == []
    with pytest.raises(ConfigurationError, match=r"one of 8 tests to be .* alpha=0\.05, at least 156, got 155"):
        PermutationTest(resample=fewest - 1).rank(data)
    assert PermutationTest(resample=19, adjustment="none").rank(data) == []


def test_a_feature_that_is_not_known_everywhere_is_resampled_where_it_is() -> None:
    x, classes = [1, 2, 3, 4, 5, 6, 7, 8], [0, 0, 0, 1, 0, 1, 1, 1]
    unknown = node([*x, math.nan, math.nan], [*x, 3, 4], classes=[*classes, 0, 1])
    known = node(x, classes=classes)
    resampled = PermutationTest(alpha=1.0, adjustment="none", resample=200)
    scores = {each.feature: each.score for each in resampled.rank(unknown)}
    assert scores[0] == resampled.rank(known)[0].score


def test_quarters_of_nine_values_by_class() -> None:
    data = node(C9, classes=C9_CLASSES)
    assert intervals_of(data, 0, 4).tolist() == [0, 0, 0, 1, 1, 2, 2, 3, 3]
    targets = (data.classes[:, None, None] == np.arange(3)).astype(float)
    assert deviates(intervals_of(data, 0, 4), targets) == pytest.approx([2.052190], abs=1e-6)


def test_features_that_only_matter_together_are_found_by_pairs() -> None:
    grid = [(x, y) for x in range(1, 5) for y in range(1, 5)]
    first, second = zip(*grid, strict=True)
    classes = [int((x > 2) != (y > 2)) for x, y in grid]
    ranked = PairwiseTests().rank(node(first, second, classes=classes))
    assert [each.feature for each in ranked] == [0]
    assert ranked[0].score == pytest.approx(3.062364, abs=1e-6)
    assert order(PairwiseTests(), node([0] * 16, first, second, classes=classes)) == [1]
    with_symbols = node(first, [x - 1 for x in second], classes=classes, nominal=[1])
    assert order(PairwiseTests(bootstrap=0), with_symbols) == [1]  # of a mixed pair the nominal one
    both = node([x - 1 for x in first], [x - 1 for x in second], classes=classes, nominal=[0, 1])
    assert order(PairwiseTests(), both) == [0]


def lopsided(rng: np.random.Generator) -> NodeData:
    """Numbers and symbols that say nothing, until the rows below are looked at, in which one number does."""
    classes = rng.integers(3, size=120)
    features = (rng.normal(size=120), np.r_[np.arange(8), rng.integers(8, size=112)], rng.integers(3, size=120))
    return node(*features, classes=classes.tolist(), nominal=[1, 2], seed=3)


def test_the_factor_for_numeric_features_is_that_of_the_root_or_of_the_node() -> None:
    data = lopsided(np.random.default_rng(1))
    part = data.select(np.arange(60), branch=0)
    root, by_node = PairwiseTests(), PairwiseTests(bootstrap_scope="node")
    assert root.rank(data) == by_node.rank(data)
    factor = by_node._factor(data)
    assert data.once(root, lambda _: math.nan) == factor  # it is kept in the root
    assert by_node._factor(part) != factor
    alone = node(*part.features, classes=part.classes.tolist(), nominal=[1, 2])
    assert alone.once(root, lambda _: factor) == factor
    assert root.rank(part) == root.rank(alone)


def test_the_factor_of_a_node_with_other_features_is_its_own() -> None:
    data = lopsided(np.random.default_rng(1))
    part = data.select(np.arange(60), branch=0).with_columns([0, 2])
    assert part.root is data
    assert PairwiseTests().rank(part) == PairwiseTests(bootstrap_scope="node").rank(part)


def test_all_nodes_know_the_root_unless_their_classes_are_others() -> None:
    data = lopsided(np.random.default_rng(1))
    part = data.select(np.arange(60), branch=0)
    assert data.root is data
    for same in (part, part.select([1, 2]), part.with_features(part.columns, part.features), part.with_columns([1])):
        assert same.root is data
    other = part.with_classes([0] * 60, 1)
    assert other.root is other


def test_as_many_pairs_are_drawn_as_are_wanted() -> None:
    rng = np.random.default_rng(0)
    features = list(range(10, 22))
    every = {(one, other) for one in features for other in features if one < other}
    drawn = [PairwiseTests(max_pairs=5)._pairs(features, rng) for _ in range(200)]
    assert all(pairs is not None and len(set(pairs)) == 5 and pairs == sorted(pairs) for pairs in drawn)
    assert {pair for pairs in drawn for pair in pairs or ()} == every
    assert PairwiseTests(max_pairs=66)._pairs(features, rng) is None


@given(seed=st.integers(0, 2**32))
def test_pairs_that_are_drawn_are_tested_like_all(seed: int) -> None:
    data = random_node(np.random.default_rng(seed))
    features = ([0, 1], [2, 3])
    targets = (data.classes[:, None, None] == np.arange(3)).astype(float)
    listed = [(one, other) for one in range(4) for other in range(one + 1, 4)]
    one, other = (pairwise_tests._test(data, *features, pairs, targets) for pairs in (None, listed))
    for kind in ("numeric_pairs", "nominal_pairs", "mixed_pairs"):
        assert getattr(one, kind).best == pytest.approx(getattr(other, kind).best)
        assert getattr(one, kind).pair == getattr(other, kind).pair
    fewer = PairwiseTests(bootstrap=5, max_pairs=3)
    assert fewer.rank(data) == fewer.rank(data)


def test_a_row_of_weight_eight_draws_as_many_classes_as_eight_rows() -> None:
    data = node([1, 2, 3], classes=[0, 1, 1], weights=[8, 8.5, 0.25])
    drawn = pairwise_tests._drawn_targets(data, 400, np.random.default_rng(0))
    assert drawn.sum(axis=2) == pytest.approx(np.repeat([[8], [8.5], [0.25]], 400, axis=1))
    share = 8 / 16.75
    assert drawn[0, :, 0].mean() == pytest.approx(8 * share, abs=0.3)
    assert drawn[0, :, 0].var() == pytest.approx(8 * share * (1 - share), rel=0.2)
    assert set(drawn[2].ravel()) == {0.0, 0.25}


def test_rows_that_weigh_more_do_not_make_chance_greater() -> None:
    """Classes drawn for rows of weight 20 as for 20 rows: numbers are not favoured more than they need to be."""
    rng = np.random.default_rng(1)
    data = node(rng.integers(4, size=12), rng.integers(3, size=12), classes=[0, 1] * 6, nominal=[1])
    weighted, twenty = repeated(data, np.full(12, 20))
    one, other = (PairwiseTests(bootstrap=400)._factor(each) for each in (weighted, twenty))
    assert one == pytest.approx(other, rel=0.15)


@given(st.lists(st.integers(-5, 5), min_size=2, max_size=20), st.integers(0, 2**32))
def test_quantiles_are_those_of_numpy_with_rows_repeated(values: list[int], seed: int) -> None:
    numbers = np.array(values, float)
    counts = np.random.default_rng(seed).integers(1, 4, size=len(numbers))
    shares = np.array([0.25, 0.5, 0.75])
    expected = np.quantile(np.repeat(numbers, counts), shares)
    assert weighted_quantiles(numbers, counts.astype(float), shares) == pytest.approx(expected)


@pytest.mark.parametrize("selector", SELECTORS, ids=lambda each: each.kind)
@given(seed=st.integers(0, 2**32))
def test_a_weight_of_two_is_the_row_twice(selector: FeatureSelector, seed: int) -> None:
    if isinstance(selector, PairwiseTests):
        selector = PairwiseTests(bootstrap=0)  # which rows are drawn depends on how many there are
    rng = np.random.default_rng(seed)
    data = random_node(rng)
    weighted, twice = (selector.rank(each) for each in repeated(data, rng.integers(1, 4, size=len(data))))
    assert [each.feature for each in weighted] == [each.feature for each in twice]
    assert [each.score for each in weighted] == pytest.approx([each.score for each in twice], rel=1e-7, abs=1e-9)


@pytest.mark.parametrize("selector", SELECTORS, ids=lambda each: each.kind)
@given(seed=st.integers(0, 2**32))
def test_the_order_of_rows_and_affine_maps_do_not_matter(selector: FeatureSelector, seed: int) -> None:
    if isinstance(selector, PairwiseTests):
        selector = PairwiseTests(bootstrap=0)
    if selector == RESAMPLED:
        return  # the classes are dealt out to other rows
    rng = np.random.default_rng(seed)
    data = random_node(rng)
    mixed = data.select(rng.permutation(len(data)))
    features = mixed.features.copy()
    features[:2] = 3 * features[:2] - 40
    moved = mixed.with_features(data.columns, features)
    first, second = selector.rank(data), selector.rank(moved)
    assert [each.feature for each in first] == [each.feature for each in second]
    assert [each.score for each in first] == pytest.approx([each.score for each in second], rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("selector", SELECTORS, ids=lambda each: each.kind)
def test_nothing_is_chosen_where_nothing_varies(selector: FeatureSelector) -> None:
    nan = math.nan
    assert order(selector, node([1, 1, 1], [0, 0, 0], [nan, nan, 2], classes=[0, 1, 1], nominal=[1])) == []
    assert order(selector, node([1, 2, 3], classes=[1, 1, 1])) == []
    assert order(selector, node([1], classes=[1])) == []


@pytest.mark.parametrize("selector", SELECTORS, ids=lambda each: each.kind)
def test_of_equal_features_the_first_is_chosen(selector: FeatureSelector) -> None:
    rng = np.random.default_rng(5)
    for _ in range(10):
        noise = rng.normal(size=30)
        classes = rng.integers(2, size=30)
        data = node(rng.normal(size=30), *[noise + 6 * classes] * 5, classes=classes.tolist())
        assert order(selector, data)[0] == 1


@pytest.mark.parametrize("selector", SELECTORS, ids=lambda each: each.kind)
def test_of_one_row_of_each_class_features_are_ranked_by_numbers(selector: FeatureSelector) -> None:
    ranked = selector.rank(node([1, 2, 3], [0, 1, 2], classes=[0, 1, 2], nominal=[1]))
    assert {each.feature for each in ranked} <= {0, 1}
    assert not any(np.isnan(each.score) for each in ranked)


def says_nothing(rng: np.random.Generator, classes: int) -> NodeData:
    """Normal, few-valued, two symbols, eight symbols: exhaustive search would nearly always take the last one."""
    features = (
        rng.normal(size=80),
        rng.integers(4, size=80),
        np.r_[0, 1, rng.integers(2, size=78)],
        np.r_[np.arange(8), rng.integers(8, size=72)],
    )
    target = rng.integers(classes, size=80).tolist()
    return node(*features, classes=target, nominal=[2, 3], seed=int(rng.integers(2**31)))


@pytest.mark.parametrize("selector", [SmallestP(), PermutationTest(alpha=1.0)], ids=lambda each: each.kind)
def test_features_that_say_nothing_are_chosen_equally_often(selector: FeatureSelector) -> None:
    rng = np.random.default_rng(11)
    chosen = np.bincount([order(selector, says_nothing(rng, 2))[0] for _ in range(500)], minlength=4)
    assert stats.chisquare(chosen).pvalue > 0.001, chosen


def test_pairwise_tests_choose_either_kind_of_features_as_often_as_its_share() -> None:
    rng = np.random.default_rng(11)
    chosen = np.bincount([order(PairwiseTests(), says_nothing(rng, 3))[0] for _ in range(300)], minlength=4)
    assert stats.binomtest(int(chosen[:2].sum()), 300, 0.5).pvalue > 0.001, chosen
    assert chosen.min() > 30, chosen


def test_permutation_tests_stop_at_the_root_as_often_as_they_say() -> None:
    rng = np.random.default_rng(12)
    nodes = [
        node(
            *rng.normal(size=(4, 60)), rng.integers(3, size=60), classes=rng.integers(2, size=60).tolist(), nominal=[4]
        )
        for _ in range(600)
    ]
    split = sum(bool(PermutationTest(alpha=0.1).rank(each)) for each in nodes)
    assert stats.binomtest(split, 600, 0.1).pvalue > 0.001


# What cannot be tested


def test_features_that_cannot_be_tested_do_not_count_in_the_correction() -> None:
    x = [7, 1, 12, 6, 18, 5, 11, 2, 13, 17, 8, 3, 9, 20, 19, 21, 0, 23, 4, 10, 14, 22, 16, 15]
    z = [float(i % 5) for i in range(12)] + [None] * 12
    symbols = ["ab"[i % 2] for i in range(12)] + [None] * 12
    data = table_of({"x": x, "z": z, "s": symbols}, "a" * 12 + "b" * 12)
    [found] = PermutationTest().rank(NodeData.of(data))
    assert found.feature == 0
    assert math.exp(-found.score) == pytest.approx(0.0433, abs=5e-5)
    tree = tree_of(CTree(), data)
    assert tree.columns[tree.feature[0]].name == "x"
    assert tree.parameters[0] == pytest.approx(13.5, abs=0.5)
    for other in (PermutationTest(statistic="maximum"), PermutationTest(resample=19)):
        assert [each.feature for each in other.rank(NodeData.of(data))] in ([0], [])
        assert other.rank(NodeData.of(data.select_columns([1, 2]))) == []
