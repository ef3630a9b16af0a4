"""What runs in a dask worker: batches of leaves, each leaf in a child process that can be ended at any moment."""

from __future__ import annotations

import os
import socket
import threading
import time
import traceback
from collections import OrderedDict
from typing import Any

from intemi.dask import definitions, wire
from intemi.dask.contents import Contents, Dropped
from intemi.dask.wire import Answer, BatchMessage, Leaf, Ran, Reference
from intemi.kernel.decoding import decode
from intemi.kernel.encoding import content_digest, digest, encode, encode_parts, is_shared
from intemi.kernel.errors import ConfigurationError, EncodingError, IntemiError, WorkerEnded
from intemi.kernel.machine import Machine, Model
from intemi.kernel.protection import handed_out, looked_at
from intemi.kernel.record import Item
from intemi.kernel.values import PICKLE
from intemi.kernel.workers.base import Call, Stopped
from intemi.kernel.workers.processes import RemoteTraceback, WorkerPool

CHILD_SHARE = 4
"""A child process keeps up to this part of what its worker may keep: what it needs is mostly sent to it again."""
MAX_BATCH_SECONDS = 0.5
"""After which a batch comes home with the leaves that have run: the others took longer than expected."""
LEASE_SECONDS = 20.0
"""After which a home that is not heard of is taken for dead, and its leaves are ended."""
MAX_STOPPED = 2**12
"""Leaves that a worker remembers not to begin."""
REPORT_SECONDS = 0.2
"""Between two reports of what a leaf with limits uses."""


def run_batch(message: bytes) -> bytes:
    """Run a batch of leaves; a sealed answer. Errors travel as text, since dask waits for ever for some."""
    try:
        return _runner.run(wire.unsealed(BatchMessage, message))
    except Exception as error:
        text = f"{type(error).__name__}: {error}"
        return wire.sealed(Answer(socket.gethostname(), os.getpid(), (), (), time.monotonic(), text))


def add_piece(name: bytes, at: int, piece: bytes, size: int, memory: int) -> None:
    """Take a piece of a content that is too large to travel with a batch."""
    _runner.contents.limit = memory
    _runner.contents.add_piece(name, at, piece, size)


def leave(home: str) -> None:
    """A home goes: end everything that runs or waits for it here."""
    _runner.stop(home, _runner.numbers_of(home))


def heartbeat(home: str, stopped: list[int]) -> None:
    """A home says that it is alive, and which leaves to end, again and again: a message may have been lost."""
    _runner.note_alive(home)
    _runner.stop(home, stopped)


def topic_of(home: str) -> str:
    """Where workers report what the leaves of a home use."""
    return f"intemi-{home}"


class _NotTheSame(IntemiError):
    """A leaf cannot be run here as it would be at home."""


class BatchRunner:
    """What one worker process has for all homes: contents, child processes, and the leaves that run."""

    def __init__(self) -> None:
        self.contents = Contents(limit=0)
        self._heard: dict[str, float] = {}
        """When the homes whose leaves are here were last heard of."""
        self._pool = WorkerPool(memory=0)
        self._lock = threading.Lock()
        self._decoding = threading.Lock()
        self._calls: dict[tuple[str, int], Call | None] = {}
        """Leaves of the batches that are here; None for those that are not running."""
        self._stopped: OrderedDict[tuple[str, int], None] = OrderedDict()
        """Leaves to end, whether they are here or still on their way; the last ones."""
        self._watching: threading.Thread | None = None

    def run(self, batch: BatchMessage) -> bytes:
        """Run the leaves of a batch one after the other."""
        self.contents.limit = batch.memory
        self._pool.memory = batch.memory // CHILD_SHARE
        for name, content in batch.contents.items():
            self.contents.add(name, content)
        leaves = [Leaf(*each) for each in batch.leaves]
        needed = [name for leaf in leaves for reference in _references(leaf) for name in reference.digests]
        lacking = self.contents.lacking(needed)
        ran: list[Ran] = [] if lacking else self._run_all(batch, leaves)
        host = socket.gethostname()
        return wire.sealed(Answer(host, os.getpid(), tuple(lacking), tuple(map(tuple, ran)), time.monotonic()))

    def _run_all(self, batch: BatchMessage, leaves: list[Leaf]) -> list[Ran]:
        keys = [(batch.home, leaf.number) for leaf in leaves]
        with self._lock:
            self._calls.update(dict.fromkeys(keys))
            self._heard[batch.home] = time.monotonic()
            if self._watching is None:
                self._watching = threading.Thread(target=self._watch, name="intemi leases", daemon=True)
                self._watching.start()
        try:
            began = time.monotonic()
            ran: list[Ran] = []
            for leaf in leaves:
                is_late = bool(ran) and time.monotonic() - began > MAX_BATCH_SECONDS
                ran.append(Ran(leaf.number, wire.NOT_BEGUN, None) if is_late else self._run_leaf(batch, leaf))
            return ran
        finally:
            with self._lock:
                for key in keys:
                    self._calls.pop(key, None)
                    self._stopped.pop(key, None)
                if all(home != batch.home for home, _ in self._calls):
                    self._heard.pop(batch.home, None)

    def note_alive(self, home: str) -> None:
        """A home is alive."""
        with self._lock:
            if home in self._heard:
                self._heard[home] = time.monotonic()

    def _run_leaf(self, batch: BatchMessage, leaf: Leaf) -> Ran:
        key = batch.home, leaf.number
        began = time.monotonic()
        cpu = 0.0
        content: Any = None
        try:
            try:
                call = self._call(batch, leaf)
            except Dropped as error:  # by what ran before it: it is asked for again, and so is what it needs
                raise WorkerEnded(str(error)) from error
            except (EncodingError, ConfigurationError) as error:
                raise _NotTheSame(str(error)) from error
            with self._lock:
                call.is_stopped = key in self._stopped
                self._calls[key] = call
            model, cpu = self._pool.run(call)
            status, content = wire.FINISHED, self._encoded(call.config, model, leaf, batch.trusted)
        except Stopped:
            status = wire.STOPPED
        except WorkerEnded as error:
            status, content = wire.ENDED, str(error)
        except _NotTheSame as error:
            status, content = wire.REFUSED, str(error)
        except Exception as error:
            status, content = wire.FAILED, _described(error)
        ended = time.monotonic()
        return Ran(leaf.number, status, content, ended - began, cpu, ended)

    def _call(self, batch: BatchMessage, leaf: Leaf) -> Call:
        with self._decoding:  # homes may have different classes of one name
            definitions.unpack(leaf.modules, leaf.classes)
            config: Machine = decode(leaf.config)
        definitions.check_known(leaf.config, config.encoding, config.kind)
        values: dict[bytes, Any] = {}
        inputs: dict[str, tuple[bool, tuple[Item, ...]]] = {}
        for name, (multi, bound) in leaf.inputs.items():
            references = [Reference(*each) for each in bound]
            for reference in references:
                values[reference.content] = self.contents.value(reference, batch.trusted)
            inputs[name] = multi, tuple(Item(reference.content, "") for reference in references)
        report = _Report(batch.home, leaf.number) if leaf.is_watched else None
        seed = wire.unpacked_seed(leaf.seed)
        return Call(leaf.machine, config, seed, inputs, lambda item: handed_out(values[item.origin[0]]), report)

    def _encoded(self, config: Machine, model: Model, leaf: Leaf, trusted: bool) -> Any:
        """Outputs, results and parts that outputs share, encoded; what home has sent does not travel back."""
        known = {name for reference in _references(leaf) for name in reference.parts}
        parts: dict[bytes, bytes] = {}

        def encoded(value: Any, what: str) -> bytes:
            value = looked_at(value)
            shared: dict[bytes, object] = {}
            try:
                whole = b"".join(encode_parts(value, shared))
            except EncodingError as error:
                return _pickled(value, what, error, trusted)
            for name, part in shared.items():
                if name not in known and name not in parts:
                    parts[name] = encode(part)
                    self.contents.keep(digest(parts[name]), parts[name])
            self.contents.keep(digest(whole), whole)
            return whole

        outputs: dict[str, Any] = {}
        for name, port in config.outputs.items():
            value, what = model.outputs[name], f"{config.kind}.{name}"
            outputs[name] = tuple(encoded(each, what) for each in value) if port.multi else encoded(value, what)
        return outputs, encoded(model.results, f"{config.kind}: one of the results"), parts

    def numbers_of(self, home: str) -> list[int]:
        """The leaves of a home that run or wait here."""
        with self._lock:
            return [number for known, number in self._calls if known == home]

    def stop(self, home: str, numbers: list[int]) -> None:
        """End leaves, whether they run, wait for their turn or are still on their way."""
        for key in [(home, number) for number in numbers]:
            with self._lock:
                self._stopped[key] = None
                if len(self._stopped) > MAX_STOPPED:
                    self._stopped.popitem(last=False)
                call = self._calls.get(key)
            if call is not None:
                call.is_stopped = True
                self._pool.stop(call)

    def _watch(self) -> None:
        """End what runs for homes that are not heard of any more."""
        looked = time.monotonic()
        while True:
            time.sleep(LEASE_SECONDS / 8)
            with self._lock:
                now = time.monotonic()
                was_frozen, looked = now - looked > LEASE_SECONDS / 2, now
                if was_frozen:  # nothing could be heard meanwhile
                    self._heard = dict.fromkeys(self._heard, now)
                lost = [key for key in self._calls if now - self._heard.get(key[0], now) > LEASE_SECONDS]
                if not self._calls:
                    self._watching = None
                    return
            for home, number in lost:
                self.stop(home, [number])


_runner = BatchRunner()


class _Report:
    """Reports to home what a leaf uses, now and then."""

    def __init__(self, home: str, number: int) -> None:
        from distributed import get_worker

        self._worker = get_worker()
        self._home, self._number = home, number
        self._next = 0.0

    def __call__(self, cpu: float, memory: int) -> None:
        now = time.monotonic()
        if now >= self._next:
            self._next = now + REPORT_SECONDS
            self._worker.log_event(topic_of(self._home), [self._number, cpu, memory])


def name_of(value: Any) -> bytes | None:
    """By what other values name it, if it is a part that they share."""
    return content_digest(value) if is_shared(type(value)) else None


def _references(leaf: Leaf) -> list[Reference]:
    return [Reference(*each) for _, bound in leaf.inputs.values() for each in bound]


def _pickled(value: Any, what: str, error: EncodingError, trusted: bool) -> bytes:
    if not trusted:
        raise TypeError(
            f"{what} has no safe encoding, so it cannot travel home from the cluster: {error}; or say "
            "DaskWorkers(..., trusted=True) if you alone can reach the cluster"
        )
    import cloudpickle

    pickled: bytes = cloudpickle.dumps(value)
    return PICKLE + pickled


def _described(error: Exception) -> tuple[str, str, str, str]:
    cls = type(error)
    cause = error.__cause__
    text = cause.text if isinstance(cause, RemoteTraceback) else "".join(traceback.format_exception(error))
    return cls.__name__, cls.__module__, str(error), text
