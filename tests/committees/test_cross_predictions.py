"""Answers for rows that were not trained on: their order, folds, failures, copies and classes that a fold lacks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from intemi.data import Column, Data, Table
from intemi.kernel import Machine, MachineFailed, Model, Project
from intemi.machines import (
    C45,
    KNN,
    CrossPredictions,
    FirstFold,
    GivenFolds,
    HoldOutDistributor,
    InnerFolds,
    Learner,
    Majority,
    MetaDecisionTree,
    NaiveBayes,
    SelectBest,
    Stacking,
    Voting,
)
from scripts.reference_data import HOME
from tests.learning.tables import mixed, numeric

IRIS = HOME.load("iris")


class Fragile(Learner):
    """Refuses training data that have some row."""

    registered_name = "tests.Fragile"
    row: int = 0

    def run(self, data: Data) -> Model:
        if self.row in data.rows:
            raise ValueError("this row is too much")
        return NaiveBayes().run(data)


def predicted(machine: Machine, data: Data) -> Any:
    with Project() as project:
        return project.run(machine, data=project.given(data))


def test_each_row_is_answered_by_a_model_that_has_not_seen_it() -> None:
    folds = tuple(np.arange(len(IRIS)) % 5)
    found = predicted(CrossPredictions(KNN(k=3), GivenFolds(tuple(map(int, folds)))), IRIS).outputs["predictions"]
    for fold in range(5):
        inside = np.array(folds) == fold
        model = KNN(k=3).run(IRIS.select_rows(~inside)).outputs["classifier"]
        assert np.array_equal(found.answers[inside], model.classify(IRIS.select_rows(inside)))
    assert np.array_equal(found.rows, IRIS.origins)


def test_weights_are_shares_of_the_training_data_of_a_fold() -> None:
    found = predicted(CrossPredictions(C45(), InnerFolds(5)), IRIS).outputs["predictions"]
    assert found.weights is not None
    assert ((found.weights > 0) & (found.weights <= 0.5)).all()
    assert np.allclose(np.unique((found.weights * 120).round(6)) % 1, 0)
    assert predicted(CrossPredictions(KNN()), IRIS).outputs["predictions"].weights is None


@pytest.mark.parametrize(
    ("sizes", "folds", "stratified"),
    [((30, 30), 10, True), ((30, 4), 4, True), ((30, 2), 2, True), ((30, 1), 2, False), ((1, 1), 2, False)],
)
def test_folds_are_as_many_as_the_smallest_class_allows(sizes: tuple[int, int], folds: int, stratified: bool) -> None:
    classes = np.repeat((0, 1), sizes)
    distributor = InnerFolds().fitting(numeric(np.arange(len(classes)), classes=classes))
    assert (distributor.folds, distributor.stratified) == (folds, stratified)


def test_a_fold_in_which_a_learner_fails_has_the_shares_of_the_classes() -> None:
    folds = GivenFolds(tuple(index % 3 for index in range(len(IRIS))))
    done = predicted(CrossPredictions(Fragile(row=0), folds), IRIS)
    found = done.outputs["predictions"]
    assert done.results["Failed folds"] == 2
    answered, others = np.arange(len(IRIS)) % 3 == 0, np.arange(len(IRIS)) % 3 == 1
    assert (found.probabilities[answered].max(axis=1) > 0.9).mean() > 0.8
    priors = Majority().run(IRIS.select_rows(~others)).outputs["classifier"].shares
    assert np.allclose(found.probabilities[others], priors)


def test_a_learner_that_fails_in_all_folds_fails_with_its_own_message() -> None:
    with pytest.raises(MachineFailed, match="NominalToIndicators turns categories into numbers"):
        predicted(CrossPredictions(KNN()), mixed())


def test_a_combiner_whose_learner_fails_in_one_fold_goes_on() -> None:
    folds = GivenFolds(tuple(index % 3 for index in range(len(IRIS) - 1)))
    learners = Fragile(row=1), NaiveBayes()
    data = IRIS.select_rows(np.arange(len(IRIS)) != 1)
    for combiner in (Stacking(learners, distributor=folds), MetaDecisionTree(learners, distributor=folds)):
        assert predicted(combiner, data).outputs["classifier"].classify(IRIS).shape == (150,)


def test_a_class_that_a_fold_lacks_has_no_probability_there() -> None:
    data = numeric([1.0, 2.0, 3.0, 9.0, 10.0, 11.0, 20.0], classes=[0, 0, 0, 1, 1, 1, 2])
    folds = GivenFolds((0, 1, 0, 1, 0, 1, 0))
    found = predicted(CrossPredictions(NaiveBayes(), folds), data).outputs["predictions"]
    assert found.probabilities[-1, 2] == 0.0
    made = predicted(Stacking((NaiveBayes(), Majority())), data).outputs["classifier"]
    assert made.probabilities(data).shape == (7, 3)


def test_copies_of_a_row_have_one_answer() -> None:
    sample = IRIS.select_rows(np.random.default_rng(0).integers(len(IRIS), size=len(IRIS)))
    found = predicted(CrossPredictions(C45(), InnerFolds(5)), sample).outputs["predictions"]
    for row in np.unique(sample.origins):
        assert len(np.unique(found.answers[sample.origins == row])) == 1
    assert (found.answers >= 0).all()


@pytest.mark.parametrize("distributor", [HoldOutDistributor(), FirstFold()], ids=lambda each: each.kind)
def test_rows_without_an_answer_are_left_out_of_the_meta_level(distributor: Machine) -> None:
    learners = C45(), NaiveBayes()
    found = predicted(CrossPredictions(C45(), distributor), IRIS).outputs["predictions"]
    assert 0 < (found.answers >= 0).sum() < len(IRIS)
    for combiner in (Stacking, MetaDecisionTree, SelectBest):
        made = predicted(combiner(learners, distributor=distributor), IRIS).outputs["classifier"]
        assert (made.classify(IRIS) == IRIS.classes).mean() > 0.9


def test_a_single_learner_and_very_few_rows_will_do() -> None:
    data = Data(Table([Column("x")], [[1, 2, 3, 8, 9]], Column("class", ("low", "high")), [0, 0, 0, 1, 1]))
    for combiner in (Stacking, MetaDecisionTree, SelectBest, Voting):
        assert predicted(combiner((NaiveBayes(),)), data).outputs["classifier"].classify(data).tolist() == [
            0,
            0,
            0,
            1,
            1,
        ]
