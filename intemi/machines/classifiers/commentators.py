"""Commentators on classification tests: the answers themselves, which a test does not keep.

They cost one more classification of the test data, and train nothing. A comment has a value for each row, in the order
of the rows, so those of tests on the same data pair place by place.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from intemi.data import Data
from intemi.kernel import Commentator, Machine
from intemi.kernel.repository.commentators import Finished
from intemi.machines.classifiers.classification_test import ClassificationTest
from intemi.machines.interfaces import Classifier
from intemi.machines.measures.measure import Measure, check_names, measure
from intemi.machines.roles import ClassifierTest


class MeasureCommentator(Commentator):
    """Says what measures are of tests that have finished without them; each under its name.

    >>> from intemi.kernel import Project
    >>> from intemi.machines import F1, KNN, ClassificationTest, SklearnDataset
    >>> with Project() as project:
    ...     iris = project.run(SklearnDataset("iris"))
    ...     knn = project.run(KNN(k=5), data=iris.data)
    ...     test = project.run(ClassificationTest(), data=iris.data, classifier=knn.classifier)
    ...     said = project.comment(MeasureCommentator([F1()]), test)
    ...     print(f"{project.query(test, labels='F1').values[0]:.3f}")
    0.967
    """

    measures: tuple[Measure, ...]

    def check(self) -> None:
        check_names(self.kind, self.measures)

    def applies_to(self, config: Machine) -> bool:
        """To tests of classifiers, whatever they leave themselves."""
        return isinstance(config, ClassifierTest)

    def comments(self, machine: Finished) -> Mapping[str, Any]:
        """A value for each measure."""
        return measure(self.measures, machine.inputs["data"], machine.inputs["classifier"], self.kind)


class CorrectnessCommentator(Commentator):
    """Says of each row of the test data whether the answer is right: "Correct", a vector of 1 and 0.

    Rows whose class is not known do not count, as in the test.

    >>> from intemi.kernel import Project
    >>> from intemi.machines import KNN, ClassificationTest, SklearnDataset
    >>> with Project() as project:
    ...     iris = project.run(SklearnDataset("iris"))
    ...     knn = project.run(KNN(k=5), data=iris.data)
    ...     test = project.run(ClassificationTest(), data=iris.data, classifier=knn.classifier)
    ...     said = project.comment(CorrectnessCommentator(), test)
    ...     correct = project.query(test, labels="Correct").values[0]
    >>> said["commented"], int(correct.sum()), len(correct)
    (1, 145, 150)
    """

    def applies_to(self, config: Machine) -> bool:
        """To tests of classifiers."""
        return isinstance(config, ClassificationTest)

    def comments(self, machine: Finished) -> Mapping[str, Any]:
        """One vector."""
        data: Data = machine.inputs["data"]
        data = data.select_rows(data.classes >= 0)
        classifier: Classifier = machine.inputs["classifier"]
        return {"Correct": (classifier.classify(data) == data.classes).astype(np.int8)}


class PredictionsCommentator(Commentator):
    """Says what the answer is for each row of the test data: "Predicted", a vector of indices of classes.

    Rows whose class is not known are answered for as well.

    >>> from intemi.kernel import Project
    >>> from intemi.machines import ClassificationTest, Majority, SklearnDataset
    >>> with Project() as project:
    ...     wine = project.run(SklearnDataset("wine"))
    ...     majority = project.run(Majority(), data=wine.data)
    ...     test = project.run(ClassificationTest(), data=wine.data, classifier=majority.classifier)
    ...     said = project.comment(PredictionsCommentator(), test)
    ...     predicted = project.query(test, labels="Predicted").values[0]
    >>> set(predicted.tolist()), len(predicted)
    ({1}, 178)
    """

    def applies_to(self, config: Machine) -> bool:
        """To tests of classifiers."""
        return isinstance(config, ClassificationTest)

    def comments(self, machine: Finished) -> Mapping[str, Any]:
        """One vector."""
        classifier: Classifier = machine.inputs["classifier"]
        return {"Predicted": classifier.classify(machine.inputs["data"])}
