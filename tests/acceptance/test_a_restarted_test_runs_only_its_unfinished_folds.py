"""A cross-validation that was stopped by its limit, and is requested again, runs only the folds that are missing."""

from __future__ import annotations

import time

import pytest

from intemi import Limits, Model, Project
from intemi.data import Data
from intemi.kernel import LimitExceeded
from intemi.machines import KNN, Learner, SklearnDataset
from intemi.machines.meta_learning import ComplexitySearch, Flow, MetaLearner, Set, cross_validation
from intemi.machines.meta_learning.validation import CANDIDATE

FOLDS = 5
SECONDS = 0.05
"""What it takes to learn in each fold."""


class Slow(Learner):
    """Learns as the nearest neighbour does, after some CPU time."""

    def run(self, data: Data) -> Model:
        until = time.thread_time() + SECONDS
        while time.thread_time() < until:
            pass
        return KNN(k=1).run(data)


def test_finished_folds_are_not_run_again() -> None:
    test = cross_validation(FOLDS, repetitions=1).fill({CANDIDATE: Slow()})
    with Project(workers=1) as project:
        iris = project.request(SklearnDataset("iris"))
        stopped = project.request(test, data=iris.data, limits=Limits(cpu=2.5 * SECONDS))
        with pytest.raises(LimitExceeded):
            stopped.wait()
        before = project.counts().physical
        done = project.run(test, data=iris.data)
        after = project.counts().physical
        assert len(project.query(done, path="test/result", labels=["Accuracy"])) == FOLDS
    assert 1 <= before["ClassificationTest"] < FOLDS, "some folds had finished"
    assert after["ClassificationTest"] <= FOLDS + 1, "only what was interrupted is tested twice"
    assert after["Slow"] <= FOLDS + 1, "only what was interrupted is learned twice"
    assert done.cpu < (FOLDS - before["ClassificationTest"] + 0.5) * SECONDS


@pytest.mark.filterwarnings("ignore:nothing was measured of Slow")
def test_a_search_whose_estimate_is_wrong_pays_for_each_fold_once() -> None:
    """The test is stopped at twice the time of an estimate that is far too low; then it has four times more."""
    search = MetaLearner(Flow((Set((Slow(),)),)), ComplexitySearch(window=1), cross_validation(FOLDS, repetitions=1))
    with Project(workers=1) as project:
        found = project.run(search, data=project.request(SklearnDataset("iris")).data)
        log, counts = found.results["Log"], project.counts().physical
    assert log["outcome"][-1] == "finished"
    assert len(log) >= 2, "it was stopped before"
    assert set(log["outcome"][:-1]) == {"timed out"}
    assert counts["Slow"] <= FOLDS + len(log), "each attempt interrupts one fold at the most; the winner learns as well"
