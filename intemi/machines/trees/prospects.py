"""Split prospects: which open node is split first. They matter only where growth is cut short."""

from __future__ import annotations

from typing import ClassVar, Literal

from intemi.machines.trees.components import SplitProspects
from intemi.machines.trees.node_data import NodeData
from intemi.machines.trees.splits import Split


class ConstantProspects(SplitProspects):
    """All nodes alike: in the order in which they came to be, breadth first."""

    def prospects(self, data: NodeData, split: Split | None) -> float:
        return 0.0


class DepthProspects(SplitProspects):
    """The depth of the node: depth first, of children the first one first, if of equal ones the first is split."""

    def prospects(self, data: NodeData, split: Split | None) -> float:
        return float(data.depth)


class ClassificationProspects(SplitProspects):
    """The errors that perfect classification of the node would remove."""

    def prospects(self, data: NodeData, split: Split | None) -> float:
        return data.errors


class SSVProspects(SplitProspects):
    """The pairs of rows of different classes in the node."""

    def prospects(self, data: NodeData, split: Split | None) -> float:
        return float(data.weight**2 - (data.class_weights**2).sum()) / 2


class BestSplitGain(SplitProspects):
    """The quality of the best split of the node; with `scope="tree"` times its weight."""

    needs_split: ClassVar[bool] = True
    scope: Literal["node", "tree"] = "node"

    def prospects(self, data: NodeData, split: Split | None) -> float:
        if split is None:
            return 0.0
        return split.quality * (data.weight if self.scope == "tree" else 1.0)
