"""Which workers of a cluster can be used, from when the client connects until it leaves.

Workers check themselves when they join, by the `LeafPlugin` of the client, and the scheduler reports those that leave,
by its `ClientPlugin`. A lost connection is noticed by a lease: a task that no worker can run, which dask cancels then.
"""

from __future__ import annotations

import queue
import threading
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple, Protocol

from intemi.dask import probe
from intemi.dask.batches import RemoteWorker
from intemi.dask.clusters import connect, warn
from intemi.kernel.errors import ConfigurationError

ANSWER_SECONDS = 10.0
"""For which an answer of the scheduler is waited for."""
START_SECONDS = 20.0
"""For which one more of the workers that are there at the start is waited for; the others may join later."""
ECHO_SECONDS = 0.05
"""Between two attempts to hear from the scheduler on the topic of a session."""
IDLE_SECONDS = 0.5
"""Without an event, after which a warning of missing workers is due, and another attempt to connect."""
LEAVE_SECONDS = 2.0
"""For which the scheduler, and what is under way here, is waited for when the client leaves."""
MAX_NAMED = 4
"""Workers that a message names."""

_READY, _LOST, _OVER = "ready", "lost", "over"

# Dask hands a task to the scheduler as a pickle, and ends a worker that cannot load it. So a task refers to nothing but
# Python: a worker that lacks intemi, or has another Python, can answer.
_CALL = "__import__('importlib').import_module(module).__dict__[name](*arguments)"


class Refusal(NamedTuple):
    """A worker that cannot be used, and why."""

    address: str
    why: str


class Client(Protocol):
    """What a membership reports to."""

    def join(self, worker: RemoteWorker) -> None:
        """A worker can be used."""

    def leave(self, address: str) -> None:
        """A worker has left."""

    def lose_scheduler(self) -> int:
        """The connection is lost, and with it every batch; the number of leaves that were out."""

    def report_usage(self, number: int, cpu: float, memory: int) -> None:
        """What a leaf with limits uses."""


class Session:
    """One connection, and the plugins that dask has for it. When it is lost, they are gone, and a new one is begun."""

    def __init__(self, client: Any, receive: Callable[[Session, Any], None]) -> None:
        self.client = client
        self.name = f"intemi-{uuid.uuid4().hex[:16]}"
        """Of its plugins, of the topic that they report on, and what the keys of its tasks begin with."""
        self._receive = receive
        self._lease: Any = None
        self._is_lost = False

    @property
    def is_running(self) -> bool:
        """Whether the scheduler is at the other end that it was begun with."""
        return not self._is_lost and self.client.status == "running"

    def begin(self, memory: int, is_heard: threading.Event) -> None:
        """Have the scheduler and all workers report; an OSError if the scheduler does not answer."""
        from intemi.dask.plugins import ClientPlugin, LeafPlugin

        self._hold_lease()
        self.client.subscribe_topic(self.name, lambda event: self._receive(self, event[1]))
        until = time.monotonic() + ANSWER_SECONDS
        while not is_heard.wait(ECHO_SECONDS):  # or what is reported meanwhile would be missed
            self._ask(self.client.log_event, self.name, [_READY])
            if time.monotonic() > until:
                raise TimeoutError(f"no event within {ANSWER_SECONDS:g} s")
        self._ask(self.client.register_plugin, ClientPlugin(self.name, self.client.id))
        plugin = LeafPlugin(self.name, probe.versions(), memory)
        threading.Thread(target=self._register, args=(plugin,), name="intemi dask plugin", daemon=True).start()

    def _register(self, plugin: Any) -> None:
        """Dask returns when all workers have the plugin: one that is frozen keeps it waiting, and reports nothing."""
        try:
            self.client.sync(self.client.register_plugin, plugin, callback_timeout=START_SECONDS)
        except TimeoutError:
            pass
        except Exception as error:
            if self.is_running:
                warn(f"a worker did not take the plugin {self.name} ({type(error).__name__}: {error})")

    def workers(self) -> set[str]:
        """The addresses of the workers that the scheduler knows."""
        return set(self._ask(self.client.nthreads))

    def submit(self, worker: str, key: str, function: Callable[..., Any], *arguments: Any) -> Any:
        """Have a worker, and no other one, call a function of this package by its name; the future of it."""
        names = {"module": function.__module__, "name": function.__name__, "arguments": (self.name, *arguments)}
        return self.client.submit(
            eval, _CALL, names, key=f"{self.name}-{key}", workers=[worker], allow_other_workers=False, retries=0
        )

    def run(self, worker: str, function: Callable[..., None], *arguments: Any, seconds: float) -> None:
        """Have a worker call a function, beside what it runs, and wait for that; TimeoutError if it takes too long."""
        self.client.sync(self.client.run, function, self.name, *arguments, workers=[worker], callback_timeout=seconds)

    def end(self, is_kept: bool) -> None:
        """Have dask remove the plugins, which end what still runs; a client that is kept open does not do it itself."""
        self._is_lost = True
        if self._lease is not None:
            self._lease.release()
        if is_kept and self.client.status == "running":
            self.client.unsubscribe_topic(self.name)
            for unregister in (self.client.unregister_worker_plugin, self.client.unregister_scheduler_plugin):
                with suppress(OSError, TimeoutError, ValueError):  # they are removed when the connection is lost
                    self.client.sync(unregister, self.name, callback_timeout=LEAVE_SECONDS)

    def _ask(self, function: Callable[..., Any], *arguments: Any) -> Any:
        return self.client.sync(function, *arguments, callback_timeout=ANSWER_SECONDS)

    def _hold_lease(self) -> None:
        key = f"lease-{self.name}-{uuid.uuid4().hex[:8]}"
        self._lease = self.client.submit(bool, key=key, resources={self.name: 1}, retries=0)
        self._lease.add_done_callback(self._end_lease)

    def _end_lease(self, lease: Any) -> None:
        if self._is_lost:
            return
        if lease.status == "error":  # dask may be set to end tasks that find no worker
            self._hold_lease()
        else:
            self._is_lost = True
            self._receive(self, [_LOST])


class Membership:
    """Keeps a client up to date about its cluster, on a thread of its own."""

    def __init__(self, on: Any, security: Any, insecure: bool, memory: int, client: Client) -> None:
        self.on = on
        self._security, self._insecure, self._memory = security, insecure, memory
        self._client = client
        self._session: Session | None = None
        self._connected: Any = None
        self._is_ours = False
        self._events: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._is_heard = threading.Event()
        self._thread: threading.Thread | None = None
        self._used: set[str] = set()
        """Workers that can be used."""
        self._silent: set[str] = set()
        """Those that were there at the start and have not answered yet."""
        self._is_empty = False
        """Whether it was reported that there are no workers."""

    @property
    def is_open(self) -> bool:
        """Whether it was opened, and not closed since then."""
        return self._connected is not None

    @property
    def is_running(self) -> bool:
        """Whether there is a session that was not lost."""
        return self._session is not None and self._session.is_running

    @property
    def session(self) -> Session:
        """That of now; an OSError if there is none."""
        if self._session is None:
            raise OSError("the client has left the cluster")
        return self._session

    # Begin and end

    def open(self) -> None:
        """Connect, and return when the workers that are there have answered; a ConfigurationError if none is usable."""
        self._connected, self._is_ours = connect(self.on, self._security, self._insecure)
        self.address = self._connected.scheduler.address
        try:
            self._begin()
            refused = self._wait_for_workers()
        except OSError as error:
            raise ConfigurationError(f"DaskWorkers({self.on!r}): the cluster does not answer ({error})") from error
        reasons = refusals(refused)
        if refused and not self._silent and not self._used:
            raise ConfigurationError(f"DaskWorkers: no worker at {self.address} can be used: {'; '.join(reasons)}")
        for each in reasons:
            warn(f"{each}; the others are used" if self._used else each)
        if self._silent:
            warn(silence(sorted(self._silent)))
        self._is_empty = False
        self._thread = threading.Thread(target=self._serve, name="intemi dask membership", daemon=True)
        self._thread.start()

    def _begin(self) -> None:
        """Begin a session. There may be events of the one before, which are not for it."""
        self._is_heard.clear()
        self._used.clear()
        self._silent.clear()
        session = self._session = Session(self._connected, self._receive)
        try:
            session.begin(self._memory, self._is_heard)
            self._silent |= session.workers()
        except BaseException:
            session.end(is_kept=True)  # the next attempt begins another one
            raise

    def _wait_for_workers(self) -> list[Refusal]:
        """Return when each worker that is there has answered, or none has for a while; which are refused."""
        refused: list[Refusal] = []
        until = time.monotonic() + START_SECONDS
        while self._silent and (seconds := until - time.monotonic()) > 0:
            with suppress(queue.Empty):
                refused += self._handle(*self._events.get(timeout=seconds))
                until = time.monotonic() + START_SECONDS
        return refused

    def close(self) -> None:
        """Leave the cluster; a client that was given stays open."""
        thread, self._thread = self._thread, None
        if thread is not None:
            self._events.put((None, [_OVER]))
            if thread is not threading.current_thread():
                thread.join(LEAVE_SECONDS)
        session, self._session = self._session, None
        client, self._connected = self._connected, None
        if session is not None:
            session.end(is_kept=not self._is_ours)
        if client is not None and self._is_ours:
            with suppress(OSError, TimeoutError):  # the scheduler may be gone
                client.close(timeout=LEAVE_SECONDS)

    # Events

    def _receive(self, session: Session, event: Any) -> None:
        """An event of dask, on a thread of dask, which is not to be kept waiting."""
        if session is self._session:
            kind, *details = event
            if kind == _READY:
                self._is_heard.set()
            elif kind == "usage":
                self._client.report_usage(*details[1:])
            else:
                self._events.put((session, event))

    def _serve(self) -> None:
        while True:
            try:
                session, event = self._next_event()
                if event[0] == _OVER:
                    return
                for each in refusals(self._handle(session, event)):
                    warn(each)
            except Exception as error:
                warn(f"an event of the cluster cannot be used ({type(error).__name__}: {error})")

    def _next_event(self) -> tuple[Session | None, Any]:
        while True:
            with suppress(queue.Empty):
                found: tuple[Session | None, Any] = self._events.get(timeout=IDLE_SECONDS)
                return found
            if not self.is_running:
                return self._session, [_LOST]
            self._warn_if_empty()

    def _handle(self, session: Session | None, event: Any) -> list[Refusal]:
        """Handle an event; the worker that is refused by it."""
        if session is not self._session:  # of one that was lost
            return []
        kind, *details = event
        if kind == "joined":
            return self._join(*details)
        if kind == "left":
            (address,) = details
            self._used.discard(address)
            self._silent.discard(address)
            self._client.leave(address)
        elif kind == _LOST:
            self._reconnect()
        return []

    def _join(self, address: str, threads: int, facts: Any) -> list[Refusal]:
        """Use a worker that has checked itself, or refuse it."""
        try:
            differing = probe.differences(facts)
            worker = None if differing else RemoteWorker(address, threads, facts["host"], facts["pid"])
        except Exception as error:  # whatever another version of the package, or of Python, reports
            worker, differing = None, [f"it cannot run intemi ({type(error).__name__}: {error})"]
        self._silent.discard(address)
        if worker is None:
            return [Refusal(address, ", ".join(differing))]
        self._used.add(address)
        self._client.join(worker)
        return []

    def _warn_if_empty(self) -> None:
        is_empty, was_empty = not self._used and not self._silent, self._is_empty
        self._is_empty = is_empty
        if is_empty and not was_empty:
            warn(
                f"the cluster at {self.address} has no workers that can be used now; leaves wait until one joins, if "
                "no other task manager of the project runs them"
            )

    def _reconnect(self) -> None:
        """The scheduler is gone: what was out is queued again, and the connection made anew when there is one."""
        lost, had_workers = self._client.lose_scheduler(), bool(self._used)
        self._used.clear()
        self._silent.clear()
        if had_workers:
            warn(
                f"the scheduler of DaskWorkers({self.on!r}) is gone; {lost} leaves are queued again, for other workers "
                "of the project or until the scheduler is back"
            )
        if self._connected.status == "closed":  # dask connects again by itself, but not for ever
            with suppress(ConfigurationError):
                self._connected, self._is_ours = connect(self.address, self._connected.security, self._insecure)
        if self._connected.status == "running":
            with suppress(OSError):  # it is gone again: the next attempt follows
                self._begin()


def refusals(refused: list[Refusal]) -> list[str]:
    """What is wrong with workers, one message for those that differ in the same way.

    >>> refusals([Refusal("tls://a:1", "numpy 1.26 instead of 2.1"), Refusal("tls://b:1", "numpy 1.26 instead of 2.1")])
    ['2 workers (tls://a:1, tls://b:1) are refused: numpy 1.26 instead of 2.1; install there what is installed here']
    """
    by_reason: dict[str, list[str]] = {}
    for each in refused:
        by_reason.setdefault(each.why, []).append(each.address)
    return [f"{named(those)} refused: {why}; install there what is installed here" for why, those in by_reason.items()]


def silence(addresses: list[str]) -> str:
    """That workers have not answered yet."""
    return f"{named(addresses)} silent: no answer within {START_SECONDS:g} s; used as soon as an answer comes"


def named(addresses: list[str]) -> str:
    """Workers as the subject of a sentence.

    >>> named(["tls://a:1"])
    'the worker tls://a:1 is'
    """
    if len(addresses) == 1:
        return f"the worker {addresses[0]} is"
    listed = ", ".join(addresses[:MAX_NAMED]) + (", ..." if len(addresses) > MAX_NAMED else "")
    return f"{len(addresses)} workers ({listed}) are"
