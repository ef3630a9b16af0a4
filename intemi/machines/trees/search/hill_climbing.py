"""Hill climbing: the best split of a node is taken for good; the most promising open node is split next."""

from __future__ import annotations

import heapq
from typing import Literal, NamedTuple

from intemi.machines.trees.components import Growth
from intemi.machines.trees.growing import GrowingNode
from intemi.machines.trees.node_data import NodeData
from intemi.machines.trees.search.method import Parts, SearchMethod
from intemi.machines.trees.splits import Split


class _Open(NamedTuple):
    """A node that may be split, in the order in which that is tried."""

    prospects: float
    """Negative, so that the largest come first."""
    number: int
    """No two have the same."""
    node: GrowingNode
    data: NodeData
    splits: list[Split] | None


class HillClimbing(SearchMethod):
    """Split the open node with the largest prospects; of equal ones that which was there first, or last.

    The order does not matter unless a stop criterion looks at the whole tree.
    """

    ties: Literal["first", "last"] = "first"

    def search(self, data: NodeData, parts: Parts) -> GrowingNode:
        root = GrowingNode(data.class_weights, data.weight)
        queue: list[_Open] = []
        inserted = 0

        def push(node: GrowingNode, rows: NodeData) -> None:
            nonlocal inserted
            if rows.errors <= 1e-12 * rows.weight:
                return
            splits = parts.best_splits(rows, 1) if parts.prospects.needs_split else None
            value = parts.prospects.prospects(rows, splits[0] if splits else None)
            inserted += 1
            number = inserted if self.ties == "first" else -inserted
            heapq.heappush(queue, _Open(-value, number, node, rows, splits))

        push(root, data)
        growth, expansions = Growth(), 0
        while queue:
            best = heapq.heappop(queue)
            if parts.stop.stops(best.data, growth):
                continue
            splits = parts.best_splits(best.data, 1) if best.splits is None else best.splits
            division = parts.division(best.data, splits[0]) if splits else None
            if division is None or parts.stop.refuses(len(division.parts), growth):
                continue
            expansions += 1
            growth.leaves += len(division.parts) - 1
            node = best.node
            node.split, node.surrogates = division.split, division.surrogates
            node.default_branch, node.expansion = division.default_branch, expansions
            node.children = division.children()
            closed = division.split.closed or (False,) * len(division.parts)
            for child, part, is_closed in zip(node.children, division.parts, closed, strict=True):
                if not is_closed:
                    push(child, part)
        return root
