"""Parameters: what a declared type takes, which form it keeps, and what it says when it refuses."""

from __future__ import annotations

import enum
import math
import re
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Annotated, Any, Literal, Optional, Protocol, TypeVar, runtime_checkable

import numpy as np
import pytest

from intemi.kernel import Component, ConfigurationError, parameter
from intemi.kernel.parameters import FrozenMapping, Refused, freeze


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


class Kernel(Component):
    """A family of components."""


class Gaussian(Kernel):
    sigma: float = 1.0


@runtime_checkable
class Measures(Protocol):
    """A family by what its members can do."""

    def measure(self) -> float: ...


class Hidden(Protocol):
    """A family that nobody can check."""


class Ruler(Component):
    def measure(self) -> float:
        return 1.0


def made(annotation: Any, value: Any, **constraints: Any) -> Any:
    """What a parameter of that type makes of a value."""

    class Sample(Component):
        x: annotation = parameter(**constraints)

    return Sample(value).x


def refusal(annotation: Any, value: Any, **constraints: Any) -> str:
    """What a parameter of that type says of a value."""
    with pytest.raises(ConfigurationError) as refused:
        made(annotation, value, **constraints)
    return str(refused.value)


KEPT: list[tuple[Any, Any, Any]] = [
    (bool, np.bool_(True), True),
    (int, np.int8(3), 3),
    (float, 3, 3.0),
    (float, np.float32(0.5), 0.5),
    (float, True and 2, 2.0),
    (str, np.str_("a"), "a"),
    (bytes, np.bytes_(b"a"), b"a"),
    (None, None, None),
    (Any, [1, {"a": {2}}], (1, {"a": frozenset({2})})),
    (object, [1], (1,)),
    (int | None, None, None),
    (Optional[int], 3, 3),  # noqa: UP045 - users write it
    (float | int, 1, 1),
    (int | float, 1.0, 1.0),
    (float | str, 1, 1.0),
    (Literal["a", 1], np.int64(1), 1),
    (tuple[int, ...], [1, np.int64(2)], (1, 2)),
    (tuple[int, str], [1, "a"], (1, "a")),
    (tuple[()], [], ()),
    (tuple, [1, [2]], (1, (2,))),
    (list[float], np.array([1, 2]), (1.0, 2.0)),
    (list, [1], (1,)),
    (Sequence[int], range(3), (0, 1, 2)),
    (set[int], [2, 1, 2], frozenset({1, 2})),
    (set, {1}, frozenset({1})),
    (frozenset, [1], frozenset({1})),
    (AbstractSet[str], {"a"}, frozenset({"a"})),
    (dict[str, float], {"b": 1, "a": 2}, {"a": 2.0, "b": 1.0}),
    (dict, {"a": [1]}, {"a": (1,)}),
    (Mapping[str, Any], {"a": {"b": [1]}}, {"a": {"b": (1,)}}),
    (Colour, "RED", Colour.RED),
    (Colour | None, Colour.BLUE, Colour.BLUE),
    (type, int, int),
    (type[Component], Gaussian, Gaussian),
    (Kernel, Gaussian(2.0), Gaussian(2.0)),
    (tuple[Kernel, ...], [Gaussian(), Kernel()], (Gaussian(), Kernel())),
    (dict[str, Kernel], {"a": Kernel()}, {"a": Kernel()}),
    (Component, Ruler(), Ruler()),
    (Annotated[int, "of something"], 3, 3),
]


def same(first: Any, second: Any) -> bool:
    if isinstance(first, tuple) and isinstance(second, tuple):
        return len(first) == len(second) and all(map(same, first, second))
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        return list(first) == list(second) and all(same(first[key], second[key]) for key in first)
    return type(first) is type(second) and first == second


@pytest.mark.parametrize(("annotation", "given", "kept"), KEPT, ids=repr)
def test_a_value_is_kept_in_its_one_canonical_form(annotation: Any, given: Any, kept: Any) -> None:
    assert same(made(annotation, given), kept)


REFUSED: list[tuple[Any, Any, str]] = [
    (bool, 1, "True or False, got 1"),
    (int, True, "an int, got True"),
    (int, 1.0, "an int, got 1.0"),
    (int, "1", "an int, got '1'"),
    (int, np.timedelta64(1, "s"), "an int, got np.timedelta64(1,'s')"),
    (float, "1", "a float, got '1'"),
    (float, True, "a float, got True"),
    (float, 10**309, "a float of at most 1.8e308, got 1000"),
    (str, b"a", "a text, got b'a'"),
    (bytes, "a", "bytes, got 'a'"),
    (None, 0, "None, got 0"),
    (int | None, "a", "an int or None, got 'a'"),
    (Literal["a", "b"], "c", "one of 'a', 'b', got 'c'"),
    (Literal[1], True, "one of 1, got True"),
    (tuple[int, ...], 1, "a tuple, got 1"),
    (tuple[int, ...], "12", "a tuple, got '12'"),
    (tuple[int, ...], (1, "a"), "a tuple of ints, got (1, 'a')"),
    (tuple[int, str], (1,), "a tuple of 2 values, got (1,)"),
    (tuple[tuple[int, ...], ...], ((1, "a"),), "a tuple of tuples of ints, got ((1, 'a'),)"),
    (set[int], 1, "a set, got 1"),
    (set[int], {"a"}, "a set of ints, got {'a'}"),
    (dict[str, int], [("a", 1)], "a mapping with text keys, got [('a', 1)]"),
    (dict[str, int], {1: 1}, "a mapping with text keys, got {1: 1}"),
    (dict[str, int], {"a": "b"}, "a mapping to ints, got {'a': 'b'}"),
    (Colour, "GREEN", "one of RED, BLUE, got 'GREEN'"),
    (Colour, 1, "one of RED, BLUE, got 1"),
    (type, 1, "a type, got 1"),
    (Kernel, Ruler(), "a Kernel, got Ruler()"),
    (Kernel, Gaussian, "a Kernel, got <class"),
    (Gaussian | None, Kernel(), "a Gaussian or None, got Kernel()"),
    (np.ndarray, np.zeros(1), "plain data (numbers, text, tuples, mappings, sets) or a component, got array([0.])"),
    (np.random.Generator, 5, "a Generator, got 5"),
    (Any, len, "plain data (numbers, text, tuples, mappings, sets) or a component, got <built-in function len>"),
    (Any, {1: 2}, "a mapping with text keys, got {1: 2}"),
]


@pytest.mark.parametrize(("annotation", "given", "said"), REFUSED, ids=repr)
def test_a_refusal_names_component_parameter_allowed_and_given(annotation: Any, given: Any, said: str) -> None:
    assert refusal(annotation, given).startswith(f"Sample: x must be {said}")


CONSTRAINED: list[tuple[Any, dict[str, Any], Any, str]] = [
    (int, {"at_least": 2}, 1, "at least 2, got 1"),
    (int, {"at_most": 12345678}, 12345679, "at most 12345678, got 12345679"),
    (float, {"above": 0, "below": 1}, 0, "above 0 and below 1, got 0"),
    (float, {"above": 0, "below": 1}, 1.0, "above 0 and below 1, got 1.0"),
    (float, {"at_least": 0.5}, math.nan, "at least 0.5, got nan"),
    (float, {"above": 0}, "a", "a float, above 0, got 'a'"),
    (int | None, {"at_least": 1}, 0, "at least 1, got 0"),
    (int | str, {"at_least": 1}, 0, "at least 1, got 0"),
    (tuple[int, ...], {"at_least": 1}, (3, 0), "at least 1, got (3, 0)"),
    (int, {"one_of": (1, 2)}, 3, "one of 1, 2, got 3"),
    (Any, {"one_of": (1, 2)}, True, "one of 1, 2, got True"),
    (str, {"one_of": ("gini", "entropy")}, "ginny", "one of 'gini', 'entropy', got 'ginny'"),
    (int, {"at_least": 1, "one_of": (1, 2)}, 3, "at least 1 and one of 1, 2, got 3"),
]


@pytest.mark.parametrize(("annotation", "constraints", "given", "said"), CONSTRAINED, ids=repr)
def test_a_constraint_says_what_it_allows(annotation: Any, constraints: dict[str, Any], given: Any, said: str) -> None:
    assert refusal(annotation, given, **constraints) == f"Sample: x must be {said}"


@pytest.mark.parametrize(
    ("annotation", "constraints", "given"),
    [
        (int, {"at_least": 2, "at_most": 2}, 2),
        (float, {"above": 0, "below": 1}, 0.5),
        (int | None, {"at_least": 1}, None),
        (int | Literal["auto"], {"at_least": 1}, "auto"),
        (tuple[int, ...], {"at_least": 1}, (1, 2)),
        (tuple[int, ...], {"at_least": 1}, ()),
        (str, {"one_of": ["a", "b"]}, "b"),
    ],
    ids=repr,
)
def test_a_constraint_lets_through_what_it_allows(annotation: Any, constraints: dict[str, Any], given: Any) -> None:
    assert made(annotation, given, **constraints) == given


def test_a_protocol_takes_any_component_that_can_do_it() -> None:
    assert made(Measures, Ruler()) == Ruler()
    assert refusal(Measures, Kernel()) == "Sample: x must be a Measures, got Kernel()"


@pytest.mark.parametrize("annotation", [Callable, Callable[[int], int], TypeVar("T"), Hidden, "Nowhere"], ids=repr)
def test_a_type_that_cannot_be_that_of_a_parameter_is_refused_by_name(annotation: Any) -> None:
    assert re.search(r"Sample: (the type of x, .*, cannot be used: |x must be plain data)", refusal(annotation, len))


def test_a_long_value_is_not_shown_to_its_end() -> None:
    said = refusal(int, list(range(100_000)))
    assert said.startswith("Sample: x must be an int, got [0, 1, 2")
    assert len(said) < 300


def test_changing_what_was_given_does_not_change_the_parameter() -> None:
    class Sample(Component):
        numbers: tuple[Any, ...]
        names: set[str]
        options: dict[str, Any]
        anything: Any

    numbers, names, options, anything = [1, [2]], {"a"}, {"a": [1]}, [{"b": {3}}]
    sample = Sample(numbers, names, options, anything)
    before = sample.encoding
    numbers[1].append(3)  # type: ignore[attr-defined]
    names.add("b")
    options["a"].append(2)
    options["c"] = []
    anything[0]["b"].add(4)
    assert (sample.numbers, sample.names, sample.options["a"]) == ((1, (2,)), frozenset({"a"}), (1,))
    assert Sample(sample.numbers, sample.names, sample.options, sample.anything).encoding == before


def test_mutable_defaults_are_kept_as_values() -> None:
    class Sample(Component):
        listed: list[int] = [1, 2]  # noqa: RUF012
        mapped: dict[str, Any] = {"b": [1], "a": 2}  # noqa: RUF012
        chosen: set[int] = parameter(default={1, 2})
        ranged: list[int] = parameter(default=[1, 2], at_least=1)

    assert Sample().parameters() == {
        "listed": (1, 2),
        "mapped": {"a": 2, "b": (1,)},
        "chosen": {1, 2},
        "ranged": (1, 2),
    }


def test_a_default_that_is_not_allowed_is_refused_when_it_is_used() -> None:
    class Sample(Component):
        folds: int = parameter(default=1, at_least=2)

    assert Sample(2).folds == 2
    with pytest.raises(ConfigurationError, match="Sample: folds must be at least 2, got 1"):
        Sample()


def test_a_parameter_without_a_default_must_be_given() -> None:
    class Sample(Component):
        needed: int
        bounded: int = parameter(at_least=1)
        optional: int = 3

    assert Sample(1, 2).parameters() == {"needed": 1, "bounded": 2, "optional": 3}
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'bounded'"):
        Sample(1)  # type: ignore[call-arg]
    with pytest.raises(ConfigurationError, match="Sample: needed must be given"):
        Sample.from_parameters({"bounded": 1})


def test_a_keyword_parameter_is_given_by_name() -> None:
    class Sample(Component):
        quiet: bool = parameter(default=False, kw_only=True)
        size: int = 1

    assert Sample(2, quiet=True).parameters() == {"quiet": True, "size": 2}
    assert repr(Sample(2)) == "Sample(size=2)"
    assert repr(Sample(2, quiet=True)) == "Sample(quiet=True, size=2)"


def test_a_frozen_mapping_is_sorted_hashable_and_cannot_change() -> None:
    mapping = FrozenMapping({"b": 2, "a": 1})
    assert list(mapping) == ["a", "b"]
    assert mapping == {"a": 1, "b": 2}
    assert hash(mapping) == hash(FrozenMapping({"a": 1, "b": 2}))
    assert repr(mapping) == "{'a': 1, 'b': 2}"
    with pytest.raises(TypeError):
        mapping["a"] = 2  # type: ignore[index]


@pytest.mark.parametrize("value", [np.datetime64(1, "ns"), np.timedelta64(1, "s"), np.longdouble(1), np.void(b"a")])
def test_numpy_scalars_that_are_no_plain_numbers_are_not_mistaken_for_them(value: Any) -> None:
    with pytest.raises(Refused, match="plain data"):
        freeze(value)
