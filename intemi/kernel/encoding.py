"""The canonical encoding: one way to turn a value into bytes, used for identity and for the store alike.

Every value starts with a tag that tells its type, so 1, 1.0, True and "1" never meet. There is no depth limit, and a
value that has no encoding is refused loudly instead of being approximated. `decoding` is the way back.
"""

from __future__ import annotations

import dataclasses
import enum
import math
import struct
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeVar

import numpy as np
from blake3 import blake3

from intemi.kernel import registry
from intemi.kernel.errors import EncodingError

DIGEST_SIZE = 16
NAME = 64
"""Texts below this length are names and labels that occur again and again: what they are encoded to is remembered."""
HEAD_SIZE = 9
"""Of a container: its tag and the number of its items."""
_T = TypeVar("_T", bound=type)
_Part = bytes | memoryview

_size = struct.Struct("<Q").pack
_float = struct.Struct("<d").pack
_NAN = _float(math.nan)
_HEAP_TYPE = 1 << 9  # a class made at run time, not one built into the interpreter
_sources: weakref.WeakKeyDictionary[type, bytes] = weakref.WeakKeyDictionary()


def digest(first: _Part, *further: _Part) -> bytes:
    """The 128-bit blake3 digest of bytes.

    >>> digest(b"abc").hex()
    '6437b3ac38465133ffb63b75273a8db5'
    """
    try:
        hasher = _hashers.pop()
    except IndexError:
        hasher = blake3()
    hasher.update(first)
    for part in further:
        hasher.update(part)
    answer = hasher.digest(DIGEST_SIZE)
    hasher.reset()
    _hashers.append(hasher)
    return answer


_hashers: list[blake3] = []
"""Hashers that are not in use: each takes 2 kB, and to make one costs more than to hash a few hundred bytes."""


def encode(value: object) -> bytes:
    """The canonical bytes of a value.

    >>> encode(1) == encode(True)
    False
    >>> encode(True)
    b'T'
    """
    encoder = _SCALARS.get(type(value))
    return b"".join(encode_parts(value)) if encoder is None else encoder(value)


def encode_once(value: object) -> bytes:
    """The same for a value whose digest was just taken of it, or will be: the last one of moderate size is at hand."""
    global _at_hand
    known, encoded = _at_hand
    if known is not value:
        encoded = encode(value)
        if len(encoded) <= MODERATE:
            _at_hand = value, encoded
    return encoded


MODERATE = 2**16
"""Bytes up to which a copy costs next to nothing."""
_at_hand: tuple[object, bytes] = (object(), b"")


def content_digest(value: object) -> bytes:
    """What the value *is*, in 128 bits: equal contents have equal digests, wherever they came from.

    A registered type may answer by itself with a method `content_digest` (when it knows a cheaper way than its bytes).
    """
    own = getattr(type(value), "content_digest", None)
    if own is not None:
        answer: bytes = own(value)
        source = source_of(type(value))
        return digest(source, answer) if source else answer
    return digest(*encode_parts(value))


def storable(cls: _T) -> _T:
    """Register a type of values, so that the store can keep them and unification can compare their contents.

    A dataclass needs nothing else. Any other class gives its state as plain values with `state()` and is built again
    by the class method `from_state(state)`. Small values that occur again and again say
    `caches_encoding = True`. Values of a type that is no frozen dataclass are copied for each reader, unless it says
    `is_immutable = True`: then it promises that nothing in them can be changed, arrays included, which
    `intemi.kernel.protection.sealed` sees to. A method
    `check_decoded()` looks at a value that was read before anything uses it, and raises `MalformedError` if sizes or
    indices do not fit: a store may be damaged, or written by someone else.

    >>> @storable
    ... @dataclasses.dataclass(frozen=True)
    ... class Interval:
    ...     low: float
    ...     high: float
    >>> from intemi.kernel.decoding import decode
    >>> decode(encode(Interval(0.0, 1.0))).high
    1.0
    """
    if not dataclasses.is_dataclass(cls) and not tells_its_state(cls):
        raise EncodingError(f"{cls.__qualname__}: a storable type is a dataclass, or has state() and from_state()")
    registry.register_storable(cls)
    return cls


def tells_its_state(cls: type) -> bool:
    return hasattr(cls, "from_state") and callable(getattr(cls, "state", None))


def encode_scalar(value: object) -> bytes | None:
    """The encoding of the commonest small values in one step, or None: parameters are mostly such."""
    encoder = _SCALARS.get(type(value))
    return None if encoder is None else encoder(value)


@lru_cache(maxsize=2**12)
def _encode_int(value: int) -> bytes:
    size = value.bit_length() // 8 + 1
    return b"I" + _size(size) + value.to_bytes(size, "little", signed=True)


@lru_cache(maxsize=2**12)
def _encode_name(value: str) -> bytes:
    return _sized(b"S", value.encode("utf-8", "surrogatepass"))


def _encode_text(value: str) -> bytes:
    return _encode_name(value) if len(value) < NAME else _sized(b"S", value.encode("utf-8", "surrogatepass"))


def _encode_float(value: float) -> bytes:
    # Programs can tell -0.0 from 0.0, so they differ; no program tells one NaN from another, so they are one.
    return b"D" + (_NAN if value != value else _float(value))


_SCALARS: dict[type, Callable[[Any], bytes]] = {
    int: _encode_int,
    str: _encode_text,
    float: _encode_float,
    bool: {False: b"F", True: b"T"}.__getitem__,
    type(None): {None: b"N"}.__getitem__,
}
"""By their exact types: what is equal, like 1 and True, must not meet in what is remembered."""


def encode_parts(value: object, shared: dict[bytes, object] | None = None) -> list[_Part]:
    """The encoding in pieces, so that large buffers are not copied before they are hashed or written.

    A part whose type says `is_shared` is named by its digest and not repeated; `shared` collects such parts, to be
    kept beside the value.
    """
    parts: list[_Part] = []
    add = parts.append
    levels: list[Iterator[object]] = [iter((value,))]
    while levels:
        for item in levels[-1]:
            cls = type(item)
            scalar = _SCALARS.get(cls)
            if scalar is not None:
                add(scalar(item))
                continue
            encoder = _ENCODERS.get(cls)
            if encoder is None:
                if item is not value and is_shared(cls):
                    name = content_digest(item)
                    add(b"R" + name)
                    if shared is not None:
                        shared[name] = item
                    continue
                encoder = _known_encoders.get(cls)
                if encoder is None:
                    encoder = _known_encoders[cls] = _encoder_of(item)
            children = encoder(item, add)
            if children:
                levels.append(iter(children))
                break
        else:
            levels.pop()
    return parts


_Add = Callable[[_Part], None]
_Encoder = Callable[[Any, _Add], Sequence[object] | None]
_known_encoders: weakref.WeakKeyDictionary[type, _Encoder] = weakref.WeakKeyDictionary()
"""Of types that are not in the table below."""


def _sized(tag: bytes, content: bytes) -> bytes:
    return tag + _size(len(content)) + content


def _encode_complex(value: complex, add: _Add) -> list[object]:
    add(b"X")
    return [value.real, value.imag]


def _encode_bytes(value: bytes, add: _Add) -> None:
    add(_sized(b"B", value))


def _encode_list(value: list[object], add: _Add) -> list[object]:
    add(b"L" + _size(len(value)))
    return value


def _encode_tuple(value: tuple[object, ...], add: _Add) -> Sequence[object]:
    add(head_of_tuple(len(value)))
    return value


@lru_cache(maxsize=2**10)
def head_of_tuple(size: int) -> bytes:
    """What the encoding of a tuple of so many items begins with; the items follow."""
    return b"U" + _size(size)


def is_cached(value: object) -> bool:
    """Whether it is a small value that occurs again and again, as its type says: memory does not count it."""
    cls: Any = type(value)
    return _says(cls, "caches_encoding")


def is_shared(cls: Any) -> bool:
    """Whether values of a type are parts that several others share, as it says: they are kept once."""
    return _says(cls, "is_shared")


@lru_cache(maxsize=2**10)
def _says(cls: type, what: str) -> bool:
    """Whether a type says so: most do not, and Python makes an error of each attribute that is not there."""
    return getattr(cls, what, False) is True


def head_of_mapping(size: int) -> bytes:
    """What the encoding of a mapping of so many items begins with; keys and values follow in turn."""
    return b"M" + _size(size)


def _encode_mapping(value: Mapping[object, object], add: _Add) -> list[object]:
    add(head_of_mapping(len(value)))
    return [part for pair in value.items() for part in pair]


def _encode_set(value: frozenset[object] | set[object], add: _Add) -> None:
    add((b"H" if isinstance(value, frozenset) else b"h") + _size(len(value)))
    for item in sorted(encode(item) for item in value):
        add(item)


def _encode_array(value: np.ndarray[Any, Any], add: _Add) -> list[object] | None:
    if value.dtype.hasobject:
        raise EncodingError("an array of Python objects has no canonical encoding; use a numeric or string dtype")
    size = value.nbytes
    add(_array_head(value.dtype, value.shape, size))
    add(value.tobytes() if size <= MODERATE else np.ascontiguousarray(value).reshape(-1).view(np.uint8).data)
    return None


@lru_cache(maxsize=2**12)
def _array_head(dtype: np.dtype[Any], shape: tuple[int, ...], size: int) -> bytes:
    return b"A" + encode(np.lib.format.dtype_to_descr(dtype)) + encode(shape) + _size(size)


def _encode_numpy_scalar(value: np.generic, add: _Add) -> list[object]:
    if value.dtype.hasobject:
        raise EncodingError(f"{value!r} of type {type(value).__name__} has no canonical encoding")
    add(b"Z")
    return [np.asarray(value).reshape(1)]


def _encode_enum(value: enum.Enum, add: _Add) -> list[object]:
    if value.name not in type(value).__members__:
        raise EncodingError(f"{value!r} has no canonical encoding; use a set of single flags")
    add(b"E")
    return [registry.register_enumeration(type(value)), value.name, source_of(type(value))]


def _encode_type(value: type, add: _Add) -> None:
    registry.register_port_type(value)
    add(_sized(b"Y", registry.qualified_name(value).encode()))
    add(_sized(b"", source_of(value)))


def source_of(cls: type) -> bytes:
    """What tells a class from what it was before it was edited, a user's or of a working copy; nothing for others."""
    if not cls.__flags__ & _HEAP_TYPE:
        return b""
    known = _sources.get(cls)
    if known is None:
        known = _sources[cls] = _find_source(cls)
    return known


def find_sources_with(finder: Callable[[type], bytes]) -> Callable[[type], bytes]:
    """Let a function find the source of classes: reading code is built on this module, and so cannot be named here."""
    global _find_source
    _find_source = finder
    return finder


def _unknown_source(cls: type) -> bytes:
    raise EncodingError(f"{cls.__qualname__}: its source cannot be read before intemi.kernel is imported")


_find_source: Callable[[type], bytes] = _unknown_source


def set_source(cls: type, source: bytes) -> None:
    """Say what tells a class that came from another process, where its source is."""
    _sources[cls] = source


def is_component(cls: type) -> bool:
    """Whether it is a class of components, which are built on this module and so cannot be named here."""
    return getattr(cls, "__component__", False) is True


def _encode_component(value: Any, add: _Add) -> None:
    add(value.encoding)


def _storable_encoder(cls: type) -> _Encoder:
    """The encoder of a registered type: what is the same for all its values is worked out once."""
    head = _sized(b"O", registry.qualified_name(cls).encode()) + _sized(b"", source_of(cls))
    names = None if tells_its_state(cls) else [field.name for field in dataclasses.fields(cls)]

    def encode_storable(value: Any, add: _Add) -> list[object]:
        add(head)
        return [value.state() if names is None else {name: getattr(value, name) for name in names}]

    return encode_storable


_ENCODERS: dict[type, _Encoder] = {
    complex: _encode_complex,
    bytes: _encode_bytes,
    list: _encode_list,
    tuple: _encode_tuple,
    dict: _encode_mapping,
    set: _encode_set,
    frozenset: _encode_set,
    np.ndarray: _encode_array,
}


def encoded_as_mapping(cls: type) -> type:
    """Let values of a class that extends `dict` be encoded as plain mappings are, to which they are equal."""
    _ENCODERS[cls] = _encode_mapping
    return cls


def _encoder_of(value: object) -> _Encoder:
    """The encoder of a value whose exact type is not in the table."""
    if registry.is_storable(type(value)):
        return _storable_encoder(type(value))
    if isinstance(value, np.generic):
        return _encode_numpy_scalar
    if isinstance(value, enum.Enum):
        return _encode_enum
    if isinstance(value, type):
        return _encode_type
    if is_component(type(value)):
        return _encode_component
    raise EncodingError(
        f"{type(value).__module__}.{type(value).__qualname__} has no canonical encoding; allowed are plain values, "
        "tuples, lists, mappings, sets, numpy arrays, components and types registered with @storable"
    )
