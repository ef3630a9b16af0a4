"""The book's example of unification (section 4.2.2.2): different rankings often select the same features."""

from __future__ import annotations

import pytest

from intemi.data import Data
from intemi.kernel import Machine, Project
from intemi.machines import Repeater, Scheme
from intemi.machines.classifiers import ClassificationTest, NaiveBayes
from intemi.machines.distributors import CVDistributor
from intemi.machines.rankings import (
    CorrelationRanking,
    Count,
    FeatureSelection,
    FScoreRanking,
    GivenRanking,
    MutualInformationRanking,
    ReliefFRanking,
)
from intemi.machines.transformations import ExternalTransformation
from scripts.reference_data import WIDE
from tests import datasets
from tests.learning.tables import mixed

TABLE_4_1 = {
    "F-score": (6, 3, 2, 7, 1, 8, 4, 5, 9),
    "correlation coefficient": (3, 2, 6, 7, 1, 8, 4, 5, 9),
    "information theory": (2, 3, 6, 7, 5, 8, 1, 4, 9),
    "SVM": (6, 1, 3, 7, 9, 4, 8, 5, 2),
    "DT, Gini": (2, 6, 8, 1, 5, 4, 7, 3, 9),
    "DT, information gain": (2, 6, 1, 7, 3, 4, 8, 5, 9),
    "DT, information gain ratio": (2, 6, 1, 5, 7, 4, 3, 8, 9),
    "DT, SSV": (2, 6, 1, 8, 7, 4, 5, 3, 9),
}


LIVE: dict[str, Machine] = {"F-score": FScoreRanking(), "information theory": MutualInformationRanking()}
"""Where ours rank the features of breast-w as the book's did; on data that stand for it, its orders are given."""


def ranked(order: tuple[int, ...]) -> GivenRanking:
    return GivenRanking(tuple(feature - 1 for feature in order))


@pytest.mark.parametrize("workers", [1, 4])
def test_of_72_subsets_of_features_37_are_different_and_only_they_are_classified(workers: int) -> None:
    with Project(workers=workers) as project:
        data = project.given(datasets.load("breast-w"))
        classifiers = []
        for name, order in TABLE_4_1.items():
            machine = LIVE[name] if WIDE.is_there and name in LIVE else ranked(order)
            ranking = project.request(machine, data=data, name=name)
            for count in range(1, 10):
                selection = project.request(FeatureSelection(Count(count)), data=data, ranking=ranking.ranking)
                classifiers.append(project.request(NaiveBayes(), data=selection.transformed))
        project.wait(*classifiers)
        counts = project.counts()
    assert counts.logical["NaiveBayes"] == 72
    assert counts.physical["NaiveBayes"] == 37
    assert counts.physical["GivenRanking"] == (6 if WIDE.is_there else 8)
    assert counts.physical["FeatureSelection"] == 72


def comparison(counts: range, *rankings: Machine) -> Scheme:
    """Test all rankings with all numbers of features."""
    test = Scheme(training=Data, test=Data)
    for ranking in rankings:
        made = test.add(ranking, data=test.training)
        for count in counts:
            selection = test.add(FeatureSelection(Count(count)), data=test.training, ranking=made.ranking)
            bayes = test.add(NaiveBayes(), data=selection.transformed)
            external = test.add(ExternalTransformation(), data=test.test, transformation=selection.transformation)
            test.add(ClassificationTest(), data=external.transformed, classifier=bayes.classifier)
    return test


def test_live_rankings_within_cross_validation_share_what_they_select(capsys: pytest.CaptureFixture[str]) -> None:
    rankings = (CorrelationRanking(), FScoreRanking(), MutualInformationRanking(), ReliefFRanking(samples=100))
    config = Repeater(distributor=CVDistributor(10), test=comparison(range(1, 10), *rankings), seed=1)
    with Project() as project:
        done = project.run(config, data=project.given(datasets.load("breast-w")))
        counts = project.counts()
        subsets = {
            (fold, child.outputs["transformed"])
            for fold, test in enumerate(done.children)
            for child in test.children
            if isinstance(child.config, FeatureSelection)
        }
    asked, run = counts.logical["NaiveBayes"], counts.physical["NaiveBayes"]
    with capsys.disabled():
        print(f"\n4 rankings × 9 counts × 10 folds on breast-w: {asked} classifiers, {asked - run} of them saved")
    assert asked == 360
    assert run == len(subsets)
    assert counts.physical["ClassificationTest"] == run
    assert asked - run >= 100
    assert all(counts.physical[ranking.kind] == 10 for ranking in rankings)


def test_other_data_or_other_rows_are_other_subsets() -> None:
    data = mixed()
    with Project() as project:
        for part in (data, data.select_rows(range(30)), mixed(seed=1)):
            given = project.given(part)
            ranking = project.request(GivenRanking((0, 1, 2, 3, 4)), data=given)
            selection = project.request(FeatureSelection(Count(2)), data=given, ranking=ranking.ranking)
            project.run(NaiveBayes(), data=selection.transformed)
        assert project.counts().physical["NaiveBayes"] == 3
