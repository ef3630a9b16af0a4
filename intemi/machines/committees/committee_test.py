"""The committee test: committees of all sizes by several rules, in one pass over the test data."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from intemi.data import Data
from intemi.kernel import Block, ConfigurationError, Model, parameter
from intemi.kernel.machine import Best
from intemi.machines.committees.answers import needed_by
from intemi.machines.committees.by_size import called, measured_by_size
from intemi.machines.committees.classifier import CommitteeClassifier
from intemi.machines.committees.decision_rules import DecisionRule
from intemi.machines.interfaces import Classifier
from intemi.machines.measures import USUAL_MEASURES, ConfusionMatrix, Measure
from intemi.machines.measures.measure import check_names, rows_to_test
from intemi.machines.roles import ClassifierTest

NUMBERS = tuple(each for each in USUAL_MEASURES if not isinstance(each, ConfusionMatrix))
"""The usual measures that are numbers."""


class CommitteeTest(ClassifierTest):
    """Test a committee and all smaller ones that its first members are, by its own rule or by several others.

    Each member answers once. What `ClassificationTest` finds of each committee is a cell of a block here: every measure
    is a result with the labels "Size" and "Rule", and questions about single sizes and rules are asked by them. With
    `sizes` there are so many, and what has fewer members, as boosting that ended early, stays what it is.

    >>> from intemi.kernel import Project
    >>> from intemi.machines import KNN, Committee, Majority, NaiveBayes, SklearnDataset
    >>> from intemi.machines.committees import Average, Vote
    >>> with Project() as project:
    ...     data = project.request(SklearnDataset("iris")).data
    ...     members = [project.request(each, data=data).classifier for each in (Majority(), NaiveBayes(), KNN(k=5))]
    ...     committee = project.request(Committee(), data=data, members=members, weights=())
    ...     test = CommitteeTest(rules=(Vote(), Average()))
    ...     project.run(test, data=data, classifier=committee.classifier).results["Accuracy"].values.round(2)
    array([[0.33, 0.33],
           [0.33, 0.96],
           [0.95, 0.96]])
    """

    rules: tuple[DecisionRule, ...] = ()
    """By which to decide; that of the committee, if there are none."""
    sizes: int | None = parameter(default=None, at_least=1)
    """How many sizes there are: as many as members, if that is not said."""
    measures: tuple[Measure, ...] = parameter(default=NUMBERS, kw_only=True)

    def check(self) -> None:
        check_names(self.kind, self.measures)
        names = list(map(called, self.rules))
        if twice := [name for name in names if names.count(name) > 1]:
            raise ConfigurationError(f"{self.kind}: rules must be different ones, got {twice[0]} twice")

    @property
    def reports(self) -> Mapping[str, Best]:
        """Its measures by name, and which values are best."""
        return {each.name: each.best for each in self.measures}

    def run(self, data: Data, classifier: Classifier) -> Model:
        if not isinstance(classifier, CommitteeClassifier):
            raise ConfigurationError(
                f"{self.kind}: classifier must be a committee, got {type(classifier).__name__}; "
                "ClassificationTest tests any"
            )
        rules = self.rules or (classifier.rule,)
        data, true = rows_to_test(data, classifier.labels, self.kind)
        answers = classifier.member_answers(data, needed_by(classifier.tie, *rules))
        found = np.array(
            [
                measured_by_size(self.measures, rule, classifier.tie, answers, true, data.weights, classifier.labels)
                for rule in rules
            ]
        )  # rules × measures × sizes
        sizes = self.sizes or answers.size
        places = np.minimum(np.arange(sizes), answers.size - 1)
        axes = {"Size": range(1, sizes + 1), "Rule": tuple(map(called, rules))}
        return Model(
            results={
                measure.name: Block(found[:, place, places].T, axes) for place, measure in enumerate(self.measures)
            }
        )
