"""The meta-learner: a learner that finds a learner, in time, from what is on record, whatever fails."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from intemi import ConfigurationError, MachineFailed, Model, Project
from intemi.data import Data
from intemi.kernel import Job
from intemi.machines import (
    KNN,
    SVM,
    ClassificationTest,
    CVDistributor,
    Learner,
    Majority,
    NaiveBayes,
    Normalization,
    Repeater,
    Scheme,
    SklearnDataset,
    Standardization,
    TransformAndClassify,
    Voting,
    tune,
)
from intemi.machines.measures import LogLoss
from intemi.machines.meta_learning import (
    ComplexitySearch,
    Filled,
    Flow,
    GivenOrder,
    MaxSeconds,
    MaxTests,
    MetaLearner,
    PassiveSearch,
    Progress,
    RandomOrder,
    Set,
    Strategy,
    TargetQuality,
    cross_validation,
    name_of,
    ranked_candidates,
)

LEARNERS = Set((Majority(), KNN(k=1), KNN(k=15), NaiveBayes()))
CANDIDATES = Flow((LEARNERS,))
QUICK = cross_validation(folds=3, repetitions=1)


IS_OVER = threading.Event()


@pytest.fixture(autouse=True)
def no_thread_is_left_behind() -> Iterator[None]:
    IS_OVER.clear()
    yield
    IS_OVER.set()


pytestmark = pytest.mark.filterwarnings("ignore:nothing was measured")


class Slow(Learner):
    """Takes its time."""

    seconds: float = 0.2

    def run(self, data: Data) -> Model:
        IS_OVER.wait(self.seconds)
        return Majority().run(data)


class Busy(Learner):
    """Computes for a while."""

    def run(self, data: Data) -> Model:
        begun = time.thread_time()
        while time.thread_time() - begun < 0.1:
            sum(range(1000))
        return Majority().run(data)


class BrokenByAll(Learner):
    """Is the best on parts of the data, and fails on all."""

    def run(self, data: Data) -> Model:
        if len(data) == 150:
            raise ValueError("too many rows")
        return KNN(k=15).run(data)


class Broken(Learner):
    """Fails at once."""

    def run(self, data: Data) -> Model:
        raise ValueError("it never works")


def found(config: MetaLearner, project: Project) -> Any:
    return project.run(config, data=project.request(SklearnDataset("iris")).data)


def test_the_best_is_found_and_learns_from_all_data() -> None:
    with Project() as project:
        done = found(MetaLearner(CANDIDATES, validation=QUICK), project)
        ranking = done.results["Ranking"]
        assert len(ranking) == 4
        assert list(ranking["quality"]) == sorted(ranking["quality"], reverse=True)
        assert done.results["Best"] == ranking["candidate"][0] != "Majority"
        assert ranking["p"][0] == 1
        assert ranking["p"][-1] < 0.05
        winner = next(each for each in LEARNERS.configurations if name_of(each) == done.results["Best"])
        direct = project.run(winner, data=project.request(SklearnDataset("iris")).data)
        data = project.request(SklearnDataset("iris")).wait().outputs["data"]
        assert (done.outputs["classifier"].classify(data) == direct.outputs["classifier"].classify(data)).all()


def test_the_ranking_says_what_is_as_good_and_the_cheapest_of_it() -> None:
    with Project() as project:
        done = found(MetaLearner(CANDIDATES, validation=QUICK), project)
        ranking, as_good = done.results["Ranking"], done.results["As good"]
        assert ranking.labels == ("quality", "candidate", "p", "seconds", "attempts")
        assert list(ranking["attempts"]) == [1, 1, 1, 1]
        assert min(ranking["seconds"]) > 0
        assert list(as_good["candidate"]) == list(ranking[ranking["p"] >= 0.01]["candidate"])
        assert "Majority" not in as_good["candidate"]
        assert done.results["Cheapest"] == as_good["candidate"][int(as_good["seconds"].argmin())]


def test_what_was_found_can_be_requested_again(tmp_path: Path) -> None:
    with Project(tmp_path / "p") as project:
        found(MetaLearner(CANDIDATES, validation=QUICK), project)
    with Project(tmp_path / "p") as project:
        done = found(MetaLearner(CANDIDATES, validation=QUICK), project)
        candidates = ranked_candidates(done)
        assert [name_of(each) for each in candidates] == list(done.results["Ranking"]["candidate"])
        assert candidates[0] == done.child("winner").config
        assert project.is_on_record(candidates[0], data=project.request(SklearnDataset("iris")).data)
        assert not project.counts().physical["KNN"]


def test_the_log_has_every_attempt_in_the_order_in_which_they_were_started() -> None:
    flow = Flow((Set((Broken(), KNN(k=1), Majority())),))
    with Project(workers=1) as project:
        log = found(MetaLearner(flow, validation=QUICK), project).results["Log"]
        assert [text.partition("(")[0] for text in log["candidate"]] == ["Broken", "KNN", "Majority"]
        assert list(log["outcome"]) == ["failed", "finished", "finished"]
        assert [quality is None for quality in log["quality"]] == [True, False, False]
        assert list(log["attempt"]) == [1, 1, 1]
        assert all(log["started"] <= log["ended"])
        assert list(log["started"]) == sorted(log["started"])


def test_a_search_reports_its_progress_and_ends_early_with_the_best_so_far() -> None:
    flow = Flow((Set((KNN(k=1), Majority(), Slow(30.0))),))
    with Project(workers=1) as project:
        iris = project.request(SklearnDataset("iris"))
        capsule = project.request(MetaLearner(flow, validation=QUICK, seconds=60.0), data=iris.data)
        while not (isinstance(now := capsule.progress, Progress) and now.finished == 2):
            time.sleep(0.01)
        assert (now.best, now.running, now.quarantine, now.failed) == (KNN(k=1), (Slow(30.0),), (), 0)
        assert now.quality is not None
        assert now.quality > 0.9
        assert now.seconds_left is not None
        assert 50 < now.seconds_left < 60
        begun = time.perf_counter()
        capsule.end_early()
        results = capsule.wait(5).results
        assert time.perf_counter() - begun < 2
        assert results["Best"] == "KNN(k=1)"
        assert results["Stopped"] == "it was asked to end early"
        assert list(results["Log"]["outcome"]) == ["finished", "finished", "stopped"]


def test_only_what_depends_on_the_clock_can_end_early() -> None:
    with Project(workers=1) as project:
        capsule = found(MetaLearner(CANDIDATES, validation=QUICK), project)
        with pytest.raises(ConfigurationError, match="MetaLearner cannot end early, since it does not depend"):
            capsule.end_early()


def test_candidates_are_whole_graphs() -> None:
    scalings = Set((Standardization(), Normalization()))
    scaled = Filled(TransformAndClassify(), {"transformation": scalings, "learner": LEARNERS})
    with Project() as project:
        done = found(MetaLearner(Flow((LEARNERS, scaled)), validation=QUICK), project)
        assert done.results["Tests"] == 12


def test_one_measure_is_lowest_when_it_is_best() -> None:
    with Project() as project:
        validation = cross_validation(3, 1, ClassificationTest(measures=(LogLoss(),)))
        search = MetaLearner(CANDIDATES, validation=validation, measure="Log loss")
        done = found(search, project)
        qualities = list(done.results["Ranking"]["quality"])
        assert qualities == sorted(qualities)
        assert done.results["Quality"] == qualities[0] > 0
        enough, too_little = TargetQuality(qualities[0]), TargetQuality(qualities[0] / 2)
        for target, stopped in ((enough, "the strategy has found enough"), (too_little, done.results["Stopped"])):
            again = search.replace("strategy", PassiveSearch(GivenOrder(), stop=(target,)))
            assert found(again, project).results["Stopped"] == stopped


def test_a_committee_is_not_cheaper_than_its_members() -> None:
    with Project() as project:
        candidates = Flow((Set((Busy(), Voting((Busy(), NaiveBayes())))),))
        done = found(MetaLearner(candidates, validation=QUICK), project)
        seconds = dict(zip(done.results["Ranking"]["candidate"], done.results["Ranking"]["seconds"], strict=True))
    alone = seconds.pop("Busy")
    assert seconds.popitem()[1] > 0.8 * alone > 0, "although what it consists of is on record when it is tested"


def test_it_is_cross_validated_like_any_learner() -> None:
    scheme = Scheme(training=Data, test=Data)
    searched = scheme.add(MetaLearner(CANDIDATES, validation=QUICK), data=scheme.training)
    scheme.add(ClassificationTest(), data=scheme.test, classifier=searched.classifier, name="result")
    with Project() as project:
        iris = project.request(SklearnDataset("iris"))
        done = project.run(Repeater(CVDistributor(3), scheme), data=iris.data)
        accuracies = project.query(done, path="test/result", labels=["Accuracy"])
        assert len(accuracies) == 3
        assert accuracies.mean() > 0.9


def test_a_meta_learner_is_a_candidate_of_another() -> None:
    inner = MetaLearner(Flow((Set((Majority(), KNN(k=15))),)), validation=QUICK)
    with Project() as project:
        done = found(MetaLearner(Flow((Set((Majority(), inner)),)), validation=QUICK), project)
        assert done.results["Best"].startswith("MetaLearner")


def test_a_second_search_tests_only_what_is_new(tmp_path: Path) -> None:
    with Project(tmp_path / "p") as project:
        found(MetaLearner(CANDIDATES, validation=QUICK), project)
    more = Flow((Set((*LEARNERS.configurations, KNN(k=3))),))
    with Project(tmp_path / "p") as project:
        done = found(MetaLearner(more, validation=QUICK), project)
        assert done.results["Tests"] == 5
        physical = project.counts().physical
        assert physical["KNN"] in (3, 4), "three folds, and the winner if it is the new one"
        assert physical["NaiveBayes"] == 0


def test_what_fails_is_no_candidate_and_is_listed() -> None:
    with Project() as project:
        done = found(MetaLearner(Flow((Set((Broken(), KNN())),)), validation=QUICK), project)
        assert done.results["Tests"] == 1
        assert "it never works" in done.results["Failures"]["Broken"]
        with pytest.raises(MachineFailed, match=r"no test of 1 has finished; Broken.*it never works"):
            found(MetaLearner(Flow((Set((Broken(),)),)), validation=QUICK), project)


def test_a_winner_that_does_not_learn_from_all_data_is_listed_and_makes_way() -> None:
    with Project() as project:
        done = found(MetaLearner(Flow((Set((BrokenByAll(), Majority())),)), validation=QUICK), project)
        assert list(done.results["Ranking"]["candidate"]) == ["BrokenByAll", "Majority"]
        assert done.results["Best"] == "Majority"
        assert "has not learned from all data: " in done.results["Failures"]["BrokenByAll"]
        assert "too many rows" in done.results["Failures"]["BrokenByAll"]
        with pytest.raises(MachineFailed, match=r"none of the 1 candidates tested has learned; BrokenByAll.*too many"):
            found(MetaLearner(Flow((Set((BrokenByAll(),)),)), validation=QUICK), project)


def test_candidates_of_the_same_name_are_told_apart() -> None:
    same = {tune(KNN(), {"k": [1, 3]}), tune(KNN(), {"k": [1, 3]}, measure="Balanced accuracy")}
    with Project() as project:
        done = found(MetaLearner(Flow((Set((*same, Majority())),)), validation=QUICK), project)
        assert set(ranked_candidates(done)) == {*same, Majority()}
        assert len(set(done.results["Ranking"]["candidate"])) == 3
        assert done.results["Best"] == done.results["Ranking"]["candidate"][0]


def test_a_search_that_ends_in_time_says_so() -> None:
    slow = Set(tuple(Slow(0.03 + number / 1000) for number in range(100)))
    with Project(workers=2) as project:
        done = found(MetaLearner(Flow((slow,)), validation=QUICK, seconds=1.0), project)
        assert done.results["Stopped"] == "the time is up"
        assert 1 <= done.results["Tests"] < 60
        assert done.results["Log"]["outcome"][-1] == "stopped"


def test_with_a_limit_of_time_it_is_run_again_and_its_tests_are_not() -> None:
    timed = MetaLearner(CANDIDATES, validation=QUICK, seconds=60.0)
    assert timed.depends_on_clock
    assert not MetaLearner(CANDIDATES, validation=QUICK).depends_on_clock
    with Project() as project:
        for _ in range(2):
            found(timed, project)
        physical = project.counts().physical
        assert physical["MetaLearner"] == 2
        assert physical["NaiveBayes"] in (3, 4)


@pytest.mark.parametrize(
    ("strategy", "depends"),
    [
        (ComplexitySearch(), False),
        (ComplexitySearch(max_attempts=3), True),
        (PassiveSearch(GivenOrder()), False),
        (PassiveSearch(GivenOrder(), stop=(MaxTests(3),)), True),
        (PassiveSearch(GivenOrder(), stop=(MaxSeconds(3.0),)), True),
    ],
    ids=["limits", "attempts", "all", "tests", "seconds"],
)
def test_a_search_is_used_again_unless_its_end_depends_on_the_clock(strategy: Strategy, depends: bool) -> None:
    assert MetaLearner(CANDIDATES, strategy, QUICK).depends_on_clock == depends


def test_rules_end_a_search() -> None:
    with Project() as project:
        strategy = PassiveSearch(GivenOrder(), stop=(MaxTests(2),))
        done = found(MetaLearner(CANDIDATES, strategy, QUICK), project)
        assert done.results["Tests"] >= 2
        assert done.results["Stopped"] == "the strategy has found enough"


TIED = Flow((Set((*(KNN(k=k) for k in range(1, 20)), Majority(), NaiveBayes(), SVM())),))
"""Many candidates of the same quality."""


@pytest.mark.parametrize("strategy", [PassiveSearch(RandomOrder()), ComplexitySearch()], ids=lambda each: each.kind)
def test_the_ranking_is_the_same_with_any_number_of_workers(strategy: Strategy) -> None:
    rankings = []
    for workers in (1, 8):
        with Project(workers=workers, seed=5) as project:
            rankings.append(found(MetaLearner(TIED, strategy, QUICK), project).results["Ranking"])
    assert list(rankings[0]["candidate"]) == list(rankings[1]["candidate"])
    assert list(rankings[0]["quality"]) == list(rankings[1]["quality"])


@pytest.mark.parametrize(
    "strategy", [PassiveSearch(RandomOrder()), ComplexitySearch(learns_times=False)], ids=lambda each: each.kind
)
def test_with_one_worker_the_course_of_a_search_is_the_same(strategy: Strategy) -> None:
    """But for times. No test takes long enough here to be stopped by its limit."""
    logs = []
    for _ in range(2):
        with Project(workers=1, seed=5) as project:
            logs.append(found(MetaLearner(TIED, strategy, QUICK), project).results["Log"])
    for label in ("candidate", "quality", "attempt", "outcome", "expected"):
        assert list(logs[0][label]) == list(logs[1][label])


def test_data_of_one_class_are_searched_too() -> None:
    with Project(workers=1) as project:
        iris = project.request(SklearnDataset("iris")).wait().outputs["data"]
        setosa = project.given(iris.select_rows(np.arange(40)))
        results = project.run(MetaLearner(CANDIDATES, validation=QUICK), data=setosa).results
        assert results["Quality"] == 1
        assert results["Tests"] == 4


def test_data_that_cannot_be_split_say_so() -> None:
    with Project(workers=1) as project:
        iris = project.request(SklearnDataset("iris")).wait().outputs["data"]
        with pytest.raises(MachineFailed, match="no test of 4 has finished; Majority"):
            project.run(MetaLearner(CANDIDATES, validation=QUICK), data=project.given(iris.select_rows(np.arange(2))))


def test_a_measure_that_is_not_there_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="measure must be what the test reports, Accuracy, "):
        MetaLearner(CANDIDATES, measure="Speed")


def test_an_aborted_search_leaves_what_it_has_finished() -> None:
    class Once(Learner):
        async def run(self, job: Job, data: Any) -> Model:
            child = job.request(Slow(0.05), data=data)
            await child
            return Model(classifier=child.classifier)

    slow = Flow((Set((Once(), *(Slow(5.0 + number) for number in range(3)))),))
    with Project(workers=2) as project:
        iris = project.request(SklearnDataset("iris"))
        capsule = project.request(MetaLearner(slow, validation=QUICK), data=iris.data)
        with pytest.raises(TimeoutError):
            capsule.wait(2)
        capsule.abort()
        assert project.counts().physical["Once"] == 3


def test_limits_are_of_computing_and_not_of_waiting() -> None:
    with Project(workers=2) as project:
        flow = Flow((Set((Slow(0.26), Slow(0.27))),))
        results = found(MetaLearner(flow, ComplexitySearch(), QUICK), project).results
        assert list(results["Log"]["outcome"]) == ["finished", "finished"]


def test_a_test_that_is_tried_again_runs_only_what_had_not_finished() -> None:
    validation = cross_validation(folds=6, repetitions=1)
    with Project(workers=1) as project:
        results = found(MetaLearner(Flow((Set((Busy(),)),)), ComplexitySearch(), validation), project).results
        attempts = list(results["Log"]["outcome"])
        assert len(attempts) > 1
        assert attempts == ["timed out"] * (len(attempts) - 1) + ["finished"]
        assert list(results["Ranking"]["attempts"]) == [len(attempts)]
        interrupted = project.counts().physical["Busy"] - 6 - 1
        assert interrupted <= len(attempts) - 1, "six folds, the winner, and what was interrupted"


def test_the_cheapest_tests_come_first() -> None:
    flow = Flow((Set((SVM(), KNN(k=5), Majority())),))
    with Project(workers=1) as project:
        done = found(MetaLearner(flow, ComplexitySearch(window=1), QUICK), project)
        assert done.results["Tests"] == 3
        tested = [each.config.get("test/candidate") for each in done.children if each.name == "test"]
        assert [each.children[0].machine.kind for each in tested][-1] == "SVM"
