"""The tables of a store of version 1 become those of today, whatever is in them, or stay what they were."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from intemi.kernel import encoding
from intemi.kernel.disk import DiskStore
from intemi.kernel.disk.schema import APPLICATION, SCHEMA, SCHEMA_VERSION, marks
from intemi.kernel.disk.seal import seal
from intemi.kernel.record import Child
from intemi.kernel.store import Claim
from tests.kernel.disk.test_damage import warned
from tests.kernel.disk.test_store import KEY, RECORD, edit, finds, select

FIRST = (
    "CREATE TABLE machines (id BLOB PRIMARY KEY, record BLOB, children BLOB)",
    "CREATE TABLE keys (key BLOB PRIMARY KEY, machine BLOB) WITHOUT ROWID",
)
CHILDREN = [Child(0, "one", b"d" * 16, {}, b"e" * 16), Child(1, "two", b"f" * 16, {"Fold": 1, "Note": "é"}, b"g" * 16)]
LISTED = [(child.index, child.name, child.machine, child.comments, child.key) for child in CHILDREN]
SEALED = seal(b"children", RECORD.machine, encoding.encode(LISTED))


def older(folder: Path, children: object = None) -> Path:
    """A store of version 1 with one machine and two keys."""
    with closing(sqlite3.connect(folder / "machines.sqlite")) as database, database:
        for statement in (*FIRST, *marks(1)):
            database.execute(statement)
        record = seal(b"record", RECORD.machine, RECORD.encode())
        database.execute("INSERT INTO machines VALUES (?, ?, ?)", (RECORD.machine, record, children))
        database.executemany("INSERT INTO keys VALUES (?, ?)", [(KEY, RECORD.machine), (b"too", RECORD.machine)])
    return folder


def version(folder: Path) -> tuple[int, int]:
    return select(folder, "PRAGMA application_id")[0][0] - APPLICATION, select(folder, "PRAGMA user_version")[0][0]


def test_a_machine_is_found_by_its_id_and_by_all_its_keys_and_so_are_its_children(tmp_path: Path) -> None:
    older(tmp_path, SEALED)
    for _ in range(2):
        with closing(DiskStore(tmp_path)) as store, warned():
            assert finds(store)
            for key in (RECORD.machine, KEY, b"too"):
                found = store.find(key)
                assert found is not None
                assert found.encode() == RECORD.encode()
            assert store.children(RECORD.machine) == CHILDREN
            assert store.content(b"") is None
        assert version(tmp_path) == (SCHEMA_VERSION, SCHEMA_VERSION)
    statements = select(tmp_path, "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL")
    assert {statement for (statement,) in statements} == {*SCHEMA}


@pytest.mark.parametrize(
    "children",
    [
        b"",
        b"intemi",
        7,
        "text",
        SEALED[:-1],
        seal(b"children", b"another", encoding.encode(LISTED)),
        seal(b"record", RECORD.machine, encoding.encode(LISTED)),
    ],
)
def test_a_list_of_children_that_is_damaged_is_met_by_who_asks_for_it(tmp_path: Path, children: object) -> None:
    older(tmp_path, children)
    with closing(DiskStore(tmp_path)) as store:
        with warned():
            assert finds(store)
        with warned("its list of children is damaged"):
            assert store.children(RECORD.machine) == []
        assert store.claim(RECORD.machine) is Claim.MINE


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"no children",
        encoding.encode(7),
        encoding.encode([7]),
        encoding.encode([(0, "one")]),
        encoding.encode([(0, "one", b"d" * 16, {}, b"e" * 16, "more")]),
        encoding.encode([(0, 1j, b"d" * 16, {}, b"e" * 16)]),
        encoding.encode(LISTED).replace(b"M", b"Y"),
    ],
)
def test_a_list_of_children_that_somebody_has_made_up_is_absent(tmp_path: Path, payload: bytes) -> None:
    older(tmp_path, seal(b"children", RECORD.machine, payload))
    with closing(DiskStore(tmp_path)) as store:
        with warned("cannot be read"):
            assert store.children(RECORD.machine) == []
        assert finds(store)


def test_ids_that_were_damaged_do_not_keep_a_store_from_being_migrated(tmp_path: Path) -> None:
    older(tmp_path, SEALED)
    edit(tmp_path, "INSERT INTO machines SELECT 7, record, children FROM machines")
    edit(tmp_path, "INSERT INTO machines SELECT NULL, record, children FROM machines WHERE id != 7")
    with closing(DiskStore(tmp_path)) as store, warned():
        assert finds(store)
        assert store.children(RECORD.machine) == CHILDREN


def test_a_file_with_other_tables_than_version_1_had_is_set_aside(tmp_path: Path) -> None:
    older(tmp_path)
    edit(tmp_path, "DROP TABLE keys")
    with warned("no such table: keys; set aside"), closing(DiskStore(tmp_path)) as store:
        assert not finds(store)


def test_a_migration_that_cannot_be_finished_leaves_everything_as_it_was(tmp_path: Path) -> None:
    older(tmp_path, SEALED)
    with closing(sqlite3.connect(tmp_path / "machines.sqlite", isolation_level=None)) as database:
        before = list(database.iterdump())
    edit(tmp_path, "CREATE TABLE contents (mine)")  # so that the migration stops half-way
    with warned("contents already exists; set aside"), closing(DiskStore(tmp_path)):
        pass
    edit(tmp_path, "DROP TABLE contents", file="machines.sqlite.damaged-1")
    with closing(sqlite3.connect(tmp_path / "machines.sqlite.damaged-1")) as database:
        assert list(database.iterdump()) == before
        assert database.execute("PRAGMA user_version").fetchone() == (1,)
