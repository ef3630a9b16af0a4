"""The project: a folder in which everything that was ever run is kept, and the engine that runs what is not there."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from typing import Any, Literal, Self, TypedDict, Unpack

from intemi.kernel import encoding
from intemi.kernel.capsule import Capsule
from intemi.kernel.component import to_html, too_deep
from intemi.kernel.engine import Engine
from intemi.kernel.errors import ConfigurationError, IntemiError, StoreWarning
from intemi.kernel.events import REQUESTED, Counts, Happening, Listener
from intemi.kernel.explain import Explanation, explain, forget, is_on_record, replayed
from intemi.kernel.limits import Limits
from intemi.kernel.lineage import Lineage
from intemi.kernel.machine import Machine
from intemi.kernel.ports import Output
from intemi.kernel.records import Failures
from intemi.kernel.repository import At, Commentator, Named, OfType, Qualifier, Run
from intemi.kernel.repository.file import store_of
from intemi.kernel.repository.item import Item
from intemi.kernel.repository.labels import Labels
from intemi.kernel.repository.repository import Repository, both
from intemi.kernel.repository.runs import WhichRun
from intemi.kernel.request import Request, key_of
from intemi.kernel.seeds import Seed
from intemi.kernel.store import BufferedStore, Finished, MemoryStore, Store
from intemi.kernel.task import Context, Source
from intemi.kernel.workers.base import TaskManager
from intemi.kernel.workers.local import LocalWorkers
from intemi.series import Series


class Given(Machine):
    """A value that came from outside; known by its content, and never run."""

    value = Output(object)
    content: str

    def run(self) -> Any:
        raise ConfigurationError("a given value cannot be made again")


class ProjectOptions(TypedDict, total=False):
    """Options of a project, beside its folder; `Project` describes them."""

    workers: int | TaskManager | None
    seed: int
    unification: Literal[0, 1, 2]
    failures: Failures | Literal["reuse", "retry", "forget"]
    memory: int | None
    trusted: bool
    name: str | None
    store: Store | None


class Project:
    """Where machines are requested and what they leave is kept.

    Without a folder everything lives in memory and ends with the project. With one, finished machines are kept there,
    across runs and shared with other processes that work on it at the same time.

    >>> from intemi.kernel import Input, Machine, Model, Output
    >>> class Double(Machine):
    ...     number = Input(int)
    ...     result = Output(int)
    ...     def run(self, number):
    ...         return Model(result=2 * number)
    >>> with Project() as project:
    ...     six = project.run(Double(), number=project.given(3))
    ...     twelve = project.run(Double(), number=six.result)
    ...     twelve.outputs["result"]
    12
    """

    def __init__(
        self,
        folder: str | os.PathLike[str] | None = None,
        *,
        workers: int | TaskManager | None = None,
        seed: int = 0,
        unification: Literal[0, 1, 2] = 2,
        failures: Failures | Literal["reuse", "retry", "forget"] = Failures.RETRY,
        memory: int | None = None,
        trusted: bool = False,
        name: str | None = None,
        store: Store | None = None,
    ) -> None:
        """Open a folder, or a project in memory.

        `workers` is how many leaves run at once (all cores by default) on threads and in worker processes, or a task
        manager. `seed` is the root of all
        random choices. `unification` is 0 (off), 1 (inputs of the same origin are equal) or 2 (inputs of the same
        content are). `failures` on record are reused, retried once in every session, or not kept. `memory` bounds the
        cache of values, in bytes; a quarter of the computer's by default. `trusted` says that no one else can write to
        the folder: values without a safe encoding are pickled there. `name` is that of this run among all runs of the
        folder; without one it is called by its time. `store` replaces the folder by a store of your own.
        """
        if unification not in (0, 1, 2):
            raise ConfigurationError(f"Project: unification must be 0, 1 or 2, got {unification!r}")
        if type(seed) is not int or seed < 0:
            raise ConfigurationError(f"Project: seed must be an int of at least 0, got {seed!r}")
        modes = [mode.value for mode in Failures]
        if failures not in (*modes, *Failures):
            raise ConfigurationError(f"Project: failures must be one of {', '.join(modes)}, got {failures!r}")
        if memory is not None and (type(memory) is not int or memory < 1):
            raise ConfigurationError(f"Project: memory must be a number of bytes, got {memory!r}")
        if store is not None and (folder is not None or not isinstance(store, Store)):
            raise ConfigurationError(f"Project: store must be a Store, and replaces the folder, got {store!r}")
        manager = workers if isinstance(workers, TaskManager) else LocalWorkers(workers)
        self._folder = None if not unification or folder is None else Path(folder)
        kept = _store(folder, store) if unification else MemoryStore()
        with ExitStack() as stack:
            stack.callback(kept.close)
            self._engine = Engine(
                kept,
                unification,
                Failures(failures),
                memory or _quarter_of_memory(),
                Seed(seed),
                trusted,
                query=lambda query, context: self._repository.ask(query, context),
                comment=lambda commentator, context: self._repository.comment(commentator, context, None),
            )
            self._repository = Repository(self._engine, self._folder, name)
            self._engine.events.receive_with(self._note_requests)
            kept.on_write_error(self._not_written)
            stack.callback(self._repository.close)
            stack.callback(self._engine.close)
            self._engine.subscribe(manager)
            self._closing = stack.pop_all()

    def _note_requests(self, batch: Sequence[Happening]) -> None:
        for kind, context, *_ in batch:
            if kind is REQUESTED and context.parent is None and context.is_noted:
                self._repository.note_root(context)

    def _not_written(self, finished: Sequence[Finished], error: Exception) -> None:
        for each in finished:
            self._engine.values.not_kept(each.contents or {})
        number = len(finished)
        what = f"{number} results" if number != 1 else f"the result of {finished[0].record.kind}"
        why = error if isinstance(error, IntemiError) else f"{type(error).__name__}: {error}"
        where = "the store" if self._folder is None else os.fspath(self._folder)
        text = f"{what} could not be written to {where} and {'are' if number != 1 else 'is'} kept in memory only: {why}"
        warnings.warn(StoreWarning(text), stacklevel=2)

    # Requesting

    def request(
        self,
        config: Machine,
        /,
        *,
        name: str | None = None,
        priority: int = 0,
        limits: Limits | None = None,
        comments: Mapping[str, Any] | None = None,
        commentators: Sequence[Commentator] = (),
        **bindings: Any,
    ) -> Capsule:
        """Ask for a machine; returns at once with a capsule.

        `comments` are labels of the request, and of everything under it. Once it is done, commentators label whatever
        has finished under it. If one of them fails, that is a warning.
        """
        request = Request(config, bindings, None, name, (), comments, priority, limits)
        return self._request(request, commentators)

    def run(
        self,
        config: Machine,
        /,
        *,
        name: str | None = None,
        priority: int = 0,
        limits: Limits | None = None,
        comments: Mapping[str, Any] | None = None,
        commentators: Sequence[Commentator] = (),
        **bindings: Any,
    ) -> Capsule:
        """Ask for a machine and wait until it is finished; Ctrl-C aborts it, and what has finished is kept."""
        request = Request(config, bindings, None, name, (), comments, priority, limits)
        capsule = self._request(request, commentators)
        try:
            return capsule.wait()
        except KeyboardInterrupt:
            capsule.abort()
            raise

    def _request(self, request: Request, commentators: Sequence[Commentator]) -> Capsule:
        if request.comments is not None:
            _check_comments(request.comments)
        try:
            return self._engine.request(request, commentators)
        except RecursionError:
            raise too_deep(type(request.config).__name__, "to be requested") from None

    def wait(self, *capsules: Capsule) -> None:
        """Wait for all of them; the first (in the order given) that did not finish raises, after all are done."""
        self._engine.wait_for([capsule.context for capsule in capsules])
        for capsule in capsules:
            capsule.wait()

    def given(self, value: Any) -> Source:
        """An output that holds a value of yours, to bind inputs to. Its identity is its content, digested here."""
        config = Given(encoding.content_digest(value).hex())
        context = Context(config, {}, None, key_of(config, None, {}))
        context.set_record(self._engine.values.give(context.key, config, value))
        return Source(context, Output(type(value), name="value"))

    def save(self, capsule: Capsule, path: str | os.PathLike[str]) -> None:
        """Write what a finished machine leaves into one file, with its configuration and lineage.

        The file needs no project, and holds no code: `intemi.load_model` reads it.
        """
        from intemi.kernel.model_files import save

        engine = self._engine
        lineage = Lineage(engine.records, engine.values, partial(replayed, engine), is_dry=True)
        save(lineage, engine.values, capsule, path)

    def explain(self, config: Machine, /, **bindings: Any) -> Explanation:
        """A dry run: what a request would reuse, what it would run, and why."""
        return explain(self._engine, Request(config, bindings))

    def is_on_record(self, config: Machine, /, **bindings: Any) -> bool:
        """Whether a request would be answered at once; unlike `explain`, it does not look at what would be run.

        >>> from intemi.kernel import Model, Output
        >>> class One(Machine):
        ...     value = Output(int)
        ...     def run(self):
        ...         return Model(value=1)
        >>> with Project() as project:
        ...     before = project.is_on_record(One())
        ...     _ = project.run(One())
        ...     before, project.is_on_record(One())
        (False, True)
        """
        return is_on_record(self._engine, Request(config, bindings))

    def forget(self, config: Machine, /, **bindings: Any) -> None:
        """Drop what is on record for a request, so that the next request runs it again."""
        forget(self._engine, Request(config, bindings))

    def abort(self) -> None:
        """End every request that is not done."""
        self._engine.abort_all()

    # Asking

    @classmethod
    def open(cls, folder: str | os.PathLike[str], **options: Unpack[ProjectOptions]) -> Self:
        """A project whose folder is there already; an error if it is not."""
        if not (Path(folder) / "machines.sqlite").exists():
            raise ConfigurationError(f"{os.fspath(folder)}: there is no project in this folder")
        return cls(folder, **options)

    def query(
        self,
        root: Capsule | Run | str | None = None,
        where: Qualifier | Callable[[Item], bool] | None = None,
        labels: Labels = None,
        *,
        type: type[Machine] | str | None = None,
        name: str | None = None,
        path: str | None = None,
        run: WhichRun = None,
    ) -> Series:
        """A series of what was run: everything under a root (a capsule, a run, a path; else all of it) that qualifies.

        A path begins with the name of a request. Of several requests of one name, the latest is meant; with `run` (a
        run or its number) the latest in that run, and with `run="all"` all of them.
        `type`, `name` and `path` are short for the qualifiers `OfType`, `Named` and `At`. Labels are names, labelers
        or mappings of fixed labels; the first is the main one. Without any, an item gets its results and all comments
        on its path.
        """
        for qualifier in (
            None if type is None else OfType(type),
            None if name is None else Named(name),
            None if path is None else At(path),
        ):
            where = qualifier if where is None else where if qualifier is None else both(qualifier, where)
        start = root.context if isinstance(root, Capsule) else root
        return self._repository.query(start, where, labels, run)

    def comment(
        self,
        commentator: Commentator,
        root: Capsule | Run | str | None = None,
        where: Qualifier | Callable[[Item], bool] | None = None,
        *,
        run: WhichRun = None,
    ) -> dict[str, int]:
        """Let a commentator label finished machines; returns how many it labelled, and how many are gone.

        `root` and `run` mean what they mean in a query.
        """
        return self._repository.comment(commentator, root.context if isinstance(root, Capsule) else root, where, run)

    def runs(self) -> list[Run]:
        """All sessions that have requested something in this folder, the first one first."""
        return self._repository.runs()

    @property
    def folder(self) -> Path | None:
        """Where everything is kept; None if that is in memory only."""
        return self._folder

    # Task managers

    def subscribe(self, manager: TaskManager) -> None:
        """Let one more task manager work for this project, from now on."""
        self._engine.subscribe(manager)

    def unsubscribe(self, manager: TaskManager) -> None:
        """Let a task manager finish what it is doing, and take it away."""
        self._engine.unsubscribe(manager)

    @property
    def managers(self) -> tuple[TaskManager, ...]:
        """The task managers that work for this project."""
        return self._engine.managers

    # Watching

    @property
    def keeps_all(self) -> bool:
        """Whether all that has finished could be kept; what could not, as a warning has said, is in memory only."""
        return not self._engine.store.has_unsaved

    def counts(self) -> Counts:
        """How many machines exist logically and how many were really run, since the project was opened."""
        self._engine.events.distribute()
        return self._engine.events.counts.copy()

    def listen(self, listener: Listener, *, early: bool = False) -> Callable[[], None]:
        """Notify a listener of every event, in order, on a thread of its own; call what is returned to unsubscribe it.

        A finished machine is written before its event is delivered, so that a listener can rely on it. With `early`,
        events may precede the write by a moment. A listener that is slow, or raises, delays only itself: `wait` and
        `run` return when it was notified, unless that takes longer than a moment.
        """
        return self._engine.events.listen(listener, early)

    # Closing

    def close(self) -> None:
        """Abort what is not done and release all resources. What has finished is kept."""
        if self._engine.is_inherited:  # a fork leaves everything to the process that it belongs to
            return
        with self._closing:
            self._engine.store.flush()
            with suppress(IntemiError):  # closing it tries once more, and warns of what is wrong
                self._repository.write()  # what is known of composites, before they are aborted

    def __repr__(self) -> str:
        where = "in memory" if self._folder is None else repr(os.fspath(self._folder))
        return f"<Project {where}>"

    def _repr_html_(self) -> str:
        return to_html(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def _check_comments(comments: object) -> None:
    """Refuse what cannot be kept as labels of a request."""
    if not isinstance(comments, Mapping) or not all(isinstance(label, str) for label in comments):
        raise ConfigurationError(f"request: comments must be a mapping from labels (texts) to values, got {comments!r}")
    encoding.encode(dict(comments))


def _store(folder: str | os.PathLike[str] | None, given: Store | None) -> BufferedStore:
    if isinstance(given, BufferedStore):
        return given
    if given is None and folder is None:
        return MemoryStore()
    from intemi.kernel.disk import DiskStore, WriteBehind

    if given is None:
        assert folder is not None
        given = DiskStore(folder, partial(store_of, Path(folder)))
    return WriteBehind(given)


def _quarter_of_memory() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 4
    except (AttributeError, ValueError, OSError):
        return 2**31
