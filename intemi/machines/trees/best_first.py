"""Best-first trees: grown whole by a kernel, then put in order and cut where growth would end.

The order of splitting makes no difference to a tree that grows to its end. So nodes can be split in any order, those
whose split would not have been accepted made leaves, the others numbered in the order that best-first growth has, and
those left out that come after the last one allowed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from intemi.machines.interfaces import Codes
from intemi.machines.trees import kernels
from intemi.machines.trees.pruning import cut_at
from intemi.machines.trees.tree import Tree


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
        gains = tree.quality * tree.weights if self.scope == "tree" else tree.quality
        order: Codes = kernels.best_first.order_of_gains(
            gains, tree.first_child, tree.branch_count, self.ties == "last"
        )
        return order


def _with_unseen_symbols(tree: Tree) -> Tree:
    """The tree that sends symbols that do not occur in a node to its heavier branch."""
    parameters = tree.parameters.copy()
    kernels.best_first.place_unseen_symbols(
        tree.first_child, tree.branch_count, tree.test_start, tree.kind, tree.parameter_start, tree.branch_weight,
        parameters,
    )  # fmt: skip
    return replace(tree, parameters=parameters)
