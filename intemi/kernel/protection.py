"""Protection: what the engine keeps of a value can be changed neither by its maker nor by its readers.

Arrays become read-only, at any depth; those whose memory belongs to something else that can be written are copied
first. Lists, dictionaries, sets and objects that can be changed are copied when they are taken over, and once more for
each reader. Everything else is handed out as it is.
"""

from __future__ import annotations

import array
import copy
import dataclasses
import enum
from collections import deque
from functools import lru_cache
from typing import Any

import numpy as np

from intemi.kernel import registry
from intemi.kernel.decoding import build_storable
from intemi.kernel.encoding import is_cached, is_component, tells_its_state

_MUTABLE = (list, dict, set, bytearray, deque, array.array)


class _Kind(enum.Enum):
    """How values of a type are protected, unless they are fields of a frozen dataclass."""

    IMMUTABLE = enum.auto()
    ARRAY = enum.auto()
    TUPLE = enum.auto()
    MUTABLE = enum.auto()


class Changeable:
    """A value that its readers could change: each gets a copy."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __repr__(self) -> str:
        return f"Changeable({self.value!r})"


def protected(value: Any, is_given: bool = False) -> Any:
    """What the engine keeps of a value; a `Changeable` if its readers need copies.

    The arrays of a machine become read-only where they are. Those that are `is_given` by the user are copied.

    >>> numbers = np.array([1.0, 2.0])
    >>> protected((numbers, "a"))[0] is numbers, numbers.flags.writeable
    (True, False)
    >>> protected([1])
    Changeable([1])
    """
    if type(value) in _SCALARS:
        return value
    is_changeable = needs_copy = False
    pending = [value]
    while pending:
        item = pending.pop()
        cls: Any = type(item)
        kind = _kind_of(cls)
        if kind is _Kind.IMMUTABLE:
            continue
        if kind is _Kind.ARRAY:
            if is_read_only(item) and _lies_row_by_row(item):
                continue
            if is_given or item.base is not None or not _lies_row_by_row(item):
                needs_copy = True
            else:
                item.flags.writeable = False
        elif kind is _Kind.TUPLE:
            if item and not is_cached(item[0]):  # columns, of which there may be thousands, are immutable
                pending.extend(item)
        elif kind is _Kind.MUTABLE:
            is_changeable = True
        else:
            pending.extend([getattr(item, name) for name in kind])
    if is_changeable or needs_copy:
        value = _copied(value)
    return Changeable(value) if is_changeable else value


def handed_out(kept: Any) -> Any:
    """A protected value for one reader."""
    return _copied(kept.value) if type(kept) is Changeable else kept


def looked_at(kept: Any) -> Any:
    """A protected value for the engine itself, which does not change it."""
    return kept.value if type(kept) is Changeable else kept


def is_read_only(owner: Any) -> bool:
    """Whether nothing can write into the memory of an array: none of the arrays that it is a view of, either."""
    while isinstance(owner, np.ndarray):
        if owner.flags.writeable:
            return False
        owner = owner.base
    try:
        return owner is None or memoryview(owner).readonly
    except TypeError:  # it does not let its memory be seen
        return False


def _copied(value: Any) -> Any:
    """The value with copies of everything in it that could be changed; what could not is shared."""
    cls: Any = type(value)
    kind = _kind_of(cls)
    if kind is _Kind.IMMUTABLE:
        return value
    if kind is _Kind.ARRAY:
        if is_read_only(value) and _lies_row_by_row(value):
            return value
        value = value.copy(order="C") if cls is np.ndarray else value.copy()
        value.flags.writeable = False
        return value
    if kind is _Kind.TUPLE:
        parts = [_copied(item) for item in value]
        is_same = all(new is old for new, old in zip(parts, value, strict=True))
        return value if is_same else tuple.__new__(cls, parts)
    if cls is list:
        return [_copied(item) for item in value]
    if cls is dict:
        return {key: _copied(item) for key, item in value.items()}
    if cls is set:
        return set(value)
    if isinstance(value, _MUTABLE):
        return copy.deepcopy(value)
    if kind is not _Kind.MUTABLE:
        fields = {name: getattr(value, name) for name in kind}
        changed = {name: _copied(field) for name, field in fields.items()}
        if all(changed[name] is fields[name] for name in kind):
            return value
        return cls(**changed)
    state = value.state() if tells_its_state(cls) else {f.name: getattr(value, f.name) for f in dataclasses.fields(cls)}
    return build_storable(cls, _copied(state))


def _lies_row_by_row(value: Any) -> bool:
    """As an array does that is read from the store; of other classes of arrays the store keeps none."""
    return value.flags.c_contiguous or type(value) is not np.ndarray


_SCALARS = frozenset((int, float, bool, str, bytes, complex, type(None)))


@lru_cache(maxsize=2**10)
def _kind_of(cls: type) -> _Kind | tuple[str, ...]:
    """How values of a class are protected; of a frozen dataclass, the names of its fields."""
    if cls in _SCALARS:
        return _Kind.IMMUTABLE
    if issubclass(cls, np.ndarray):
        return _Kind.ARRAY
    if issubclass(cls, tuple):
        return _Kind.TUPLE
    if issubclass(cls, _MUTABLE):
        return _Kind.MUTABLE
    if is_component(cls) or not registry.is_storable(cls) or getattr(cls, "is_immutable", False) is True:
        return _Kind.IMMUTABLE
    options: Any = getattr(cls, "__dataclass_params__", None)
    if options is not None and options.frozen:
        return tuple(field.name for field in dataclasses.fields(cls))  # type: ignore[arg-type]
    return _Kind.MUTABLE
