"""Beam search: several partial trees are kept at a time, so that a split that looks second best is not lost at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from intemi.kernel import parameter
from intemi.machines.interfaces import Floats
from intemi.machines.trees.components import Growth
from intemi.machines.trees.growing import Division, GrowingNode
from intemi.machines.trees.node_data import NodeData
from intemi.machines.trees.quality import InformationGain, SplitQuality
from intemi.machines.trees.search.method import Parts, SearchMethod
from intemi.machines.trees.splits import Split


@dataclass(frozen=True, eq=False)
class _Step:
    """A split of a tree and the steps before it. It knows no rows: trees of the past need no room."""

    before: _Step | None
    path: tuple[int, ...]
    """The branches that lead to the node."""
    division: Division
    """Without its parts."""
    weights: Sequence[Floats]
    """The class weights of the branches."""


@dataclass(frozen=True, eq=False)
class _Choice:
    """A split that a node may get, and what it leads to."""

    division: Division
    """Without its parts."""
    weights: Sequence[Floats]
    """The class weights of the branches."""
    open: Sequence[_Node]
    """The branches that may be split in turn."""
    closed: Sequence[Floats]
    """The class weights of the others."""


@dataclass(eq=False)
class _Node:
    """A node that may be split. All trees in which it is open share it, and what was found out about it."""

    data: NodeData
    parts: Parts = field(repr=False)
    count: int

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
    def choices(self) -> list[_Choice]:
        """Those of its splits that are accepted."""
        divisions = [self.parts.division(self.data, split) for split in self.splits]
        return [self._choice(division) for division in divisions if division is not None]

    def _choice(self, division: Division) -> _Choice:
        closed = division.split.closed or (False,) * len(division.parts)
        opened, weights = list[_Node](), list[Floats]()
        for part, is_closed in zip(division.parts, closed, strict=True):
            if is_closed or is_pure(part):
                weights.append(part.class_weights)
            else:
                opened.append(_Node(part, self.parts, self.count))
        return _Choice(replace(division, parts=()), [part.class_weights for part in division.parts], opened, weights)


@dataclass(frozen=True, eq=False)
class _State:
    """A partial tree."""

    open: Sequence[_Node]
    """In the order in which they came to be."""
    closed: Sequence[Floats]
    """The class weights of the leaves that stay leaves."""
    quality: float = float("-inf")
    last: _Step | None = None

    @property
    def leaf_count(self) -> int:
        """How many leaves it has, open nodes among them."""
        return len(self.open) + len(self.closed)


def is_pure(data: NodeData) -> bool:
    """Whether there is but one class."""
    return data.errors <= 1e-12 * data.weight


def grown(data: NodeData, last: _Step | None) -> GrowingNode:
    """The nodes of the tree that the steps up to the last one make."""
    steps = list[_Step]()
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


class BeamSearch(SearchMethod):
    """Keep the `width` best partial trees; in each round one open node of each is split, in `branch` ways.

    Trees are compared by the `quality` of the division that their leaves make. At most `per_parent` trees that differ
    only in their last split are kept while there are others: a family of alike trees would fill the beam otherwise.
    The search ends when it has `finished` trees that cannot grow, and gives the best of them. If it is `layered` the
    width is 1 in the first round and doubles in each further one, up to `width`.

    >>> from intemi.data import Column, Data, Table
    >>> from intemi.machines.trees.decision_tree import DecisionTree
    >>> from intemi.machines.trees.splitters.exhaustive import ExhaustiveSearch
    >>> columns, y = [Column("a"), Column("b")], [0, 1, 1, 0]
    >>> data = Data(Table(columns, [[0, 0, 1, 1], [0, 1, 0, 1]], Column("class", ("A", "B")), y))
    >>> learner = DecisionTree(search=BeamSearch(width=2), splitter=ExhaustiveSearch(allow_zero_gain=True))
    >>> learner.run(data).results["Leaves"]
    4
    """

    width: int = parameter(default=5, at_least=1)
    branch: int = parameter(default=5, at_least=1)
    quality: SplitQuality = InformationGain()
    per_parent: int = parameter(default=1, at_least=1)
    finished: int = parameter(default=1, at_least=1)
    layered: bool = False

    def search(self, data: NodeData, parts: Parts) -> GrowingNode:
        return self.forest(data, parts)[0]

    def forest(self, data: NodeData, parts: Parts) -> list[GrowingNode]:
        """All trees that the search finished, the best one first; of equally good ones that with fewer leaves."""
        start = _State([_Node(data, parts, self.branch)], [])
        if is_pure(data):
            start = _State([], [data.class_weights])
        beam, finals = [start], list[_State]()
        width = 1 if self.layered else self.width
        while True:
            finals += [state for state in beam if not state.open]
            beam = [state for state in beam if state.open]
            if len(finals) >= self.finished or not beam:
                break
            beam = self._best([self._children(state, parts) for state in beam], width)
            width = min(2 * width, self.width)
        finals.sort(key=lambda state: (-round(state.quality, 12), state.leaf_count))
        return [grown(data, state.last) for state in finals]

    def _children(self, state: _State, parts: Parts) -> list[_State]:
        """The trees that one more split makes of a tree; the tree with fewer open nodes, if no split can be made."""
        opened, closed = list(state.open), list(state.closed)
        while opened:
            node = max(opened, key=lambda each: each.prospects)  # of equal ones the first
            opened.remove(node)
            growth = Growth(state.leaf_count)
            if not parts.stop.stops(node.data, growth) and node.splits:
                choices = [each for each in node.choices if not parts.stop.refuses(len(each.weights), growth)]
                made = [self._split(state, node, choice, opened, closed) for choice in choices]
                return made or [replace(state, open=opened, closed=[*closed, node.data.class_weights])]
            closed.append(node.data.class_weights)
        return [replace(state, open=[], closed=closed)]

    def _split(self, state: _State, node: _Node, choice: _Choice, opened: list[_Node], closed: list[Floats]) -> _State:
        opened, closed = [*opened, *choice.open], [*closed, *choice.closed]
        leaves = np.array([*(each.data.class_weights for each in opened), *closed])
        quality = self.quality.multi(leaves[leaves.any(axis=1)])
        step = _Step(state.last, node.data.path, choice.division, choice.weights)
        return _State(opened, closed, quality, step)

    def _best(self, families: Sequence[Sequence[_State]], width: int) -> list[_State]:
        """The best of the trees made of each tree: first a few of each family, then any."""
        places = [(family, child) for family, children in enumerate(families) for child in range(len(children))]
        places.sort(key=lambda place: -round(families[place[0]][place[1]].quality, 12))
        taken, counts = set[tuple[int, int]](), [0] * len(families)
        for family, child in places:
            if len(taken) < width and counts[family] < self.per_parent:
                taken.add((family, child))
                counts[family] += 1
        for place in places:
            if len(taken) < width:
                taken.add(place)
        return [families[family][child] for family, child in places if (family, child) in taken]
