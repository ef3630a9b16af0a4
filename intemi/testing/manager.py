"""The common checks that any task manager must pass."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np

from intemi.kernel import (
    EventKind,
    Input,
    Job,
    LimitExceeded,
    Limits,
    Machine,
    MachineAborted,
    MachineFailed,
    Model,
    MultiInput,
    MultiOutput,
    Output,
    Project,
    Threads,
)
from intemi.kernel.workers.base import TaskManager


class Draws(Machine):
    """Some random vectors."""

    registered_name = "intemi.testing.Draws"

    vectors = MultiOutput(np.ndarray)
    count: int = 5

    def run(self, rng: np.random.Generator) -> Model:
        return Model(vectors=[rng.random(100) for _ in range(self.count)], results={"Count": self.count})


class Total(Machine):
    """The sum of vectors."""

    registered_name = "intemi.testing.Total"

    vectors = MultiInput(np.ndarray)
    total = Output(np.ndarray)

    def run(self, vectors: tuple[np.ndarray[Any, Any], ...]) -> Model:
        return Model(total=np.sum(vectors, axis=0))


class Largest(Machine):
    """The largest entry of a vector; fails on an empty one."""

    registered_name = "intemi.testing.Largest"

    vector = Input(np.ndarray)

    def run(self, vector: np.ndarray[Any, Any]) -> Model:
        return Model(results={"Largest": float(vector.max())})


class Experiment(Machine):
    """A composite over the machines above."""

    registered_name = "intemi.testing.Experiment"

    random = True
    total = Output(np.ndarray)
    rounds: int = 4

    async def run(self, job: Job) -> Model:
        draws = [job.request(Draws(), branch=(index,)) for index in range(self.rounds)]
        await job.all(*draws)
        totals = [job.request(Total(), vectors=draw.vectors) for draw in draws]
        whole = job.request(Total(), vectors=[total.total for total in totals])
        largest = job.request(Largest(), vector=whole.total)
        await largest
        return Model(total=whole.total, results=largest.results)


class Nap(Machine):
    """Takes its time."""

    registered_name = "intemi.testing.Nap"

    seconds: float = 30.0

    def run(self) -> Model:
        time.sleep(self.seconds)
        return Model()


def check_task_manager(make: Callable[[], TaskManager]) -> None:
    """Check a task manager; `make` gives a new one each time it is called.

    What is checked: it gives the same outputs and results as a single thread; a machine that raises is a failure with
    its traceback, and the rest goes on; an aborted machine is no longer waited for; it can be subscribed and
    unsubscribed while a project runs; it serves several projects at once; and, if it says that it isolates, it enforces
    limits.

    >>> check_task_manager(lambda: Threads(2))
    """
    _check_same_results(make)
    _check_failure(make)
    _check_abort(make)
    _check_subscription(make)
    _check_several_projects(make)
    if make().isolates:
        _check_limits(make)


def _check_same_results(make: Callable[[], TaskManager]) -> None:
    answers = []
    for manager in (Threads(1), make()):
        with Project(workers=manager) as project:
            capsule = project.run(Experiment())
            answers.append((capsule.key, capsule.results, capsule.outputs["total"].tobytes()))
    assert answers[0] == answers[1], "a task manager must give what a single thread gives"


def _check_failure(make: Callable[[], TaskManager]) -> None:
    with Project(workers=make()) as project:
        bad = project.request(Largest(), vector=project.given(np.zeros(0)))
        good = project.run(Largest(), vector=project.given(np.ones(3)))
        assert good.results == {"Largest": 1.0}, "a failure must not disturb other machines"
        with suppress(MachineFailed):
            bad.wait()
        assert isinstance(bad.error, MachineFailed), "a machine that raises must fail"
        assert "vector.max()" in bad.error.traceback, f"a failure must keep its traceback, got {bad.error.traceback!r}"


def _check_abort(make: Callable[[], TaskManager]) -> None:
    with Project(workers=make()) as project:
        nap = project.request(Nap())
        _wait_for_start(project, nap)
        nap.abort()
        try:
            nap.wait(timeout=5)
        except MachineAborted:
            pass
        else:
            raise AssertionError("an aborted machine must not be waited for")
        assert project.run(Nap(seconds=0.0)).done, "after an abort, other machines must run"


def _wait_for_start(project: Project, capsule: Any) -> None:
    until = time.monotonic() + 30
    while capsule.state.value != "running" and time.monotonic() < until:
        time.sleep(0.01)
    assert capsule.state.value == "running", f"{capsule.path} must start, but is {capsule.state.value}"


def _check_subscription(make: Callable[[], TaskManager]) -> None:
    first, second = make(), make()
    with Project(workers=first) as project:
        finished: list[Any] = []
        project.listen(lambda event: finished.append(event) if event.kind is EventKind.FINISHED else None)
        requested = [project.request(Draws(count), name=str(count)) for count in range(1, 21)]
        project.subscribe(second)
        project.unsubscribe(first)
        project.wait(*requested)
        assert len(finished) == 20, f"each machine must finish once, but {len(finished)} of 20 did"
        assert project.managers == (second,), "an unsubscribed task manager must be gone"


def _check_several_projects(make: Callable[[], TaskManager]) -> None:
    manager = make()
    with Project(workers=manager) as first, Project(workers=manager) as second:
        asked = [project.request(Experiment(), name=str(index)) for index, project in enumerate((first, second))]
        keys = {capsule.wait(timeout=60).key for capsule in asked}
        assert len(keys) == 1, "a task manager must give each of its projects the same"
        first.close()
        assert second.run(Nap(seconds=0.0)).done, "when a project leaves, the others must be served"


def _check_limits(make: Callable[[], TaskManager]) -> None:
    with Project(workers=make()) as project:
        try:
            project.run(Nap(), limits=Limits(wall=0.5))
        except LimitExceeded:
            pass
        else:
            raise AssertionError("a machine over its limit must be stopped")
        assert project.run(Nap(seconds=0.0)).done, "after a limit was exceeded, other machines must run"
