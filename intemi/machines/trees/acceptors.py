"""Split acceptors: judges of the best split of a node, who see what its children would be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from intemi.kernel import parameter
from intemi.machines.trees.components import SplitAcceptor
from intemi.machines.trees.costs import check_costs, costs_of
from intemi.machines.trees.node_data import NodeData
from intemi.machines.trees.splits import Split


class AcceptIfImproved(SplitAcceptor):
    """Accept a split whose children make fewer errors than the node, or cheaper ones (FACT).

    `cost[i][j]` is what it costs to answer class i where j is right; each node is taken to answer what costs least.
    None: every error costs 1.

    >>> AcceptIfImproved(cost=((0, 1), (5, 0)))
    AcceptIfImproved(cost=((0.0, 1.0), (5.0, 0.0)))
    """

    cost: tuple[tuple[float, ...], ...] | None = None

    def check(self) -> None:
        if self.cost is not None:
            check_costs(self.kind, self.cost)

    def accepts(self, data: NodeData, split: Split, parts: Sequence[NodeData]) -> bool:
        if self.cost is None:
            return sum(part.errors for part in parts) < data.errors - 1e-12 * max(1.0, data.weight)
        costs = costs_of(self.kind, self.cost, data.class_count)
        below = sum(float((costs @ part.class_weights).min()) for part in parts)
        return below < float((costs @ data.class_weights).min()) - 1e-12 * max(1.0, data.weight * float(costs.max()))


class MinBranchSize(SplitAcceptor):
    """Accept a split whose children have `size` or more: all of them, or two, counted as rows or by weight."""

    size: float = parameter(default=2.0, at_least=0, search=(2.0, 5.0, 10.0, 20.0))
    which: Literal["all", "two"] = "all"
    unit: Literal["weight", "rows"] = "weight"

    def accepts(self, data: NodeData, split: Split, parts: Sequence[NodeData]) -> bool:
        large = sum((len(part) if self.unit == "rows" else part.weight) >= self.size - 1e-9 for part in parts)
        return large == len(parts) if self.which == "all" else large >= 2
