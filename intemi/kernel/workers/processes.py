"""The process manager: leaves run in worker processes, which can be ended at any moment.

For code that holds the GIL, and for requests with limits. Each slot has one worker process, started for its first leaf
and kept for the next ones. Whatever a worker process has received or made, it still has as long as there is room.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from typing import Any

import psutil

from intemi.kernel.errors import ConfigurationError, IntemiError, WorkerEnded, WorkerError
from intemi.kernel.machine import Machine, Model
from intemi.kernel.memory import Origin
from intemi.kernel.record import SINGLE, Item
from intemi.kernel.workers.base import Call, CannotTravel, Stopped
from intemi.kernel.workers.slots import Slots
from intemi.kernel.workers.transport import Channel, Failed, Finished, Frame, Order, plain

POLL = 0.02
"""Seconds between looks at what a leaf with limits uses."""

_PROGRAM = "import sys; sys.path[:] = sys.argv[3:]; from intemi.kernel.workers.worker_main import main; main()"
_THREAD_COUNTS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)


_SLOW_LIBRARIES = frozenset({"scipy"})


class RemoteTraceback(IntemiError):
    """The traceback from inside a worker process, as text: the cause of the error that is raised here."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text

    def __str__(self) -> str:
        return f'\n"""\n{self.text}"""'


class Processes(Slots):
    """Runs leaves in processes of their own, one for each worker, and composites on threads of this process.

    Each worker process keeps up to `memory` bytes of values that it may need again.

    >>> Processes(2)
    Processes(2)
    """

    isolates = True

    def __init__(self, workers: int | None = None, *, memory: int = 2**28) -> None:
        super().__init__(workers)
        if os.name != "posix":
            raise ConfigurationError(f"Processes: needs a POSIX system, this is {os.name!r}; use Threads")
        if type(memory) is not int or memory < 0:
            raise ConfigurationError(f"Processes: memory must be an int of at least 0, got {memory!r}")
        self._pool = WorkerPool(memory)

    def execute(self, call: Call) -> tuple[Model, float]:
        try:
            return self._pool.run(call)
        except CannotTravel as error:
            raise error.reason from error.__cause__

    def stop(self, call: Call) -> None:
        self._pool.stop(call)

    def expect_limits(self, config: Machine) -> None:
        self._pool.have_one(config)

    def rest(self) -> None:
        self._pool.close()


class WorkerPool:
    """Worker processes, as many as run at the same time. A leaf gets the one that was used last."""

    def __init__(self, memory: int) -> None:
        self.memory = memory
        """Bytes of values that a worker process may keep."""
        self._lock = threading.Lock()
        self._free: list[Worker] = []
        self._running: dict[Call, Worker] = {}
        self._starting: set[Worker] = set()
        self._times_closed = 0
        self.is_ready = False
        """Whether they can be used now."""

    def start(self, number: int, modules: Sequence[str]) -> None:
        """Start worker processes in the background, and let them import modules."""
        threading.Thread(target=self._start, args=(number, modules), name="intemi start", daemon=True).start()

    def _start(self, number: int, modules: Sequence[str]) -> None:
        times = self._times_closed
        for _ in range(number):
            self._start_one(modules, times)
        with self._lock:
            self.is_ready = times == self._times_closed

    def _start_one(self, modules: Sequence[str], times: int) -> None:
        worker = Worker(self.memory)
        with self._lock:
            if times != self._times_closed:
                return
            self._starting.add(worker)
        with contextlib.suppress(IntemiError, OSError):  # the next leaf that needs one starts it, and has the error
            worker.start([*_loaded_libraries(), *modules])
        self._give_back(worker, times)

    def _give_back(self, worker: Worker, times_closed: int) -> None:
        """Keep a worker for the next leaf, unless the pool was closed in the meantime."""
        with self._lock:
            self._starting.discard(worker)
            is_kept = times_closed == self._times_closed
            if is_kept:
                self._free.append(worker)
        if not is_kept:
            worker.close()

    def have_one(self, config: Machine) -> None:
        """Start a worker process if none is free, so that the next leaf need not wait for one, and for imports."""
        with self._lock:
            if self._free and self._free[-1].is_usable():
                return
            times = self._times_closed
        self._start_one([type(config).__module__], times)

    def run(self, call: Call) -> tuple[Model, float]:
        """Run a leaf in a worker process; raises what `Worker.run` does."""
        times = self._times_closed
        worker = self._take(call)
        try:
            if call.is_stopped:  # before `stop` could know which worker it is on
                raise Stopped
            return worker.run(call)
        finally:
            with self._lock:
                del self._running[call]
            self._give_back(worker, times)

    def stop(self, call: Call) -> bool:
        """End the process of a running leaf, without waiting; False if it does not run here."""
        with self._lock:
            worker = self._running.get(call)
        if worker is not None:
            worker.kill()
        return worker is not None

    def close(self) -> None:
        """End all worker processes that run nothing."""
        with self._lock:
            free, self._free = self._free, []
            self._times_closed += 1
            self.is_ready = False
            starting = list(self._starting)
        for worker in starting:
            worker.kill()
        for worker in free:
            worker.close()

    def _take(self, call: Call) -> Worker:
        """A worker that is usable, now that of the call."""
        while True:
            with self._lock:
                worker = self._free.pop() if self._free else Worker(self.memory)
                if worker.is_usable():
                    worker.memory = self.memory
                    self._running[call] = worker
                    return worker
            worker.close()


class Worker:
    """One worker process from its start to its end. Only `kill` may be called by another thread than the owner's."""

    def __init__(self, memory: int) -> None:
        self.memory = memory
        self._lock = threading.Lock()
        self._is_killed = False
        self._process: subprocess.Popen[bytes] | None = None
        self._channel: Channel | None = None
        self._life_line = -1
        self._surroundings = _surroundings()
        self._observed: psutil.Process
        self._fresh_size = 0

    @property
    def pid(self) -> int | None:
        """The id of the process, while there is one."""
        return None if self._process is None else self._process.pid

    @property
    def held_size(self) -> int:
        """How many bytes of values the process holds."""
        return 0 if self._channel is None else self._channel.size

    def is_usable(self) -> bool:
        """Whether the process can run a leaf; one that was not started yet can."""
        if self._is_killed:
            return False
        # It has nothing to say before it is asked: news can only be that it is gone.
        return self._channel is None or not _has_news(self._channel, 0)

    def run(self, call: Call) -> tuple[Model, float]:
        """Run a leaf there; raises what the leaf raised, Stopped if it was killed, WorkerError if it died."""
        try:
            channel = self._channel or self._start(call.config.kind)
            head, *frames = self._ask(channel, call)
            answer: Finished | Failed = channel.unpack(head)
            if isinstance(answer, Finished):
                if call.is_watched:
                    call.report_usage(answer.cpu, 0)  # or a limit on many short leaves would never be noticed
                return self._model(channel, call, answer, frames), answer.cpu
        except CannotTravel:
            raise  # nothing was sent
        except BaseException:
            self.close()  # the process is gone, or in the middle of an exchange
            raise
        error, origin = _error(answer, frames), RemoteTraceback(answer.traceback)
        if not answer.in_step:
            self.close()
            raise CannotTravel(error) from origin
        raise error from origin

    def kill(self) -> None:
        """End the process and everything that it has started, without waiting."""
        with self._lock:
            self._is_killed = True
            if self._process is not None:
                _kill_group(self._process)

    def close(self) -> None:
        """End the process, wait for that, and give everything back."""
        with self._lock:
            self._is_killed = True
        self._bury()

    # The process

    def start(self, modules: Sequence[str] = ()) -> None:
        """Start the process before it is needed, and let it import modules."""
        channel = self._start("a leaf")
        try:
            channel.send([Frame(pickle.dumps(list(modules), 5), [])])
            channel.receive()
        except (OSError, EOFError):
            raise self._end_of_process("a leaf", "before it could run") from None

    def _start(self, what: str) -> Channel:
        ours, theirs = socket.socketpair()
        held_by_worker, self._life_line = os.pipe()
        channel = self._channel = Channel(ours, known={}, sign=1)
        descriptors = (theirs.fileno(), held_by_worker)
        path, _ = self._surroundings
        try:
            process = subprocess.Popen(
                [sys.executable, "-X", "faulthandler", "-c", _PROGRAM, *map(str, descriptors), *path],
                stdin=subprocess.DEVNULL,
                env=_environment(),
                pass_fds=descriptors,
                # Ctrl-C is for the project to decide on; and a group can be killed as a whole.
                start_new_session=True,
            )
        finally:
            theirs.close()
            os.close(held_by_worker)
        with self._lock:
            self._process = process
            if self._is_killed:
                _kill_group(process)
        try:
            channel.receive()
            self._observed = psutil.Process(process.pid)
            self._fresh_size = self._observed.memory_info().rss
        except (OSError, EOFError, psutil.Error):
            raise self._end_of_process(what, "before it could run") from None
        return channel

    def _end_of_process(self, what: str, when: str) -> Exception:
        code, is_killed = self._bury()
        if is_killed:
            return Stopped()
        return WorkerEnded(f"{what}: its worker process ended with {_cause_of_death(code)} {when}")

    def _bury(self) -> tuple[int, bool]:
        """Make an end of the process: its exit code, and whether it was killed from here."""
        with self._lock:
            process, self._process = self._process, None
            is_killed = self._is_killed
        if process is not None:
            if not is_killed:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(1)  # for the exit code of a process that is just ending by itself
            _kill_group(process)
            process.wait()
        if self._channel is not None:
            self._channel.close()
            self._channel = None
            os.close(self._life_line)
        return 0 if process is None else process.returncode, is_killed

    # The exchange

    def _ask(self, channel: Channel, call: Call) -> list[Frame]:
        order = self._order(channel, call)
        try:
            channel.send(order)
            answer = channel.receive()
            if not answer:  # it waits to be watched
                self._watch(channel, call)
                answer = channel.receive()
            return answer
        except (OSError, EOFError, psutil.Error):
            raise self._end_of_process(call.config.kind, "while it ran") from None

    def _watch(self, channel: Channel, call: Call) -> None:
        """Let a leaf run that waits for this, and look at what it uses until it is done."""
        origins = {item.origin for _, items in call.inputs.values() for item in items}
        meter = Meter(self._observed, self._fresh_size + channel.size_of(origins))
        channel.send([])
        while not self._is_killed and not _has_news(channel, POLL):
            meter.report(call)

    def _order(self, channel: Channel, call: Call) -> list[Frame]:
        """The message that orders a leaf."""
        ports = {item.origin: (name, item) for name, (_, items) in call.inputs.items() for item in items}
        lacking = [origin for origin in ports if origin not in channel.held]
        values = [_packed_input(channel, call, *ports[origin]) for origin in lacking]
        try:
            config = channel.pack(call.config)
        except Exception as error:
            raise CannotTravel(error) from None
        for origin, frame in zip(lacking, values, strict=True):
            channel.hold(origin, frame)
        for origin in ports:
            channel.held.move_to_end(origin)
        dropped = self._make_room(channel, needed=len(ports))
        surroundings = _surroundings()
        order = Order(
            call.machine,
            call.seed,
            {name: (multi, tuple(item.origin for item in items)) for name, (multi, items) in call.inputs.items()},
            lacking,
            dropped,
            surroundings if surroundings != self._surroundings else None,
            call.is_watched,
        )
        self._surroundings = surroundings
        return [plain(order), *values, config]

    def _make_room(self, channel: Channel, needed: int) -> list[Origin]:
        """Strike off what was not needed for the longest time; what is needed now comes last."""
        dropped: list[Origin] = []
        while channel.size > self.memory and len(channel.held) > needed:
            origin = next(iter(channel.held))
            channel.drop([origin])
            dropped.append(origin)
        return dropped

    @staticmethod
    def _model(channel: Channel, call: Call, answer: Finished, frames: list[Frame]) -> Model:
        *items, results = map(channel.unpack, frames)
        outputs: dict[str, Any] = {}
        at = 0
        for name, number in answer.outputs.items():
            origins = [(call.machine, name, index) for index in (range(number) if number is not None else [SINGLE])]
            for origin, frame in zip(origins, frames[at:], strict=False):
                channel.hold(origin, frame)
            outputs[name] = items[at] if number is None else tuple(items[at : at + number])
            at += len(origins)
        return Model(results=results, **outputs)


class Meter:
    """What the process of a leaf, and all that it has started, uses beyond what it used before the leaf.

    `size` is what the leaf is charged for from the start: a fresh process and its inputs. What other leaves have left
    in the process, and the modules that were imported for them or for this one, are not its business.
    """

    def __init__(self, process: psutil.Process, size: int) -> None:
        self._process = process
        self._children: list[psutil.Process] = []
        self._next_look = 0.0
        self._cpu_before = _cpu_seconds(self._process)
        self._size_before = self._process.memory_info().rss - size

    def report(self, call: Call) -> None:
        """Say what the leaf uses now."""
        self._look_for_children()
        cpu = _cpu_seconds(self._process) - self._cpu_before
        size = self._process.memory_info().rss - self._size_before
        for child in self._children:
            with contextlib.suppress(psutil.Error):
                cpu += _cpu_seconds(child)
                size += child.memory_full_info().uss  # it may share the rest with its parent
        call.report_usage(cpu, size)

    def _look_for_children(self) -> None:
        began = time.monotonic()
        if began >= self._next_look:
            self._children = self._process.children(recursive=True)
            ended = time.monotonic()
            # Children are found by looking at every process of the computer: seldom, where there are many.
            self._next_look = ended + max(0.1, 20 * (ended - began))


def _cpu_seconds(process: psutil.Process) -> float:
    times = process.cpu_times()
    return times.user + times.system + times.children_user + times.children_system


def _has_news(channel: Channel, seconds: float) -> bool:
    poller = select.poll()
    poller.register(channel, select.POLLIN)
    return bool(poller.poll(seconds * 1000))


def _packed_input(channel: Channel, call: Call, port: str, item: Item) -> Frame:
    value = call.load(item)
    try:
        return channel.pack(value, keep=True)
    except Exception as error:
        text = f"{call.config.kind}.{port}: the value cannot be sent to another process: {error}"
        raise CannotTravel(TypeError(text)) from error


def _error(answer: Failed, frames: list[Frame]) -> Exception:
    # Many an exception can be pickled but not unpickled, because its constructor wants other arguments.
    with contextlib.suppress(Exception):
        error = Channel.unpack(frames[0])
        if isinstance(error, Exception):  # not SystemExit, which would end the slot
            return error
    return WorkerError(answer.summary)


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):  # the latter is macOS's word for a dead group
        os.killpg(process.pid, signal.SIGKILL)


def _cause_of_death(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    hint = "; the system may have run out of memory" if -code == signal.SIGKILL else ""
    return f"signal {-code} ({signal.Signals(-code).name}{hint})"


def _loaded_libraries() -> list[str]:
    """What this process has imported of libraries that take long: the import is not to count as time of a leaf."""
    return [name for name in list(sys.modules) if name.partition(".")[0] in _SLOW_LIBRARIES]


def _surroundings() -> tuple[list[str], str | None]:
    try:
        folder = os.getcwd()
    except OSError:  # it was deleted
        folder = None
    return [path for path in sys.path if isinstance(path, str)], folder


def _environment() -> dict[str, str]:
    """That of this process. Many workers share the cores, so each computes on one unless the user says otherwise."""
    return {**dict.fromkeys(_THREAD_COUNTS, "1"), **os.environ}
