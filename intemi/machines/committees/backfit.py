"""Backfitting: the leaves of a tree answer by all rows, instead of those that the tree was grown on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from intemi.data import Data
from intemi.kernel import ConfigurationError, Input, Machine, Model, Output
from intemi.machines.fairness.reads import Reads
from intemi.machines.interfaces import Classifier, check_columns
from intemi.machines.trees.classifier import TreeClassifier
from intemi.machines.trees.refinement.counting import counted


class Backfit(Machine):
    """Count data in the nodes of a tree, whose splits stay as they are. Nodes that no row reaches stay as they are.

    >>> from intemi.machines import DecisionTree
    >>> from intemi.machines.loading import SklearnDataset
    >>> iris = SklearnDataset("iris").run().outputs["data"]
    >>> tree = DecisionTree().run(iris.select_rows(range(0, 150, 2))).outputs["classifier"]
    >>> tree.tree.weights[0], Backfit().run(tree, iris).outputs["fitted"].tree.weights[0]
    (np.float64(75.0), np.float64(150.0))
    """

    reads = Reads.TARGETS

    classifier = Input(Classifier)
    data = Input(Data)
    fitted = Output(Classifier)

    def run(self, classifier: Classifier, data: Data) -> Model:
        if not isinstance(classifier, TreeClassifier):
            raise ConfigurationError(f"{self.kind}: the classifier must be a tree, got {type(classifier).__name__}")
        check_columns(self.kind, classifier.columns, data)
        tree = classifier.tree
        counts = counted(tree, data)
        reached = counts.sum(axis=1, keepdims=True) > 0
        weights = np.where(reached, counts, tree.class_weights)
        return Model(fitted=replace(classifier, tree=replace(tree, class_weights=weights)))
