"""Knowledge of other data in a search: what it covers, what it leaves out, how it grows."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from intemi import ConfigurationError, Model, Project, from_plain
from intemi.data import Data
from intemi.machines import (
    KNN,
    ClassificationTest,
    CVDistributor,
    FeatureSelection,
    FScoreRanking,
    Learner,
    Majority,
    NaiveBayes,
    Repeater,
    Scheme,
    SklearnDataset,
)
from intemi.machines.measures import LogLoss, Measure
from intemi.machines.meta_learning import (
    BestOnAverage,
    Entry,
    Flow,
    Knowledge,
    KnowledgeFolder,
    MetaLearner,
    PassiveSearch,
    ProfileSearch,
    Set,
    cross_validation,
)
from intemi.machines.meta_learning.knowledge_entries import as_base

CANDIDATES = Flow((Set((Majority(), KNN(k=5), NaiveBayes())),))
QUICK = cross_validation(folds=2, repetitions=1)
SEARCH = MetaLearner(CANDIDATES, validation=QUICK)


class Sleeper(Learner):
    """Takes its time."""

    def run(self, data: Data) -> Model:
        time.sleep(0.2)
        return Majority().run(data)


class Broken(Learner):
    """Fails at once."""

    def run(self, data: Data) -> Model:
        raise ValueError("it never works")


def searched(project: Project, name: str = "iris", search: MetaLearner = SEARCH) -> Any:
    return project.run(search, data=project.request(SklearnDataset(name)).data)


def test_a_search_whose_first_test_failed_adds_the_others_with_a_description(tmp_path: Path) -> None:
    kept = KnowledgeFolder(tmp_path)
    search = MetaLearner(Flow((Set((Broken(), NaiveBayes())),)), validation=QUICK)
    with Project() as project:
        assert kept.add_search(project, searched(project, search=search)) == 1
    assert kept.base().description_of("iris") is not None


def test_a_search_adds_each_of_its_tests_once(tmp_path: Path) -> None:
    kept = KnowledgeFolder(tmp_path)
    with Project() as project:
        assert kept.add_search(project, searched(project)) == 3
        assert kept.add_search(project, searched(project)) == 0
        accuracies = project.query(type=ClassificationTest, labels="Accuracy")
    entries = list(kept.entries())
    assert [each.data_set for each in entries] == ["iris"] * 3
    assert sorted(value for each in entries for value in each.results) == sorted(accuracies.values)
    assert all(each.seconds is not None and 0 < each.seconds < 10 for each in entries)
    assert all(each.origin and each.configuration_digest and each.version and each.when for each in entries)
    assert set(kept.base().configurations) == set(CANDIDATES.outputs[0].configurations)


def test_what_was_revoked_does_not_come_back_by_itself(tmp_path: Path) -> None:
    kept = KnowledgeFolder(tmp_path)
    with Project() as project:
        found = searched(project)
        kept.add_search(project, found)
        kept.revoke([next(kept.entries())], "the rows were shuffled by mistake")
        assert kept.add_search(project, found) == 0
    assert len(list(kept.entries())) == 2


def test_another_seed_makes_other_splits_which_are_not_mixed(tmp_path: Path) -> None:
    kept = KnowledgeFolder(tmp_path)
    for seed, search in ((1, SEARCH), (2, MetaLearner(Flow((Set((KNN(k=5),)),)), validation=QUICK))):
        with Project(seed=seed) as project:
            kept.add_search(project, searched(project, search=search))
    assert len(list(kept.entries())) == 4
    assert kept.base().results.shape == (1, 3, 2)


def test_what_is_not_fair_is_not_added(tmp_path: Path) -> None:
    kept = KnowledgeFolder(tmp_path)
    with Project() as project:
        iris = project.request(SklearnDataset("iris"))
        ranking = project.request(FScoreRanking(), data=iris.data)
        chosen = project.request(FeatureSelection(), data=iris.data, ranking=ranking.ranking)
        found = project.run(SEARCH, data=chosen.transformed)
        assert "Leak" in found.results
        assert kept.add_search(project, found) == 0
    assert not list(kept.entries())


def test_results_that_are_not_defined_are_not_added(tmp_path: Path) -> None:
    class Doubtful(Measure):
        def of(self, answers: NDArray[np.int32]) -> float:
            return float("nan") if len(np.unique(answers)) == 1 else 1.0

    kept = KnowledgeFolder(tmp_path)
    validation = cross_validation(2, 1, ClassificationTest(measures=(Doubtful(),)))
    with Project() as project:
        found = searched(project, search=MetaLearner(CANDIDATES, validation=validation, measure="Doubtful"))
        assert kept.add_search(project, found) == 2
    assert not any("Majority" in each.configuration for each in kept.entries())


def test_a_candidate_that_cannot_be_written_goes_by_its_looks(tmp_path: Path) -> None:
    class Secret(Learner):
        key: bytes = b"1"

        def run(self, data: Data) -> Model:
            return Majority().run(data)

    kept = KnowledgeFolder(tmp_path)
    with Project() as project:
        search = MetaLearner(Flow((Set((Secret(), Secret(b"2"))),)), validation=QUICK)
        assert kept.add_search(project, searched(project, search=search)) == 2
    assert all(str(each).startswith("Secret(key=") for each in kept.base().configurations)


def test_a_search_knows_nothing_of_its_own_rows(tmp_path: Path) -> None:
    kept = KnowledgeFolder(tmp_path)
    with Project() as project:
        for name in ("iris", "wine"):
            kept.add_search(project, searched(project, name))
        iris = project.request(SklearnDataset("iris")).wait().outputs["data"]
    known = kept.knowledge()
    for data in (iris, iris.select_rows(range(50)), iris.select_columns([0])):
        assert known.base_for(data, QUICK, "Accuracy").data_sets == ("wine",)


def test_results_of_unknown_origin_go_by_the_name_of_the_data(tmp_path: Path) -> None:
    kept = KnowledgeFolder(tmp_path)
    kept.append([Entry(name, "knn", "mine", (0.5, 0.6)) for name in ("iris", "wine")])
    with Project() as project:
        iris = project.request(SklearnDataset("iris")).wait().outputs["data"]
    assert kept.knowledge("mine").base_for(iris, QUICK, "Accuracy").data_sets == ("wine",)


def test_a_search_with_knowledge_is_cross_validated_like_any_learner(tmp_path: Path) -> None:
    kept = KnowledgeFolder(tmp_path)
    with Project() as project:
        for name in ("wine", "breast_cancer"):
            kept.add_search(project, searched(project, name))
        scheme = Scheme(training=Data, test=Data)
        search = MetaLearner(CANDIDATES, ProfileSearch(), QUICK, knowledge=kept.knowledge())
        learner = scheme.add(search, data=scheme.training)
        scheme.add(ClassificationTest(), data=scheme.test, classifier=learner.classifier, name="result")
        done = project.run(Repeater(CVDistributor(2), scheme), data=project.request(SklearnDataset("iris")).data)
        assert project.query(done, path="test/result", labels="Accuracy").mean() > 0.9


def test_the_lowest_results_are_best_where_the_measure_says_so(tmp_path: Path) -> None:
    kept = KnowledgeFolder(tmp_path)
    validation = cross_validation(2, 1, ClassificationTest(measures=(LogLoss(),)))
    search = MetaLearner(CANDIDATES, validation=validation, measure="Log loss")
    with Project(workers=1) as project:
        kept.add_search(project, searched(project, "wine", search))
        on_average = search.replace("strategy", PassiveSearch(BestOnAverage()))
        found = searched(project, "iris", on_average.replace("knowledge", kept.knowledge()))
    first = found.children[0].config.get("test/candidate").children[0].machine
    assert first == NaiveBayes(), "it has by far the lowest loss on wine"


def test_identity_covers_what_the_folder_held(tmp_path: Path) -> None:
    kept = KnowledgeFolder(tmp_path)
    kept.append([Entry("iris", "knn", "mine", (0.5, 0.6))])
    before = kept.knowledge()
    assert from_plain(before.to_plain()) == before
    kept.append([Entry("wine", "knn", "mine", (0.5, 0.6))])
    assert kept.knowledge() != before
    assert [each.data_set for each in before.entries()] == ["iris"]
    kept.file.write_bytes(kept.file.read_bytes().replace(b"0.5", b"0.7"))
    with pytest.raises(ConfigurationError, match="they were changed: make a new one"):
        from_plain({**before.to_plain(), "folder": f"{tmp_path}/"}).entries()


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="folder must be one that exists, got"):
        Knowledge(str(tmp_path / "none"))
    assert KnowledgeFolder(tmp_path / "new").knowledge().entries() == ()


def test_a_search_that_ends_in_time_adds_what_it_has_finished(tmp_path: Path) -> None:
    kept = KnowledgeFolder(tmp_path)
    with Project() as project:
        found = searched(project, search=SEARCH.replace("seconds", 60.0))
        assert kept.add_search(project, found) == found.results["Tests"] == 3


def test_of_an_aborted_search_nothing_is_added(tmp_path: Path) -> None:
    with Project() as project:
        slow = MetaLearner(Flow((Set((Majority(), Sleeper())),)), validation=QUICK)
        capsule = project.request(slow, data=project.request(SklearnDataset("iris")).data)
        capsule.abort()
        assert KnowledgeFolder(tmp_path).add_search(project, capsule) == 0
        assert KnowledgeFolder(tmp_path).add_search(project, searched(project)) == 3


def test_only_searches_are_harvested(tmp_path: Path) -> None:
    with Project() as project:
        loader = project.request(SklearnDataset("iris")).wait()
        with pytest.raises(ConfigurationError, match="takes the tests of a MetaLearner, got SklearnDataset"):
            KnowledgeFolder(tmp_path).add_search(project, loader)


def test_results_of_another_version_of_a_machine_are_not_those_of_this_one() -> None:
    text = '{"seed": null, "type": "Majority"}'
    same = as_base([Entry("iris", text, "p", (0.5, 0.6), configuration_digest=Majority().digest.hex())])
    other = as_base([Entry("iris", text, "p", (0.5, 0.6), configuration_digest="00" * 16)])
    assert same.configurations == (Majority(),)
    assert Majority() not in other.columns
