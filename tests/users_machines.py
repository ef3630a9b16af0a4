"""Machines as a user would write them: one of each role, and a learner that does not extend its role's class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from intemi import Input, Machine, Model, Output, storable
from intemi.data import Column, Data, Table
from intemi.machines import (
    Classifier,
    ClassifierTest,
    Distributor,
    FeatureRanking,
    Learner,
    Loader,
    Majority,
    Ranker,
    Role,
    Transformation,
    Transformer,
)


class Line(Loader):
    """Rows whose first column tells the class."""

    rows: int = 24

    def run(self) -> Model:
        features = np.array([np.arange(self.rows), *np.random.default_rng(0).normal(size=(3, self.rows))])
        columns = [Column(name) for name in "abcd"]
        return Model(data=Data(Table(columns, features, Column("class", ("x", "y", "z")), np.arange(self.rows) % 3)))


class EvenAndOdd(Distributor):
    """Train on every other row, test on the rest, and the other way round."""

    def run(self, data: Data) -> Model:
        even = np.arange(len(data)) % 2 == 0
        parts = [data.select_rows(even), data.select_rows(~even)]
        return Model(training=parts, test=parts[::-1])


@storable
@dataclass(frozen=True)
class Same(Transformation):
    """Data as they are."""

    columns: tuple[Column, ...]

    def _transform(self, data: Data) -> Data:
        return data


class Unchanged(Transformer):
    """Leave data as they are."""

    def run(self, data: Data) -> Model:
        return Model(transformed=data, transformation=Same(data.columns))


class ByName(Ranker):
    """Rank features by their names."""

    def run(self, data: Data) -> Model:
        order = sorted(range(len(data.columns)), key=lambda index: data.columns[index].name)
        values = tuple(float(-order.index(index)) for index in range(len(order)))
        return Model(ranking=FeatureRanking(data.columns, tuple(order), values))


class Guess(Learner):
    """Answer with the most frequent class."""

    def run(self, data: Data) -> Model:
        return Majority().run(data)  # type: ignore[no-any-return]


class Wins(ClassifierTest):
    """The share of right answers."""

    def run(self, data: Data, classifier: Classifier) -> Model:
        return Model(results={"Accuracy": float(np.mean(classifier.classify(data) == data.classes))})


class Stranger(Machine):
    """A learner by its ports alone."""

    data = Input(Data)
    classifier = Output(Classifier)

    def run(self, data: Data) -> Model:
        return Majority().run(data)  # type: ignore[no-any-return]


OF_ROLE: Mapping[type[Role], type[Machine]] = {
    Loader: Line,
    Distributor: EvenAndOdd,
    Transformer: Unchanged,
    Ranker: ByName,
    Learner: Guess,
    ClassifierTest: Wins,
}
