"""Transform and classify: a template of two places, and one classifier when they are filled."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from intemi.data import Data
from intemi.kernel import BindingError, InfeasibleError, Output, Project
from intemi.machines import Scheme
from intemi.machines.classifiers import KNN, SVM, ClassificationTest, Majority, TransformAndClassify
from intemi.machines.interfaces import Transformation
from intemi.machines.rankings.correlation import CorrelationRanking
from intemi.machines.rankings.selection import Count, FeatureSelection
from intemi.machines.transformations.external import ExternalTransformation
from intemi.machines.transformations.standardization import Standardization
from intemi.testing import check_machine
from tests.learning.test_classifiers import blobs


def selection(features: int = 1) -> Scheme:
    """The best features by a ranking, as a transformation (Figure 4.5 of the book)."""
    scheme = Scheme(data=Data)
    ranking = scheme.add(CorrelationRanking(), data=scheme.data)
    chosen = scheme.add(FeatureSelection(Count(features)), data=scheme.data, ranking=ranking.ranking)
    scheme.expose(transformed=chosen.transformed, transformation=chosen.transformation)
    return scheme


FILLED = {
    "filled": TransformAndClassify().fill(transformation=Standardization(), learner=KNN(k=3)),
    "made directly": TransformAndClassify(Standardization(), KNN(k=3)),
    "with a scheme inside": TransformAndClassify().fill(transformation=selection(), learner=SVM()),
    "within another": TransformAndClassify(Standardization(), TransformAndClassify(selection(), KNN(k=1))),
}


@pytest.mark.parametrize("machine", FILLED.values(), ids=FILLED)
def test_it_passes_the_checks_of_any_machine(machine: TransformAndClassify) -> None:
    assert machine.missing() == []
    check_machine(machine, data=blobs())


def test_raw_it_is_a_template_of_two_empty_schemes() -> None:
    assert TransformAndClassify().missing() == [
        "transformation: an empty placeholder that takes data (Data) and "
        "gives transformation (Transformation), transformed (Data)",
        "learner: an empty placeholder that takes data (Data) and gives classifier (Classifier)",
    ]
    with Project(workers=1) as project, pytest.raises(InfeasibleError, match="learner: an empty placeholder"):
        project.request(TransformAndClassify().fill(transformation=Standardization()), data=project.given(blobs()))


def test_it_answers_what_the_parts_answer_one_after_the_other() -> None:
    data = blobs()
    with Project(workers=1) as project:
        source = project.given(data)
        standardized = project.run(Standardization(), data=source)
        knn = project.run(KNN(k=3), data=standardized.transformed)
        both = project.run(FILLED["filled"], data=source)
        external = project.run(
            ExternalTransformation(), data=source, transformation=standardized.transformation
        ).outputs["transformed"]
        expected = knn.outputs["classifier"].probabilities(external)
        np.testing.assert_array_equal(both.outputs["classifier"].probabilities(data), expected)
        counts = project.counts()
    assert counts.physical["Standardization"] == counts.physical["KNN"] == 1


def test_it_is_used_wherever_a_classifier_is() -> None:
    data = blobs()
    with Project(workers=1) as project:
        source = project.given(data)
        both = project.request(FILLED["filled"], data=source)
        tested = project.run(ClassificationTest(), data=source, classifier=both.classifier)
        assert tested.results["Accuracy"] > 0.8


def test_its_parts_can_be_changed_by_path() -> None:
    changed = FILLED["filled"].replace("learner/knn.k", 7)
    assert changed.get("learner/knn.k") == 7
    assert FILLED["made directly"].replace("learner.k", 7).learner == KNN(k=7)


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        (
            {"transformation": Majority()},
            "transformation must have the role Transformer, .* but Majority gives",
        ),
        (
            {"learner": Standardization()},
            "learner must have the role Learner, .* but Standardization gives",
        ),
        (
            {"transformation": Scheme(data=Data, other=Data, transformation=Output(Transformation))},
            "which takes data .* but Scheme takes other",
        ),
    ],
)
def test_parts_that_do_not_fit_are_refused(parts: dict[str, Any], message: str) -> None:
    with pytest.raises(BindingError, match=message):
        TransformAndClassify(**parts)
