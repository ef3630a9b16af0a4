"""Lineage of requests that are known by their records: those of former sessions, and machines bound by their ids."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from intemi import Capsule, Input, Machine, Model, Output, Project
from intemi.data import Data, from_numpy
from intemi.kernel import MachineFailed
from intemi.machines import (
    KNN,
    ClassificationTest,
    Count,
    CVDistributor,
    FeatureSelection,
    FScoreRanking,
    Grid,
    Majority,
    ParameterSearch,
    Repeater,
    Scheme,
    TransformAndClassify,
    Values,
)
from intemi.machines.interfaces import Classifier
from intemi.machines.measures import BalancedAccuracy
from intemi.query import Query

ANOTHER = ClassificationTest(measures=(BalancedAccuracy(),))
"""A test that was not run before."""


class Handed(Machine):
    """Hands on what was learned. All folds have learned the same, so on record there is one machine for all of them."""

    version = 1
    learned = Input(Classifier)
    classifier = Output(Classifier)

    def run(self, learned: Classifier) -> Model:
        return Model(classifier=learned)


def balanced() -> Data:
    return from_numpy(np.random.default_rng(1).normal(size=(40, 12)), np.arange(40) % 2 == 0)


def validated(project: Project) -> Capsule:
    test = Scheme(training=Data, test=Data)
    learned = test.add(Majority(), data=test.training)
    handed = test.add(Handed(), learned=learned.classifier, name="handed")
    test.add(ClassificationTest(), data=test.test, classifier=handed.classifier)
    return project.run(Repeater(CVDistributor(4), test, seed=1), data=project.given(balanced()))


@pytest.mark.parametrize("fold", range(4))
def test_a_classifier_of_a_former_session_has_learned_from_its_own_fold(tmp_path: Path, fold: int) -> None:
    with Project(tmp_path, workers=1) as project:
        validated(project)
        assert project.counts().physical["Handed"] == 1
    with Project(tmp_path, workers=1) as project:
        distributor, *tests = validated(project).children
        own, other = distributor.test[fold], distributor.test[(fold + 1) % 4]
        classifier = tests[fold].child("handed").classifier
        assert list(project.run(ANOTHER, data=own, classifier=classifier).results) == ["Balanced accuracy"]
        with pytest.raises(MachineFailed, match=r"LeakageError.*Majority learned from targets"):
            project.run(ANOTHER, data=other, classifier=classifier)
        assert project.counts().physical == {"ClassificationTest": 1}  # its code was asked, nothing else was run


def test_what_is_bound_by_its_id_is_tested_and_does_not_compete(project_of_one: Project) -> None:
    project = project_of_one
    distributor, *tests = validated(project).children
    for fold in (0, 1):
        scheme = Scheme(test=Data)
        scheme.add(ANOTHER, data=scheme.test, classifier=tests[0].child("handed").classifier, name="test")
        done = project.run(scheme, test=distributor.test[fold])
        (said,) = project.query(done, path="test", labels=["Balanced accuracy"])["Unverified"]
        assert "not known for certain" in said


@pytest.fixture
def project_of_one() -> Any:
    with Project(workers=1) as project:
        yield project


def selecting(learner: Machine) -> TransformAndClassify:
    scheme = Scheme(data=Data)
    ranking = scheme.add(FScoreRanking(), data=scheme.data)
    best = scheme.add(FeatureSelection(Count(5)), data=scheme.data, ranking=ranking.ranking)
    scheme.expose(transformed=best.transformed, transformation=best.transformation)
    return TransformAndClassify(transformation=scheme, learner=learner)


def test_a_test_inside_a_learner_does_not_answer_for_the_same_test_outside(project_of_one: Project) -> None:
    """A learner may validate on features that it has selected by all of its targets; nobody else may."""
    project = project_of_one
    test = Scheme(training=Data, test=Data)
    learned = test.add(KNN(), data=test.training, name="learner")
    test.add(ClassificationTest(), data=test.test, classifier=learned.classifier, name="test")
    inner = Repeater(CVDistributor(2), test, seed=1)
    objective = Query("test/test", "Accuracy").mean()
    search = ParameterSearch(inner, Grid(Values("test/learner.k", [1, 3])), objective, "test/learner")
    done = project.run(selecting(search), data=project.given(balanced()))
    (validation,) = [each for each in done.children if each.config == search]
    distributor, first, *_ = validation.children[0].children
    classifier = first.child("learner").classifier
    with pytest.raises(MachineFailed, match=r"LeakageError.*FScoreRanking"):
        project.run(ClassificationTest(), data=distributor.test[0], classifier=classifier)
    (transformed,) = [each for each in done.children if "transformed" in each.config.outputs]
    with pytest.raises(MachineFailed, match=r"LeakageError.*FScoreRanking"):
        project.run(inner.replace("test/learner.k", 1), data=transformed.transformed)
