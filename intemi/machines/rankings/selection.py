"""Feature selection: the best features of a ranking."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass

from intemi.data import Column, Data
from intemi.kernel import Component, Input, Machine, Model, Output, parameter, storable
from intemi.machines.decoded import expect
from intemi.machines.fairness.reads import Reads
from intemi.machines.interfaces import FeatureRanking, Transformation, check_columns
from intemi.machines.search.steps import Steps


class FeatureChoice(Component):
    """How many of the best features to take. Subclasses write `count`."""

    @abstractmethod
    def count(self, ranking: FeatureRanking) -> int:
        """How many, before what there are bounds it; at least one is taken in any case."""


class Count(FeatureChoice):
    """A number of features, or all if there are fewer."""

    features: int = parameter(default=10, at_least=1)

    def count(self, ranking: FeatureRanking) -> int:
        return self.features

    def default_scenario(self) -> Steps:
        """From one feature on, twice as many each time."""
        return Steps("features", base=2, start=0, step=1, count=6)


class Share(FeatureChoice):
    """A share of all features, rounded up."""

    share: float = parameter(default=0.5, above=0, at_most=1, search=(0.1, 0.25, 0.5, 0.75, 1.0))

    def count(self, ranking: FeatureRanking) -> int:
        return math.ceil(round(self.share * len(ranking.order), 9))


class Threshold(FeatureChoice):
    """The features whose value in the ranking exceeds a threshold."""

    threshold: float = 0.0

    def count(self, ranking: FeatureRanking) -> int:
        return sum(value > self.threshold for value in ranking.values)


@storable
@dataclass(frozen=True)
class ColumnSelection(Transformation):
    """Some of the columns, as a view."""

    columns: tuple[Column, ...]
    chosen: tuple[int, ...]

    def check_decoded(self) -> None:
        """Refuse what does not fit together."""
        super().check_decoded()
        count = len(self.columns)
        expect(all(type(each) is int and 0 <= each < count for each in self.chosen), "columns are chosen")

    def _transform(self, data: Data) -> Data:
        return data.select_columns(self.chosen)


class FeatureSelection(Machine):
    """Select the best features of a ranking, at least one. The selected data are a view: the same features are the
    same data, whichever ranking they come from."""

    version = 2
    former_ports = (("selected", "transformed"),)
    reads = Reads.NOTHING
    keeps_rows = True

    data = Input(Data)
    ranking = Input(FeatureRanking)
    transformed = Output(Data)
    transformation = Output(Transformation)

    choice: FeatureChoice = Count()

    def run(self, data: Data, ranking: FeatureRanking) -> Model:
        check_columns(self.kind, ranking.columns, data)
        best = ranking.order[: max(1, self.choice.count(ranking))]
        selection = ColumnSelection(data.columns, tuple(sorted(best)))
        return Model(
            transformed=selection.transform(data), transformation=selection, results={"Features": len(selection.chosen)}
        )
