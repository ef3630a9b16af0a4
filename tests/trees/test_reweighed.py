"""Priors, costs and importance: splits of other weights are those of data that have these weights."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier

from intemi.data import Data, Table
from intemi.kernel import ConfigurationError
from intemi.machines.trees import (
    C45,
    CART,
    SSV,
    AlteredPriors,
    CostComplexity,
    ExhaustiveSearch,
    ImportanceWeights,
    LeastCost,
    NodeSplitter,
    PermutationTest,
    PrincipalAxes,
    SelectAndSplit,
    ThresholdSplit,
    WithPriors,
)
from intemi.machines.trees.node_data import NodeData
from intemi.testing import check_machine
from tests import datasets
from tests.learning.tables import mixed
from tests.trees.examples import N8, learned, table_of, tree_of
from tests.trees.small_nodes import random_node


def weighted(data: Data, weights: np.ndarray) -> Data:
    return Data(Table(data.columns, data.features, data.table.target, data.classes, weights))


def altered(data: Data, shares: np.ndarray) -> np.ndarray:
    """w · π · W / W⁰."""
    of_class = np.bincount(data.classes, data.weights, minlength=len(data.labels))
    return np.asarray(data.weights * (shares * data.weights.sum() / of_class)[data.classes])


@pytest.mark.parametrize("name", ["iris", "vehicle", "tic-tac-toe", "sonar"])
def test_altered_priors_grow_the_tree_of_rows_that_weigh_so(name: str) -> None:
    data = datasets.load(name)
    priors = np.arange(1.0, len(data.labels) + 1)
    learner = CART(surrogates=0, min_size=0, priors=tuple(priors), refinement=None)
    plain = CART(surrogates=0, min_size=0, min_branch=0, refinement=None)
    other = weighted(data, altered(data, priors / priors.sum()))
    one, two = tree_of(learner, data), tree_of(plain, other)
    assert one.feature.tolist() == two.feature.tolist()
    assert one.parameters == pytest.approx(two.parameters)
    assert one.class_weights[0].tolist() == np.bincount(data.classes, minlength=len(priors)).tolist()
    answers = [
        learned(each, rows).outputs["classifier"].probabilities(data)
        for each, rows in ((learner, data), (plain, other))
    ]
    assert answers[0] == pytest.approx(answers[1])


@pytest.mark.parametrize("name", ["diabetes", "wdbc", "sonar", "ionosphere"])
def test_the_first_split_is_that_of_scikit_learn_with_class_weights(name: str) -> None:
    data = datasets.load(name)
    theirs = DecisionTreeClassifier(max_depth=1, class_weight={0: 5.0, 1: 1.0}, random_state=0)
    tree = theirs.fit(data.features.T, data.classes).tree_
    costs = ((0.0, 1.0), (5.0, 0.0))
    [split] = AlteredPriors(ExhaustiveSearch(min_branch=0), cost=costs).best_splits(NodeData.of(data), 1)
    assert isinstance(split, ThresholdSplit)
    assert split.cuts[0] == pytest.approx(tree.threshold[0], rel=1e-5)
    gain = tree.impurity[0] - (tree.weighted_n_node_samples[1:] @ tree.impurity[1:]) / tree.weighted_n_node_samples[0]
    assert split.quality == pytest.approx(gain)


def test_priors_and_costs_come_to_the_same_where_they_say_the_same() -> None:
    data = datasets.load("vehicle")
    counts = np.bincount(data.classes, minlength=len(data.labels)).astype(float)
    twice = np.where(np.arange(len(counts)) == 1, 2.0, 1.0)
    unequal = tuple(tuple(float(i != j) * twice[j] for j in range(len(counts))) for i in range(len(counts)))
    by_cost, by_priors = (
        CART(surrogates=0, cost=unequal, refinement=None),
        CART(surrogates=0, priors=tuple(counts * twice), refinement=None),
    )
    assert tree_of(by_cost, data) == tree_of(by_priors, data)
    costs_alike = tuple(tuple(float(i != j) for j in range(len(counts))) for i in range(len(counts)))
    for plain in (
        CART(surrogates=0, priors=tuple(counts), refinement=None),
        CART(surrogates=0, cost=costs_alike, refinement=None),
    ):
        answers = learned(plain, data).outputs["classifier"].classify(data)
        assert (
            answers == learned(CART(surrogates=0, refinement=None), data).outputs["classifier"].classify(data)
        ).all()


def test_leaves_answer_by_priors_and_costs() -> None:
    data = table_of({"x": [1, 1, 1, 1]}, "AAAB")
    assert learned(CART(refinement=None), data).outputs["classifier"].probabilities(data)[0].tolist() == [0.75, 0.25]
    even = learned(CART(priors=(1, 3), refinement=None), data).outputs["classifier"]
    assert even.probabilities(data)[0].tolist() == [0.25, 0.75]
    assert even.classify(data)[0] == 1
    careful = learned(CART(cost=((0, 4), (1, 0)), refinement=None), data).outputs["classifier"]
    assert careful.probabilities(data)[0].tolist() == [0.75, 0.25]
    assert careful.classify(data)[0] == 1
    both = CART(priors=(9, 1), cost=((0, 4), (1, 0)), refinement=None)
    assert both.decision == LeastCost(((0, 4), (1, 0)), WithPriors((9, 1)))
    assert learned(both, data).outputs["classifier"].classify(data)[0] == 0


def test_frequencies_are_those_of_the_root_whatever_features_are_made_of_a_node() -> None:
    data = datasets.load("iris").select_rows(np.arange(30, 150))
    root = NodeData.of(data)
    node = PrincipalAxes().fit(root.select(np.arange(40, 120), branch=1)).data
    search = ExhaustiveSearch(min_branch=0)
    [split] = AlteredPriors(search, priors=(1, 1, 5)).best_splits(node, 1)
    weights = altered(data, np.array([1, 1, 5]) / 7)[40:]
    assert split.quality == pytest.approx(search.best_splits(node.select(np.arange(80), weights), 1)[0].quality)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"priors": (1.0, 0.0)}, "AlteredPriors: priors must be finite numbers above 0, one for each class, got"),
        ({"priors": ()}, "AlteredPriors: priors must be finite numbers above 0"),
        ({"cost": ((0.0, 1.0),)}, "AlteredPriors: cost must have as many rows as columns"),
    ],
)
def test_priors_and_costs_that_are_none_are_refused(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        AlteredPriors(**arguments)


def test_priors_of_other_classes_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="AlteredPriors: priors are for 3 classes, but the data have 2"):
        tree_of(CART(priors=(1, 1, 1), refinement=None), N8)
    with pytest.raises(ConfigurationError, match="WithPriors: priors are for 3 classes, but the data have 2"):
        tree_of(CART(refinement=None).replace("decision", WithPriors((1, 1, 1))), N8)


def test_a_class_whose_errors_cost_nothing_separates_nothing() -> None:
    assert len(tree_of(CART(cost=((0, 0), (1, 0)), refinement=None), N8)) == 1
    assert len(tree_of(CART(cost=((0, 0), (0, 0)), refinement=None), N8)) == 1


def test_trees_with_priors_are_machines_that_keep_the_promises() -> None:
    check_machine(CART(priors=(1, 2, 3), cost=((0, 1, 1), (2, 0, 1), (1, 1, 0)), refinement=None), data=mixed(rows=60))
    check_machine(CART(priors=(1, 2, 3), refinement=CostComplexity()), data=mixed(rows=60))
    check_machine(
        C45(refinement=None).replace("splitter", ImportanceWeights(C45(refinement=None).get("splitter"))),
        data=mixed(rows=60, weighted=True),
    )


SPLITTERS: list[NodeSplitter] = [
    ExhaustiveSearch(quality=SSV()),
    C45(refinement=None).get("splitter"),
    SelectAndSplit(selector=PermutationTest(alpha=0.05)),
]


@pytest.mark.parametrize("splitter", SPLITTERS, ids=["ssv", "c45", "tests"])
@given(seed=st.integers(0, 2**32), factor=st.sampled_from([0.01, 0.5, 7.0]))
def test_important_rows_are_no_more_rows(splitter: NodeSplitter, seed: int, factor: float) -> None:
    """Weights are relative, and all alike they are none."""
    rng = np.random.default_rng(seed)
    data = random_node(rng)
    everywhere = np.arange(len(data))
    weights = rng.uniform(0.5, 2.0, size=len(data))
    important = ImportanceWeights(splitter)
    for one, other in (
        (
            important.best_splits(data.select(everywhere, weights), 1),
            important.best_splits(data.select(everywhere, factor * weights), 1),
        ),
        (splitter.best_splits(data, 1), important.best_splits(data.select(everywhere, np.full(len(data), factor)), 1)),
    ):
        assert [split.feature for split in one] == [split.feature for split in other]
        assert [split.quality for split in one] == pytest.approx([split.quality for split in other])


def test_weights_of_branches_are_those_of_the_node() -> None:
    data = NodeData.of(N8).select(np.arange(8), np.full(8, 0.5))
    [split] = ImportanceWeights().best_splits(data, 1)
    assert split.branch_weights.tolist() == [1.5, 2.5]
