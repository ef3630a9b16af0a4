"""Commentators that are attached to a request."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from intemi.kernel import (
    Commentator,
    ConfigurationError,
    Input,
    Job,
    Machine,
    MachineAborted,
    MachineFailed,
    Model,
    Project,
)
from intemi.kernel.engine import CommentatorWarning
from intemi.kernel.repository.commentators import Finished
from tests.machines import Add, Chain, Demand, Log, Number, Pass, gate


class Parity(Commentator):
    """Whether a sum is even."""

    def applies_to(self, config: Machine) -> bool:
        return isinstance(config, Add)

    def comments(self, machine: Finished) -> Mapping[str, Any]:
        return {"Even": machine.outputs["result"] % 2 == 0}


class Larger(Commentator):
    """The larger of two summands."""

    def applies_to(self, config: Machine) -> bool:
        return isinstance(config, Add)

    def comments(self, machine: Finished) -> Mapping[str, Any]:
        return {"Larger": max(machine.inputs["left"], machine.inputs["right"])}


class Speechless(Commentator):
    """Never says anything."""

    def applies_to(self, config: Machine) -> bool:
        return True

    def comments(self, machine: Finished) -> Mapping[str, Any]:
        raise RuntimeError("lost for words")


class Slow(Commentator):
    """Speaks once a gate is open."""

    version = 1
    gate: str

    def applies_to(self, config: Machine) -> bool:
        return isinstance(config, Add | Number | Pass)

    def comments(self, machine: Finished) -> Mapping[str, Any]:
        place = gate(self.gate)
        place.reached.set()
        assert place.opened.wait(30)
        return {"Slow": True}


class Demands(Machine):
    """Requests what finishes and what fails."""

    number = Input(int)

    async def run(self, job: Job, number: Any) -> Model:
        job.request(Add(), left=number, right=number, name="sum")
        await job.request(Demand(), number=number, name="demand")
        return Model()


def said(project: Project, label: str) -> list[Any]:
    """What was said of all machines that have something said of them."""
    found = project.query(where=lambda item: label in item.comments, labels=label)
    return list(found[label]) if len(found) else []


@pytest.mark.parametrize("on_disk", [False, True])
def test_they_have_spoken_of_all_machines_they_apply_to_when_the_run_is_over(tmp_path: Path, on_disk: bool) -> None:
    with Project(tmp_path if on_disk else None) as project:
        chain = project.run(Chain(3), commentators=[Parity(), Larger()], number=project.given(4))
        found = project.query(chain, type=Add, labels=["Even", "Larger", "Step"])
        assert list(found) == [
            {"Even": False, "Larger": 4, "Step": 0},
            {"Even": True, "Larger": 5, "Step": 1},
            {"Even": False, "Larger": 6, "Step": 2},
        ]
        assert chain.results == {"Steps": 3}


def test_they_have_spoken_when_the_project_is_closed_though_nobody_has_waited(tmp_path: Path) -> None:
    with Project(tmp_path, workers=1) as project:
        first = project.request(Chain(2), commentators=[Parity()], number=project.given(1))
        last = project.request(Number(5))
        last.wait()
        assert first.done
    with Project.open(tmp_path) as project:
        log = Log(project)
        assert said(project, "Even") == [True, False]
        assert log.events == []


def test_they_speak_of_machines_that_had_finished_before(tmp_path: Path) -> None:
    with Project(tmp_path) as project:
        project.run(Chain(2), number=project.given(1))
        assert said(project, "Even") == []
    with Project(tmp_path) as project:
        log = Log(project)
        project.run(Chain(2), commentators=(Parity(),), number=project.given(1))
        assert said(project, "Even") == [True, False]
        assert log.started == []


def test_every_one_of_many_requests_is_spoken_of() -> None:
    with Project() as project:
        sources = [project.given(number) for number in range(20)]
        capsules = [project.request(Add(), commentators=[Parity()], left=sources[0], right=each) for each in sources]
        project.wait(*capsules)
        assert [project.query(each, labels="Even")["Even"][0] for each in capsules] == [True, False] * 10


def test_a_request_is_the_same_with_and_without_them() -> None:
    with Project() as project:
        number = project.given(1)
        plain = project.run(Chain(2), number=number)
        spoken_of = project.run(Chain(2), commentators=[Parity()], number=number)
        assert spoken_of.key == plain.key
        assert project.counts().logical.total() == 2 * project.counts().physical.total()


def test_one_that_fails_is_a_warning_and_harms_neither_the_run_nor_the_others() -> None:
    with Project() as project:
        with pytest.warns(CommentatorWarning, match="Chain: Speechless failed: RuntimeError: lost for words"):
            chain = project.run(Chain(2), commentators=[Speechless(), Parity()], number=project.given(1))
        assert chain.outputs["result"] == 3
        assert said(project, "Even") == [True, False]


def test_what_finished_under_a_request_that_failed_is_spoken_of() -> None:
    with Project() as project:
        demands = project.request(Demands(), commentators=[Parity()], number=project.given(3))
        with pytest.raises(MachineFailed, match="3 is not a multiple of 2"):
            demands.wait()
        assert said(project, "Even") == [True]


def test_they_say_nothing_of_a_request_that_was_aborted() -> None:
    with Project() as project:
        waiting = project.request(Pass("never"), commentators=[Slow("unheard")])
        assert gate("never").reached.wait(30)
        waiting.abort()
        with pytest.raises(MachineAborted):
            waiting.wait()
        gate("never").opened.set()
    assert not gate("unheard").reached.is_set()


def test_they_say_nothing_of_a_request_whose_input_failed() -> None:
    with Project() as project:
        failing = project.request(Demand(), number=project.given(3))
        dependent = project.request(Add(), commentators=[Parity()], left=failing.result, right=failing.result)
        with pytest.raises(MachineFailed, match="3 is not a multiple of 2"):
            dependent.wait()
        assert said(project, "Even") == []


def test_a_machine_is_finished_while_they_still_speak_and_waiting_for_both_takes_no_longer_than_allowed() -> None:
    with Project() as project:
        number = project.request(Number(3), commentators=[Slow("slowly")])
        assert gate("slowly").reached.wait(30)
        assert number.done
        assert number.outputs["result"] == 3
        with pytest.raises(TimeoutError, match="Number is finished; its commentators have not finished"):
            number.wait(timeout=0.01)
        gate("slowly").opened.set()
        number.wait()
        assert said(project, "Slow") == [True]


@pytest.mark.parametrize("given", [Parity(), [Parity], ["Parity"], "Parity", None])
def test_what_is_no_list_of_commentators_is_refused_before_anything_is_requested(given: Any) -> None:
    with Project() as project:
        with pytest.raises(ConfigurationError, match="request: commentators must be a list of commentators, got "):
            project.request(Number(1), commentators=given)
        assert project.counts().logical.total() == 0


# Attached by a composite to its children


class Sums(Machine):
    """Two sums, of which it has one commented."""

    left = Input(int)
    right = Input(int)
    commentator: Commentator = Parity()

    async def run(self, job: Job, left: Any, right: Any) -> Model:
        job.request(Add(), left=left, right=right, name="commented", commentators=[self.commentator])
        job.request(Add(), left=left, right=left, name="plain")
        return Model()


@pytest.mark.parametrize("where", ["memory", "folder"])
def test_a_composite_has_commentators_speak_of_a_child(where: str, tmp_path: Path) -> None:
    with Project(tmp_path / "folder" if where == "folder" else None, workers=2) as project:
        for number in range(10):  # whoever waits for the composite finds what they said
            done = project.run(Sums(), left=project.given(3), right=project.given(number))
            assert project.query(done, name="commented", labels=["Even"]).values.tolist() == [number % 2 == 1]
        assert project.query(done, name="plain", labels=["Sum"]).values.tolist() == [6]
    if where == "folder":
        with Project(tmp_path / "folder") as again:
            assert again.query(name="commented", labels=["Even"]).values.tolist() == [n % 2 == 1 for n in range(10)]


def test_a_composite_is_not_the_worse_for_a_commentator_that_fails() -> None:
    with Project(workers=1) as project, pytest.warns(CommentatorWarning, match="Sums/commented: Speechless failed"):
        project.run(Sums(Speechless()), left=project.given(3), right=project.given(4))


def test_whoever_waits_for_a_composite_waits_for_commentators_on_its_children() -> None:
    with Project(workers=1) as project:
        done = project.request(Sums(Slow("child")), left=project.given(3), right=project.given(4))
        with pytest.raises(TimeoutError, match="Sums is finished; its commentators have not finished after"):
            done.wait(timeout=0.5)
        gate("child").opened.set()
        done.wait()


def test_a_composite_that_orders_what_is_no_comment_fails() -> None:
    class Wrong(Machine):
        async def run(self, job: Job) -> Model:
            job.request(Number(), commentators=Parity())  # type: ignore[arg-type]
            return Model()

    with Project(workers=1) as project, pytest.raises(MachineFailed, match="must be a list of commentators, got Parit"):
        project.run(Wrong())
