"""From canonical bytes back to values: plain ones, arrays and registered types only.

It never imports or executes anything that the bytes name, and refuses whatever is not a canonical encoding.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from intemi.kernel import registry
from intemi.kernel.encoding import DIGEST_SIZE, HEAD_SIZE, source_of, tells_its_state
from intemi.kernel.errors import EncodingError, MalformedError

_read_size = struct.Struct("<Q").unpack_from
_read_float = struct.Struct("<d").unpack_from
_Resolve = Callable[[bytes], Any]
_Accepts = Callable[[type, bytes], bool]
_INT, _TEXT, _FLOAT = b"ISD"
MAX_DEPTH = 25_000
"""Containers inside each other: Python hashes tuples in C without a bound, and 100,000 of them overflow the stack."""


def _is_current(cls: type, source: bytes) -> bool:
    """Whether a class still is what it was when a value of it was encoded."""
    return source == source_of(cls)


def _nothing_shared(name: bytes) -> Any:
    raise EncodingError(f"the shared part {name.hex()} is not there")


def decode(data: bytes | memoryview, resolve: _Resolve = _nothing_shared, accepts: _Accepts = _is_current) -> Any:
    """The value of canonical bytes; anything else raises EncodingError. Arrays are read-only views of the bytes.

    `resolve` gives shared parts by their digests. `accepts` says whether a value of a class is taken, given what the
    source of the class was when it was encoded.

    >>> from intemi.kernel.encoding import encode
    >>> decode(encode({"a": (1, 2.5, None)}))
    {'a': (1, 2.5, None)}
    """
    view = memoryview(data)
    if len(view) > HEAD_SIZE and view[0] == _INT and len(view) == HEAD_SIZE + _read_size(view, 1)[0]:
        return int.from_bytes(view[HEAD_SIZE:], "little", signed=True)  # in one step: small values are mostly such
    try:
        value, end = _decode(view, 0, resolve, accepts)
    except EncodingError:
        raise
    except Exception as error:  # whatever damaged bytes provoke in struct, numpy or a type's own constructor
        raise MalformedError(f"not a canonical encoding: {error}") from error
    if end != len(view):
        raise MalformedError(f"not a canonical encoding: {len(view) - end} bytes too many")
    return value


def shared_in(data: bytes | memoryview) -> set[bytes]:
    """The digests of the parts that canonical bytes share with others; nothing is built, so no class need be known.

    >>> from intemi.kernel.encoding import encode
    >>> shared_in(encode([1, "R", None]))
    set()
    """
    return named_in(data).shared


class Named(NamedTuple):
    """What canonical bytes name without containing it."""

    shared: set[bytes]
    """Digests of parts that they share with others."""
    classes: set[tuple[str, str]]
    """Classes, each with the tag of what it is: C a component, O a type of values, E an enumeration, Y a port type."""


def named_in(data: bytes | memoryview) -> Named:
    """What canonical bytes name; nothing is built, so no class need be known.

    >>> from intemi.kernel.encoding import encode
    >>> named_in(encode((int, 3))).classes
    {('Y', 'builtins.int')}
    """
    view = memoryview(data)
    found = Named(set(), set())
    at = 0
    try:
        while at < len(view):  # parts follow their container, so one after the other leads through all of them
            tag, at = bytes(view[at : at + 1]), at + 1
            if tag in b"ISB":
                _, at = _content(view, at)
            elif tag in b"OY":
                name, at = _content(view, at)
                _, at = _content(view, at)
                found.classes.add((tag.decode(), str(name, "utf-8")))
            elif tag == b"D" or tag in _CONTAINERS:
                at += 8
            elif tag == b"A":
                _, at = _decode_array(view, at)
            elif tag == b"R":
                found.shared.add(bytes(view[at : at + DIGEST_SIZE]))
                at += DIGEST_SIZE
            elif tag in b"EC":
                name, _ = _content(view, at + 1)  # a text follows, and is met again
                found.classes.add((tag.decode(), str(name, "utf-8")))
            elif tag not in b"NTFXZ":
                raise MalformedError(f"not a canonical encoding: unknown tag {tag!r}")
        if at > len(view):
            raise MalformedError("not a canonical encoding: it ends too early")
    except EncodingError:
        raise
    except Exception as error:  # whatever damaged bytes provoke in struct or numpy
        raise MalformedError(f"not a canonical encoding: {error}") from error
    return found


class _Frame:
    """A container that is being decoded: how many parts it still needs, and how to put them together."""

    __slots__ = ("build", "missing", "parts")

    def __init__(self, missing: int, build: Callable[[list[Any]], Any]) -> None:
        self.missing = missing
        self.build = build
        self.parts: list[Any] = []


def _decode(
    view: memoryview, at: int, resolve: _Resolve = _nothing_shared, accepts: _Accepts = _is_current
) -> tuple[Any, int]:
    frames: list[_Frame] = []
    while True:
        tag = view[at]
        at += 1
        item: Any
        if tag == _INT:
            content, at = _content(view, at)
            item = int.from_bytes(content, "little", signed=True)
        elif tag == _TEXT:
            content, at = _content(view, at)
            item = str(content, "utf-8", "surrogatepass")
        elif tag == _FLOAT:
            item = _read_float(view, at)[0]
            at += 8
        elif tag in _CONSTANTS:
            item = _CONSTANTS[tag]
        else:
            item, at = _decode_rare(view, at, tag, resolve, accepts)
            if isinstance(item, _Frame):
                if item.missing:
                    if len(frames) == MAX_DEPTH:
                        raise MalformedError(f"not a value that was written: it is nested more than {MAX_DEPTH:,} deep")
                    frames.append(item)
                    continue
                item = item.build(item.parts)
        while frames:
            top = frames[-1]
            top.parts.append(item)
            top.missing -= 1
            if top.missing:
                break
            frames.pop()
            item = top.build(top.parts)
        else:
            return item, at


def _content(view: memoryview, at: int) -> tuple[memoryview, int]:
    """Bytes that follow their number, and where they end."""
    start = at + 8
    end = start + _read_size(view, at)[0]
    if end > len(view):
        raise MalformedError("not a canonical encoding: it ends too early")
    return view[start:end], end


def _decode_rare(view: memoryview, at: int, number: int, resolve: _Resolve, accepts: _Accepts) -> tuple[Any, int]:
    """What is no number, text, truth value or None."""
    tag = bytes((number,))
    if tag in _CONTAINERS:
        per_item, build = _CONTAINERS[tag]
        return _Frame(_read_size(view, at)[0] * per_item, build), at + 8
    if tag == b"X":
        return _Frame(2, lambda parts: complex(*parts)), at
    if tag == b"A":
        return _decode_array(view, at)
    if tag == b"Z":
        return _Frame(1, lambda parts: parts[0][0]), at
    if tag == b"E":
        return _Frame(3, lambda parts: registry.enumeration(parts[0])[parts[1]]), at
    if tag == b"C":
        return _Frame(3, _build_component), at
    if tag == b"R":
        return resolve(bytes(view[at : at + DIGEST_SIZE])), at + DIGEST_SIZE
    content, at = _content(view, at)
    if tag == b"B":
        return bytes(content), at
    if tag == b"Y":
        _source, at = _content(view, at)  # tells identities apart, and is of no use here
        return registry.port_type(str(content, "utf-8")), at
    if tag == b"O":
        cls = registry.storable(str(content, "utf-8"))
        source, at = _content(view, at)
        if not accepts(cls, bytes(source)):
            raise EncodingError(f"a {cls.__qualname__} as it was before its class was edited")
        return _Frame(1, lambda parts: _checked(cls, parts[0])), at
    raise MalformedError(f"not a canonical encoding: unknown tag {tag!r}")


def _decode_array(view: memoryview, at: int) -> tuple[np.ndarray[Any, Any], int]:
    descr, at = _decode(view, at)
    shape, at = _decode(view, at)
    size = _read_size(view, at)[0]
    at += 8
    dtype = np.lib.format.descr_to_dtype(descr)
    if dtype.hasobject or size != dtype.itemsize * math.prod(shape) or at + size > len(view):
        raise MalformedError("not a canonical encoding: damaged array")
    array: np.ndarray[Any, Any] = (
        np.ndarray(shape, dtype, buffer=view[at : at + size].toreadonly()) if size else (np.empty(shape, dtype))
    )
    return array, at + size


def _pairs(parts: list[Any]) -> dict[Any, Any]:
    return dict(zip(parts[::2], parts[1::2], strict=True))


def _checked(cls: Any, state: Any) -> Any:
    """A storable value that was read, after it has looked at itself."""
    value = build_storable(cls, state)
    if hasattr(cls, "check_decoded"):
        value.check_decoded()
    return value


def build_storable(cls: Any, state: Any) -> Any:
    """The value of a registered type that has a state."""
    return cls.from_state(state) if tells_its_state(cls) else cls(**state)


def _build_component(parts: list[Any]) -> Any:
    name, _identity, parameters = parts
    return registry.component(name).restored(parameters)


_CONSTANTS: dict[int, Any] = dict(zip(b"NTF", (None, True, False), strict=True))
_CONTAINERS: dict[bytes, tuple[int, Callable[[list[Any]], Any]]] = {
    b"L": (1, list),
    b"U": (1, tuple),
    b"M": (2, _pairs),
    b"H": (1, frozenset),
    b"h": (1, set),
}
