"""Optimal pruning by size: of all prunings with so many leaves the one with the fewest training errors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.components import DecisionModule
from intemi.machines.trees.refinement.path_validator import PathValidator
from intemi.machines.trees.refinement.tables import ErrorTable, errors_as_leaves, node_classes
from intemi.machines.trees.tree import Tree


@dataclass(frozen=True, eq=False)
class OptimalPrunings:
    """The best pruning of each size that there is, the largest first; they need not be nested."""

    tree: Tree
    leaves: Codes
    training: Floats
    validation: Floats
    given: Codes
    """For each node and each number of leaves of it and its siblings before it: how many of them are its own."""
    given_start: NDArray[np.int64]

    @property
    def keys(self) -> Floats:
        """Minus the numbers of leaves."""
        return -self.leaves.astype(np.float64)

    def cut(self, step: int) -> Codes:
        """The nodes that are leaves in one of the prunings, and not in the tree."""
        found, open_nodes = [], [(0, int(self.leaves[step]))]
        while open_nodes:
            node, size = open_nodes.pop()
            if size == 1:
                if self.tree.branch_count[node]:
                    found.append(node)
                continue
            for child in reversed(self.tree.children(node)):
                own = int(self.given[self.given_start[child] + size - 1])
                open_nodes.append((child, own))
                size -= own
        return np.array(sorted(found), dtype=np.int32)


class OptimalSize(PathValidator):
    """For each number of leaves take the pruning with the fewest training errors; the number is found by validation.

    >>> OptimalSize(se=0.5).tef
    0.0
    """

    def path(self, tree: Tree, decision: DecisionModule) -> OptimalPrunings:
        return _prunings(tree, tree.class_weights, decision)

    def table(self, tree: Tree, counts: Floats, decision: DecisionModule) -> ErrorTable:
        path = _prunings(tree, counts, decision)
        return ErrorTable.of(tree, counts, path, path.validation, path.training)

    def places(self, table: ErrorTable, keys: Floats) -> Codes:
        # The largest tree that is not larger; a single leaf is always among them.
        return np.searchsorted(table.keys, keys).astype(np.int32)

    def named(self, key: float) -> float:
        return -key


def _prunings(tree: Tree, counts: Floats, decision: DecisionModule) -> OptimalPrunings:
    from intemi.machines.trees.kernels.optimal import fewest_errors

    classes = node_classes(tree, decision)
    training, validation, given, start = fewest_errors(
        errors_as_leaves(tree.class_weights, classes),
        errors_as_leaves(counts, classes),
        tree.parent,
        tree.first_child,
        tree.branch_count,
    )
    sizes = np.flatnonzero(np.isfinite(training))[::-1]
    return OptimalPrunings(tree, (sizes + 1).astype(np.int32), training[sizes], validation[sizes], given, start)
