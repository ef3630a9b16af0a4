"""Cal5's selector: the smallest share of scatter within classes."""

from __future__ import annotations

import numpy as np

from intemi.machines.trees.components import FeatureSelector, RankedFeature
from intemi.machines.trees.node_data import NodeData
from intemi.machines.trees.selectors.ranking import as_numbers, best_first, moments_of


class SmallestQ(FeatureSelector):
    """Rank features by Q = A² / (A² + D²), the smallest first.

    A² is the variance within classes, D² = Σ pᵢpⱼ(x̄ᵢ − x̄ⱼ)² the scatter of their means, which is twice the variance
    between classes. Symbols are scored by CrimCoord.

    >>> from intemi.data import Column, Data, Table
    >>> x, y = [1, 2, 3, 4, 5, 6], [0, 0, 0, 1, 1, 1]
    >>> node = NodeData.of(Data(Table([Column("x")], [x], Column("class", ("A", "B")), y)))
    >>> [best] = SmallestQ().rank(node)
    >>> round(-best.score, 6)
    0.129032
    """

    version = 2

    def rank(self, data: NodeData) -> list[RankedFeature]:
        chosen, numbers = as_numbers(data)
        if not chosen:
            return []
        moments = moments_of(data, numbers)
        within, between = moments.within, 2 * moments.between
        total = within + between
        share = np.divide(within, total, out=np.ones_like(total), where=total > 0)
        return best_first(chosen, -share, moments.between)
