"""Sealed arrays: the same memory, which numpy refuses to make writeable."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from intemi.kernel.protection import Changeable, handed_out, is_read_only, is_sealed, protected, sealed

ARRAYS: dict[str, np.ndarray[Any, Any]] = {
    "a vector": np.arange(3.0),
    "a matrix": np.array([[0.0, 1.0], [2.0, 3.0]]),
    "a number": np.array(3),
    "truth values": np.array([True, False]),
    "the other byte order": np.arange(3, dtype=">f4"),
    "half precision": np.arange(3, dtype=np.float16),
    "complex numbers": np.array([1j]),
    "texts": np.array(["a", "bc"]),
    "dates": np.array(["2020-01-01"], dtype="datetime64[D]"),
    "durations": np.array([3], dtype="timedelta64[s]"),
    "records": np.array([(1, 2.0)], dtype=[("a", "i4"), ("b", "f8")]),
    "records with dates": np.array([(1, 2)], dtype=[("a", "i4"), ("b", "datetime64[s]")]),
    "raw bytes": np.zeros(2, dtype="V5"),
}
COPIED: dict[str, np.ndarray[Any, Any]] = {
    "the order of Fortran": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    "every other column": np.arange(6.0).reshape(2, 3)[:, ::2],
    "no rows": np.empty((0, 3)),
    "no columns": np.empty((3, 0), dtype=np.int32),
}


def chain(array: np.ndarray[Any, Any]) -> list[np.ndarray[Any, Any]]:
    """The array and the arrays that it is a view of."""
    found = [array]
    while isinstance(found[-1].base, np.ndarray):
        found.append(found[-1].base)
    return found


@pytest.mark.parametrize("what", [*ARRAYS, *COPIED])
def test_a_sealed_array_is_equal_and_cannot_be_made_writeable(what: str) -> None:
    array = (ARRAYS | COPIED)[what]
    found = sealed(array)
    assert found.dtype == array.dtype
    assert found.shape == array.shape
    assert found.flags.c_contiguous
    assert np.array_equal(found, array)
    assert np.shares_memory(found, array) == (what in ARRAYS)
    for each in (*chain(found), *chain(found.view()), *chain(found[...]), *chain(found.reshape(-1))):
        with pytest.raises(ValueError, match="cannot set WRITEABLE"):
            each.flags.writeable = True
        with pytest.raises(ValueError, match="cannot set WRITEABLE"):
            each.setflags(write=True)
    assert sealed(found) is found


def test_a_view_of_a_read_only_array_is_not_sealed_since_its_base_can_be_made_writeable() -> None:
    array = np.arange(3.0)
    array.flags.writeable = False
    assert is_read_only(array[1:])
    assert not is_sealed(array[1:])
    assert is_sealed(sealed(array)[1:])


def test_a_read_only_buffer_over_an_array_that_can_be_written_is_copied() -> None:
    array = np.arange(3.0)
    over = np.frombuffer(memoryview(array).toreadonly())
    kept = protected(over)
    array[0] = 7.0
    assert kept.tolist() == [0.0, 1.0, 2.0]


def test_an_array_of_bytes_is_sealed_as_it_is() -> None:
    array = np.frombuffer(b"abc", np.uint8)
    assert protected(array) is array


def test_a_file_that_is_mapped_for_reading_is_not_copied(tmp_path: Any) -> None:
    np.save(tmp_path / "numbers.npy", np.arange(3.0))
    mapped = np.load(tmp_path / "numbers.npy", mmap_mode="r")
    assert protected(mapped) is mapped


@pytest.mark.parametrize(
    "value",
    [
        np.ma.masked_array([1.0, 2.0], mask=[True, False]),
        np.array([[1], "a"], dtype=object),
        np.array([([1],)], dtype=[("a", object)]),
        np.rec.array([(1, 2.0)], names="a,b"),
    ],
    ids=["masked", "objects", "records of objects", "recarray"],
)
def test_each_reader_of_an_array_that_cannot_be_sealed_gets_a_copy(value: np.ndarray[Any, Any]) -> None:
    kept = protected(value)
    assert isinstance(kept, Changeable)
    first, second = handed_out(kept), handed_out(kept)
    assert type(first) is type(second) is type(value)
    assert not np.shares_memory(first, second)
    assert not np.shares_memory(first, value)
    assert first.tolist() == second.tolist() == value.tolist()


def test_objects_in_an_array_are_copied_for_each_reader() -> None:
    kept = protected(np.array([[1], "a"], dtype=object))
    handed_out(kept)[0].append(2)
    assert handed_out(kept)[0] == [1]
