"""Values on their way to and from workers, at home: what is sent is encoded once, what comes back is checked."""

from __future__ import annotations

import pickle
import threading
from collections import OrderedDict
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

from intemi.dask import definitions, wire
from intemi.dask.remote import name_of
from intemi.dask.wire import Garbled, Leaf, Reference
from intemi.kernel.decoding import decode, named_in
from intemi.kernel.encoding import digest, encode, encode_parts
from intemi.kernel.errors import EncodingError
from intemi.kernel.machine import Model
from intemi.kernel.memory import Origin
from intemi.kernel.protection import protected
from intemi.kernel.record import Item
from intemi.kernel.values import PICKLE
from intemi.kernel.workers.base import Call

MAX_KNOWN = 2**14
"""Values whose digests are remembered."""


class _Known(NamedTuple):
    reference: Reference
    classes: frozenset[tuple[str, str]]


class Codec:
    """Encodes the inputs of leaves, and decodes what they have made."""

    def __init__(self, trusted: bool) -> None:
        self._trusted = trusted
        self._lock = threading.Lock()
        self._known: OrderedDict[Origin, _Known] = OrderedDict()
        self._parts: OrderedDict[bytes, _Known] = OrderedDict()
        """Parts that several values share, by name."""

    def leaf(self, number: int, call: Call, lacks: Callable[[bytes], bool], contents: dict[bytes, bytes]) -> Leaf:
        """A leaf as it travels; what its worker lacks for it is added to `contents`."""
        inputs: dict[str, tuple[bool, tuple[tuple[bytes, dict[bytes, bytes]], ...]]] = {}
        names = set(_classes_in(call.config.encoding))
        for port, (multi, items) in call.inputs.items():
            known = [self._pack(call, port, item, lacks, contents) for item in items]
            inputs[port] = multi, tuple((each.reference.content, each.reference.parts) for each in known)
            for each in known:
                names |= each.classes
        modules, classes = _travelling(tuple(definitions.classes_named(names)), call.config.encoding)
        config, seed = call.config, wire.packed_seed(call.seed)
        return Leaf(number, call.machine, config.encoding, seed, inputs, modules, classes, call.is_watched)

    def _pack(
        self, call: Call, port: str, item: Item, lacks: Callable[[bytes], bool], contents: dict[bytes, bytes]
    ) -> _Known:
        known = self._known.get(item.origin)
        if known is None or any(lacks(each) and each not in contents for each in known.reference.digests):
            known = self._encode(call, port, item, lacks, contents)
            self._remember(self._known, item.origin, known)
        return known

    def _encode(
        self, call: Call, port: str, item: Item, lacks: Callable[[bytes], bool], contents: dict[bytes, bytes]
    ) -> _Known:
        value = call.load(item)
        shared: dict[bytes, object] = {}
        try:
            whole = b"".join(encode_parts(value, shared))
            classes = set(named_in(whole).classes)
        except EncodingError as error:
            whole, classes = self._pickled(value, f"{call.config.kind}.{port}", error), set()
        parts: dict[bytes, bytes] = {}
        for name, part in shared.items():
            known = self._parts.get(name)
            if known is None or (lacks(known.reference.content) and known.reference.content not in contents):
                known = self._encode_part(name, part, lacks, contents)
            parts[name] = known.reference.content
            classes |= known.classes
        content = digest(whole)
        if lacks(content):
            contents[content] = whole
        own_name = name_of(value)
        if own_name is not None:
            parts[own_name] = content
        return _Known(Reference(content, parts), frozenset(classes))

    def _encode_part(
        self, name: bytes, part: object, lacks: Callable[[bytes], bool], contents: dict[bytes, bytes]
    ) -> _Known:
        whole = encode(part)
        known = _Known(Reference(digest(whole), {}), frozenset(named_in(whole).classes))
        if lacks(known.reference.content):
            contents[known.reference.content] = whole
        self._remember(self._parts, name, known)
        return known

    def _remember(self, table: OrderedDict[Any, _Known], key: Any, known: _Known) -> None:
        with self._lock:
            table[key] = known
            table.move_to_end(key)
            if len(table) > MAX_KNOWN:
                table.popitem(last=False)

    def _pickled(self, value: object, what: str, error: EncodingError) -> bytes:
        if not self._trusted:
            raise TypeError(
                f"{what}: the value has no safe encoding, so it cannot travel to the cluster: {error}; or say "
                "DaskWorkers(..., trusted=True) if you alone can reach the cluster"
            ) from None
        import cloudpickle

        pickled: bytes = cloudpickle.dumps(value)
        return PICKLE + pickled

    def model(self, call: Call, content: Any) -> tuple[Model, list[bytes]]:
        """What a leaf has made, and the digests of what its worker holds of it now; Garbled if it is not that."""
        try:
            encoded, results, parts = content
            values: dict[bytes, Any] = {}

            def resolve(name: bytes) -> Any:
                if name not in values:
                    values[name] = protected(decode(parts[name])) if name in parts else _part_of_inputs(call, name)
                return values[name]

            outputs: dict[str, Any] = {}
            for name, each in encoded.items():
                many = isinstance(each, tuple)
                outputs[name] = (
                    tuple(self._decode(one, resolve) for one in each) if many else self._decode(each, resolve)
                )
            contents = [one for each in encoded.values() for one in (each if isinstance(each, tuple) else (each,))]
            model = Model(results=self._decode(results, resolve), **outputs)
            return model, [digest(each) for each in (*contents, *parts.values())]
        except EncodingError as error:
            raise Garbled(str(error)) from error
        except (TypeError, ValueError, AttributeError) as error:
            raise Garbled(f"an answer is no model: {error}") from error

    def _decode(self, encoded: bytes, resolve: Callable[[bytes], Any]) -> Any:
        if encoded.startswith(PICKLE):
            if not self._trusted:
                raise Garbled("a pickled value came from the cluster, which is not trusted")
            return pickle.loads(memoryview(encoded)[len(PICKLE) :])
        return decode(encoded, resolve)


@lru_cache(maxsize=2**12)
def _classes_in(encoded: bytes) -> frozenset[tuple[str, str]]:
    return frozenset(named_in(encoded).classes)


@lru_cache(maxsize=2**8)
def _travelling(classes: tuple[type, ...], encoding: bytes) -> tuple[tuple[str, ...], bytes]:
    """Modules and definitions of classes. The encoding of the configuration changes if one of them is edited."""
    return definitions.modules_of(classes), definitions.packed(classes)


def _part_of_inputs(call: Call, name: bytes) -> Any:
    """A part that inputs of a call share, which did not travel back with what was made of them."""
    for _, items in call.inputs.values():
        for item in items:
            value = call.load(item)
            if name_of(value) == name:
                return value
            shared: dict[bytes, Any] = {}
            encode_parts(value, shared)
            if name in shared:
                return shared[name]
    raise Garbled(f"an answer names the shared part {name.hex()}, which it was not given")
