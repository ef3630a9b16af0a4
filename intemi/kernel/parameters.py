"""Parameters of machines and components: what a declared type and its constraints allow.

A parameter is declared as a typed class attribute; constraints are data, `folds: int = parameter(default=10,
at_least=2)`. A declaration is turned once into a `Check`, which either returns the value in its one canonical form (a
list becomes a tuple, an int given for a float a float, a numpy scalar a plain number) or says what would be allowed.
"""

from __future__ import annotations

import dataclasses
import enum
import re
import types
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from typing import Any, Literal, Union

import numpy as np

from intemi.errors import IntemiError
from intemi.kernel import encoding, registry
from intemi.kernel.adoption import adopted

_REQUIRED = dataclasses.MISSING


def parameter(
    *,
    default: Any = _REQUIRED,
    at_least: float | None = None,
    at_most: float | None = None,
    above: float | None = None,
    below: float | None = None,
    one_of: Sequence[object] | None = None,
    search: Sequence[object] | None = None,
    role: type | None = None,
    kw_only: bool = False,
) -> Any:
    """Declare a parameter with constraints; the type is the attribute's annotation.

    `search` are values that are worth trying, from low to high: what a parameter search takes if it is told nothing.
    `role` names what the machines have in common that are offered for this place, in experiment files and messages.

    >>> from intemi.kernel.component import Component
    >>> class Cut(Component):
    ...     share: float = parameter(default=0.5, above=0, below=1)
    >>> Cut(share=2)
    Traceback (most recent call last):
    ...
    intemi.kernel.errors.ConfigurationError: Cut: share must be above 0 and below 1, got 2
    """
    bounds = {"at least": at_least, "at most": at_most, "above": above, "below": below}
    limits = {word: bound for word, bound in bounds.items() if bound is not None}
    constraints = {
        "limits": limits,
        "one_of": None if one_of is None else tuple(one_of),
        "search": None if search is None else tuple(search),
        "role": role,
    }
    if isinstance(default, list | dict | set):
        default = freeze(default)
    return dataclasses.field(default=default, kw_only=kw_only, metadata=constraints)


class FrozenMapping(Mapping[str, Any]):
    """An immutable mapping with text keys in sorted order, so that equal mappings have one encoding."""

    __slots__ = ("_items",)

    def __init__(self, items: Mapping[str, Any]) -> None:
        self._items = {_text(key): items[key] for key in sorted(items)}

    def __getitem__(self, key: str) -> Any:
        return self._items[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        return repr(self._items)

    def __hash__(self) -> int:
        return hash(encoding.digest(encoding.encode(self)))


encoding._ENCODERS[FrozenMapping] = encoding._encode_mapping


class Refused(IntemiError):
    """A value is not allowed; the text says what would be."""


Check = Callable[[Any], Any]

_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "at least": lambda value, bound: value >= bound,
    "at most": lambda value, bound: value <= bound,
    "above": lambda value, bound: value > bound,
    "below": lambda value, bound: value < bound,
}


def check_of(field: dataclasses.Field[Any], annotation: Any) -> Check:
    """The check of one declared parameter."""
    check = _check_of_type(annotation)
    limits = field.metadata.get("limits")
    choices = field.metadata.get("one_of")
    if not limits and choices is None:
        return check
    words = [f"{word} {bound}" for word, bound in (limits or {}).items()]
    if choices is not None:
        words.append("one of " + ", ".join(map(repr, choices)))
    allowed = " and ".join(words)
    tests = [(_COMPARE[word], bound) for word, bound in (limits or {}).items()]
    choose = None if choices is None else _one_of(choices, allowed)

    def constrained(value: Any) -> Any:
        try:
            value = check(value)
        except Refused as refused:
            raise Refused(f"{refused}, {allowed}") from None
        for number in value if type(value) is tuple else (value,):
            if isinstance(number, int | float):  # what is not a number (None, "auto") is allowed by its type alone
                for test, bound in tests:
                    if not test(number, bound):
                        raise Refused(allowed)
        return value if choose is None else choose(value)

    return constrained


def is_plain(annotation: Any) -> bool:
    """Whether a parameter of this type can never be, or hold, a component."""
    arguments = typing.get_args(annotation)
    if typing.get_origin(annotation) is Literal or annotation in (Ellipsis, None, type(None), *_SCALARS):
        return True
    return bool(arguments) and all(map(is_plain, arguments))


def freeze(value: Any) -> Any:
    """The canonical immutable form of any value that may be a parameter."""
    if type(value) in (bool, int, float, str, bytes, type(None)):
        return value
    if isinstance(value, np.generic) and type(plain := _without_numpy(value)) in _SCALARS:
        return plain
    if isinstance(value, list | tuple):
        return tuple(freeze(item) for item in value)
    if isinstance(value, set | frozenset):
        return frozenset(freeze(item) for item in value)
    if isinstance(value, Mapping):
        if not all(isinstance(key, str) for key in value):
            raise Refused("a mapping with text keys")
        return FrozenMapping({key: freeze(item) for key, item in value.items()})
    if isinstance(value, type) or (isinstance(value, enum.Enum) and value.name in type(value).__members__):
        return value
    if encoding.is_component(type(value)):
        return _sealed(value)
    raise Refused("plain data (numbers, text, tuples, mappings, sets) or a component")


def _check_of_type(annotation: Any) -> Check:
    origin = typing.get_origin(annotation)
    arguments = typing.get_args(annotation)
    if annotation in (Any, object):
        return freeze
    if annotation in _SCALARS:
        return _SCALARS[annotation]
    if annotation is None or annotation is type(None):
        return _none
    if origin is Literal:
        return _one_of(arguments, "one of " + ", ".join(map(repr, arguments)))
    if origin in (Union, types.UnionType):
        return _union([_check_of_type(each) for each in arguments])
    if origin is tuple or annotation is tuple:
        return _tuple(arguments)
    if origin in (list, Sequence) or annotation in (list, Sequence):
        return _tuple((arguments[0] if arguments else Any, ...))
    if origin in (set, frozenset, Set) or annotation in (set, frozenset, Set):
        return _frozenset(_check_of_type(arguments[0] if arguments else Any))
    if origin in (dict, Mapping) or annotation in (dict, Mapping):
        return _mapping(_check_of_type(arguments[1] if arguments else Any))
    if origin is type or annotation is type:
        return _type
    if isinstance(annotation, type) and issubclass(annotation, enum.Enum):
        return _enum(annotation)
    if isinstance(annotation, type):
        return _instance(annotation)
    raise TypeError("a parameter is plain data or a component")


def _none(value: Any) -> None:
    if value is not None:
        raise Refused("None")


def _without_numpy(value: Any) -> Any:
    """The plain form of numpy's booleans, numbers and texts; not of its dates, which would turn into numbers."""
    return value.item() if isinstance(value, np.generic) and value.dtype.kind in "biufSU" else value


def _bool(value: Any) -> bool:
    if isinstance(value, bool | np.bool_):
        return bool(value)
    raise Refused("True or False")


def _int(value: Any) -> int:
    if type(value) is int:
        return value
    plain = _without_numpy(value)
    if type(plain) is int:
        return plain
    raise Refused("an int")


def _float(value: Any) -> float:
    if type(value) is float:
        return value
    plain = _without_numpy(value)
    if isinstance(plain, int | float) and not isinstance(plain, bool):
        try:
            return float(plain)
        except OverflowError:
            raise Refused("a float of at most 1.8e308") from None
    raise Refused("a float")


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value if type(value) is str else str.__str__(value)
    raise Refused("a text")


def _bytes(value: Any) -> bytes:
    if isinstance(value, bytes):
        return bytes(value)
    raise Refused("bytes")


def _type(value: Any) -> type:
    if isinstance(value, type):
        return value
    if isinstance(value, str):
        return registry.port_type(value)
    raise Refused("a type")


def _sealed(component: Any) -> Any:
    """A component inside another one is a value: what was still being drawn (a scheme) ends with its bytes."""
    component.encoding  # noqa: B018
    return component


def _instance(cls: type) -> Check:
    """Components of a class; any other object must, beside being of the class, be plain data."""
    isinstance(None, cls)  # refuses a protocol that cannot be checked
    finish = _sealed if encoding.is_component(cls) else freeze

    def check(value: Any) -> Any:
        if isinstance(value, cls) or (finish is _sealed and isinstance(value := adopted(value), cls)):
            return finish(value)
        raise Refused(f"{'an' if cls.__name__[0] in 'AEIOU' else 'a'} {cls.__name__}")

    return check


def _one_of(choices: tuple[Any, ...], words: str) -> Check:
    def check(value: Any) -> Any:
        value = _without_numpy(value)
        for choice in choices:
            if type(choice) is type(value) and choice == value:
                return choice
        raise Refused(words)

    return check


def _enum(cls: type[enum.Enum]) -> Check:
    registry.register_enumeration(cls)

    def check(value: Any) -> enum.Enum:
        if isinstance(value, cls):
            return value
        if isinstance(value, str) and value in cls.__members__:
            return cls[value]
        raise Refused(f"one of {', '.join(cls.__members__)}")

    return check


def _union(checks: list[Check]) -> Check:
    def check(value: Any) -> Any:
        exact = _none if value is None else _SCALARS.get(type(value))
        if exact in checks:  # 1 stays an int where a float is allowed as well, in whatever order they are declared
            return exact(value)
        allowed = []
        for each in checks:
            try:
                return each(value)
            except Refused as refused:
                allowed.append(str(refused))
        raise Refused(" or ".join(allowed))

    return check


def _tuple(arguments: tuple[Any, ...]) -> Check:
    if not arguments or arguments[-1] is Ellipsis:
        item = _check_of_type(arguments[0]) if arguments else freeze

        def check(value: Any) -> tuple[Any, ...]:
            if not isinstance(value, list | tuple | np.ndarray | range):
                raise Refused("a tuple")
            return tuple(_inside("a tuple of", item, each) for each in value)

        return check
    items = [_check_of_type(each) for each in arguments]

    def check_each(value: Any) -> tuple[Any, ...]:
        if not isinstance(value, list | tuple) or len(value) != len(items):
            raise Refused(f"a tuple of {len(items)} values")
        return tuple(_inside("a tuple of", item, each) for item, each in zip(items, value, strict=True))

    return check_each


def _frozenset(item: Check) -> Check:
    def check(value: Any) -> frozenset[Any]:
        if not isinstance(value, list | tuple | set | frozenset):
            raise Refused("a set")
        return frozenset(_inside("a set of", item, each) for each in value)

    return check


def _mapping(item: Check) -> Check:
    def check(value: Any) -> FrozenMapping:
        if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
            raise Refused("a mapping with text keys")
        return FrozenMapping({key: _inside("a mapping to", item, each) for key, each in value.items()})

    return check


def _inside(container: str, check: Check, value: Any) -> Any:
    try:
        return check(value)
    except Refused as refused:
        raise Refused(f"{container} {_plural(str(refused))}") from None


def _plural(allowed: str) -> str:
    """What is allowed, of several: "an int" becomes "ints"; alternatives stay as they are."""
    return allowed if " or " in allowed else re.sub(r"^an? (\w*[^\Wsy])\b", r"\1s", allowed)


_SCALARS: dict[Any, Check] = {
    bool: _bool,
    int: _int,
    float: _float,
    str: _text,
    bytes: _bytes,
}
