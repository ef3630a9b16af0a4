"""Partial trees: many that a search holds at a time share their nodes, and what was found out about these."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import NamedTuple

import numpy as np

from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.growing import Division, GrowingNode
from intemi.machines.trees.node_data import NodeData
from intemi.machines.trees.search.method import Parts
from intemi.machines.trees.search.tree_quality import Leaves
from intemi.machines.trees.splits import Split


@dataclass(frozen=True, eq=False)
class Step:
    """A split of a tree and the steps before it. It knows no rows: trees of the past need no room."""

    before: Step | None
    path: tuple[int, ...]
    """The branches that lead to the node."""
    division: Division
    """Without its parts."""
    weights: Sequence[Floats]
    """The class weights of the branches."""


class Leaf(NamedTuple):
    """A node that stays a leaf."""

    weights: Floats
    """Of the classes."""
    depth: int
    """How many splits lead to it."""


@dataclass(frozen=True, eq=False)
class Choice:
    """A split that a node may get, and what it leads to."""

    division: Division
    """Without its parts."""
    weights: Sequence[Floats]
    """The class weights of the branches."""
    open: Sequence[OpenNode]
    """The branches that may be split in turn."""
    closed: Sequence[Leaf]
    """The others."""
    places: Codes | None
    """The numbers of the branches that the rows of the node go to, if anybody asks."""


@dataclass(eq=False)
class OpenNode:
    """A node that may be split. All trees in which it is open share it, and what was found out about it."""

    data: NodeData
    parts: Parts = field(repr=False)
    count: int
    """How many of its splits are looked at."""
    numbers: Iterator[int] | None = field(repr=False)
    """For nodes to come, in whatever tree they are; None: nobody asks where rows are."""
    number: int = 0

    @cached_property
    def splits(self) -> list[Split]:
        """Its best splits."""
        return self.parts.best_splits(self.data, self.count)

    @cached_property
    def prospects(self) -> float:
        """What splitting it promises."""
        prospects = self.parts.prospects
        return prospects.prospects(self.data, self.splits[0] if prospects.needs_split and self.splits else None)

    @cached_property
    def choices(self) -> list[Choice]:
        """Those of its splits that are accepted."""
        divisions = [self.parts.division(self.data, split) for split in self.splits]
        return [self._choice(division) for division in divisions if division is not None]

    @property
    def as_leaf(self) -> Leaf:
        """What it is if it stays a leaf."""
        return leaf_of(self.data)

    def _choice(self, division: Division) -> Choice:
        is_closed = division.split.closed or (False,) * len(division.parts)
        numbers = [0] * len(division.parts) if self.numbers is None else list(islice(self.numbers, len(division.parts)))
        opened, closed = list[OpenNode](), list[Leaf]()
        for part, closes, number in zip(division.parts, is_closed, numbers, strict=True):
            if closes or is_pure(part):
                closed.append(leaf_of(part))
            else:
                opened.append(replace(self, data=part, number=number))
        places = None if self.numbers is None else self._places(division.parts, numbers)
        weights = [part.class_weights for part in division.parts]
        return Choice(replace(division, parts=()), weights, opened, closed, places)

    def _places(self, parts: Sequence[NodeData], numbers: Sequence[int]) -> Codes:
        """The part of each row; of a row that is divided, that which got most."""
        size = int(self.data.rows.max()) + 1
        places, most = np.full(size, self.number, dtype=np.int32), np.zeros(size)
        for part, number in zip(parts, numbers, strict=True):
            more = part.rows[part.weights > most[part.rows] * (1 + 1e-12)]
            places[more] = number
            most[part.rows] = np.maximum(most[part.rows], part.weights)
        return places[self.data.rows]


@dataclass(frozen=True, eq=False)
class PartialTree:
    """A tree that may still grow."""

    open: Sequence[OpenNode]
    """In the order in which they came to be."""
    closed: Sequence[Leaf]
    """The leaves that stay leaves."""
    places: Codes
    """The number of the leaf of each row, if anybody asks."""
    quality: float = float("-inf")
    last: Step | None = None
    splits: int = 0

    @property
    def leaf_count(self) -> int:
        """How many leaves it has, open nodes among them."""
        return len(self.open) + len(self.closed)

    @property
    def leaves(self) -> Leaves:
        """Those that have rows."""
        every = [*(node.as_leaf for node in self.open), *self.closed]
        some = [leaf for leaf in every if leaf.weights.any()]
        depths = np.array([leaf.depth for leaf in some], dtype=np.int32)
        return Leaves(np.array([leaf.weights for leaf in some]), depths, self.splits)


def leaf_of(data: NodeData) -> Leaf:
    """A node that stays a leaf."""
    return Leaf(data.class_weights, data.depth - 1)


def is_pure(data: NodeData) -> bool:
    """Whether there is but one class."""
    return data.errors <= 1e-12 * data.weight


def grown(data: NodeData, last: Step | None) -> GrowingNode:
    """The nodes of the tree that the steps up to the last one make."""
    steps = list[Step]()
    while last is not None:
        steps.append(last)
        last = last.before
    root = GrowingNode(data.class_weights, data.weight)
    nodes: dict[tuple[int, ...], GrowingNode] = {(): root}
    for expansion, step in enumerate(reversed(steps), start=1):
        node, division = nodes[step.path], step.division
        node.split, node.surrogates = division.split, division.surrogates
        node.default_branch, node.expansion = division.default_branch, expansion
        branch_weights = division.split.branch_weights
        node.children = [GrowingNode(each, float(branch_weights[b])) for b, each in enumerate(step.weights)]
        nodes.update({(*step.path, b): child for b, child in enumerate(node.children)})
    return root
