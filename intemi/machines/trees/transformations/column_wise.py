"""What transformations share that change features one by one: the way back from a split of a new feature."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace

from intemi.machines.trees.components import TransformedNode
from intemi.machines.trees.node_data import NodeData
from intemi.machines.trees.splits import LinearSplit, Split


@dataclass(frozen=True)
class ColumnWise(TransformedNode):
    """A node in which each new feature comes from one original feature."""

    data: NodeData
    untransformed: NodeData
    origins: tuple[int, ...]
    """The original feature of each new one."""

    def original(self, split: Split) -> Split | None:
        if isinstance(split, LinearSplit):
            return None  # a sum of new features is no test of original ones
        origin = self.origins[split.feature]
        if self.data.columns[split.feature] == self.untransformed.columns[origin]:
            return replace(split, feature=origin)
        return self._original(split, origin)

    @abstractmethod
    def _original(self, split: Split, origin: int) -> Split | None:
        """A split of a changed feature as one of its origin."""


def others(split: Split) -> dict[str, object]:
    """What a split of another kind takes over."""
    return {"quality": split.quality, "closed": split.closed}
