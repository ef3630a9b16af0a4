"""Encoding what code names: values in place, and whatever is a user's own by number."""

from __future__ import annotations

import inspect
import os
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType, MappingProxyType, MethodType, ModuleType, NoneType
from typing import Any, ForwardRef, NamedTuple, Self

import numpy as np

from intemi.kernel import encoding
from intemi.kernel.source.holdings import is_source_of_chance, state_of
from intemi.kernel.source.libraries import compiled_name, is_library, is_shared_by_compiled
from intemi.kernel.source.refusal import Unknown

_PLAIN = (NoneType, bool, int, float, complex, str, bytes)
_CODE = (type, FunctionType, ModuleType)
_MAX_IN_PLACE = 8192
"""Bytes of a value that is encoded in place; of a longer one the digest is, or shared parts would add up."""
_MAX_VISITS = 1000
"""How often one object may be followed, because it lies in several that refer to each other."""


class Absent(NamedTuple):
    """In place of a value: the name is undefined, or that of a library which need not be loaded."""

    name: str


class Way(NamedTuple):
    """How something was reached: the node that led to it, the name that it has there, and what the name stands for."""

    node: object
    name: str = ""
    value: object = None


class Encoder:
    """Encodes values in place; a user's functions, classes, modules and objects become numbered nodes, each once."""

    def __init__(self, outer: Encoder | None = None) -> None:
        self._nodes: list[object] = []
        self._numbers: dict[int, int] = {}
        self._ways: list[Way] = []
        """What led to each node."""
        self._here = Way(None)
        self._open_ids: dict[int, int] = dict(outer._open_ids) if outer is not None else {}
        """What is being encoded, from the outside to the inside, and how deep each lies."""
        self._outermost = len(self._open_ids)
        """How deep the outermost of these lies that was met again inside."""
        self._encoded: dict[int, tuple[object, bytes]] = {}
        """What was encoded and does not refer to what it lies in; it is held, or its id would be used again."""
        self._items: dict[int, tuple[object, bytes]] = outer._items if outer is not None else {}
        """The digests of items of sets that lead to no cycle: others depend on what they are reached through."""
        self._has_cycles = False
        self._visits: Counter[int] = outer._visits if outer is not None else Counter()
        self._chances: list[tuple[Way, object]] = []
        """The random generators that were met, and where."""

    def digest(self, root: object) -> bytes:
        """The digest of a value that holds nothing of a user's own, such as a constant of a function."""
        return encoding.digest(self.encode(root))

    def encode(self, value: Any) -> bytes:
        """The bytes of a value; what it holds of a user's own counts by number, and is left to be described."""
        kind = type(value)
        if kind in _PLAIN or (_is_array(kind) and not value.dtype.hasobject):
            return encoding.encode(value)
        if id(value) in self._open_ids:
            depth = self._open_ids[id(value)]
            self._outermost = min(self._outermost, depth)
            self._has_cycles = True
            return pack("cycle", encoding.encode(len(self._open_ids) - depth))
        if value is sys.stdout or value is sys.stderr or value is sys.__stdout__ or value is sys.__stderr__:
            return pack("library", b"a standard stream")  # wherever it leads to
        if value is os.environ:
            return pack("library", b"os.environ")  # another shell is no other machine
        if is_shared_by_compiled(kind):
            return pack("library", compiled_name(value))
        if kind is Absent:
            return pack("absent", value.name.encode())
        if is_source_of_chance(value):
            self._chances.append((self._here, value))
        if not is_library(value):
            number = self._numbers.setdefault(id(value), len(self._nodes))
            if number == len(self._nodes):
                self._nodes.append(value)
                self._ways.append(self._here)
            return pack("node", encoding.encode(number))
        if issubclass(kind, _CODE):
            return pack("library", *self._inside(value, self._library_code))
        if id(value) not in self._encoded:
            self._visit(value)
            outermost, self._outermost = self._outermost, len(self._open_ids)
            parts = self._inside(value, lambda each: [self.encode(kind), *self._parts(each)])
            found = pack("library", *parts)
            if len(found) > _MAX_IN_PLACE:
                found = pack("digest", encoding.digest(found))
            is_closed = self._outermost >= len(self._open_ids)
            self._outermost = min(outermost, self._outermost)
            if not is_closed:
                return found
            self._encoded[id(value)] = value, found
        return self._encoded[id(value)][1]

    def _inside(self, value: object, parts: Callable[[Any], Sequence[bytes]]) -> Sequence[bytes]:
        self._open_ids[id(value)] = len(self._open_ids)
        try:
            return parts(value)
        finally:
            del self._open_ids[id(value)]

    def _visit(self, value: object) -> None:
        """Refuse objects that refer to each other in so many ways that it would take forever to follow all of them."""
        self._visits[id(value)] += 1
        if self._visits[id(value)] > _MAX_VISITS:
            raise Unknown(value)

    def _mapping(self, values: Mapping[str, Any]) -> bytes:
        parts = []
        refused: Unknown | None = None
        for name in sorted(values):
            self._here = Way(self._here.node, name, values[name])
            try:
                parts += [self.encode(name), self.encode(values[name])]
            except Unknown as unknown:
                unknown.reached_by(name, values[name])
                refused = refused or unknown
        if refused is not None:
            raise refused
        return pack("mapping", *parts)

    def _parts(self, value: Any) -> Sequence[bytes]:
        kind = type(value)
        if kind in (list, tuple):
            return [self.encode(item) for item in value]
        if kind in (dict, MappingProxyType):
            return [self.encode(part) for item in value.items() for part in item]
        if issubclass(kind, set | frozenset):
            return sorted(self._digest_of_item(item, value) for item in value)
        if issubclass(kind, property | staticmethod | classmethod | MethodType):
            held = ("fget", "fset", "fdel", "__func__", "__self__")
            return [self.encode(getattr(value, name, None)) for name in held]
        if kind is ForwardRef:  # an annotation that a NamedTuple keeps as text
            return [self.encode(value.__forward_arg__)]
        return [self.encode(part) for part in state_of(value)]

    def _library_code(self, value: Any) -> Sequence[bytes]:
        """The name; a library's wrapper around a user's function leads to that function as well."""
        if isinstance(value, ModuleType):
            return [value.__name__.encode()]
        if isinstance(value, type):
            return [f"{value.__module__}.{value.__qualname__}".encode()]
        name = f"{value.__globals__.get('__name__')}.{value.__code__.co_qualname}".encode()
        wrapped = inspect.unwrap(value)
        return [name] if isinstance(wrapped, _CODE) and is_library(wrapped) else [name, self._mapping(vars(value))]

    def _digest_of_item(self, item: object, owner: object) -> bytes:
        """Items of sets have no order, so each is digested by itself."""
        if id(item) in self._items:
            return self._items[id(item)][1]
        self._visit(item)
        inner = self._inner()
        inner._open_ids.setdefault(id(owner), len(inner._open_ids))
        inner._outermost = len(inner._open_ids)
        found = inner.digest(item)
        self._join(inner)
        if not inner._has_cycles:
            self._items[id(item)] = item, found
        return found

    def _inner(self) -> Self:
        """An encoder for one item of what this one encodes."""
        return type(self)(self)

    def _join(self, inner: Self) -> None:
        """What was found inside of an item counts here, too."""
        self._outermost = min(self._outermost, inner._outermost)
        self._has_cycles = self._has_cycles or inner._has_cycles


def pack(tag: str, *parts: bytes) -> bytes:
    """Parts behind a tag that tells what they are of."""
    return encoding.encode((tag, *parts))


def _is_array(kind: type) -> bool:
    return kind is np.ndarray or (issubclass(kind, np.generic) and is_library(kind))
