"""Notes of a session: what it has requested and what is on its way, as far as that is not written yet."""

from __future__ import annotations

from collections import deque
from itertools import count
from typing import Any, NamedTuple

from intemi.kernel.encoding import encode
from intemi.kernel.record import Child, Record
from intemi.kernel.repository.tables import text
from intemi.kernel.task import Context, Task


class Root(NamedTuple):
    """A request of the user's program; its machine is not known before its inputs are."""

    position: int
    name: str
    key: bytes
    machine: bytes | None
    comments: bytes | None = None
    """Labels that the user's program gave it, encoded."""

    @property
    def entry(self) -> tuple[Any, ...]:
        """As it is in the log."""
        return tuple(self if self.comments is not None else self[:4])


class News(NamedTuple):
    """What is to be written."""

    roots: list[Root]
    composites: list[tuple[Record, list[Child]]]
    """Composites that are not finished, and those of their children that have become known."""


class _Request:
    """A root that is not done, or not written."""

    __slots__ = ("comments", "context", "machine", "position", "written")

    def __init__(self, position: int, context: Context) -> None:
        self.position = position
        self.context = context
        self.comments = _comments(context)
        self.machine: bytes | None = None
        """Stays known when the request is aborted."""
        self.written: Root | None = None

    @property
    def root(self) -> Root:
        self.machine = machine_of(self.context) or self.machine
        return Root(self.position, text(self.context.name), self.context.key, self.machine, self.comments)

    @property
    def is_over(self) -> bool:
        """Whether all is written that will ever be known of it; what has no task was refused."""
        return (self.context.is_done or self.context.task is None) and self.root == self.written


class _Progress:
    """How much is known of the children of an unfinished composite."""

    __slots__ = ("looked_at", "unknown")

    def __init__(self) -> None:
        self.looked_at = -1
        """How many of its children were looked at; the composite itself was not, at first."""
        self.unknown: list[Context] = []
        """Those of them whose machines were not known yet."""


class Notes:
    """What a session has requested. Requests are noted on any thread; all else is done by one at a time."""

    def __init__(self, engine: Any) -> None:
        self._engine = engine
        self._serial = count()
        self._latest: dict[str, bytes] = {}
        """The key of the latest request of each name."""
        self._noted: dict[tuple[bytes, str], tuple[int, bytes | None]] = {}
        """Where each request was noted last, and its comments."""
        self._answered: deque[tuple[int, str, bytes, bytes | None, bytes | None]] = deque()
        """Requests that were answered at once: nothing more will become known of them."""
        self._new: deque[_Request] = deque()
        self._requests: list[_Request] = []
        self._composites: dict[Task, _Progress] = {}
        self._just_answered: list[Root] = []
        """What was collected last of those."""

    def add(self, context: Context) -> None:
        """Note a request; the same one again is nothing new, unless another of its name has come between."""
        position = next(self._serial)
        if self._engine.records.level:
            if self._latest.get(context.name) == context.key:
                return
            self._latest[context.name] = context.key
            self._noted[context.key, context.name] = position, _comments(context)
        if context.record is not None:
            machine = context.record.machine
            self._answered.append((position, context.name, context.key, machine, _comments(context)))
        else:
            self._new.append(_Request(position, context))

    def __len__(self) -> int:
        """How many requests were noted since the last time that news were collected."""
        return len(self._new) + len(self._answered)

    @property
    def are_open(self) -> bool:
        """Whether there will be news."""
        return bool(self._new or self._answered or self._requests)

    def collect(self) -> News:
        """What has become known since the last time."""
        self._requests = [request for request in self._requests if not request.is_over]
        while self._new:
            self._requests.append(self._new.popleft())
        roots = []
        while self._answered:
            position, name, key, machine, comments = self._answered.popleft()
            roots.append(Root(position, text(name), key, machine, comments))
        self._just_answered = roots.copy()
        for request in self._requests:
            if (root := request.root) != request.written:
                request.written = root
                roots.append(root)
        known = self._composites
        self._composites = {task: known.get(task) or _Progress() for task in self._engine.open_composites()}
        composites = [(task, self._new_children(task, progress)) for task, progress in self._composites.items()]
        return News(roots, [(_so_far(task), children) for task, children in composites if children is not None])

    def take_back(self) -> None:
        """What was collected last could not be written: it is news again."""
        for request in self._requests:
            request.written = None
        self._answered.extend(self._just_answered)
        self._composites.clear()

    def collect_all(self) -> News:
        """Everything, written before or not."""
        self.take_back()
        news = self.collect()
        noted = {root.position for root in news.roots}
        lost = [
            Root(at, text(name), key, None, comments)
            for (key, name), (at, comments) in self._noted.items()
            if at not in noted
        ]
        return News(news.roots + lost, news.composites)

    def _new_children(self, task: Task, progress: _Progress) -> list[Child] | None:
        """The children whose machines have become known; None if there is nothing new at all."""
        is_new = progress.looked_at < 0
        listed = task.children[max(0, progress.looked_at) :]
        progress.looked_at = max(0, progress.looked_at) + len(listed)
        children = []
        unknown = []
        for child in (*progress.unknown, *listed):
            machine = machine_of(child)
            if machine is not None:
                children.append(Child(child.index, child.name, machine, dict(child.comments or {}), child.key))
            elif not child.is_done:
                unknown.append(child)
        progress.unknown = unknown
        return children if children or is_new else None


def machine_of(context: Context) -> bytes | None:
    """The id of the machine that answers, or will answer, a context; None if it is not known yet."""
    task, record = context.task, context.record  # one that is just being answered may have neither for a moment
    if record is not None:
        return record.machine
    return (task.machine or None) if task is not None else None


def _comments(context: Context) -> bytes | None:
    return encode(dict(context.comments)) if context.comments else None


def _so_far(task: Task) -> Record:
    context = task.owner
    return Record(task.machine, context.config.kind, context.config.encoding, context.seed, {}, started=task.started)
