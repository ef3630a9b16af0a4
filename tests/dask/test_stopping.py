"""Leaves that are aborted at an awkward moment: while their batch travels, or while there is no worker."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from intemi.dask import wire
from intemi.dask.codec import Codec
from intemi.dask.losses import MAX_COUNTED, Losses
from intemi.dask.manager import DaskWorkers
from intemi.dask.remote import MAX_STOPPED, BatchRunner
from intemi.dask.workers import MAX_HELD, RemoteWorker
from intemi.kernel.workers.base import Call, Outcome, Stopped
from tests.machines import Number


def call_of(number: int) -> Call:
    return Call(bytes([number]), Number(number), None, {}, lambda item: None)


def batch_of(*numbers: int) -> wire.BatchMessage:
    leaves = [Codec(trusted=False).leaf(number, call_of(number), lambda _: False, {}) for number in numbers]
    return wire.BatchMessage("home", tuple(map(tuple, leaves)), {}, trusted=False, memory=2**20)


def test_a_leaf_that_is_stopped_before_its_batch_arrives_does_not_begin() -> None:
    runner = BatchRunner()
    runner.stop("home", [5])
    answer = wire.unsealed(wire.Answer, runner.run(batch_of(5)))
    assert [wire.Ran(*each).status for each in answer.ran] == [wire.STOPPED]


def test_a_worker_remembers_a_limited_number_of_stopped_leaves() -> None:
    runner = BatchRunner()
    runner.stop("home", list(range(2 * MAX_STOPPED)))
    assert len(runner._stopped) == MAX_STOPPED


def test_a_worker_remembers_homes_as_long_as_it_has_their_leaves() -> None:
    runner = BatchRunner()
    runner.stop("home", [5])
    runner.run(batch_of(5))
    runner.note_alive("another home")
    assert not runner._heard


def test_home_remembers_a_limited_number_of_losses() -> None:
    losses, worker = Losses(), RemoteWorker("there", 1, "host", 1)
    for number in range(MAX_COUNTED + 10):
        call = call_of(1)
        call.machine = number.to_bytes(4)
        losses.count(call, worker, "its worker died")
    assert len(losses) == MAX_COUNTED
    stopped = call_of(2)
    stopped.is_stopped = True
    losses.count(stopped, worker, "its worker died")
    assert stopped not in losses


class Delivering(DaskWorkers):
    """Keeps what it would deliver."""

    def __init__(self) -> None:
        super().__init__("tcp://127.0.0.1:1")
        self.delivered: list[Outcome] = []

    def deliver(self, outcomes: Sequence[Outcome]) -> None:
        self.delivered += outcomes


def test_a_call_that_finds_no_worker_is_returned() -> None:
    manager, call = Delivering(), call_of(1)
    manager.submit(call)
    manager._use_workers()
    assert [outcome.call for outcome in manager.delivered] == [call]
    assert isinstance(manager.delivered[0].answer, Stopped)


def test_a_call_that_waits_goes_to_a_worker_that_is_new() -> None:
    manager = Delivering()
    manager.submit(call_of(1))
    worker = RemoteWorker("there", 1, "host", 1)
    manager._members.add(worker)
    assert not manager.has_room
    manager._use_workers()
    assert [len(batch.calls) for batch in worker.batches] == [1]


@pytest.mark.parametrize("number", [1, MAX_HELD])
def test_home_remembers_a_limited_number_of_contents_the_last_used_ones(number: int) -> None:
    worker = RemoteWorker("there", 1, "host", 1)
    worker.hold(index.to_bytes(4) for index in range(MAX_HELD))
    assert not worker.lacks(bytes(4))
    worker.hold(index.to_bytes(4) for index in range(MAX_HELD, MAX_HELD + number))
    assert worker.lacks(bytes(4)) == (number == MAX_HELD)
