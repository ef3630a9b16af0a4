"""The repository of a project: notes what was requested, and answers questions about everything that has finished.

The record of a finished machine is in the store before anybody is told. What is written here comes behind, in batches:
the roots of a run and what is known of unfinished composites every now and then, the index when somebody asks.
"""

from __future__ import annotations

import json
import sqlite3
import threading
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from intemi.kernel.context import Context
from intemi.kernel.disk.mending import Mending
from intemi.kernel.errors import IntemiError, MachineError, StoreWarning
from intemi.kernel.record import Child, Record, flat
from intemi.kernel.repository import commentators
from intemi.kernel.repository.index import Index, Transaction
from intemi.kernel.repository.item import Item, Step
from intemi.kernel.repository.labels import labelers_of
from intemi.kernel.repository.qualifiers import At, Qualifier
from intemi.kernel.repository.query import Query
from intemi.kernel.repository.reader import Reader, Where
from intemi.kernel.repository.runs import Run, fingerprint
from intemi.kernel.repository.tables import connect, to_cell
from intemi.series import Series

if TYPE_CHECKING:
    from intemi.kernel.line import AssemblyLine

INTERVAL = 0.5
"""Seconds after which what was requested is written, at the latest."""

Answer = TypeVar("Answer")


class _Opened:
    """The open file, and what is known of its index."""

    def __init__(self, path: Path | None) -> None:
        self.connection = connect(path)
        self.index = Index(self.connection)

    def close(self) -> None:
        self.connection.close()


class Repository:
    """Everything that was ever run in a project."""

    def __init__(self, line: AssemblyLine, folder: Path | None, name: str | None) -> None:
        self._line = line
        self._store = line.unifier.store
        self._folder = folder
        self._name = name
        self._started = time.time()
        self._lock = threading.RLock()
        self._mending: Mending[_Opened] | None = None
        self._memory: _Opened | None = None
        self._run: int | None = None
        self._seen: set[tuple[bytes, str]] = set()
        self._new_roots: list[Context] = []
        self._roots = 0
        self._is_timed = False

    # What was requested

    def note_root(self, context: Context) -> None:
        """A request of the user's program; the same one again is nothing new."""
        seen = (context.key, context.name)
        if seen in self._seen:
            return
        self._seen.add(seen)
        self._new_roots.append(context)
        if self._folder is not None and not self._is_timed:
            self._is_timed = True
            self._line.timers.after(INTERVAL, self._time_is_up)

    def _time_is_up(self) -> None:
        self._is_timed = False
        try:
            self.write()
        except IntemiError as error:
            warnings.warn(StoreWarning(f"the repository is behind: {error}"), stacklevel=2)
        if self._line.open_composites():
            self._is_timed = True
            self._line.timers.after(INTERVAL, self._time_is_up)

    def write(self) -> None:
        """Write what was requested since the last time, and what is known of composites that are not finished."""
        with self._lock:
            roots, self._new_roots = self._new_roots, []
            unfinished = [self._so_far(task) for task in self._line.open_composites()]
            if roots or unfinished:
                self._do(self._write, roots, unfinished)

    def _write(self, opened: _Opened, roots: list[Context], unfinished: list[tuple[Record, list[Child]]]) -> None:
        if roots:
            run = self._number_of_run(opened.connection)
            rows = []
            for context in roots:
                machine = None if context.record is None else context.record.machine
                if machine is None and context.task is not None:
                    machine = context.task.machine or None
                rows.append((run, self._roots, context.name, context.key, machine))
                self._roots += 1
            with Transaction(opened.connection):
                opened.connection.executemany("INSERT OR REPLACE INTO roots VALUES (?, ?, ?, ?, ?)", rows)
        if unfinished:
            opened.index.catch_up(self._store, self._source())
            opened.index.add_unfinished(unfinished)

    def _so_far(self, task: Any) -> tuple[Record, list[Child]]:
        """What is known of a composite that is not finished."""
        context = task.owner
        record = Record(
            task.machine, context.config.kind, context.config.encoding, context.seed, {}, started=task.started
        )
        children = []
        for child in list(task.children):
            below = child.record.machine if child.record is not None else child.task.machine if child.task else b""
            if below:
                children.append(Child(child.index, child.name, below, dict(child.comments or {}), child.key))
        return record, children

    def _number_of_run(self, connection: sqlite3.Connection) -> int:
        if self._run is None:
            row = (self._name or time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(self._started)),)
            added = connection.execute(
                "INSERT INTO runs (name, started, program) VALUES (?, ?, ?)", (*row, self._started, fingerprint())
            )
            self._run = added.lastrowid
        assert self._run is not None
        return self._run

    # Questions

    def runs(self) -> list[Run]:
        """All sessions that have requested something, the first one first."""
        self.write()
        rows = self._do(lambda opened: opened.connection.execute("SELECT * FROM runs ORDER BY number").fetchall())
        return [Run(number, name, started, json.loads(program)) for number, name, started, program in rows]

    def query(self, root: Any, where: Where, labels: Any) -> Series:
        """A series of all items under a root that qualify."""
        with self._lock:
            reader, items = self._items(root, where)
            return reader.series(items, None if labels is None else labelers_of(labels))

    def ask(self, query: Query, root: Context) -> Series:
        """The series that a query value finds under a context."""
        where: Qualifier = At(query.path)
        if query.where is not None:
            where &= query.where
        return self.query(root, where, [query.label, *query.labels])

    def _items(self, root: Any, where: Where) -> tuple[Reader, list[Item]]:
        if not (isinstance(root, Context) and root.record is not None):
            self.write()

        def read(opened: _Opened) -> tuple[Reader, list[Item]]:
            opened.index.catch_up(self._store, self._source())
            reader = Reader(opened.index)
            roots, prefix = self._roots_of(opened, root)
            chosen = where if prefix is None else both(prefix, where)
            return reader, reader.items(roots, chosen, None)

        return self._do(read)

    def _roots_of(self, opened: _Opened, root: Any) -> tuple[dict[int, Step], Qualifier | None]:
        if isinstance(root, Context):
            machine = root.record.machine if root.record is not None else root.task.machine if root.task else b""
            number = opened.index.number_of(machine)
            return ({} if number is None else {number: Step(number, 0, root.name, None)}), None
        rows = opened.connection.execute("SELECT run, position, name, key, machine FROM roots ORDER BY run, position")
        chosen = rows.fetchall()
        prefix: Qualifier | None = None
        if isinstance(root, Run):
            chosen = [row for row in chosen if row[0] == root.number]
        elif isinstance(root, str):
            first, _, rest = root.partition("/")
            chosen = [row for row in chosen if row[2] == first]
            if not chosen:
                raise IntemiError(f"no request is called {first!r} in this project")
            prefix = At(f"{rest}/**") if rest else None
        elif root is not None:
            raise IntemiError(f"a query starts at a capsule, a run or a path, got {root!r}")
        roots: dict[int, Step] = {}
        for order, (_, _, name, key, noted) in enumerate(chosen):
            record = self._store.find(key) if noted is None else None
            found = noted if record is None else record.machine
            number = None if found is None else opened.index.number_of(found)
            if number is not None:
                roots.setdefault(number, Step(number, order, name, None))
        return roots, prefix

    # Comments

    def comment(self, commentator: commentators.Commentator, root: Any, where: Where) -> dict[str, int]:
        """Let a commentator speak of all machines under a root that qualify; how many it did, and how many are gone."""
        with self._lock:
            reader, items = self._items(root, where)
        said: dict[bytes, list[tuple[Any, ...]]] = {}
        gone = 0
        for item in items:
            machine = reader.details(item.machine)[0]
            record = self._line.unifier.record_of(machine)
            config: Any = item.config
            if machine in said or config is None or not commentator.applies_to(config):
                continue
            if record is None or record.failure is not None:
                gone += 1
                continue
            try:
                finished = self._seen_by_commentators(config, record)
            except (IntemiError, MachineError) as error:
                warnings.warn(StoreWarning(f"{item.path}: no comment, its values are gone: {error}"), stacklevel=3)
                gone += 1
                continue
            said[machine] = [
                (machine, label, to_cell(value), commentator.kind)
                for label, value in commentator.comments(finished).items()
            ]
        rows = [row for each in said.values() for row in each]
        self._do(_add_comments, rows)
        return {"commented": len(said), "gone": gone}

    def _seen_by_commentators(self, config: Any, record: Record) -> commentators.Finished:
        values = self._line.values
        inputs: dict[str, Any] = {}
        for name, (multi, origins) in (record.inputs or {}).items():
            loaded = tuple(values.load(values.item_at(origin)) for origin in origins)
            inputs[name] = loaded if multi else loaded[0]
        outputs = (
            {}
            if config.is_composite
            else {
                name: tuple(map(values.load, flat(items)))
                if config.outputs[name].multi
                else values.load(flat(items)[0])
                for name, items in record.outputs.items()
            }
        )
        return commentators.Finished(config, inputs, outputs, record.results)

    # The file

    def _do(self, action: Callable[..., Answer], *arguments: Any) -> Answer:
        with self._lock:
            if self._folder is None:
                if self._memory is None:
                    self._memory = _Opened(None)
                return action(self._memory, *arguments)
            path = self._folder / "results.sqlite"
            if self._mending is None:
                self._mending = Mending(path, path, lambda: _Opened(path), _Opened.close)
            self._mending.follow()
            return self._mending.run(action, *arguments)

    def _source(self) -> str:
        """Which file the index was read from: numbers of machines begin anew in another one."""
        if self._folder is None:
            return "memory"
        return str((self._folder / "machines.sqlite").stat().st_ino)

    def close(self) -> None:
        """Write what is behind, and close the file."""
        with self._lock, suppress(IntemiError):
            self.write()
            if self._mending is not None:
                self._mending.close()
            if self._memory is not None:
                self._memory.close()


def _add_comments(opened: _Opened, rows: list[tuple[Any, ...]]) -> None:
    with Transaction(opened.connection):
        opened.connection.executemany("INSERT OR REPLACE INTO comments VALUES (?, ?, ?, ?)", rows)


def both(first: Qualifier, second: Where) -> Where:
    """What qualifies for both."""
    if second is None:
        return first
    if isinstance(second, Qualifier):
        return first & second
    return lambda item: first.qualifies(item) and second(item)
