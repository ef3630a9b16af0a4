"""Forests as settings of bagging and randomization: trees that make random choices in their nodes."""

from __future__ import annotations

from typing import Literal

from intemi.machines.classifiers.transform_and_classify import TransformAndClassify
from intemi.machines.committees.bagging import Bagging
from intemi.machines.committees.decision_rules import DecisionRule, Vote
from intemi.machines.committees.randomization import Randomization
from intemi.machines.transformations.indicators import NominalToIndicators
from intemi.machines.trees.decision_tree import DecisionTree
from intemi.machines.trees.splitters.exhaustive import ExhaustiveSearch
from intemi.machines.trees.splitters.random_combinations import RandomCombinations
from intemi.machines.trees.splitters.random_subset import RandomSubset
from intemi.machines.trees.splitters.random_top_split import RandomTopSplit

VOTE, SEARCH = Vote(), ExhaustiveSearch()


def RandomForest(
    trees: int = 100,
    features: int | Literal["log2", "sqrt"] = "log2",
    rule: DecisionRule = VOTE,
    splitter: ExhaustiveSearch = SEARCH,
    seed: int | None = None,
) -> Bagging:
    """Forest-RI: full trees of bootstrap samples, each node of which searches some features only (Breiman, 2001).

    scikit-learn's forests have `features="sqrt"` and `rule=Average()`.

    >>> from intemi.kernel import Project
    >>> from intemi.machines.loading import SklearnDataset
    >>> with Project() as project:
    ...     iris = project.request(SklearnDataset("iris"))
    ...     forest = project.run(RandomForest(trees=20, seed=1), data=iris.data)
    ...     forest.results["Out-of-bag error"] < 0.08
    True
    """
    tree = DecisionTree(splitter=RandomSubset(features, splitter))
    return Bagging(tree, size=trees, rule=rule, out_of_bag=True, seed=seed)


def CombinationForest(
    trees: int = 100,
    combinations: int = 8,
    features: int = 3,
    rule: DecisionRule = VOTE,
    seed: int | None = None,
) -> TransformAndClassify:
    """Forest-RC: each node cuts one of some random sums of a few features; nominal ones enter as indicators.

    >>> CombinationForest(trees=5).learner.size
    5
    """
    tree = DecisionTree(splitter=RandomCombinations(combinations, features))
    forest = Bagging(tree, size=trees, rule=rule, out_of_bag=True, seed=seed)
    return TransformAndClassify(NominalToIndicators(), forest)


def TopSplitForest(trees: int = 100, k: int = 20, rule: DecisionRule = VOTE, seed: int | None = None) -> Randomization:
    """Trees of all rows, each node of which takes one of its `k` best splits at random (Dietterich, 2000).

    >>> TopSplitForest(trees=5).size
    5
    """
    return Randomization(DecisionTree(splitter=RandomTopSplit(k)), size=trees, rule=rule, seed=seed)
