"""A search with a knowledge base tests what its replay on record tests, in the same order."""

from __future__ import annotations

from pathlib import Path

import pytest

from intemi import Project
from intemi.machines import KNN, Majority, NaiveBayes, SklearnDataset
from intemi.machines.meta_learning import (
    ActiveTesting,
    Flow,
    KnowledgeFolder,
    MetaLearner,
    ProfileSearch,
    Set,
    Strategy,
    cross_validation,
    name_of,
    replay,
)
from intemi.machines.trees import DecisionStump, DecisionTree

DATA_SETS = ("iris", "wine", "breast_cancer")
CANDIDATES = Flow(
    (Set((Majority(), *(KNN(k=k) for k in (1, 3, 9, 27)), NaiveBayes(), DecisionStump(), DecisionTree())),)
)
QUICK = cross_validation(folds=3, repetitions=1)


@pytest.fixture(scope="module")
def searched(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project in which everything was tested on all data sets, and the knowledge that has grown from it."""
    folder = tmp_path_factory.mktemp("searched")
    with Project(folder / "project") as project:
        for name in DATA_SETS:
            data = project.request(SklearnDataset(name)).data
            found = project.run(MetaLearner(CANDIDATES, validation=QUICK), data=data)
            assert KnowledgeFolder(folder / "knowledge").add_search(project, found) == 8
    return folder


@pytest.mark.parametrize(
    "strategy",
    [ProfileSearch(package=2), ProfileSearch(package=3), ActiveTesting()],
    ids=["packages of 2", "packages of 3", "duels"],
)
@pytest.mark.parametrize("name", DATA_SETS)
def test_a_search_tests_in_the_order_of_its_replay(searched: Path, strategy: Strategy, name: str) -> None:
    kept = KnowledgeFolder(searched / "knowledge")
    on_record, _ = replay(strategy, kept.base(), name)
    search = MetaLearner(CANDIDATES, strategy, QUICK, knowledge=kept.knowledge())
    with Project(searched / "project", workers=1) as project:
        found = project.run(search, data=project.request(SklearnDataset(name)).data)
        tests = sorted(
            (child for child in found.children if child.name == "test"), key=lambda each: each.comments["Test"]
        )
        tested = [each.config.get("test/candidate").children[0].machine for each in tests]
        assert project.counts().physical["NaiveBayes"] <= 1, "at most the winner learns: all tests are on record"
    assert tested == [task.candidate for task in on_record.finished]
    assert found.results["Best"] == name_of(on_record.ranking[0].candidate)
