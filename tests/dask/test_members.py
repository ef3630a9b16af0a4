"""Which worker gets the next batch."""

from __future__ import annotations

import threading

from intemi.dask.members import Members
from intemi.dask.workers import Batch, RemoteWorker


def members_of(**threads: int) -> Members:
    members = Members(threading.RLock())
    for name, number in threads.items():
        members.add(RemoteWorker(name, number, name, 1))
    return members


def give(members: Members, ahead: bool) -> Batch | None:
    worker = members.free_worker(ahead)
    if worker is None:
        return None
    batch = Batch(worker)
    members.add_batch(batch)
    return batch


def test_every_thread_gets_a_batch_before_any_gets_one_ahead() -> None:
    members = members_of(one=1, two=2)
    given = [give(members, ahead=False) for _ in range(3)]
    assert sorted(batch.worker.address for batch in given if batch) == ["one", "two", "two"]
    assert give(members, ahead=False) is None
    ahead = [give(members, ahead=True) for _ in range(2)]
    assert sorted(batch.worker.address for batch in ahead if batch) == ["one", "two"]
    assert give(members, ahead=True) is None


def test_a_worker_that_is_done_with_a_batch_gets_the_next() -> None:
    members = members_of(one=1, two=1)
    first, second = give(members, ahead=False), give(members, ahead=False)
    assert first
    assert second
    members.remove_batch(second)
    assert members.free_worker(ahead=False) is second.worker


def test_a_worker_that_has_left_gets_no_batch() -> None:
    members = members_of(one=1, two=1)
    batch = give(members, ahead=False)
    assert batch
    members.remove_absent({other: 1 for other in ("one", "two") if other != batch.worker.address})
    members.remove_batch(batch)
    given = give(members, ahead=True)
    assert given
    assert given.worker is not batch.worker
    members.remove_all()
    assert give(members, ahead=True) is None
