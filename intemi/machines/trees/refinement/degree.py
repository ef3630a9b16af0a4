"""Pruning to a degree, as SSV trees do: nodes go whose split does not save that many errors, the lowest ones first."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.components import DecisionModule
from intemi.machines.trees.refinement.path_validator import NestedValidator, last_up_to
from intemi.machines.trees.refinement.tables import CLOSE, ErrorTable, NestedPath, errors_as_leaves, node_classes
from intemi.machines.trees.tree import Tree


class Degree(NestedValidator):
    """Cut splits that save no more errors than the degree; one that saves more protects all those above it.

    Degrees count errors, as they are in each tree, though the trees of the passes have seen fewer rows. With
    `select="leaves"` prunings are looked up by their number of leaves instead: in the trees of the passes the largest
    one that has no more.

    >>> Degree(tef=0.5).growth_key() == Degree().growth_key()
    True
    """

    select: Literal["degree", "leaves"] = "degree"

    def path(self, tree: Tree, decision: DecisionModule) -> NestedPath:
        errors = errors_as_leaves(tree.class_weights, node_classes(tree, decision))
        inner, parent = tree.branch_count > 0, tree.parent
        saved = errors.copy()
        np.subtract.at(saved, parent[1:], errors[1:])
        critical = np.where(inner, np.maximum(saved, 0.0), -np.inf)
        for node in range(len(tree) - 1, 0, -1):
            if critical[node] > critical[parent[node]]:
                critical[parent[node]] = critical[node]
        path = NestedPath(tree, *_merged(critical, inner))
        return path if self.select == "degree" else _by_leaves(path)

    def places(self, table: ErrorTable, keys: Floats) -> Codes:
        if self.select == "leaves":
            return np.searchsorted(table.keys, keys).astype(np.int32)
        return last_up_to(table, keys + CLOSE * np.maximum(1.0, keys))

    def named(self, key: float) -> float:
        return -key if self.select == "leaves" else key

    def keys_of(self, strengths: Floats) -> Floats:
        return -strengths if self.select == "leaves" else strengths


def _by_leaves(path: NestedPath) -> NestedPath:
    """The same prunings; their keys are minus the numbers of leaves, which decrease from one to the next."""
    keys = -path.leaves.astype(np.float64)
    steps = np.searchsorted(path.keys, path.critical)
    return NestedPath(path.tree, keys, np.where(np.isinf(path.critical), path.critical, keys[steps]))


def _merged(critical: Floats, inner: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """Keys and critical keys, in which those that differ by rounding are one: weights need not be whole numbers."""
    keys = np.unique(np.append(critical[inner], 0.0))
    first = np.append(True, np.diff(keys) > CLOSE * np.maximum(1.0, keys[1:]))
    kept = keys[first]
    merged = critical.copy()
    merged[inner] = kept[np.cumsum(first)[np.searchsorted(keys, critical[inner])] - 1]
    return kept, merged
