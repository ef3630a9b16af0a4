"""What a validation pass leaves: how the prunings of one tree do on the rows it was grown on, and on others.

Prunings are listed from the weakest to the strongest, each with a key that grows with its strength. Most methods cut
nodes and never split them again (their prunings are *nested*): all they have to say is, for each node, the key at which
it becomes a leaf or disappears.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from intemi.kernel import storable
from intemi.machines.decoded import expect, expect_floats
from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.components import DecisionModule
from intemi.machines.trees.tree import Tree

CLOSE = 1e-12
"""Numbers that differ by less, relative to the larger of them and 1, count as equal."""


class Path(Protocol):
    """The prunings of one tree, the weakest first."""

    @property
    def keys(self) -> Floats:
        """How strong they are, ascending."""

    @property
    def leaves(self) -> Codes:
        """How many leaves they have."""

    def cut(self, step: int) -> Codes:
        """The nodes at which one of them cuts the tree."""


@storable
@dataclass(frozen=True, eq=False)
class Validation:
    """What all passes leave."""

    validated: float
    """The weight of the rows that the tree was validated on."""
    trained: float
    """The weight of the rows that it was grown on."""
    repeats: float = field(default=1.0, kw_only=True)
    """How many passes validate a row, in the mean: 1 in cross-validation."""


@storable
@dataclass(frozen=True, eq=False)
class ErrorTable(Validation):
    """The prunings of a tree, the weakest first."""

    keys: Floats
    """How strong each is, ascending."""
    leaves: Codes
    validation: Floats
    """The errors on validation rows, by weight."""
    training: Floats
    """The errors on training rows, by weight."""

    def check_decoded(self) -> None:
        """Refuse what does not fit together."""
        for values in (self.keys, self.validation, self.training):
            expect_floats(values, len(self.keys))
        expect(self.leaves.dtype == np.int32 and self.leaves.shape == self.keys.shape, "prunings have leaves")

    def __len__(self) -> int:
        return len(self.keys)

    @classmethod
    def of(cls, tree: Tree, counts: Floats, path: Path, validation: Floats, training: Floats) -> ErrorTable:
        """The table of a path of prunings, given the errors of each."""
        return cls(float(counts[0].sum()), float(tree.weights[0]), path.keys, path.leaves, validation, training)


@storable
@dataclass(frozen=True, eq=False)
class NodeErrors(Validation):
    """What each node of a tree would do as a leaf."""

    tree: bytes
    """The digest of the tree."""
    reached: Floats
    """The weight of the validation rows that come down to the node."""
    validation: Floats
    training: Floats

    def check_decoded(self) -> None:
        """Refuse what does not fit together."""
        for values in (self.reached, self.validation, self.training):
            expect_floats(values, len(self.reached))


def node_classes(tree: Tree, decision: DecisionModule) -> Codes:
    """The class that each node answers."""
    return decision.classes(decision.probabilities(tree))


def errors_as_leaves(class_weights: Floats, classes: Codes) -> Floats:
    """The weight of the rows in each node that are not of the class that it answers."""
    return np.asarray(class_weights.sum(axis=1) - class_weights[np.arange(len(classes)), classes])


def steps_of(critical: Floats, inner: Any) -> Floats:
    """The keys at which something is cut, each once and ascending, and before them 0: that of nothing."""
    keys = np.sort(np.concatenate((_ZERO, critical[inner])))
    return np.asarray(keys[np.concatenate((_FIRST, keys[1:] != keys[:-1]))])  # a fraction of what `np.unique` takes


_ZERO, _FIRST = np.zeros(1), np.ones(1, dtype=bool)


@dataclass(frozen=True, eq=False)
class NestedPath:
    """Prunings in which what was cut stays cut."""

    tree: Tree
    keys: Floats
    """Those of the steps, ascending."""
    critical: Floats
    """For each node the first key at which it is not split any more; of leaves minus infinity."""

    @property
    def leaves(self) -> Codes:
        """The number of leaves of each step."""
        return np.asarray(np.rint(self.summed(np.ones(len(self.tree)))), dtype=np.int32)

    def cut(self, step: int) -> Codes:
        """The nodes at which the tree is cut."""
        return np.flatnonzero((self.critical <= self.keys[step]) & (self.tree.branch_count > 0)).astype(np.int32)

    def summed(self, values: Floats) -> Floats:
        """For each step the sum of the values of its leaves."""
        [sums] = self.summed_at(self.keys, values)
        return sums

    def summed_at(self, keys: Floats, *values: Floats) -> list[Floats]:
        """The same for the prunings of any keys, ascending, and several values of each node."""
        steps = len(keys)
        begin = np.searchsorted(keys, self.critical)
        end = begin[self.tree.parent]
        end[0] = steps
        return [
            np.cumsum(np.bincount(begin, each, steps + 1) - np.bincount(end, each, steps + 1))[:steps]
            for each in values
        ]
