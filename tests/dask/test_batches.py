"""Which worker gets the next batch, and what is remembered of it."""

from __future__ import annotations

import pytest

from intemi.dask.batches import BRIEF_SECONDS, MAX_COUNTED, MAX_HELD, Batch, Batches, RemoteWorker
from intemi.kernel.workers.base import Call, Stopped
from tests.machines import Number, Sleep

LONG = 2 * BRIEF_SECONDS


def call_of(number: int, machine: bytes = b"") -> Call:
    return Call(machine or bytes([number]), Number(number), None, {}, lambda item: None)


def batches_of(expected: float, **threads: int) -> Batches:
    """Batches of workers, where leaves are known to take so long."""
    batches = Batches()
    batches.note_time(call_of(0), expected)
    for name, number in threads.items():
        batches.add_worker(RemoteWorker(name, number, name, 1))
    return batches


def sent(batches: Batches) -> list[Batch]:
    found = []
    while (worker := batches.next_ready()) is not None:
        while (batch := batches.next_batch(worker)) is not None:
            found.append(batch)
    return found


def send(batches: Batches, calls: int) -> list[Batch]:
    for number in range(calls):
        batches.add(call_of(number))
        batches.flush()
    return sent(batches)


def test_every_thread_gets_a_batch_before_any_gets_one_ahead() -> None:
    batches = batches_of(0.1, one=1, two=2)
    assert sorted(batch.worker.address for batch in send(batches, 3)) == ["one", "two", "two"]
    assert batches.has_room
    assert sorted(batch.worker.address for batch in send(batches, 3)) == ["one", "two"]
    assert not batches.has_room


def test_no_batch_is_sent_ahead_while_a_long_one_is_out() -> None:
    batches = batches_of(LONG, one=1)
    assert len(send(batches, 2)) == 1
    assert not batches.has_room


def test_a_worker_that_is_done_with_a_batch_gets_the_next() -> None:
    batches = batches_of(LONG, one=1, two=1)
    first, second = send(batches, 2)
    batches.add(call_of(3))
    assert batches.close(second)
    assert [batch.worker for batch in sent(batches)] == [second.worker]
    assert not batches.close(second)
    assert not first.is_over


def test_brief_leaves_travel_together() -> None:
    batches = batches_of(0.001, one=1)
    for number in range(3):
        batches.add(call_of(number))
    assert sent(batches) == []
    batches.flush()
    assert [len(batch.calls) for batch in sent(batches)] == [3]


def test_a_worker_that_has_left_gets_no_batch() -> None:
    batches = batches_of(0.1, one=1, two=1)
    (batch,) = send(batches, 1)
    assert batches.remove_worker(batch.worker) == [batch]
    batches.close(batch)
    assert {each.worker.address for each in send(batches, 2)} == {"one", "two"} - {batch.worker.address}
    assert batches.clear()
    assert send(batches, 1) == []


def test_leaves_that_are_run_again_go_first() -> None:
    batches = batches_of(0.02, one=1)
    again = [call_of(number) for number in range(2)]
    for call in again:
        batches.add(call)
    batches.flush()
    (batch,) = sent(batches)
    batches.add(call_of(5))
    batches.add(call_of(6))
    batches.add(call_of(7))
    batches.close(batch, again)
    assert list(sent(batches)[-1].calls.values())[:2] == again


def test_calls_without_any_worker_are_returned() -> None:
    batches, call = Batches(), call_of(1)
    batches.add(call)
    assert batches.returned() == [call]
    assert batches.returned() == []


def test_a_limited_number_of_losses_is_remembered() -> None:
    batches, worker = Batches(), RemoteWorker("there", 1, "host", 1)
    for number in range(MAX_COUNTED + 10):
        batches.note_loss(call_of(1, number.to_bytes(4)), worker, "its worker died")
    assert len(batches._losses) == MAX_COUNTED


def test_a_leaf_that_was_lost_travels_alone() -> None:
    batches = batches_of(0.001, one=1)
    lost = call_of(1)
    assert isinstance(batches.note_loss(lost, batches.workers[0], "its worker died").answer, Stopped)
    for call in (call_of(0), lost):
        batches.add(call)
    assert [len(batch.calls) for batch in sent(batches)] == [1, 1]


def test_a_class_whose_leaves_take_long_does_not_make_others_travel_alone() -> None:
    batches = batches_of(0.001, one=1)
    batches.note_time(Call(b"sleep", Sleep(1.0), None, {}, lambda item: None), 1.0)
    batches.add(call_of(1))
    assert sent(batches) == []


@pytest.mark.parametrize("number", [1, MAX_HELD])
def test_a_limited_number_of_contents_is_remembered_the_last_used_ones(number: int) -> None:
    worker = RemoteWorker("there", 1, "host", 1)
    worker.hold(index.to_bytes(4) for index in range(MAX_HELD))
    assert not worker.lacks(bytes(4))
    worker.hold(index.to_bytes(4) for index in range(MAX_HELD, MAX_HELD + number))
    assert worker.lacks(bytes(4)) == (number == MAX_HELD)
