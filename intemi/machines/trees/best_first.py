"""Best-first trees: grown whole by a kernel, then put in order and cut where growth would end.

The order of splitting makes no difference to a tree that grows to its end. So nodes can be split in any order, those
whose split would not have been accepted made leaves, the others numbered in the order that best-first growth has, and
those left out that come after the last one allowed.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from intemi.machines.interfaces import Codes
from intemi.machines.trees.pruning import cut_at
from intemi.machines.trees.tree import SYMBOLS, Tree


@dataclass(frozen=True)
class BestFirst:
    """What makes a best-first tree of one that was grown to its end."""

    most_leaves: int | None
    scope: Literal["node", "tree"]
    ties: Literal["first", "last"]
    unseen: Literal["heavier", "missing"]

    def of(self, tree: Tree) -> Tree:
        """The tree in the order of its gains, and not larger than it may be."""
        if self.unseen == "heavier":
            tree = _with_unseen_symbols(tree)
        tree = replace(tree, expansion=self._order(tree))
        return tree if self.most_leaves is None else cut_at(tree, np.flatnonzero(tree.expansion >= self.most_leaves))

    def _order(self, tree: Tree) -> Codes:
        """The place of each split if the one that gains most is always made first; 0 for leaves."""
        gains = (tree.quality * tree.weights if self.scope == "tree" else tree.quality).tolist()
        later = -1 if self.ties == "last" else 1
        order, inserted = np.zeros(len(tree), dtype=np.int32), 0
        queue = [(0.0, 0, 0)] if tree.branch_count[0] else []
        made = 0
        while queue:
            _, _, node = heapq.heappop(queue)
            made += 1
            order[node] = made
            for child in tree.children(node):
                if tree.branch_count[child]:
                    inserted += 1
                    heapq.heappush(queue, (-gains[child], later * inserted, child))
        return order


def _with_unseen_symbols(tree: Tree) -> Tree:
    """The tree that sends symbols that do not occur in a node to its heavier branch."""
    parameters = tree.parameters.copy()
    for node in np.flatnonzero(tree.branch_count).tolist():
        test = int(tree.test_start[node])
        if tree.kind[test] == SYMBOLS:
            branches = parameters[tree.parameter_start[test] : tree.parameter_start[test + 1]]
            weights = tree.branch_weight[list(tree.children(node))]
            branches[branches < 0] = np.argmax(weights >= weights.max() - 1e-12)
    return replace(tree, parameters=parameters)
