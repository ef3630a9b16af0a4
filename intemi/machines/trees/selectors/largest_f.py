"""FACT's selector: the largest F, of the values or of their distances from the mean."""

from __future__ import annotations

from dataclasses import dataclass

from intemi.kernel import parameter
from intemi.machines.trees import kernels
from intemi.machines.trees.components import FeatureSelector, RankedFeature
from intemi.machines.trees.node_data import NodeData
from intemi.machines.trees.selectors.ranking import as_numbers, best_first, moments_of
from intemi.machines.trees.statistics import analysis_of_variance, distances
from intemi.machines.trees.statistics.rounding import SAME


@dataclass(frozen=True)
class Undecided(RankedFeature):
    """A feature that no test speaks for: it is to be cut in two at its mean."""


class LargestF(FeatureSelector):
    """Rank features by F, the analysis of variance between classes; symbols are scored by CrimCoord.

    If no F reaches the threshold, the distances from the mean of the node are analysed instead; if their F does not
    reach it either, the feature of the largest F is cut at its mean.

    >>> from intemi.data import Column, Data, Table
    >>> x, y = [1, 2, 3, 4, 5, 6, 7, 9, 11], [0, 0, 0, 1, 1, 1, 2, 2, 2]
    >>> node = NodeData.of(Data(Table([Column("x")], [x], Column("class", ("A", "B", "C")), y)))
    >>> LargestF().rank(node)
    [RankedFeature(feature=0, score=18.5, use_deviation=False)]
    """

    version = 3

    threshold: float = parameter(default=4.0, at_least=0, search=(1.0, 2.0, 4.0, 8.0))

    def rank(self, data: NodeData) -> list[RankedFeature]:
        chosen, numbers = as_numbers(data)
        if not chosen:
            return []
        moments = moments_of(data, numbers)
        f, between = analysis_of_variance(moments).statistic, moments.between
        enough = self.threshold * (1 - SAME)
        if f.max() >= enough:
            return best_first(chosen, f, between)
        of_distances = moments_of(data, distances(numbers, moments.mean[:, None]))
        spread = analysis_of_variance(of_distances).statistic
        if spread.max() >= enough:
            return best_first(chosen, spread, of_distances.between, use_deviation=True)
        return [Undecided(each.feature, each.score) for each in best_first(chosen, f, between)]

    def settings(self) -> dict[str, float]:
        return {"SELECTOR": kernels.selecting.LARGEST_F, "LEVEL": self.threshold}
