"""The tables: values come back as they went in, other programs' files are told from ours."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intemi.kernel import encoding
from intemi.kernel.disk.format import DamageError
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


def test_an_image_holds_what_was_written() -> None:
    with closing(connect()) as connection:
        connection.execute("INSERT INTO runs VALUES (1, 'first', 0, '', x'00')")
        image = connection.serialize()
    with closing(connect(image)) as connection:
        assert connection.execute("SELECT name FROM runs").fetchall() == [("first",)]


@pytest.mark.parametrize(
    "change",
    [
        f"PRAGMA user_version = {VERSION + 1}",
        f"PRAGMA application_id = {APPLICATION + VERSION + 1}",
        "DROP TABLE edges",
        "CREATE TABLE theirs (value)",
        "CREATE TRIGGER theirs AFTER INSERT ON runs BEGIN DELETE FROM results; END",
    ],
)
def test_an_image_of_another_version_or_program_is_refused(change: str) -> None:
    with closing(connect()) as connection:
        connection.execute(change)
        image = connection.serialize()
    with pytest.raises(DamageError, match="its tables are not those of a repository"):
        connect(image)


def test_bytes_that_are_no_image_are_refused() -> None:
    with pytest.raises(DamageError):
        connect(b"something else entirely" * 1000)


def test_a_transaction_that_fails_changes_nothing_and_the_next_one_works() -> None:
    with closing(connect()) as connection:
        rows = [(1, "first"), (1, "again")]
        with pytest.raises(sqlite3.IntegrityError), Transaction(connection):
            connection.executemany("INSERT INTO runs VALUES (?, ?, 0, '', NULL)", rows)
        with Transaction(connection):
            connection.execute("INSERT INTO runs VALUES (1, 'second', 0, '', NULL)")
        assert connection.execute("SELECT name FROM runs").fetchall() == [("second",)]
