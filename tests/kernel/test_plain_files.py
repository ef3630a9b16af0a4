"""Regular files only."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from intemi.kernel.plain_files import (
    SpecialFileError,
    check_beside,
    check_file,
    check_folder,
    create_file,
    is_file,
    open_below,
    read_file,
    remove_all,
    remove_below,
    write_below,
)


@pytest.fixture
def special(tmp_path: Path) -> list[Path]:
    """A link, a link to nothing, a pipe and a folder."""
    (tmp_path / "file").write_text("text")
    (tmp_path / "link").symlink_to("file")
    (tmp_path / "nowhere").symlink_to("nothing")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    return [tmp_path / name for name in ("link", "nowhere", "pipe", "folder")]


def test_special_files_are_refused(special: list[Path]) -> None:
    for path in special:
        with pytest.raises(SpecialFileError, match=r"must be a file, got a .*: move it away"):
            check_file(path)
        with pytest.raises((SpecialFileError, IsADirectoryError)):
            read_file(path, 100)
        assert not is_file(path)


def test_files_and_what_is_absent_pass(tmp_path: Path, special: list[Path]) -> None:
    check_file(tmp_path / "file")
    check_file(tmp_path / "absent")
    check_folder(tmp_path / "folder")
    check_folder(tmp_path / "absent")
    check_beside(tmp_path / "file")
    assert is_file(tmp_path / "file")
    assert read_file(tmp_path / "file", 4) == b"text"
    (tmp_path / "to folder").symlink_to("folder")
    for path in ("file", "to folder", "pipe"):
        with pytest.raises(SpecialFileError, match="must be a folder"):
            check_folder(tmp_path / path)


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"12345")
    with pytest.raises(SpecialFileError, match="at most 4 bytes"):
        read_file(tmp_path / "file", 4)


def test_a_pipe_beside_a_sqlite_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.sqlite-wal")
    with pytest.raises(SpecialFileError):
        check_beside(tmp_path / "a.sqlite")


def test_what_is_created_replaces_a_link_and_does_not_follow_it(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("precious")
    (tmp_path / "new").symlink_to("precious")
    create_file(tmp_path / "new", b"mine")
    assert (tmp_path / "precious").read_text() == "precious"
    assert (tmp_path / "new").read_text() == "mine"


def test_folders_in_between_may_not_be_links(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "inside").mkdir()
    write_below(tmp_path / "inside", "ab/file", b"content")
    with open(open_below(tmp_path / "inside", "ab/file", os.O_RDONLY), "rb") as file:
        assert file.read() == b"content"
    assert os.listdir(tmp_path / "inside" / "ab") == ["file"]
    remove_below(tmp_path / "inside", "ab/file")
    assert not (tmp_path / "inside" / "ab" / "file").exists()
    (tmp_path / "inside" / "cd").symlink_to("../outside")
    with pytest.raises(SpecialFileError):
        write_below(tmp_path / "inside", "cd/file", b"content")
    with pytest.raises(SpecialFileError):
        open_below(tmp_path / "inside", "cd/file", os.O_RDONLY)
    assert os.listdir(tmp_path / "outside") == []


def test_a_link_is_removed_and_not_what_it_leads_to(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "file").touch()
    (tmp_path / "link").symlink_to("outside")
    remove_all(tmp_path / "link")
    remove_all(tmp_path / "absent")
    assert os.listdir(tmp_path / "outside") == ["file"]
    remove_all(tmp_path / "outside")
    assert not (tmp_path / "outside").exists()
