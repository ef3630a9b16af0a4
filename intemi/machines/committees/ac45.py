"""AC4.5: an ordinary tree that is grown by accuracy, as meta decision trees are."""

from __future__ import annotations

from intemi.data import Data
from intemi.kernel import Model, Output
from intemi.machines.classifiers.training import one_hot, rows_to_learn_from
from intemi.machines.committees.accuracy_growth import AccuracyGrowth, Rows
from intemi.machines.roles import Learner
from intemi.machines.trees.classifier import TreeClassifier
from intemi.machines.trees.decision_tree import TREE_REPORTS, results_of
from intemi.machines.trees.decisions import Proportions
from intemi.machines.trees.tree import Tree


class AC45(Learner):
    """Grow a tree whose splits lower the share of rows that are not of the majority of their branch; no pruning.

    As a meta-learner it is what meta decision trees are compared with: the same growth, but leaves that answer a class
    instead of naming a classifier.

    >>> from intemi.data import Column, Table
    >>> data = Data(Table([Column("x")], [[1, 2, 8, 9]], Column("class", ("low", "high")), [0, 0, 1, 1]))
    >>> print(AC45().run(data).outputs["tree"])
    x <= 2: low (2)
    x > 2: high (2)
    """

    tree = Output(Tree)

    growth: AccuracyGrowth = AccuracyGrowth()

    reports = TREE_REPORTS

    def run(self, data: Data) -> Model:
        data = rows_to_learn_from(self.kind, data)
        rows = Rows(data.columns, data.features, one_hot(data.classes, len(data.labels)), data.weights)
        tree = self.growth.tree(rows, data.labels, len(data.labels))
        classifier = TreeClassifier(data.columns, data.labels, tree, Proportions())
        return Model(classifier=classifier, tree=tree, results=results_of(classifier, data))
