from __future__ import annotations

import warnings
from pathlib import Path

import pytest

from intemi.kernel import Event, EventKind, MachineAborted, MachineFailed, Project
from intemi.kernel.disk import DiskStore
from tests.machines import Add, Chain, Fail, Log, Number, Pass, Scale, gate

REQUESTED, STARTED, FINISHED = EventKind.REQUESTED, EventKind.STARTED, EventKind.FINISHED


def story(log: Log) -> list[str]:
    return [str(event) for event in log.events]


def test_a_machine_is_requested_started_and_finished() -> None:
    with Project(workers=1) as project:
        log = Log(project)
        project.run(Number(1), name="one")
        assert story(log) == ["requested one", "started one", "finished one"]


def test_a_machine_that_is_there_already_is_requested_and_unified() -> None:
    with Project(workers=1) as project:
        project.run(Number(1))
        log = Log(project)
        project.run(Number(1), name="again")
        assert story(log) == ["requested again", "unified again"]


def test_a_machine_that_is_running_already_is_unified_when_it_finishes() -> None:
    with Project(workers=1) as project:
        log = Log(project)
        first = project.request(Pass("unified when it finishes"), name="first")
        assert gate("unified when it finishes").reached.wait(30)
        second = project.request(Pass("unified when it finishes"), name="second")
        gate("unified when it finishes").opened.set()
        project.wait(first, second)
        assert story(log) == [
            "requested first",
            "started first",
            "requested second",
            "finished first",
            "unified second",
        ]


def test_a_machine_that_raises_and_what_depends_on_it_fail() -> None:
    with Project(workers=1) as project:
        log = Log(project)
        cause = project.request(Fail("no"), name="cause")
        dependant = project.request(Scale(), number=cause.result, name="dependant")
        with pytest.raises(MachineFailed):
            dependant.wait(30)
        assert [each for each in story(log) if "cause" in each] == ["requested cause", "started cause", "failed cause"]
        assert [each for each in story(log) if "dependant" in each] == ["requested dependant", "failed dependant"]


def test_a_request_that_is_ended_is_aborted() -> None:
    with Project(workers=1) as project:
        log = Log(project)
        capsule = project.request(Pass("aborted while it runs"), name="ended")
        assert gate("aborted while it runs").reached.wait(30)
        capsule.abort()
        with pytest.raises(MachineAborted):
            capsule.wait(30)
        gate("aborted while it runs").opened.set()
        assert story(log) == ["requested ended", "started ended", "aborted ended"]


def test_events_of_a_composite_name_the_path_from_the_root() -> None:
    with Project(workers=1) as project:
        log = Log(project)
        project.run(Chain(1), name="chain", number=project.given(3))
        assert log.started == ["chain", "chain/one", "chain/step 0"]
        assert [event.path for event in log.of(FINISHED)] == ["chain/one", "chain/step 0", "chain"]


def test_times_of_events_do_not_go_back() -> None:
    with Project(workers=2) as project:
        log = Log(project)
        project.run(Chain(10), number=project.given(3))
        times = [event.time for event in log.events]
        assert times == sorted(times)


def test_every_listener_hears_everything_in_one_order() -> None:
    with Project(workers=4) as project:
        logs = [Log(project), Log(project)]
        project.wait(*(project.request(Chain(5), number=project.given(number)) for number in range(5)))
        assert logs[0].events == logs[1].events
        assert len(logs[0].of(REQUESTED)) == len(logs[0].of(FINISHED)) + len(logs[0].of(EventKind.UNIFIED))


def test_a_listener_that_was_taken_away_hears_nothing_more() -> None:
    heard: list[Event] = []
    with Project(workers=1) as project:
        stop = project.listen(heard.append)
        project.run(Number(1))
        before = len(heard)
        stop()
        project.run(Number(2))
        assert len(heard) == before


def test_a_listener_that_fails_is_warned_about_and_the_work_goes_on() -> None:
    def broken(event: Event) -> None:
        raise ValueError("broken display")

    with Project(workers=1) as project:
        project.listen(broken)
        log = Log(project)
        with pytest.warns(RuntimeWarning, match="listener .*broken.* failed on '[a-z]+ one': ValueError"):
            assert project.run(Number(1), name="one").outputs["result"] == 1
        assert story(log) == ["requested one", "started one", "finished one"]


def test_a_listener_that_fails_does_not_stop_the_work_where_warnings_are_errors() -> None:
    def broken(event: Event) -> None:
        raise ValueError("broken display")

    with Project(workers=1) as project, warnings.catch_warnings():
        warnings.simplefilter("error")
        project.listen(broken)
        assert project.request(Number(1)).wait(30).outputs["result"] == 1


def test_what_is_reported_finished_is_on_record(tmp_path: Path) -> None:
    found: list[bool] = []
    with Project(tmp_path, workers=1) as project:
        other = DiskStore(tmp_path)

        def look(event: Event) -> None:
            if event.kind is FINISHED:
                found.append(other.find(event.key) is not None)

        project.listen(look)
        project.run(Chain(3), number=project.given(3))
        other.close()
    assert found == [True] * 5


def test_counts_tell_logical_from_physical_machines() -> None:
    with Project(workers=1) as project:
        one = project.request(Number(1))
        again = project.request(Number(1))
        project.run(Add(), left=one.result, right=again.result)
        counts = project.counts()
        assert counts.logical == {"Number": 2, "Add": 1}
        assert counts.physical == {"Number": 1, "Add": 1}


def test_a_unified_composite_counts_with_everything_under_it() -> None:
    with Project(workers=1) as project:
        project.run(Chain(3), number=project.given(3))
        project.run(Chain(3), number=project.given(3))
        counts = project.counts()
        assert counts.logical == {"Chain": 2, "Number": 2, "Add": 6}
        assert counts.physical == {"Chain": 1, "Number": 1, "Add": 3}


def test_counts_are_a_snapshot() -> None:
    with Project(workers=1) as project:
        before = project.counts()
        project.run(Number(1))
        assert before.logical.total() == 0
        assert project.counts().logical.total() == 1


def test_counts_show_a_table() -> None:
    with Project(workers=1) as project:
        project.run(Number(1))
        project.run(Number(1))
        assert repr(project.counts()).splitlines() == [
            "machine  logical  physical",
            "Number         2         1",
            "all            2         1",
        ]


def test_a_display_does_not_make_every_machine_be_written_by_itself(tmp_path: Path) -> None:
    def not_written_yet(early: bool) -> int:
        """How many machines are told of before they are on record."""
        waiting: list[bool] = []
        with Project(tmp_path / str(early), workers=1) as project:
            store = project._engine.store
            project.listen(
                lambda event: waiting.append(event.kind is FINISHED and store.is_pending(event.machine or b"")),
                early=early,
            )
            project.wait(*(project.request(Number(value)) for value in range(20)))
        return sum(waiting)

    assert not_written_yet(early=False) == 0
    assert not_written_yet(early=True) > 0
