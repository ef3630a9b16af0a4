"""The models of brief leaves are drained together, and nothing has to wait for it."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import numpy as np
import pytest

from intemi import Input, Machine, MachineFailed, Model, Output, Project, State, StoreWarning, Threads, parameter
from intemi.kernel import runner
from intemi.kernel.composite import Job

_go_on = threading.Event()
_has_begun = threading.Event()
_all_is_requested = threading.Event()


class Brief(Machine):
    """At once, unless it is told to wait."""

    number = Output(int)
    value: int = 0
    waits: bool = False

    def run(self) -> Model:
        if self.waits:
            _has_begun.set()
            assert _go_on.wait(20)
        return Model(number=self.value)


class Next(Machine):
    number = Input(int)
    result = Output(int)

    def run(self, number: int) -> Model:
        return Model(result=number + 1)


ran: list[int] = []


class Noted(Machine):
    """Notes that it runs."""

    number = Input(int)
    result = Output(int)
    value: int = 0

    def run(self, number: int) -> Model:
        ran.append(self.value)
        return Model(result=self.value)


class InOrder(Machine):
    """The second leaf waits for the first, the others for nothing."""

    async def run(self, job: Job) -> Model:
        given = job.request(Brief(7))
        await given
        first = job.request(Noted(0), number=given.number)
        job.request(Noted(1), number=first.result)
        for value in (2, 3):
            job.request(Noted(value), number=given.number)
        return Model()


class Together(Machine):
    """Requests all of them at once."""

    leaves: tuple[Machine, ...]

    async def run(self, job: Job) -> Model:
        for leaf in self.leaves:
            job.request(leaf)
        return Model()


class Unfit(Machine):
    """Every third one delivers something of another type than it has declared."""

    number = Output(int)
    value: int = parameter(default=0)

    def run(self) -> Model:
        return Model(number=self.value if self.value % 3 else "three")


def test_what_brief_leaves_have_made_is_taken_in_together(monkeypatch: pytest.MonkeyPatch) -> None:
    with Project(workers=1) as project:
        taken = sizes_of_what_is_taken_in(project, monkeypatch)
        capsules = [project.request(Brief(value)) for value in range(100)]
        assert [capsule.wait().outputs["number"] for capsule in capsules] == list(range(100))
    assert max(taken) > 1
    assert max(taken) <= runner.MAX_BATCH
    assert sum(taken) == 100


class Slow(Brief):
    """Of another kind, which nobody expects to be brief."""


class Held(Machine):
    """Keeps the worker until everything is requested."""

    def run(self) -> Model:
        assert _all_is_requested.wait(20)
        return Model()


class Chain(Machine):
    """Goes on when its first leaf is done."""

    value: int

    async def run(self, job: Job) -> Model:
        given = job.request(Brief(self.value))
        await given
        job.request(Noted(self.value), number=given.number)
        return Model()


def sizes_of_what_is_taken_in(project: Project, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    taken: list[int] = []
    finisher = project._line.runner.finisher
    finish = finisher.finish
    monkeypatch.setattr(finisher, "finish", lambda done: (taken.append(len(done)), finish(done))[1])
    return taken


def test_leaves_of_several_composites_are_taken_in_together_if_only_their_ends_follow(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with Project(workers=1) as project:
        project.run(Brief(-1))  # now they are expected to be brief
        taken = sizes_of_what_is_taken_in(project, monkeypatch)
        groups = [Together(tuple(Brief(10 * number + value) for value in range(6))) for number in range(10)]
        done = project.run(Together(tuple(groups)))
        assert [child.outputs["number"] for group in done.children for child in group.children] == [
            10 * number + value for number in range(10) for value in range(6)
        ]
    assert sum(taken) == 60 + 10 + 1
    assert runner.MAX_BATCH < max(taken) <= runner.MAX_BUFFERED


def test_a_composite_that_waits_for_a_brief_leaf_goes_on_before_the_next_one_begins() -> None:
    ran.clear()
    with Project(workers=1) as project:
        project.run(Noted(-1), number=project.given(0))
        project.run(Brief(-1))
        project.run(Together(tuple(Chain(value) for value in range(5))))
    assert ran == [-1, 0, 1, 2, 3, 4]


def test_the_buffer_is_drained_before_a_leaf_that_may_take_long() -> None:
    _go_on.clear()
    _has_begun.clear()
    with Project(workers=1) as project:
        project.run(Brief(-1))
        both = project.request(Together((Together((Brief(1), Brief(2))), Together((Slow(3, waits=True),)))))
        try:
            assert _has_begun.wait(10)
            assert not project._line.runner.buffer
            assert both.children[0].children[1].done
        finally:
            _go_on.set()
        both.wait()


def test_who_waits_for_one_request_does_not_wait_for_the_next() -> None:
    _go_on.clear()
    with Project(workers=1) as project:
        project.run(Brief(-1))
        _all_is_requested.clear()
        project.request(Held())
        first = project.request(Together((Brief(1), Brief(2))))
        second = project.request(Brief(3, waits=True))  # of a kind that is expected to be brief
        _all_is_requested.set()
        try:
            assert len(first.wait(timeout=10).children) == 2
            assert not second.done
        finally:
            _go_on.set()


def test_an_aborted_leaf_is_given_up_though_the_store_refuses_what_was_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _go_on.clear()
    _has_begun.clear()
    with Project(tmp_path, workers=1) as project:
        store = project._line.unifier.store
        aborted = project.request(Slow(1, waits=True))
        assert _has_begun.wait(10)
        aborted.abort()
        with monkeypatch.context() as patch:
            patch.setattr(store, "is_due", True)
            patch.setattr(store, "keep_all", lambda finished: None)
            refused = threading.Event()

            def refuse() -> None:
                refused.set()
                raise StoreWarning("the disk is full, and warnings are errors")

            patch.setattr(store, "flush", refuse)
            _go_on.set()
            assert refused.wait(10)
            while project._line.unifier.tasks():
                time.sleep(0.001)
        assert project.run(Slow(1)).outputs["number"] == 1


class Nest(Machine):
    """Machines of its own kind, one in the other."""

    depth: int

    async def run(self, job: Job) -> Model:
        if self.depth:
            job.request(Nest(self.depth - 1))
        return Model()


def test_machines_under_one_of_their_own_kind_are_counted() -> None:
    with Project(workers=1) as project:
        done = project.run(Together((Nest(3), Brief(1), Brief(2))))
        assert done.context.record is not None
        assert done.context.record.census == {"Together": 1, "Nest": 4, "Brief": 2}
        project.run(Together((Nest(3), Brief(3))))
        assert project.counts().logical["Nest"] == 8


def test_nobody_waits_for_a_leaf_that_takes_longer_than_expected() -> None:
    _go_on.clear()
    with Project(workers=1) as project:
        project.run(Brief(-1))  # now they are expected to be brief
        first = project.request(Brief(1))
        last = project.request(Brief(2, waits=True))
        try:
            assert first.wait(timeout=10).outputs["number"] == 1
            assert not last.done
        finally:
            _go_on.set()
        assert last.wait().outputs["number"] == 2


def test_an_idle_worker_takes_in_what_it_can_go_on_with() -> None:
    _go_on.clear()
    with Project(workers=2) as project:
        project.run(Brief(-1))
        first = project.request(Brief(1))
        long = project.request(Brief(2, waits=True))
        after = project.request(Next(), number=first.number)
        try:
            assert after.wait(timeout=10).outputs["result"] == 2
            assert not long.done
        finally:
            _go_on.set()


def test_what_waits_for_a_brief_leaf_comes_before_the_leaves_behind_it() -> None:
    ran.clear()
    with Project(workers=1) as project:
        project.run(Noted(-1), number=project.given(0))
        project.run(InOrder())
    assert ran == [-1, 0, 1, 2, 3]


def test_another_worker_runs_what_is_in_hand_behind_a_leaf_that_takes_longer_than_expected() -> None:
    _go_on.clear()
    with Project(workers=2) as project:
        project.run(Brief(-1))
        other = project.request(Brief(3, waits=True))  # so that no worker is idle when the next batch is formed
        long = project.request(Together((Brief(1, waits=True), Brief(2), Brief(4))))
        try:
            other.abort()  # its worker is free for others
            children = long.children
            while len(children) < 3:
                children = long.children
            assert [child.wait(timeout=10).outputs["number"] for child in children[1:]] == [2, 4]
            assert not children[0].done
        finally:
            _go_on.set()


def test_what_is_in_hand_is_run_by_the_next_task_manager() -> None:
    _go_on.clear()
    with Project(workers=1) as project:
        project.run(Brief(-1))
        group = project.request(Together((Brief(1, waits=True), Brief(2), Brief(4))))
        while len(group.children) < 3 or group.children[0].state is not State.RUNNING:
            time.sleep(0.001)
        [first] = project.managers
        leaving = threading.Thread(target=project.unsubscribe, args=(first,))
        leaving.start()
        _go_on.set()
        leaving.join()
        project.subscribe(Threads(1))
        assert [child.outputs["number"] for child in group.wait(timeout=10).children] == [1, 2, 4]


def test_one_that_cannot_be_kept_does_not_harm_those_beside_it() -> None:
    with Project(workers=1) as project:
        capsules = [project.request(Unfit(value)) for value in range(30)]
        for value, capsule in enumerate(capsules):
            if value % 3:
                assert capsule.wait().outputs["number"] == value
            else:
                with pytest.raises(MachineFailed, match="must be int"):
                    capsule.wait()


def test_the_buffer_is_drained_when_the_project_is_closed(tmp_path: Path) -> None:
    _go_on.clear()
    project = Project(tmp_path, workers=1)
    project.run(Brief(-1))
    first = project.request(Brief(1))
    project.request(Brief(2, waits=True))
    while not project._line.runner.buffer and not first.done:
        time.sleep(0.001)
    project.close()
    _go_on.set()
    with Project(tmp_path) as project:
        project.run(Brief(1))
        assert not project.counts().physical


buffered: list[int] = []


class Heavy(Machine):
    """Makes more than can be deferred, in no time, and notes how much is buffered."""

    version = 1  # what it looks at has no content that counts
    array = Output(np.ndarray)
    size: int
    value: int = 0

    def run(self) -> Model:
        buffered.append(len(runner_of["project"].buffer))
        return Model(array=np.zeros(self.size, dtype=np.uint8))


runner_of: dict[str, runner.Runner] = {}


@pytest.mark.parametrize("has_folder", [False, True])
@pytest.mark.parametrize(
    ("size", "is_buffered"), [(runner.MAX_BUFFERED_BYTES // 2, True), (2 * runner.MAX_BUFFERED_BYTES, False)]
)
def test_large_models_are_not_buffered(tmp_path: Path, has_folder: bool, size: int, is_buffered: bool) -> None:
    buffered.clear()
    with Project(tmp_path if has_folder else None, workers=1) as project:
        runner_of["project"] = project._line.runner
        project.run(Heavy(size))
        project.run(Together(tuple(Heavy(size, value) for value in range(1, 17))))
    assert any(buffered) is is_buffered
