"""Validators that list the prunings of a tree by a key, and look for the key that is best for other trees."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.components import DecisionModule
from intemi.machines.trees.refinement.refinement import Validator
from intemi.machines.trees.refinement.selection import Chosen, Tally, estimates, passes_with_rows, selected
from intemi.machines.trees.refinement.tables import (
    ErrorTable,
    NestedPath,
    Path,
    Validation,
    errors_as_leaves,
    node_classes,
)
from intemi.machines.trees.tree import Tree


class PathValidator(Validator):
    """Takes its candidates from the tree that is to be cut, and looks each up in the tables of all passes."""

    @abstractmethod
    def path(self, tree: Tree, decision: DecisionModule) -> Path:
        """The prunings of a tree."""

    @abstractmethod
    def places(self, table: ErrorTable, keys: Floats) -> Codes:
        """Which pruning in a table stands for each of the candidates with these keys."""

    def named(self, key: float) -> float:
        """What a key stands for: the strength of the pruning, in the terms of its users."""
        return key

    def keys_of(self, strengths: Floats) -> Floats:
        """The keys of prunings that are just as strong."""
        return strengths

    def decided(self, key: float) -> DecisionModule | None:
        """What the leaves have to answer, if the choice counts on it."""
        return None

    def choose(self, tree: Tree, tables: Sequence[Validation], decision: DecisionModule) -> Chosen:
        path, tally = _candidates(self.growth_key(), tree, passes_with_rows(self, tables), decision)
        keys, found = path.keys, estimates(self, tally)
        step = selected(self, found, path.leaves, keys)
        key = float(keys[step])
        results = {"Chosen": self.named(key), "Validation error": float(found.errors[step])}
        return Chosen(path.cut(step), results, self.decided(key))


@lru_cache(maxsize=16)
def _candidates(
    validator: PathValidator, tree: Tree, tables: tuple[Validation, ...], decision: DecisionModule
) -> tuple[Path, Tally]:
    """Where a tree can be cut, and what passes say of it; remembered, since selections that differ ask for the same."""
    path, given = validator.path(tree, decision), [table for table in tables if isinstance(table, ErrorTable)]
    keys = path.keys
    return path, Tally.of(given, [validator.places(table, keys) for table in given])


class NestedValidator(PathValidator):
    """Prunings in which what was cut stays cut."""

    @abstractmethod
    def path(self, tree: Tree, decision: DecisionModule) -> NestedPath: ...

    def table(self, tree: Tree, counts: Floats, decision: DecisionModule) -> ErrorTable:
        path = self.path(tree, decision)
        classes = node_classes(tree, decision)
        return ErrorTable.of(
            tree,
            counts,
            path,
            validation=path.summed(errors_as_leaves(counts, classes)),
            training=path.summed(errors_as_leaves(tree.class_weights, classes)),
        )


def last_up_to(table: ErrorTable, keys: Floats) -> Codes:
    """The strongest pruning in a table that is not stronger than each of the keys; the weakest if all are."""
    return np.asarray(np.maximum(np.searchsorted(table.keys, keys, side="right") - 1, 0), dtype=np.int32)
