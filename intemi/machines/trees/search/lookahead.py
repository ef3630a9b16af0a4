"""Lookahead: a split is judged by the small tree that would grow below it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from intemi.kernel import parameter
from intemi.machines.interfaces import Floats
from intemi.machines.trees.components import MissingPolicy, NodeSplitter
from intemi.machines.trees.growing import divide
from intemi.machines.trees.missing import MajorityBranch
from intemi.machines.trees.node_data import NodeData
from intemi.machines.trees.quality import InformationGain, SplitQuality
from intemi.machines.trees.splits import Split
from intemi.machines.trees.splitters.exhaustive import ExhaustiveSearch


class Lookahead(NodeSplitter):
    """Grow `depth` more levels below each split that another splitter proposes, and take the one with the best leaves.

    Depth 0 is that splitter alone. It has to propose splits that gain nothing by themselves, if they are to be found:
    here both features are useless alone. `candidates` limits how many of its best splits are tried. Rows with missing
    values go down the levels as `missing_values` says.

    >>> from intemi.data import Column, Data, Table
    >>> columns, y = [Column("a"), Column("b")], [0, 1, 1, 0]
    >>> node = NodeData.of(Data(Table(columns, [[0, 0, 1, 1], [0, 1, 0, 1]], Column("class", ("A", "B")), y)))
    >>> [best] = Lookahead().best_splits(node, 1)
    >>> best.feature, best.quality, ExhaustiveSearch().best_splits(node, 1)
    (0, 1.0, [])
    """

    splitter: NodeSplitter = ExhaustiveSearch(quality=InformationGain(), allow_zero_gain=True)
    quality: SplitQuality = InformationGain()
    depth: int = parameter(default=1, at_least=0, search=(0, 1, 2))
    candidates: int | None = parameter(default=None, at_least=1)
    missing_values: MissingPolicy = MajorityBranch()

    def best_splits(self, data: NodeData, count: int) -> list[Split]:
        if self.depth == 0:
            return self.splitter.best_splits(data, count)
        tried = self.splitter.best_splits(data, self.candidates or len(data) * len(data.columns))
        seen = [replace(split, quality=self._quality_ahead(data, split)) for split in tried]
        # Of equal ones that which is better by itself, then the one proposed first.
        places = sorted(range(len(seen)), key=lambda i: (-round(seen[i].quality, 12), -round(tried[i].quality, 12)))
        return [seen[place] for place in places if seen[place].quality > self.quality.nothing][:count]

    def _quality_ahead(self, data: NodeData, split: Split) -> float:
        leaves = [leaf for leaf in self._leaves(data, split, self.depth) if leaf.any()]
        return self.quality.multi(np.array(leaves)) if len(leaves) > 1 else self.quality.nothing

    def _leaves(self, data: NodeData, split: Split, levels: int) -> list[Floats]:
        """The class weights of the leaves of the small tree: the split, and some levels below it."""
        found: list[Floats] = []
        for branch, part in enumerate(divide(data, split, self.missing_values).parts):
            is_final = levels == 0 or part.errors <= 1e-12 * part.weight or (split.closed and split.closed[branch])
            further = [] if is_final else self.splitter.best_splits(part, 1)
            found += self._leaves(part, further[0], levels - 1) if further else [part.class_weights]
        return found
