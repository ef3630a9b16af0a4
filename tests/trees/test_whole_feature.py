"""Whole-feature splitters make the splits that were checked by hand, and sound ones of anything else."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intemi.machines.trees.components import RankedFeature, WholeFeatureSplitter
from intemi.machines.trees.kernels.confident import bound
from intemi.machines.trees.node_data import NodeData
from intemi.machines.trees.quality import Gini, PermutationStatistic
from intemi.machines.trees.selectors import LargestF, SmallestP, Undecided
from intemi.machines.trees.splits import DeviationSplit, Split, SymbolSplit, ThresholdSplit
from intemi.machines.trees.whole_feature import (
    BestCut,
    ConfidentIntervals,
    LinearDiscriminants,
    QuadraticDiscriminants,
)
from intemi.machines.trees.whole_feature.axis import axis_of, occupied
from tests.trees.small_nodes import C9, C9_CLASSES, K20, K20_CLASSES, L10, L10_CLASSES, node, random_node, repeated

SPLITTERS = [
    LinearDiscriminants(),
    LinearDiscriminants(box_cox=True),
    QuadraticDiscriminants(),
    ConfidentIntervals(),
    BestCut(),
]


def cuts(splitter: WholeFeatureSplitter, data: NodeData, ranked: RankedFeature | None = None) -> list[float]:
    split = splitter.split(data, ranked or RankedFeature(0, 0.0))
    if split is None:
        return []
    assert isinstance(split, ThresholdSplit)
    return split.cuts.tolist()


def test_linear_discriminants_cut_between_classes() -> None:
    assert cuts(LinearDiscriminants(), node(C9, classes=C9_CLASSES)) == pytest.approx([3.5, 7.0])
    heavier = node([*C9, *[9] * 6], classes=[*C9_CLASSES, *[2] * 6])
    assert cuts(LinearDiscriminants(), heavier) == pytest.approx([3.5, 7 - math.log(3) / 4])


def test_linear_discriminants_cut_distances_where_means_are_equal() -> None:
    data = node(L10, classes=L10_CLASSES)
    [ranked] = LargestF().rank(data)
    split = LinearDiscriminants().split(data, ranked)
    assert isinstance(split, DeviationSplit)
    assert split.centre == pytest.approx(5)
    assert split.route(data).tolist() == [0] * 5 + [1, 1, 0, 1, 1]
    assert split.quality == ranked.score


def test_a_feature_that_no_test_speaks_for_is_cut_at_its_mean() -> None:
    data = node([1, 2, 3, 10], classes=[0, 1, 0, 1])
    assert cuts(LinearDiscriminants(), data, Undecided(0, 0.0)) == [4.0]


def test_powers_are_cut_and_the_cut_comes_back() -> None:
    data = node([1, 2, 4, 8, 16, 32], classes=[0, 0, 0, 1, 1, 1])
    assert cuts(LinearDiscriminants(box_cox=True), data) == pytest.approx([5.656854], abs=1e-5)


def test_empty_intervals_are_closed() -> None:
    assert occupied(np.array([1.0, 2.0, 3.0]), np.array([0.0, 5.0])).tolist() == [2.0]
    assert occupied(np.array([-1.0, 2.0, 9.0]), np.array([0.0, 5.0])).tolist() == [2.0]
    assert occupied(np.array([-1.0, 9.0]), np.array([0.0, 5.0])).tolist() == []
    assert occupied(np.array([0.0, 4.0]), np.array([0.0, 5.0, 4.0])).tolist() == [0.0, 4.0]


def test_quadratic_discriminants_cut_where_densities_meet() -> None:
    data = node([1, 2, 3, 4, 5, 7, 9, 11, 13], classes=[0] * 4 + [1] * 5)
    assert cuts(QuadraticDiscriminants(), data) == pytest.approx([4.782031], abs=1e-6)
    assert cuts(QuadraticDiscriminants(), node(C9, classes=C9_CLASSES)) == pytest.approx([6.671994], abs=1e-6)
    data = node(L10, classes=L10_CLASSES)
    assert cuts(QuadraticDiscriminants(), data, SmallestP().rank(data)[0]) == pytest.approx([3.424987], abs=1e-6)


@pytest.mark.parametrize(
    ("values", "classes", "cut"),
    [
        ([2, 2, 5, 9], [0, 0, 1, 1], 3.5),
        ([9, 9, 1, 4], [0, 0, 1, 1], 6.5),
        ([2, 2, 7, 7], [0, 0, 1, 1], 4.5),
        ([3, 9, 3, 8], [0, 0, 1, 1], None),
        ([5, 5, 5, 9], [0, 1, 1, 1], 7.0),
    ],
)
def test_classes_without_a_variance_are_cut_off_halfway(values: list[float], classes: list[int], cut: float) -> None:
    found = cuts(QuadraticDiscriminants(), node(values, classes=classes))
    assert found == [cut] if cut is not None else len(found) == 1


def test_a_root_that_leaves_too_little_is_passed_over() -> None:
    data = node([1, 2, 3, 4, 5, 7, 9, 11, 13], classes=[0] * 4 + [1] * 5)
    assert cuts(QuadraticDiscriminants(min_branch=4), data) == pytest.approx([4.782031], abs=1e-6)
    assert cuts(QuadraticDiscriminants(min_branch=5), data) == []


def test_cuts_between_scores_become_sets_of_symbols() -> None:
    table = np.array([[4, 1, 0], [1, 3, 2], [1, 0, 3]])
    symbols = [s for s in range(3) for c in range(3) for _ in range(table[s, c])]
    classes = [c for s in range(3) for c in range(3) for _ in range(table[s, c])]
    data = node([*symbols, math.nan], classes=[*classes, 0], nominal=[0])
    for splitter in (LinearDiscriminants(), QuadraticDiscriminants()):
        split = splitter.split(data, RankedFeature(0, 1.0))
        assert isinstance(split, SymbolSplit)
        assert split.branch_of_symbol[0] == split.branch_of_symbol.max()
        assert split.branch_weights.sum() == 15


def test_confidence_bounds_as_checked_by_hand() -> None:
    for count, total, alpha, expected in [
        (5, 5, 0.3, (0.6, 1)),
        (8, 10, 0.3, (0.5114, 0.9386)),
        (2, 4, 0.5, (0.211325, 0.788675)),
    ]:
        lower, upper = bound(count, total, alpha, -1.0), bound(count, total, alpha, 1.0)
        assert (lower, upper) == pytest.approx(expected, abs=1e-6)


def test_intervals_end_where_a_class_is_sure_or_none_can_be() -> None:
    split = ConfidentIntervals().split(node(K20, classes=K20_CLASSES), RankedFeature(0, 0.0))
    assert isinstance(split, ThresholdSplit)
    assert split.cuts.tolist() == [8.5, 12.5]
    assert split.closed == (True, False, True)
    assert split.branch_weights.tolist() == [8, 4, 8]
    split = ConfidentIntervals(threshold=0.7).split(node(K20, classes=K20_CLASSES), RankedFeature(0, 0.0))
    assert isinstance(split, ThresholdSplit)
    assert split.cuts.tolist() == [5.5, 17.5]
    assert split.closed == (True, False, True)


def test_long_intervals_are_found_in_portions() -> None:
    classes = [0] * 300 + [1, 0] * 20 + [1] * 300
    split = ConfidentIntervals(threshold=0.9, alpha=0.05).split(
        node(range(640), classes=classes), RankedFeature(0, 0.0)
    )
    assert isinstance(split, ThresholdSplit)
    assert split.closed is not None
    assert split.closed[0]
    assert split.closed[-1]
    # s / (α (1 − s)) = 180 rows of one class make sure of it.
    assert split.cuts[0] >= 179.5


@pytest.mark.parametrize("size", [6, 7, 8])
def test_a_pure_interval_needs_eight_rows(size: int) -> None:
    data = node(range(size + 8), classes=[0] * size + [1] * 8)
    split = ConfidentIntervals().split(data, RankedFeature(0, 0.0))
    assert (split is not None and float(split.branch_weights[0]) == size) == (size >= 8)


def test_symbols_are_judged_one_by_one_and_merged_with_their_neighbours() -> None:
    symbols = [0] * 10 + [1] * 10 + [2] * 10 + [3] * 10
    classes = [0] * 10 + [1] * 10 + [0, 1] * 5 + [0] * 10
    split = ConfidentIntervals().split(node(symbols, classes=classes, nominal=[0]), RankedFeature(0, 0.0))
    assert isinstance(split, SymbolSplit)
    assert split.branch_of_symbol.tolist() == [2, 0, 1, 2]
    assert split.closed == (True, False, True)


def test_the_best_cut_is_that_of_the_measure_among_legal_ones() -> None:
    data = node(range(1, 9), classes=[0, 0, 0, 1, 0, 1, 1, 1])
    split = BestCut(quality=PermutationStatistic()).split(data, RankedFeature(0, 0.0))
    assert split is not None
    assert split.quality == pytest.approx(4.2)
    assert cuts(BestCut(quality=Gini()), data) == [3.5]
    assert cuts(BestCut(min_branch=4), data) == [4.5]
    assert cuts(BestCut(min_share=0.5), data) == [4.5]
    assert cuts(BestCut(min_branch=5), data) == []


@pytest.mark.parametrize("splitter", SPLITTERS, ids=str)
@pytest.mark.parametrize("feature", range(4))
@given(seed=st.integers(0, 2**32))
def test_splits_of_anything_are_sound(splitter: WholeFeatureSplitter, feature: int, seed: int) -> None:
    data = random_node(np.random.default_rng(seed))
    split = splitter.split(data, RankedFeature(feature, 2.5))
    if split is not None:
        known = data.weights[~np.isnan(data.feature(feature))].sum()
        assert split.branch_weights.sum() == pytest.approx(known)
        assert (split.branch_weights > 0).all()
        assert split.branch_count >= 2
        counted = np.bincount(split.route(data) + 1, data.weights, minlength=split.branch_count + 1)[1:]
        assert counted == pytest.approx(split.branch_weights)


def test_a_value_that_is_the_mean_but_for_rounding_is_not_above_it() -> None:
    """No root and no middle leaves five rows on both sides; of the mean, 0.3, that of ten times 0.3 may fall short."""
    values = [0.1] * 5 + [0.3] * 10 + [0.5] * 5
    data = node(values, classes=[0, 1] * 10)
    for order in (np.arange(20), np.arange(20)[::-1], np.random.default_rng(0).permutation(20)):
        axis = axis_of(data.select(order), RankedFeature(0, 0.0), deviations=False)
        assert axis is not None
        assert axis.drawn([axis.mean])[0] in axis.numbers


def same(one: Split | None, other: Split | None, tolerance: float = 1e-6) -> bool:
    if one is None or other is None:
        return one is other
    return one.parameters() == pytest.approx(other.parameters(), rel=tolerance, abs=tolerance)


@pytest.mark.parametrize("splitter", SPLITTERS, ids=str)
@given(seed=st.integers(0, 2**32))
def test_a_weight_of_two_is_the_row_twice(splitter: WholeFeatureSplitter, seed: int) -> None:
    rng = np.random.default_rng(seed)
    data = random_node(rng)
    weighted, twice = repeated(data, rng.integers(1, 4, size=len(data)))
    for feature in range(4):
        ranked = RankedFeature(feature, 0.0)
        # Powers are found numerically, up to the square root of the precision.
        assert same(splitter.split(weighted, ranked), splitter.split(twice, ranked), 1e-4)


@pytest.mark.parametrize("splitter", [LinearDiscriminants(), QuadraticDiscriminants()], ids=str)
@given(seed=st.integers(0, 2**32))
def test_an_affine_map_of_values_maps_the_cuts(splitter: WholeFeatureSplitter, seed: int) -> None:
    data = random_node(np.random.default_rng(seed))
    moved = data.with_features(data.columns, np.vstack([5 * data.features[:2] + 100, data.features[2:]]))
    before, after = cuts(splitter, data), cuts(splitter, moved)
    assert after == pytest.approx([5 * each + 100 for each in before])


@pytest.mark.parametrize("splitter", SPLITTERS, ids=str)
def test_nothing_is_split_where_nothing_varies(splitter: WholeFeatureSplitter) -> None:
    nan = math.nan
    data = node([1, 1, 1], [0, 0, 0], [nan, nan, nan], [nan, 2, nan], classes=[0, 1, 1], nominal=[1])
    assert [splitter.split(data, RankedFeature(feature, 0.0)) for feature in range(4)] == [None] * 4
    pure = node([1, 2, 3], [0, 1, 2], classes=[1, 1, 1], nominal=[1])
    assert [splitter.split(pure, RankedFeature(feature, 0.0)) for feature in range(2)] == [None] * 2
