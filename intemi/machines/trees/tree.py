"""The grown tree: flat arrays, no reference to the data it was grown on.

Nodes are numbered breadth first from the root, 0: the children of a node stand side by side, after it. A node holds
class weights, not a decision; what a leaf answers is the business of a decision module.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from intemi.data import Column
from intemi.kernel import storable
from intemi.kernel.encoding import digest, encode_once
from intemi.kernel.protection import sealed
from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.compact import LARGE_NODES, compacted, expanded
from intemi.machines.trees.sound import WHOLE_PIECES, check_state, check_tree

if TYPE_CHECKING:
    from intemi.machines.trees.rules import Rule

THRESHOLDS, SYMBOLS, DEVIATION, LINEAR, REVERSED = range(5)
"""Kinds of tests, those of `splits`. Their parameters are: cuts; the branch of each symbol; centre and cuts; the number
of features, their indices, their coefficients, what replaces their missing values (NaN: nothing) and cuts; a cut."""
MOST_DRAWN = 150
"""Of trees with more nodes notebooks show the upper part."""


_OF_NODES = ("parent", "first_child", "branch_count", "default_branch", "expansion", "test_start")
_OF_TESTS = ("kind", "feature", "parameter_start")
_NUMBERS = ("class_weights", "branch_weight", "quality", "parameters")


def starts(sizes: ArrayLike) -> Codes:
    """Where stretches of these sizes begin that lie one after the other, and where the last one ends."""
    return np.concatenate(([0], np.cumsum(sizes, dtype=np.int64))).astype(np.int32)


@storable
@dataclass(frozen=True, eq=False, repr=False)
class Tree:
    """Nodes and the tests in them. Of the tests of a node the first is its split, the others are its surrogates."""

    is_shared: ClassVar[bool] = True
    """The store keeps one copy for the tree itself and all classifiers made of it."""
    is_immutable: ClassVar[bool] = True

    columns: tuple[Column, ...]
    labels: tuple[str, ...]
    parent: Codes
    """-1 for the root."""
    first_child: Codes
    """-1 for a leaf."""
    branch_count: Codes
    class_weights: Floats
    """A row for each node."""
    branch_weight: Floats
    """What came down to the node with a known value of the feature its parent tests."""
    default_branch: Codes
    """Where rows go whose value no test of the node knows; -1: to all branches, in parts."""
    quality: Floats
    expansion: Codes
    """The place of its split in the order of splitting, from 1; 0 for a leaf."""
    test_start: Codes
    """Where the tests of a node begin; one more at the end."""
    kind: Codes
    feature: Codes
    parameter_start: Codes
    """Where the parameters of a test begin; one more at the end."""
    parameters: Floats

    def __post_init__(self) -> None:
        for name in (*_OF_NODES, *_OF_TESTS, *_NUMBERS):
            object.__setattr__(self, name, sealed(getattr(self, name)))

    def __len__(self) -> int:
        return len(self.parent)

    def __repr__(self) -> str:
        return f"Tree({len(self)} nodes, {self.leaf_count} leaves, classes {', '.join(self.labels)})"

    # For the store: a few pieces cost less than many

    def check_decoded(self) -> None:
        """Refuse arrays that are not those of a tree, before compiled code follows them."""
        check_state(self.__dict__["_state"])
        check_tree(self)

    def state(self) -> tuple[Any, ...]:
        """All integers in one array, all other numbers in another; those of a large tree in fewer bytes."""
        whole = self._whole_state()
        return compacted(whole) if len(self) >= LARGE_NODES else whole

    def _whole_state(self) -> tuple[Any, ...]:
        known: tuple[Any, ...] | None = self.__dict__.get("_state")
        if known is not None:
            return known
        integers = np.concatenate([getattr(self, name) for name in _OF_NODES + _OF_TESTS], dtype=np.int32)
        numbers = np.concatenate([getattr(self, name).ravel() for name in _NUMBERS], dtype=np.float64)
        return self.columns, self.labels, len(self), len(self.kind), integers, numbers

    @classmethod
    def from_state(cls, state: tuple[Any, ...]) -> Tree:
        """The tree that was taken apart, or was never put together: its arrays are parts of the two."""
        if len(state) != WHOLE_PIECES:
            state = expanded(state)
        columns, labels, nodes, tests, integers, numbers = state
        integers, numbers = sealed(integers), sealed(numbers)  # and so are the parts that are taken from them
        tree = cls.__new__(cls)
        arrays = tree.__dict__
        arrays["columns"], arrays["labels"] = columns, labels
        arrays["_state"] = columns, labels, nodes, tests, integers, numbers
        begin = 0
        for names, size in (_OF_NODES, nodes), (_OF_TESTS, tests):
            for name in names:
                arrays[name] = integers[begin : begin + size]
                begin += size
            arrays[name] = integers[begin - size : begin + 1]  # the last one says where those of each begin, and end
            begin += 1
        weights = nodes * len(labels)
        arrays["class_weights"] = numbers[:weights].reshape(nodes, len(labels))
        arrays["branch_weight"] = numbers[weights : weights + nodes]
        arrays["quality"] = numbers[weights + nodes : weights + 2 * nodes]
        arrays["parameters"] = numbers[weights + 2 * nodes :]
        return tree

    @cached_property
    def _content(self) -> bytes:
        return digest(encode_once(self))

    def content_digest(self) -> bytes:
        """What the tree is, in 128 bits; taken once, since classifiers and refinements ask for it as well."""
        return self._content

    @cached_property
    def nbytes(self) -> int:
        """Roughly how much memory it takes."""
        return 4 * (6 * len(self) + 3 * len(self.kind)) + 8 * (
            self.class_weights.size + 2 * len(self) + len(self.parameters)
        )

    @property
    def leaf_count(self) -> int:
        """How many nodes have no children."""
        return int((self.branch_count == 0).sum())

    @cached_property
    def levels(self) -> tuple[int, ...]:
        """How many nodes there are at each depth; they stand in this order."""
        last_children = np.cumsum(self.branch_count)
        sizes, last = [1], 0
        while last < len(self) - 1:  # the last node of a level leads to the last node of the next
            sizes.append(int(last_children[last]) - last)
            last += sizes[-1]
        return tuple(sizes)

    @property
    def depth(self) -> int:
        """The depth of the deepest node, 1 for the root alone."""
        return len(self.levels)

    @cached_property
    def weights(self) -> Floats:
        """The weight of each node."""
        return sealed(np.asarray(self.class_weights.sum(axis=1)))

    def children(self, node: int) -> range:
        """The children of a node."""
        first = int(self.first_child[node])
        return range(first, first + int(self.branch_count[node]))

    def tests(self, node: int) -> range:
        """The tests of a node: its split, then its surrogates."""
        return range(int(self.test_start[node]), int(self.test_start[node + 1]))

    def parameters_of(self, test: int) -> Floats:
        """The parameters of a test."""
        return self.parameters[self.parameter_start[test] : self.parameter_start[test + 1]]

    @cached_property
    def filled_class_weights(self) -> Floats:
        """Class weights in which empty nodes have those of the nearest ancestor that is not empty."""
        filled = self.class_weights
        empty = np.flatnonzero(self.weights <= 0)
        if len(empty):
            filled = filled.copy()
            for node in empty:
                filled[node] = filled[self.parent[node]]
            filled = sealed(filled)
        return filled

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tree) and self.content_digest() == other.content_digest()

    def __hash__(self) -> int:
        return hash(self.content_digest())

    # For people and other programs

    def __str__(self) -> str:
        from intemi.machines.trees.display import text_of

        return text_of(self)

    def rules(self) -> tuple[Rule, ...]:
        """A rule for each leaf."""
        from intemi.machines.trees.rules import rules_of

        return rules_of(self)

    def plain(self) -> dict[str, Any]:
        """The tree as plain data, which go through JSON."""
        from intemi.machines.trees.plain import plain_of

        return plain_of(self)

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> Tree:
        """The tree that plain data describe."""
        from intemi.machines.trees.plain import tree_of_plain

        return tree_of_plain(plain)

    def dot(self) -> str:
        """The tree in the language of Graphviz."""
        from intemi.machines.trees.graphviz import dot_of

        return dot_of(self)

    def svg(self, depth: int | None = None) -> str:
        """A drawing of the tree, or of its upper part: down to a depth, the root's being 1."""
        from intemi.machines.trees.svg import svg_of

        return svg_of(self, depth)

    def _repr_svg_(self) -> str:
        from intemi.machines.trees.svg import depth_of_so_many

        return self.svg(depth_of_so_many(self, MOST_DRAWN))

    def _repr_html_(self) -> str:
        return f'<div style="overflow: auto; max-height: 40em">{self._repr_svg_()}</div>'
