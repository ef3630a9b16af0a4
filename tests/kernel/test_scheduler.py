"""The scheduler: simulated schedules keep its invariants, and one worker takes tasks in the order of the book."""

from __future__ import annotations

import threading
from functools import partial
from typing import Any

import pytest

from intemi.kernel import EventKind, IntemiError, Job, Machine, Model, Project
from intemi.kernel.scheduler import Effects, Scheduler
from intemi.kernel.task import DONE, QUEUED, RUNNING, TRANSITIONS, Context, IllegalTransition, Phase, Task, Wait
from tests.kernel.scheduler_simulation import InvariantBroken, simulate
from tests.machines import Log, Number, Pass, gate
from tests.profiles import by_profile

SCHEDULES = by_profile(quick=20_000, full=1_000_000)
PARTS = by_profile(quick=2, full=40)


@pytest.mark.parametrize("part", range(PARTS))
def test_random_schedules_keep_the_invariants_of_the_scheduler(part: int) -> None:
    schedules, steps = simulate(range(part * SCHEDULES // PARTS, (part + 1) * SCHEDULES // PARTS))
    assert schedules == SCHEDULES // PARTS
    assert steps > 20 * schedules, "requests really meet each other"


# Mutations: each is a fault that a scheduler like this one could have, and the simulation must notice it.


class LosesAWakeUp(Scheduler):
    """Queues every third task without waking a worker."""

    _woken = 0

    def _wake_one(self) -> None:
        self._woken += 1
        if self._woken % 3:
            super()._wake_one()


class ClaimsTwice(Scheduler):
    """Does not see, now and then, that a machine is run by another task."""

    def _resolve(self, task: Task, resolution: Any) -> None:
        if task.owner.number % 2:
            self._by_machine.pop(resolution.machine, None)
        super()._resolve(task, resolution)


class ForgetsAWaiter(Scheduler):
    """Answers all contexts of a task but the last one, if there are several."""

    def _settle(self, context: Context, *args: Any, **options: Any) -> None:
        task = context.task
        if task is None or len(task.contexts) < 2 or task.contexts[-1] is not context:
            super()._settle(context, *args, **options)


class ForgetsAWait(Scheduler):
    """Does not resume a composite whose children have finished at once."""

    def suspend(self, task: Task, wait: Wait) -> tuple[bool, Effects]:
        return True, super().suspend(task, wait)[1]


@pytest.mark.parametrize("mutation", [LosesAWakeUp, ClaimsTwice, ForgetsAWaiter, ForgetsAWait])
def test_a_fault_of_the_scheduler_is_caught_by_the_simulation(mutation: type[Scheduler]) -> None:
    with pytest.raises(InvariantBroken, match=r"seed \d+"):
        simulate(range(2000), mutation)


# The states of a task


def test_a_task_makes_legal_moves_only() -> None:
    for phase in Phase:
        for other in Phase:
            task = Task(Context(Number(), {}, None, b""))
            task.phase = phase
            if other in TRANSITIONS[phase]:
                task.to(other)
                assert task.phase is other
            else:
                with pytest.raises(IllegalTransition, match=f"{phase.value} -> {other.value} is not a legal move"):
                    task.to(other)


def test_what_is_done_does_not_come_back() -> None:
    assert TRANSITIONS[DONE] == frozenset()
    assert RUNNING not in TRANSITIONS[QUEUED], "a machine is claimed before it runs"


# Interrupts


def test_a_refused_submission_leaves_nothing_behind() -> None:
    scheduler = Scheduler()
    scheduler.close()
    context = Context(Number(), {}, None, b"key")
    with pytest.raises(IntemiError, match="the project is closed"):
        scheduler.submit(context)
    assert not any(scheduler.sizes().values())
    assert context.is_done


def test_a_timer_that_is_cancelled_is_not_kept() -> None:
    scheduler = Scheduler()
    for _ in range(500):
        scheduler._cancel_timer(scheduler._set_timer(1e9, partial(int)))
    assert scheduler.sizes()["timers"] == 0
    assert len(scheduler._timers) < 50


def test_no_call_waits_for_the_lock_while_a_machine_examines_its_lineage() -> None:
    entered, leave = threading.Event(), threading.Event()

    class Slow(Number):
        """Takes its time to examine its lineage."""

        def examine(self, lineage: Any) -> None:
            entered.set()
            assert leave.wait(30)

    with Project(workers=1) as project:
        slow = threading.Thread(target=lambda: project.run(Slow(5)))
        slow.start()
        try:
            if entered.wait(1):
                assert project.request(Number(1)).wait(10).outputs["result"] == 1
        finally:
            leave.set()
            slow.join(30)


# The order of the queue


def test_a_request_of_higher_priority_runs_first() -> None:
    with Project(workers=1) as project:
        log = Log(project)
        project.request(Pass("a request of higher priority"), name="running")
        assert gate("a request of higher priority").reached.wait(30)
        waiting = [project.request(Number(i), name=f"priority {i}", priority=i) for i in (0, 2, 1)]
        gate("a request of higher priority").opened.set()
        project.wait(*waiting)
        assert log.started == ["running", "priority 2", "priority 1", "priority 0"]


def test_a_machine_moves_up_when_it_is_requested_again_with_higher_priority() -> None:
    with Project(workers=1) as project:
        log = Log(project)
        project.request(Pass("a machine moves up"), name="running")
        assert gate("a machine moves up").reached.wait(30)
        waiting = [project.request(Number(1), name="early"), project.request(Number(2), name="late")]
        waiting.append(project.request(Number(2), name="urgent", priority=1))
        gate("a machine moves up").opened.set()
        project.wait(*waiting)
        assert log.started == ["running", "late", "early"]


class Tree(Machine):
    """Requests all its branches at once."""

    width: int
    depth: int
    place: tuple[int, ...] = ()

    async def run(self, job: Job) -> Model:
        for index in range(self.width):
            place = (*self.place, index)
            branch = (
                Tree(self.width, self.depth - 1, place) if self.depth else Number(int("1" + "".join(map(str, place))))
            )
            job.request(branch, name=str(index))
        return Model()


def paths_of_tree(width: int, depth: int, path: str) -> list[str]:
    below = [str(index) for index in range(width)]
    if depth < 0:
        return [path]
    return [path, *(each for index in below for each in paths_of_tree(width, depth - 1, f"{path}/{index}"))]


def test_one_worker_finishes_each_branch_before_the_next() -> None:
    with Project(workers=1) as project:
        log = Log(project)
        project.run(Tree(3, 2), name="tree")
        assert log.started == paths_of_tree(3, 2, "tree")


@pytest.mark.parametrize("workers", [1, 4])
def test_places_in_the_queue_follow_the_tree_whatever_requests_first(workers: int) -> None:
    with Project(workers=workers) as project:
        log = Log(project)
        project.run(Tree(3, 2), name="tree")
        places: dict[int, tuple[int, ...]] = {}
        for event in log.of(EventKind.REQUESTED):
            places[event.number] = (*places.get(event.parent if event.parent is not None else -1, ()), event.index)
        requested = sorted(log.of(EventKind.REQUESTED), key=lambda event: places[event.number])
        assert [event.path for event in requested] == paths_of_tree(3, 2, "tree")
