"""What every store must do: `check_store(make_store)` raises AssertionError with a sentence about what it did instead.

For those who write a store of their own, and for the tests of ours.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable

from intemi.kernel.record import Child, Failure, Item, Record
from intemi.kernel.seeds import Seed
from intemi.kernel.store import BufferedStore, Claim, Finished, Store

Make = Callable[[], Store]


def check_store(make_store: Make) -> None:
    """Check a store; for a durable one, calling `make_store` again must open the same place.

    >>> from intemi.kernel.store import MemoryStore
    >>> check_store(MemoryStore)
    """
    store = make_store()
    try:
        for check in _CHECKS:
            check(store)
    finally:
        store.close()
        store.close()  # closing twice does no harm
    if store.durable:
        _check_reopening(make_store)
        _check_two_at_once(make_store)


def sample_record(machine: bytes | None = None, **results: object) -> Record:
    """A record with something in every field, for a machine that nobody else has."""
    machine = machine or _new_id()
    return Record(
        machine,
        "Sample",
        b"configuration",
        Seed(1, (2, 3)),
        {"data": (False, ((machine, "data", -1),)), "models": (True, ((machine, "model", 0), (machine, "model", 1)))},
        {"model": Item(machine, "model", -1, b"c" * 16), "parts": (Item(machine, "parts", 0, None, b"inline"),)},
        dict(results),
        census={"Sample": 1},
        started=1.5,
        wall=0.25,
        cpu=0.125,
    )


def _new_id() -> bytes:
    return os.urandom(16)


def _same(found: object, record: Record) -> bool:
    return isinstance(found, Record) and found.encode() == record.encode()


def _check_unknown_is_absent(store: Store) -> None:
    assert store.find(_new_id()) is None, "find must answer None for a key that nobody kept"
    assert store.content(_new_id()) is None, "content must answer None for a content that nobody kept"
    assert store.children(_new_id()) == [], "children must be an empty list for a machine that nobody kept"
    store.release(_new_id())
    store.forget(_new_id())


def _check_kept_is_found(store: Store) -> None:
    record, keys, late = sample_record(Accuracy=0.5, Name="x"), [_new_id(), _new_id()], _new_id()
    store.keep(record, keys)
    assert _same(store.find(record.machine), record), "find must answer the id of a kept machine with its record"
    for key in keys:
        assert _same(store.find(key), record), "find must answer every key that was kept with a machine"
    store.add_key(late, record.machine)
    assert _same(store.find(late), record), "find must answer a key that was added later"
    changed = sample_record(record.machine, Accuracy=0.75)
    store.keep(changed)
    assert _same(store.find(keys[0]), changed), "keeping a machine again must replace its record and leave its keys"


def _check_many_are_kept_at_once(store: Store) -> None:
    records = [sample_record(Number=number) for number in range(3)]
    keys = [_new_id() for _ in records]
    for record in records:
        store.claim(record.machine)
    store.keep_all([Finished(record, [key]) for record, key in zip(records, keys, strict=True)])
    for record, key in zip(records, keys, strict=True):
        assert _same(store.find(key), record), "each of the machines that are kept at once must be found"
        assert _same(store.claim(record.machine), record), "claiming a finished machine must answer with its record"
    machines = [record.machine for record in records]
    listed = {record.machine: record for record in store.find_all([*machines, _new_id()])}
    assert listed.keys() == set(machines), "find_all must answer with the machines that are there, and no others"
    assert all(_same(listed[record.machine], record) for record in records), "find_all must answer as find does"
    store.keep_all([])


def _check_key_is_moved(store: Store) -> None:
    first, second, key = sample_record(), sample_record(), _new_id()
    store.keep(first, [key])
    store.keep(second)
    store.add_key(key, second.machine)
    assert _same(store.find(key), second), "adding a key again must let it lead to the machine given last"


def _check_claim(store: Store) -> None:
    record = sample_record()
    assert store.claim(record.machine) is Claim.MINE, "the first claim must be MINE"
    assert store.claim(record.machine) is Claim.MINE, "claiming what one holds must be MINE again"
    assert store.find(record.machine) is None, "a claimed machine has no record yet"
    store.release(record.machine)
    assert store.claim(record.machine) is Claim.MINE, "a claim that was given back must be free"
    store.keep(record)
    assert _same(store.claim(record.machine), record), "claiming a finished machine must answer with its record"
    store.release(record.machine)
    assert _same(store.find(record.machine), record), "release must not touch a finished machine"


def _check_keep_without_claim(store: Store) -> None:
    record = sample_record()
    store.keep(record)
    assert _same(store.claim(record.machine), record), "a machine can be kept without having been claimed"


def _check_forget(store: Store) -> None:
    record, key = sample_record(), _new_id()
    store.keep(record, [key])
    store.forget(record.machine)
    assert store.find(record.machine) is None, "find must not answer the id of a forgotten machine"
    assert store.find(key) is None, "find must not answer the keys of a forgotten machine"
    assert store.claim(record.machine) is Claim.MINE, "a forgotten machine must be free"
    store.keep(record)
    assert _same(store.find(record.machine), record), "a forgotten machine can be kept again"


def _check_failure(store: Store) -> None:
    record = sample_record()
    record.failure = Failure("division by zero", "a/b", record.machine, "Traceback …")
    store.keep(record)
    found = store.claim(record.machine)
    assert _same(found, record), "claim must answer a kept failure with its record"


def _check_children(store: Store) -> None:
    record = sample_record()
    comments = {"Fold": 1, "Note": "é"}
    children = [Child(index, f"test {index}", _new_id(), comments, _new_id()) for index in (2, 0, 1)]
    store.keep(record, (), children)
    assert store.children(record.machine) == children, "children must be answered as they were kept, in that order"
    leaf = sample_record()
    store.keep(leaf)
    assert store.children(leaf.machine) == [], "a machine that was kept without children must have none"


def _check_contents(store: Store) -> None:
    contents = {_new_id(): payload for payload in (b"", b"\x00", b"small", os.urandom(5_000), os.urandom(200_000))}
    store.keep(sample_record(), contents=contents)
    store.keep(sample_record(), contents=contents)
    for content, payload in contents.items():
        assert store.content(content) == payload, f"a content of {len(payload)} bytes must be answered as it was kept"


def _check_threads(store: Store) -> None:
    records = [sample_record(Number=number) for number in range(20)]
    errors: list[BaseException] = []

    def work() -> None:
        try:
            for record in records:
                store.claim(record.machine)
                store.keep(record, [_new_id()], (), {record.machine: record.encode()})
                assert _same(store.find(record.machine), record), "find must answer what the same thread has kept"
                assert store.content(record.machine) == record.encode(), "content must answer what was kept"
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors, f"all methods must work from any thread, got {errors[0]!r}"


_CHECKS: tuple[Callable[[Store], None], ...] = (
    _check_unknown_is_absent,
    _check_kept_is_found,
    _check_many_are_kept_at_once,
    _check_key_is_moved,
    _check_claim,
    _check_keep_without_claim,
    _check_forget,
    _check_failure,
    _check_children,
    _check_contents,
    _check_threads,
)


def _check_reopening(make_store: Make) -> None:
    record, key, content, claimed, gone = sample_record(Accuracy=1.0), _new_id(), _new_id(), _new_id(), sample_record()
    children = [Child(0, "child", _new_id(), {"Fold": 1})]
    store = make_store()
    store.keep(record, [key], children, {content: b"payload"})
    store.keep(gone)
    store.forget(gone.machine)
    store.claim(claimed)
    store.close()
    store = make_store()
    try:
        assert _same(store.find(key), record), "what was kept must be found after the place was opened again"
        assert store.children(record.machine) == children, "children must be there after the place was opened again"
        assert store.content(content) == b"payload", "contents must be there after the place was opened again"
        assert store.find(gone.machine) is None, "what was forgotten must not come back"
        assert store.claim(claimed) is Claim.MINE, "closing a store must end its claims"
    finally:
        store.close()


def _check_two_at_once(make_store: Make) -> None:
    record, left = sample_record(), _new_id()
    first, second = make_store(), make_store()
    try:
        assert first.claim(record.machine) is Claim.MINE, "the first claim must be MINE"
        assert second.claim(record.machine) is Claim.BUSY, "what an open store has claimed must be BUSY in another"
        second.release(record.machine)
        assert second.claim(record.machine) is Claim.BUSY, "nobody can give back the claim of another"
        second.changed()
        first.changed()
        first.keep(record)
        if isinstance(first, BufferedStore):
            first.flush()
        assert second.changed(), "a store must notice that another has changed something"
        assert not second.changed(), "a store must notice the same change only once"
        assert not first.changed(), "a store must not take its own change for that of another"
        assert _same(second.claim(record.machine), record), "what one store has kept, another must find"
        first.claim(left)
        first.close()
        assert second.claim(left) is Claim.MINE, "closing a store must end its claims"
    finally:
        first.close()
        second.close()
