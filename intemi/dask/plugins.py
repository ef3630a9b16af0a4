"""The plugins of a client: one on the scheduler, and one on each worker of the cluster, now and later.

They travel as the text of this file, and are made of it there. For dask ends a worker that cannot load a plugin, a
scheduler need not have intemi, and a worker that lacks it, or has another Python, is to report that. So nothing but
Python and dask is imported before `setup`.
"""

from __future__ import annotations

import inspect
import sys
import threading
from typing import TYPE_CHECKING, Any

from distributed.diagnostics.plugin import SchedulerPlugin, WorkerPlugin

if TYPE_CHECKING:
    from distributed import Scheduler, Worker

    from intemi.dask.remote import BatchRunner

JOINED, LEFT, USAGE = "joined", "left", "usage"
"""Events on the topic of a client: a worker has checked itself or left; what a leaf with limits uses."""


class _ByText:
    """A plugin that travels as its constructor's arguments and the text of this file."""

    arguments: tuple[Any, ...]

    def __reduce__(self) -> Any:
        text = inspect.getsource(sys.modules[__name__])
        make = "(exec(compile(text, name, 'exec'), module), module[plugin](*arguments))[1]"
        module = {"__name__": __name__}
        plugin = type(self).__name__
        return eval, (
            make,
            {"text": text, "name": __file__, "module": module, "plugin": plugin, "arguments": self.arguments},
        )


class ClientPlugin(_ByText, SchedulerPlugin):
    """On the scheduler: reports workers that leave to a client, and removes its plugins when the client is gone."""

    def __init__(self, name: str, client: str) -> None:
        self.arguments = name, client
        self.name, self.client = name, client

    def remove_worker(self, scheduler: Scheduler, worker: str, **details: Any) -> None:
        scheduler.log_event(self.name, [LEFT, worker])

    def remove_client(self, scheduler: Scheduler, client: str) -> None:
        if client == self.client:
            scheduler.remove_plugin(self.name)
            if self.name in scheduler.worker_plugins:
                scheduler.loop.add_callback(scheduler.unregister_worker_plugin, None, self.name)


class LeafPlugin(_ByText, WorkerPlugin):
    """On a worker: reports whether it computes what the client computes, and ends leaves that are not needed any more.

    Dask releases the tasks of a client that cancels them, leaves, or is killed; that is a transition here.
    """

    def __init__(self, name: str, versions: dict[str, str], memory: int) -> None:
        self.arguments = name, versions, memory
        self.name, self.versions, self.memory = name, versions, memory
        self.runner: BatchRunner | None = None
        self._is_over = False

    def setup(self, worker: Worker) -> None:
        # To import and to compile takes seconds, for which the worker's event loop must not stand still.
        threading.Thread(target=self._join, args=(worker,), name="intemi join", daemon=True).start()

    def _join(self, worker: Worker) -> None:
        try:
            from intemi.dask.probe import answer
            from intemi.dask.remote import BatchRunner

            report = answer(self.versions)
            self.runner = BatchRunner(
                self.memory, lambda *usage: worker.log_event(self.name, [USAGE, worker.contact_address, *usage])
            )
            if self._is_over:
                self.runner.close()
        except Exception as error:
            report = {"error": f"{type(error).__name__}: {error}"}
        worker.log_event(self.name, [JOINED, worker.contact_address, worker.state.nthreads, report])

    def transition(self, key: Any, start: str, finish: str, **details: Any) -> None:
        if self.runner is not None and isinstance(key, str) and key.startswith(self.name):
            if finish == "executing":
                self.runner.begin(key)
            elif start == "executing":
                self.runner.abort(key)

    def teardown(self, worker: Worker) -> None:
        self._is_over = True
        if self.runner is not None:
            self.runner.close()
