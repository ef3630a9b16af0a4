"""What a worker process runs: it serves leaves, one at a time, until the project hangs up."""

from __future__ import annotations

import contextlib
import fcntl
import os
import resource
import signal
import socket
import sys
import threading
import time
import traceback
from importlib import import_module
from typing import Any

from intemi.kernel.linear_algebra import use_one_thread
from intemi.kernel.machine import Machine, Model
from intemi.kernel.memory import Origin
from intemi.kernel.protection import handed_out, looked_at, protected
from intemi.kernel.record import SINGLE
from intemi.kernel.values import accepted, run_leaf
from intemi.kernel.workers.definitions import names_of_classes
from intemi.kernel.workers.transport import Channel, Failed, Finished, Frame, Order, plain


def main() -> None:
    """Serve the project on the other end of a socket until it hangs up; sys.argv names the file descriptors."""
    channel_end, life_line, *_ = map(int, sys.argv[1:3])
    del sys.argv[1:]
    for descriptor in (channel_end, life_line):
        os.set_inheritable(descriptor, False)
    die_with(life_line)
    _offer_as_victim()
    channel = Channel(socket.socket(fileno=channel_end), known=names_of_classes, sign=-1)
    # A forked child that outlives the worker must not keep the project waiting for an answer.
    os.register_at_fork(after_in_child=channel.close)
    use_one_thread(channel)
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
        order: Order | list[str] = self._channel.unpack(frames[0])
        if isinstance(order, list):
            return _import(order)
        try:
            config = self._accept(order, frames[1:])
        except BaseException as error:
            error.add_note("(raised while a worker process loaded the machine and its inputs)")
            return self._failed(error, in_step=False)
        inputs: dict[str, Any] = {}
        for name, (multi, origins) in order.inputs.items():
            loaded = tuple(handed_out(self._values[origin]) for origin in origins)
            inputs[name] = loaded if multi else loaded[0]
        if order.is_watched:
            self._channel.send([])
            self._channel.receive()
        before = _cpu_seconds()
        try:
            model = accepted(config, run_leaf(config, inputs, order.seed))
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
        self._values.update(zip(order.sent, map(protected, values), strict=True))
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
                items[machine, name, index] = each
        frames = [
            self._pack(looked_at(each), f"{config.kind}.{name}", keep=True) for (_, name, _), each in items.items()
        ]
        found = {label: looked_at(value) for label, value in model.results.items()}
        results = self._pack(found, f"{config.kind}: one of the results", keep=False)
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


def _import(modules: list[str]) -> list[Frame]:
    """Import modules that leaves are likely to need; one that fails will fail again where it is needed."""
    for module in modules:
        with contextlib.suppress(Exception):
            import_module(module)
    return []


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
