"""Records come back from their bytes as they were, whatever the results are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgpack import packb, unpackb

from intemi.kernel.encoding import encode
from intemi.kernel.errors import EncodingError
from intemi.kernel.record import Failure, Item, Record
from intemi.kernel.seeds import Seed

texts = st.text(st.characters(codec=None), max_size=8)  # lone surrogates, too
scalars = st.none() | st.booleans() | st.integers() | st.floats() | texts
values = st.recursive(scalars | st.binary(max_size=8), lambda inner: st.lists(inner, max_size=3), max_leaves=6)


def record(results: dict[Any, Any], **more: Any) -> Record:
    return Record(b"m" * 16, "Kind", b"config", None, {}, results=results, **more)


@given(st.dictionaries(texts | st.integers(), values, max_size=4))
def test_results_come_back_as_they_were(results: dict[Any, Any]) -> None:
    again = Record.decode(Record.decode(record(results).encode()).encode())
    assert encode(again.results) == encode(results)  # tells 1 from 1.0 and True, and lists from tuples


def test_results_beyond_what_fits_into_64_bits_come_back() -> None:
    for number in (2**63 - 1, 2**63, 2**64, -(2**63), -(2**63) - 1, 10**30):
        assert Record.decode(record({"Number": number}).encode()).results == {"Number": number}


def test_arrays_among_results_are_decoded_when_they_are_looked_at() -> None:
    found = Record.decode(record({"Accuracy": 0.5, "Matrix": np.eye(2)}).encode())
    assert found.fixed_results()["Accuracy"] == 0.5
    assert found.fixed_results()["Matrix"] == encode(np.eye(2))
    assert np.array_equal(found.results["Matrix"], np.eye(2))


def test_results_that_were_encoded_as_a_whole_are_read() -> None:
    results = {"Accuracy": 0.5, "Name": "x", "Parts": (1, 2)}
    parts = list(unpackb(record(results).encode(), use_list=False))
    parts[7] = encode(results)  # as records were written before
    older = Record.decode(packb(tuple(parts)))
    assert older.results == results
    assert older.fixed_results() == {"Accuracy": 0.5, "Name": "x", "Parts": encode((1, 2))}


def test_a_record_without_a_version_is_read() -> None:
    parts = unpackb(record({"Accuracy": 0.5}, version="1.2.3").encode(), use_list=False)
    older = Record.decode(packb(parts[:-1]))  # as records were written before
    assert (older.version, older.results) == (None, {"Accuracy": 0.5})


def test_nobody_can_change_results_that_are_fixed() -> None:
    given_results = {"Accuracy": 0.5, "Parts": [1, 2]}
    fixed = record(given_results)
    fixed.fix()
    given_results["Accuracy"] = 0.75
    given_results["Parts"].append(3)  # type: ignore[attr-defined]
    assert fixed.results == {"Accuracy": 0.5, "Parts": [1, 2]}


def test_everything_else_comes_back() -> None:
    whole = Record(
        b"m" * 16,
        "Kind",
        b"config",
        Seed(7, (1, 2)),
        {"data": (False, ((b"o" * 16, "out", 3),)), "many": (True, ())},
        {"one": Item(b"m" * 16, "one", content=b"c" * 16), "all": (Item(b"m" * 16, "all", 0, None, b"inline"),)},
        failure=Failure("it failed", "a/b", b"k" * 16, "Traceback"),
        census={"Kind": 1, "Other": 2},
        started=1.5,
        wall=2.5,
        cpu=3.5,
        queue=0.5,
        memory=7,
        version="1.2.3",
    )
    found = Record.decode(whole.encode())
    assert found.encode() == whole.encode()
    assert (found.seed, found.inputs, found.failure, found.census) == (
        whole.seed,
        whole.inputs,
        whole.failure,
        whole.census,
    )
    assert [found.started, found.wall, found.cpu, found.queue, found.memory] == [1.5, 2.5, 3.5, 0.5, 7]
    assert found.version == "1.2.3"


@pytest.mark.parametrize("data", [b"", b"\x00", packb((2, b"m")), packb([1]), packb({"a": 1})])
def test_other_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(EncodingError, match="not a record of this format"):
        Record.decode(data)
