"""Values: from an item to what it stands for. Memory first, then the store, and if both have lost it, made again."""

from __future__ import annotations

import threading
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any

from intemi.kernel import encoding
from intemi.kernel.block import axes_of_results
from intemi.kernel.decoding import decode
from intemi.kernel.errors import (
    ConfigurationError,
    EncodingError,
    IntemiError,
    MachineFailed,
    MalformedError,
    StoreWarning,
)
from intemi.kernel.machine import Machine, Model
from intemi.kernel.memory import MemoryCache, Origin, measured
from intemi.kernel.ports import Output
from intemi.kernel.protection import handed_out, looked_at, protected
from intemi.kernel.record import ABSENT, NAME, SINGLE, Item, Items, Record, flat
from intemi.kernel.records import Records
from intemi.kernel.seeds import Seed
from intemi.kernel.store import Finished
from intemi.kernel.task import Inputs, Source

SHARED = -3
"""Stands in an origin for a part that several values share; the machine is its digest then."""
PICKLE = b"P"
"""Begins what is kept as a pickle, because the user trusts the store; no encoding begins so."""
MAX_SHARED = 10_000
"""Shared parts that are remembered as written; one that is forgotten is written once more."""
SMALL = 256
"""Values of about this size stay in memory with their record, whatever the bound of the memory cache."""
INLINE = 2048
"""Encoded values up to this size live in the record itself; larger ones are contents of their own."""


class Encoded:
    """What the outputs of one machine are encoded to."""

    __slots__ = ("contents", "shared")

    def __init__(self) -> None:
        self.contents: dict[bytes, bytes] = {}
        """What the store must keep beside the record."""
        self.shared: dict[bytes, object] = {}
        """Parts that several values have in common."""


class Values:
    """Loads, registers and, where it must, makes the values of items."""

    def __init__(
        self, memory: MemoryCache, records: Records, trusts_store: bool, note_run: Callable[[str], None]
    ) -> None:
        self._memory = memory
        self._note_run = note_run
        """Called with the kind of each leaf that is run once more."""
        self._records = records
        self._store = records.store
        self._trusts_store = trusts_store
        self._rebuilding = threading.RLock()
        self._warned: set[Origin] = set()
        self._shared: dict[bytes, None] = {}
        """Shared parts that the store has got from this process, the last ones."""

    def load(self, item: Item) -> Any:
        """The value of an item."""
        value = item.small
        if value is ABSENT:
            value = self._memory.get(item.origin)
            if value is ABSENT:
                value = self._read(item)
                if value is ABSENT:
                    return handed_out(self._make(item))
                self._hold(item, value, *measured(value))
        return handed_out(value)

    def _hold(self, item: Item, value: Any, size: int, parts: Sequence[object]) -> None:
        """Keep a protected value in memory: beside its item if that costs next to nothing, else while there is room."""
        if not parts and (size <= SMALL or item.inline is not None):
            item.small = value
        else:
            self._memory.put(item.origin, value, size, parts)

    def load_items(self, items: Items) -> Any:
        """The value of an output: one, or a tuple of many."""
        return self.load(items) if isinstance(items, Item) else tuple(map(self.load, items))

    def load_source(self, source: Source) -> Any:
        """The value that a source stands for: one, or a tuple of many."""
        items = source.items()
        return self.load(items[0]) if source.is_single else tuple(map(self.load, items))

    def register(self, items: Iterable[Item]) -> None:
        """Have the contents of items digested, once; one whose type has no encoding is known by its origin."""
        for item in items:
            if item.content is None:
                item.content = _content_of(item, self.load(item))

    def give(self, machine: bytes, config: Machine, value: Any) -> Record:
        """Take over a value that no machine made: it cannot be made again, so it stays in memory."""
        known = self._records.find(machine)
        if known is None:
            item = Item(machine, "value")
            encoded = Encoded()
            self._encode(item, value, encoded)
            self._hold_parts(encoded)
            name = getattr(value, "name", None)
            results = {NAME: name} if isinstance(name, str) and name else {}
            known = Record(machine, config.kind, config.encoding, None, {}, {"value": item}, results)
            self._records.keep([Finished(known, contents=encoded.contents)])
            self.kept(encoded.contents)
        origin = (machine, "value", SINGLE)
        if self._memory.get(origin) is ABSENT:
            # The giver may go on to change what was given; what is known by this content must not change with it.
            self._memory.pin(origin, protected(value, is_given=True))
        return known

    def take(
        self, machine: bytes, config: Machine, model: Model, durable: bool, bound: bool = False
    ) -> tuple[dict[str, Items], dict[bytes, bytes]]:
        """Take over an accepted model: its items, and the contents that the store must keep beside the record.

        Outputs that are bound already are digested while they are at hand. A value without a safe encoding stays in
        memory: a later process that needs it makes it again.
        """
        encoded = Encoded() if durable else None
        outputs: dict[str, Items] = {}
        for name, port in config.outputs.items():
            value = model.outputs[name]
            if port.multi:
                items = tuple([Item(machine, name, index) for index in range(len(value))])
                for item, each in zip(items, value, strict=True):
                    self._take_over(item, each, encoded, bound)
                outputs[name] = items
            else:
                outputs[name] = item = Item(machine, name)
                self._take_over(item, value, encoded, bound)
        if encoded is None:
            return outputs, {}
        self._hold_parts(encoded)
        return outputs, encoded.contents

    def _take_over(self, item: Item, kept: Any, encoded: Encoded | None, bound: bool) -> None:
        """Let an item stand for a protected value."""
        scalar = encoding.encode_scalar(kept)
        if scalar is not None and len(scalar) <= INLINE:  # most small values, in one step
            item.small, item.inline = kept, scalar
            if bound or encoded is not None:
                item.content = encoding.digest(scalar)
            return
        value = looked_at(kept)
        if encoded is not None:
            size, parts = self._encode(item, value, encoded)
        else:
            size, parts = measured(value)
            if bound:
                item.content = _content_of(item, value)
        self._hold(item, kept, size, parts)

    def _hold_parts(self, encoded: Encoded) -> None:
        for name, part in encoded.shared.items():
            self._memory.put((name, "", SHARED), part, 0, (part,))

    def kept(self, contents: Mapping[bytes, bytes]) -> None:
        """The store has got contents; parts that several values share need not be written again."""
        for content in contents:
            if self._memory.get((content, "", SHARED)) is not ABSENT:
                self._shared[content] = None
        while len(self._shared) > MAX_SHARED:
            del self._shared[next(iter(self._shared))]

    def not_kept(self, contents: Mapping[bytes, bytes]) -> None:
        """The store could not keep contents after all."""
        for content in contents:
            self._shared.pop(content, None)

    def _encode(self, item: Item, value: Any, encoded: Encoded) -> tuple[int, Sequence[object]]:
        """Encode a value for the store; roughly its bytes, and the parts it shares, as `measured` tells them."""
        cls: Any = type(value)
        contents = encoded.contents
        is_shared = encoding.is_shared(cls)
        if is_shared:
            name = encoding.content_digest(value)
            if name in contents or name in self._shared:  # with another output that it is a part of
                item.content = name
                return 0, (value,)
        shared: dict[bytes, object] = {}
        try:
            whole = b"".join(encoding.encode_parts(value, shared))
            for name, part in shared.items():
                if name not in self._shared and name not in contents:
                    contents[name] = encoding.encode_once(part)
        except EncodingError:
            item.content = _content_of(item, value)
            if self._trusts_store:
                with suppress(Exception):  # what cannot be pickled either stays in memory
                    contents[item.content] = _pickled(value)
            return measured(value)
        encoded.shared.update(shared)
        item.content = encoding.content_digest(value) if _digests_itself(cls) else encoding.digest(whole)
        if len(whole) <= INLINE:
            item.inline = whole
        else:
            contents[item.content] = whole
        return (0, (value,)) if is_shared else (len(whole), tuple(shared.values()))

    def _read(self, item: Item) -> Any:
        encoded = item.inline
        if encoded is None and item.content is not None:
            encoded = self._store.content(item.content)
        if encoded is None:
            return ABSENT
        try:
            if encoded.startswith(PICKLE):
                return protected(_unpickled(encoded)) if self._trusts_store else ABSENT
            return protected(decode(encoded, self._resolve))
        except MalformedError as error:
            self._warn_of(item, error)
            return ABSENT
        except Exception:
            return ABSENT  # a shared part is gone, or its type is not known to this process

    def _warn_of(self, item: Item, error: MalformedError) -> None:
        if item.origin not in self._warned:
            self._warned.add(item.origin)
            warnings.warn(StoreWarning(f"{item} is treated as absent: {error}"), stacklevel=2)

    def _resolve(self, name: bytes) -> Any:
        """A part that several values share: in memory once, however many of them are."""
        part = self._memory.get((name, "", SHARED))
        if part is ABSENT:
            encoded = self._store.content(name)
            if encoded is None:
                self._shared.pop(name, None)
                raise EncodingError(f"the shared part {name.hex()} is gone from the store")
            part = decode(encoded)  # what has it for a part is protected, and the part with it
            self._memory.put((name, "", SHARED), part, 0, (part,))
        return part

    def _make(self, lost: Item) -> Any:
        """Run the leaf that made a lost item once more, and before it whatever its inputs have lost."""
        with self._rebuilding:
            at_hand: dict[Origin, Any] = {}  # the memory cache may be too small for all of them at once
            runs = self._plan(lost, at_hand)
            uses = Counter(item.origin for _, inputs in runs for item in _all_inputs(inputs))
            uses[lost.origin] += 1
            for record, inputs in runs:
                made = self._run_again(record, inputs, at_hand)
                at_hand.update((origin, value) for origin, value in made.items() if uses[origin])
                for item in _all_inputs(inputs):
                    uses[item.origin] -= 1
                    if not uses[item.origin]:
                        at_hand.pop(item.origin, None)
            return at_hand[lost.origin]

    def _plan(self, lost: Item, at_hand: dict[Origin, Any]) -> list[tuple[Record, Inputs]]:
        """What has to run again to bring back a lost item, in that order; whatever else is needed is put at hand."""
        plan: dict[bytes, tuple[Record, Inputs]] = {}
        opened: dict[bytes, tuple[Record, Inputs]] = {}
        pending = [lost]
        while pending:
            item = pending[-1]
            machine = item.origin[0]
            if item.origin in at_hand or machine in plan:
                pending.pop()
            elif machine in opened:
                plan[machine] = opened[machine]
            elif not self._find(item, at_hand):
                record = self._records.record_of(machine)
                if record is None:
                    raise IntemiError(f"{item}: gone from the store, and so is the record of how to make it")
                inputs = {
                    name: (multi, tuple(map(self.item_at, origins))) for name, (multi, origins) in record.inputs.items()
                }
                opened[machine] = record, inputs
                pending.extend(_all_inputs(inputs))
        return list(plan.values())

    def _find(self, item: Item, at_hand: dict[Origin, Any]) -> bool:
        value = item.small
        if value is ABSENT:
            value = self._memory.get(item.origin)
        if value is ABSENT:
            value = self._read(item)
        if value is ABSENT:
            return False
        at_hand[item.origin] = value
        return True

    def item_at(self, origin: Origin) -> Item:
        """The item that was made at some place."""
        machine, output, index = origin
        record = self._records.record_of(machine)
        if record is None:
            return Item(machine, output, index)
        items = record.outputs[output]
        return items if isinstance(items, Item) else items[index]

    def _run_again(self, record: Record, inputs: Inputs, at_hand: dict[Origin, Any]) -> dict[Origin, Any]:
        config: Machine = decode(record.config)
        values: dict[str, Any] = {}
        for name, (multi, bound) in inputs.items():
            loaded = tuple(handed_out(at_hand[item.origin]) for item in bound)
            values[name] = loaded if multi else loaded[0]
        model = accepted(config, run_leaf(config, values, record.seed))
        self._note_run(config.kind)
        made: dict[str, tuple[Any, ...]] = {
            name: model.outputs[name] if port.multi else (model.outputs[name],) for name, port in config.outputs.items()
        }
        for name, items in record.outputs.items():
            _check_same(config, record, flat(items), made[name])
        durable = self._store.durable
        outputs, contents = self.take(record.machine, config, model, durable)
        for name, items in record.outputs.items():
            for item, new in zip(flat(items), flat(outputs[name]), strict=True):
                item.small, item.inline, item.content = new.small, new.inline, item.content or new.content
        if durable:
            self._store.keep(record, contents=contents)
            self.kept(contents)
        return {
            item.origin: value
            for name, items in record.outputs.items()
            for item, value in zip(flat(items), made[name], strict=True)
        }


def run_leaf(config: Machine, values: dict[str, Any], seed: Seed | None) -> Model:
    """Run a leaf here and now; what it delivers is still to be `accepted`."""
    if seed is not None and config.takes_rng:  # who gave the seed has asked whether the configuration is random
        values = {**values, "rng": config.generator(seed)}
    model: Model = config.run(**values)
    return model


def accepted(config: Machine, model: Model) -> Model:
    """What a leaf has delivered, checked and protected, at once: its next run must not change it."""
    check_model(config, model)
    outputs = {
        name: tuple(map(protected, value)) if config.outputs[name].multi else protected(value)
        for name, value in model.outputs.items()
    }
    return Model(results={label: protected(value) for label, value in model.results.items()}, **outputs)


def check_model(config: Machine, model: object) -> None:
    """Refuse a model that is not what the machine's ports promise."""
    if not isinstance(model, Model):
        raise TypeError(f"{config.kind}.run must return a Model, got {model!r}")
    ports = config.outputs
    if model.outputs.keys() != ports.keys():
        raise TypeError(
            f"{config.kind}.run must deliver the outputs ({', '.join(config.outputs)}), "
            f"got ({', '.join(model.outputs)})"
        )
    for label in model.results:
        if not isinstance(label, str):
            raise TypeError(f"{config.kind}.run must label its results with text, got {label!r}")
    try:
        axes_of_results(model.results)
    except ConfigurationError as error:
        raise TypeError(f"{config.kind}.run: {error}") from None
    if config.is_composite:
        return
    for name, port in ports.items():
        value = model.outputs[name]
        if not port.multi:
            _check_type(config, port, value)
        elif isinstance(value, list | tuple):
            for each in value:
                _check_type(config, port, each)
        else:
            raise TypeError(f"{config.kind}.{name} must be a list or tuple, got {type(value).__name__}")


def _check_type(config: Machine, port: Output, value: object) -> None:
    accepted = port.accepted
    if not isinstance(value, accepted) and not (accepted is float and isinstance(value, int)):
        raise TypeError(f"{config.kind}.{port.name} must be {accepted.__name__}, got {type(value).__name__}")


@lru_cache(maxsize=2**10)
def _digests_itself(cls: type) -> bool:
    return hasattr(cls, "content_digest")


def _pickled(value: Any) -> bytes:
    import cloudpickle

    pickled: bytes = cloudpickle.dumps(value)
    return PICKLE + pickled


def _unpickled(encoded: bytes) -> Any:
    import pickle

    return pickle.loads(encoded[len(PICKLE) :])


def _content_of(item: Item, value: Any) -> bytes:
    try:
        return encoding.content_digest(value)
    except EncodingError:
        return encoding.digest(b"origin", encoding.encode(item.origin))


def _check_same(config: Machine, record: Record, items: tuple[Item, ...], values: tuple[Any, ...]) -> None:
    same = len(items) == len(values) and all(
        item.content is None or item.content == _content_of(item, looked_at(value))
        for item, value in zip(items, values, strict=True)
    )
    if not same:
        message = (
            f"{config.kind} is not deterministic: its output {items[0].origin[1]} was lost, and made again it is "
            "another one; project.forget it to run it, and what depends on it, anew"
        )
        raise MachineFailed(message, config.kind, record.machine)


def _all_inputs(inputs: Inputs) -> list[Item]:
    return [item for _, items in inputs.values() for item in items]
