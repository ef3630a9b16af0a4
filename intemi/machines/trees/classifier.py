"""The classifier that a tree is, once it is said what its leaves answer."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from intemi.data import Column, Data
from intemi.kernel import storable
from intemi.kernel.protection import sealed
from intemi.machines.decoded import expect
from intemi.machines.interfaces import Classifier, Codes, Floats
from intemi.machines.trees import kernels
from intemi.machines.trees.components import DecisionModule
from intemi.machines.trees.tree import Tree

if TYPE_CHECKING:
    from intemi.machines.trees.rules import Rule


@storable
@dataclass(frozen=True, eq=False)
class TreeClassifier(Classifier):
    """A tree and what its nodes answer."""

    columns: tuple[Column, ...]
    labels: tuple[str, ...]
    tree: Tree
    decision: DecisionModule

    def check_decoded(self) -> None:
        """Refuse what does not fit together."""
        super().check_decoded()
        expect(type(self.tree) is Tree and isinstance(self.decision, DecisionModule), "a tree decides")
        expect(self.tree.columns == self.columns and self.tree.labels == self.labels, "a tree fits")

    nbytes: ClassVar[int] = 0
    """What it takes beside its tree, roughly."""

    @property
    def shared_parts(self) -> tuple[Tree]:
        """What it has in common with other classifiers."""
        return (self.tree,)

    def __repr__(self) -> str:
        return f"TreeClassifier({self.tree.leaf_count} leaves, classes {', '.join(self.labels)})"

    @cached_property
    def _node_answers(self) -> Floats:
        return sealed(np.ascontiguousarray(self.decision.probabilities(self.tree)))

    @cached_property
    def node_classes(self) -> Codes:
        """The class that each node answers."""
        return sealed(self.decision.classes(self._node_answers))

    def leaves(self, data: Data) -> Codes:
        """The leaf of each row; -1 where a row goes to several in parts, since a value is missing."""
        leaves = np.empty(len(data), dtype=np.int32)
        arguments: tuple[Any, ...] = (*arguments_of(self.tree, data), leaves)
        kernels.route.route(*arguments)
        return leaves

    def _mixed(self, data: Data, positions: Any, of_nodes: Floats) -> Floats:
        """What is known of nodes, for rows that go to several leaves in parts."""
        from intemi.machines.trees.kernels.mixing import mix

        mixed = np.empty((len(positions), len(self.labels)))
        rows = data.select_rows(positions)
        arguments: tuple[Any, ...] = (*arguments_of(self.tree, rows), of_nodes, mixed)
        mix(*arguments)
        return mixed

    def _classify(self, data: Data) -> Codes:
        leaves = self.leaves(data)
        classes = self.node_classes[leaves]
        parted = np.flatnonzero(leaves < 0)
        if len(parted):
            classes[parted] = self.decision.classes(self._mixed(data, parted, self._node_answers))
        return classes

    def _probabilities(self, data: Data) -> Floats:
        return self._of_leaves(data, self._node_answers)

    def _supports(self, data: Data) -> Floats:
        return self._of_leaves(data, self.tree.class_weights)

    def _of_leaves(self, data: Data, of_nodes: Floats) -> Floats:
        """What is known of the leaf of each row."""
        leaves = self.leaves(data)
        found = of_nodes[leaves]
        parted = np.flatnonzero(leaves < 0)
        if len(parted):
            found[parted] = self._mixed(data, parted, of_nodes)
        return found

    # For people: as the tree shows itself, but with what the decision module makes its nodes answer

    def __str__(self) -> str:
        from intemi.machines.trees.display import text_of

        return text_of(self.tree, self.node_classes)

    def rules(self) -> tuple[Rule, ...]:
        """A rule for each leaf."""
        from intemi.machines.trees.rules import rules_of

        return rules_of(self.tree, self.node_classes)

    def dot(self) -> str:
        """The tree in the language of Graphviz."""
        from intemi.machines.trees.graphviz import dot_of

        return dot_of(self.tree, self.node_classes)

    def svg(self, depth: int | None = None) -> str:
        """A drawing of the tree, or of its upper part: down to a depth, the root's being 1."""
        from intemi.machines.trees.svg import svg_of

        return svg_of(self.tree, depth, self.node_classes)


def arguments_of(tree: Tree, data: Data) -> tuple[Any, ...]:
    """What kernels that send rows down a tree get."""
    return (
        data.table.features,
        data.rows,
        data.column_indices,
        tree.first_child,
        tree.default_branch,
        tree.test_start,
        tree.kind,
        tree.feature,
        tree.parameter_start,
        tree.branch_count,
        tree.parameters,
        tree.branch_weight,
    )
