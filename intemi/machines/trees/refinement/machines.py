"""Machines that refine trees. Each of them depends on no more than it needs, so that refinements share their work.

Folds, their trees, the rows counted in their nodes and the tables of errors are machines of their own. What only
selects among prunings, standard errors and the like, is known to the last machine alone: any number of refinements on
the same rows grow the same trees once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from intemi.data import Data
from intemi.kernel import ConfigurationError, Input, Job, Machine, Model, MultiInput, MultiOutput, Output, parameter
from intemi.machines.classifiers.training import rows_to_learn_from
from intemi.machines.distributors import CVDistributor
from intemi.machines.interfaces import Classifier, Codes, FeatureRanking, Floats, check_columns
from intemi.machines.roles import Distributor, Learner, Ranker
from intemi.machines.trees.classifier import TreeClassifier
from intemi.machines.trees.components import DecisionModule
from intemi.machines.trees.decision_tree import TREE_REPORTS, DecisionTree, ranked, results_of
from intemi.machines.trees.decisions import Proportions
from intemi.machines.trees.pruning import cut_at
from intemi.machines.trees.refinement.cost_complexity import CostComplexity
from intemi.machines.trees.refinement.counting import counted
from intemi.machines.trees.refinement.refinement import DirectPruning, Refinement, Validator
from intemi.machines.trees.refinement.tables import Validation
from intemi.machines.trees.tree import Tree


class NodeCounts(Machine):
    """Count rows in the nodes of a tree: their class weights, a row for each node.

    >>> from intemi.data import Column, Table
    >>> data = Data(Table([Column("x")], [[1, 2, 8, 9]], Column("class", ("low", "high")), [0, 0, 1, 1]))
    >>> tree = DecisionTree().run(data).outputs["tree"]
    >>> NodeCounts().run(tree, data.select_rows([0, 1, 2])).outputs["counts"].tolist()
    [[2.0, 1.0], [2.0, 0.0], [0.0, 1.0]]
    """

    tree = Input(Tree)
    data = Input(Data)
    counts = Output(np.ndarray)

    def run(self, tree: Tree, data: Data) -> Model:
        check_columns(self.kind, tree.columns, data)
        return Model(counts=counted(tree, data))


class ErrorsOfPrunings(Machine):
    """Tell how the prunings of a tree do, on the rows it was grown on and on those that were counted in its nodes.

    `repeats`: how many passes validate a row, in the mean; standard errors count each row once.
    """

    tree = Input(Tree)
    counts = Input(np.ndarray)
    table = Output(Validation)

    validator: Validator = CostComplexity(passes=None)
    decision: DecisionModule = Proportions()
    repeats: float = parameter(default=1.0, at_least=1)

    def run(self, tree: Tree, counts: Floats) -> Model:
        if counts.shape != tree.class_weights.shape or counts.dtype != np.float64:
            raise ConfigurationError(f"{self.kind}: counts must be those of the tree, got an array of {counts.shape}")
        return Model(table=replace(self.validator.table(tree, counts, self.decision), repeats=self.repeats))


class ErrorsOnRows(Machine):
    """The same for validators that have to see the rows: a row that goes to several leaves counts as one."""

    tree = Input(Tree)
    data = Input(Data)
    table = Output(Validation)

    validator: Validator
    decision: DecisionModule = Proportions()
    repeats: float = parameter(default=1.0, at_least=1)

    def run(self, tree: Tree, data: Data) -> Model:
        check_columns(self.kind, tree.columns, data)
        return Model(table=replace(self.validator.table_of_rows(tree, data, self.decision), repeats=self.repeats))


class ValidationPasses(Machine):
    """Grow a tree on each training part that a distributor gives out, and validate its prunings on the other part."""

    data = Input(Data)
    tables = MultiOutput(Validation)
    trees = MultiOutput(Tree)
    training = MultiOutput(Data)

    learner: DecisionTree = DecisionTree()
    validator: Validator = CostComplexity(passes=None)
    decision: DecisionModule = Proportions()
    distributor: Machine = parameter(default=CVDistributor(folds=10), role=Distributor)

    async def run(self, job: Job, data: Any) -> Model:
        parts = job.request(self.distributor, data=data, name="parts")
        await parts
        repeats = validations_of_a_row([job.load(test) for test in parts.test])
        tables, trees = [], []
        for number in range(len(parts.training)):
            tree = job.request(self.learner, data=parts.training[number], name="tree")
            tables.append(self._errors(job, tree.tree, parts.test[number], repeats).table)
            trees.append(tree.tree)
        return Model(tables=tables, trees=trees, training=parts.training)

    def _errors(self, job: Job, tree: Any, test: Any, repeats: float) -> Any:
        if self.validator.needs_rows:
            on_rows = ErrorsOnRows(self.validator, self.decision, repeats)
            return job.request(on_rows, tree=tree, data=test, name="errors")
        counts = job.request(NodeCounts(), tree=tree, data=test, name="counts")
        errors = ErrorsOfPrunings(self.validator, self.decision, repeats)
        return job.request(errors, tree=tree, counts=counts.counts, name="errors")


def validations_of_a_row(tests: Sequence[Data]) -> float:
    """How many of the test parts of the same data a row of them is in, in the mean.

    >>> from intemi.data import Column, Table
    >>> data = Data(Table([Column("x")], [[1, 2, 3, 4]], Column("class", ("A", "B")), [0, 0, 1, 1]))
    >>> validations_of_a_row([data.select_rows([0, 1]), data.select_rows([1, 2]), data.select_rows([1])])
    1.6666666666666667
    """
    rows: dict[bytes, list[Codes]] = {}
    for test in tests:
        rows.setdefault(test.table.content_digest(), []).append(test.rows)
    distinct = sum(len(np.unique(np.concatenate(each))) for each in rows.values())
    return sum(map(len, tests)) / max(distinct, 1)


class PrunedTree(Machine):
    """Cut a tree back: by what it knows itself, or by the tables of validation passes.

    Results are those of a tree; after validation also "Chosen" (what was looked for: the cost of a leaf, a number of
    leaves, …) and "Validation error".
    """

    tree = Input(Tree)
    data = Input(Data)
    tables = MultiInput(Validation)
    classifier = Output(Classifier)
    pruned = Output(Tree)
    ranking = Output(FeatureRanking)

    refinement: Refinement = CostComplexity(passes=None)
    decision: DecisionModule = Proportions()

    reports = TREE_REPORTS

    def run(self, tree: Tree, data: Data, tables: tuple[Validation, ...]) -> Model:
        data = rows_to_learn_from(self.kind, data)
        results: dict[str, Any] = {}
        if isinstance(self.refinement, Validator):
            chosen = self.refinement.choose(tree, tables, self.refinement.read_by(self.decision))
            tree, decision, results = _cut(tree, chosen.nodes.tobytes()), chosen.decision, dict(chosen.results)
        else:
            assert isinstance(self.refinement, DirectPruning)
            tree, decision = self.refinement.pruned_for(tree, data, self.decision), self.refinement.decision()
        classifier, ranking = _made_of(tree, decision or self.decision)
        results = {**results_of(classifier, data), **results}
        return Model(classifier=classifier, pruned=tree, ranking=ranking, results=results)


# Of all that is asked for, few prunings of a tree differ: what is made of the last ones is kept at hand.


@lru_cache(maxsize=32)
def _cut(tree: Tree, nodes: bytes) -> Tree:
    return cut_at(tree, np.frombuffer(nodes, dtype=np.int32))


@lru_cache(maxsize=32)
def _made_of(tree: Tree, decision: DecisionModule) -> tuple[TreeClassifier, FeatureRanking]:
    return TreeClassifier(tree.columns, tree.labels, tree, decision), ranked(tree)


class RefinedTree(Learner, Ranker):
    """Grow a tree and cut it back.

    >>> from intemi.kernel import Project
    >>> from intemi.machines.loading import SklearnDataset
    >>> with Project() as project:
    ...     cancer = project.request(SklearnDataset("breast_cancer"))
    ...     full = project.run(DecisionTree(), data=cancer.data)
    ...     refined = project.run(RefinedTree(DecisionTree(), CostComplexity(se=1)), data=cancer.data)
    ...     full.results["Leaves"], refined.results["Leaves"]
    (22, 6)
    """

    tree = Output(Tree)

    uses_weights = True

    learner: DecisionTree = DecisionTree()
    refinement: Refinement = CostComplexity()

    reports = TREE_REPORTS

    def check(self) -> None:
        if isinstance(self.refinement, Validator):
            if self.refinement.passes is None:
                raise ConfigurationError(f"{self.kind}: refinement.passes must be a distributor, got None")
        elif not isinstance(self.refinement, DirectPruning):
            raise ConfigurationError(
                f"{self.kind}: refinement must be a direct pruning or a validator, got {self.refinement!r}"
            )

    def grower(self) -> DecisionTree:
        """What grows the tree that is cut."""
        return _parts(self)[0]

    def passes(self) -> ValidationPasses | None:
        """What validates its prunings, if they are validated."""
        return _parts(self)[1]

    async def run(self, job: Job, data: Any) -> Model:
        learner, passes_of, pruning = _parts(self)
        tables: Any = ()
        is_single = False
        if passes_of is not None:
            passes = job.request(passes_of, data=data, name="passes")
            tables, is_single = passes.tables, isinstance(self.refinement, Validator) and self.refinement.is_single
        if is_single:
            await passes
            tree, data = passes.trees[0], passes.training[0]
        else:
            tree = job.request(learner, data=data, name="tree").tree
        pruned = job.request(pruning, tree=tree, data=data, tables=tables, name="pruned")
        await pruned
        return Model(classifier=pruned.classifier, tree=pruned.pruned, ranking=pruned.ranking, results=pruned.results)


@lru_cache(maxsize=1024)
def _parts(config: RefinedTree) -> tuple[DecisionTree, ValidationPasses | None, PrunedTree]:
    """What grows the tree, what validates its prunings, and what cuts it; remembered, since folds ask for the same."""
    decision, learner, refinement = config.learner.decision, grower_of(config.learner), config.refinement
    if not isinstance(refinement, Validator):
        return learner, None, PrunedTree(refinement, decision)
    assert refinement.passes is not None
    passes = ValidationPasses(learner, refinement.growth_key(), refinement.read_by(decision), refinement.passes)
    return learner, passes, PrunedTree(refinement.without_passes(), decision)


@lru_cache(maxsize=256)
def grower_of(learner: DecisionTree) -> DecisionTree:
    """The learner without its answers, which make no difference to growth: those that differ in them share trees."""
    return learner.with_part("decision", Proportions())


TreeLearner = DecisionTree | RefinedTree


def refined(learner: DecisionTree, refinement: Refinement | None) -> TreeLearner:
    """The learner itself, or with a refinement behind it."""
    return learner if refinement is None else RefinedTree(learner, refinement)
