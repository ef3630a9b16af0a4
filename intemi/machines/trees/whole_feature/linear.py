"""Linear discriminants of one feature: an interval for each class that is the most likely one somewhere."""

from __future__ import annotations

import numpy as np

from intemi.machines.trees import kernels
from intemi.machines.trees.components import RankedFeature, WholeFeatureSplitter
from intemi.machines.trees.costs import check_costs, costs_of
from intemi.machines.trees.node_data import NodeData
from intemi.machines.trees.selectors.largest_f import Undecided
from intemi.machines.trees.splits import Split
from intemi.machines.trees.statistics import cheapest_intervals, fit_box_cox, linear_intervals
from intemi.machines.trees.whole_feature.axis import axis_of, occupied


class LinearDiscriminants(WholeFeatureSplitter):
    """Cut where normal distributions of one common variance meet (FACT, CRUISE).

    Symbols are scored by CrimCoord. If the selector found that distances from the mean differ, these are cut. With
    `box_cox`, values (not distances) are transformed first, so that they are more alike to normal. A feature that no
    test speaks for is cut in two at its mean. With `cost`, intervals are those in which one answer costs least:
    `cost[i][j]` is the cost of class i where j is right.

    >>> from intemi.data import Column, Data, Table
    >>> x, y = [1, 2, 3, 4, 5, 6, 7, 9, 11], [0, 0, 0, 1, 1, 1, 2, 2, 2]
    >>> node = NodeData.of(Data(Table([Column("x")], [x], Column("class", ("A", "B", "C")), y)))
    >>> LinearDiscriminants().split(node, RankedFeature(0, 18.5)).cuts.round(6).tolist()
    [3.5, 7.0]
    """

    version = 4

    box_cox: bool = False
    cost: tuple[tuple[float, ...], ...] | None = None

    def check(self) -> None:
        if self.cost is not None:
            check_costs(self.kind, self.cost)

    def split(self, data: NodeData, ranked: RankedFeature) -> Split | None:
        axis = axis_of(data, ranked, deviations=True)
        if axis is None:
            return None
        if isinstance(ranked, Undecided):
            return axis.split(axis.drawn([axis.mean]))
        change = fit_box_cox(axis.numbers, axis.classes, axis.weights) if self.box_cox and axis.centre is None else None
        numbers = axis.numbers if change is None else change(axis.numbers)
        moments = axis.moments(numbers)
        free = float(moments.total[0] - moments.present[0])
        variance = float(moments.within[0]) / free if free > 0 else 0.0
        cuts, _ = linear_intervals(moments.means[0], variance, moments.weights[0])
        if self.cost is not None and variance > 0:
            costs = costs_of(self.kind, self.cost, data.class_count)
            cuts = cheapest_intervals(numbers, moments.means[0], variance, moments.weights[0], costs)
        if change is not None:
            cuts = change.inverse(cuts)
            cuts = cuts[~np.isnan(cuts)]
        return axis.split(occupied(axis.drawn(cuts), axis.numbers))

    def settings(self) -> dict[str, float] | None:
        if self.cost is not None:
            return None
        return {"CUTTER": kernels.splitting.LINEAR, "BOX_COX": float(self.box_cox)}
