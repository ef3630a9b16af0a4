"""Vectors of combiners: SCANN (V17) and one rule (V21); stacking and voting from their definitions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from intemi.data import Column, Data, Table
from intemi.kernel import ConfigurationError, Machine, Project
from intemi.machines import (
    KNN,
    ConfusionMatrix,
    CorrespondenceAnalysis,
    CVDistributor,
    LinearRegression,
    Logistic,
    LogLoss,
    NaiveBayes,
    OneR,
    PredictedProbabilities,
    SelectBest,
    Stacking,
)
from scripts.reference_data import HOME

CLASSES = Column("class", ("0", "1"))
ANSWERS = [Column("first", ("0", "1")), Column("second", ("0", "1"))]
FOUR = Data(Table(ANSWERS, [[0, 0, 1, 1], [0, 1, 1, 1]], CLASSES, [0, 0, 1, 1]))
UNSEEN = Data(Table(ANSWERS, [[1], [0]]))


def test_v17_coordinates_of_answers() -> None:
    made = CorrespondenceAnalysis().run(FOUR)
    found: Any = made.outputs["classifier"]
    assert found.masses.tolist() == [0.25, 0.25, 0.125, 0.375]
    assert found.singular_values.round(6).tolist() == [0.888074, 0.459701]
    assert made.results["Inertia"] == pytest.approx(1.0)
    expected = np.array([(-1.366025, 0.366025), (-0.211325, -0.788675), (0.788675, 0.211325), (0.788675, 0.211325)])
    places = found.coordinates(FOUR)
    signs = np.sign(places[0]) * np.sign(expected[0])
    assert np.allclose(places * signs, expected, atol=1e-6)
    assert np.allclose(found.coordinates(UNSEEN) * signs, [(-0.366025, 1.366025)], atol=1e-6)


def test_v17_an_exact_tie_goes_to_the_votes() -> None:
    found: Any = CorrespondenceAnalysis().run(FOUR).outputs["classifier"]
    distances = np.linalg.norm(found.coordinates(UNSEEN) - found.centroids, axis=1)
    assert distances.round(6).tolist() == [1.632993, 1.632993]
    assert found.classify(UNSEEN).tolist() == [0]  # one vote each, so the first
    assert found.classify(FOUR).tolist() == [0, 0, 1, 1]


def test_v17_the_fewest_axes_that_reach_a_share_of_the_inertia() -> None:
    assert [CorrespondenceAnalysis(share).run(FOUR).results["Axes"] for share in (0.5, 0.8, None)] == [1, 2, 2]


def test_v21_two_intervals_of_the_toy() -> None:
    signs = np.array([0, 0, 0, 1, 1, 1, 0, 0, 0, 1])
    errors = {cut: int(min((guess != signs).sum() for guess in _two_intervals(cut))) for cut in range(9)}
    assert min(errors.values()) == 3
    assert [cut + 0.5 for cut, wrong in errors.items() if wrong == 3] == [2.5, 8.5]
    data = Data(Table([Column("x")], [np.arange(10)], CLASSES, signs))
    rule: Any = OneR(bucket=3).run(data).outputs["classifier"]
    assert rule.cuts.tolist() == [2.5, 5.5, 8.5]
    assert int((rule.classify(data) != signs).sum()) == 0


def _two_intervals(cut: int) -> list[Any]:
    below = np.arange(10) <= cut
    return [np.where(below, left, right) for left in (0, 1) for right in (0, 1)]


LEARNERS = (KNN(k=3), NaiveBayes())


@pytest.mark.parametrize("meta", [Logistic(), LinearRegression()], ids=lambda each: each.kind)
def test_stacking_is_what_its_definition_gives_by_hand(meta: Machine) -> None:
    data = HOME.load("iris")
    with Project() as project:
        given = project.given(data)
        stacking = project.run(Stacking(LEARNERS, meta, distributor=CVDistributor(folds=5)), data=given)
        folds = project.run(CVDistributor(folds=5), data=given).outputs
    rows = np.zeros((2, len(data), 3))
    for training, test in zip(folds["training"], folds["test"], strict=True):
        for number, learner in enumerate(LEARNERS):
            rows[number, test.rows] = learner.run(training).outputs["classifier"].probabilities(test)
    members = [learner.run(data).outputs["classifier"] for learner in LEARNERS]
    columns = [Column(f"{name} {label}") for name in ("KNN", "NaiveBayes") for label in data.labels]

    def table(parts: Any) -> Data:
        return data.with_features(columns, np.concatenate([part.T for part in parts]))

    learned = meta.run(table(rows)).outputs["classifier"]
    by_hand = learned.probabilities(table([each.probabilities(data) for each in members]))
    assert np.allclose(stacking.outputs["classifier"].probabilities(data), by_hand)


def test_stacking_of_two_classes_may_be_told_one_probability_of_each() -> None:
    data = HOME.load("rings")
    with Project() as project:
        attributes = PredictedProbabilities(without_first=True)
        made = project.run(Stacking(LEARNERS, attributes=attributes), data=project.given(data)).outputs["classifier"]
    assert [column.name for column in made.meta.columns] == [
        f"{name} {data.labels[1]}" for name in ("KNN", "NaiveBayes")
    ]


def test_select_best_without_folds_takes_the_best_on_the_training_data() -> None:
    data = HOME.load("iris")
    with Project() as project:
        given = project.given(data)
        assert project.run(SelectBest((NaiveBayes(), KNN(k=1)), distributor=None), data=given).results["Best"] == "KNN"
        assert project.run(SelectBest((NaiveBayes(), NaiveBayes()), distributor=None), data=given).results == {
            "Best": "NaiveBayes",
            "Inner Accuracy": 0.96,
        }


def test_select_best_by_a_measure_takes_what_the_measure_prefers() -> None:
    data = HOME.load("iris")
    one, other = KNN(k=1), NaiveBayes()  # the one has fewer errors in inner folds, the other better probabilities
    with Project() as project:
        given = project.given(data)
        fewest = project.run(SelectBest((other, one)), data=given).results
        surest = project.run(SelectBest((one, other), measure=LogLoss()), data=given).results
    assert (fewest["Best"], surest["Best"]) == ("KNN", "NaiveBayes")
    assert list(surest) == ["Best", "Inner Log loss"]


def test_a_measure_to_select_by_has_values_that_can_be_ordered() -> None:
    with pytest.raises(ConfigurationError, match="SelectBest: measure must be one whose values can be ordered"):
        SelectBest(LEARNERS, measure=ConfusionMatrix())
