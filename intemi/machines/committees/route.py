"""The last step of combiners: one classifier of members and of what was learned about their answers."""

from __future__ import annotations

from collections.abc import Sequence

from intemi.data import Data
from intemi.kernel import Input, Machine, Model, MultiInput, Output
from intemi.machines.committees.meta_attributes import DistributionProperties, MetaAttributes, PredictedProbabilities
from intemi.machines.committees.meta_data import answered_for
from intemi.machines.committees.meta_level import MetaLevel, RoutedClassifier, StackedClassifier
from intemi.machines.committees.predictions import Predictions
from intemi.machines.fairness.reads import Reads
from intemi.machines.interfaces import Classifier


class Stack(Machine):
    """Put a classifier of meta attributes on top of members.

    `predictions` are those for `data` that the meta attributes were learned from.
    """

    reads = Reads.NOTHING

    data = Input(Data)
    predictions = MultiInput(Predictions)
    members = MultiInput(Classifier)
    meta = Input(Classifier)
    classifier = Output(Classifier)

    attributes: MetaAttributes = PredictedProbabilities()
    names: tuple[str, ...] = ()

    def run(
        self, data: Data, predictions: Sequence[Predictions], members: Sequence[Classifier], meta: Classifier
    ) -> Model:
        answered = answered_for(self.kind, data, predictions, self.names)
        level = MetaLevel.of(answered, members, self.attributes)
        return Model(classifier=StackedClassifier(data.columns, data.labels, level, meta))


class Route(Machine):
    """Let a classifier of meta attributes choose the member that answers.

    `used` says which of the classifiers, counted from 0, the members are; all of them if it is empty.
    """

    reads = Reads.NOTHING

    data = Input(Data)
    predictions = MultiInput(Predictions)
    members = MultiInput(Classifier)
    meta = Input(Classifier)
    classifier = Output(Classifier)

    attributes: MetaAttributes = DistributionProperties()
    names: tuple[str, ...] = ()
    used: tuple[int, ...] = ()

    def run(
        self, data: Data, predictions: Sequence[Predictions], members: Sequence[Classifier], meta: Classifier
    ) -> Model:
        answered = answered_for(self.kind, data, predictions, self.names)
        places = self.used or tuple(range(len(predictions)))
        asked = dict(zip(places, members, strict=True))
        level = MetaLevel.of(answered, [asked.get(place) for place in range(len(predictions))], self.attributes)
        return Model(classifier=RoutedClassifier(data.columns, data.labels, level, meta))
