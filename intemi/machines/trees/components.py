"""The exchangeable parts of a tree learner: what each kind of component is asked. Implementations live beside."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from intemi.kernel import Component
from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.node_data import NodeData
from intemi.machines.trees.splits import Split
from intemi.machines.trees.tree import Tree

if TYPE_CHECKING:
    from intemi.machines.trees.limits import Limits
    from intemi.machines.trees.quality import SplitQuality

SAME = 1e-12
"""Probabilities that differ by less are equal: rounding is not to decide between classes."""


class NodeSplitter(Component):
    """Finds the best splits of a node."""

    @abstractmethod
    def best_splits(self, data: NodeData, count: int) -> list[Split]:
        """At most `count` splits, the best one first; none if there is nothing to split."""


@dataclass(frozen=True)
class RankedFeature:
    """A feature that a selector proposes, the better the larger its score."""

    feature: int
    score: float
    use_deviation: bool = False
    """Whether it is the distances from the mean that differ between the classes."""


class FeatureSelector(Component):
    """Chooses features to split on without looking at splits."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "rank" in cls.__dict__ and "settings" not in cls.__dict__:
            cls.settings = FeatureSelector.settings  # type: ignore[method-assign]  # not those of a base

    @abstractmethod
    def rank(self, data: NodeData) -> list[RankedFeature]:
        """The features worth splitting on, the best one first; none if growth should end here."""

    def settings(self) -> dict[str, float] | None:
        """The same as settings of a kernel, by their names, if `kernels.selecting` can do it."""
        return None


class WholeFeatureSplitter(Component):
    """Makes one split of a whole feature."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "split" in cls.__dict__ and "settings" not in cls.__dict__:
            cls.settings = WholeFeatureSplitter.settings  # type: ignore[method-assign]  # not those of a base

    @abstractmethod
    def split(self, data: NodeData, ranked: RankedFeature) -> Split | None:
        """The split of that feature, if there is one."""

    def settings(self) -> dict[str, float] | None:
        """The same as settings of a kernel, by their names, if `kernels.splitting` can do it."""
        return None

    def qualities(self, data: NodeData, quality: SplitQuality) -> Floats:
        """What a measure says of the split of each feature, on rows whose values are known; NaN if there is none."""
        found = np.full(len(data.columns), np.nan)
        for feature in range(len(data.columns)):
            split = self.split(data, RankedFeature(feature, 0.0))
            if split is not None:
                found[feature] = quality.multi(split.table(data))
        return found


class TransformedNode(ABC):
    """A node with other features, and the way back."""

    data: NodeData

    @abstractmethod
    def original(self, split: Split) -> Split | None:
        """A split of the new features as one of the original ones: the tree needs no transformations."""


class NodeTransformation(Component):
    """Changes the features of a node before it is split."""

    @abstractmethod
    def fit(self, data: NodeData) -> TransformedNode:
        """The node with its new features."""


@dataclass
class Growth:
    """What is known of the tree while it grows."""

    leaves: int = 1
    """Nodes without children so far, open ones included."""


class StopCriterion(Component):
    """Says where growth ends."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "stops" in cls.__dict__ and "limits" not in cls.__dict__:
            cls.limits = StopCriterion.limits  # type: ignore[method-assign]  # not those of a base that stops elsewhere

    @abstractmethod
    def stops(self, data: NodeData, growth: Growth) -> bool:
        """Whether the node is to be a leaf."""

    def refuses(self, branches: int, growth: Growth) -> bool:
        """Whether the node is to be a leaf rather than to get so many branches; asked once its best split is known."""
        return False

    def limits(self) -> Limits | None:
        """The same in numbers, if a kernel can do it."""
        return None


class SplitAcceptor(Component):
    """Judges the best split of a node; a node whose split is refused is a leaf."""

    @abstractmethod
    def accepts(self, data: NodeData, split: Split, parts: Sequence[NodeData]) -> bool:
        """Whether the split is made; `parts` are what its branches would get."""


class SplitProspects(Component):
    """Says which open node is split first: the one with the largest prospects."""

    needs_split: ClassVar[bool] = False
    """Whether the best split of a node has to be known."""

    @abstractmethod
    def prospects(self, data: NodeData, split: Split | None) -> float:
        """What splitting the node promises."""


class DecisionModule(Component):
    """Says what the nodes of a tree answer."""

    @abstractmethod
    def probabilities(self, tree: Tree) -> Floats:
        """The probabilities of the classes, a row for each node."""

    def classes(self, probabilities: Floats) -> Codes:
        """The class that is answered where classes are so probable, a row for each answer; of equal ones the first."""
        most = probabilities.max(axis=1, keepdims=True)
        return np.asarray((probabilities >= most - SAME).argmax(axis=1), dtype=np.int32)


class MissingPolicy(Component):
    """Says where rows go whose value of the tested feature is missing, in learning as in answering."""

    def completed(self, data: NodeData, split: Split) -> Split:
        """The split with what replaces missing values of the features that it adds up, if anything does."""
        return split

    def surrogates(self, data: NodeData, split: Split) -> list[Split]:
        """Other splits to ask, in this order."""
        return []

    @abstractmethod
    def default_branch(self, data: NodeData, split: Split) -> int:
        """The branch for rows that no test knows; -1: all branches, in parts."""
