"""Trees that are grown by how often something is right in each branch: MLC4.5 and AC4.5.

All that counts of a row is which of several candidates are right about it: classifiers, one of which a leaf is to name,
or classes, one of which it is to answer. Impurity is the share of rows that the best candidate gets wrong; apart from
that, growth is that of C4.5.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np

from intemi.data import Column
from intemi.kernel import Component, parameter
from intemi.machines.interfaces import Floats
from intemi.machines.trees.growing import GrowingNode, assembled
from intemi.machines.trees.splits import Split, SymbolSplit, ThresholdSplit
from intemi.machines.trees.tree import Tree

SAME = 1e-9
"""Gains that differ by less are equal."""
MOST_OF_A_SIDE = 25.0
HELD_OUT = 3
"""Every so many rows are held out for reduced-error pruning."""


@dataclass(frozen=True)
class Rows:
    """Rows of a node: attributes (a row for each), which candidates are right, and weights."""

    columns: tuple[Column, ...]
    values: Floats
    right: Floats
    """Rows × candidates, 1 where it is right and 0 where it is not."""
    weights: Floats

    @property
    def weight(self) -> float:
        """Of all rows together."""
        return float(self.weights.sum())

    @property
    def rights(self) -> Floats:
        """The weight of the rows that each candidate gets right."""
        return np.asarray(self.weights @ self.right)

    @property
    def errors(self) -> float:
        """The weight that the best candidate gets wrong."""
        return self.weight - float(self.rights.max())

    def taken(self, places: np.ndarray, factors: float | Floats = 1.0) -> Rows:
        """Some of the rows, perhaps in part."""
        return replace(
            self, values=self.values[:, places], right=self.right[places], weights=self.weights[places] * factors
        )


class Candidate(NamedTuple):
    """The best split by an attribute."""

    split: Split
    gain: float
    split_information: float

    @property
    def ratio(self) -> float:
        """Gain divided by split information."""
        return self.gain / self.split_information if self.split_information > 0 else 0.0


class AccuracyGrowth(Component):
    """How trees are grown by accuracy: the settings of MLC4.5.

    A node is split if some candidate is not always right, it weighs at least 2 · `min_objects`, and a split lowers the
    errors of the best candidates. `min_side`, the least weight on both sides of a threshold, is C4.5's if None: a tenth
    of the node divided by the number of classes, but at least `min_objects` and at most 25. With `penalty` the gain of
    thresholds is lowered as in release 8 of C4.5. `collapse` undoes splits that save no errors, `prune="rep"` those
    that save none on a third of the rows, held out. `max_depth` counts splits: 0 is a leaf.

    >>> AccuracyGrowth(criterion="gini")
    Traceback (most recent call last):
    ...
    intemi.kernel.errors.ConfigurationError: AccuracyGrowth: criterion must be one of 'gain_ratio', 'gain', got 'gini'
    """

    criterion: Literal["gain_ratio", "gain"] = "gain_ratio"
    min_objects: float = parameter(default=2.0, above=0, search=(1.0, 2.0, 5.0, 10.0))
    min_side: float | None = parameter(default=None, above=0)
    penalty: bool = False
    collapse: bool = True
    max_depth: int | None = parameter(default=None, at_least=0)
    prune: Literal["none", "rep"] = "none"

    def tree(self, rows: Rows, names: tuple[str, ...], classes: int) -> Tree:
        """The tree of some rows; `names` are those of the candidates."""
        if self.prune == "none":
            root, _ = self._grown(rows, rows.values, classes, 0)
        else:
            held_out = np.arange(len(rows.weights)) % HELD_OUT == 0
            growing, judging = rows.taken(~held_out), rows.taken(held_out)
            root, _ = self._grown(growing, growing.values, classes, 0)
            _prune(root, judging)
        for number, node in enumerate(_inner_nodes(root)):
            node.expansion = number + 1
        return assembled(root, rows.columns, names)

    def _grown(self, rows: Rows, every: Floats, classes: int, depth: int) -> tuple[GrowingNode, float]:
        """A node with what is below it, and its training errors; `every` are the attributes of all rows of the tree."""
        node, errors = GrowingNode(rows.rights, rows.weight), rows.errors
        if errors <= SAME or rows.weight < 2 * self.min_objects - SAME or depth == self.max_depth:
            return node, errors
        chosen = self.chosen(list(self.candidates(rows, every, classes)))
        if chosen is None:
            return node, errors
        split = chosen.split
        grown = [self._grown(part, every, classes, depth + 1) for part in _divided(rows, split)]
        below = sum(each for _, each in grown)
        if self.collapse and below >= errors - SAME:
            return node, errors
        for (child, _), weight in zip(grown, split.branch_weights, strict=True):
            child.branch_weight = float(weight)
        node.split, node.children = replace(split, quality=chosen.gain), [child for child, _ in grown]
        return node, below

    def chosen(self, candidates: Sequence[Candidate]) -> Candidate | None:
        """The best split: by gain, or by gain ratio among those of at least average gain; of equal ones the first."""
        useful = [each for each in candidates if each.gain > SAME]
        if not useful:
            return None
        if self.criterion == "gain_ratio":
            average = sum(each.gain for each in useful) / len(useful)
            useful = [each for each in useful if each.gain >= average - SAME]
            best = max(each.ratio for each in useful)
            return next(each for each in useful if each.ratio >= best - SAME)
        best = max(each.gain for each in useful)
        return next(each for each in useful if each.gain >= best - SAME)

    def candidates(self, rows: Rows, every: Floats, classes: int) -> Iterator[Candidate]:
        """The best split by each attribute, where there is one."""
        for feature, column in enumerate(rows.columns):
            told = np.flatnonzero(~np.isnan(rows.values[feature]))
            if len(told) < 2:
                continue
            known = rows.taken(told)
            found = (
                self._threshold(known, every[feature], feature, classes)
                if column.categories is None
                else self._symbols(known, feature, len(column.categories))
            )
            if found is not None:
                split, gain = found
                share = known.weight / rows.weight
                parts = np.append(split.branch_weights, max(0.0, rows.weight - known.weight))
                yield Candidate(split, gain * share, _information(parts / rows.weight))

    def _threshold(self, known: Rows, every: Floats, feature: int, classes: int) -> tuple[Split, float] | None:
        order = np.argsort(known.values[feature], kind="stable")
        values = known.values[feature, order]
        weights = known.weights[order]
        below = np.cumsum(weights)
        rights = np.cumsum(weights[:, None] * known.right[order], axis=0)
        least = self.min_side
        if least is None:
            least = max(self.min_objects, min(MOST_OF_A_SIDE, 0.1 * known.weight / classes))
        total = float(below[-1])
        allowed = (values[:-1] < values[1:]) & (below[:-1] >= least - SAME) & (total - below[:-1] >= least - SAME)
        ends = np.flatnonzero(allowed)
        if not len(ends):
            return None
        saved = rights[ends].max(axis=1) + (rights[-1] - rights[ends]).max(axis=1) - rights[-1].max()
        gains = saved / total
        end = ends[np.argmax(gains >= gains.max() - SAME)]
        gain = float(gains.max()) - (float(np.log2(len(ends))) / total if self.penalty else 0.0)
        middle = values[end] / 2 + values[end + 1] / 2
        between = every[(every <= middle) & (every < values[end + 1])]  # the middle may be rounded up
        cut = float(np.max(between, initial=values[end]))  # a value of the data, as in C4.5
        weights_of = np.array([below[end], total - below[end]])
        return ThresholdSplit(feature=feature, cuts=np.array([cut]), branch_weights=weights_of), gain

    def _symbols(self, known: Rows, feature: int, categories: int) -> tuple[Split, float] | None:
        codes = known.values[feature].astype(np.intp)
        weights = np.asarray(np.bincount(codes, known.weights, categories), dtype=np.float64)
        if (weights >= self.min_objects - SAME).sum() < 2:
            return None
        rights = np.zeros((categories, known.right.shape[1]))
        np.add.at(rights, codes, known.weights[:, None] * known.right)
        gain = float(rights.max(axis=1).sum() - known.rights.max()) / known.weight
        branches = np.arange(categories, dtype=np.int32)
        return SymbolSplit(feature=feature, branch_of_symbol=branches, branch_weights=weights), gain


def _information(shares: Floats) -> float:
    positive = shares[shares > 0]
    return float(-(positive * np.log2(positive)).sum())


def _divided(rows: Rows, split: Split) -> list[Rows]:
    """The rows of each branch; rows whose value is missing go to all of them, in parts."""
    branches = split.branches(np.ascontiguousarray(rows.values[split.feature]))
    unknown = np.flatnonzero(branches < 0)
    shares = split.branch_weights / split.branch_weights.sum()
    parts = []
    for branch, share in enumerate(shares.tolist()):
        inside = np.flatnonzero(branches == branch)
        places = np.concatenate((inside, unknown)) if share > 0 else inside
        factors = np.where(np.arange(len(places)) < len(inside), 1.0, share)
        parts.append(rows.taken(places, factors))
    return parts


def _inner_nodes(root: GrowingNode) -> Iterator[GrowingNode]:
    """The nodes that are split, one level after the other."""
    level = [root]
    while level:
        yield from (node for node in level if node.children)
        level = [child for node in level for child in node.children]


def _prune(node: GrowingNode, judging: Rows) -> float:
    """Make leaves of nodes below which no fewer errors are made on rows held out; the errors that are left."""
    as_leaf = judging.weight - float(judging.rights[int(node.class_weights.argmax())])
    if not node.children:
        return as_leaf
    assert node.split is not None
    below = sum(map(_prune, node.children, _divided(judging, node.split)))
    if below >= as_leaf - SAME:
        node.split, node.children = None, ()
        return as_leaf
    return below
