"""Permutation importance: what a classifier loses if a feature is shuffled, on rows that were held out."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.inspection import permutation_importance
from sklearn.naive_bayes import GaussianNB

from intemi import Project
from intemi.kernel import BindingError, ConfigurationError, InfeasibleError
from intemi.machines import (
    KNN,
    CVDistributor,
    ForestRanking,
    HoldOutDistributor,
    Majority,
    NaiveBayes,
    PermutationImportance,
    PermutationRanking,
    RandomForest,
    SklearnDataset,
    TopSplitForest,
)
from tests.learning.tables import mixed, outputs


def test_importances_are_those_of_scikit_learn() -> None:
    data, iris = outputs(SklearnDataset("iris"))["data"], load_iris()
    classifier = outputs(NaiveBayes(), data=data)["classifier"]
    found = outputs(PermutationImportance(repetitions=100), members=[classifier], left=[data])["ranking"]
    model = GaussianNB().fit(iris.data, iris.target)
    expected = permutation_importance(model, iris.data, iris.target, n_repeats=100, random_state=0)
    error = 4 * expected.importances_std / 10 * np.sqrt(2) + 0.002  # of two means of 100
    assert (np.abs(np.array(found.values) - expected.importances_mean) <= error).all()
    assert found.order[:2] == tuple(np.argsort(-expected.importances_mean)[:2])


def test_a_classifier_that_looks_at_nothing_loses_nothing() -> None:
    with Project() as project:
        done = project.run(PermutationRanking(Majority(), HoldOutDistributor()), data=project.given(mixed()))
    found = done.outputs["ranking"]
    assert set(found.values) == {0.0}
    assert found.order == tuple(range(len(found.columns)))


def test_importances_are_listed_the_most_useful_first() -> None:
    with Project() as project:
        iris = project.run(SklearnDataset("iris"))
        done = project.run(PermutationRanking(NaiveBayes()), data=iris.data)
        listed, ranking = done.results["Importance"], done.outputs["ranking"]
    assert ranking.values[3] > 0.2
    assert listed["feature"][0] == ranking.columns[ranking.order[0]].name
    assert list(listed.values) == sorted(listed.values, reverse=True)


def test_trained_classifiers_are_shared_and_not_trained_again() -> None:
    with Project() as project:
        iris = project.run(SklearnDataset("iris"))
        first = PermutationRanking(KNN(k=3), CVDistributor(folds=3), seed=1)
        project.run(first, data=iris.data)
        project.run(first.replace("repeats", 2), data=iris.data)
        assert project.counts().physical["KNN"] == 3


def test_a_forest_ranks_by_the_rows_that_its_trees_never_saw() -> None:
    with Project() as project:
        iris = project.run(SklearnDataset("iris"))
        forest = project.request(RandomForest(trees=5, seed=1), data=iris.data)
        importance = project.run(PermutationImportance(seed=2), members=forest.members, left=forest.left)
        done = project.run(ForestRanking(RandomForest(trees=5, seed=1), seed=2), data=iris.data)
        assert done.outputs["ranking"] == importance.outputs["ranking"]
        assert done.results["Importance"].values[0] == max(done.outputs["ranking"].values)
        assert project.counts().physical["DecisionTree"] == 5


def test_a_ranking_by_a_forest_needs_rows_that_members_never_saw() -> None:
    with pytest.raises(ConfigurationError, match=r"forest must give its members and .*, got Randomization"):
        ForestRanking(TopSplitForest())


def test_what_cannot_be_ranked_by_is_refused() -> None:
    with pytest.raises(BindingError, match="learner must have the role Learner"):
        PermutationRanking(CVDistributor())
    with Project() as project, pytest.raises(InfeasibleError, match="learner"):
        project.request(PermutationRanking(), data=project.request(SklearnDataset("iris")).data)
