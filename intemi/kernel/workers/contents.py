"""Leaves and values as contents: bytes in the canonical encoding, named by their digests.

For task managers whose workers share nothing with the client, such as those of a cluster. Each content travels to a
worker once and is checked on arrival; nothing is unpickled, unless both ends are trusted. The client has a
`ContentEncoder`, a worker a `ContentStore`; what the worker processes of a worker do with them is in `encoded_leaf`.
"""

from __future__ import annotations

import pickle
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, Generic, NamedTuple, TypeVar

from intemi.kernel.decoding import decode, named_in
from intemi.kernel.encoding import content_digest, digest, encode, encode_parts, is_shared
from intemi.kernel.errors import EncodingError, IntemiError, MalformedError
from intemi.kernel.machine import Model
from intemi.kernel.memory import Origin
from intemi.kernel.protection import protected
from intemi.kernel.record import Item
from intemi.kernel.values import PICKLE
from intemi.kernel.workers import definitions
from intemi.kernel.workers.base import Call

MAX_KNOWN_VALUES = 2**14
"""Values whose digests an encoder remembers."""
MAX_UNFINISHED = 8
"""Contents that arrive in pieces; the rest of one may never come, because its client was killed."""

_K = TypeVar("_K")
_V = TypeVar("_V")


class ProtocolError(MalformedError):
    """A message or a content that is not what was sent."""


class ContentDropped(IntemiError):
    """A content that a worker had made room for others."""


class Recent(OrderedDict[_K, _V], Generic[_K, _V]):
    """A dictionary of the entries that were stored or found last.

    >>> recent = Recent(limit=2)
    >>> for number in range(3):
    ...     recent.store(number, str(number))
    >>> recent.find(1), recent.find(0)
    ('1', None)
    """

    def __init__(self, limit: int) -> None:
        super().__init__()
        self.limit = limit

    def store(self, key: _K, value: _V) -> None:
        """Add or replace an entry; the one that was not used for longest makes room."""
        self[key] = value
        self.move_to_end(key)
        if len(self) > self.limit:
            self.popitem(last=False)

    def find(self, key: _K) -> _V | None:
        """The value of a key, which is used now; None if it is missing."""
        value = self.get(key)
        if value is not None:
            self.move_to_end(key)
        return value


class Reference(NamedTuple):
    """How a leaf names a value: the digest of its bytes, and those of the parts that it shares with others, by name."""

    content: bytes
    parts: dict[bytes, bytes]

    @property
    def digests(self) -> tuple[bytes, ...]:
        """Of everything that is needed to build the value."""
        return (self.content, *self.parts.values())


class EncodedLeaf(NamedTuple):
    """A leaf as it travels, itself a content: everything but the contents of its inputs."""

    config: bytes
    seed: tuple[Any, tuple[int, ...]] | None
    inputs: dict[str, tuple[bool, tuple[tuple[bytes, dict[bytes, bytes]], ...]]]
    modules: tuple[str, ...]
    """Where the classes are defined that it needs."""
    classes: bytes
    """Those that cannot be imported: pickled, with the digests of their sources."""
    trusted: bool
    """Whether values without a canonical encoding may travel as pickles."""


class _Known(NamedTuple):
    reference: Reference
    classes: frozenset[tuple[str, str]]


class ContentEncoder:
    """The client's end: encodes leaves with their inputs, and decodes the models that they have made."""

    def __init__(self, trusted: bool) -> None:
        self._trusted = trusted
        self._lock = threading.Lock()
        self._known: Recent[Origin, _Known] = Recent(MAX_KNOWN_VALUES)
        self._parts: Recent[bytes, _Known] = Recent(MAX_KNOWN_VALUES)
        """Parts that several values share, by name."""

    def leaf(
        self, call: Call, lacks: Callable[[bytes], bool], contents: dict[bytes, bytes]
    ) -> tuple[bytes, tuple[bytes, ...]]:
        """A leaf, and the digests of what it needs; what its worker lacks of that is added to `contents`."""
        inputs: dict[str, tuple[bool, tuple[tuple[bytes, dict[bytes, bytes]], ...]]] = {}
        needed: dict[bytes, None] = {}
        names = set(_classes_in(call.config.encoding))
        for port, (multi, items) in call.inputs.items():
            known = [self._pack(call, port, item, lacks, contents) for item in items]
            inputs[port] = multi, tuple((each.reference.content, each.reference.parts) for each in known)
            for each in known:
                names |= each.classes
                needed |= dict.fromkeys(each.reference.digests)
        modules, classes = _travelling(tuple(definitions.classes_named(names)), call.config.encoding)
        seed = None if call.seed is None else (call.seed.entropy, tuple(call.seed.path))
        leaf = EncodedLeaf(call.config.encoding, seed, inputs, modules, classes, self._trusted)
        return encode(tuple(leaf)), tuple(needed)

    def _pack(
        self, call: Call, port: str, item: Item, lacks: Callable[[bytes], bool], contents: dict[bytes, bytes]
    ) -> _Known:
        known = self._known.get(item.origin)
        if known is None or any(lacks(each) and each not in contents for each in known.reference.digests):
            known = self._encode(call, port, item, lacks, contents)
            with self._lock:
                self._known.store(item.origin, known)
        return known

    def _encode(
        self, call: Call, port: str, item: Item, lacks: Callable[[bytes], bool], contents: dict[bytes, bytes]
    ) -> _Known:
        value = call.load(item)
        whole, shared = encoded_value(value, f"{call.config.kind}.{port}", self._trusted)
        classes = set() if whole.startswith(PICKLE) else set(named_in(whole).classes)
        parts: dict[bytes, bytes] = {}
        for name, part in shared.items():
            known = self._parts.get(name)
            if known is None or (lacks(known.reference.content) and known.reference.content not in contents):
                encoded = encode(part)
                known = _Known(_added(encoded, lacks, contents), frozenset(named_in(encoded).classes))
                with self._lock:
                    self._parts.store(name, known)
            parts[name] = known.reference.content
            classes |= known.classes
        content = _added(whole, lacks, contents).content
        own_name = _name_of(value)
        if own_name is not None:
            parts[own_name] = content
        return _Known(Reference(content, parts), frozenset(classes))

    def model(self, call: Call, answer: Any) -> tuple[Model, list[bytes]]:
        """The model of a finished leaf, and the digests of what its worker holds of it; ProtocolError if it is none."""
        try:
            encoded, results, parts = answer
            values: dict[bytes, Any] = {}

            def resolve(name: bytes) -> Any:
                if name not in values:
                    values[name] = protected(decode(parts[name])) if name in parts else _part_of_inputs(call, name)
                return values[name]

            outputs: dict[str, Any] = {}
            contents: list[bytes] = list(parts.values())
            for name, each in encoded.items():
                items = each if isinstance(each, tuple) else (each,)
                decoded = tuple(decoded_value(one, resolve, self._trusted) for one in items)
                outputs[name] = decoded if isinstance(each, tuple) else decoded[0]
                contents += items
            model = Model(results=decoded_value(results, resolve, self._trusted), **outputs)
            return model, [digest(each) for each in contents]
        except EncodingError as error:
            raise ProtocolError(str(error)) from error
        except (TypeError, ValueError, AttributeError) as error:
            raise ProtocolError(f"an answer is no model: {error}") from error


class ContentStore:
    """A worker's end: the contents that were used last, as bytes.

    >>> store = ContentStore(limit=100)
    >>> store.add(digest(b"N"), b"N")
    >>> store.lacking([digest(b"N"), digest(b"T")]) == [digest(b"T")]
    True
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        """Bytes of contents to hold."""
        self.size = 0
        self._lock = threading.Lock()
        self._held: OrderedDict[bytes, bytes] = OrderedDict()
        self._unfinished: Recent[bytes, bytearray] = Recent(MAX_UNFINISHED)

    def add(self, name: bytes, content: bytes) -> None:
        """Hold a content; ProtocolError if it does not have that digest."""
        if digest(content) != name:
            raise ProtocolError(f"a content of {len(content)} bytes does not have the digest {name.hex()}")
        self._hold(name, content)

    def hold(self, content: bytes) -> None:
        """Hold a content that was made here."""
        self._hold(digest(content), content)

    def _hold(self, name: bytes, content: bytes) -> None:
        with self._lock:
            if name not in self._held:
                self._held[name] = content
                self.size += len(content)
            self._held.move_to_end(name)
            while self.size > self.limit and len(self._held) > 1:
                _, dropped = self._held.popitem(last=False)
                self.size -= len(dropped)

    def add_piece(self, name: bytes, at: int, piece: bytes, size: int) -> None:
        """Take a piece of a large content; the last one completes it."""
        with self._lock:
            if name in self._held:
                return
            if name not in self._unfinished:
                self._unfinished.store(name, bytearray(size))
            whole = self._unfinished[name]
            whole[at : at + len(piece)] = piece
            if at + len(piece) < size:
                return
            del self._unfinished[name]
        self.add(name, bytes(whole))

    def lacking(self, names: Iterable[bytes]) -> list[bytes]:
        """Which of them are missing; the others are used now."""
        with self._lock:
            missing = []
            for name in dict.fromkeys(names):
                if name in self._held:
                    self._held.move_to_end(name)
                else:
                    missing.append(name)
            return missing

    def __getitem__(self, name: bytes) -> bytes:
        try:
            return self._held[name]
        except KeyError:
            raise ContentDropped(
                f"the content {name.hex()} was dropped before it was used; give the task manager more memory"
            ) from None


def encoded_value(value: Any, what: str, trusted: bool) -> tuple[bytes, dict[bytes, object]]:
    """A value as bytes, and the parts of it that other values may share, which are not in them."""
    shared: dict[bytes, object] = {}
    try:
        return b"".join(encode_parts(value, shared)), shared
    except EncodingError as error:
        if not trusted:
            raise TypeError(
                f"{what} has no safe encoding, so it cannot travel to or from the cluster: {error}; pass trusted=True "
                "to the task manager if you alone can reach the cluster"
            ) from None
    import cloudpickle

    pickled: bytes = cloudpickle.dumps(value)
    return PICKLE + pickled, {}


def decoded_value(content: bytes | memoryview, resolve: Callable[[bytes], Any], trusted: bool) -> Any:
    """The value of bytes. A pickle is refused by an end that does not trust the other one."""
    if bytes(content[: len(PICKLE)]) != PICKLE:
        return decode(content, resolve)
    if not trusted:
        raise ProtocolError("refusing a pickled value: pass trusted=True to the task manager")
    return pickle.loads(memoryview(content)[len(PICKLE) :])


def _added(content: bytes, lacks: Callable[[bytes], bool], contents: dict[bytes, bytes]) -> Reference:
    name = digest(content)
    if lacks(name):
        contents[name] = content
    return Reference(name, {})


def _name_of(value: Any) -> bytes | None:
    """By what other values name it, if it is a part that they share."""
    return content_digest(value) if is_shared(type(value)) else None


def _part_of_inputs(call: Call, name: bytes) -> Any:
    """A part that inputs of a call share, which did not travel back with what was made of them."""
    for _, items in call.inputs.values():
        for item in items:
            value = call.load(item)
            if _name_of(value) == name:
                return value
            shared: dict[bytes, Any] = {}
            encode_parts(value, shared)
            if name in shared:
                return shared[name]
    raise ProtocolError(f"an answer names the shared part {name.hex()}, which it was not given")


@lru_cache(maxsize=2**12)
def _classes_in(encoded: bytes) -> frozenset[tuple[str, str]]:
    return frozenset(named_in(encoded).classes)


@lru_cache(maxsize=2**8)
def _travelling(classes: tuple[type, ...], encoding: bytes) -> tuple[tuple[str, ...], bytes]:
    """Modules and definitions of classes. The encoding of the configuration changes if one of them is edited."""
    return definitions.modules_of(classes), definitions.packed(classes)
