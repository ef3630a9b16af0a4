"""Managers that send leaves away: to other computers, say, where many run at once and no thread waits for each.

Each project that is served has one thread here. It takes tasks in the order of the queue, as long as there is room for
them elsewhere, and runs composites itself.
"""

from __future__ import annotations

import threading
import time
from abc import abstractmethod
from collections.abc import Sequence

from intemi.kernel.task import Task
from intemi.kernel.workers.base import (
    LEAVE_SECONDS,
    RETRY_SECONDS,
    Call,
    Engine,
    Outcome,
    Stopped,
    TaskManager,
    report_error,
)


class Dispatcher(TaskManager):
    """A task manager that takes calls and delivers their outcomes later.

    A subclass implements `has_room`, `submit`, `flush` and `stop`, and calls `deliver`. A call whose `submit` raises
    fails with that error.
    """

    def __init__(self) -> None:
        super().__init__()
        self._tasks: dict[Call, tuple[Engine, Task]] = {}
        """Calls that were submitted and not delivered."""
        self._calls: dict[Task, Call] = {}
        self._threads: dict[Engine, threading.Thread] = {}
        self._delivered = threading.Condition()
        self._delivering: list[int] = []
        """Threads that deliver something just now."""

    # The contract

    @property
    @abstractmethod
    def has_room(self) -> bool:
        """Whether it can take one more leaf now. When that becomes so, it calls `look_again`."""

    @abstractmethod
    def submit(self, call: Call) -> None:
        """Run a leaf, without waiting for it. It may be held back until `flush`, to travel with others."""

    @abstractmethod
    def flush(self) -> None:
        """There are no more leaves for now: send what was held back."""

    def deliver(self, outcomes: Sequence[Outcome]) -> None:
        """Return the outcomes of calls, each once; a call that was delivered before is ignored."""
        by_engine: dict[Engine, list[tuple[Task, Outcome]]] = {}
        with self._delivered:
            self._delivering.append(threading.get_ident())
        try:
            for outcome in outcomes:
                engine, task = self._tasks.pop(outcome.call, (None, None))
                if engine is not None and task is not None:
                    self._calls.pop(task, None)
                    by_engine.setdefault(engine, []).append((task, outcome))
            for engine, delivered in by_engine.items():
                engine.deliver(delivered)
        finally:
            with self._delivered:
                self._delivering.remove(threading.get_ident())
                self._delivered.notify_all()

    def look_again(self) -> None:
        """There is room where there was none."""
        for engine in self._engines:
            engine.wake()

    # What the project calls

    def end(self, task: Task) -> None:
        call = self._calls.get(task)
        if call is not None:
            call.is_stopped = True
            try:
                self.stop(call)
            except Exception:
                report_error()
                outcome = Outcome(call, Stopped())  # on another thread: the caller may hold locks of the engine
                threading.Thread(target=self.deliver, args=([outcome],), name="intemi stop", daemon=True).start()

    def open(self, engine: Engine) -> None:
        super().open(engine)
        name = f"intemi {type(self).__name__.lower()}"
        thread = threading.Thread(target=self._serve, args=(engine,), name=name, daemon=True)
        self._threads[engine] = thread
        thread.start()

    def _leave(self, engine: Engine) -> None:
        thread = self._threads.pop(engine)
        until = time.monotonic() + LEAVE_SECONDS
        while thread.is_alive() and thread is not threading.current_thread():
            thread.join(0.05)
            if any(not call.is_stopped for call in self._calls_of(engine)):
                until = time.monotonic() + LEAVE_SECONDS
            elif time.monotonic() > until:
                self._warn_of_leaving(f"the thread {thread.name!r}")
                break
        with self._delivered:
            while not self._is_done_with(engine):
                self._delivered.wait(0.5)
                if any(not call.is_stopped for call in self._calls_of(engine)):
                    until = time.monotonic() + LEAVE_SECONDS
                elif time.monotonic() > until:
                    break
        left = self._calls_of(engine)
        if left:
            self._warn_of_leaving(f"{len(left)} leaves (the first is {left[0].config.kind})")
            self.deliver([Outcome(call, Stopped()) for call in left])

    def _calls_of(self, engine: Engine) -> list[Call]:
        return [call for call, (served, _) in list(self._tasks.items()) if served is engine]

    def _is_done_with(self, engine: Engine) -> bool:
        me = threading.get_ident()  # it may be a listener that unsubscribes this manager
        if any(each != me for each in self._delivering):
            return False
        return not self._calls_of(engine)

    def _serve(self, engine: Engine) -> None:
        while True:
            try:
                self._dispatch(engine)
                return
            except BaseException:  # of the engine, or of a manager's own code: the project must not hang
                report_error()
                time.sleep(RETRY_SECONDS)

    def _dispatch(self, engine: Engine) -> None:
        me = threading.current_thread()
        while self._threads.get(engine) is me and (task := engine.next_task(self)) is not None:
            if isinstance(task, Task):
                call = engine.begin(task, self)
                if call is not None:
                    self._take(engine, task, call)
            else:
                self._flush()
                task.acquire()
        self._flush()

    def _take(self, engine: Engine, task: Task, call: Call) -> None:
        self._tasks[call] = engine, task
        self._calls[task] = call
        if task.is_cancelled:  # before `end` could know of the call
            self.deliver([Outcome(call, Stopped())])
            return
        try:
            self.submit(call)
        except Exception as error:
            self.deliver([Outcome(call, error)])

    def _flush(self) -> None:
        try:
            self.flush()
        except Exception:  # what was held back may be sent by the next one, or is delivered by the manager itself
            report_error()
