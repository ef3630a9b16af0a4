"""The classification test: how good the answers of a classifier are on given data."""

from __future__ import annotations

from typing import Any

from intemi.data import Data
from intemi.kernel import ConfigurationError, Input, Machine, Model
from intemi.machines.classifiers import metrics
from intemi.machines.interfaces import Classifier


class ClassificationTest(Machine):
    """Compare the answers of a classifier with the classes of data; rows whose class is not known do not count.

    A measure that is not defined, such as the AUC where all cases are of one class, is NaN. With `correctness`, the
    result "Correct" tells of each row whether the answer is right.
    """

    data = Input(Data)
    classifier = Input(Classifier)

    correctness: bool = False

    def run(self, data: Data, classifier: Classifier) -> Model:
        if data.labels != classifier.labels:
            raise ConfigurationError(
                f"ClassificationTest: the classifier knows the classes {', '.join(classifier.labels)}, "
                f"but the data have {', '.join(data.labels)}"
            )
        known = data.classes >= 0
        data = data if known.all() else data.select_rows(known)
        if not len(data):
            raise ConfigurationError("ClassificationTest: there is no row whose class is known")
        true, weights = data.classes, data.weights
        answered, probabilities = classifier.answers(data)
        confusion = metrics.confusion_matrix(true, answered, weights, len(data.labels))
        results: dict[str, Any] = {
            "Accuracy": metrics.accuracy(confusion),
            "Balanced accuracy": metrics.balanced_accuracy(confusion),
            "Kappa": metrics.kappa(confusion),
            "Log loss": metrics.log_loss(true, probabilities, weights),
            "AUC": metrics.auc(true, probabilities, weights),
            "Confusion matrix": confusion,
        }
        if self.correctness:
            results["Correct"] = answered == true
        return Model(results=results)
