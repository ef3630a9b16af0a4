"""Fresh SQLite files are not mixed up with what is left of another one."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from intemi.kernel.disk import DiskStore
from tests.kernel.disk.test_store import filled, finds


def test_a_fresh_file_is_whole_and_is_written_with_a_log(tmp_path: Path) -> None:
    filled(tmp_path)
    with closing(sqlite3.connect(tmp_path / "machines.sqlite")) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert (tmp_path / "machines.sqlite").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("left", ["machines.sqlite-wal", "machines.sqlite-new"])
def test_what_is_left_of_a_file_that_is_gone_does_not_come_back(tmp_path: Path, left: str) -> None:
    with closing(DiskStore(filled(tmp_path))) as store:
        assert store.forget(b"none") is None
        rest = (tmp_path / "machines.sqlite-wal").read_bytes()
    (tmp_path / "machines.sqlite").unlink()
    (tmp_path / left).write_bytes(rest)
    with closing(DiskStore(tmp_path)) as store:
        assert not finds(store)
    assert not (tmp_path / left).exists()
