"""Buffered records are found at once, written soon, and kept in memory where they cannot be written."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence

import pytest

from intemi.kernel.disk import WriteBehind
from intemi.kernel.disk import write_behind as module
from intemi.kernel.errors import IntemiError
from intemi.kernel.record import Child, Failure, Record
from intemi.kernel.store import Claim, Finished, MemoryStore
from intemi.testing.store import sample_record


class Recorder(MemoryStore):
    """A durable store as a user might write one, which can be made to refuse, or to wait."""

    durable = True

    def __init__(self) -> None:
        super().__init__()
        self.batches: list[int] = []
        self.writers: set[str] = set()
        self.refuses: Callable[[Record], bool] = lambda record: False
        self.gate = threading.Event()
        self.gate.set()

    def keep_all(self, finished: Sequence[Finished], keys: Sequence[tuple[bytes, bytes]] = ()) -> None:
        assert self.gate.wait(30)
        self.writers.add(threading.current_thread().name)
        if any(self.refuses(each.record) for each in finished):
            raise IntemiError("the disk is full")
        if finished:
            self.batches.append(len(finished))
        super().keep_all(finished, keys)


@pytest.fixture
def inner() -> Recorder:
    return Recorder()


@pytest.fixture
def store(inner: Recorder) -> Iterator[WriteBehind]:
    buffered = WriteBehind(inner)
    yield buffered
    buffered.close()


def composite(*children: Record) -> Finished:
    return Finished(sample_record(), (), [Child(at, f"{at}", child.machine, {}) for at, child in enumerate(children)])


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def test_what_is_kept_is_found_before_it_is_written(store: WriteBehind, inner: Recorder) -> None:
    inner.gate.clear()
    record = sample_record()
    store.keep(record, [b"key"], contents={b"content": b"bytes"})
    store.add_key(b"late", record.machine)
    assert store.is_dirty
    assert store.find(b"key") is store.find(b"late") is store.claim(record.machine) is record
    assert store.content(b"content") == b"bytes"
    assert inner.find(b"key") is None
    inner.gate.set()
    store.flush()
    assert not store.is_dirty
    assert inner.find(b"key") is inner.find(b"late") is record


def test_a_record_is_written_soon_though_nothing_flushes(store: WriteBehind, inner: Recorder) -> None:
    store.keep(sample_record())
    until(lambda: inner.batches == [1])
    assert inner.writers == {"intemi store"}


def test_a_full_batch_does_not_wait(store: WriteBehind, inner: Recorder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FLUSH_SECONDS", 60)
    store.keep_all([Finished(sample_record()) for _ in range(3)])
    time.sleep(0.05)
    assert not inner.batches
    store.keep_all([Finished(sample_record()) for _ in range(module.MAX_BATCH_RECORDS)])
    until(lambda: sum(inner.batches) == module.MAX_BATCH_RECORDS + 3)


def test_who_keeps_more_than_can_be_written_waits_until_it_is(
    store: WriteBehind, inner: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_BATCH_RECORDS", 2)
    inner.gate.clear()
    store.keep_all([Finished(sample_record()) for _ in range(2)])
    threading.Timer(0.1, inner.gate.set).start()
    store.keep_all([Finished(sample_record()) for _ in range(2 * module.MAX_BUFFERED_BATCHES)])
    assert sum(inner.batches) == 2 + 2 * module.MAX_BUFFERED_BATCHES


def test_a_flush_waits_for_what_another_thread_is_writing(store: WriteBehind, inner: Recorder) -> None:
    inner.gate.clear()
    store.keep(sample_record())
    writer = threading.Thread(target=store.flush)
    writer.start()
    store.keep(sample_record())
    threading.Timer(0.1, inner.gate.set).start()
    store.flush()
    assert sum(inner.batches) == 2
    writer.join()


def test_the_thread_ends_when_there_is_nothing_to_do_and_comes_back(
    store: WriteBehind, inner: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "FLUSH_SECONDS", 0.02)
    for number in (1, 2):
        store.keep(sample_record())
        until(lambda number=number: len(inner.batches) == number)  # type: ignore[misc]
        until(lambda: store._thread is None)


def test_an_error_of_the_thread_reaches_the_callback_and_the_record_stays_in_memory(
    store: WriteBehind, inner: Recorder
) -> None:
    told: list[tuple[Sequence[Finished], Exception]] = []
    store.on_write_error(lambda finished, error: told.append((finished, error)))
    inner.refuses = lambda record: True
    record = sample_record()
    store.claim(record.machine)
    store.keep(record, [b"key"])
    until(lambda: bool(told))
    ((finished, error),) = told
    assert [each.record for each in finished] == [record]
    assert "the disk is full" in str(error)
    assert store.has_unsaved
    assert store.is_memory_only(record.machine)
    assert store.find(b"key") is store.claim(record.machine) is record
    assert inner._claimed == set()


def test_what_has_no_encoding_and_what_is_above_it_stays_in_memory(store: WriteBehind, inner: Recorder) -> None:
    told: list[bytes] = []
    store.on_write_error(lambda finished, error: told.extend(each.record.machine for each in finished))
    odd, sound = sample_record(Odd=object()), sample_record(Grade=1)
    above = composite(odd, sound)
    top = composite(above.record)
    store.keep_all([Finished(odd), Finished(sound), above, top])
    store.flush()
    assert told == [odd.machine, above.record.machine, top.record.machine]
    assert [store.is_memory_only(each.machine) for each in (odd, sound, above.record, top.record)] == [
        True,
        False,
        True,
        True,
    ]
    assert store.children(above.record.machine) == above.children
    assert inner.find(sound.machine) is sound
    assert inner.find(top.record.machine) is None


def test_what_is_for_this_process_only_is_not_written(store: WriteBehind, inner: Recorder) -> None:
    failed, sound = sample_record(), sample_record()
    failed.failure = Failure("no", "a", failed.machine, "")
    store.keep_all([Finished(failed, (), (), None), Finished(sound)])
    above = composite(failed, sound)
    store.keep_all([above])
    store.flush()
    assert store.is_memory_only(failed.machine)
    assert not store.has_unsaved, "nobody wanted it to be written"
    assert store.find(failed.machine) is failed
    assert inner.find(above.record.machine) is above.record
    assert [child.machine for child in inner.children(above.record.machine)] == [sound.machine], "there is no gap"


def test_what_ran_again_and_can_be_written_is_not_in_memory_only_any_more(store: WriteBehind, inner: Recorder) -> None:
    store.on_write_error(lambda finished, error: None)
    record = sample_record()
    inner.refuses = lambda record: True
    store.keep(record)
    store.flush()
    inner.refuses = lambda record: False
    store.forget(record.machine)
    assert store.claim(record.machine) is Claim.MINE
    store.keep(record)
    store.flush()
    assert not store.is_memory_only(record.machine)
    assert inner.find(record.machine) is record


def test_a_fork_cannot_use_it_and_leaves_it_alone(store: WriteBehind, inner: Recorder) -> None:
    store.keep(sample_record())
    child = os.fork()
    if not child:  # pragma: no cover - in the fork
        code = 1
        try:
            store.keep(sample_record())
        except IntemiError as error:
            store.close()
            code = 0 if "fork" in str(error) and not inner.batches else 2
        os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    store.flush()
    assert inner.batches == [1]
