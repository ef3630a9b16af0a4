"""What a search method is: it arranges splits of nodes into a tree."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

from intemi.kernel import Component
from intemi.machines.trees.components import (
    MissingPolicy,
    NodeSplitter,
    NodeTransformation,
    SplitAcceptor,
    SplitProspects,
    StopCriterion,
)
from intemi.machines.trees.growing import Division, GrowingNode, divide
from intemi.machines.trees.node_data import NodeData
from intemi.machines.trees.splits import Split


@dataclass(frozen=True)
class Parts:
    """The components that a search works with."""

    splitter: NodeSplitter
    stop: StopCriterion
    acceptor: SplitAcceptor | None
    transformation: NodeTransformation | None
    prospects: SplitProspects
    missing: MissingPolicy

    def best_splits(self, data: NodeData, count: int) -> list[Split]:
        """The best splits of a node, found among its transformed features if they are to be transformed."""
        if self.transformation is None:
            return self.splitter.best_splits(data, count)
        node = self.transformation.fit(data)
        found = [node.original(split) for split in self.splitter.best_splits(node.data, count)]
        return [split for split in found if split is not None]

    def division(self, data: NodeData, split: Split) -> Division | None:
        """The split as it would be made, if it separates anything and is accepted."""
        division = divide(data, split, self.missing)
        if division.is_one:
            return None
        if self.acceptor is not None and not self.acceptor.accepts(data, split, division.parts):
            return None
        return division


class SearchMethod(Component):
    """Arranges splits of nodes into a tree."""

    @abstractmethod
    def search(self, data: NodeData, parts: Parts) -> GrowingNode:
        """The root of the tree."""
