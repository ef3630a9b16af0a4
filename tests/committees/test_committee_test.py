"""The committee test: every cell is what a test of that committee alone finds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from intemi.data import Data
from intemi.kernel import ConfigurationError, MachineFailed, Project
from intemi.machines import (
    KNN,
    Average,
    ClassificationTest,
    Committee,
    CommitteeTest,
    CVDistributor,
    Majority,
    MedianRule,
    NaiveBayes,
    ProductRule,
    Repeater,
    Scheme,
    Vote,
    WeightedAverage,
    WeightedVote,
)
from intemi.machines.committees import LargestMeanProbability
from intemi.machines.committees.by_size import called
from intemi.machines.fairness.leaks import LeakageError
from intemi.machines.measures import ConfusionMatrix
from intemi.query import Result
from tests.learning.tables import outputs
from tests.learning.test_classifiers import blobs

TRAINING, TEST = blobs(40), blobs(60).select_rows(range(30, 60))
WEIGHTS = (0.5, 2.0, 1.0, 0.25)
RULES = (Vote(), WeightedVote(), Average(), WeightedAverage(), ProductRule(), MedianRule())


@pytest.fixture(scope="module")
def members() -> list[Any]:
    learners = (Majority(), KNN(k=1), NaiveBayes(), KNN(k=9))
    return [outputs(learner, data=TRAINING)["classifier"] for learner in learners]


def committee(members: list[Any], **parameters: Any) -> Any:
    return Committee(tie=LargestMeanProbability(), **parameters).run(TRAINING, members, WEIGHTS[: len(members)])


def test_every_size_and_rule_is_measured_as_by_itself(members: list[Any]) -> None:
    test = CommitteeTest(RULES)
    found = test.run(TEST, committee(members).outputs["classifier"]).results
    for size in range(1, 5):
        for place, rule in enumerate(RULES):
            alone = committee(members, rule=rule, size=size).outputs["classifier"]
            expected = ClassificationTest(measures=test.measures).run(TEST, alone).results
            assert {name: block.values[size - 1, place] for name, block in found.items()} == pytest.approx(expected)


def test_without_rules_the_committee_decides_by_its_own(members: list[Any]) -> None:
    found = CommitteeTest().run(TEST, committee(members, rule=WeightedVote()).outputs["classifier"]).results
    assert found["Accuracy"].series("Accuracy")["Rule"] == ("weighted vote",) * 4


def test_what_has_fewer_members_stays_what_it_is(members: list[Any]) -> None:
    whole = committee(members[:2]).outputs["classifier"]
    found = CommitteeTest(sizes=5).run(TEST, whole).results["Accuracy"].values
    assert found.shape == (5, 1)
    assert np.array_equal(found[1:], np.repeat(found[1:2], 4, axis=0))


def test_rules_have_names_that_differ() -> None:
    assert len(set(map(called, RULES))) == len(RULES)
    with pytest.raises(ConfigurationError, match="CommitteeTest: rules must be different ones, got vote twice"):
        CommitteeTest((Vote(), Vote()))


def test_what_is_no_committee_is_refused(members: list[Any]) -> None:
    with pytest.raises(ConfigurationError, match="classifier must be a committee, got NearestNeighbors"):
        CommitteeTest().run(TEST, members[1])


def test_measures_must_be_numbers(members: list[Any]) -> None:
    whole = committee(members).outputs["classifier"]
    with pytest.raises(ConfigurationError, match="ConfusionMatrix: committees of all sizes are measured by numbers"):
        CommitteeTest(measures=(ConfusionMatrix(),)).run(TEST, whole)


def validated() -> Scheme:
    test = Scheme(training=Data, test=Data)
    learned = [test.add(each, data=test.training).classifier for each in (KNN(k=1), Majority(), NaiveBayes())]
    whole = test.add(Committee(), data=test.training, members=learned, weights=())
    test.add(CommitteeTest((Vote(), Average())), data=test.test, classifier=whole.classifier, name="sizes")
    return test


def test_cells_are_asked_for_by_size_and_rule() -> None:
    with Project(workers=1) as project:
        done = project.run(Repeater(CVDistributor(4), validated(), seed=1), data=project.given(TRAINING))
        where = (Result("Size") == 3) & (Result("Rule") == "vote")
        series = project.query(done, path="test/sizes", where=where, labels=["Accuracy", "Fold"])
        assert project.counts().physical["CommitteeTest"] == 4
    assert series["Fold"].tolist() == [1, 2, 3, 4]


def test_a_committee_that_has_seen_what_is_tested_is_refused() -> None:
    with Project(workers=1) as project:
        data = project.given(TRAINING)
        parts = project.run(CVDistributor(4), data=data)
        learned = project.request(NaiveBayes(), data=data).classifier
        whole = project.request(Committee(), data=data, members=[learned], weights=())
        with pytest.raises((LeakageError, MachineFailed), match="learned from targets"):
            project.run(CommitteeTest(), data=parts.test[0], classifier=whole.classifier)
        leak = project.run(CommitteeTest(allow_leak=True), data=parts.test[0], classifier=whole.classifier)
        assert "learned from targets" in project.query(leak)["Leak"][0]
