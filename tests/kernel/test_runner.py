"""Leaves and composites run in order, and what one of them does harms no other."""

from __future__ import annotations

import threading

import pytest

from intemi import Input, Machine, MachineFailed, Model, Output, Project, parameter
from intemi.kernel.composite import Job

_go_on = threading.Event()
_has_begun = threading.Event()
_all_is_requested = threading.Event()


class Brief(Machine):
    """At once, unless it is to wait."""

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


class Slow(Brief):
    """Of another kind."""


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


def test_a_composite_that_waits_for_a_brief_leaf_goes_on_before_the_next_one_begins() -> None:
    ran.clear()
    with Project(workers=1) as project:
        project.run(Noted(-1), number=project.given(0))
        project.run(Brief(-1))
        project.run(Together(tuple(Chain(value) for value in range(5))))
    assert ran == [-1, 0, 1, 2, 3, 4]


def test_who_waits_for_one_request_does_not_wait_for_the_next() -> None:
    _go_on.clear()
    with Project(workers=1) as project:
        project.run(Brief(-1))
        _all_is_requested.clear()
        project.request(Held())
        first = project.request(Together((Brief(1), Brief(2))))
        second = project.request(Brief(3, waits=True))
        _all_is_requested.set()
        try:
            assert len(first.wait(timeout=10).children) == 2
            assert not second.done
        finally:
            _go_on.set()


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
        project.run(Brief(-1))
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


def test_one_that_cannot_be_kept_does_not_harm_those_beside_it() -> None:
    with Project(workers=1) as project:
        capsules = [project.request(Unfit(value)) for value in range(30)]
        for value, capsule in enumerate(capsules):
            if value % 3:
                assert capsule.wait().outputs["number"] == value
            else:
                with pytest.raises(MachineFailed, match="must be int"):
                    capsule.wait()
