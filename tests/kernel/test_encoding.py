"""The canonical encoding as a format: what it takes, what it gives back, and what damaged bytes come to."""

from __future__ import annotations

import enum
import pickle
import random
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from intemi.kernel import EncodingError, content_digest, storable
from intemi.kernel.decoding import decode
from intemi.kernel.encoding import digest, encode, encode_parts, encode_scalar
from intemi.kernel.memory import measured


@storable
@dataclass(frozen=True)
class Interval:
    low: float
    high: float = 1.0


@storable
@dataclass(frozen=True)
class Country:
    """A dataclass with fields that are called like the methods of other storable types."""

    state: str = "none"
    parts: tuple[Any, ...] = ()


@storable
class Bag:
    """A class that tells its state by itself."""

    def __init__(self, items: list[int]) -> None:
        self._items = items

    def state(self) -> Any:
        return sorted(self._items)

    @classmethod
    def from_state(cls, state: Any) -> Bag:
        return cls(state)


class Colour(enum.Enum):
    RED = 1
    CRIMSON = 1  # noqa: PIE796 - another name for it
    BLUE = 2


@storable
@dataclass
class Measured:
    """Knows a cheaper digest than that of its bytes."""

    name: str
    samples: list[float] = field(default_factory=list)

    def content_digest(self) -> bytes:
        return digest(b"measured", self.name.encode())


def test_the_digest_of_parts_is_that_of_the_whole() -> None:
    assert digest(b"ab", b"", memoryview(b"c")) == digest(b"abc")
    assert len(digest(b"")) == 16


@pytest.mark.parametrize("value", [0, -1, 2**200, 1.5, "", "é", None, True, False])
def test_small_values_have_a_short_way_to_the_same_bytes(value: object) -> None:
    assert encode_scalar(value) == encode(value)


@pytest.mark.parametrize("value", [(), [], b"", 1j, np.int64(1), Colour.RED], ids=repr)
def test_the_short_way_is_for_small_values_only(value: object) -> None:
    assert encode_scalar(value) is None


def test_a_storable_dataclass_comes_back_equal() -> None:
    value = (Interval(0.0), [Interval(-1.0, 2.0)], Country("x", (Interval(1.0),)))
    assert decode(encode(value)) == value


def test_a_class_that_tells_its_state_comes_back_from_it() -> None:
    assert decode(encode(Bag([3, 1, 2]))).state() == [1, 2, 3]
    assert content_digest(Bag([3, 1, 2])) == content_digest(Bag([1, 2, 3]))


def test_a_type_may_answer_for_its_own_content() -> None:
    assert content_digest(Measured("a", [1.0])) == content_digest(Measured("a", [2.0]))
    assert content_digest(Measured("a")) != content_digest(Measured("b"))
    assert encode(Measured("a", [1.0])) != encode(Measured("a", [2.0]))


def test_only_a_dataclass_or_a_class_that_tells_its_state_can_be_storable() -> None:
    class Opaque:
        pass

    with pytest.raises(EncodingError, match=r"Opaque: a storable type is a dataclass, or has state\(\)"):
        storable(Opaque)


def test_a_subclass_of_a_storable_type_must_be_registered_itself() -> None:
    class Open(Interval):
        pass

    with pytest.raises(EncodingError, match="Open has no canonical encoding"):
        encode(Open(0.0))


def test_an_enumeration_comes_back_as_its_member() -> None:
    assert decode(encode((Colour.BLUE, {Colour.RED: [Colour.CRIMSON]}))) == (Colour.BLUE, {Colour.RED: [Colour.RED]})


def test_a_member_that_is_gone_is_an_error_and_not_another_value() -> None:
    encoded = encode(Colour.BLUE).replace(b"BLUE", b"BLUX")
    with pytest.raises(EncodingError, match="not a canonical encoding"):
        decode(encoded)


def test_arrays_come_back_with_type_and_shape_and_cannot_be_written() -> None:
    for array in (
        np.arange(6).reshape(2, 3).T,
        np.empty((0, 3)),
        np.array(5.0),
        np.array(["a", "bc"]),
        np.array([b"x"]),
    ):
        back = decode(encode(array))
        assert back.dtype == array.dtype
        assert back.shape == array.shape
        assert (back == array).all()
        assert not back.flags.writeable or not back.size


def test_a_table_of_records_comes_back() -> None:
    table = np.array([(1, 2.5, "a"), (3, 4.5, "b")], dtype=[("count", "i4"), ("share", "f8"), ("name", "U3")])
    back = decode(encode(table))
    assert back.dtype == table.dtype
    assert back.tolist() == table.tolist()


@pytest.mark.parametrize("scalar", [np.float32(1.5), np.bool_(True), np.datetime64("2020-01-01", "D"), np.str_("x")])
def test_a_numpy_scalar_comes_back_as_one(scalar: Any) -> None:
    back = decode(encode(scalar))
    assert back == scalar
    assert back.dtype == scalar.dtype


def test_large_buffers_are_not_copied_before_they_are_written() -> None:
    array = np.arange(10_000.0)
    (buffer,) = [part for part in encode_parts((1, array)) if isinstance(part, memoryview)]
    assert np.shares_memory(np.frombuffer(buffer), array)


@pytest.mark.parametrize(
    "bad", [np.array([object()]), np.array([(1, None)], dtype=[("a", "i4"), ("b", "O")]), np.array(["a"], dtype="T")]
)
def test_arrays_that_hold_references_are_refused(bad: Any) -> None:
    with pytest.raises(
        EncodingError, match="an array of Python objects has no canonical encoding; use a numeric or string"
    ):
        encode(bad)


def test_a_refusal_says_what_is_allowed() -> None:
    with pytest.raises(EncodingError) as refused:
        encode({"a": [object()]})
    assert str(refused.value) == (
        "builtins.object has no canonical encoding; allowed are plain values, tuples, lists, mappings, sets, "
        "numpy arrays, components and types registered with @storable"
    )


SAMPLE = {
    "a": (1, [2.5, None]),
    "b": np.arange(5.0),
    "c": frozenset({"x"}),
    "d": Interval(0.0),
    "e": Colour.RED,
    "f": int,
}


def test_bytes_that_end_too_early_or_too_late_are_refused() -> None:
    whole = encode(SAMPLE)
    for end in range(len(whole)):
        with pytest.raises(EncodingError):
            decode(whole[:end])
    with pytest.raises(EncodingError, match="3 bytes too many"):
        decode(whole + b"abc")


def test_damaged_bytes_give_an_error_or_a_plain_value_but_never_anything_else() -> None:
    whole = encode(SAMPLE)
    chance = random.Random(1)
    refused = 0
    for _ in range(2000):
        damaged = bytearray(whole)
        for _ in range(chance.randint(1, 3)):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        try:
            decode(bytes(damaged))
        except EncodingError:
            refused += 1
    assert refused > 200


@pytest.mark.parametrize(
    "foreign", [b"", b"\x80", pickle.dumps({"a": 1}), b"PK\x03\x04", b"{}", b"A" * 10_000], ids=len
)
def test_foreign_bytes_are_refused(foreign: bytes) -> None:
    with pytest.raises(EncodingError):
        decode(foreign)


def test_a_type_that_nobody_has_registered_is_unknown_and_not_imported() -> None:
    encoded = encode(Interval(0.0)).replace(b"test_encoding.Interval", b"test_encoding.Intervax")
    with pytest.raises(EncodingError, match=r"no type of values is called '.*Intervax'; did you mean '.*Interval'\?"):
        decode(encoded)


def test_the_size_of_a_value_grows_with_what_it_holds() -> None:
    small, large = np.zeros(10), np.zeros(100_000)
    values: list[object] = [1, "x" * 1000, [large], {"a": large, "b": [large.copy()]}]
    sizes = [measured(value)[0] for value in values]
    assert sizes == sorted(set(sizes))
    assert measured([large, large])[0] < 1.1 * measured([large])[0]
    assert measured(small)[0] < 1000
