"""Beam search: several partial trees are kept at a time, so that a split that looks second best is not lost at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import count

import numpy as np

from intemi.kernel import parameter
from intemi.machines.trees.components import Growth
from intemi.machines.trees.growing import GrowingNode
from intemi.machines.trees.node_data import NodeData
from intemi.machines.trees.quality import InformationGain, SplitQuality
from intemi.machines.trees.search.agreement import adjusted_rand_index
from intemi.machines.trees.search.method import Parts, SearchMethod
from intemi.machines.trees.search.partial_trees import (
    Choice,
    Leaf,
    OpenNode,
    PartialTree,
    Step,
    grown,
    is_pure,
    leaf_of,
)
from intemi.machines.trees.search.tree_quality import TreeQuality


class BeamSearch(SearchMethod):
    """Keep the `width` best partial trees; in each round one open node of each is split, in `branch` ways.

    Trees are compared by the `quality` of the division that their leaves make, or by a measure of trees. At most
    `per_parent` trees that differ only in their last split are kept while there are others: a family of alike trees
    would fill the beam otherwise. With a `max_ari` below 1 a tree is dropped whose division of the rows has a larger
    adjusted Rand index with one that is taken before it; a row that is divided counts where most of it is.

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

    width: int = parameter(default=5, at_least=1, search=(2, 5, 10))
    branch: int = parameter(default=5, at_least=1)
    quality: SplitQuality | TreeQuality = InformationGain()
    per_parent: int = parameter(default=1, at_least=1)
    finished: int = parameter(default=1, at_least=1)
    layered: bool = False
    max_ari: float = parameter(default=1.0, at_least=0, at_most=1)

    def search(self, data: NodeData, parts: Parts) -> GrowingNode:
        return self.forest(data, parts)[0]

    def forest(self, data: NodeData, parts: Parts) -> list[GrowingNode]:
        """All trees that the search finished, the best one first; of equally good ones that with fewer leaves."""
        places = np.zeros(len(data), dtype=np.int32)
        start = PartialTree([OpenNode(data, parts, self.branch, count(1) if self.max_ari < 1 else None)], [], places)
        if is_pure(data):
            start = PartialTree([], [leaf_of(data)], places)
        beam, finals = [start], list[PartialTree]()
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

    def _children(self, state: PartialTree, parts: Parts) -> list[PartialTree]:
        """The trees that one more split makes of a tree; the tree with fewer open nodes, if no split can be made."""
        opened, closed = list(state.open), list(state.closed)
        while opened:
            node = max(opened, key=lambda each: each.prospects)  # of equal ones the first
            opened.remove(node)
            growth = Growth(state.leaf_count)
            if not parts.stop.stops(node.data, growth) and node.splits:
                choices = [each for each in node.choices if not parts.stop.refuses(len(each.weights), growth)]
                made = [self._split(state, node, choice, opened, closed) for choice in choices]
                return made or [replace(state, open=opened, closed=[*closed, node.as_leaf])]
            closed.append(node.as_leaf)
        return [replace(state, open=[], closed=closed)]

    def _split(
        self, state: PartialTree, node: OpenNode, choice: Choice, opened: list[OpenNode], closed: list[Leaf]
    ) -> PartialTree:
        places = state.places
        if choice.places is not None:
            places, rows = places.copy(), node.data.rows
            places[rows] = np.where(places[rows] == node.number, choice.places, places[rows])
        step = Step(state.last, node.data.path, choice.division, choice.weights)
        made = PartialTree(
            [*opened, *choice.open], [*closed, *choice.closed], places, last=step, splits=state.splits + 1
        )
        if isinstance(self.quality, TreeQuality):
            return replace(made, quality=self.quality.of(made.leaves))
        return replace(made, quality=self.quality.multi(made.leaves.class_weights))

    def _best(self, families: Sequence[Sequence[PartialTree]], width: int) -> list[PartialTree]:
        """The best of the trees made of each tree: first a few of each family, then any."""
        places = [(family, child) for family, children in enumerate(families) for child in range(len(children))]
        places.sort(key=lambda place: -round(families[place[0]][place[1]].quality, 12))
        taken, counts = dict[tuple[int, int], PartialTree](), [0] * len(families)
        for most in (self.per_parent, width):
            for family, child in places:
                tree = families[family][child]
                is_free = len(taken) < width and counts[family] < most and (family, child) not in taken
                if is_free and not any(self._are_alike(tree, other) for other in taken.values()):
                    taken[family, child] = tree
                    counts[family] += 1
        return [taken[place] for place in places if place in taken]

    def _are_alike(self, one: PartialTree, other: PartialTree) -> bool:
        return self.max_ari < 1 and adjusted_rand_index(one.places, other.places) > self.max_ari
