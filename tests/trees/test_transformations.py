"""Node transformations: a split of new features and that of the original ones divide the rows in the same way."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intemi.machines.transformations.discretization import EqualWidth
from intemi.machines.trees.components import NodeTransformation, RankedFeature
from intemi.machines.trees.decision_tree import DecisionTree
from intemi.machines.trees.quality import InformationGain
from intemi.machines.trees.selectors import PermutationTest
from intemi.machines.trees.splits import DeviationSplit, LinearSplit, SymbolSplit, ThresholdSplit
from intemi.machines.trees.splitters.exhaustive import ExhaustiveSearch
from intemi.machines.trees.splitters.nominal import BranchForEach
from intemi.machines.trees.transformations import (
    BestFeatures,
    CrimCoord,
    Discretize,
    DiscriminantAxes,
    Indicators,
    Powers,
    PrincipalAxes,
)
from intemi.machines.trees.whole_feature import LinearDiscriminants
from tests.learning.tables import mixed, numeric
from tests.trees.small_nodes import node, random_node

TRANSFORMATIONS = [
    CrimCoord(),
    Indicators(),
    Discretize(),
    Powers(),
    PrincipalAxes(),
    DiscriminantAxes(),
    BestFeatures(count=3),
]


@pytest.mark.parametrize("transformation", TRANSFORMATIONS, ids=lambda each: each.kind)
@pytest.mark.parametrize("multiway", [False, True])
@given(seed=st.integers(0, 2**32))
def test_a_split_divides_the_rows_in_the_same_way_as_before(
    transformation: NodeTransformation, multiway: bool, seed: int
) -> None:
    data = random_node(np.random.default_rng(seed))
    changed = transformation.fit(data)
    assert len(changed.data) == len(data)
    search = ExhaustiveSearch(quality=InformationGain(), **({"nominal": BranchForEach()} if multiway else {}))
    for split in search.best_splits(changed.data, 5):
        original = changed.original(split)
        if original is not None:
            pairs = set(zip(original.route(data).tolist(), split.route(changed.data).tolist(), strict=True))
            assert len(pairs) == len({one for one, _ in pairs}) == len({other for _, other in pairs})
            assert isinstance(transformation, Discretize) or all(one == other for one, other in pairs)
            assert sorted(original.branch_weights) == pytest.approx(sorted(split.branch_weights))
            assert original.quality == split.quality
        else:
            assert isinstance(transformation, Discretize)
            assert not multiway


def test_scores_take_the_place_of_symbols_and_their_cuts_are_sets() -> None:
    data = node([0, 0, 1, 1, 2, 2, math.nan], [1, 2, 3, 4, 5, 6, 7], classes=[0, 0, 1, 1, 0, 1, 1], nominal=[0])
    changed = CrimCoord().fit(data)
    assert not any(column.is_nominal for column in changed.data.columns)
    assert changed.data.feature(1).tolist() == data.feature(1).tolist()
    scores = changed.data.feature(0)
    assert np.isnan(scores[-1])
    split = ThresholdSplit.of(changed.data, 0, [float(np.nanmax(scores)) - 0.1], quality=2.0)
    assert split is not None
    original = changed.original(split)
    assert isinstance(original, SymbolSplit)
    assert sorted(original.branch_of_symbol.tolist()) == [0, 0, 1]
    far = DeviationSplit.of(changed.data, 0, 0.0, [0.5], quality=2.0)
    assert far is not None
    assert isinstance(changed.original(far), SymbolSplit)


def test_an_indicator_is_a_symbol_against_the_others() -> None:
    data = node([0, 1, 3, 1], [4, 5, 6, 7], classes=[0, 1, 0, 1], nominal=[0])
    changed = Indicators().fit(data)
    assert [column.name for column in changed.data.columns] == ["x0=a", "x0=b", "x0=d", "x1"]
    split = ThresholdSplit.of(changed.data, 1, [0.5])
    assert split is not None
    original = changed.original(split)
    assert isinstance(original, SymbolSplit)
    assert original.branch_of_symbol.tolist() == [0, 1, -1, 0]


def test_intervals_are_cut_below_their_lower_bounds() -> None:
    data = node([0, 1, 2, 3, 4], classes=[0, 0, 1, 1, 1])
    changed = Discretize(strategy=EqualWidth(bins=2)).fit(data)
    split = SymbolSplit.of(changed.data, 0, [0, 1])
    assert split is not None
    original = changed.original(split)
    assert isinstance(original, ThresholdSplit)
    assert original.route(data).tolist() == [0, 0, 1, 1, 1]
    assert original.cuts[0] == np.nextafter(2.0, 0.0)


def test_intervals_that_are_no_neighbours_are_not_one_branch() -> None:
    data = node([0, 1, 2, 3, 4, 5], classes=[0, 0, 1, 1, 0, 0])
    changed = Discretize(strategy=EqualWidth(bins=3)).fit(data)
    split = SymbolSplit.of(changed.data, 0, [0, 1, 0])
    assert split is not None
    assert changed.original(split) is None


def test_a_cut_of_a_power_is_one_of_the_values() -> None:
    data = node([1, 2, 4, 8, 16, 32], classes=[0, 0, 0, 1, 1, 1])
    changed = Powers().fit(data)
    split = LinearDiscriminants().split(changed.data, RankedFeature(0, 0.0))
    assert split is not None
    original = changed.original(split)
    assert isinstance(original, ThresholdSplit)
    assert original.cuts == pytest.approx([5.656854], abs=1e-5)


def test_principal_axes_of_two_features_that_go_together() -> None:
    rng = np.random.default_rng(0)
    first = rng.normal(size=50)
    data = node(first, 10 * first + 5, rng.normal(size=50), [3.0] * 50, classes=(first > 0).astype(int).tolist())
    changed = PrincipalAxes().fit(data)
    assert len(changed.data.columns) == 2
    assert abs(np.corrcoef(changed.data.features)[0, 1]) < 1e-9
    [split] = ExhaustiveSearch().best_splits(changed.data, 1)
    original = changed.original(split)
    assert isinstance(original, LinearSplit)
    assert original.features.tolist() == [0, 1, 2, 3]
    assert original.coefficients[0] == pytest.approx(10 * original.coefficients[1])
    assert original.route(data).tolist() == split.route(changed.data).tolist()


@pytest.mark.parametrize("seed", range(5))
def test_cuts_at_values_lie_between_the_sums_of_rows(seed: int) -> None:
    """Whatever the order of the rows is: sums are rounded in another way, and the tree is the same."""
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(4, 60))
    classes = (features.sum(axis=0) + 0.5 * rng.normal(size=60) > 0).astype(int)
    search = ExhaustiveSearch(threshold="value")
    leaves = []
    for rows in (np.arange(60), rng.permutation(60), np.arange(60)[::-1]):
        data = node(*features[:, rows], classes=classes[rows].tolist())
        changed = PrincipalAxes().fit(data)
        for split in search.best_splits(changed.data, 4):
            original = changed.original(split)
            assert isinstance(original, LinearSplit)
            assert isinstance(split, ThresholdSplit)
            values = changed.data.feature(split.feature)
            assert split.cuts[0] in values
            assert np.abs(values - original.cuts[0]).min() > 1e-9
            assert original.route(data).tolist() == split.route(changed.data).tolist()
        learner = DecisionTree(splitter=search, transformation=PrincipalAxes())
        leaves.append(learner.run(numeric(*features[:, rows], classes=classes[rows])).outputs["tree"].class_weights)
    assert all(np.array_equal(each, leaves[0]) for each in leaves)


def test_features_are_selected_in_each_node() -> None:
    """In one half of the rows one feature tells the class, in the other half another."""
    rng = np.random.default_rng(0)
    half, classes = np.arange(80) % 2, rng.integers(2, size=80)
    features = [np.where(half == each, classes, rng.integers(2, size=80)) + 0.0 for each in (0, 1)]
    data = node(rng.normal(size=80), *features, classes=classes.tolist())
    selection = BestFeatures(PermutationTest(alpha=1.0), count=1)
    chosen = [selection.fit(data.select(np.flatnonzero(half == each))).data.columns[0].name for each in (0, 1)]
    assert chosen == ["x1", "x2"]
    changed = BestFeatures(PermutationTest(alpha=0.001), count=3).fit(data.select(np.flatnonzero(half == 1)))
    assert [column.name for column in changed.data.columns] == ["x2"]
    [split] = ExhaustiveSearch().best_splits(changed.data, 1)
    assert changed.original(split).feature == 2
    assert (
        BestFeatures(PermutationTest(alpha=1e-9)).fit(node(rng.normal(size=9), classes=[0, 1, 0] * 3)).data.columns
        == ()
    )


def test_all_features_are_as_good_as_no_selection() -> None:
    data = mixed(rows=90)
    for threshold in ("middle", "value"):
        learner = DecisionTree(splitter=ExhaustiveSearch(threshold=threshold))
        selected = learner.replace("transformation", BestFeatures(count=5))
        assert learner.run(data).outputs["tree"] == selected.run(data).outputs["tree"]


def test_growth_ends_where_no_feature_is_selected() -> None:
    data = numeric(np.random.default_rng(0).normal(size=30), classes=[0, 1, 2] * 10)
    learner = DecisionTree(transformation=BestFeatures(PermutationTest(alpha=1e-6)))
    assert learner.run(data).results["Leaves"] == 1


@pytest.mark.parametrize("transformation", TRANSFORMATIONS, ids=lambda each: each.kind)
def test_a_tree_of_transformed_nodes_answers_for_untransformed_rows(transformation: NodeTransformation) -> None:
    data = mixed(rows=90)
    model = DecisionTree(transformation=transformation).run(data)
    wrong = model.outputs["classifier"].classify(data) != data.classes
    assert wrong.mean() == pytest.approx(model.results["Training error"])
    assert model.results["Training error"] < 0.5 * (1 - np.bincount(data.classes).max() / 90)


@pytest.mark.parametrize("transformation", TRANSFORMATIONS, ids=lambda each: each.kind)
def test_nodes_of_one_kind_of_features_and_of_missing_ones_are_no_error(transformation: NodeTransformation) -> None:
    nan = math.nan
    for data in (
        node([1, 2, 3, 4], classes=[0, 1, 0, 1]),
        node([0, 1, 1, 0], classes=[0, 1, 0, 1], nominal=[0]),
        node([nan, nan, nan, nan], [nan, 1, 1, nan], [5, 5, 5, 5], classes=[0, 1, 0, 1]),
    ):
        changed = transformation.fit(data)
        for split in ExhaustiveSearch(nominal=BranchForEach()).best_splits(changed.data, 1):
            assert changed.original(split) is not None
