"""Predictions: what a classifier answers for data, as a value that machines pass on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from intemi.data import Data
from intemi.kernel import Input, Machine, Model, Output, storable
from intemi.machines.decoded import expect, expect_floats, expect_labels
from intemi.machines.fairness.reads import Reads
from intemi.machines.interfaces import Classifier, Codes, Floats


@storable
@dataclass(frozen=True, eq=False)
class Predictions:
    """Answers for rows, in the order of the rows."""

    labels: tuple[str, ...]
    """The names of the classes."""
    rows: Codes
    """What the rows are known by, wherever they stand: `Data.origins`."""
    answers: Codes
    """For each row the index of a class; -1 where there is no answer."""
    probabilities: Floats
    """Rows × classes; all 0 where there is no answer."""
    weights: Floats | None = None
    """For each row the weight of the training rows behind the answer, if the classifier can tell."""

    def check_decoded(self) -> None:
        """Refuse what does not fit together."""
        expect_labels(self.labels)
        for values in (self.rows, self.answers):
            expect(type(values) is np.ndarray and values.dtype == np.int32, "predictions are of rows")
        count, classes = len(self.rows), len(self.labels)
        expect(self.rows.shape == self.answers.shape == (count,), "there is an answer for each row")
        expect(((self.answers >= -1) & (self.answers < classes)).all(), "answers are classes")
        expect_floats(self.probabilities, count, classes)
        if self.weights is not None:
            expect_floats(self.weights, count)

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return f"Predictions({len(self):,} rows, classes {', '.join(self.labels)})"


def predictions_of(classifier: Classifier, data: Data) -> Predictions:
    """What a classifier answers for data."""
    answers, probabilities = classifier.answers(data)
    supports = classifier.supports(data)
    weights = None if supports is None else np.asarray(supports.sum(axis=1))
    return Predictions(classifier.labels, data.origins, answers, probabilities, weights)


class Predict(Machine):
    """Let a classifier answer for data.

    >>> from intemi.machines.loading import SklearnDataset
    >>> from intemi.machines import DecisionTree
    >>> iris = SklearnDataset("iris").run().outputs["data"]
    >>> tree = DecisionTree().run(iris).outputs["classifier"]
    >>> Predict().run(iris, tree).outputs["predictions"]
    Predictions(150 rows, classes setosa, versicolor, virginica)
    """

    reads = Reads.NOTHING

    data = Input(Data)
    classifier = Input(Classifier)
    predictions = Output(Predictions)

    def run(self, data: Data, classifier: Classifier) -> Model:
        return Model(predictions=predictions_of(classifier, data))
