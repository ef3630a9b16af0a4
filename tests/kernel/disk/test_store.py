"""The store on disk: what it costs, who may read it, what it says when the disk is in trouble."""

import os
import resource
import sqlite3
import stat
import subprocess
import sys
import warnings
from collections.abc import Callable
from contextlib import closing
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from intemi.kernel import entries
from intemi.kernel.disk import DiskStore
from intemi.kernel.disk.format import LARGE, seal
from intemi.kernel.errors import IntemiError, StoreWarning
from intemi.kernel.record import Child, Record
from intemi.kernel.store import Claim, Finished
from intemi.testing.store import sample_record

ROOT = Path(__file__).parents[2]
RECORD = sample_record(b"m" * 16, Accuracy=0.5)
KEY = b"k" * 16
CHILDREN = [Child(0, "child", b"d" * 16, {"Fold": 0})]
IN_TABLE, IN_FILE = b"c" * 16, b"f" * 16
CONTENTS = {IN_TABLE: b"payload", IN_FILE: bytes(range(256)) * 400}
"""A small one and a large one: they are kept in different places."""
WITH_TRIGGER = 3
"""How often SQLite shows a statement that sets off the trigger that counts rows."""


def python(program: str, *arguments: object) -> str:
    command = [sys.executable, "-c", program, *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=60).stdout


def filled(folder: Path) -> Path:
    """A closed store with one machine."""
    with closing(DiskStore(folder)) as store:
        store.keep(RECORD, [KEY], CHILDREN, CONTENTS)
    return folder


def edit(folder: Path, statement: str, *parameters: object, file: str = "machines.sqlite") -> None:
    with closing(sqlite3.connect(folder / file, isolation_level=None)) as connection:
        connection.execute(statement, parameters)


def select(folder: Path, statement: str, *parameters: object, file: str = "machines.sqlite") -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(folder / file)) as connection:
        return connection.execute(statement, parameters).fetchall()


def finds(store: DiskStore) -> bool:
    found = store.find(KEY)
    assert found is None or found.encode() == RECORD.encode()
    return found is not None


def contents(store: DiskStore) -> set[bytes]:
    """Which contents the store has."""
    found = {content: store.content(content) for content in CONTENTS}
    assert all(payload in (None, CONTENTS[content]) for content, payload in found.items())
    return {content for content, payload in found.items() if payload is not None}


def statements(store: DiskStore, action: Callable[[], object]) -> list[str]:
    """The first word of each statement."""
    seen: list[str] = []
    connection = store._database._connection
    connection.set_trace_callback(seen.append)
    action()
    connection.set_trace_callback(None)
    return [statement.split()[0] for statement in seen]


def test_finding_and_keeping_take_one_statement_each(tmp_path: Path) -> None:
    with closing(DiskStore(tmp_path)) as store:
        assert statements(store, lambda: store.find(RECORD.machine)) == ["SELECT"]
        assert statements(store, lambda: store.keep(RECORD, [KEY])) == ["INSERT"] * WITH_TRIGGER
        assert statements(store, lambda: store.find(RECORD.machine)) == ["SELECT"]
        assert statements(store, lambda: store.find(KEY)) == ["SELECT"]


def test_machines_and_their_small_contents_are_kept_in_one_transaction(tmp_path: Path) -> None:
    finished = [Finished(sample_record(), [name], (), {name: b"payload"}) for name in (b"a", b"b", b"c")]
    with closing(DiskStore(tmp_path)) as store:
        taken = statements(store, lambda: store.keep_all(finished))
        assert taken == ["BEGIN", *["INSERT"] * 3, *["INSERT"] * 3 * WITH_TRIGGER, "COMMIT"]
        assert all(store.find(name) and store.content(name) == b"payload" for name in (b"a", b"b", b"c"))


def test_a_content_is_kept_with_the_records_if_it_is_small_and_in_a_file_of_its_own_if_it_is_large(
    tmp_path: Path,
) -> None:
    sizes = (0, 1, LARGE - 1, LARGE, LARGE + 1)
    payloads = {b"size %d" % size: os.urandom(size) for size in sizes}
    with closing(DiskStore(tmp_path)) as store:
        store.keep(RECORD, contents=payloads)
        assert all(store.content(content) == payload for content, payload in payloads.items())
    in_table = {content for (content,) in select(tmp_path, "SELECT id FROM contents")}
    assert in_table == {b"size %d" % size for size in sizes if size < LARGE}
    files = [file.stat().st_size for file in tmp_path.glob("contents/*/*.val")]
    assert sorted(size - LARGE for size in files) == [len(seal(b"", b"", b"")), 1 + len(seal(b"", b"", b""))]


def test_only_the_user_can_read_what_is_kept(tmp_path: Path) -> None:
    folder = filled(tmp_path / "project")
    modes = {
        name: stat.S_IMODE((folder / name).stat().st_mode) for name in (".", "machines.sqlite", "contents", "claims")
    }
    assert modes == {".": 0o700, "machines.sqlite": 0o600, "contents": 0o700, "claims": 0o600}


def test_a_store_notices_the_changes_of_others_and_not_its_own(tmp_path: Path) -> None:
    with closing(DiskStore(tmp_path)) as store, closing(DiskStore(tmp_path)) as other:
        store.changed()
        store.keep(RECORD)
        assert not store.changed()
        other.keep(sample_record())
        assert store.changed()
        assert not store.changed()


class Reader:
    """Whoever reads finished machines in order, and wants to miss none."""

    def __init__(self, store: DiskStore) -> None:
        self.known: set[bytes] = set()
        self._store = store
        self._last = self._last_entry = 0

    def catch_up(self) -> None:
        for number, record, _ in self._store.finished(self._last):
            self.known.add(record.machine)
            self._last = number
        for number, (kind, machine, *_), _ in self._store.log(self._last_entry):
            assert kind == entries.FORGOTTEN
            if self._store.find(machine) is None:
                self.known.discard(machine)
            self._last_entry = number


@pytest.mark.parametrize("forgotten", ["1", "3", "1 3", "3 1", "2 3", "3 2", "3 2 1", "1 2 3"])
@pytest.mark.parametrize("reads", list(product([False, True], repeat=4)))
def test_a_machine_that_is_kept_after_others_were_forgotten_is_not_missed(
    tmp_path: Path, forgotten: str, reads: tuple[bool, ...]
) -> None:
    first, *others = (number.encode() for number in forgotten.split())
    with closing(DiskStore(tmp_path)) as store:
        reader = Reader(store)
        steps = (
            lambda: store.keep_all([Finished(sample_record(machine)) for machine in (b"1", b"2", b"3")]),
            lambda: store.forget(first),
            lambda: [store.forget(machine) for machine in others],
            lambda: store.keep(sample_record(b"new")),
        )
        for step, is_read in zip(steps, reads, strict=True):
            step()
            if is_read:
                reader.catch_up()
        store.keep(sample_record(first))
        reader.catch_up()
        assert reader.known == {b"1", b"2", b"3", b"new"} - {*others}


def test_a_content_that_is_there_is_not_written_again(tmp_path: Path) -> None:
    folder = filled(tmp_path)
    before = sorted(folder.glob("contents/*/*"))
    edit(folder, "UPDATE contents SET bytes = 'unread'")
    filled(tmp_path)
    assert len(before) == 1
    assert sorted(folder.glob("contents/*/*")) == before
    assert select(folder, "SELECT bytes FROM contents") == [("unread",)]


def test_files_of_others_in_the_folder_are_left_alone(tmp_path: Path) -> None:
    places = [tmp_path / name for name in ("notes.txt", "contents/notes.txt")]
    filled(tmp_path)
    for place in places:
        place.write_text("mine")
    with closing(DiskStore(tmp_path)) as store:
        assert finds(store)
        assert contents(store) == {*CONTENTS}
    assert all(place.exists() for place in places)


def test_a_closed_store_says_so(tmp_path: Path) -> None:
    store = DiskStore(tmp_path)
    store.close()
    store.close()
    with pytest.raises(IntemiError, match="closed"):
        store.find(KEY)


def test_a_store_that_cannot_have_its_folder_says_which_and_why(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for folder in (tmp_path / "file", tmp_path / "file" / "store"):
        with pytest.raises(IntemiError, match=r"file.*(exists|Not a directory)"):
            DiskStore(folder)


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is read-only for root")
def test_a_folder_that_cannot_be_written_is_an_error_that_says_so(tmp_path: Path) -> None:
    folder = filled(tmp_path / "project")
    folder.chmod(0o500)
    with pytest.raises(IntemiError, match=r"project.*must be writable"):
        DiskStore(folder)
    folder.chmod(0o700)
    with closing(DiskStore(folder)) as store:
        assert finds(store)


@pytest.mark.parametrize("size", [0, 60_000, 1_000_000])
def test_a_full_disk_is_an_error_that_says_so_and_loses_nothing(tmp_path: Path, size: int) -> None:
    filled(tmp_path)
    program = """
import resource, sys
from intemi.testing.store import sample_record
from intemi.kernel.disk import DiskStore
from intemi.kernel.errors import IntemiError
store = DiskStore(sys.argv[1])
store.content(b"")
size = int(sys.argv[2])
resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))
try:
    for number in range(5):
        contents = {bytes([number]): bytes(size)} if size else None
        store.keep(sample_record(b"number %d" % number, Text="x" * 100_000), contents=contents)
        print("kept", number)
except IntemiError as error:
    print(error)
"""
    *kept, error = python(program, tmp_path, size).splitlines()
    assert "disk that has space" in error
    with closing(DiskStore(tmp_path)) as store:
        assert finds(store)
        assert contents(store) == {*CONTENTS}
        for number in range(5):
            is_kept = f"kept {number}" in kept
            assert (store.find(b"number %d" % number) is not None) == is_kept
            assert (store.content(bytes([number])) is not None) == (is_kept and size > 0)


def test_a_content_that_cannot_be_opened_just_now_is_not_taken_for_damaged(tmp_path: Path) -> None:
    filled(tmp_path)
    with closing(DiskStore(tmp_path)) as store:
        assert contents(store) == {*CONTENTS}
        limits = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (0, limits[1]))
        try:
            with pytest.raises(IntemiError, match="Too many open files"):
                store.content(IN_FILE)
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, limits)
        assert contents(store) == {*CONTENTS}


def test_a_warning_that_is_an_error_leaves_a_store_that_works(tmp_path: Path) -> None:
    filled(tmp_path)
    with closing(DiskStore(tmp_path)) as store:
        edit(tmp_path, "UPDATE machines SET record = x'00'")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(StoreWarning):
                store.find(KEY)
        assert store.claim(RECORD.machine) is Claim.MINE
        store.keep(RECORD, [KEY])
        assert finds(store)


def test_a_store_goes_on_in_the_new_file_when_another_has_set_the_old_one_aside(tmp_path: Path) -> None:
    filled(tmp_path)
    with closing(DiskStore(tmp_path)) as store:
        assert finds(store)
        assert contents(store) == {*CONTENTS}
        for suffix in ("", "-wal", "-shm"):
            os.rename(tmp_path / f"machines.sqlite{suffix}", tmp_path / f"machines.sqlite.damaged-1{suffix}")
        os.rename(tmp_path / "contents", tmp_path / "contents.damaged-1")
        with closing(DiskStore(tmp_path)) as other:
            assert not finds(other)
            assert not contents(other)
            other.keep(sample_record())
            store.keep(RECORD, [KEY], (), CONTENTS)
            assert finds(other)
            assert contents(other) == {*CONTENTS}


def test_closing_a_file_that_was_set_aside_leaves_the_new_one_alone(tmp_path: Path) -> None:
    filled(tmp_path)
    store = DiskStore(tmp_path)
    assert finds(store)
    (tmp_path / "aside").mkdir()
    for suffix in ("", "-wal", "-shm"):
        os.rename(tmp_path / f"machines.sqlite{suffix}", tmp_path / "aside" / f"machines.sqlite{suffix}")
    with closing(DiskStore(tmp_path)) as other:
        other.keep(RECORD, [KEY])
        store.close()
        assert (tmp_path / "machines.sqlite-wal").stat().st_size
        with closing(DiskStore(tmp_path)) as third:
            assert finds(third)


def test_machines_that_are_asked_for_in_their_order_are_read_many_at_a_time(tmp_path: Path) -> None:
    records = [sample_record(Number=number) for number in range(300)]
    keys = [os.urandom(16) for _ in records]
    with closing(DiskStore(tmp_path)) as store:
        store.keep_all([Finished(record, [key]) for record, key in zip(records, keys, strict=True)])
    found: list[Record | None] = []
    with closing(DiskStore(tmp_path)) as store:
        taken = statements(store, lambda: found.extend(map(store.find, keys)))
    assert [each and each.encode() for each in found] == [record.encode() for record in records]
    assert len(taken) < len(records) / 10


def test_what_was_read_ahead_and_forgotten_is_gone(tmp_path: Path) -> None:
    records = [sample_record(Number=number) for number in range(30)]
    with closing(DiskStore(tmp_path)) as store:
        store.keep_all([Finished(record) for record in records])
        for record in records[:20]:
            assert store.find(record.machine) is not None
        store.forget(records[20].machine)
        assert store.find(records[20].machine) is None
        again = sample_record(records[21].machine, Number=-1)
        store.keep(again)
        found = store.find(again.machine)
        assert found is not None
        assert found.results == {"Number": -1}


def test_what_another_has_run_again_is_read(tmp_path: Path) -> None:
    again = Record(RECORD.machine, RECORD.kind, RECORD.config, None, {}, results={"Again": True}, started=2.0)
    with closing(DiskStore(tmp_path)) as store, closing(DiskStore(tmp_path)) as other:
        store.keep(RECORD, [KEY], CHILDREN)
        other.forget(RECORD.machine)
        other.keep(again, [KEY], CHILDREN)
        assert [record.results for _, record, _ in store.finished(0)] == [{"Again": True}]
