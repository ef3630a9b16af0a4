"""What has become of requests so far: counted as events come in, and read by displays as often as they like."""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import dataclass, field
from time import monotonic
from typing import Literal

from intemi.kernel.capsule import Capsule
from intemi.kernel.events import Event, EventKind
from intemi.kernel.project import Project

Ended = Literal["finished", "failed", "aborted"]
_ENDS: dict[EventKind, Ended] = {
    EventKind.FINISHED: "finished",
    EventKind.UNIFIED: "finished",
    EventKind.FAILED: "failed",
    EventKind.ABORTED: "aborted",
}


TELLING = 10
"""How many parts must be done to tell how long the rest takes."""


@dataclass
class Branch:
    """A request of the user, with everything under it."""

    name: str
    expected: int | None = None
    """How many machines it requests directly, if that is known."""
    requested: int = 0
    run: int = 0
    unified: int = 0
    failed: int = 0
    parts: int = 0
    """Machines that it has requested directly and that are done."""
    ended: Ended | None = None
    was_found: bool = False
    """Whether all of it was on record."""

    @property
    def is_done(self) -> bool:
        """Whether it has finished or failed; what was aborted is not done."""
        return self.ended in ("finished", "failed")

    @property
    def share(self) -> float | None:
        """How much of it is done, as far as can be told."""
        if self.is_done:
            return 1.0
        return None if not self.expected else min(1.0, self.parts / self.expected)


@dataclass
class Tally:
    """The branches of a project that are watched, what is running, and since when."""

    branches: dict[str, Branch] = field(default_factory=dict)
    running: dict[int, str] = field(default_factory=dict)
    """Leaves that are being run now, by their paths."""
    hosts: Counter[str] = field(default_factory=Counter)
    """How many leaves have run on each host of a cluster."""
    started: float = field(default_factory=monotonic)
    _last: float = field(default_factory=monotonic)
    """When a part was last done."""
    _pause: float = 0.0
    """The longest time in which none was: the first tree on a computer waits for the compiler."""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, name: str, expected: int | None = None) -> Branch:
        """Expect a request of that name."""
        with self._lock:
            return self.branches.setdefault(name, Branch(name, expected))

    def see(self, name: str, capsule: Capsule) -> None:
        """Take note of a request that was answered before anybody could tell."""
        with self._lock:
            branch = self.branches.setdefault(name, Branch(name))
            if branch.ended is None and capsule.context.is_done:
                branch.ended = "finished" if capsule.context.error is None else "failed"

    def __call__(self, event: Event) -> None:
        """Count an event."""
        kind = event.kind
        with self._lock:
            branch = self.branches.get(event.root)
            if kind is EventKind.STARTED:
                if not event.config.is_composite:
                    self.running[event.number] = event.path
            elif kind is not EventKind.REQUESTED:
                self.running.pop(event.number, None)
                if kind is EventKind.FINISHED and event.worker is not None:
                    self.hosts[event.worker.rpartition(":")[0]] += 1
            if branch is None:
                return
            if kind is EventKind.FAILED and event.error is not None and event.error.path == event.path:
                branch.failed += 1  # by itself: what depends on it is not counted
            if not event.is_step:
                self._count(branch, kind, event.depth)

    def _count(self, branch: Branch, kind: EventKind, depth: int) -> None:
        if kind is EventKind.REQUESTED:
            branch.requested += 1
        elif kind is EventKind.STARTED:
            branch.run += 1
        elif kind is EventKind.UNIFIED:
            branch.unified += 1
        if depth == 1 and kind in _ENDS:
            branch.parts += 1
            now = monotonic()
            self._pause, self._last = max(self._pause, now - self._last), now
        elif depth == 0 and kind in _ENDS:
            branch.ended = _ENDS[kind]
            branch.was_found = kind is EventKind.UNIFIED

    @property
    def totals(self) -> Counter[str]:
        """The counts of all branches together."""
        with self._lock:
            found: Counter[str] = Counter()
            for branch in self.branches.values():
                found.update(run=branch.run, unified=branch.unified, failed=branch.failed, requested=branch.requested)
            return found

    @property
    def seconds(self) -> float:
        """Since it was begun."""
        return monotonic() - self.started

    @property
    def seconds_left(self) -> float | None:
        """About how long the rest takes, if it goes on as it has gone so far; None as long as that tells nothing.

        What was on record took no time, and the longest pause will not come again.
        """
        with self._lock:
            run = [branch for branch in self.branches.values() if not branch.was_found]
            parts = sum(branch.parts for branch in run)
            share = sum(branch.share or 0.0 for branch in run) / max(1, len(run))
            pause = max(self._pause, monotonic() - self._last)
        return None if parts < TELLING or not share else (self.seconds - pause) * (1 - share) / share

    def busiest_hosts(self, most: int) -> list[tuple[str, int]]:
        """Hosts of a cluster, and how many leaves each has run; those that have run most."""
        with self._lock:
            return self.hosts.most_common(most)

    def now_running(self) -> list[str]:
        """The paths of what is being run."""
        with self._lock:
            return list(self.running.values())


def tally(project: Project) -> Tally:
    """Count what happens in a project from now on.

    >>> from intemi.machines import SklearnDataset
    >>> with Project() as project:
    ...     counted = tally(project)
    ...     branch = counted.add("flowers")
    ...     done = project.run(SklearnDataset("iris"), name="flowers")
    >>> branch.run, branch.ended
    (1, 'finished')
    """
    counted = Tally()
    project.listen(counted, early=True)
    return counted
