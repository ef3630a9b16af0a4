"""The repository of a project: notes what was requested, and answers questions about everything that has finished.

The record of a finished machine is in the store before anyone is notified. The roots of a run and what is known of
unfinished composites follow every now and then, in the store's log. Questions are answered from an index of both, which
reads what has finished since the last question.
"""

from __future__ import annotations

import json
import secrets
import threading
import time
import warnings
from collections.abc import Callable, Mapping, Sequence, Set
from contextlib import closing
from pathlib import Path
from typing import Any, TypeVar

from intemi.kernel import entries
from intemi.kernel.encoding import encode
from intemi.kernel.errors import ConfigurationError, IncompleteError, IntemiError, StoreWarning
from intemi.kernel.lineage import SAMPLE
from intemi.kernel.machine import Machine
from intemi.kernel.record import encode_children
from intemi.kernel.repository.commentators import Commentator, seen
from intemi.kernel.repository.file import Opened, RepositoryFile
from intemi.kernel.repository.finding import Where, check_where, find, starts_of
from intemi.kernel.repository.item import CallersError, Item, Reader
from intemi.kernel.repository.labels import STAMPS, Labeler, Labels, Stamps, labelers_of, series_of
from intemi.kernel.repository.notes import News, Notes, machine_of
from intemi.kernel.repository.provenance import Provenance
from intemi.kernel.repository.qualifiers import At, Qualifier
from intemi.kernel.repository.query import Query
from intemi.kernel.repository.runs import Run, WhichRun, fingerprint, start_of
from intemi.kernel.repository.tables import Requests, text, to_cell
from intemi.kernel.task import Context
from intemi.series import Series

FLUSH_SECONDS = 0.5
"""Seconds after which what was requested is written, at the latest."""
MAX_PENDING = 5000
"""Requests, or comments, that are written without waiting for more."""

MAX_LISTED_LOSSES = 3
"""Losses that a warning lists."""

Answer = TypeVar("Answer")


NOT_UPDATED = "the index could not be updated; nothing is lost, the next query rebuilds it"
"""What users are warned of; the error follows."""


class Repository:
    """Everything that was ever run in a project."""

    def __init__(self, engine: Any, folder: Path | None, name: str | None) -> None:
        started = time.time()
        self._engine = engine
        self._store = engine.store
        self._folder = None if folder is None else folder.absolute()
        self._file = RepositoryFile(self._folder)
        self._notes = Notes(engine)
        self._run = (text(name or time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(started))), started)
        self._session = secrets.token_bytes(16)
        self._noted_in: int | None = None
        """The generation of the store to which this session was written."""
        self._timer: threading.Timer | None = None
        self._timing = threading.Lock()
        self._is_closed = False

    # What was requested

    def note_root(self, context: Context) -> None:
        """A request of the user's program."""
        self._notes.add(context)
        if self._folder is None:
            if len(self._notes) >= MAX_PENDING:
                self.write()
        elif self._timer is None:
            self._set_timer()

    def _set_timer(self) -> None:
        with self._timing:
            if self._timer is None and not self._is_closed:
                self._timer = threading.Timer(FLUSH_SECONDS, self._time_is_up)
                self._timer.name, self._timer.daemon = "intemi journal", True
                self._timer.start()

    def _time_is_up(self) -> None:
        self._timer = None
        self._write_or_warn()
        if self._notes.are_open:
            self._set_timer()

    def _write_or_warn(self) -> None:
        try:
            self.write()
        except IntemiError as error:
            warnings.warn(StoreWarning(f"{NOT_UPDATED}: {error}"), stacklevel=2)

    def write(self) -> None:
        """Write what was requested since the last time, and what is known of composites that are not finished."""
        with self._file.lock:
            news = self._notes.collect()
            if not any(news):
                return
            try:
                self._write(news)
            except BaseException:
                self._notes.take_back()
                raise

    def _write(self, news: News) -> None:
        while True:
            _, generation = self._store.origin
            if generation != self._noted_in:
                run = (entries.RUN, self._session, *self._run, fingerprint())
                if self._noted_in is not None:  # the file is not the one that was written to before
                    news = self._notes.collect_all()
                self._store.enter([run, *self._entries(news)])
            else:
                self._store.enter(self._entries(news))
            self._noted_in = generation
            if generation == self._store.origin[1]:
                return

    def _entries(self, news: News) -> list[entries.Entry]:
        found: list[entries.Entry] = []
        if news.roots:
            found.append((entries.ROOTS, self._session, tuple(root.entry for root in news.roots)))
        if news.composites:
            composites = [(record.encode(), encode_children(children)) for record, children in news.composites]
            found.append((entries.OPEN, tuple(composites)))
        return found

    # Questions

    def runs(self) -> list[Run]:
        """All sessions that have requested something, the first one first."""
        self.write()

        def listed(opened: Opened) -> list[tuple[Any, ...]]:
            self._catch_up(opened)
            self._warn_of_losses(opened)
            statement = "SELECT number, name, started, program FROM runs ORDER BY number"
            return opened.connection.execute(statement).fetchall()

        return [Run(number, name, started, _program(said)) for number, name, started, said in self._file.do(listed)]

    def query(self, root: Any, where: Where, labels: Labels, run: WhichRun = None) -> Series:
        """A series of all items under a root that qualify."""
        return self._ask(start_of(root, run), where, self._series(labelers_of(labels)))

    def ask(self, query: Query, root: Context) -> Series:
        """The series that a query value finds under a context, for a composite: nothing is run again meanwhile."""
        where: Qualifier = At(query.path)
        if query.where is not None:
            where &= query.where
        labelers = labelers_of([query.label, *query.labels])
        return self._answer(root, where, self._series(labelers))

    def _ask(self, root: Any, where: Where, answer: Callable[[Reader, list[Item]], Answer]) -> Answer:
        try:
            return self._answer(root, where, answer)
        except IncompleteError as error:
            if not isinstance(root, Context) or root.record is None:
                raise
            warnings.warn(StoreWarning(f"{error}; it is run again"), stacklevel=4)
            self._file.do(self._catch_up)  # what is found to be lost only now does not answer the request
            again = self._engine.run_again(root)
        return self._answer(again, where, answer)

    def _answer(self, root: Any, where: Where, answer: Callable[[Reader, list[Item]], Answer]) -> Answer:
        try:
            return self._look_up(root, where, answer)
        except CallersError as raised:
            raise raised.error from raised.error.__cause__

    def _look_up(self, root: Any, where: Where, answer: Callable[[Reader, list[Item]], Answer]) -> Answer:
        check_where(where)
        self._file.check_usable()
        self._engine.flush()
        finished = root.record if isinstance(root, Context) else None
        provenance = self._provenance(root)

        def find_them(opened: Opened) -> Answer:
            self._catch_up(opened)
            if finished is None:
                opened.index.look_up_roots(self._store)
                if isinstance(root, Requests) and root.path is not None:
                    self._expect_all_below(opened, list(opened.lookup.machines_of(root)))
                self._warn_of_losses(opened, root)
            else:
                self._expect_all_below(opened, [finished.machine])
            if finished is not None and not opened.lookup.is_finished(finished.machine):  # it is lost or forgotten
                raise IncompleteError(f"query: what was on record below {root.path} is damaged or gone")
            with closing(Reader(opened.lookup, provenance, self._engine.records.records_of)) as reader:
                return answer(reader, find(opened.lookup, reader, self._starts(opened, reader, root), where))

        if finished is None:
            self.write()
        return self._file.do(find_them)

    def _expect_all_below(self, opened: Opened, machines: Sequence[bytes]) -> None:
        """What was forgotten on purpose is missed, too, by a question about a request that needs it."""
        if opened.index.expect_all_below(machines):
            self._catch_up(opened)

    def _series(self, labelers: list[Labeler]) -> Callable[[Reader, list[Item]], Series]:
        def answer(reader: Reader, items: list[Item]) -> Series:
            names = [name for labeler in labelers for name in labeler.names]
            reader.focus(items, [*names, *STAMPS])
            if "data" in names:
                reader.tell_data_apart(items)
            stamps = Stamps(reader, items, self._looks_at)
            return series_of(items, labelers if stamps.is_empty else [*labelers, stamps])

        return answer

    def _looks_at(self, sample: str) -> int:
        """How many machines with different inputs have looked at a sample."""

        def look_up(opened: Opened) -> list[bytes]:
            self._catch_up(opened)
            return opened.lookup.machines_with(SAMPLE, to_cell(sample))

        records = map(self._engine.records.record_of, self._file.do(look_up))
        return len({encode(dict(record.inputs)) for record in records if record is not None})

    def _provenance(self, root: Any) -> Provenance:
        top = root
        while isinstance(top, Context) and top.parent is not None:
            top = top.parent
        machine = machine_of(top) if isinstance(top, Context) else None
        return Provenance(self._engine.records.record_of, self._run_of, machine)

    def _run_of(self, machine: bytes) -> tuple[int, str] | None:
        """The first run in which a machine was requested."""
        self.write()

        def look_up(opened: Opened) -> tuple[int, str] | None:
            self._forget(opened.index.read_log(self._store))
            opened.index.look_up_roots(self._store)
            return opened.lookup.first_run(machine)

        return self._file.do(look_up)

    def _warn_of_losses(self, opened: Opened, root: Any = None) -> None:
        """Say what damage has taken, whenever a question is about it; a request that lacks something is an error."""
        lost = opened.index.lost()
        if not lost:
            return
        machines = {machine for machine, _ in lost if machine is not None}
        names = list(dict.fromkeys(opened.lookup.requests_of(machines)))
        unidentified = [why for machine, why in lost if machine is None]
        by_name = isinstance(root, Requests) and root.path is not None
        if by_name:
            lacking = [name for machine, name in opened.lookup.machines_of(root).items() if machine in machines]
            if unidentified:
                lacking += self._not_on_record(opened, root)
            if lacking:
                name = lacking[0]
                raise IncompleteError(f"query: what was on record below {name} is damaged or gone; run {name} again")
            if not unidentified:
                return
            names = []
        what = [f"run {', '.join(names)} again"] if names else []
        others = list(dict.fromkeys(unidentified if names or by_name else (why for _, why in lost)))
        if others:
            listed = "; ".join(others[:MAX_LISTED_LOSSES]) + ("; …" if len(others) > MAX_LISTED_LOSSES else "")
            what.append(f"{listed} (`intemi cache prune` ends this warning)")
        text = f"answers may be incomplete, records are damaged or gone: {'; '.join(what)}"
        warnings.warn(StoreWarning(text), stacklevel=6)

    def _not_on_record(self, opened: Opened, requests: Requests) -> list[str]:
        """The names of requests that are neither finished nor forgotten nor on their way here."""
        return [
            name
            for name, key, machine in opened.lookup.unfinished_of(requests)
            if not self._engine.is_in_flight(key, machine)
        ]

    def _catch_up(self, opened: Opened) -> None:
        self._forget(opened.index.catch_up(self._store))

    def _forget(self, lost: Set[bytes]) -> None:
        """Records that the store has lost or forgotten do not answer requests any more."""
        if lost:
            self._engine.records.drop_records(lost)

    def _starts(self, opened: Opened, reader: Reader, root: Any) -> list[Item] | None:
        """The items at which a question starts; None if it is about everything."""
        if root is None:
            return None
        if isinstance(root, Context):
            number = self._number_of(opened, root)
            comments = dict(root.comments or {})
            return [] if number is None else [Item(reader, number, root.name, comments=comments)]
        if isinstance(root, Requests):
            return starts_of(opened.lookup, reader, root)
        raise ConfigurationError(f"query: root must be a capsule, a run or the path of a request, got {root!r}")

    def _number_of(self, opened: Opened, context: Context) -> int | None:
        machine = machine_of(context)
        if machine is None:  # it was aborted: what had finished until then was noted
            statement = "SELECT machine FROM roots WHERE key = ? AND machine IS NOT NULL"
            found = opened.connection.execute(statement, (context.key,)).fetchone()
            machine = None if found is None else found[0]
        return None if machine is None else opened.lookup.number_of(machine)

    # Comments

    def comment(self, commentator: Commentator, root: Any, where: Where, run: WhichRun = None) -> dict[str, int]:
        """Run a commentator on all machines under a root that qualify; how many it labelled, and how many are gone."""
        if not isinstance(commentator, Commentator):
            raise ConfigurationError(f"comment: takes a commentator, got {commentator!r}")
        rows: list[tuple[Any, ...]] = []
        counts = {"commented": 0, "gone": 0}
        try:
            for machine, path, config in self._ask(start_of(root, run), where, _machines):
                if not commentator.applies_to(config):
                    continue
                said = self._said(commentator, machine, path, config)
                counts["gone" if said is None else "commented"] += 1
                rows += [
                    (machine, text(each), to_cell(value), commentator.kind) for each, value in (said or {}).items()
                ]
                if len(rows) >= MAX_PENDING:
                    self._store.enter([(entries.COMMENTS, tuple(rows))])
                    rows = []
        finally:
            if rows:
                self._store.enter([(entries.COMMENTS, tuple(rows))])
        return counts

    def _said(self, commentator: Commentator, machine: bytes, path: str, config: Machine) -> Mapping[str, Any] | None:
        record = self._engine.records.record_of(machine)
        if record is None or record.failure is not None:
            return None
        try:
            said: object = commentator.comments(seen(config, record, self._engine.values))
        except IntemiError as error:
            warnings.warn(StoreWarning(f"{path}: no comment, its values are gone: {error}"), stacklevel=4)
            return None
        if not isinstance(said, Mapping) or not all(isinstance(label, str) for label in said):
            raise ConfigurationError(
                f"{commentator.kind}.comments must return a mapping from labels (texts) to values, "
                f"got {said!r} of {path}"
            )
        return said

    # The end

    def close(self) -> None:
        """Write what is behind, and close the file; what was asked about is likely to be asked about again."""
        if not self._file.is_inherited:
            with self._timing:
                self._is_closed = True
            timer = self._timer
            if timer is not None:
                timer.cancel()
                if timer is not threading.current_thread():
                    timer.join()
            self._write_or_warn()
            try:
                self._file.close()
            except IntemiError as error:
                warnings.warn(StoreWarning(f"{NOT_UPDATED}: {error}"), stacklevel=2)


def _machines(reader: Reader, items: list[Item]) -> list[tuple[bytes, str, Machine]]:
    """The machines of items, each once: id, path and configuration. Those of classes not known here are left out."""
    reader.focus(items, ())
    first = {item.machine: item for item in reversed(items)}
    ids = reader.ids()
    return [
        (ids[item.machine], item.path, config)
        for item in reversed(first.values())
        if isinstance(config := item.config, Machine)
    ]


def both(first: Qualifier, second: Where) -> Where:
    """What qualifies for both."""
    if second is None:
        return first
    if isinstance(second, Qualifier):
        return first & second
    check_where(second)
    return lambda item: first.qualifies(item) and second(item)


def _program(said: str) -> dict[str, Any]:
    """What a run says of its program; an attacker may have written what is no JSON."""
    try:
        program = json.loads(said)
    except ValueError:
        program = None
    return program if isinstance(program, dict) else {"program": said}
