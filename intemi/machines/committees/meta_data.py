"""The meta-level table: what classifiers answer for rows, as data to learn from."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from intemi.data import Data
from intemi.kernel import ConfigurationError, Input, Machine, Model, MultiInput, Output
from intemi.machines.committees.meta_attributes import Answered, MetaAttributes, PredictedProbabilities
from intemi.machines.committees.predictions import Predictions
from intemi.machines.fairness.reads import Reads
from intemi.machines.interfaces import Codes


class MetaData(Machine):
    """Make data of predictions for data: classes, weights and the order of rows stay, features are meta attributes.

    Rows for which a classifier has no answer are left out. `names` are those of the classifiers, "1", "2" and so on
    unless they are given.
    """

    reads = Reads.NOTHING
    keeps_rows = True

    data = Input(Data)
    predictions = MultiInput(Predictions)
    meta = Output(Data)

    attributes: MetaAttributes = PredictedProbabilities()
    names: tuple[str, ...] = ()

    def run(self, data: Data, predictions: Sequence[Predictions]) -> Model:
        answered = answered_for(self.kind, data, predictions, self.names)
        known = np.logical_and.reduce([each.answers >= 0 for each in predictions])
        table = self.attributes.table(answered)
        return Model(meta=table if known.all() else table.select_rows(known))


def answered_for(who: str, data: Data, predictions: Sequence[Predictions], names: tuple[str, ...]) -> Answered:
    """Predictions for data, with names; an error if they are of other rows or classes."""
    names = names or numbered(len(predictions))
    if len(names) != len(predictions):
        raise ConfigurationError(f"{who}: names must be {len(predictions)}, one for each classifier, got {names}")
    for name, each in zip(names, predictions, strict=True):
        if each.labels != data.labels or not np.array_equal(each.rows, data.origins):
            raise ConfigurationError(f"{who}: predictions of {name} must be for the rows of the data, got {each!r}")
    weighed = tuple(each.weights is not None for each in predictions)
    return Answered(data, names, data.labels, predictions, weighed)


def answers_for(data: Data, predictions: Predictions) -> Codes:
    """The answers for the rows of data, which are some of those that were answered for."""
    order = np.argsort(predictions.rows, kind="stable")
    places = order[np.searchsorted(predictions.rows[order], data.origins)]
    return predictions.answers[places]


def numbered(count: int) -> tuple[str, ...]:
    """Names of classifiers that have none.

    >>> numbered(3)
    ('1', '2', '3')
    """
    return tuple(str(number + 1) for number in range(count))
