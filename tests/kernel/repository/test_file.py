"""Damage to results.sqlite: the index is made again from the store, and nothing is lost."""

from __future__ import annotations

import errno
import multiprocessing
import os
import sqlite3
from contextlib import closing, nullcontext
from pathlib import Path
from time import sleep
from typing import Any

import pytest

from intemi.kernel import Commentator, IntemiError, Machine, Project, StoreWarning
from intemi.kernel.disk.claims import Claims
from intemi.kernel.disk.database import FOLLOW_SECONDS
from intemi.kernel.repository.file import read_image, write_image
from intemi.kernel.repository.item import Item
from intemi.kernel.repository.labels import Labeler
from intemi.kernel.store import Claim
from tests.kernel.repository.machines import Grade, Twig
from tests.machines import Pass, gate

TREE = Twig((Grade(1), Twig((Grade(2), Grade(3)))))


def make(folder: Path) -> Path:
    """A project with results, and a comment; the repository's file."""
    with Project(folder, workers=1, name="before") as project:
        project.run(TREE, name="tree")
        project.comment(Says(), "tree")
    return folder / "results.sqlite"


class Says(Commentator):
    """One word."""

    def applies_to(self, config: Machine) -> bool:
        return isinstance(config, Grade)

    def comments(self, machine: Any) -> dict[str, str]:
        return {"Said": "word"}


def truncate(path: Path) -> None:
    os.truncate(path, 1000)


def empty(path: Path) -> None:
    os.truncate(path, 0)


def overwrite_header(path: Path) -> None:
    with path.open("r+b") as file:
        file.write(b"something else entirely")


def overwrite_pages(path: Path) -> None:
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xa5" * (size - 4096))


def replace_by_another(path: Path) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE theirs (value)")


def drop_a_table(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DROP TABLE results")


def spoil_text(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE edges SET name = CAST(x'ff70617274' AS TEXT)")
        connection.commit()


DAMAGE = [truncate, empty, overwrite_header, overwrite_pages, replace_by_another, drop_a_table, spoil_text]


@pytest.mark.parametrize("damage", DAMAGE, ids=lambda damage: damage.__name__)
def test_a_damaged_file_is_made_again_and_nothing_is_lost(tmp_path: Path, damage: Any) -> None:
    path = make(tmp_path)
    damage(path)
    with Project(tmp_path, workers=1) as project:
        found = project.query(type=Grade, labels=["Grade", "Place", "path", "Said"])
        assert list(found["Grade"]) == [1, 2, 3]
        assert list(found["path"]) == ["tree/part 0", "tree/part 1/part 0", "tree/part 1/part 1"]
        assert list(found["Place"]) == [None, 1, 1]
        assert list(found["Said"]) == ["word"] * 3
        assert [run.name for run in project.runs()] == ["before"]
        done = project.run(TREE, name="tree")
        assert list(project.query(done, type=Grade, labels="Grade").values) == [1, 2, 3]
        assert project.counts().physical.total() == 0
        is_foreign = damage is replace_by_another
        with pytest.warns(StoreWarning, match="of another program; set aside") if is_foreign else nullcontext():
            project.close()
    assert (tmp_path / "results.sqlite.damaged-1").exists() == is_foreign
    assert read_image(path) is not None


def test_the_file_is_for_its_owner_only(tmp_path: Path) -> None:
    assert make(tmp_path).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("kind", ["link", "fifo", "folder"])
def test_what_is_no_file_is_neither_followed_nor_opened(tmp_path: Path, kind: str) -> None:
    path = make(tmp_path / "project")
    outside = tmp_path / "outside"
    path.rename(outside)
    before = outside.read_bytes()
    if kind == "link":
        path.symlink_to(outside)
    elif kind == "fifo":
        os.mkfifo(path)
    else:
        path.mkdir()
    with Project(tmp_path / "project", workers=1) as project:
        assert len(project.query(type=Grade)) == 3
        with pytest.warns(StoreWarning, match="set aside"):
            project.close()
    assert outside.read_bytes() == before
    assert read_image(path) is not None


def test_a_file_that_is_gone_is_made_again(tmp_path: Path) -> None:
    make(tmp_path).unlink()
    with Project.open(tmp_path, workers=1) as project:
        assert list(project.query(type=Grade, labels="Grade").values) == [1, 2, 3]


def test_a_session_notes_its_requests_again_if_the_store_is_replaced_meanwhile(tmp_path: Path) -> None:
    with Project(tmp_path, workers=2, name="this run") as project:
        project.run(TREE, name="tree")
        running = project.request(Twig((Grade(7), Pass("replaced"))), name="running")
        assert gate("replaced").reached.wait(30)
        assert len(project.query("running", type=Grade)) == 1
        for suffix in ("", "-wal", "-shm"):
            (tmp_path / f"machines.sqlite{suffix}").rename(tmp_path / f"aside{suffix}")
        sleep(2 * FOLLOW_SECONDS)
        project.run(Grade(9), name="more")
        assert [run.name for run in project.runs()] == ["this run"]
        assert len(project.query("tree", type=Grade)) == 3
        assert list(project.query("running", type=Grade, labels="Grade").values) == [7]
        assert list(project.query("more", labels="Grade").values) == [9]
        gate("replaced").opened.set()
        running.wait()
    with Project(tmp_path, workers=1) as project:
        assert [run.name for run in project.runs()] == ["this run"]
        assert list(project.query("running", type=Grade, labels="Grade").values) == [7]


def test_a_store_that_was_set_aside_leaves_its_results_in_the_index(tmp_path: Path) -> None:
    make(tmp_path)
    with Project(tmp_path, workers=1) as project:
        assert len(project.query(type=Grade)) == 3
    os.truncate(tmp_path / "machines.sqlite", 1000)
    with pytest.warns(StoreWarning, match=r"machines.sqlite: .* set aside"):
        project = Project(tmp_path, workers=1)
    with project:
        project.run(Grade(4), name="new")
        for path, grades in (("tree", [1, 2, 3]), ("new", [4])):
            with pytest.warns(StoreWarning, match="all machines of a file .*`intemi cache prune` ends this warning"):
                assert list(project.query(path, type=Grade, labels="Grade").values) == grades


def test_a_folder_named_by_a_relative_path_keeps_its_claims(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with Project("project", workers=1) as project:
        claimed = b"0123456789abcdef"
        assert project._engine.store.claim(claimed) is Claim.MINE
        project.run(Grade(1))
        project.query()
        context = multiprocessing.get_context("spawn")
        with context.Pool(1) as pool:
            assert not pool.apply(is_free, (str(tmp_path / "project" / "claims"), claimed))
        monkeypatch.chdir("/")
        assert len(project.query(type=Grade)) == 1


def is_free(path: str, machine: bytes) -> bool:
    """Whether another process could claim a machine."""
    claims = Claims(Path(path))
    try:
        return claims.take(machine)
    finally:
        claims.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_fork_is_refused_and_does_no_harm(tmp_path: Path) -> None:
    with Project(tmp_path, workers=1) as project:
        project.run(Grade(1))
        project.query()
        child = os.fork()
        if not child:
            try:
                project.query()
            except IntemiError as error:
                project._repository.close()
                os._exit(0 if "open the folder again in the fork" in str(error) else 1)
            finally:
                os._exit(2)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        project.run(Grade(2))
        assert len(project.query(type=Grade)) == 2


def test_what_could_not_be_written_is_written_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Project(tmp_path, workers=1) as project:
        done = project.run(TREE, name="tree")
        with monkeypatch.context() as patch:
            patch.setattr("intemi.kernel.repository.repository.fingerprint", full)
            with pytest.raises(IntemiError, match="no space left"):
                project.runs()
        assert len(project.runs()) == 1
        assert len(project.query("tree")) == len(project.query(done)) == 5


def full() -> str:
    raise IntemiError("no space left")


class Typo(Labeler):
    """A labeler with a mistake."""

    def labels(self, item: Item) -> dict[str, Any]:
        return {"Grade": item.no_such_thing}  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "question",
    [
        {"where": lambda item: item.no_such_thing > 1},
        {"labels": [Typo()]},
        {"type": Grade, "where": lambda item: 1 / 0},
    ],
)
def test_a_mistake_in_a_question_is_said_at_once_and_costs_no_index(tmp_path: Path, question: dict[str, Any]) -> None:
    make(tmp_path)
    with Project(tmp_path, workers=1) as project:
        assert len(project.query(type=Grade)) == 3
        opened = project._repository._file._opened
        assert opened is not None
        assert opened.is_from_file
        done = project.run(TREE, name="tree")
        for root in (None, "tree", done):
            with pytest.raises((AttributeError, ZeroDivisionError)):
                project.query(root, **question)
        assert project._repository._file._opened is opened


def test_a_full_disk_keeps_no_half_of_an_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: object) -> bytes:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("intemi.kernel.repository.file.digest", full)
        with pytest.raises(IntemiError, match="No space left"):
            write_image(tmp_path / "results.sqlite", b"an image")
    assert [file.name for file in tmp_path.iterdir()] == ["claims"]
