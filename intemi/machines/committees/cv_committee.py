"""Cross-validation committees: the trees that validation has grown, cut back, decide together.

Validation by several passes grows and validates a tree in each; usually they are thrown away, and one more tree is
grown and cut. Here the best of them are kept. The trees and the tables of errors are those of `RefinedTree` with the
same distributor: where both are asked for, they are grown once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from intemi.data import Data
from intemi.kernel import Block, ConfigurationError, Input, Job, Machine, Model, MultiInput, MultiOutput, parameter
from intemi.kernel.machine import Best
from intemi.machines.classifiers.training import rows_to_learn_from, weight_of_classes
from intemi.machines.committees.answers import Answers
from intemi.machines.committees.by_size import measured_by_size
from intemi.machines.committees.committee import Committee
from intemi.machines.committees.decision_rules import Average
from intemi.machines.committees.tie_rules import LargestPrior
from intemi.machines.distributors import CVDistributor
from intemi.machines.interfaces import Classifier, Floats
from intemi.machines.measures import ClassificationAccuracy, Measure
from intemi.machines.measures.measure import check_names, rows_to_test
from intemi.machines.roles import Distributor, FairTest, Learner
from intemi.machines.trees.classifier import TreeClassifier
from intemi.machines.trees.components import DecisionModule
from intemi.machines.trees.decision_tree import DecisionTree
from intemi.machines.trees.decisions import Proportions
from intemi.machines.trees.refinement.cost_complexity import CostComplexity
from intemi.machines.trees.refinement.m_estimate_validation import MEstimateValidation
from intemi.machines.trees.refinement.machines import ValidationPasses, grower_of
from intemi.machines.trees.refinement.ranked_prunings import MAJORITY, Mode, Pruned, check_mode, ranked_prunings
from intemi.machines.trees.refinement.refinement import Validator
from intemi.machines.trees.refinement.tables import Validation
from intemi.machines.trees.tree import Tree

RULE, TIE = Average(), LargestPrior()


class RankedTrees(Machine):
    """Cut the trees of validation passes back, and give them in the order of their validation errors.

    Results, a number for each: "Validation error", "Leaves", and the "Pass" that it is of.

    >>> RankedTrees(mode="common").mode
    'common'
    """

    trees = MultiInput(Tree)
    tables = MultiInput(Validation)
    members = MultiOutput(Classifier)

    validator: Validator = CostComplexity(passes=None)
    mode: Mode = "separate"
    decision: DecisionModule = Proportions()

    def check(self) -> None:
        check_mode(self.kind, self.validator, self.mode)

    def run(self, trees: Sequence[Tree], tables: Sequence[Validation]) -> Model:
        ranked = ranked_prunings(self.validator, self.mode, trees, tables)
        return Model(
            members=[_classifier(each, self.decision) for each in ranked],
            results={
                "Validation error": np.array([each.error for each in ranked]),
                "Leaves": np.array([each.tree.leaf_count for each in ranked]),
                "Pass": np.array([each.place + 1 for each in ranked]),
            },
        )


def _classifier(pruned: Pruned, decision: DecisionModule) -> TreeClassifier:
    return TreeClassifier(pruned.tree.columns, pruned.tree.labels, pruned.tree, pruned.decision or decision)


class CVCommittee(Learner):
    """Keep the best trees of cross-validation, each cut back as validation says; the mean of their answers decides.

    The `distributor` gives out training and validation rows, in place of the validator's own passes. With the mode
    "separate" each tree is cut by what its own validation rows say, with "common" all are cut by one strength, which is
    best for all together. `decision` is what leaves answer (after `MEstimateValidation` by the m that it has found).
    Without a `size` all trees decide.

    >>> from intemi.kernel import Project
    >>> from intemi.machines import DecisionTree
    >>> from intemi.machines.loading import SklearnDataset
    >>> with Project() as project:
    ...     cancer = project.request(SklearnDataset("breast_cancer"))
    ...     learned = project.run(CVCommittee(DecisionTree(), CostComplexity(se=1), size=5), data=cancer.data)
    ...     learned.outputs["classifier"]
    CommitteeClassifier(5 members, Average(), classes malignant, benign)
    """

    members = MultiOutput(Classifier)

    learner: DecisionTree = DecisionTree()
    validator: Validator = CostComplexity()
    mode: Mode = "separate"
    decision: DecisionModule = Proportions()
    size: int | None = parameter(default=None, at_least=1)
    distributor: Machine = parameter(default=CVDistributor(folds=10), role=Distributor)

    def check(self) -> None:
        check_mode(self.kind, self.validator, self.mode)

    async def run(self, job: Job, data: Any) -> Model:
        passes_of, ranking = _parts(self)
        passes = job.request(passes_of, data=data, name="passes")
        ranked = job.request(ranking, trees=passes.trees, tables=passes.tables, name="ranked")
        committee = Committee(RULE, TIE, self.size)
        whole = job.request(committee, data=data, members=ranked.members, weights=(), name="committee")
        await ranked
        return Model(classifier=whole.classifier, members=ranked.members, results=ranked.results)


@lru_cache(maxsize=1024)
def _parts(config: CVCommittee) -> tuple[ValidationPasses, RankedTrees]:
    """What grows and validates the trees, and what cuts and ranks them; remembered, since folds ask for the same."""
    passes = passes_for(config.learner, config.validator, config.distributor)
    return passes, RankedTrees(config.validator.without_passes(), config.mode, config.decision)


def passes_for(learner: DecisionTree, validator: Validator, distributor: Machine) -> ValidationPasses:
    """What grows and validates trees for committees of a learner and a validator, whatever it selects."""
    return ValidationPasses(grower_of(learner), validator.growth_key(), MAJORITY, distributor)


class CVCommitteeTest(FairTest):
    """Test cross-validation committees of all sizes, with all standard errors, training errors and decisions at once.

    `trees` and `tables` are those of `passes_for`, `training` is what they were made of. Each measure is a block with
    the labels "SE" and "SE of", "TE", "Decision" and "Size"; so is "Leaves", the mean number of leaves of the members.
    A cell is what `ClassificationTest` finds of `CVCommittee` with these parameters.

    >>> CVCommitteeTest(tefs=(0.0, 1.0)).tefs
    (0.0, 1.0)
    """

    data = Input(Data)
    trees = MultiInput(Tree)
    tables = MultiInput(Validation)
    training = Input(Data)

    validator: Validator = CostComplexity(passes=None)
    mode: Mode = "separate"
    errors: tuple[tuple[float, str], ...] = ((0.0, "theory"), (0.5, "theory"), (1.0, "theory"))
    """How many standard errors of which kind, "theory" or "sample", as `se` and `se_of` of a validator."""
    tefs: tuple[float, ...] = (0.0, 0.5, 1.0)
    decisions: tuple[DecisionModule, ...] = (Proportions(),)
    measures: tuple[Measure, ...] = parameter(default=(ClassificationAccuracy(),), kw_only=True)

    def check(self) -> None:
        check_names(self.kind, self.measures)
        for name in ("errors", "tefs", "decisions"):
            values = getattr(self, name)
            if not values or len(set(values)) != len(values):
                raise ConfigurationError(f"{self.kind}: {name} must be some, and all different, got {values}")
        if isinstance(self.validator, MEstimateValidation) and len(self.decisions) > 1:
            raise ConfigurationError(
                f"{self.kind}: decisions must be one with {self.validator.kind}, whose leaves answer by the m that it "
                f"finds, got {len(self.decisions)}"
            )
        for _, validator in _settings(self):
            check_mode(self.kind, validator, self.mode)

    @property
    def reports(self) -> Mapping[str, Best]:
        """Its measures by name, and which values are best."""
        return {each.name: each.best for each in self.measures}

    def run(self, data: Data, trees: Sequence[Tree], tables: Sequence[Validation], training: Data) -> Model:
        labels = training.labels
        data, true = rows_to_test(data, labels, self.kind)
        shares = weight_of_classes(rows_to_learn_from(self.kind, training))
        priors = shares / shares.sum()
        told = _Told(data)
        shape = (len(self.errors), len(self.tefs), len(self.decisions), len(trees))
        found, leaves = np.empty((len(self.measures), *shape)), np.empty(shape)
        known: dict[Any, Floats] = {}
        for at, validator in _settings(self):
            ranked = ranked_prunings(validator, self.mode, trees, tables)
            leaves[at] = np.cumsum([each.tree.leaf_count for each in ranked]) / np.arange(1, len(trees) + 1)
            for place, decision in enumerate(self.decisions):
                members = tuple((each.tree, each.decision or decision) for each in ranked)
                if members not in known:  # few of all settings differ in their committees
                    answers = Answers(np.ones(len(trees)), priors, data.origins, probabilities=told.by(members))
                    known[members] = measured_by_size(self.measures, RULE, TIE, answers, true, data.weights, labels)
                found[(slice(None), *at, place)] = known[members]
        axes: dict[Any, Any] = {
            ("SE", "SE of"): self.errors,
            "TE": self.tefs,
            "Decision": tuple(each.kind for each in self.decisions),
            "Size": range(1, len(trees) + 1),
        }
        results = {measure.name: Block(values, axes) for measure, values in zip(self.measures, found, strict=True)}
        return Model(results={**results, "Leaves": Block(leaves, axes)})


def _settings(test: CVCommitteeTest) -> list[tuple[tuple[int, int], Validator]]:
    """The validator with all standard errors and training errors, and where these stand."""
    kept: dict[str, Any] = {**test.validator.parameters(), "passes": None}
    return [
        ((row, column), type(test.validator)(**{**kept, "se": se, "se_of": se_of, "tef": tef}))
        for row, (se, se_of) in enumerate(test.errors)
        for column, tef in enumerate(test.tefs)
    ]


class _Told:
    """What trees answer for data, asked once of each."""

    def __init__(self, data: Data) -> None:
        self._data = data
        self._told: dict[tuple[Tree, DecisionModule], Floats] = {}

    def by(self, members: Sequence[tuple[Tree, DecisionModule]]) -> Floats:
        """Members × rows × classes."""
        for member in members:
            if member not in self._told:
                tree, decision = member
                classifier = TreeClassifier(tree.columns, tree.labels, tree, decision)
                self._told[member] = classifier.probabilities(self._data)
        return np.array([self._told[member] for member in members])
