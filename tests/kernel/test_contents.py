from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from intemi import Input, Machine, Model, Output
from intemi.kernel.decoding import decode
from intemi.kernel.encoding import digest, encode
from intemi.kernel.record import Item
from intemi.kernel.workers.base import Call
from intemi.kernel.workers.contents import (
    MAX_UNFINISHED,
    ContentDropped,
    ContentEncoder,
    ContentStore,
    EncodedLeaf,
    ProtocolError,
    decoded_value,
)
from intemi.kernel.workers.encoded_leaf import ANSWER, FAILED, FINISHED, REFUSED, relay
from intemi.kernel.workers.processes import WorkerPool
from tests.machines import Number


def named(value: object) -> tuple[bytes, bytes]:
    encoded = encode(value)
    return digest(encoded), encoded


class Opaque:
    """A value without a canonical encoding."""


class Sum(Machine):
    """Of a table; the table once more."""

    table = Input(np.ndarray)
    same = Output(np.ndarray)

    def run(self, table: np.ndarray) -> Model:
        if not len(table):
            raise ValueError("an empty table")
        return Model(same=table, results={"Sum": float(table.sum())})


class Gives(Machine):
    """Gives a value that has no canonical encoding."""

    value = Output(object)

    def run(self) -> Model:
        return Model(value=Opaque())


def run_there(call: Call, trusted: bool = False) -> tuple[str, Any]:
    """Run a leaf in a worker process, by its contents only."""
    contents: dict[bytes, bytes] = {}
    leaf, needed = ContentEncoder(trusted).leaf(call, lambda _: True, contents)
    pool = WorkerPool(2**20)
    try:
        model, _ = pool.run(relay(call.machine, leaf, {name: contents[name] for name in needed}, None))
    finally:
        pool.close()
    answer: tuple[str, Any] = model.results[ANSWER]
    return answer


def call_of(config: Machine, **inputs: Any) -> Call:
    items = {name: Item(name.encode(), "out") for name in inputs}
    values = {item.origin: inputs[name] for name, item in items.items()}
    bound = {name: (False, (item,)) for name, item in items.items()}
    return Call(b"machine", config, None, bound, lambda item: values[item.origin])


def test_a_leaf_runs_by_its_contents() -> None:
    call = call_of(Sum(), table=np.arange(100_000.0))
    status, answer = run_there(call)
    assert status == FINISHED
    model, held = ContentEncoder(trusted=False).model(call, answer)
    assert model.results == {"Sum": 4999950000.0}
    assert model.outputs["same"].tolist() == list(range(100_000))
    assert held == [named(np.arange(100_000.0))[0]]


def test_the_error_of_a_leaf_is_described() -> None:
    status, (name, module, text, traceback) = run_there(call_of(Sum(), table=np.zeros(0)))
    assert (status, name, module, text) == (FAILED, "ValueError", "builtins", "an empty table")
    assert "in run" in traceback


def test_a_leaf_whose_module_is_missing_there_is_refused() -> None:
    leaf, _ = ContentEncoder(trusted=False).leaf(call_of(Number(1)), lambda _: True, {})
    elsewhere = EncodedLeaf(*decode(leaf))._replace(modules=("no_such_module",))
    pool = WorkerPool(2**20)
    model, _ = pool.run(relay(b"machine", encode(tuple(elsewhere)), {}, None))
    pool.close()
    status, why = model.results[ANSWER]
    assert status == REFUSED
    assert "the module 'no_such_module' cannot be imported there" in why


def test_what_has_no_encoding_travels_only_if_both_ends_are_trusted() -> None:
    status, answer = run_there(call_of(Gives()))
    assert status == FAILED
    assert "Gives.value has no safe encoding" in answer[2]
    status, answer = run_there(call_of(Gives()), trusted=True)
    assert status == FINISHED
    with pytest.raises(ProtocolError, match="refusing a pickled value"):
        ContentEncoder(trusted=False).model(call_of(Gives()), answer)


def test_a_pickle_is_refused_by_an_end_that_does_not_trust() -> None:
    with pytest.raises(ProtocolError, match="refusing a pickled value"):
        decoded_value(b"Pnot even one", lambda name: None, trusted=False)


def test_a_content_that_was_sent_is_not_encoded_again() -> None:
    encoder, loaded = ContentEncoder(trusted=False), []
    call = call_of(Sum(), table=np.arange(10.0))
    load = call.load
    call.load = lambda item: loaded.append(item) or load(item)  # type: ignore[func-returns-value]
    for _ in range(3):
        encoder.leaf(call, lambda _: False, {})
    assert len(loaded) == 1


@pytest.mark.parametrize("answer", [None, (1, 2), ({}, b"", {}), ({"out": "text"}, encode({}), {})])
def test_what_is_no_model_is_refused(answer: Any) -> None:
    with pytest.raises(ProtocolError):
        ContentEncoder(trusted=False).model(call_of(Number(1)), answer)


def test_a_content_of_another_digest_is_refused() -> None:
    store = ContentStore(limit=1000)
    with pytest.raises(ProtocolError, match="does not have the digest"):
        store.add(named(1)[0], named(2)[1])
    assert store.lacking([named(1)[0]]) == [named(1)[0]]


def test_what_was_used_last_is_kept() -> None:
    store = ContentStore(limit=3000)
    names = [named("x" * 900 + str(number)) for number in range(4)]
    for name, encoded in names[:3]:
        store.add(name, encoded)
    assert store.lacking([names[0][0]]) == []  # which uses it
    store.add(*names[3])
    assert store.lacking([name for name, _ in names]) == [names[1][0]]
    assert store.size <= 3000


def test_a_content_that_made_room_for_others_is_not_taken_for_a_garbled_one() -> None:
    store = ContentStore(limit=1000)
    names = [named("x" * 900 + str(number)) for number in range(2)]
    for name, encoded in names:
        store.add(name, encoded)
    with pytest.raises(ContentDropped, match="more memory"):
        store[names[0][0]]


@pytest.mark.parametrize("is_whole", [True, False])
def test_a_large_content_comes_in_pieces(is_whole: bool) -> None:
    store = ContentStore(limit=10**6)
    name, encoded = named(np.arange(1000))
    for at in range(0, len(encoded), 500):
        piece = encoded[at : at + 500] if is_whole or at else b"\0" * 500
        if is_whole or at + 500 < len(encoded):
            store.add_piece(name, at, piece, len(encoded))
        else:
            with pytest.raises(ProtocolError):
                store.add_piece(name, at, piece, len(encoded))
    assert store.lacking([name]) == ([] if is_whole else [name])


def test_a_content_that_is_sent_twice_is_taken_once() -> None:
    store = ContentStore(limit=10**6)
    name, encoded = named(np.arange(100))
    half = len(encoded) // 2
    for at, piece in ((0, encoded[:half]), (0, encoded[:half]), (half, encoded[half:]), (half, encoded[half:])):
        store.add_piece(name, at, piece, len(encoded))
    assert store.lacking([name]) == []
    assert not store._unfinished


def test_contents_whose_rest_never_comes_do_not_pile_up() -> None:
    store = ContentStore(limit=10**6)
    for number in range(3 * MAX_UNFINISHED):
        store.add_piece(digest(b"%d" % number), 0, b"begin", 1000)
    assert len(store._unfinished) == MAX_UNFINISHED
