"""The project: a folder in which everything that was ever run is kept, and the engine that runs what is not there."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Self, TypedDict, Unpack

from intemi.kernel import encoding
from intemi.kernel.capsule import Capsule
from intemi.kernel.component import too_deep
from intemi.kernel.context import Context, Source, State
from intemi.kernel.errors import ConfigurationError
from intemi.kernel.events import Counts, EventStream, Listener
from intemi.kernel.explain import Explanation, explain, forget, is_on_record
from intemi.kernel.limits import Limits
from intemi.kernel.line import AssemblyLine
from intemi.kernel.machine import Machine
from intemi.kernel.managers import TaskManager
from intemi.kernel.memory import MemoryCache
from intemi.kernel.ports import Output
from intemi.kernel.repository import At, Commentator, Named, OfType, Qualifier, Run
from intemi.kernel.repository.commentators import check_commentators
from intemi.kernel.repository.item import Item
from intemi.kernel.repository.labels import Labels
from intemi.kernel.repository.repository import Repository, both
from intemi.kernel.repository.requests import WhichRun
from intemi.kernel.seeds import Seed
from intemi.kernel.store import MemoryStore, Store
from intemi.kernel.threads import Threads
from intemi.kernel.unifier import Failures, Unifier, key_of
from intemi.series import Series


class Given(Machine):
    """A value that came from outside; known by its content, and never run."""

    value = Output(object)
    content: str

    def run(self) -> Any:
        raise ConfigurationError("a given value cannot be made again")


class ProjectOptions(TypedDict, total=False):
    """What a project can be told when it is opened, beside its folder."""

    workers: int | TaskManager | None
    seed: int
    unification: Literal[0, 1, 2]
    failures: Failures | Literal["reuse", "retry", "forget"]
    memory: int | None
    trusted: bool
    name: str | None


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
    ) -> None:
        """`trusted` says that no one else can write to the folder: values without a safe encoding are pickled there.

        `name` is that of this run among all runs of the folder; without one it is called by its time.
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
        manager = workers if isinstance(workers, TaskManager) else Threads(workers)
        self._folder = None if not unification or folder is None else Path(folder)
        self._events = EventStream()
        self._line = AssemblyLine(
            Unifier(_store(folder if unification else None), unification, Failures(failures)),
            MemoryCache(memory or _quarter_of_memory()),
            self._events,
            Seed(seed),
            trusted,
        )
        self._line.repository = Repository(self._line, self._folder, name)
        try:
            self._line.subscribe(manager)
        except ConfigurationError:
            self._line.close()
            raise

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
        return self._request(config, bindings, name, priority, limits, comments, commentators)

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
        capsule = self._request(config, bindings, name, priority, limits, comments, commentators)
        try:
            return capsule.wait()
        except KeyboardInterrupt:
            capsule.abort()
            raise

    def _request(
        self,
        config: Machine,
        bindings: Mapping[str, Any],
        name: str | None,
        priority: int,
        limits: Limits | None,
        comments: Mapping[str, Any] | None,
        commentators: Sequence[Commentator],
    ) -> Capsule:
        if comments is not None:
            _check_comments(comments)
        if commentators != ():
            check_commentators(commentators)
        try:
            capsule = self._line.request(config, bindings, None, name, (), comments, priority, limits)
        except RecursionError:
            raise too_deep(type(config).__name__, "to be requested") from None
        if not commentators:
            return capsule
        return Capsule(capsule.context, self._line, self._line.attached.attach(capsule, commentators))

    def wait(self, *capsules: Capsule) -> None:
        """Wait for all of them; the first (in the order given) that did not finish raises, after all are done."""
        self._line.wait_for(capsules)
        for capsule in capsules:
            capsule.wait()

    def given(self, value: Any) -> Source:
        """An output that holds a value of yours, to bind inputs to. Its identity is its content, digested here."""
        config = Given(encoding.content_digest(value).hex())
        context = Context(config, {}, None, key_of(config, None, {}))
        context.record = self._line.values.give(context.key, config, value)
        context.state = State.FINISHED
        return Source(context, Output(type(value), name="value"))

    def save(self, capsule: Capsule, path: str | os.PathLike[str]) -> None:
        """Write what a finished machine leaves into one file, with its configuration and lineage.

        The file needs no project, and holds no code: `intemi.load_model` reads it.
        """
        from intemi.kernel.model_files import save

        save(self._line, capsule, path)

    def explain(self, config: Machine, /, **bindings: Any) -> Explanation:
        """A dry run: what a request would reuse, what it would run, and why."""
        return explain(self._line, config, bindings)

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
        return is_on_record(self._line, config, bindings)

    def forget(self, config: Machine, /, **bindings: Any) -> None:
        """Drop what is on record for a request, so that the next request runs it again."""
        forget(self._line, config, bindings)

    def abort(self) -> None:
        """End every request that is not done."""
        self._line.abort_all()

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

    @property
    def _repository(self) -> Repository:
        assert self._line.repository is not None
        return self._line.repository

    # Task managers

    def subscribe(self, manager: TaskManager) -> None:
        """Let one more task manager work for this project, from now on."""
        self._line.subscribe(manager)

    def unsubscribe(self, manager: TaskManager) -> None:
        """Let a task manager finish what it is doing, and take it away."""
        self._line.unsubscribe(manager)

    @property
    def managers(self) -> tuple[TaskManager, ...]:
        """The task managers that work for this project."""
        return tuple(self._line.managers)

    # Watching

    @property
    def keeps_all(self) -> bool:
        """Whether all that has finished could be kept; what could not, as a warning has said, is in memory only."""
        return not self._line.unifier.lacks_some

    def counts(self) -> Counts:
        """How many machines exist logically and how many were really run, since the project was opened."""
        return self._events.counts.copy()

    def listen(self, listener: Listener, *, early: bool = False) -> Callable[[], None]:
        """Notify a listener of every event; call what is returned to unsubscribe it.

        Each finished machine is written before its event is emitted, one by one, so that a listener can rely on it. A
        display need not slow down the work like that: with `early`, events may precede the write by a moment.
        """
        self._events.listen(listener, early)
        return lambda: self._events.unlisten(listener)

    # Closing

    def close(self) -> None:
        """Abort what is not done and release all resources. What has finished is kept."""
        self._line.close()

    def __repr__(self) -> str:
        where = "in memory" if self._folder is None else repr(os.fspath(self._folder))
        return f"<Project {where}>"

    def _repr_html_(self) -> str:
        from intemi.kernel.notebook import project_html

        return project_html(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def _check_comments(comments: object) -> None:
    """Refuse what cannot be kept as labels of a request."""
    if not isinstance(comments, Mapping) or not all(isinstance(label, str) for label in comments):
        raise ConfigurationError(f"request: comments must be a mapping from labels (texts) to values, got {comments!r}")
    encoding.encode(dict(comments))


def _store(folder: str | os.PathLike[str] | None) -> Store:
    if folder is None:
        return MemoryStore()
    from intemi.kernel.disk import DiskStore, WriteBehind

    return WriteBehind(DiskStore(folder))


def _quarter_of_memory() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 4
    except (AttributeError, ValueError, OSError):
        return 2**31
