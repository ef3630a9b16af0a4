from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

from intemi.whole_files import write_whole


def test_a_file_is_written_and_nothing_is_beside_it(tmp_path: Path) -> None:
    for content in ("one", "zwölf".encode()):
        write_whole(tmp_path / "a.txt", content)
        assert (tmp_path / "a.txt").read_bytes() == (content.encode() if isinstance(content, str) else content)
    assert os.listdir(tmp_path) == ["a.txt"]


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_whatever_is_raised_in_the_middle_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    def fail(*_: object) -> None:
        raise error

    file = tmp_path / "a.txt"
    file.write_text("old")
    monkeypatch.setattr("shutil.copymode", fail)
    with pytest.raises(type(error)):
        write_whole(file, "new")
    assert (file.read_text(), os.listdir(tmp_path)) == ("old", ["a.txt"])


def test_permissions_stay(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.touch()
    file.chmod(0o640)
    write_whole(file, "new")
    assert stat.S_IMODE(file.stat().st_mode) == 0o640


def test_a_link_stays_one(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    link, file = tmp_path / "link.txt", tmp_path / "folder" / "a.txt"
    file.write_text("old")
    link.symlink_to(file)
    write_whole(link, "new")
    assert link.is_symlink()
    assert (file.read_text(), os.listdir(file.parent)) == ("new", ["a.txt"])


def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=write_whole, args=(pipe, "through"))
    writer.start()
    assert pipe.read_text() == "through"
    writer.join()
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_an_error_names_the_file_that_was_asked_for(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as raised:
        write_whole(tmp_path / "missing" / "a.txt", "new")
    assert raised.value.filename == str(tmp_path / "missing" / "a.txt")
