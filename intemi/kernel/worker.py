"""What a worker process runs, and the channel between it and the project that started it.

Messages are pickles, exchanged strictly in turn. Both ends keep the same books on what the other one has: values by
their origin, the large read-only buffers under them, and classes that cannot be imported. What is on the books travels
as a number. Only the project's end decides what is struck off.
"""

from __future__ import annotations

import contextlib
import enum
import fcntl
import io
import marshal
import os
import pickle
import resource
import signal
import socket
import struct
import sys
import threading
import time
import traceback
from collections import Counter, OrderedDict
from collections.abc import Iterable
from functools import partial
from itertools import count
from typing import Any, NamedTuple
from uuid import uuid4

import cloudpickle
import numpy as np

from intemi.kernel import registry
from intemi.kernel.component import Component
from intemi.kernel.errors import ConfigurationError
from intemi.kernel.machine import Machine, Model
from intemi.kernel.memory import Origin
from intemi.kernel.record import SINGLE
from intemi.kernel.seeds import Seed
from intemi.kernel.values import _freeze, run_leaf

LARGE = 1 << 16
"""Buffers of at least so many bytes travel beside the pickle, not in it, and are not copied on their way."""

_size = struct.Struct("<Q")


# What is said


class Order(NamedTuple):
    """A leaf to run. Frames follow: values that the worker has not got yet, and last the configuration."""

    machine: bytes
    seed: Seed | None
    inputs: dict[str, tuple[bool, tuple[Origin, ...]]]
    sent: list[Origin]
    dropped: list[Origin]
    surroundings: tuple[list[str], str | None] | None
    """Where modules and files are looked for, if that has changed."""
    is_watched: bool
    """Whether the leaf has to wait, when everything is loaded, until its use of resources is being watched."""


class Finished(NamedTuple):
    """The leaf is done. Frames follow: the items of its outputs, and last the results."""

    outputs: dict[str, int | None]
    """How many items each has, None if it is not a collection."""
    cpu: float


class Failed(NamedTuple):
    """The leaf raised an error, or could not be run. The error follows, if it can travel."""

    summary: str
    traceback: str
    in_step: bool
    """Whether the books of the two ends still agree."""


# The channel


class Frame(NamedTuple):
    """One object on its way."""

    pickle: bytes | memoryview
    buffers: list[tuple[int, memoryview, bool]]
    """The large buffers under it: the number of one that is kept, its bytes, and whether they travel."""


def plain(head: Order | Finished | Failed) -> Frame:
    """The frame that a message begins with. What is in it can be read whatever happens to the others."""
    return Frame(pickle.dumps(head, 5), [])


class Holding(NamedTuple):
    """A value that the worker holds: what it costs by itself, and the kept buffers that it uses."""

    size: int
    numbers: frozenset[int]


class Channel:
    """One end of the connection between a project and a worker process.

    `known` are the classes that the other end knows by name: of a worker, all that it has a name for itself.
    """

    def __init__(self, end: socket.socket, known: dict[type, str], sign: int) -> None:
        self.held: OrderedDict[Origin, Holding] = OrderedDict()
        self.size = 0
        self._end = end
        self._known = known
        self._serial = count(sign, sign)  # so that the two ends never give the same number
        self._buffers: dict[int, memoryview] = {}
        self._numbers: dict[tuple[int, int], int] = {}
        self._users: Counter[int] = Counter()

    def fileno(self) -> int:
        """For those who wait for something to receive."""
        return self._end.fileno()

    def close(self) -> None:
        """Give the connection back."""
        self._end.close()

    def pack(self, value: object, keep: bool = False) -> Frame:
        """A frame of anything that can be pickled; with `keep`, its large read-only buffers are put on the books."""
        stream = io.BytesIO()
        views: list[memoryview] = []
        _Pickler(stream, views, self._known).dump(value)
        return Frame(
            stream.getvalue(), [self._enter(view) if keep and view.readonly else (0, view, True) for view in views]
        )

    @staticmethod
    def unpack(frame: Frame) -> Any:
        """The object of a frame. Frames are unpacked in the order in which they were packed."""
        return pickle.loads(frame.pickle, buffers=[view for _, view, _ in frame.buffers])

    def send(self, frames: list[Frame]) -> None:
        """Send a message."""
        table = marshal.dumps(
            [
                (len(frame.pickle), [(number, len(view) * travels) for number, view, travels in frame.buffers])
                for frame in frames
            ]
        )
        self._end.sendall(b"".join([_size.pack(len(table)), table, *(frame.pickle for frame in frames)]))
        for frame in frames:
            for _, view, travels in frame.buffers:
                if travels:
                    self._end.sendall(view)

    def receive(self) -> list[Frame]:
        """Receive a message; EOFError if the other end is gone."""
        (size,) = _size.unpack(self._read(_size.size))
        table = marshal.loads(self._read(size))
        pickles = memoryview(self._read(sum(length for length, _ in table)))
        frames = []
        for length, buffers in table:
            frames.append(Frame(pickles[:length], [self._take(number, nbytes) for number, nbytes in buffers]))
            pickles = pickles[length:]
        return frames

    def hold(self, origin: Origin, frame: Frame) -> None:
        """Put a value that has travelled on the books."""
        self.drop([origin])
        numbers = frozenset(number for number, _, _ in frame.buffers if number)
        size = len(frame.pickle) + sum(len(view) for number, view, _ in frame.buffers if not number)
        self._users.update(numbers)
        self.held[origin] = Holding(size, numbers)
        self.size += size

    def drop(self, origins: Iterable[Origin]) -> None:
        """Strike values off the books, and with them the buffers that no other value uses."""
        for origin in origins:
            holding = self.held.pop(origin, None)
            if holding is not None:
                self.size -= holding.size
                for number in holding.numbers:
                    self._users[number] -= 1
                    if not self._users[number]:
                        self._forget(number)

    def size_of(self, origins: Iterable[Origin]) -> int:
        """How many bytes the worker needs for values that it holds."""
        holdings = [self.held[origin] for origin in origins]
        numbers = {number for holding in holdings for number in holding.numbers}
        return sum(holding.size for holding in holdings) + sum(len(self._buffers[number]) for number in numbers)

    def _read(self, size: int) -> bytearray:
        buffer = bytearray(size)
        rest = memoryview(buffer)
        while rest:
            received = self._end.recv_into(rest)
            if not received:
                raise EOFError
            rest = rest[received:]
        return buffer

    def _take(self, number: int, size: int) -> tuple[int, memoryview, bool]:
        if not size:
            return number, self._buffers[number], False
        view = memoryview(self._read(size))
        if number:
            self._remember(number, view.toreadonly())
        return number, view, True

    def _enter(self, view: memoryview) -> tuple[int, memoryview, bool]:
        number = self._numbers.get(_place(view))
        if number is not None:
            return number, view, False
        number = next(self._serial)
        self._remember(number, view)
        return number, view, True

    def _remember(self, number: int, view: memoryview) -> None:
        self._buffers[number] = view
        self._numbers[_place(view)] = number
        self.size += len(view)

    def _forget(self, number: int) -> None:
        view = self._buffers.pop(number)
        del self._numbers[_place(view)]
        del self._users[number]
        self.size -= len(view)


def _place(view: memoryview) -> tuple[int, int]:
    """Where a buffer lies. As long as somebody holds it, nothing else lies there."""
    address: int = np.frombuffer(view, np.uint8).__array_interface__["data"][0]
    return address, len(view)


# Classes that cannot be imported: those of the main program, of a notebook, or defined in a function

_classes: dict[str, type] = {}
_names: dict[type, str] = {}
_unfinished: set[type] = set()


class _Pickler(cloudpickle.Pickler):  # type: ignore[misc]
    """Pickles what cannot be imported by value, but every class only once, and once for all.

    On its own, cloudpickle would define a class anew in every message. The answer of a worker would even replace the
    methods of the project's own class by copies.
    """

    def __init__(self, stream: io.BytesIO, views: list[memoryview], known: dict[type, str]) -> None:
        super().__init__(stream, protocol=5, buffer_callback=partial(_set_aside, views))
        self._known = known
        self._new: list[type] = []

    def dump(self, value: object) -> None:
        try:
            super().dump(value)
        except BaseException:
            for cls in self._new:
                del self._known[cls]
            raise

    def reducer_override(self, value: Any) -> Any:
        if not isinstance(value, type):
            return super().reducer_override(value)
        name = self._known.get(value)
        if name is not None:
            return known_class, (name,)
        reduced = super().reducer_override(value)
        by_value = isinstance(reduced, tuple) and len(reduced) == 6
        return self._definition(value, *reduced) if by_value else reduced

    def _definition(self, cls: type, make: Any, arguments: Any, state: Any, _: None, __: None, set_state: Any) -> Any:
        name = _names.setdefault(cls, uuid4().hex)
        _classes[name] = cls
        self._known[cls] = name
        self._new.append(cls)
        if issubclass(cls, Component) and cls._checks is None:
            # The other end's main module lacks what the annotations name, so they are evaluated here.
            with contextlib.suppress(ConfigurationError):
                cls._prepare()
        if not issubclass(cls, enum.Enum):
            metaclass, plain_name, bases, namespace, *rest = arguments
            arguments = (metaclass, plain_name, bases, namespace | _names_of(cls), *rest)
        content = (set_state, state, registry.is_storable(cls))
        return define_class, (name, make, arguments), content, None, None, fill_class


def _names_of(cls: type) -> dict[str, str]:
    """What a class needs from the start: cloudpickle forgets one, and a component is registered while it is empty."""
    names = {"__qualname__": cls.__qualname__}
    return {**names, "registered_name": cls.registered_name} if issubclass(cls, Component) else names


def _set_aside(views: list[memoryview], buffer: pickle.PickleBuffer) -> bool:
    view = buffer.raw()
    if view.nbytes < LARGE:
        return True
    views.append(view)
    return False


def known_class(name: str) -> type:
    """The class that the other end calls by this name."""
    return _classes[name]


def define_class(name: str, make: Any, arguments: Any) -> type:
    """The class of that name, still empty if it was not known here."""
    cls = _classes.get(name)
    if cls is None:
        cls = _classes[name] = make(*arguments)
        _names[cls] = name
        _unfinished.add(cls)
    return cls


def fill_class(cls: type, content: tuple[Any, Any, bool]) -> None:
    """Fill a class that was just defined; one that was known before stays as it is."""
    if cls in _unfinished:
        _unfinished.discard(cls)
        set_state, state, storable = content
        set_state(cls, state)
        if storable:
            registry.register_storable(cls)


# The worker process


def main() -> None:
    """Serve the project on the other end of a socket until it hangs up; sys.argv names the file descriptors."""
    channel_end, life_line, *_ = map(int, sys.argv[1:3])
    del sys.argv[1:]
    for descriptor in (channel_end, life_line):
        os.set_inheritable(descriptor, False)
    die_with(life_line)
    _offer_as_victim()
    channel = Channel(socket.socket(fileno=channel_end), known=_names, sign=-1)
    # A forked child that outlives the worker must not keep the project waiting for an answer.
    os.register_at_fork(after_in_child=channel.close)
    channel.send([])
    LeafServer(channel).serve()


def die_with(life_line: int) -> None:
    """End this process and all that it has started when the other end of a pipe is closed, whatever is running here."""
    threading.Thread(target=_watch, args=(life_line,), name="intemi life line", daemon=True).start()
    if sys.platform == "linux":
        # The thread cannot run while a leaf keeps the GIL to itself, but the kernel can send the signal by itself.
        fcntl.fcntl(life_line, fcntl.F_SETOWN, -os.getpgrp())
        fcntl.fcntl(life_line, fcntl.F_SETSIG, signal.SIGKILL)
        fcntl.fcntl(life_line, fcntl.F_SETFL, fcntl.fcntl(life_line, fcntl.F_GETFL) | os.O_ASYNC)


def _watch(life_line: int) -> None:
    with contextlib.suppress(OSError):
        os.read(life_line, 1)
    os.killpg(0, signal.SIGKILL)


def _offer_as_victim() -> None:
    """If memory runs out, the system is to end a worker and not the project."""
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
        file.write("500")


class LeafServer:
    """Runs one leaf after another."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._values: dict[Origin, Any] = {}

    def serve(self) -> None:
        """Answer orders until there are no more."""
        with contextlib.suppress(EOFError, OSError):
            while True:
                self._channel.send(self._answer(self._channel.receive()))

    def _answer(self, frames: list[Frame]) -> list[Frame]:
        order: Order = self._channel.unpack(frames[0])
        try:
            config = self._accept(order, frames[1:])
        except BaseException as error:
            error.add_note("(raised while a worker process loaded the machine and its inputs)")
            return self._failed(error, in_step=False)
        inputs = {
            name: tuple(self._values[origin] for origin in origins) if multi else self._values[origins[0]]
            for name, (multi, origins) in order.inputs.items()
        }
        if order.is_watched:
            self._channel.send([])
            self._channel.receive()
        before = _cpu_seconds()
        try:
            model = run_leaf(config, inputs, order.seed)
        except BaseException as error:
            return self._failed(error, in_step=True)
        finally:
            _flush()
        cpu = _cpu_seconds() - before
        try:
            return self._finished(order.machine, config, model, cpu)
        except Exception as error:
            return self._failed(error, in_step=False)

    def _accept(self, order: Order, frames: list[Frame]) -> Machine:
        """Put the books and the values in order, and return the configuration."""
        if order.surroundings is not None:
            _move_to(*order.surroundings)
        *values, config = map(self._channel.unpack, frames)
        self._values.update(zip(order.sent, values, strict=True))
        for origin, frame in zip(order.sent, frames, strict=False):
            self._channel.hold(origin, frame)
        self._channel.drop(order.dropped)
        for origin in order.dropped:
            del self._values[origin]
        assert isinstance(config, Machine)
        return config

    def _finished(self, machine: bytes, config: Machine, model: Model, cpu: float) -> list[Frame]:
        items: dict[Origin, Any] = {}
        counts: dict[str, int | None] = {}
        for name, port in config.outputs.items():
            value = model.outputs[name]
            counts[name] = len(value) if port.multi else None
            for index, each in enumerate(value) if port.multi else [(SINGLE, value)]:
                _freeze(each)
                items[machine, name, index] = each
        frames = [self._pack(each, f"{config.kind}.{name}", keep=True) for (_, name, _), each in items.items()]
        results = self._pack(model.results, f"{config.kind}: one of the results", keep=False)
        self._values.update(items)
        for origin, frame in zip(items, frames, strict=True):
            self._channel.hold(origin, frame)
        return [plain(Finished(counts, cpu)), *frames, results]

    def _pack(self, value: object, what: str, keep: bool) -> Frame:
        try:
            return self._channel.pack(value, keep)
        except Exception as error:
            raise TypeError(f"{what} cannot be sent to another process: {error}") from error

    def _failed(self, error: BaseException, in_step: bool) -> list[Frame]:
        if error.__traceback__ is not None:
            error.__traceback__ = error.__traceback__.tb_next  # the first frame is this file's
        text = "".join(traceback.format_exception(error))
        summary = "".join(traceback.format_exception_only(error)).strip()
        frames = [plain(Failed(summary, text, in_step))]
        with contextlib.suppress(Exception):
            frames.append(self._channel.pack(error))
        return frames


def _move_to(path: list[str], folder: str | None) -> None:
    sys.path[:] = path
    if folder is not None:
        os.chdir(folder)


def _cpu_seconds() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def _flush() -> None:
    """Let what the leaf printed be seen before its answer is."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):  # the leaf may have closed it, or put anything in its place
            stream.flush()
