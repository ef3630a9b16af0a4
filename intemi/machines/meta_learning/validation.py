"""Validation: how a candidate is tested, as a template with a place for it."""

from __future__ import annotations

from intemi.data import Data
from intemi.kernel import Machine
from intemi.machines.classifiers.classification_test import ClassificationTest
from intemi.machines.distributors import CVDistributor
from intemi.machines.roles import ClassifierTest, Learner, placeholder
from intemi.machines.structure.repeater import Repeater
from intemi.machines.structure.scheme import Scheme

CANDIDATE = "test/candidate"
"""Where the candidate is, in a validation."""
RESULT = "test/result"
"""Where its results are."""


def cross_validation(folds: int = 5, repetitions: int = 2, test: ClassifierTest | None = None) -> Repeater:
    """Cross-validation of whatever learner fills the place at "test/candidate".

    All candidates are tested on the same splits, so that their results are compared in pairs.

    >>> from intemi.machines import KNN
    >>> cross_validation().fill({CANDIDATE: KNN()}).missing()
    []
    """
    scheme = Scheme(training=Data, test=Data)
    learner = scheme.add(placeholder(Learner), data=scheme.training, name="candidate")
    scheme.add(test or ClassificationTest(), data=scheme.test, classifier=learner.classifier, name="result")
    return Repeater(CVDistributor(folds), scheme, repetitions)


def candidate_of(test: Machine) -> Machine:
    """The candidate of a test: a placeholder with ports is a scheme around it.

    >>> from intemi.machines import KNN
    >>> candidate_of(cross_validation().fill({CANDIDATE: KNN(k=3)})).k
    3
    """
    place: Machine = test.get(CANDIDATE)
    return place.children[0].machine if isinstance(place, Scheme) and len(place.children) == 1 else place
