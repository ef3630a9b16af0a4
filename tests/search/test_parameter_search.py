from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from intemi import ConfigurationError, Input, Machine, MachineFailed, Model, Output, Project, parameter
from intemi.data import Data
from intemi.experiments import cross_validation
from intemi.machines import (
    KNN,
    ClassificationTest,
    CVDistributor,
    Grid,
    ParameterSearch,
    RandomSearch,
    Repeater,
    Scheme,
    SklearnDataset,
    Standardization,
    Steps,
    StepsWithZoom,
    TransformAndClassify,
    Uniform,
    Values,
)
from intemi.query import Objective, Query
from intemi.series import Series


class Landscape(Machine):
    """A hill at 3, 5; where x is above 6 it fails."""

    start = Input(int)
    height = Output(float)
    x: float = parameter(default=0.0, at_most=10.0)
    y: float = 0.0

    def run(self, start: int) -> Model:
        if self.x > 6:
            raise ValueError("too far")
        height = start - (self.x - 3) ** 2 - (self.y - 5) ** 2
        return Model(height=height, results={"Height": height})


def hill() -> Scheme:
    test = Scheme(start=int)
    found = test.add(Landscape(), start=test.start, name="hill")
    test.expose(height=found.height)
    return test


OBJECTIVE = Query("hill", "Height").mean()


def search(scenario: Any, objective: Objective = OBJECTIVE, **options: Any) -> ParameterSearch:
    return ParameterSearch(hill(), scenario, objective, **options)


def run(config: ParameterSearch, **options: Any) -> Any:
    with Project(**options) as project:
        return project.run(config, start=project.given(0))


GRID = Grid(Steps("hill.x", start=1.0, step=1.0, count=4), Steps("hill.y", start=3.0, step=1.0, count=4))


def test_the_best_of_a_grid_is_found_and_everything_tried_is_listed() -> None:
    done = run(search(GRID))
    assert done.results["Best"] == {"hill.x": 3.0, "hill.y": 5.0}
    assert done.results["Objective"] == 0.0
    tried = done.results["Tried"]
    assert isinstance(tried, Series)
    assert tried.labels == ("Objective", "hill.x", "hill.y")
    assert len(tried) == 16
    for row in tried:
        assert row["Objective"] == -((row["hill.x"] - 3) ** 2) - (row["hill.y"] - 5) ** 2


def test_a_search_has_the_outputs_of_the_best_test() -> None:
    with Project() as project:
        found = project.run(search(GRID), start=project.given(7))
        assert found.outputs["height"] == 7.0


def test_the_lowest_is_the_best_if_that_is_what_was_asked_for() -> None:
    done = run(search(GRID, OBJECTIVE.replace("best", "lowest")))
    assert done.results["Best"] == {"hill.x": 1.0, "hill.y": 3.0}
    assert done.results["Objective"] == done.results["Tried"].min() == -8.0


def test_candidates_that_fail_or_are_refused_are_the_worst() -> None:
    done = run(search(Values("hill.x", (20.0, 8.0, 1.0, 7.0, 2.0))))
    assert done.results["Best"] == {"hill.x": 2.0}
    tried = done.results["Tried"]
    assert list(tried["Objective"]) == [None, None, -29.0, None, -26.0]
    assert tried["Failure"][0] == "Landscape: x must be at most 10.0, got 20.0"
    assert "too far" in tried["Failure"][1]
    assert tried["Failure"][2] is None


def test_what_is_inside_of_a_choice_may_be_searched_as_well() -> None:
    choices = Values("hill", (Landscape(y=5.0), Landscape(y=4.0)))
    done = run(search(Grid(choices, Steps("hill.x", start=2.0, step=1.0, count=2))))
    assert done.results["Best"]["hill.x"] == 3.0
    assert done.results["Objective"] == 0.0


def test_what_a_search_would_run_can_be_told_beforehand(tmp_path: Path) -> None:
    first = Steps("hill.x", start=0.0, step=1.0, count=2)
    run(search(first), folder=tmp_path)
    with Project(tmp_path) as project:
        more = project.explain(search(first.replace("count", 3)), start=project.given(0))
        assert [each.verdict.value for each in more][:4] == ["run", "reuse", "reuse", "run"]
        assert "raises" not in str(more)


def test_a_search_in_which_everything_fails_fails() -> None:
    with pytest.raises(MachineFailed, match="no candidate of 2 could be tested"):
        run(search(Values("hill.x", (7.0, 20.0))))


def test_feedback_leads_a_search_further() -> None:
    zoomed = run(search(StepsWithZoom(Steps("hill.x", start=0.0, step=2.0, count=3), stages=4)))
    assert abs(zoomed.results["Best"]["hill.x"] - 3) < 0.5


def test_random_candidates_are_the_same_for_the_same_seed_and_any_number_of_workers(tmp_path: Path) -> None:
    drawn = search(RandomSearch(Uniform("hill.x", 0.0, 6.0), Uniform("hill.y", 0.0, 9.0), count=12))
    assert drawn.is_random
    first = run(drawn, workers=1, seed=5).results
    assert run(drawn, workers=4, seed=5, unification=1).results == first
    assert run(drawn, seed=6).results["Best"] != first["Best"]


def test_a_wider_search_runs_only_what_is_new(tmp_path: Path) -> None:
    run(search(Steps("hill.x", start=0.0, step=1.0, count=3)), folder=tmp_path)
    with Project(tmp_path) as project:
        project.run(search(Steps("hill.x", start=0.0, step=1.0, count=5)), start=project.given(0))
        assert project.counts().physical == {"ParameterSearch": 1, "test scheme": 2, "Landscape": 2}


def test_its_results_are_there_in_another_process_and_can_be_asked_for(tmp_path: Path) -> None:
    before = run(search(GRID), folder=tmp_path).results
    with Project.open(tmp_path) as project:
        assert project.run(search(GRID), start=project.given(0)).results == before
        assert not project.counts().physical
        heights = project.query(type=Landscape, labels=["Height", "Candidate", "hill.x", "hill.y"])
        assert len(heights) == 16
        assert heights.max() == before["Objective"]
        assert list(heights["Candidate"]) == list(range(1, 17))


def test_paths_that_lead_nowhere_are_refused_when_it_is_constructed() -> None:
    with pytest.raises(ConfigurationError, match="z"):
        search(Steps("hill.z", start=0.0, step=1.0, count=2))
    with pytest.raises(ConfigurationError, match="must be a machine"):
        search(GRID, winner="hill.x")


def test_an_objective_that_finds_nothing_says_so() -> None:
    with pytest.raises(ConfigurationError, match="nothing is at 'valley' of the test: Scheme runs hill, not 'valley'"):
        search(GRID, Query("valley", "Height").mean())
    with pytest.raises(MachineFailed, match=r"nothing is at 'val\*'"):
        run(search(GRID, Query("val*", "Height").mean()))


def cross_validated(path: str, label: str, scenario: Any = None) -> ParameterSearch:
    test = cross_validation(KNN(), CVDistributor(3), ClassificationTest())
    return ParameterSearch(test, scenario or Values("test/learner.k", [1, 3]), Query(path, label).mean())


def test_an_objective_is_checked_before_anything_is_trained() -> None:
    with pytest.raises(ConfigurationError, match="Scheme runs learner, learner test, not 'tset'"):
        cross_validated("test/tset", "Accuracy")
    with pytest.raises(ConfigurationError, match="Repeater runs distributor, test, not 'tests'"):
        cross_validated("tests/learner test", "Accuracy")
    with pytest.raises(ConfigurationError, match=r"ClassificationTest at .* reports Accuracy.*; got 'Acc'"):
        cross_validated("test/learner test", "Acc")


@pytest.mark.parametrize(
    ("path", "label"), [("test/learner test", "wall"), ("test/*", "Acc"), ("test/learner", "k"), ("**", "Accuracy")]
)
def test_what_cannot_be_told_beforehand_is_no_error(path: str, label: str) -> None:
    assert cross_validated(path, label).objective.query.path == path


def test_what_a_candidate_puts_at_the_path_may_report_anything() -> None:
    other = Values("test/learner test", [ClassificationTest()])
    assert cross_validated("test/learner test", "Price", other).best == "highest"


def learner_search() -> ParameterSearch:
    learner = TransformAndClassify().fill(transformation=Standardization(), learner=KNN())
    test = Scheme(training=Data, test=Data)
    trained = test.add(learner, data=test.training, name="learner")
    test.add(ClassificationTest(), data=test.test, classifier=trained.classifier, name="accuracy")
    return ParameterSearch(
        test=Repeater(CVDistributor(3), test, seed=1),
        scenario=Values("test/learner/learner/knn.k", (1, 15, 45)),
        objective=Query("test/accuracy", "Accuracy").mean(),
        winner="test/learner",
    )


def test_a_search_for_a_learner_is_a_learner() -> None:
    with Project() as project:
        data = project.request(SklearnDataset("wine"))
        found = project.run(learner_search(), data=data.data)
        classifier = found.outputs["classifier"]
        best = found.results["Best"]["test/learner/learner/knn.k"]
        outer = Scheme(training=Data, test=Data)
        learned = outer.add(learner_search(), data=outer.training, name="search")
        outer.add(ClassificationTest(), data=outer.test, classifier=learned.classifier, name="accuracy")
        nested = project.run(Repeater(CVDistributor(3), outer, seed=2), data=data.data)
        accuracies = project.query(nested, path="test/accuracy", labels="Accuracy")
        answers = classifier.classify(data.outputs["data"])
    assert best in (1, 15, 45)
    assert np.mean(answers == data.outputs["data"].classes) > 0.9
    assert len(accuracies) == 3
    assert accuracies.mean() > 0.9
