"""A measure of one's own is a class of a few lines; it works in tests, tables, reports, searches, files, and late."""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from intemi.cli.main import command
from intemi.data import Data
from intemi.experiments import Comparison, Experiment, read_experiment, run
from intemi.experiments.report import report
from intemi.experiments.schema import experiment_schema
from intemi.kernel import ConfigurationError, Project
from intemi.machines import (
    KNN,
    ClassificationTest,
    CVDistributor,
    Majority,
    MeasureCommentator,
    NaiveBayes,
    ParameterSearch,
    Repeater,
    Scheme,
    SklearnDataset,
    Values,
)
from intemi.machines.measures import USUAL_MEASURES, BrierScore, LogLoss, Measure

OWN = '''
from intemi.machines.measures import Measure


class WorstMiss(Measure):
    """The largest share of a class that is missed."""

    best = "lowest"

    def of(self, confusion):
        sizes = confusion.sum(axis=1)
        return max(1 - confusion[i, i] / sizes[i] for i in range(len(sizes)) if sizes[i])
'''
FILE = """
data: [iris, wine]
imports: own_measure.py
learners: {majority: Majority, bayes: NaiveBayes}
protocol: {distributor: {type: CVDistributor, folds: 3}, seed: 1}
measures: [Worst miss, Accuracy, {type: Precision, average: weighted}]
"""


class WorstMiss(Measure):
    """The largest share of a class that is missed."""

    best = "lowest"

    def of(self, confusion: Any) -> float:
        sizes = confusion.sum(axis=1)
        return max(1 - confusion[i, i] / sizes[i] for i in range(len(sizes)) if sizes[i])


def validated(learner: Any, *measures: Measure) -> Repeater:
    test = Scheme(training=Data, test=Data)
    learned = test.add(learner, data=test.training, name="learner")
    test.add(ClassificationTest(measures=measures), data=test.test, classifier=learned.classifier, name="test")
    return Repeater(CVDistributor(folds=3), test, seed=1)


def said(*words: str, code: int = 0) -> Result:
    found = CliRunner().invoke(command, list(words))
    assert found.exit_code == code, found.output
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One with an experiment file and the measure that it imports."""
    folder = tmp_path_factory.mktemp("own")
    (folder / "own_measure.py").write_text(OWN, "utf-8")
    (folder / "own.yaml").write_text(FILE, "utf-8")
    return folder


@pytest.fixture
def own(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder, as the current one."""
    monkeypatch.chdir(folder)
    return folder


def test_it_takes_no_more_than_ten_lines() -> None:
    assert len([line for line in inspect.getsource(WorstMiss).splitlines() if line.strip()]) <= 10


def test_in_a_test_its_value_is_a_result_under_its_name() -> None:
    with Project() as project:
        iris = project.request(SklearnDataset("iris")).data
        done = project.run(validated(Majority(), *USUAL_MEASURES, WorstMiss()), data=iris)
        found = project.query(done, type=ClassificationTest, labels=["Worst miss", "Accuracy", "Fold"])
    assert found["Worst miss"].tolist() == [1.0] * 3


def test_in_an_experiment_the_best_is_marked_rightly_in_tables_reports_and_pictures() -> None:
    experiment = Experiment(
        data={"iris": SklearnDataset("iris"), "wine": SklearnDataset("wine")},
        learners={"majority": Majority(), "bayes": NaiveBayes()},
        distributor=CVDistributor(folds=3),
        measures=(WorstMiss(), "Accuracy"),
    )
    assert experiment.measures == ("Worst miss", "Accuracy")
    with Project() as project:
        outcome = run(experiment, project)
        compared = outcome.compare()
        page = report(outcome)
    assert compared.direction == "lowest"
    assert compared.is_best("bayes", "iris")
    assert not compared.is_best("majority", "iris")
    assert compared.ranks is not None
    assert compared.ranks["machine"][0] == "bayes"
    assert "Worst miss: mean ± sd, n = 3; the lowest mean on each data set is marked *" in page
    assert Experiment.from_plain(experiment.to_plain()).digest == experiment.digest


def test_in_a_search_the_best_candidate_is_found_without_saying_which_values_are_best() -> None:
    objective = WorstMiss().objective("test/test")
    plain = objective.replace("best", None)
    with Project() as project:
        iris = project.request(SklearnDataset("iris")).data
        for asked in (objective, plain):
            search = ParameterSearch(
                test=validated(KNN(), WorstMiss()),
                scenario=Values("test/learner", [Majority(), NaiveBayes()]),
                objective=asked,
            )
            found = project.run(search, data=iris)
            tried = found.results["Tried"]
            assert found.results["Objective"] == min(tried["Objective"]) < max(tried["Objective"]) == 1
            assert "NaiveBayes" in repr(found.results["Best"])


def test_late_it_is_computed_on_finished_models_and_trains_nothing(tmp_path: Path) -> None:
    with Project(tmp_path) as project:
        iris = project.request(SklearnDataset("iris")).data
        project.run(validated(NaiveBayes(), *USUAL_MEASURES), data=iris, name="iris")
    with Project(tmp_path) as project:
        assert project.comment(MeasureCommentator([WorstMiss(), BrierScore()]), "iris") == {"commented": 3, "gone": 0}
        late = project.query("iris", type=ClassificationTest, labels=["Worst miss", "Brier score", "Fold"])
        assert project.counts().physical.total() == 0
        iris = project.request(SklearnDataset("iris")).data
        done = project.run(validated(NaiveBayes(), WorstMiss(), BrierScore()), data=iris)
        run_again = project.counts().physical
        assert run_again["NaiveBayes"] == run_again["CVDistributor"] == 0
        at_once = project.query(done, type=ClassificationTest, labels=["Worst miss", "Brier score", "Fold"])
    np.testing.assert_array_equal(late["Worst miss"], at_once["Worst miss"])
    np.testing.assert_array_equal(late["Brier score"], at_once["Brier score"])


def test_a_file_names_it_and_the_command_shows_it(own: Path) -> None:
    shown = said("run", "own.yaml").output
    assert "Worst miss (the lowest is best, marked *)" in shown
    found = json.loads(said("compare", "own.yaml", "--json").output)
    assert (found["measure"], found["best"]) == ("Worst miss", "lowest")
    means = {(row["machine"], row["data"]): row["mean"] for row in found["means"]}
    assert means["majority", "iris"] == 1 > means["bayes", "iris"]
    line = next(line for line in said("compare", "own.yaml").output.splitlines() if line.startswith("iris"))
    assert line.endswith("*")  # that of bayes, the second
    assert line.count("*") == 1
    said("report", "own.yaml", "-o", "own.html")
    assert "Worst miss" in Path("own.html").read_text("utf-8")
    said("picture", "accuracies", "own.yaml")
    said("picture", "ranks", "own.yaml", "-m", "Precision (weighted)")
    assert Path("ranks.svg").exists()


def test_in_a_file_a_measure_that_is_added_later_runs_tests_only(own: Path) -> None:
    (own / "fewer.yaml").write_text(FILE.replace("Worst miss, ", ""), "utf-8")
    with Project() as project:
        run(read_experiment("fewer.yaml"), project)
        before = project.counts().physical
        run(read_experiment("own.yaml"), project)
        more = project.counts().physical - before
    assert more["ClassificationTest"] == before["ClassificationTest"] == 12
    assert more["NaiveBayes"] == more["Majority"] == more["CVDistributor"] == more["SklearnDataset"] == 0


def test_the_command_and_the_schema_list_it(own: Path) -> None:
    assert "own_measure.WorstMiss" in said("machines", "measure", "--import", "own_measure.py").output
    names = experiment_schema()["properties"]["measures"]["anyOf"][0]["anyOf"][0]["anyOf"][0]["enum"]
    assert {"Worst miss", "F1", "PR-AUC", "Leaves", "wall"} <= set(names)


def test_a_measure_that_was_not_taken_says_how_to_have_it(own: Path) -> None:
    said("run", "own.yaml", "--quiet")
    missing = said("compare", "own.yaml", "-m", "MCC", code=1).exception
    assert "'MCC'; add it to the measures and run again: tests run, and nothing is trained" in str(missing)


def test_mistakes_get_one_clear_message() -> None:
    with pytest.raises(ConfigurationError, match=r"of can ask for true, answers, .* but it asks for 'scores'"):

        class Wrong(Measure):
            def of(self, scores: Any) -> float:
                return 0.0

    with pytest.raises(ConfigurationError, match="measures must have different names, got LogLoss"):
        ClassificationTest(measures=(LogLoss(), LogLoss()))
    flowers: dict[str, Any] = {"data": {"iris": SklearnDataset("iris")}, "learners": {"bayes": NaiveBayes()}}
    with pytest.raises(ConfigurationError, match="no measure is called 'Worst mis'; did you mean 'Worst miss'"):
        Experiment(**flowers, measures=("Worst mis",))
    with pytest.raises(ConfigurationError, match="no measure is called 'Leaves'"):
        Experiment(**flowers, comparison=Comparison(measure="Leaves"))


def test_what_cannot_be_ordered_is_not_ranked() -> None:
    class Answers(Measure):
        best = None

        def of(self, answers: Any) -> float:
            return float(len(set(answers.tolist())))

    with pytest.raises(ConfigurationError, match="cannot be ordered"):
        Answers().objective("test")
    experiment = Experiment(
        data={"iris": SklearnDataset("iris"), "wine": SklearnDataset("wine")},
        learners={"majority": Majority(), "bayes": NaiveBayes()},
        distributor=CVDistributor(folds=3),
        measures=("Accuracy", Answers()),
    )
    with Project() as project:
        compared = run(experiment, project).compare("Answers")
    assert compared.ranks is None
    assert not any(compared.is_best(learner, "iris") for learner in compared.learners)
    assert "nothing says which of its values are best" in compared.notes[-1]
