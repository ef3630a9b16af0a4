"""A ranking that is given."""

from __future__ import annotations

from intemi.data import Data
from intemi.kernel import ConfigurationError, Model
from intemi.machines.interfaces import FeatureRanking
from intemi.machines.roles import Ranker


class GivenRanking(Ranker):
    """Rank features in a given order: the positions of all columns, counted from 0, from the most to the least useful.

    Their values are their numbers from behind: that of the last is 1.
    """

    order: tuple[int, ...]

    def run(self, data: Data) -> Model:
        size = len(data.columns)
        if sorted(self.order) != list(range(size)):
            raise ConfigurationError(
                f"{self.kind}: order must have each position from 0 to {size - 1} once, got {self.order}"
            )
        place = {column: position for position, column in enumerate(self.order)}
        values = tuple(float(size - place[column]) for column in range(size))
        return Model(ranking=FeatureRanking(data.columns, self.order, values))
