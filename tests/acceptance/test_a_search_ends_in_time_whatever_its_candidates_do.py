"""A search for a learning machine goes on, and ends in time, whatever its candidates do: never end, sleep, fail, end
their process, eat memory.
"""

from __future__ import annotations

import os
import threading
import time
import warnings

import numpy as np
import pytest

from intemi import Processes, Project
from intemi.data import Data
from intemi.kernel import Limits, Model, Threads
from intemi.machines import KNN, Learner, Majority, SklearnDataset
from intemi.machines.meta_learning import (
    ComplexitySearch,
    Flow,
    GivenOrder,
    MetaLearner,
    PassiveSearch,
    Set,
    cross_validation,
    name_of,
)
from intemi.machines.meta_learning.calibration import current_calibration
from intemi.machines.meta_learning.descriptions import DataDescription
from intemi.machines.meta_learning.evaluation import evaluate
from intemi.workers import TaskManager
from tests.acceptance.test_limits_end_whatever_exceeds_them import Lateness

SECONDS = 4.0
ENDLESS = ("never ends", "sleeps")
IS_OVER = threading.Event()
"""Ends what cannot be ended, so that other tests are not slowed down."""


class Hostile(Learner):
    """Never learns, in one of several ways."""

    version = 1
    how: str

    def run(self, data: Data) -> Model:
        if self.how == "fails":
            raise ValueError("it never works")
        if self.how == "ends its process":
            os._exit(3)
        held = []
        while not IS_OVER.is_set():  # in this process; a worker process never hears of it
            if self.how == "sleeps":
                time.sleep(0.1)
            if self.how == "eats memory":
                held.append(np.ones(2**20))


GOOD = (KNN(k=15), Majority())


VALIDATION = cross_validation(folds=2, repetitions=1)


@pytest.fixture(autouse=True)
def _is_said_that_nothing_was_measured() -> None:
    """The warning comes once, and is expected here: in a worker thread it would depend on filters of other threads."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        evaluate(Hostile("fails"), {"data": DataDescription(rows=150, numeric=4)}, current_calibration())


@pytest.mark.parametrize("managers", [(Threads(2),), (Threads(1), Processes(1))], ids=["threads", "processes"])
def test_the_time_is_kept_and_the_best_of_the_others_is_found(managers: tuple[TaskManager, ...]) -> None:
    candidates = Flow((Set((Hostile("fails"), *map(Hostile, ENDLESS), *GOOD)),))
    search = MetaLearner(candidates, ComplexitySearch(), VALIDATION, seconds=SECONDS)
    with Project(workers=managers[0]) as project:
        for manager in managers[1:]:  # that can end a test; it gets all that have limits
            project.subscribe(manager)
        iris = project.request(SklearnDataset("iris")).wait()
        project.run(KNN(k=1), data=iris.data, limits=Limits(cpu=60.0))  # a process takes its time to start
        lateness, begun = Lateness(), time.perf_counter()
        results = project.run(search, data=iris.data).results
        took, late = time.perf_counter() - begun, lateness.stopped()
        IS_OVER.set()
    print(f"{took:.2f} s of {SECONDS:g}, the computer was late by {late:.2f} s\n{results['Log']}")
    assert took <= 1.05 * SECONDS + late
    assert results["Tests"] == len(GOOD)
    assert results["Stopped"] == "the time is up"
    outcomes = dict(zip(results["Log"]["candidate"], results["Log"]["outcome"], strict=True))
    assert outcomes[name_of(Hostile("fails"))] == "failed"
    assert {outcomes.get(name_of(Hostile(how)), "not begun") for how in ENDLESS} <= {
        "timed out",
        "stopped",
        "not begun",
    }


def test_what_ends_its_process_or_eats_memory_has_failed_and_the_search_goes_on() -> None:
    ways = ("ends its process", "eats memory")
    search = MetaLearner(
        Flow((Set((*map(Hostile, ways), KNN(k=15))),)), PassiveSearch(GivenOrder()), VALIDATION, memory=2**29
    )
    with Project(workers=Processes(2)) as project:
        results = project.run(search, data=project.request(SklearnDataset("iris")).data).results
    assert results["Best"] == name_of(KNN(k=15))
    assert "ended with exit code 3" in results["Failures"][name_of(Hostile("ends its process"))]
    assert "exceeded its limit of 536,870,912 bytes of memory" in results["Failures"][name_of(Hostile("eats memory"))]
