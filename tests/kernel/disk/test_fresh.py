"""Fresh SQLite files: as SQLite would have made them, and not mixed up with what is left of another one."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from intemi.kernel.disk.fresh import make_if_absent

STATEMENTS = ("CREATE TABLE things (name TEXT)", "PRAGMA user_version = 7")


def test_a_fresh_file_holds_what_the_statements_make_and_is_written_with_a_log(tmp_path: Path) -> None:
    make_if_absent(tmp_path / "file", STATEMENTS)
    with closing(sqlite3.connect(tmp_path / "file", isolation_level=None)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert connection.execute("PRAGMA user_version").fetchone() == (7,)
        connection.execute("INSERT INTO things VALUES ('one')")
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert (tmp_path / "file-wal").stat().st_size
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o600


def test_a_file_that_is_there_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"something")
    make_if_absent(tmp_path / "file", STATEMENTS)
    assert (tmp_path / "file").read_bytes() == b"something"


@pytest.mark.parametrize("left", ["file-wal", "file-new"])
def test_what_is_left_of_a_file_that_is_gone_does_not_come_back(tmp_path: Path, left: str) -> None:
    make_if_absent(tmp_path / "file", STATEMENTS)
    with closing(sqlite3.connect(tmp_path / "file", isolation_level=None)) as connection:
        connection.execute("INSERT INTO things VALUES ('old')")
        rest = (tmp_path / "file-wal").read_bytes()
    (tmp_path / "file").unlink()
    (tmp_path / left).write_bytes(rest)
    make_if_absent(tmp_path / "file", STATEMENTS)
    with closing(sqlite3.connect(tmp_path / "file")) as connection:
        assert connection.execute("SELECT * FROM things").fetchall() == []
    assert not (tmp_path / left).exists()
