from __future__ import annotations

import threading
from collections import deque
from typing import Any

import pytest

from intemi.kernel import MachineAborted, MachineFailed, Project, State, Threads
from intemi.testing import check_task_manager
from intemi.workers import Call, Dispatcher, Outcome, Stopped
from tests.machines import Chain, Fail, Number, Sleep


class Elsewhere(Dispatcher):
    """Runs leaves on threads that it starts, a few at a time, and delivers each when it is done."""

    def __init__(self, most: int = 2) -> None:
        super().__init__()
        self.most = most
        self.running: set[Call] = set()
        self.largest = 0

    @property
    def has_room(self) -> bool:
        return len(self.running) < self.most

    def submit(self, call: Call) -> None:
        self.running.add(call)
        self.largest = max(self.largest, len(self.running))
        threading.Thread(target=self._run, args=(call,), daemon=True).start()

    def flush(self) -> None:
        pass

    def stop(self, call: Call) -> None:
        threading.Thread(target=self._end, args=(call, Stopped()), daemon=True).start()

    def _run(self, call: Call) -> None:
        try:
            answer: Any = call.run()
        except Exception as error:
            answer = error
        self._end(call, answer)

    def _end(self, call: Call, answer: Any) -> None:
        self.running.discard(call)
        self.deliver([Outcome(call, answer, wall=0.25, cpu=0.125, worker="host:1")])
        self.look_again()


class Held(Elsewhere):
    """Holds back what it gets until it is told that there is no more."""

    def __init__(self) -> None:
        super().__init__(most=8)
        self.held: deque[Call] = deque()
        self.flushed: list[int] = []

    def submit(self, call: Call) -> None:
        self.held.append(call)

    def flush(self) -> None:
        if self.held:
            self.flushed.append(len(self.held))
        while self.held:
            super().submit(self.held.popleft())


@pytest.mark.parametrize("make", [Elsewhere, Held])
def test_a_manager_that_sends_leaves_away_passes_the_common_checks(make: type[Dispatcher]) -> None:
    check_task_manager(make)


def test_no_more_leaves_are_sent_than_there_is_room_for() -> None:
    manager = Elsewhere(3)
    with Project(workers=manager) as project:
        project.wait(*(project.request(Sleep(0.02, value)) for value in range(10)))
    assert manager.largest == 3


def test_what_is_held_back_is_sent_when_nothing_more_comes() -> None:
    manager = Held()
    with Project(workers=manager) as project:
        project.wait(*(project.request(Number(value)) for value in range(20)))
    assert max(manager.flushed) > 1


def test_the_time_that_a_leaf_took_elsewhere_is_on_record() -> None:
    with Project(workers=Elsewhere()) as project:
        capsule = project.run(Number(1))
        record = capsule.context.record
        assert record is not None
        assert (record.wall, record.cpu, record.worker) == (0.25, 0.125, "host:1")


def test_a_call_is_delivered_once() -> None:
    class Twice(Elsewhere):
        def _end(self, call: Call, answer: Any) -> None:
            super()._end(call, answer)
            self.deliver([Outcome(call, ValueError("once more"))])

    with Project(workers=Twice()) as project:
        assert project.run(Chain(3), number=project.given(1)).outputs["result"] == 4


def test_what_was_not_run_is_run_by_another_manager() -> None:
    class Idle(Elsewhere):
        def submit(self, call: Call) -> None:
            self.deliver([Outcome(call, Stopped())])

        @property
        def has_room(self) -> bool:
            return len(self._engines[0].managers) == 1

    with Project(workers=Idle()) as project:
        asked = project.request(Number(1))
        project.subscribe(Threads(1))
        assert asked.wait(30).outputs["result"] == 1


def test_failures_and_aborts_come_home() -> None:
    with Project(workers=Elsewhere()) as project, pytest.raises(MachineFailed, match="ValueError: why"):
        project.run(Fail("why"))
    manager = Elsewhere(0)
    with Project(workers=manager) as project:
        waiting = project.request(Number(1))
        assert waiting.state is State.QUEUED
        waiting.abort()
        with pytest.raises(MachineAborted):
            waiting.wait(5)
