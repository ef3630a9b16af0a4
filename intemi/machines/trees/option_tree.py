"""Option trees: nodes with several splits at a time, each with children of its own; a row goes down all of them.

Buntine (1992), Kohavi and Kunz (1997). Near the root, where splits are often nearly as good as each other, the choice
is put off: the options of a node are averaged, vote, or are weighted by their evidence.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np

from intemi.data import Column, Data
from intemi.kernel import Component, Model, parameter, storable
from intemi.kernel.libraries import library
from intemi.kernel.machine import Best
from intemi.machines.classifiers.training import one_hot, rows_to_learn_from
from intemi.machines.decoded import expect, expect_floats, expect_indices
from intemi.machines.interfaces import Classifier, Codes, Floats
from intemi.machines.roles import Learner
from intemi.machines.trees.components import Growth, StopCriterion
from intemi.machines.trees.fast import infinite_values
from intemi.machines.trees.growing import divide
from intemi.machines.trees.missing import ImputeNode, MajorityBranch
from intemi.machines.trees.node_data import NodeData
from intemi.machines.trees.splits import Split, split_of
from intemi.machines.trees.splitters.exhaustive import ExhaustiveSearch
from intemi.machines.trees.stop import AnyOf, MaxErrors, MinNodeSize
from intemi.machines.trees.tree import SYMBOLS, THRESHOLDS, starts


class Shares(NamedTuple):
    """How an answer is made of a node and its options; those of a node add up to 1."""

    own: Floats
    """What the classes of each node itself count."""
    options: Floats
    """What each option counts."""
    classes: Floats
    """The probabilities of the classes in each node by itself, a row for each."""


class OptionRule(Component):
    """Says what a node answers whose options answer differently."""

    crisp: ClassVar[bool] = False
    """Whether options answer with one class, instead of probabilities."""

    @abstractmethod
    def shares(self, tree: TreeOfOptions) -> Shares:
        """What nodes and options count."""


class AverageOptions(OptionRule):
    """The mean of what the options answer; leaves answer with the shares of their classes."""

    def shares(self, tree: TreeOfOptions) -> Shares:
        counts = np.diff(tree.option_start)
        classes, total = tree.class_weights.copy(), tree.class_weights.sum(axis=1)
        for option in range(len(tree.first_child)):
            for child in tree.children(option):
                if total[child] == 0:  # no row came here: what its parent has
                    classes[child] = classes[tree.parent[option]]
        classes /= classes.sum(axis=1, keepdims=True)
        return Shares((counts == 0).astype(np.float64), np.repeat(1 / np.maximum(counts, 1), counts), classes)


class VoteOptions(AverageOptions):
    """Each option votes for its most probable class; of equal ones for the first."""

    crisp = True


class BayesOptions(OptionRule):
    """Options, and the node as a leaf, count by their evidence: the probability of the training classes.

    A node is a leaf with probability `leaf` beforehand; to the weight of each class `alpha` is added. With one option
    in each node this is tree smoothing, an average over all prunings. Empty branches have no evidence against them.
    """

    leaf: float = parameter(default=0.5, above=0, below=1)
    alpha: float = parameter(default=1.0, above=0)

    def shares(self, tree: TreeOfOptions) -> Shares:
        gammaln = library("scipy.special").gammaln
        weights, k = tree.class_weights, tree.class_weights.shape[1]
        total = weights.sum(axis=1)
        evidence = (
            gammaln(k * self.alpha)
            - gammaln(k * self.alpha + total)
            + (gammaln(self.alpha + weights) - gammaln(self.alpha)).sum(axis=1)
        )
        own, options = np.ones(len(tree)), np.zeros(len(tree.first_child))
        for node in range(len(tree) - 1, -1, -1):  # children come after their parents
            places = range(tree.option_start[node], tree.option_start[node + 1])
            if not len(places):
                continue
            parts = [np.log(self.leaf) + evidence[node]]
            parts += [
                np.log((1 - self.leaf) / len(places)) + evidence[list(tree.children(option))].sum() for option in places
            ]
            evidence[node] = np.logaddexp.reduce(parts)
            own[node], *options[places.start : places.stop] = np.exp(np.array(parts) - evidence[node])
        return Shares(own, options, (weights + self.alpha) / (total + k * self.alpha)[:, None])


@storable
@dataclass(frozen=True, eq=False)
class TreeOfOptions:
    """Nodes, their options, and the children of these; children come after their parents."""

    columns: tuple[Column, ...]
    labels: tuple[str, ...]
    class_weights: Floats
    """A row for each node."""
    option_start: Codes
    """Where the options of each node begin, and where the last ones end; a leaf has none."""
    first_child: Codes
    """Of each option; its children stand side by side."""
    branch_count: Codes
    default_branch: Codes
    """Where rows go whose value is missing."""
    kind: Codes
    feature: Codes
    parameter_start: Codes
    parameters: Floats

    def __len__(self) -> int:
        return len(self.class_weights)

    @cached_property
    def parent(self) -> Codes:
        """The node of each option."""
        return np.repeat(np.arange(len(self), dtype=np.int32), np.diff(self.option_start))

    def children(self, option: int) -> range:
        """The nodes that an option leads to."""
        first = int(self.first_child[option])
        return range(first, first + int(self.branch_count[option]))

    def split(self, option: int) -> Split:
        """The test of an option."""
        begin, end = self.parameter_start[option : option + 2]
        return split_of(int(self.kind[option]), int(self.feature[option]), self.parameters[begin:end])

    def check_decoded(self) -> None:
        """Refuse what does not fit together."""
        nodes, options = len(self.class_weights), len(self.first_child)
        expect_floats(self.class_weights, nodes, len(self.labels))
        for each in (self.option_start, self.first_child, self.branch_count, self.default_branch, self.kind):
            expect(type(each) is np.ndarray and each.dtype == np.int32 and each.ndim == 1, "a tree is of whole numbers")
        expect(_are_starts(self.option_start, nodes, options), "options follow each other")
        expect(_are_starts(self.parameter_start, options, len(self.parameters)), "parameters follow each other")
        expect(len(self.branch_count) == len(self.default_branch) == len(self.kind) == options, "options are complete")
        expect_indices(self.feature, len(self.columns))
        ends = self.first_child + self.branch_count
        expect((self.first_child > self.parent).all() and (ends <= nodes).all(), "children come after their parents")
        expect((self.branch_count >= 2).all() and len(self.feature) == options, "options have branches")
        expect(((self.default_branch >= 0) & (self.default_branch < self.branch_count)).all(), "missing values go on")
        expect_floats(self.parameters, len(self.parameters))
        for option in range(options):
            self._check_option(option)

    def _check_option(self, option: int) -> None:
        categories = self.columns[self.feature[option]].categories
        expect(self.kind[option] == (THRESHOLDS if categories is None else SYMBOLS), "tests are of their columns")
        split = self.split(option)
        expect(categories is None or len(split.parameters()) == len(categories), "each symbol has a branch")
        expect(split.branch_count == self.branch_count[option], "tests lead to the children")


def _are_starts(values: Codes, count: int, end: int) -> bool:
    return bool(
        type(values) is np.ndarray
        and values.dtype == np.int32
        and values.shape == (count + 1,)
        and values[0] == 0
        and values[-1] == end
        and (np.diff(values) >= 0).all()
    )


@storable
@dataclass(frozen=True, eq=False)
class OptionTreeClassifier(Classifier):
    """An option tree and how its options are combined."""

    columns: tuple[Column, ...]
    labels: tuple[str, ...]
    tree: TreeOfOptions
    rule: OptionRule

    def check_decoded(self) -> None:
        """Refuse what does not fit together."""
        super().check_decoded()
        expect(type(self.tree) is TreeOfOptions and isinstance(self.rule, OptionRule), "an option tree decides")
        expect(self.tree.columns == self.columns and self.tree.labels == self.labels, "a tree fits")

    def _probabilities(self, data: Data) -> Floats:
        """From the last node up: what a node answers for the rows that reach it is made of what its options answer."""
        tree, shares = self.tree, self.rule.shares(self.tree)
        rows: list[Codes] = [np.arange(len(data), dtype=np.int32)] + [np.empty(0, dtype=np.int32)] * (len(tree) - 1)
        for node in range(len(tree)):
            for option in range(tree.option_start[node], tree.option_start[node + 1]):
                branches = tree.split(option).branches(data.feature(int(tree.feature[option]))[rows[node]])
                branches = np.where(branches < 0, tree.default_branch[option], branches)
                for branch, child in enumerate(tree.children(option)):
                    rows[child] = rows[node][branches == branch]
        answers = [np.empty((0, len(self.labels)))] * len(tree)
        for node in range(len(tree) - 1, -1, -1):
            answer = np.tile(shares.own[node] * shares.classes[node], (len(rows[node]), 1))
            for option in range(tree.option_start[node], tree.option_start[node + 1]):
                for child in tree.children(option):
                    told = answers[child]
                    if self.rule.crisp:
                        told = one_hot(told.argmax(axis=1).astype(np.int32), len(self.labels))
                    answer[np.searchsorted(rows[node], rows[child])] += shares.options[option] * told
            answers[node] = answer
        return answers[0]


class OptionTree(Learner):
    """Grow a tree whose upper nodes keep several splits.

    A node less than `option_depth` below the root, with at least `min_objects` rows, keeps up to `max_options` splits
    of different features, if their quality is at least `option_factor` of the best one's; other nodes keep the best
    one. When there are `max_nodes` nodes, growth ends.

    >>> from intemi.data import Table
    >>> from intemi.kernel import Project
    >>> x = [[0, 0, 0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 0, 1, 1, 1]]
    >>> data = Data(Table([Column("a"), Column("b")], x, Column("class", ("A", "B")), [0, 0, 0, 0, 1, 1, 1, 1]))
    >>> learner = OptionTree(option_factor=0.1, min_objects=2, option_depth=1)
    >>> with Project() as project:
    ...     found = project.run(learner, data=project.given(data))
    >>> found.results["Options"]
    4
    """

    uses_weights = True

    splitter: ExhaustiveSearch = ExhaustiveSearch()
    stop: StopCriterion = AnyOf((MaxErrors(), MinNodeSize()))
    missing_values: MajorityBranch | ImputeNode = MajorityBranch()
    rule: OptionRule = AverageOptions()
    max_options: int = parameter(default=5, at_least=1, search=(1, 2, 3, 5))
    option_factor: float = parameter(default=0.9, at_least=0, at_most=1, search=(0.7, 0.8, 0.9, 0.95))
    option_depth: int = parameter(default=2, at_least=0, search=(1, 2, 3))
    min_objects: float = parameter(default=10.0, at_least=0)
    max_nodes: int = parameter(default=10_000, at_least=1)

    reports: ClassVar[Mapping[str, Best]] = dict.fromkeys(("Size", "Options", "Training error"), "lowest")

    def run(self, data: Data) -> Model:
        data = rows_to_learn_from(self.kind, data)
        for index, column in enumerate(data.columns):
            if np.isinf(data.feature(index)).any():
                raise infinite_values(column)
        tree = self._grown(data)
        classifier = OptionTreeClassifier(data.columns, data.labels, tree, self.rule)
        wrong = classifier.classify(data) != data.classes
        error = float(data.weights[wrong].sum() / data.weights.sum())
        return Model(
            classifier=classifier,
            results={"Size": len(tree), "Options": len(tree.first_child), "Training error": error},
        )

    def _grown(self, data: Data) -> TreeOfOptions:
        nodes, made, counts = [NodeData.of(data)], list[tuple[Split, int, int]](), list[int]()
        growth = Growth()
        for node in nodes:  # which grows meanwhile, level by level
            before = len(made)
            for split in self._options(node, growth):
                division = divide(node, split, self.missing_values)
                if division.is_one or len(nodes) + len(division.parts) > self.max_nodes:
                    continue
                made.append((division.split, division.default_branch, len(nodes)))
                nodes += division.parts
                growth.leaves += len(division.parts) - (1 if len(made) == before + 1 else 0)
            counts.append(len(made) - before)
        splits = [split for split, _, _ in made]
        parameters = [split.parameters() for split in splits]
        return TreeOfOptions(
            data.columns,
            data.labels,
            np.array([node.class_weights for node in nodes]),
            starts(counts),
            np.array([first for _, _, first in made], dtype=np.int32),
            np.array([split.branch_count for split in splits], dtype=np.int32),
            np.array([default for _, default, _ in made], dtype=np.int32),
            np.array([split.kind for split in splits], dtype=np.int32),
            np.array([split.feature for split in splits], dtype=np.int32),
            starts([len(each) for each in parameters]),
            np.concatenate(parameters) if parameters else np.zeros(0),
        )

    def _options(self, node: NodeData, growth: Growth) -> list[Split]:
        if node.errors <= 1e-12 * node.weight or self.stop.stops(node, growth):
            return []
        several = node.depth <= self.option_depth and node.weight >= self.min_objects
        best = self.splitter.best_splits(node, self.max_options if several else 1)
        return [split for split in best if split.quality >= self.option_factor * best[0].quality]
