from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intemi.kernel import EventKind, Job, Machine, Model, Project, State
from intemi.kernel.context import Context, Task
from intemi.kernel.spooler import Spooler
from tests.machines import Log, Number, Pass, gate

Position = tuple[int, ...]


def queued(position: Position, isolated: bool = False) -> Task:
    context = Context(Number(), {}, None, b"")
    context.position = position
    task = Task(context)
    task.state = State.QUEUED
    task.isolated = isolated
    return task


def spooler_with(*tasks: Task) -> Spooler:
    spooler = Spooler()
    for task in tasks:
        spooler.push(task)
    return spooler


def popped(spooler: Spooler, isolates: bool = True) -> list[Task]:
    tasks = []
    while (task := spooler.pop(isolates)) is not None:
        tasks.append(task)
    return tasks


def positions(tasks: list[Task]) -> list[Position]:
    return [task.position for task in tasks]


def test_an_empty_spooler_has_nothing_to_do() -> None:
    assert Spooler().pop(isolates=True) is None


def test_the_branch_that_was_started_first_is_finished_first() -> None:
    first, second = (0, 0), (0, 1)
    spooler = spooler_with(queued(second), queued((*first, 0, 1)), queued((*second, 0, 0)), queued((*first, 0, 0)))
    assert positions(popped(spooler)) == [(*first, 0, 0), (*first, 0, 1), second, (*second, 0, 0)]


def test_a_higher_priority_overtakes_siblings_with_all_that_is_under_them() -> None:
    ordinary, urgent = (0, 0), (-5, 1)
    spooler = spooler_with(queued((*ordinary, 0, 0)), queued(ordinary), queued((*urgent, 0, 0)), queued(urgent))
    assert positions(popped(spooler)) == [urgent, (*urgent, 0, 0), ordinary, (*ordinary, 0, 0)]


def test_tasks_in_one_place_come_in_the_order_in_which_they_were_queued() -> None:
    tasks = [queued((0, 0)) for _ in range(5)]
    assert popped(spooler_with(*tasks)) == tasks


def test_a_task_that_is_popped_is_running() -> None:
    task = queued((0, 0))
    assert spooler_with(task).pop(isolates=False) is task
    assert task.state is State.RUNNING


def test_a_task_that_was_aborted_is_left_out() -> None:
    aborted, other = queued((0, 0)), queued((0, 1))
    spooler = spooler_with(aborted, other)
    aborted.state = State.ABORTED
    assert popped(spooler) == [other]


def test_a_task_that_is_queued_again_further_in_front_is_popped_once() -> None:
    late, early = queued((0, 5)), queued((0, 1))
    spooler = spooler_with(late, early)
    late.position = (0, 0)
    spooler.push(late)
    assert popped(spooler) == [late, early]


def test_a_task_that_was_stopped_can_be_queued_again() -> None:
    task = queued((0, 0))
    spooler = spooler_with(task)
    assert popped(spooler) == [task]
    task.state = State.QUEUED
    spooler.push(task)
    assert popped(spooler) == [task]


def test_only_a_manager_that_isolates_gets_what_asks_for_it() -> None:
    isolated, plain = queued((0, 0), isolated=True), queued((0, 1))
    spooler = spooler_with(isolated, plain)
    assert popped(spooler, isolates=False) == [plain]
    assert popped(spooler, isolates=True) == [isolated]


def test_a_manager_that_isolates_gets_everything_in_path_order() -> None:
    tasks = [queued((0, index), isolated=index % 2 == 0) for index in range(6)]
    assert popped(spooler_with(*reversed(tasks)), isolates=True) == tasks


def test_a_task_that_comes_to_ask_for_isolation_is_no_longer_given_to_threads() -> None:
    task = queued((0, 0))
    spooler = spooler_with(task)
    task.isolated = True
    spooler.push(task)
    assert popped(spooler, isolates=False) == []
    assert popped(spooler, isolates=True) == [task]


paths = st.lists(st.integers(-2, 2), min_size=1, max_size=6).map(tuple)
steps = st.lists(st.tuples(st.sampled_from(["push", "push", "pop", "pop isolated", "abort"]), paths, st.booleans()))


@given(steps)
def test_whatever_happens_the_first_in_path_order_comes_next(steps: list[tuple[str, Position, bool]]) -> None:
    spooler = Spooler()
    waiting: list[Task] = []
    for step, position, isolated in steps:
        if step == "push":
            waiting.append(queued(position, isolated))
            spooler.push(waiting[-1])
        elif step == "abort" and waiting:
            waiting.pop(len(waiting) // 2).state = State.ABORTED
        elif step.startswith("pop"):
            isolates = step == "pop isolated"
            fitting = [task for task in waiting if isolates or not task.isolated]
            expected = min(fitting, key=lambda task: task.position, default=None)
            assert spooler.pop(isolates) is expected
            if expected is not None:
                waiting.remove(expected)


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
def test_places_in_the_spooler_follow_the_tree_whoever_requests_first(workers: int) -> None:
    with Project(workers=workers) as project:
        log = Log(project)
        project.run(Tree(3, 2), name="tree")
        requested = sorted(log.contexts(EventKind.REQUESTED), key=lambda context: context.position)
        assert [context.path for context in requested] == paths_of_tree(3, 2, "tree")
