"""Predictions of a learner for all rows of its training data, each by a model that has not seen the row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from intemi.data import Data
from intemi.kernel import (
    ConfigurationError,
    Input,
    Job,
    Machine,
    MachineFailed,
    Model,
    MultiInput,
    Output,
    parameter,
)
from intemi.machines.classifiers.majority import Majority
from intemi.machines.committees.inner_folds import InnerFolds
from intemi.machines.committees.predictions import Predict, Predictions
from intemi.machines.fairness.reads import Reads
from intemi.machines.interfaces import Codes, Floats
from intemi.machines.roles import Distributor, Learner, placeholder


class CrossPredictions(Machine):
    """Train a learner on each training part of a distributor, and let it answer for the other part.

    What comes out is in the order of the rows, and depends on the learner, the folds and the data alone: everything
    that is built on it, stacking, selection, meta decision trees, shares the same models. Where a learner fails in a
    fold, the shares of the classes are its answer; the result "Failed folds" counts them. If it fails in all folds, so
    does this machine.

    >>> CrossPredictions().missing()
    ['learner: an empty placeholder that takes data (Data) and gives classifier (Classifier)']
    """

    data = Input(Data)
    predictions = Output(Predictions)

    learner: Machine = parameter(default=placeholder(Learner), role=Learner)
    distributor: Machine = parameter(default=InnerFolds(), role=Distributor)

    def check(self) -> None:
        Learner.demand(self.learner, f"{self.kind}: learner")
        Distributor.demand(self.distributor, f"{self.kind}: distributor")

    async def run(self, job: Job, data: Any) -> Model:
        parts = job.request(self.distributor, data=data, name="folds")
        await parts
        learned = [
            job.request(self.learner, data=training, name="learner", branch=(fold,), comments={"Fold": fold + 1})
            for fold, training in enumerate(parts.training)
        ]
        await job.settled(*learned)
        failed = [each for each in learned if isinstance(each.error, MachineFailed)]
        await job.all(*(each for each in learned if each not in failed or len(failed) == len(learned)))
        answers = []
        for fold, each in enumerate(learned):
            trained = job.request(Majority(), data=parts.training[fold], name="priors") if each in failed else each
            told = job.request(Predict(), data=parts.test[fold], classifier=trained.classifier, name="predict")
            answers.append(told.predictions)
        together = job.request(OutOfFold(), data=data, training=parts.training, parts=answers, name="together")
        await together
        return Model(predictions=together.predictions, results={"Failed folds": len(failed)})


class OutOfFold(Machine):
    """Put predictions for parts of data together, in the order of the rows.

    Weights behind answers become shares of the training data of their part. A row without an answer has the class -1.
    """

    reads = Reads.NOTHING

    data = Input(Data)
    training = MultiInput(Data)
    parts = MultiInput(Predictions)
    predictions = Output(Predictions)

    def run(self, data: Data, training: Sequence[Data], parts: Sequence[Predictions]) -> Model:
        for part in parts:
            if part.labels != data.labels:
                raise ConfigurationError(
                    f"{self.kind}: predictions must be of the classes {', '.join(data.labels)}, got {part!r}"
                )
        places = _places(data, np.concatenate([part.rows for part in parts]))
        answers = np.append(np.concatenate([part.answers for part in parts]), np.int32(-1))[places]
        nothing = np.zeros((1, len(data.labels)))
        probabilities = np.concatenate([*(part.probabilities for part in parts), nothing])[places]
        weights: Floats | None = None
        if any(part.weights is not None for part in parts):
            shares = [share_of_training(part, each) for part, each in zip(parts, training, strict=True)]
            weights = np.append(np.concatenate(shares), np.nan)[places]
        return Model(predictions=Predictions(data.labels, data.origins, answers, probabilities, weights))


def share_of_training(predictions: Predictions, training: Data) -> Floats:
    """The weights behind answers, as shares of all weight that was learned from; NaN if they are not known."""
    if predictions.weights is None:
        return np.full(len(predictions), np.nan)
    return np.asarray(predictions.weights / training_weight(training))


def training_weight(data: Data) -> float:
    """The weight of the rows that a learner learns from."""
    return float(data.weights[data.classes >= 0].sum())


def _places(data: Data, rows: Codes) -> Codes:
    """For each row of data where it is found among others; -1 if it is not. Copies of a row have one answer."""
    order = np.argsort(rows, kind="stable")
    found = np.minimum(np.searchsorted(rows[order], data.origins), len(rows) - 1)
    places = order[found]
    return np.where(rows[places] == data.origins, places, -1)
