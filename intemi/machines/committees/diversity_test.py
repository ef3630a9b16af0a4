"""The diversity test: how much the members of a committee agree, pair by pair, and how well they do."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import numpy as np

from intemi.data import Data
from intemi.kernel import Block, ConfigurationError, Model
from intemi.kernel.machine import Best
from intemi.machines.committees.answers import LABELS
from intemi.machines.committees.classifier import CommitteeClassifier
from intemi.machines.interfaces import Classifier, Floats
from intemi.machines.measures.measure import rows_to_test
from intemi.machines.roles import ClassifierTest


class DiversityTest(ClassifierTest):
    """Compare the members of a committee with each other, on data that they have not learned from.

    Two blocks have a cell for each pair of members, with the labels "First" and "Second": "Agreement", Cohen's kappa of
    their answers (1 if they always agree, 0 if as often as by chance), and their "Mean accuracy". The picture
    `diversity_against_accuracy` of them tells diverse committees from accurate ones (Margineantu and Dietterich 1997).

    >>> DiversityTest().reports
    {'Agreement': None, 'Mean accuracy': 'highest'}
    """

    @property
    def reports(self) -> Mapping[str, Best]:
        """What it finds, and which values are best."""
        return {"Agreement": None, "Mean accuracy": "highest"}

    def run(self, data: Data, classifier: Classifier) -> Model:
        if not isinstance(classifier, CommitteeClassifier) or len(classifier.members) < 2:
            raise ConfigurationError(
                f"{self.kind}: classifier must be a committee of at least 2 members, got {classifier!r}"
            )
        data, true = rows_to_test(data, classifier.labels, self.kind)
        answers = classifier.member_answers(data, (LABELS,)).labels
        assert answers is not None
        accuracies = [float(data.weights @ (each == true) / data.weights.sum()) for each in answers]
        pairs = list(combinations(range(len(answers)), 2))
        kappas = [kappa(answers[one], answers[other], data.weights, len(classifier.labels)) for one, other in pairs]
        axes = {("First", "Second"): [(one + 1, other + 1) for one, other in pairs]}
        means = [(accuracies[one] + accuracies[other]) / 2 for one, other in pairs]
        return Model(results={"Agreement": Block(kappas, axes), "Mean accuracy": Block(means, axes)})


def kappa(one: np.ndarray, other: np.ndarray, weights: Floats, classes: int) -> float:
    """Cohen's kappa of two members' answers; 1 if both always give the same one answer.

    >>> answers = np.array([0, 0, 1, 1])
    >>> kappa(answers, answers, np.ones(4), 2), kappa(answers, 1 - answers, np.ones(4), 2)
    (1.0, -1.0)
    """
    together = np.bincount(one * classes + other, weights, classes * classes).reshape(classes, classes) / weights.sum()
    agreement = float(together.diagonal().sum())
    by_chance = float(together.sum(axis=0) @ together.sum(axis=1))
    return 1.0 if by_chance >= 1 else (agreement - by_chance) / (1 - by_chance)
