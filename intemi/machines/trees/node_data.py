"""What a node knows of its rows: the view of the training data that splitters, criteria and transformations get."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import numpy as np

from intemi.data import Column, Data
from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees import kernels
from intemi.machines.trees.statistics.rounding import largest_values

Made = TypeVar("Made")


class Varying(NamedTuple):
    """The features that have different values in a node; none in a node of one class."""

    numeric: list[int]
    nominal: list[int]
    tables: Floats
    """Of the nominal features the class weights of each symbol, one table below the other."""
    starts: Codes
    """Where the table of each feature begins."""


class NodeData:
    """Rows of a node, with their weights; a row may be there in part. Immutable, as are the arrays it hands out.

    >>> from intemi.data import Table
    >>> data = Data(Table([Column("x")], [[3, 1, float("nan")]], Column("class", ("a", "b")), [0, 1, 1]))
    >>> node = NodeData.of(data)
    >>> node.order(0).tolist(), node.class_weights.tolist()
    ([1, 0, 2], [1.0, 2.0])
    >>> node.select([2, 0], weights=[0.5, 1.0]).class_weights.tolist()
    [1.0, 0.5]
    """

    def __init__(
        self,
        columns: tuple[Column, ...],
        features: Floats,
        classes: Codes,
        weights: Floats,
        class_count: int,
        training_weight: float,
        rows: Codes | None = None,
        path: tuple[int, ...] = (),
        seed: int = 0,
        root: NodeData | None = None,
    ) -> None:
        """`features` are those of all rows, of which `rows` are here; `path` are the branches that lead to the node.

        `training_weight` is the weight of all rows that the tree is grown on.
        """
        self.columns = columns
        self._features = features
        self._rows = rows
        self.classes = classes
        self.weights = weights
        self.class_count = class_count
        self.training_weight = training_weight
        self.path = path
        self._seed = seed
        self._root = root
        self._made: dict[Hashable, Any] = {}
        self._values: dict[int, Floats] = {}
        self._orders: dict[int, Codes] = {}
        self._tables: dict[int, Floats] = {}

    @classmethod
    def of(cls, data: Data, seed: int = 0) -> NodeData:
        """The root: all rows."""
        total = float(data.weights.sum())
        return cls(data.columns, data.features, data.classes, data.weights, len(data.labels), total, seed=seed)

    def __len__(self) -> int:
        return len(self.classes)

    @property
    def depth(self) -> int:
        """1 for the root."""
        return len(self.path) + 1

    @property
    def root(self) -> NodeData:
        """The node that all rows of the tree are in, with its own features; of other classes, the node itself."""
        return self if self._root is None else self._root

    @property
    def rows(self) -> Codes:
        """The positions of its rows among all that it has features of: those of the tree, unless it was transformed."""
        return np.arange(len(self), dtype=np.int32) if self._rows is None else self._rows

    def once(self, name: Hashable, make: Callable[[NodeData], Made]) -> Made:
        """What is made of the root, once for a tree; under this name it is found again in all nodes."""
        made = self.root._made
        if name not in made:
            made[name] = make(self.root)
        found: Made = made[name]
        return found

    @cached_property
    def class_weights(self) -> Floats:
        """The sum of the weights of the rows of each class."""
        return np.asarray(np.bincount(self.classes, self.weights, minlength=self.class_count), dtype=np.float64)

    @cached_property
    def weight(self) -> float:
        """The sum of all weights."""
        return float(self.class_weights.sum())

    @cached_property
    def errors(self) -> float:
        """What weighs in the node and is not of its majority."""
        return self.weight - float(self.class_weights.max())

    def feature(self, index: int) -> Floats:
        """The values of a feature; NaN is missing."""
        if index not in self._values:
            values = self._features[index]
            self._values[index] = values if self._rows is None else values[self._rows]
        return self._values[index]

    @cached_property
    def features(self) -> Floats:
        """The values of all features, a row for each."""
        values = self._features if self._rows is None else self._features[:, self._rows]
        return np.ascontiguousarray(values)

    def order(self, index: int) -> Codes:
        """Positions of its rows in ascending order of a feature, missing values last."""
        if index not in self._orders:
            self._orders[index] = np.argsort(self.feature(index), kind="stable").astype(np.int32)
        return self._orders[index]

    def table(self, index: int) -> Floats:
        """The class weights of each symbol of a nominal feature, a row for each."""
        if index not in self._tables:
            categories = self.columns[index].categories
            assert categories is not None, f"{self.columns[index].name} is numeric"
            self._tables[index] = self.table_of(self.feature(index), len(categories))
        return self._tables[index]

    def table_of(self, branches: Any, count: int) -> Floats:
        """The class weights of each of `count` parts; the part of a row may be missing, as NaN or -1."""
        branches = np.asarray(branches, dtype=np.float64)
        return kernels.rows.table_of(branches, self.classes, self.weights, count, self.class_count)

    @cached_property
    def symbols(self) -> Codes:
        """How many categories each feature has; 0: it is numeric."""
        return np.array([len(column.categories or ()) for column in self.columns], dtype=np.int32)

    @cached_property
    def varying(self) -> Varying:
        """The features that are worth a test."""
        if np.count_nonzero(self.class_weights) < 2:
            return Varying([], [], np.empty((0, self.class_count)), np.zeros(len(self.columns), dtype=np.int32))
        numeric, nominal, tables, starts = kernels.contingency.varying(
            self.features, self.symbols, self.classes, self.weights, self.class_count
        )
        for feature in nominal.tolist():
            self._tables[feature] = tables[starts[feature] : starts[feature] + self.symbols[feature]]
        return Varying(numeric.tolist(), nominal.tolist(), tables, starts)

    def largest_value(self, index: int, bound: float) -> float:
        """The largest value of a feature in the whole training data that is not above a bound, but for rounding."""
        return float(largest_values(self._features[index], np.array([bound]))[0])

    def rng(self) -> np.random.Generator:
        """Random numbers that depend on the seed of the tree and the path of the node, and on nothing else."""
        return np.random.default_rng(np.random.SeedSequence([self._seed, len(self.path), *self.path]))

    def shuffled(self, count: int) -> Codes:
        """The numbers below `count` in a random order that depends on the same; kernels that grow trees draw it too.

        >>> from intemi.data import Table
        >>> data = Data(Table([Column("x")], [[3, 1, 2]], Column("class", ("a", "b")), [0, 1, 1]))
        >>> NodeData.of(data, seed=1).shuffled(5).tolist(), NodeData.of(data, seed=2).shuffled(5).tolist()
        ([2, 3, 4, 1, 0], [2, 3, 1, 4, 0])
        """
        return kernels.draws.shuffled(self._seed, np.array(self.path, dtype=np.int32), count)

    def select(self, positions: Any, weights: Any = None, branch: int | None = None) -> NodeData:
        """Some of its rows, with other weights if they are given; those of a child, if a branch is."""
        positions = np.asarray(positions, dtype=np.int32)
        kept = self.weights[positions] if weights is None else np.asarray(weights, dtype=np.float64)
        rows = positions if self._rows is None else self._rows[positions]
        path = self.path if branch is None else (*self.path, branch)
        selected = NodeData(
            self.columns,
            self._features,
            self.classes[positions],
            kept,
            self.class_count,
            self.training_weight,
            rows,
            path,
            self._seed,
            self.root,
        )
        if "symbols" in self.__dict__:
            selected.symbols = self.symbols
        return selected

    def reweighed(self, weights: Any, training_weight: float) -> NodeData:
        """The rows that weigh anything by other weights, in which all rows of the tree weigh so much."""
        weights = np.asarray(weights, dtype=np.float64)
        rows = np.flatnonzero(weights > 0)
        changed = self.select(rows, weights[rows])
        changed.training_weight = training_weight
        return changed

    def with_classes(self, classes: Any, count: int) -> NodeData:
        """The same rows with other classes."""
        changed = self.select(np.arange(len(self)))
        changed.classes = np.asarray(classes, dtype=np.int32)
        changed.class_count = count
        changed._root = None
        return changed

    def with_columns(self, indices: Sequence[int]) -> NodeData:
        """The same rows with some of the features."""
        return NodeData(
            tuple(self.columns[index] for index in indices),
            self._features[list(indices)],
            self.classes,
            self.weights,
            self.class_count,
            self.training_weight,
            self._rows,
            self.path,
            self._seed,
            self.root,
        )

    def with_features(self, columns: Sequence[Column], features: Any) -> NodeData:
        """The same rows with other features, a row of values for each."""
        return NodeData(
            tuple(columns),
            np.ascontiguousarray(features, dtype=np.float64),
            self.classes,
            self.weights,
            self.class_count,
            self.training_weight,
            None,
            self.path,
            self._seed,
            self.root,
        )
