"""The one machine that learns trees; everything that makes C4.5 differ from CART is in its components."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from intemi.data import Data
from intemi.kernel import Model, Output
from intemi.kernel.machine import Best
from intemi.machines.classifiers.training import rows_to_learn_from
from intemi.machines.interfaces import FeatureRanking
from intemi.machines.roles import Learner, Ranker
from intemi.machines.trees import kernels
from intemi.machines.trees.classifier import TreeClassifier
from intemi.machines.trees.components import (
    DecisionModule,
    MissingPolicy,
    NodeSplitter,
    NodeTransformation,
    SplitAcceptor,
    SplitProspects,
    StopCriterion,
)
from intemi.machines.trees.decisions import Proportions
from intemi.machines.trees.fast import grown, infinite_values
from intemi.machines.trees.growing import assembled
from intemi.machines.trees.missing import MajorityBranch
from intemi.machines.trees.node_data import NodeData
from intemi.machines.trees.prospects import ConstantProspects
from intemi.machines.trees.refinement.refinement import DirectPruning
from intemi.machines.trees.search import HillClimbing, SearchMethod
from intemi.machines.trees.search.method import Parts
from intemi.machines.trees.splitters.exhaustive import ExhaustiveSearch
from intemi.machines.trees.stop import AnyOf, MaxErrors, MinNodeSize
from intemi.machines.trees.tree import Tree

TREE_REPORTS: Mapping[str, Best] = dict.fromkeys(("Size", "Leaves", "Depth", "Training error"), "lowest")
"""The results of every learner of trees: `results_of` computes them."""


class DecisionTree(Learner, Ranker):
    """Grow a tree: split nodes until they are pure, or a criterion says that it is enough.

    >>> from intemi.data import Column, Table
    >>> from intemi.kernel import Project
    >>> data = Data(Table([Column("x")], [[1, 2, 8, 9]], Column("class", ("low", "high")), [0, 0, 1, 1]))
    >>> with Project() as project:
    ...     tree = project.run(DecisionTree(), data=project.given(data))
    ...     print(tree.outputs["tree"])
    ...     tree.results["Leaves"], tree.outputs["classifier"].classify(data).tolist()
    x <= 5: low (2)
    x > 5: high (2)
    (2, [0, 0, 1, 1])
    """

    tree = Output(Tree)

    uses_weights = True

    splitter: NodeSplitter = ExhaustiveSearch()
    stop: StopCriterion = AnyOf((MaxErrors(), MinNodeSize()))
    missing_values: MissingPolicy = MajorityBranch()
    decision: DecisionModule = Proportions()
    search: SearchMethod = HillClimbing()
    prospects: SplitProspects = ConstantProspects()
    acceptor: SplitAcceptor | None = None
    transformation: NodeTransformation | None = None
    pruning: DirectPruning | None = None

    reports = TREE_REPORTS

    @property
    def is_random(self) -> bool:
        """Whether one of its components draws: else the seed makes no difference, and equal trees are one machine."""
        known: bool | None = self.__dict__.get("_is_random")
        if known is None:
            known = self.__dict__["_is_random"] = any(part.is_random for part in self.components())
        return known

    def run(self, data: Data, rng: np.random.Generator | None = None) -> Model:
        data = rows_to_learn_from(self.kind, data)
        seed = 0 if rng is None else int(rng.integers(2**63))
        tree = grown(self, data, seed)
        if tree is None:
            tree = self._searched(data, seed)
        if self.pruning is not None:
            tree = self.pruning.pruned(tree, data)
        classifier = TreeClassifier(data.columns, data.labels, tree, self.decision)
        return Model(classifier=classifier, tree=tree, ranking=ranked(tree), results=results_of(classifier, data))

    def _searched(self, data: Data, seed: int = 0) -> Tree:
        """The tree, grown node by node, which any components can do."""
        _check_finite(data)
        parts = Parts(self.splitter, self.stop, self.acceptor, self.transformation, self.prospects, self.missing_values)
        return assembled(self.search.search(NodeData.of(data, seed), parts), data.columns, data.labels)


def _check_finite(data: Data) -> None:
    infinite = np.isinf(data.features).any(axis=1)
    if infinite.any():
        raise infinite_values(data.columns[int(infinite.argmax())])


def results_of(classifier: TreeClassifier, data: Data) -> dict[str, Any]:
    """What is said of a tree: its size, and the share of the rows it learned from that it gets wrong."""
    tree = classifier.tree
    leaves, depth, right, weight, divides = kernels.summary.size_of(
        tree.class_weights, tree.parent, tree.default_branch
    )
    if divides or data.is_weighted or type(classifier.decision) is not Proportions:
        error = _training_error(classifier, data)
    else:
        error = max(0.0, weight - right) / weight
    return {"Size": len(tree), "Leaves": leaves, "Depth": depth, "Training error": error}


def _training_error(classifier: TreeClassifier, data: Data) -> float:
    """The share of the rows it learned from that it does not get right."""
    tree, weight = classifier.tree, float(classifier.tree.weights[0])
    if (tree.default_branch[tree.branch_count > 0] < 0).any() and np.isnan(data.features).any():
        wrong = classifier.classify(data) != data.classes
        return float(data.weights[wrong].sum()) / weight
    # No row was divided, so the leaves know.
    leaves = np.flatnonzero(tree.branch_count == 0)
    right = tree.class_weights[leaves, classifier.node_classes[leaves]].sum()
    return max(0.0, weight - float(right)) / weight


def ranked(tree: Tree) -> FeatureRanking:
    """Features by the Gini impurity that their splits removed, as shares of what all removed.

    A cut of a sum counts in equal parts for the features that are added up.
    """
    tests = (tree.test_start, tree.kind, tree.feature, tree.parameter_start, tree.parameters)
    values = kernels.summary.impurity_removed(tree.class_weights, tree.first_child, *tests, len(tree.columns))
    total, shares = float(np.add.reduce(values)), values.tolist()
    if total > 0:
        shares = [share / total if share > 0 else 0.0 for share in shares]
    order = sorted(range(len(shares)), key=shares.__getitem__, reverse=True)
    return FeatureRanking(tree.columns, tuple(order), tuple(shares))
