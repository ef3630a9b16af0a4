"""The channel between a project and a worker process, and what is said on it.

Messages are pickles, exchanged strictly in turn. Both ends keep the same books on what the other one has: values by
their origin, the large read-only buffers under them, and classes that cannot be imported. What is on the books travels
as a number. Only the project's end decides what is struck off. Of a buffer in shared memory, its file descriptor
travels in place of its bytes.
"""

from __future__ import annotations

import io
import marshal
import pickle
import socket
import struct
from collections import Counter, OrderedDict
from collections.abc import Iterable
from itertools import count
from typing import Any, NamedTuple

import numpy as np

from intemi.kernel.memory import Origin
from intemi.kernel.seeds import Seed
from intemi.kernel.shared_memory import Region, mapped, region_of
from intemi.kernel.workers.definitions import Pickler

_size = struct.Struct("<Q")


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
        Pickler(stream, views, self._known).dump(value)
        return Frame(
            stream.getvalue(), [self._enter(view) if keep and view.readonly else (0, view, True) for view in views]
        )

    @staticmethod
    def unpack(frame: Frame) -> Any:
        """The object of a frame. Frames are unpacked in the order in which they were packed."""
        return pickle.loads(frame.pickle, buffers=[view for _, view, _ in frame.buffers])

    def send(self, frames: list[Frame]) -> None:
        """Send a message."""
        table: list[tuple[int, list[tuple[int, int, int, int]]]] = []
        parts: list[memoryview | Region] = []
        for frame in frames:
            entries = []
            for number, view, travels in frame.buffers:
                if not travels:
                    entries.append((number, 0, 0, 0))
                    continue
                address, size = _place(view)
                region = region_of(address, size)
                parts.append(region or view)
                entries.append(
                    (number, size, region.size, address - region.address) if region else (number, size, 0, 0)
                )
            table.append((len(frame.pickle), entries))
        head = marshal.dumps(table)
        self._end.sendall(b"".join([_size.pack(len(head)), head, *(frame.pickle for frame in frames)]))
        for part in parts:
            if isinstance(part, Region):
                socket.send_fds(self._end, [b"\0"], [part.descriptor])
            else:
                self._end.sendall(part)

    def receive(self) -> list[Frame]:
        """Receive a message; EOFError if the other end is gone."""
        (size,) = _size.unpack(self._read(_size.size))
        table = marshal.loads(self._read(size))
        pickles = memoryview(self._read(sum(length for length, _ in table)))
        frames = []
        for length, buffers in table:
            frames.append(Frame(pickles[:length], [self._take(*buffer) for buffer in buffers]))
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
        """How many bytes of its own the worker needs for values that it holds; shared memory is not its own."""
        holdings = [self.held[origin] for origin in origins]
        numbers = {number for holding in holdings for number in holding.numbers}
        places = [_place(self._buffers[number]) for number in numbers]
        own = sum(size for address, size in places if region_of(address, size) is None)
        return sum(holding.size for holding in holdings) + own

    def _read(self, size: int) -> bytearray:
        buffer = bytearray(size)
        rest = memoryview(buffer)
        while rest:
            received = self._end.recv_into(rest)
            if not received:
                raise EOFError
            rest = rest[received:]
        return buffer

    def _take(self, number: int, size: int, shared_size: int, offset: int) -> tuple[int, memoryview, bool]:
        if not size:
            return number, self._buffers[number], False
        if shared_size:
            received, descriptors, _, _ = socket.recv_fds(self._end, 1, 1)
            if not received:
                raise EOFError
            view = mapped(descriptors[0], shared_size)[offset : offset + size]
        else:
            view = memoryview(self._read(size))
        if number:
            view = view.toreadonly()
            self._remember(number, view)
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
    """Where a buffer lies. As long as it is held, nothing else lies there."""
    address: int = np.frombuffer(view, np.uint8).__array_interface__["data"][0]
    return address, len(view)
