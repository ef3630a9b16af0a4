"""The format of a store: versions that are read or refused, and configurations that are kept once."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from intemi.kernel.disk import DiskStore
from intemi.kernel.disk.format import MAX_INLINE_BYTES, SCHEMA, SCHEMA_VERSION, UNRELEASED_VERSIONS, marks, name_of
from intemi.kernel.errors import IntemiError
from intemi.kernel.record import Record
from intemi.kernel.store import Claim, Finished
from intemi.kernel.upkeep import prune
from tests.kernel.disk.test_damage import warned
from tests.kernel.disk.test_store import edit, select

LARGE = b"C" * (MAX_INLINE_BYTES + 1)
IDS = [bytes([number]) * 16 for number in range(5)]


def with_version(file: Path, version: int) -> bytes:
    with closing(sqlite3.connect(file)) as database, database:
        for statement in (*SCHEMA, *marks(version)):
            database.execute(statement)
    return file.read_bytes()


@pytest.mark.parametrize("version", [*UNRELEASED_VERSIONS, SCHEMA_VERSION + 1])
def test_a_folder_of_another_version_is_refused_and_stays_as_it_is(tmp_path: Path, version: int) -> None:
    before = with_version(tmp_path / "machines.sqlite", version)
    with pytest.raises(IntemiError, match=f"has version {version}, .* another folder$") as raised:
        DiskStore(tmp_path)
    assert "\n" not in str(raised.value)
    assert (tmp_path / "machines.sqlite").read_bytes() == before
    assert not list(tmp_path.glob("*.damaged-*"))


def filled(folder: Path, config: bytes = LARGE) -> Path:
    with closing(DiskStore(folder)) as store:
        store.keep_all([Finished(Record(machine, "Test", config, None, {})) for machine in IDS[:3]])
        store.keep_all([Finished(Record(machine, "Test", config, None, {})) for machine in IDS[3:]])
    return folder


def kept(folder: Path) -> list[bytes]:
    return [name for (name,) in select(folder, "SELECT id FROM contents")]


def test_the_first_machine_has_it_in_its_record_and_the_others_its_name(tmp_path: Path) -> None:
    filled(tmp_path)
    sizes = [size for (size,) in select(tmp_path, "SELECT length(record) FROM machines ORDER BY rowid")]
    assert kept(tmp_path) == [name_of(LARGE)]
    assert sizes[0] > MAX_INLINE_BYTES > max(sizes[1:])
    with closing(DiskStore(tmp_path)) as store:
        assert [record.config for _, record, _ in store.finished(0)] == [LARGE] * len(IDS)
        found = store.find(IDS[4])
        assert found is not None
        assert found.config == LARGE


def test_a_small_one_stays_in_each_record_and_so_does_one_that_only_one_machine_has(tmp_path: Path) -> None:
    filled(tmp_path, b"C" * MAX_INLINE_BYTES)
    with closing(DiskStore(tmp_path)) as store:
        store.keep(Record(b"other", "Test", b"D" * 1000, None, {}))
    assert not kept(tmp_path)


def test_without_it_its_machines_are_treated_as_absent_and_can_be_run_again(tmp_path: Path) -> None:
    edit(filled(tmp_path), "DELETE FROM contents")
    with closing(DiskStore(tmp_path)) as store:
        assert store.find(IDS[0]) is not None, "it has its own"
        with warned(f"its configuration {name_of(LARGE).hex()} is gone"):
            assert store.claim(IDS[4]) is Claim.MINE
        store.keep_all([Finished(Record(machine, "Test", LARGE, None, {})) for machine in IDS])
    with closing(DiskStore(tmp_path)) as store:
        assert store.find(IDS[4]) is not None


def test_it_is_not_pruned(tmp_path: Path) -> None:
    prune(filled(tmp_path), values=True)
    with closing(DiskStore(tmp_path)) as store:
        assert all(store.find(machine) is not None for machine in IDS)
