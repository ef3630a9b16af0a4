"""Protection: what the engine keeps of a value can be changed neither by its maker nor by its readers.

Arrays are sealed, at any depth: numpy refuses to make them writeable again. Those whose memory belongs to something
else that can be written are copied first. Lists, dictionaries, sets, objects that can be changed, and arrays that
cannot be sealed, are copied when they are taken over, and once more for each reader. Everything else is handed out as
it is.
"""

from __future__ import annotations

import array
import copy
import dataclasses
import enum
from collections import deque
from functools import lru_cache
from typing import Any, TypeVar, cast

import numpy as np

from intemi.kernel import registry
from intemi.kernel.decoding import build_storable
from intemi.kernel.encoding import is_cached, is_component, tells_its_state
from intemi.kernel.shared_memory import shared

_Array = TypeVar("_Array", bound=np.ndarray[Any, Any])
_MUTABLE = (list, dict, set, bytearray, deque, array.array)
_MUTABLE_OF_LIBRARIES = ("scipy.sparse.", "pandas.")
"""Packages whose values consist of arrays that their methods replace or write into."""


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


class Frozen:
    """A value whose attributes can be neither set nor deleted; it sets them itself with `set_once` when it is made.

    With `__slots__` it has no `__dict__` that could be emptied, either.
    """

    __slots__ = ()

    def __setattr__(self, name: str, value: Any) -> None:
        raise dataclasses.FrozenInstanceError(f"{type(self).__name__}: {name!r} cannot be set, the value is immutable")

    def __delattr__(self, name: str) -> None:
        raise dataclasses.FrozenInstanceError(f"{type(self).__name__}: {name!r} cannot be deleted, it is immutable")


set_once = object.__setattr__
"""Sets an attribute of a frozen value, while it is being made."""


def protected(value: Any, is_given: bool = False) -> Any:
    """What the engine keeps of a value; a `Changeable` if its readers need copies.

    The arrays of a machine are sealed where they are. Those that are `is_given` by the user are copied.

    >>> numbers = np.array([1.0, 2.0])
    >>> kept = protected((numbers, "a"))[0]
    >>> np.shares_memory(kept, numbers), is_sealed(kept), numbers.flags.writeable
    (True, True, False)
    >>> protected([1])
    Changeable([1])
    """
    if type(value) in _SCALARS:
        return value
    is_changeable = has_unsealed = False
    pending = [value]
    while pending:
        item = pending.pop()
        cls: Any = type(item)
        kind = _kind_of(cls)
        if kind is _Kind.IMMUTABLE:
            continue
        if kind is _Kind.ARRAY:
            if not _is_kept_as_is(item):
                has_unsealed = True
                is_changeable = is_changeable or not _can_be_sealed(item)
        elif kind is _Kind.TUPLE:
            if item and not is_cached(item[0]):  # columns, of which there may be thousands, are immutable
                pending.extend(item)
        elif kind is _Kind.MUTABLE:
            is_changeable = True
        else:
            pending.extend([getattr(item, name) for name in kind])
    if is_changeable or has_unsealed:
        value = _copied(value, is_given)
    return Changeable(value) if is_changeable else value


def handed_out(kept: Any) -> Any:
    """A protected value for one reader. An array is a view, so its shape and dtype can be set for this reader only."""
    if type(kept) is Changeable:
        return _copied(kept.value)
    return kept.view() if type(kept) is np.ndarray else kept


def looked_at(kept: Any) -> Any:
    """A protected value for the engine itself, which does not change it."""
    return kept.value if type(kept) is Changeable else kept


def sealed(array: _Array) -> _Array:
    """An array of the same memory that numpy refuses to make writeable; the array itself becomes read-only.

    A large one is copied to memory that worker processes share, unless it was read-only before.

    The memory lies under a read-only buffer, as that of an array made from `bytes` does, so it must be C-contiguous:
    other arrays are copied. Arrays of Python objects have no such buffer; numpy refuses them with a ValueError. The
    caller sees to it that nothing writes into an array of which this one is a view.

    >>> numbers = sealed(np.array([1.0, 2.0]))
    >>> numbers.flags.writeable = True
    Traceback (most recent call last):
        ...
    ValueError: cannot set WRITEABLE flag to True of this array
    """
    if array.base is not None and is_sealed(array):
        return array
    if not array.flags.c_contiguous:
        array = array.copy(order="C")
    if array.flags.writeable and (copy := shared(array)) is not None:
        array.flags.writeable = False
        return cast(_Array, copy)
    array.flags.writeable = False
    if not array.dtype.itemsize:  # nothing can be written
        return array
    try:
        buffer = array.data
    except ValueError:  # dates have no format as a buffer
        buffer = array.reshape(-1).view(np.uint8).data
    flat: Any = np.frombuffer(buffer, array.dtype)
    return cast(_Array, flat if array.ndim == 1 else flat.reshape(array.shape))


def is_sealed(array: np.ndarray[Any, Any]) -> bool:
    """Whether the memory of an array lies under a read-only buffer and nothing can write into it."""
    owner: Any = array
    while isinstance(owner, np.ndarray):
        if owner.base is None:
            return False
        owner = owner.base
    return is_read_only(array)


def is_read_only(array: np.ndarray[Any, Any]) -> bool:
    """Whether nothing can write into the memory of an array: none of the arrays that it is a view of, either."""
    owner: Any = array
    is_under_buffer = False
    while owner is not None:
        if isinstance(owner, np.ndarray):
            if owner.flags.writeable:
                return False
            owner = owner.base
        elif isinstance(owner, memoryview) and owner.readonly and isinstance(owner.obj, np.ndarray):
            owner, is_under_buffer = owner.obj, True
        else:
            try:
                return is_under_buffer or memoryview(owner).readonly
            except TypeError:  # it does not let its memory be seen
                return False
    return True


def _can_be_sealed(array: np.ndarray[Any, Any]) -> bool:
    """Whether it is of the class that the store keeps, and of numbers, texts or records of them."""
    return type(array) is np.ndarray and not array.dtype.hasobject


def _is_kept_as_is(array: np.ndarray[Any, Any]) -> bool:
    """Whether an array is sealed and lies in memory as one does that is read from the store."""
    if type(array) is np.ndarray:
        return array.flags.c_contiguous and is_sealed(array)
    return isinstance(array, np.memmap) and is_sealed(array)  # a file that was opened for reading


def _copied(value: Any, is_given: bool = False) -> Any:
    """The value with copies of everything in it that could be changed; what could not is shared.

    Arrays that own their memory are sealed and shared, unless they are `is_given`.
    """
    cls: Any = type(value)
    kind = _kind_of(cls)
    if kind is _Kind.IMMUTABLE:
        return value
    if kind is _Kind.ARRAY:
        return value if _is_kept_as_is(value) else _copied_array(value, is_given)
    if kind is _Kind.TUPLE:
        if value and is_cached(value[0]):
            return value
        parts = [_copied(item, is_given) for item in value]
        is_same = all(new is old for new, old in zip(parts, value, strict=True))
        return value if is_same else tuple.__new__(cls, parts)
    if cls is list:
        return [_copied(item, is_given) for item in value]
    if cls is dict:
        return {key: _copied(item, is_given) for key, item in value.items()}
    if cls is set:
        return set(value)
    if isinstance(value, _MUTABLE) or _is_of_a_library(cls):
        return copy.deepcopy(value)
    if kind is not _Kind.MUTABLE:
        fields = {name: getattr(value, name) for name in kind}
        changed = {name: new for name, old in fields.items() if (new := _copied(old, is_given)) is not old}
        if not changed:
            return value
        other = copy.copy(value)
        for name, new in changed.items():
            set_once(other, name, new)
        return other
    state = value.state() if tells_its_state(cls) else {f.name: getattr(value, f.name) for f in dataclasses.fields(cls)}
    return build_storable(cls, _copied(state, is_given))


def _copied_array(value: np.ndarray[Any, Any], is_given: bool) -> np.ndarray[Any, Any]:
    """An array that is not sealed yet: the same memory sealed if nothing else can write into it, else a copy."""
    if _can_be_sealed(value):
        is_its_own = is_read_only(value) or (value.base is None and not is_given)
        if is_its_own and value.flags.c_contiguous:
            return sealed(value)
        copy = shared(np.ascontiguousarray(value))  # large, and copied once only
        return sealed(value.copy(order="C")) if copy is None else copy
    other = value.copy()
    if type(value) is np.ndarray and value.dtype == object:
        np.frompyfunc(_copied, 1, 1)(value, out=other)
    other.flags.writeable = False
    return other


def _is_of_a_library(cls: type) -> bool:
    return f"{cls.__module__}.".startswith(_MUTABLE_OF_LIBRARIES)


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
    if issubclass(cls, _MUTABLE) or _is_of_a_library(cls):
        return _Kind.MUTABLE
    if is_component(cls) or not registry.is_storable(cls) or getattr(cls, "is_immutable", False) is True:
        return _Kind.IMMUTABLE
    options: Any = getattr(cls, "__dataclass_params__", None)
    if options is not None and options.frozen:
        return tuple(field.name for field in dataclasses.fields(cls))  # type: ignore[arg-type]
    return _Kind.MUTABLE
