"""What classifiers answer for rows, as a table: a row for each, with its number, its classes and probabilities."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from intemi.data import Data
from intemi.kernel import Capsule, IntemiError
from intemi.machines.committees.predictions import Predictions, predictions_of
from intemi.machines.roles import ClassifierTest, Learner
from intemi.series import Series

ROW, CLASS, PREDICTED = "Row", "Class", "Predicted"


def probability_label(label: str) -> str:
    """What the probability of a class is called.

    >>> probability_label("yes")
    'P(yes)'
    """
    return f"P({label})"


def row_answers(predictions: Predictions, data: Data, labels: Mapping[str, Any] | None = None) -> Series:
    """Predictions of the rows of data as a table; further `labels` are the same for all rows.

    "Row" is the number of a row in the table that data were taken from, the first is 1. "Class" is what is known of
    it, None where it is missing; without a target there is none.

    >>> from intemi.machines import Majority, SklearnDataset
    >>> from intemi.machines.committees.predictions import predictions_of
    >>> iris = SklearnDataset("iris").run().outputs["data"]
    >>> majority = Majority().run(iris).outputs["classifier"]
    >>> some = iris.select_rows([3, 70])
    >>> list(row_answers(predictions_of(majority, some), some, {"Fold": 1}))[1]["Class"]
    'versicolor'
    """
    columns: dict[str, Any] = {ROW: (predictions.rows.astype(np.int64) + 1).tolist()}
    if data.target is not None:
        columns[CLASS] = _named(data.labels, data.classes)
    columns[PREDICTED] = _named(predictions.labels, predictions.answers)
    for index, label in enumerate(predictions.labels):
        columns[probability_label(label)] = predictions.probabilities[:, index].tolist()
    columns |= {label: [value] * len(predictions) for label, value in (labels or {}).items()}
    return Series(columns, main=PREDICTED)


def answers_of_tests(capsule: Capsule, labels: Mapping[str, Any] | None = None) -> Series:
    """The answers for every row of every test under a request, with `labels` and the comments on it, such as Fold.

    Nothing is trained: classifiers that are on record answer once more. How a learner validates inside is not shown.

    >>> from intemi.kernel import Project
    >>> from intemi.machines import ClassificationTest, CVDistributor, NaiveBayes, Repeater, Scheme, SklearnDataset
    >>> test = Scheme(training=Data, test=Data)
    >>> learned = test.add(NaiveBayes(), data=test.training)
    >>> _ = test.add(ClassificationTest(), data=test.test, classifier=learned.classifier, name="test")
    >>> with Project() as project:
    ...     iris = project.run(SklearnDataset("iris"))
    ...     rows = answers_of_tests(project.run(Repeater(CVDistributor(10), test, seed=1), data=iris.data))
    >>> len(rows), len(set(rows["Row"])), rows.labels[-2:]
    (150, 150, ('Repetition', 'Fold'))
    """
    parts = [
        row_answers(predictions_of(inputs["classifier"], inputs["data"]), inputs["data"], comments)
        for inputs, comments in _tests(capsule, labels or {})
    ]
    if not parts:
        raise IntemiError(f"{capsule.path}: no test of a classifier is on record under it")
    return Series.concat(*parts)


def _tests(capsule: Capsule, above: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    """The inputs of each test under a request, and the comments on its path."""
    comments = {**above, **capsule.comments}
    if isinstance(capsule.config, ClassifierTest):
        yield capsule.inputs, comments
    elif capsule.config.is_composite and not Learner.fits(capsule.config):
        for child in capsule.children:
            yield from _tests(child, comments)


def plain_csv(series: Series) -> str:
    """A table as CSV in which texts are always texts, as spreadsheets and frames read it; None is empty.

    >>> plain_csv(Series({"Row": [1], "Predicted": ["0"]}))
    'Row,Predicted\\n1,0\\n'
    """
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow(series.labels)
    writer.writerows(zip(*(series[label] for label in series.labels), strict=True))
    return written.getvalue()


def _named(names: tuple[str, ...], codes: Any) -> list[str | None]:
    return [names[code] if code >= 0 else None for code in codes.tolist()]
