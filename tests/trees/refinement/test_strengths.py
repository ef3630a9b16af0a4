"""Many prunings of a tree, tested at once, do what each of them does."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pytest

from intemi import Project
from intemi.data import Column, Data, Table
from intemi.kernel import ConfigurationError
from intemi.machines import CART, ClassificationTest, SklearnDataset
from intemi.machines.trees import (
    AnyOf,
    CostComplexity,
    Depth,
    MaxDepth,
    MaxErrors,
    Proportions,
    PruningTest,
    TreeClassifier,
)
from intemi.machines.trees.pruning import cut_at
from intemi.testing import check_machine

COSTS = (0.0, 1e-4, 1e-3, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.3, 1.0)
DEPTHS = (1, 2, 3, 4, 6, 20)


def test_strengths_in_any_order_are_answered_in_theirs() -> None:
    training, test = halves("wine")
    trees = [CART(surrogates=0, refinement=None).run(training).outputs["tree"]]
    found = PruningTest(COSTS).run(trees, test).results
    places = np.random.default_rng(0).permutation(len(COSTS))
    shuffled = PruningTest(tuple(COSTS[place] for place in places)).run(trees, test).results
    for label in ("Accuracy", "Leaves"):
        np.testing.assert_array_equal(shuffled[label], found[label][:, places])


def test_rows_without_a_target_are_refused() -> None:
    training, test = halves("iris")
    tree = CART(surrogates=0, refinement=None).run(training).outputs["tree"]
    with pytest.raises(ConfigurationError, match="it has no target"):
        PruningTest(COSTS).run([tree], Data(Table(test.columns, test.features)))


def test_rows_of_other_classes_are_refused() -> None:
    training, test = halves("iris")
    tree = CART(surrogates=0, refinement=None).run(training).outputs["tree"]
    target = Column("class", ("a", "b", "c", "d"))
    other = Data(Table(test.columns, test.features, target, np.full(len(test), 3)))
    with pytest.raises(ConfigurationError, match=r"knows the classes setosa.* but the data have a, b, c, d"):
        PruningTest(COSTS).run([tree], other)


def halves(name: str) -> tuple[Any, Any]:
    """Every second row, and the others."""
    with Project() as project:
        data: Any = project.run(SklearnDataset(name)).outputs["data"]
    rows = np.arange(len(data))
    return data.select_rows(rows % 2 == 0), data.select_rows(rows % 2 == 1)


@pytest.mark.parametrize("risk", ["error", "gini", "entropy"])
@pytest.mark.parametrize("name", ["iris", "wine", "breast_cancer"])
def test_accuracies_are_those_of_trees_that_are_really_cut(
    name: str, risk: Literal["error", "gini", "entropy"]
) -> None:
    training, test = halves(name)
    tree = CART(surrogates=0, refinement=None).run(training).outputs["tree"]
    pruning = CostComplexity(risk=risk, passes=None)
    found = PruningTest(COSTS, pruning).run([tree], test).results
    path = pruning.path(tree, Proportions())
    for cost, accuracy, leaves in zip(COSTS, found["Accuracy"][0], found["Leaves"][0], strict=True):
        step = int(np.flatnonzero(path.keys <= cost * (1 + 1e-10))[-1])
        cut = cut_at(tree, path.cut(step))
        classifier = TreeClassifier(cut.columns, cut.labels, cut, Proportions())
        tested = ClassificationTest().run(test, classifier).results
        assert (leaves, accuracy) == (cut.leaf_count, pytest.approx(tested["Accuracy"]))


def test_costs_are_the_alphas_of_scikit_learn() -> None:
    from sklearn.tree import DecisionTreeClassifier

    training, test = halves("wine")
    tree = CART(surrogates=0, refinement=None).run(training).outputs["tree"]
    found = PruningTest(COSTS, CostComplexity(risk="gini", passes=None)).run([tree], test).results
    for cost, leaves in zip(COSTS, found["Leaves"][0], strict=True):
        theirs = DecisionTreeClassifier(ccp_alpha=cost, random_state=0).fit(training.features.T, training.classes)
        assert theirs.get_n_leaves() == leaves


def test_it_is_a_proper_machine() -> None:
    training, test = halves("iris")
    check_machine(PruningTest(COSTS), trees=[CART(refinement=None).run(training).outputs["tree"]], data=test)


@pytest.mark.parametrize("name", ["iris", "wine", "breast_cancer"])
def test_a_tree_cut_at_a_depth_is_the_tree_that_was_grown_to_it(name: str) -> None:
    training, test = halves(name)
    full = CART(surrogates=0, refinement=None).run(training).outputs["tree"]
    found = PruningTest(DEPTHS, Depth(passes=None)).run([full], test).results
    for depth, accuracy, leaves in zip(DEPTHS, found["Accuracy"][0], found["Leaves"][0], strict=True):
        grown = CART(surrogates=0, refinement=None).replace("stop", AnyOf((MaxErrors(), MaxDepth(depth)))).run(training)
        tested = ClassificationTest().run(test, grown.outputs["classifier"]).results
        assert (leaves, accuracy) == (grown.results["Leaves"], pytest.approx(tested["Accuracy"]))


def test_a_depth_is_found_by_validation() -> None:
    with Project() as project:
        data = project.request(SklearnDataset("breast_cancer")).data
        found = project.run(CART(surrogates=0, refinement=Depth()), data=data)
        assert (
            found.results["Chosen"]
            == found.results["Depth"]
            < project.run(CART(refinement=None), data=data).results["Depth"]
        )


def test_of_several_trees_each_has_a_row() -> None:
    training, test = halves("wine")
    trees = [
        CART(surrogates=0, min_branch=least, refinement=None).run(training).outputs["tree"]
        for least in (1.0, 5.0, 20.0)
    ]
    machine = PruningTest(COSTS)
    together, alone = machine.run(trees, test).results, [machine.run([tree], test).results for tree in trees]
    for label in ("Accuracy", "Leaves"):
        np.testing.assert_array_equal(together[label], np.concatenate([each[label] for each in alone]))


def test_no_strength_at_all_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="PruningTest: strengths must be at least one"):
        PruningTest(())


def test_a_pruning_with_passes_is_refused() -> None:
    with pytest.raises(ConfigurationError, match=r"PruningTest: pruning.passes must be None"):
        PruningTest((0.1,), CostComplexity())
