"""The tables: values come back as they went in, other programs' files are told from ours."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intemi.kernel import IntemiError, encoding
from intemi.kernel.disk.seal import DamageError
from intemi.kernel.repository.tables import APPLICATION, VERSION, Transaction, connect, from_cell, text, to_cell

plain: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(exclude_categories=()), max_size=9),
    lambda parts: st.lists(parts, max_size=3) | st.dictionaries(st.text(max_size=3), parts, max_size=3),
    max_leaves=5,
)


@given(value=plain)
def test_a_value_comes_back_as_it_went_in(value: Any) -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE cells (value)")
        connection.execute("INSERT INTO cells VALUES (?)", (to_cell(value),))
        (cell,) = connection.execute("SELECT value FROM cells").fetchone()
    assert encoding.encode(from_cell(cell)) == encoding.encode(value)


@given(given=st.text(st.characters(exclude_categories=()), max_size=9))
def test_any_text_becomes_one_that_sqlite_keeps(given: str) -> None:
    kept = text(given)
    assert kept.encode().decode() == kept
    assert kept == given or any("\ud800" <= sign <= "\udfff" for sign in given)


def test_a_file_of_a_newer_version_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "results.sqlite"
    with closing(connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {VERSION + 1}")
        connection.execute(f"PRAGMA application_id = {APPLICATION + VERSION + 1}")
    with pytest.raises(IntemiError, match=f"has version {VERSION + 1}, this version of intemi reads up to {VERSION}"):
        connect(path)


def test_a_file_of_another_program_is_told_from_ours(tmp_path: Path) -> None:
    path = tmp_path / "results.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE theirs (value)")
    with pytest.raises(DamageError, match="another program"):
        connect(path)


def test_a_file_without_one_of_its_tables_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "results.sqlite"
    with closing(connect(path)) as connection:
        connection.execute("DROP TABLE edges")
    with pytest.raises(DamageError, match="its tables are not those of a repository"):
        connect(path)


def test_the_file_is_for_its_owner_only(tmp_path: Path) -> None:
    connect(tmp_path / "results.sqlite").close()
    assert (tmp_path / "results.sqlite").stat().st_mode & 0o777 == 0o600


def test_a_transaction_that_fails_changes_nothing_and_the_next_one_works(tmp_path: Path) -> None:
    with closing(connect(tmp_path / "results.sqlite")) as connection:
        rows = [(1, "first"), (1, "again")]
        with pytest.raises(sqlite3.IntegrityError), Transaction(connection):
            connection.executemany("INSERT INTO runs VALUES (?, ?, 0, '')", rows)
        with Transaction(connection):
            connection.execute("INSERT INTO runs VALUES (1, 'second', 0, '')")
        assert connection.execute("SELECT name FROM runs").fetchall() == [("second",)]


def test_only_a_file_that_holds_something_older_waits_for_the_disk(tmp_path: Path) -> None:
    for waits in (0, 1):
        with closing(connect(tmp_path / "results.sqlite")) as connection:
            assert connection.execute("PRAGMA synchronous").fetchone() == (waits,)
