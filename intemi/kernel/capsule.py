"""Capsules: the caller's handle to a context."""

from __future__ import annotations

import threading
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from time import perf_counter
from typing import Any, Protocol

from intemi.kernel.component import to_html
from intemi.kernel.encoding import encoded_as_mapping
from intemi.kernel.errors import ConfigurationError, IntemiError, MachineError, NoSuchName, NoSuchPort, TimedOut
from intemi.kernel.machine import Machine
from intemi.kernel.record import SINGLE, Items, Record
from intemi.kernel.repository.commentators import seen
from intemi.kernel.task import ALL, Context, Source, State, Task, Wait
from intemi.kernel.values import Values


class Engine(Protocol):
    """What a capsule needs of the engine."""

    @property
    def values(self) -> Values: ...
    def wait_for(self, contexts: Sequence[Context], timeout: float | None = None) -> bool: ...
    def flush(self) -> None: ...
    def is_pending(self, context: Context) -> bool: ...
    def comments_pending(self, context: Context) -> Sequence[threading.Event]: ...
    def children_of(self, context: Context) -> Sequence[Context]: ...
    def end_early(self, task: Task) -> None: ...
    def abort(self, context: Context) -> None: ...


class Capsule:
    """Handle to a request: wait for it, read its outputs and results, inspect its children, abort it.

    Its outputs are attributes: `loader.data` is what other machines' inputs are bound to, ready or not, and
    `loader.outputs["data"]` is the value, once it is there.
    """

    __slots__ = ("_commentators_done", "_engine", "context")

    def __init__(self, context: Context, engine: Engine, commentators_done: threading.Event | None = None) -> None:
        self.context = context
        self._engine = engine
        self._commentators_done = commentators_done
        """Set when the commentators that are attached to this request have finished."""

    @property
    def config(self) -> Machine:
        """What was requested."""
        return self.context.config

    @property
    def key(self) -> bytes:
        """The identity of the request, known before anything has run."""
        return self.context.key

    @property
    def name(self) -> str:
        """Its name among its siblings."""
        return self.context.name

    @property
    def path(self) -> str:
        """The names from the root down to it."""
        return self.context.path

    @property
    def comments(self) -> dict[str, Any]:
        """What its parent says of it."""
        return dict(self.context.comments or {})

    @property
    def state(self) -> State:
        """Its state; a request of the user's program is finished, or failed, once that is on record."""
        context = self.context
        return State.RUNNING if context.is_done and self._engine.is_pending(context) else context.status

    @property
    def done(self) -> bool:
        """Whether it is finished, failed or aborted, and on record as such."""
        return self.state in (State.FINISHED, State.FAILED, State.ABORTED)

    @property
    def error(self) -> MachineError | None:
        """Why it did not finish, naming the first cause."""
        return self.context.error

    @property
    def cpu(self) -> float:
        """CPU seconds that were spent for this request, with everything under it.

        What was on record, or was run for another request, costs nothing. Once it is done, it stays as it is.
        """
        context = self.context
        task = context.task
        return context.cpu if task is None else task.cpu if task.owner is context else 0.0

    def wait(self, timeout: float | None = None) -> Capsule:
        """Wait until it is finished, and commentators that are attached to it, or to requests under it, are done.

        Raises if it failed or was aborted, and TimedOut, a TimeoutError, if it takes too long.
        """
        begun = 0.0 if timeout is None else perf_counter()
        if not self.context.is_done and not self._engine.wait_for([self.context], timeout):
            raise TimedOut(f"{self.path} is {self.state.value} after {timeout:g} s")
        self._engine.flush()
        pending = self._engine.comments_pending(self.context)
        for done in pending if self._commentators_done is None else [self._commentators_done, *pending]:
            left = None if timeout is None else max(0.0, begun + timeout - perf_counter())
            if not done.wait(left):
                raise TimedOut(
                    f"{self.path} is {self.state.value}; its commentators have not finished after {timeout:g} s"
                )
        if self.context.error is not None:
            raise self.context.error.with_traceback(None)
        return self

    def __await__(self) -> Generator[Wait, None, Capsule]:
        yield from Wait((self.context,)).__await__()
        return self

    @property
    def progress(self) -> Any:
        """What a running composite has last reported of itself; None if there is nothing, and once it is done."""
        task = self.context.task
        return None if task is None else task.progress

    def end_early(self) -> None:
        """Ask a composite to end with what it has, as if its time were up; wait for it as before.

        Only what depends on the clock can: any other machine is the same whenever it is requested. It is up to the
        composite to obey; a search with a limit of time does.
        """
        if not self.config.depends_on_clock:
            raise ConfigurationError(
                f"{self.path}: {self.config.kind} cannot end early, since it does not depend on the clock as it is "
                "configured; abort it, what has finished under it is kept"
            )
        task = self.context.task
        if task is not None:
            self._engine.end_early(task)

    def abort(self) -> None:
        """Abort it, and everything under it that no other request needs."""
        self._engine.abort(self.context)

    @property
    def results(self) -> dict[str, Any]:
        """The labelled results of the finished machine."""
        return _Results(self._record().results, self.path)

    @property
    def inputs(self) -> Mapping[str, Any]:
        """The values of the inputs, loaded when read; a tuple of them where the port takes many."""
        return seen(self.config, self._record(), self._engine.values).inputs

    @property
    def outputs(self) -> Mapping[str, Any]:
        """The values of the outputs, loaded when read."""
        return _Outputs(self._record().outputs, self._engine.values, self.path)

    @property
    def children(self) -> list[Capsule]:
        """The machines under it, in the order of their requests."""
        return [Capsule(child, self._engine) for child in self._engine.children_of(self.context)]

    def child(self, path: str) -> Capsule:
        """The machine at a path below it; a name that several children share means the first of them."""
        capsule = self
        for step in path.split("/"):
            children = capsule.children
            named = [child for child in children if child.name == step]
            if not named:
                names = ", ".join(dict.fromkeys(child.name for child in children)) or "none"
                raise IntemiError(f"{capsule.path}: no child is called {step!r}; there are {names}")
            capsule = named[0]
        return capsule

    def __getattr__(self, name: str) -> Source:
        if name.startswith("_") or name == "context":
            raise AttributeError(name)
        port = self.context.config.outputs.get(name)
        if port is None:
            outputs = ", ".join(self.context.config.outputs) or "none"
            raise NoSuchPort(f"{self.config.kind}: no output is called {name!r}; its outputs are {outputs}")
        return Source(self.context, port, ALL if port.multi else SINGLE)

    def __dir__(self) -> Iterable[str]:
        return [*super().__dir__(), *self.context.config.outputs]

    def _record(self) -> Record:
        context = self.context
        if context.is_done:
            self._engine.flush()  # what the caller sees is on record
        if context.error is not None:
            raise context.error.with_traceback(None)
        if context.record is None:
            raise IntemiError(f"{self.path} is {self.state.value}; wait for it first")
        return context.record

    def __repr__(self) -> str:
        return f"<Capsule {self.path}: {self.state.value}>"

    def _repr_html_(self) -> str:
        return to_html(self)


@encoded_as_mapping
class _Results(dict[str, Any]):
    """The results of a finished machine."""

    def __init__(self, results: Mapping[str, Any], path: str) -> None:
        super().__init__(results)
        self._path = path

    def __missing__(self, name: str) -> Any:
        inside = "" if self else "; project.query finds those of machines inside"
        raise NoSuchName(f"{self._path}: no result is called {name!r}; there are {', '.join(self) or 'none'}{inside}")


class _Outputs(Mapping[str, Any]):
    """The outputs of a finished machine; a value is loaded when it is read."""

    __slots__ = ("_items", "_path", "_values")

    def __init__(self, items: Mapping[str, Items], values: Values, path: str) -> None:
        self._items = items
        self._values = values
        self._path = path

    def __getitem__(self, name: str) -> Any:
        if name not in self._items:
            raise NoSuchName(f"{self._path}: no output is called {name!r}; there are {', '.join(self) or 'none'}")
        return self._values.load_items(self._items[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        return f"<outputs: {', '.join(self)}>"
