"""What an experiment, its comparison and its test of hypotheses refuse, each with one message."""

from __future__ import annotations

from typing import Any

import pytest

from intemi.analysis import PairedTTest, Transformation, WinsDrawsLosses, hypothesis_test
from intemi.experiments import Comparison, Experiment, run
from intemi.kernel import ConfigurationError, Project
from intemi.machines import KNN, NaiveBayes, SklearnDataset, Standardization, TransformAndClassify
from intemi.series import Series


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"data": [SklearnDataset()]}, "data must be a mapping of names, {'name': ...}, got a list"),
        ({"learners": [KNN()]}, "learners must be a mapping of names, {'name': ...}, got a list"),
        ({"requests": KNN()}, "requests must be a mapping of names, {'name': ...}, got a KNN"),
    ],
)
def test_what_has_names_is_a_mapping(changes: dict[str, Any], said: str) -> None:
    parts: dict[str, Any] = {"data": {"iris": SklearnDataset()}, "learners": {"knn": KNN()}, **changes}
    with pytest.raises(ConfigurationError) as refused:
        Experiment(**parts)
    assert str(refused.value) == f"Experiment: {said}"


def test_a_comparison_names_its_test() -> None:
    with pytest.raises(ConfigurationError, match=r"test must be one of TTest, .* got PairedTTest\(\)"):
        Comparison(test=PairedTTest())  # type: ignore[arg-type]


def test_a_function_is_no_test_of_hypotheses() -> None:
    def differ(first: Series, second: Series) -> Series:
        return first

    with pytest.raises(ConfigurationError, match="hypothesis_test: it must stand above a class"):
        hypothesis_test(differ)  # type: ignore[type-var]


class Answers(Transformation):
    """A test that answers with what it was made with."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def __call__(self, first: Series, second: Series) -> Any:
        return self.answer


@pytest.mark.parametrize("answer", [0.01, {"p": 0.01}, Series({"q": [0.01]}), Series({"p": [0.01, 0.02]})])
def test_a_test_gives_a_series_with_one_p(answer: Any) -> None:
    columns = {"Accuracy": [0.1, 0.2, 0.8, 0.9], "machine": [*"aabb"], "data": ["iris"] * 4, "Fold": [1, 2, 1, 2]}
    values = Series(columns, main="Accuracy")
    with pytest.raises(
        ConfigurationError, match=r"Answers\(\): a test must give a series of one item with the label p"
    ):
        WinsDrawsLosses(test=Answers(answer))(values)
    assert len(WinsDrawsLosses(test=Answers(Series({"p": [0.01]})))(values)) > 0


def test_learners_of_distances_get_a_note_where_nothing_brings_the_columns_to_one_scale() -> None:
    scaled = TransformAndClassify(transformation=Standardization(), learner=KNN())
    learners = {"raw": KNN(), "scaled": scaled, "bayes": NaiveBayes()}
    with Project() as project:
        outcome = run(Experiment(data={"wine": SklearnDataset("wine")}, learners=learners), project)
        [note] = outcome.data_notes
        assert note.endswith("preprocessing: Standardization helps raw")
