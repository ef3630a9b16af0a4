"""Leaves that are aborted at an awkward moment: while their batch travels, or while there is no worker."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import pytest

from intemi.dask import protocol
from intemi.dask.clusters import ClusterWarning, warn
from intemi.dask.manager import DaskWorkers
from intemi.dask.protocol import Answer, BatchMessage, Leaf, Ran, unsealed
from intemi.dask.remote import BatchRunner
from intemi.kernel.workers.base import Call, Outcome, Stopped
from intemi.kernel.workers.contents import ContentEncoder
from tests.machines import Number


def call_of(number: int) -> Call:
    return Call(bytes([number]), Number(number), None, {}, lambda item: None)


def batch_of(*numbers: int) -> BatchMessage:
    encoder = ContentEncoder(trusted=False)
    leaves = [
        Leaf(number, bytes([number]), *encoder.leaf(call_of(number), lambda _: False, {}), False) for number in numbers
    ]
    return BatchMessage(tuple(map(tuple, leaves)), {})


def statuses(answer: bytes) -> list[str]:
    return [Ran(*each).status for each in unsealed(Answer, answer).ran]


@pytest.fixture
def runner() -> BatchRunner:
    return BatchRunner(2**20, lambda *usage: None)


def test_a_batch_that_is_aborted_before_it_runs_does_not_begin(runner: BatchRunner) -> None:
    runner.begin("key")
    runner.abort("key")
    assert statuses(runner.run("key", batch_of(5, 6))) == [protocol.STOPPED] * 2


def test_a_batch_of_a_client_that_has_left_does_not_begin(runner: BatchRunner) -> None:
    runner.begin("key")
    runner.close()
    assert statuses(runner.run("key", batch_of(5))) == [protocol.STOPPED]


def test_a_worker_remembers_batches_as_long_as_it_runs_them(runner: BatchRunner) -> None:
    runner.begin("key")
    assert statuses(runner.run("key", batch_of(5))) == ["finished"]
    runner.abort("key")
    assert not runner._running
    runner.close()


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
    manager.leave("the last one")
    assert [outcome.call for outcome in manager.delivered] == [call]
    assert isinstance(manager.delivered[0].answer, Stopped)


def test_a_warning_that_is_an_error_is_shown_and_the_thread_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[threading.ExceptHookArgs] = []
    monkeypatch.setattr(threading, "excepthook", shown.append)
    warn("a worker is frozen")  # the tests turn warnings into errors
    assert [(each.exc_type, str(each.exc_value)) for each in shown] == [(ClusterWarning, "a worker is frozen")]
