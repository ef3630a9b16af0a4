"""Values: from an item to what it stands for. Memory first, then the store, and if both have lost it, made again."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from intemi.kernel import encoding
from intemi.kernel.context import Inputs
from intemi.kernel.errors import EncodingError, IntemiError, MachineFailed
from intemi.kernel.machine import Machine, Model
from intemi.kernel.memory import ABSENT, MemoryCache, Origin
from intemi.kernel.record import SINGLE, Item, Items, Record, flat
from intemi.kernel.seeds import Seed
from intemi.kernel.unifier import Unifier

INLINE = 2048
"""Encoded values up to this size live in the record itself; larger ones are contents of their own."""


class Values:
    """Loads, registers and, where it must, makes the values of items."""

    def __init__(self, memory: MemoryCache, unifier: Unifier) -> None:
        self._memory = memory
        self._unifier = unifier
        self._making = threading.RLock()

    def load(self, item: Item) -> Any:
        """The value of an item."""
        value = self._memory.get(item.origin)
        if value is not ABSENT:
            return value
        value = self._read(item)
        if value is not ABSENT:
            self._memory.put(item.origin, value)
            return value
        return self._make(item)

    def load_items(self, items: Items) -> Any:
        """The value of an output: one, or a tuple of many."""
        return self.load(items) if isinstance(items, Item) else tuple(map(self.load, items))

    def inputs(self, inputs: Inputs) -> dict[str, Any]:
        """The values of a machine's inputs, as `run` takes them."""
        return {
            name: tuple(map(self.load, items)) if multi else self.load(items[0])
            for name, (multi, items) in inputs.items()
        }

    def register(self, *items: Item) -> None:
        """Have the contents of items digested, once; one whose type has no encoding is known by its origin."""
        for item in items:
            if item.content is None:
                try:
                    item.content = encoding.content_digest(self.load(item))
                except EncodingError:
                    item.content = encoding.digest(b"origin", encoding.encode(item.origin))

    def take(
        self, machine: bytes, config: Machine, model: Model, durable: bool
    ) -> tuple[dict[str, Items], dict[bytes, bytes]]:
        """Take over what a leaf made: its items, and the contents that the store must keep beside the record.

        Raises EncodingError, after everything is in memory, if the store cannot keep one of the values.
        """
        contents: dict[bytes, bytes] = {}
        outputs: dict[str, Items] = {}
        refused: EncodingError | None = None
        for name, port in config.outputs.items():
            value = model.outputs[name]
            items = []
            for index, each in enumerate(value) if port.multi else [(SINGLE, value)]:
                item = Item(machine, name, index)
                items.append(item)
                freeze_arrays(each)
                self._memory.put(item.origin, each)
                if durable and refused is None:
                    try:
                        self._encode(item, each, contents)
                    except EncodingError as error:
                        refused = EncodingError(f"{config.kind}.{name}: {error}")
            outputs[name] = tuple(items) if port.multi else items[0]
        if refused is not None:
            raise Unstorable(str(refused), outputs)
        return outputs, contents

    def _encode(self, item: Item, value: Any, contents: dict[bytes, bytes]) -> None:
        parts = encoding.encode_parts(value)
        own = hasattr(type(value), "content_digest")
        item.content = encoding.content_digest(value) if own else encoding.digest(*parts)
        item.kept = True
        encoded = b"".join(parts)
        if len(encoded) <= INLINE:
            item.inline = encoded
        else:
            contents[item.content] = encoded

    def _read(self, item: Item) -> Any:
        encoded = item.inline
        if encoded is None and item.content is not None:
            encoded = self._unifier.store.content(item.content)
        if encoded is None:
            return ABSENT
        try:
            return encoding.decode(encoded)
        except EncodingError:
            return ABSENT  # written by a type that this process does not know, or by an older form of it

    def _make(self, lost: Item) -> Any:
        """Run the leaf that made a lost item once more, and before it whatever its inputs have lost."""
        with self._making:
            pending = [lost]
            while pending:
                item = pending[-1]
                if self._memory.get(item.origin) is not ABSENT or self._restored(item):
                    pending.pop()
                    continue
                record = self._unifier.record_of(item.machine)
                if record is None:
                    raise IntemiError(f"{item}: gone from the store, and so is the record of how to make it")
                inputs = {
                    name: (multi, tuple(map(self._item_at, origins)))
                    for name, (multi, origins) in record.inputs.items()
                }
                lacking = [
                    each
                    for _, items in inputs.values()
                    for each in items
                    if self._memory.get(each.origin) is ABSENT and not self._restored(each)
                ]
                if lacking:
                    pending.extend(lacking)
                    continue
                self._run_again(record, inputs)
                pending.pop()
            return self._memory.get(lost.origin)

    def _restored(self, item: Item) -> bool:
        value = self._read(item)
        if value is not ABSENT:
            self._memory.put(item.origin, value)
        return value is not ABSENT

    def _item_at(self, origin: Origin) -> Item:
        machine, output, index = origin
        record = self._unifier.record_of(machine)
        if record is None:
            return Item(machine, output, index)
        items = record.outputs[output]
        return items if isinstance(items, Item) else items[index]

    def _run_again(self, record: Record, inputs: Inputs) -> None:
        config: Machine = encoding.decode(record.config)
        held = [item.origin for _, items in inputs.values() for item in items]
        self._memory.hold(held)
        model = run_leaf(config, self.inputs(inputs), record.seed)
        self._memory.release(held)
        before = record.outputs
        durable = self._unifier.store.durable
        try:
            record.outputs, contents = self.take(record.machine, config, model, durable)
        except Unstorable as unstorable:
            record.outputs, contents = unstorable.outputs, {}
        if durable:
            self._unifier.store.keep(record, contents=contents)
        for old, new in zip(_all_items(before), _all_items(record.outputs), strict=True):
            if old.content is None:
                continue
            self.register(new)
            if old.content != new.content:
                raise MachineFailed(
                    f"{config.kind} is not deterministic: run again, its output {new.output} is another one",
                    config.kind,
                    record.machine,
                )


class Unstorable(EncodingError):
    """An output has no safe encoding, so its machine stays in memory."""

    def __init__(self, message: str, outputs: dict[str, Items]) -> None:
        super().__init__(message)
        self.outputs = outputs


def run_leaf(config: Machine, values: dict[str, Any], seed: Seed | None) -> Model:
    """Run a leaf here and now, and check that it delivers what it declares."""
    if config.takes_rng:
        values = {**values, "rng": (seed or Seed(0)).generator()}
    model = config.run(**values)
    check_model(config, model)
    return model  # type: ignore[no-any-return]


def check_model(config: Machine, model: object) -> None:
    """Refuse a model that is not what the machine's ports promise."""
    if not isinstance(model, Model):
        raise TypeError(f"{config.kind}.run must return a Model, got {model!r}")
    if set(model.outputs) != set(config.outputs):
        raise TypeError(
            f"{config.kind}.run must deliver the outputs ({', '.join(config.outputs)}), "
            f"got ({', '.join(model.outputs)})"
        )
    if config.is_composite:
        return
    for name, port in config.outputs.items():
        value = model.outputs[name]
        if port.multi and not isinstance(value, list | tuple):
            raise TypeError(f"{config.kind}.{name} must be a list or tuple, got {type(value).__name__}")
        for each in value if port.multi else (value,):
            if not isinstance(each, port.accepted) and not (port.accepted is float and isinstance(each, int)):
                raise TypeError(f"{config.kind}.{name} must be {port.accepted.__name__}, got {type(each).__name__}")


def freeze_arrays(value: Any) -> None:
    """Outputs are shared by everybody who asks for them, so nobody may write into them."""
    if isinstance(value, np.ndarray):
        value.flags.writeable = False


def _all_items(outputs: dict[str, Items]) -> list[Item]:
    return [item for items in outputs.values() for item in flat(items)]
