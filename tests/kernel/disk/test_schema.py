"""The format of a store: which versions are read, and which are refused without a change."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from intemi.kernel.disk import DiskStore
from intemi.kernel.disk.schema import SCHEMA, SCHEMA_VERSION, UNRELEASED_VERSIONS, marks
from intemi.kernel.errors import IntemiError


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
