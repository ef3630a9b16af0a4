"""Looking after the folder of a store: how large it is, whether all of it can be read, and dropping what can go.

Results are never dropped here, only values: they are made again when they are needed. What graphs begin with (data
that were loaded, or given from outside) stays: its files may be gone.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Set
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from intemi.kernel import entries
from intemi.kernel.decoding import shared_in
from intemi.kernel.disk.claims import exclusively, without_writers
from intemi.kernel.disk.contents import Contents
from intemi.kernel.disk.database import set_aside, warn
from intemi.kernel.disk.format import DamageError, name_of, proof
from intemi.kernel.disk.store import DiskStore
from intemi.kernel.encoding import DIGEST_SIZE, MODERATE
from intemi.kernel.errors import ConfigurationError, MalformedError
from intemi.kernel.plain_files import is_file, remove_all
from intemi.kernel.record import Record, flat
from intemi.kernel.repository.file import NAME, read_image, store_in, store_of
from intemi.kernel.repository.index import Index, difference, only_here
from intemi.kernel.repository.tables import Lookup, connect
from intemi.kernel.values import PICKLE

MAX_ATTEMPTS = 100
RETRY_SECONDS = 0.02
"""Seconds between two attempts to read two indexes of one state of a store."""


@dataclass
class Survey:
    """What a folder holds."""

    bytes: dict[str, int] = field(default_factory=dict)
    """By part: records, values, results, what was set aside as damaged."""
    machines: Counter[str] = field(default_factory=Counter)
    """By kind."""
    values: Counter[str] = field(default_factory=Counter)
    """Bytes of the values of machines, by kind; what several share, such as a table, counts for the first."""
    failures: int = 0


@dataclass
class Verified:
    """What came of reading everything."""

    machines: int = 0
    values: int = 0
    problems: list[str] = field(default_factory=list)


@dataclass
class Pruned:
    """What was dropped."""

    values: int = 0
    bytes: int = 0
    failures: int = 0
    aside: int = 0
    """Files that had been set aside as damaged."""
    orphans: int = 0
    """Files that processes had left when they were killed."""


def survey(folder: str | os.PathLike[str]) -> Survey:
    """How large a store is, and what takes the space."""
    path = _there(folder)
    found = Survey(bytes=_bytes(path))
    with closing(_opened(path)) as store:
        sizes = _sizes(store, path)
        for _, record, _ in store.finished(0):
            found.machines[record.kind] += 1
            found.failures += record.failure is not None
            for content in _made_by(store, record, sizes):
                found.values[record.kind] += sizes.pop(content, 0)
    return found


def _made_by(store: DiskStore, record: Record, sizes: Mapping[bytes, int]) -> set[bytes]:
    """The contents that a machine has made, with the parts of small ones: an estimator, say, in its classifier."""
    found: set[bytes] = set()
    for item in (each for items in record.outputs.values() for each in flat(items)):
        if item.origin[0] != record.machine:
            continue
        encoded = item.inline
        if encoded is None and item.content is not None and item.content in sizes:
            found.add(item.content)
            encoded = store.content(item.content) if sizes[item.content] <= MODERATE else None
        found |= _parts_of(encoded)
    return found


def _parts_of(encoded: bytes | None) -> set[bytes]:
    """The parts that a content shares with others; a pickle, and what cannot be read, shares nothing."""
    if encoded is None or encoded.startswith(PICKLE):
        return set()
    try:
        return shared_in(encoded)
    except MalformedError:  # a warning says so when it is loaded
        return set()


def verify(folder: str | os.PathLike[str]) -> Verified:
    """Read everything and compare checksums: records, keys, lists of children, notes, values, and the index with what
    is on record. What is damaged is dropped, as it would be in a run."""
    path = _there(folder)
    found = Verified()
    damage: list[str] = []
    with closing(_opened(path, damage.append)) as store, closing(connect()) as connection:
        index = Index(connection)
        index.catch_up(store)
        problems = _losses(index, Lookup(connection))
        problems += _false_keys(store)
        problems += _false_index(store, path / NAME, index, connection)
        found.machines = store._database.rows("SELECT count(id) FROM machines")[0][0]
        for content in _sizes(store, path, damage.append):
            found.values += store.content(content) is not None
    found.problems = damage + problems
    return found


def _losses(index: Index, lookup: Lookup) -> list[str]:
    """What damage has taken and has not run again."""
    listed = []
    for machine, what in index.lost():
        names = [] if machine is None else lookup.requests_of([machine])
        who = ", ".join(names) or ("something" if machine is None else f"machine {machine.hex()}")
        listed.append(f"{who} is not on record any more: {what}")
    return listed


def _false_keys(store: DiskStore) -> list[str]:
    """Drop keys that nothing proves to lead where they lead."""
    rows = store._database.rows("SELECT rowid, id, key, proof FROM machines WHERE key NOT NULL AND id NOT NULL")
    own = [(number,) for number, machine, key, proven in rows if not _is_proven(key, machine, proven)]
    further = [
        (key,)
        for key, target in store._database.rows("SELECT key, machine FROM keys")
        if not isinstance(target, bytes) or not _is_proven(key, target[:-DIGEST_SIZE], target[-DIGEST_SIZE:])
    ]
    if own or further:
        store._database.change_together(
            [
                ("UPDATE machines SET key = NULL, proof = NULL WHERE rowid = ?", own),
                ("DELETE FROM keys WHERE key = ?", further),
            ]
        )
    named = [f"of row {number}" for (number,) in own] + [repr(key) for (key,) in further]
    return [f"machines.sqlite: the key {name} does not lead to its machine" for name in named]


def _is_proven(key: object, machine: object, proven: object) -> bool:
    return isinstance(key, bytes) and isinstance(machine, bytes) and proven == proof(key, machine)


def _false_index(store: DiskStore, path: Path, index: Index, right: sqlite3.Connection) -> list[str]:
    """Set aside a file of an index that is damaged, or differs from the index that was just made of the store.

    Other processes may be writing to the store, and replace the file when their sessions end.
    """
    for _ in range(MAX_ATTEMPTS):
        if not os.path.lexists(path):
            return []
        problem = "its checksum does not fit"
        image = read_image(path)
        if image is not None:
            try:
                with closing(connect(image)) as connection:
                    is_another = store_in(connection) != store.origin[0]
                    if not _catch_up_together(store, Index(connection), index):
                        break
                    problem = "it is the index of another store" if is_another else difference(connection, right)
                    if not problem and (number := only_here(connection, right)):
                        name = f"{number} machines" if number > 1 else "a machine"
                        missing = f"{name} that machines.sqlite lacks"
                        return [f"{path.name}: knows {missing}; run them again, or remove the file"]
            except (DamageError, sqlite3.Error) as error:
                problem = str(error)
        if not problem:
            return []
        with exclusively(path.with_name("claims")):
            if read_image(path) == image:
                set_aside(path)
                return [f"{path.name}: {problem}; it is set aside and made again"]
    return [f"{path.name}: not compared, since other processes change the folder all the time; try again later"]


def _catch_up_together(store: DiskStore, *indexes: Index) -> bool:
    """Bring indexes to one state of a store that others may be writing to; False if they write all the time."""
    for _ in range(MAX_ATTEMPTS):
        store.changed()
        for each in indexes:
            each.catch_up(store)
        if not store.changed():
            return True
        time.sleep(RETRY_SECONDS)
    return False


def prune(
    folder: str | os.PathLike[str],
    values: bool = False,
    older_than: float = 0.0,
    failures: bool = False,
    kinds: Collection[str] = (),
) -> Pruned:
    """Drop values that no record needs; with `values`, all that can be made again of machines that ran before so many
    seconds, or of those `kinds` of them; with `failures`, the records of failures, so that they are tried again.
    Damaged files go as well, and nothing is said any more of what was lost with them."""
    path = _there(folder)
    done = Pruned()
    with closing(_opened(path)) as store:
        before = time.time() - older_than
        droppable: set[bytes] = set()
        for _, record, _ in store.finished(0):
            if failures and record.failure is not None:
                store.forget(record.machine)
                done.failures += 1
            elif values and record.inputs and record.started <= before and (not kinds or record.kind in kinds):
                droppable.add(record.machine)
        with without_writers(path / "claims") as is_free:  # else what is being written would seem to be needed by none
            kept: set[bytes] = set()
            for _, record, _ in store.finished(0):
                kept |= _needed(store, record, droppable)
            sizes = _sizes(store, path)
            drop = {content: size for content, size in sizes.items() if is_free and content not in kept}
            _drop(store, drop)
        done.values, done.bytes = len(drop), sum(drop.values())
        store.enter([(entries.CLEARED,)])
    for file in [*path.glob("*.damaged-*"), *Contents(path / "contents").set_aside()]:
        done.bytes += _size(file)
        done.aside += 1
        remove_all(file)
    for file in _left_behind(path):
        done.bytes += _size(file)
        done.orphans += 1
        remove_all(file)
    _compact(path / "machines.sqlite")
    return done


def _left_behind(path: Path) -> Iterator[Path]:
    """What processes have left when they were killed: files that were being made.

    They are found while no process makes or writes any; if one does, they stay until the next time.
    """
    locks = path / "claims"
    with exclusively(locks):
        yield from path.glob("*-new")
    with without_writers(locks) as is_free:
        if is_free:
            yield from Contents(path / "contents").unfinished()


def _needed(store: DiskStore, record: Record, droppable: Set[bytes]) -> set[bytes]:
    """The contents of a record but those that droppable machines have made, and the parts that they share with others.

    Its configuration is one of them.
    """
    found = {name_of(record.config)}
    pending: set[bytes] = set()
    for item in (each for items in record.outputs.values() for each in flat(items)):
        if item.origin[0] in droppable:
            continue
        if item.inline is not None:
            pending |= _parts_of(item.inline)
        elif item.content is not None:
            pending.add(item.content)
    while pending:
        name = pending.pop()
        found.add(name)
        pending |= _parts_of(store.content(name)) - found
    return found


def _drop(store: DiskStore, contents: Iterable[bytes]) -> None:
    rows = [(content,) for content in contents]
    store._database.change_together([("DELETE FROM contents WHERE id = ?", rows)])
    for (content,) in rows:
        store._contents.drop(content)


def _opened(path: Path, report: Callable[[str], None] = warn) -> DiskStore:
    return DiskStore(path, partial(store_of, path), report)


def _there(folder: str | os.PathLike[str]) -> Path:
    path = Path(folder)
    if not (path / "machines.sqlite").exists():
        raise ConfigurationError(f"{os.fspath(folder)}: there is no project in this folder")
    return path


def _bytes(path: Path) -> dict[str, int]:
    parts = {"records": "machines.sqlite*", "large values": "contents", "results": "results.sqlite*"}
    found = {name: sum(map(_size, path.glob(pattern))) for name, pattern in parts.items()}
    aside = list(path.glob("*.damaged-*"))
    found["records"] -= sum(_size(file) for file in aside if file.name.startswith("machines.sqlite"))
    found["results"] -= sum(_size(file) for file in aside if file.name.startswith("results.sqlite"))
    return {**found, "set aside as damaged": sum(map(_size, aside))}


def _size(path: Path) -> int:
    if path.is_dir() and not path.is_symlink():
        return sum(file.lstat().st_size for file in path.rglob("*") if is_file(file))
    return path.lstat().st_size if is_file(path) else 0


def _sizes(store: DiskStore, path: Path, report: Callable[[str], None] = warn) -> dict[bytes, int]:
    """The size of every content, by its id; ids that are damaged are dropped and reported."""
    found: dict[bytes, int] = {}
    for number, content, size in store._database.rows("SELECT rowid, id, length(bytes) FROM contents"):
        if isinstance(content, bytes):
            found[content] = size or 0
        else:
            store._database.change("DELETE FROM contents WHERE rowid = ?", (number,))
            report(f"{path.name}/machines.sqlite: the id of a content is damaged: {content!r}")
    found.update(store._contents.sizes())
    return found


def _compact(file: Path) -> None:
    """Give the space of what was dropped back to the disk."""
    try:
        with closing(sqlite3.connect(file, isolation_level=None)) as connection:
            connection.execute("VACUUM")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except sqlite3.OperationalError:
        return  # another process is using it: the space is used for what comes next
