"""What a folder has suffered does not show in an answer: each test does what once made one wrong, short or endless."""

from __future__ import annotations

import os
import shutil
import sqlite3
import struct
import warnings
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from intemi.experiments import cross_validation
from intemi.kernel import EventKind, IntemiError, Job, Machine, Model, Output, Project, StoreWarning, upkeep
from intemi.kernel.disk.format import CHILDREN, seal, unseal
from intemi.kernel.disk.log import append
from intemi.kernel.errors import IncompleteError
from intemi.kernel.record import Child, decode_children, encode_children
from intemi.kernel.repository.file import read_image
from intemi.kernel.upkeep import prune, verify
from intemi.machines import KNN, ClassificationTest, CVDistributor, Majority, NaiveBayes, SklearnDataset

FOLDS = 3


def validation(learner: Any, folds: int = FOLDS) -> Machine:
    return cross_validation(learner, CVDistributor(folds=folds), ClassificationTest(), seed=1)


def request(project: Project, learner: Any, folds: int = FOLDS) -> Any:
    return project.run(validation(learner, folds), data=project.request(SklearnDataset("wine")).data, name="validation")


def accuracies(project: Project, root: Any = None) -> list[float]:
    return sorted(map(float, project.query(root, type=ClassificationTest, labels=["Accuracy"])["Accuracy"]))


def ask(folder: Path, learner: Any, folds: int = FOLDS) -> tuple[list[float], int]:
    """The accuracies of a request, and how many machines had to run for it."""
    with Project(folder, workers=1) as project:
        return accuracies(project, request(project, learner, folds)), project.counts().physical.total()


def ask_for_all(folder: Path) -> list[float]:
    with Project(folder, workers=1) as project:
        return accuracies(project)


@pytest.fixture(scope="module")
def pristine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pristine") / "project"
    ask(folder, NaiveBayes())
    ask_for_all(folder)
    return folder


@pytest.fixture(scope="module")
def right() -> list[float]:
    with Project(workers=1) as project:
        return accuracies(project, request(project, NaiveBayes()))


@pytest.fixture
def folder(pristine: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(pristine, tmp_path / "project"))


@contextmanager
def edited(folder: Path, file: str = "machines.sqlite") -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(folder / file, isolation_level=None)) as database:
        yield database


@contextmanager
def warnings_are_errors() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def machines(database: sqlite3.Connection, word: bytes) -> list[tuple[int, bytes, bytes, bytes | None]]:
    """The rows of machines in whose records, or lists of children, a word occurs."""
    listed = database.execute("SELECT rowid, id, record, children FROM machines").fetchall()
    return [row for row in listed if word in row[2][:100] or (row[3] is not None and word in row[3])]


# The index


def test_a_flipped_bit_in_the_index_changes_nothing(folder: Path, right: list[float]) -> None:
    content = bytearray((folder / "results.sqlite").read_bytes())
    content[content.index(struct.pack(">d", right[0])) + 1] ^= 8
    (folder / "results.sqlite").write_bytes(content)
    copy = shutil.copytree(folder, folder.with_name("copy"))
    with warnings_are_errors():
        assert ask(folder, NaiveBayes()) == (right, 0)
        assert ask_for_all(folder) == right
    assert "its checksum does not fit" in verify(copy).problems[0]
    assert verify(copy).problems == []


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO new_roots VALUES (1, x'92')",
        "UPDATE roots SET name = NULL",
        "UPDATE configs SET bytes = 'x'",
        "UPDATE edges SET comments = 7",
        "UPDATE edges SET child = parent WHERE name = 'test'",
        "UPDATE edges SET position = position + 100 WHERE name = 'test'",
        "UPDATE machines SET kind = 5 WHERE kind = 'NaiveBayes'",
        "UPDATE machines SET started = 'x'",
        "UPDATE results SET value = x'4c' WHERE label = 'Accuracy'",
        "UPDATE results SET value = 1.0 WHERE label = 'Accuracy'",
        "UPDATE runs SET program = 'x'",
        "UPDATE mark SET number = 'x'",
        "UPDATE mark SET number = 0",
        "DELETE FROM machines WHERE kind = 'Repeater'",
        "DELETE FROM results",
        "INSERT INTO comments VALUES (x'00', 'x', x'4c', 'y')",
        "DROP TABLE results",
        "CREATE TRIGGER theirs AFTER UPDATE ON mark BEGIN DELETE FROM results; END",
    ],
)
def test_what_another_program_does_to_the_index_is_undone(folder: Path, right: list[float], statement: str) -> None:
    with edited(folder, "results.sqlite") as database:
        database.execute(statement)
    with warnings_are_errors(), Project(folder, workers=1) as project:
        assert [run.number for run in project.runs()] == [1]
        found = project.query(type=ClassificationTest, labels=["Accuracy", "path", "Fold", "started"])
        assert sorted(map(float, found["Accuracy"])) == right
        assert all(path.startswith("validation/") for path in found["path"])


@pytest.mark.parametrize("way", ["restore", "delete", "delete both"])
def test_an_older_or_another_store_is_read_from_its_beginning(tmp_path: Path, way: str) -> None:
    folder, backup = tmp_path / "project", tmp_path / "backup"
    ask(folder, Majority())
    ask_for_all(folder)
    shutil.copy(folder / "machines.sqlite", backup)
    ask(folder, NaiveBayes())
    assert len(ask_for_all(folder)) == 2 * FOLDS
    if way == "restore":
        shutil.copyfile(backup, folder / "machines.sqlite")
    else:
        (folder / "machines.sqlite").unlink()
    if way == "delete both":
        (folder / "results.sqlite").unlink()
    with warnings_are_errors():
        assert len(ask(folder, KNN(k=5))[0]) == FOLDS
        assert len(ask_for_all(folder)) == (FOLDS if way == "delete both" else 3 * FOLDS)
        for learner in (Majority(), NaiveBayes(), KNN(k=5)):
            ask(folder, learner)
        assert len(ask_for_all(folder)) == 3 * FOLDS


def test_the_index_of_another_folder_is_not_taken_for_its_own(folder: Path, tmp_path: Path, right: list[float]) -> None:
    other = tmp_path / "other"
    ask(other, Majority())
    shutil.copy(folder / "results.sqlite", other / "results.sqlite")
    assert verify(Path(shutil.copytree(other, tmp_path / "copy"))).problems == [
        "results.sqlite: it is the index of another store; it is set aside and made again"
    ]
    with warnings_are_errors():
        found = ask_for_all(other)
        assert len(found) == FOLDS
        assert found != right
        with Project(other, workers=1) as project:
            assert len(project.runs()) == 1
        assert verify(other).problems == []


def test_what_only_the_index_knows_is_reported(folder: Path) -> None:
    shutil.copy(folder / "machines.sqlite", folder / "backup")
    ask(folder, Majority())
    ask_for_all(folder)
    shutil.copyfile(folder / "backup", folder / "machines.sqlite")
    (problem,) = verify(folder).problems
    assert "machines that machines.sqlite lacks" in problem
    ask(folder, Majority())
    assert verify(folder).problems == []


@pytest.mark.parametrize("moment", ["before the index is read", "after the index was read"])
def test_what_another_process_writes_while_a_folder_is_verified_is_no_damage(
    folder: Path, moment: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sessions = [Majority(), KNN(k=5)]

    def read(path: Path) -> memoryview | None:
        image = None if moment.startswith("before") else read_image(path)
        if sessions:
            ask(folder, sessions.pop())
        return read_image(path) if moment.startswith("before") else image

    monkeypatch.setattr(upkeep, "read_image", read)
    assert verify(folder).problems == []
    assert len(sessions) < 2
    monkeypatch.undo()
    assert verify(folder).problems == []


def test_a_damaged_index_that_another_process_has_replaced_meanwhile_stays(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = (folder / "results.sqlite").read_bytes()
    (folder / "results.sqlite").write_bytes(right[:-1])
    read: list[memoryview | None] = []

    def replaced(path: Path) -> memoryview | None:
        read.append(read_image(path))
        path.write_bytes(right)
        return read[-1]

    monkeypatch.setattr(upkeep, "read_image", replaced)
    assert verify(folder).problems == []
    assert read[0] is None
    assert (folder / "results.sqlite").read_bytes() == right


def test_an_index_is_not_compared_with_a_store_that_changes_all_the_time(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("intemi.kernel.disk.store.DiskStore.changed", lambda store: True)
    monkeypatch.setattr(upkeep, "RETRY_SECONDS", 0.0)
    (problem,) = verify(folder).problems
    assert problem.startswith("results.sqlite: not compared, since other processes change the folder")


def test_warnings_of_others_are_no_findings_and_findings_are_no_warnings(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with edited(folder) as database:
        database.execute("UPDATE contents SET id = 5 WHERE rowid = (SELECT min(rowid) FROM contents)")

    def read(path: Path) -> memoryview | None:
        warnings.warn(StoreWarning("of another folder"), stacklevel=2)
        return read_image(path)

    monkeypatch.setattr(upkeep, "read_image", read)
    with pytest.warns(StoreWarning) as caught:
        problems = verify(folder).problems
    assert {str(each.message) for each in caught} == {"of another folder"}
    assert any("the id of a content is damaged" in problem for problem in problems)
    assert not any("of another folder" in problem for problem in problems)


# Which key leads to which machine


@pytest.mark.parametrize("way", ["exchange", "one more row", "of a child", "without proof", "an older machine's"])
def test_a_key_that_was_made_to_lead_elsewhere_does_not(tmp_path: Path, way: str) -> None:
    folder = tmp_path / "project"
    learners = {"majority": Majority(), "bayes": NaiveBayes()}
    before = {name: ask(folder, learner)[0] for name, learner in learners.items()}
    with edited(folder) as database:
        listed = database.execute("SELECT id, key FROM machines WHERE key NOT NULL ORDER BY rowid").fetchall()
        (one, first), (other, second) = listed[-1], listed[len(listed) // 2 - 1]
        if way == "exchange":
            database.execute("UPDATE machines SET key = ? WHERE id = ?", (second, one))
            database.execute("UPDATE machines SET key = ? WHERE id = ?", (first, other))
        elif way == "one more row":
            database.execute("INSERT OR REPLACE INTO keys VALUES (?, ?)", (first, other))
        elif way == "of a child":
            database.execute("UPDATE machines SET key = ? WHERE id != ?", (first, one))
        elif way == "without proof":
            database.execute("UPDATE machines SET key = ?, proof = NULL WHERE id = ?", (first, other))
            database.execute("UPDATE machines SET key = NULL WHERE id = ?", (one,))
        else:
            database.execute("UPDATE machines SET proof = (SELECT proof FROM machines WHERE id = ?)", (other,))
    copy = shutil.copytree(folder, folder.with_name("copy"))
    with warnings_are_errors():
        for _ in range(2):
            assert {name: ask(folder, learner) for name, learner in learners.items()} == {
                name: (found, 0) for name, found in before.items()
            }
    assert verify(copy).problems
    assert verify(copy).problems == []


# Damage below a composite


def flip(database: sqlite3.Connection, column: str, number: int, content: bytes) -> None:
    changed = bytearray(content)
    changed[40] ^= 1
    database.execute(f"UPDATE machines SET {column} = ? WHERE rowid = ?", (bytes(changed), number))


def damage_children(database: sqlite3.Connection) -> None:
    number, _, _, children = machines(database, b"learner test")[0]
    assert children is not None
    flip(database, "children", number, children)


def drop_children(database: sqlite3.Connection) -> None:
    database.execute("UPDATE machines SET children = NULL WHERE rowid = ?", machines(database, b"learner test")[0][:1])


def damage_record(database: sqlite3.Connection) -> None:
    number, _, record, _ = next(row for row in machines(database, b"ClassificationTest") if row[3] is None)
    flip(database, "record", number, record)


def delete_record(database: sqlite3.Connection) -> None:
    number = next(row[0] for row in machines(database, b"ClassificationTest") if row[3] is None)
    database.execute("DELETE FROM machines WHERE rowid = ?", (number,))


def delete_last(database: sqlite3.Connection) -> None:
    database.execute("DELETE FROM machines WHERE rowid = (SELECT max(rowid) FROM machines)")


Damage = Callable[[sqlite3.Connection], None]
DAMAGE = [damage_children, drop_children, damage_record, delete_record, delete_last]


@pytest.mark.parametrize("has_index", [True, False], ids=["index", "no index"])
@pytest.mark.parametrize("first", ["request", "everything", "children", "path", "verify"])
@pytest.mark.parametrize("damage", DAMAGE, ids=lambda damage: damage.__name__)
def test_a_composite_whose_branch_is_damaged_is_run_again(
    folder: Path, right: list[float], damage: Damage, first: str, has_index: bool
) -> None:
    with edited(folder) as database:
        damage(database)
    if not has_index:
        (folder / "results.sqlite").unlink()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if first == "everything":
            found = ask_for_all(folder)
            assert found == right or (set(found) <= set(right) and caught)
        elif first == "children":
            with suppress(IncompleteError), Project(folder, workers=1) as project:
                assert request(project, NaiveBayes()).children
        elif first == "path":
            with suppress(IncompleteError), Project(folder, workers=1) as project:
                assert accuracies(project, "validation") == right or caught
        elif first == "verify":
            assert verify(folder).problems
        ran = []
        for _ in range(3):
            found, number = ask(folder, NaiveBayes())
            assert found == right
            ran.append(number)
            assert ask_for_all(folder) == right
        assert ran[0] < 8, "finished siblings are not run again"
        assert ran[1:] == [0, 0]
        verify(folder)  # what was only in the index until now
        assert ask(folder, NaiveBayes())[0] == right
        prune(folder)
    with warnings_are_errors():
        assert ask_for_all(folder) == right
        assert verify(folder).problems == []


def test_a_request_that_lacks_something_is_named_until_it_has_run_again(folder: Path, right: list[float]) -> None:
    with edited(folder) as database:
        damage_record(database)
    (folder / "results.sqlite").unlink()
    for _ in range(3):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            assert len(ask_for_all(folder)) == FOLDS - 1
        assert "run validation again" in str(caught[-1].message)
        assert any("validation is not on record any more" in problem for problem in verify(folder).problems)
        with Project(folder, workers=1) as project, pytest.raises(IncompleteError, match="run validation again"):
            project.query("validation")
    with warnings_are_errors():
        assert ask(folder, NaiveBayes())[0] == right
        assert ask_for_all(folder) == right
        assert verify(folder).problems == []


def test_a_request_whose_row_is_gone_is_never_answered_with_nothing(folder: Path, right: list[float]) -> None:
    with edited(folder) as database:
        (last,) = database.execute("SELECT max(rowid) FROM machines WHERE children IS NOT NULL").fetchone()
        database.execute("DELETE FROM machines WHERE rowid >= ?", (last,))
    (folder / "results.sqlite").unlink()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(3):
            with Project(folder, workers=1) as project, pytest.raises(IncompleteError, match="run validation again"):
                project.query("validation")
        with Project(folder, workers=1) as project:
            request(project, NaiveBayes())
            caught.clear()
            assert accuracies(project, "validation") == right
            assert "there should be" in str(caught[-1].message), "something else may be gone, too"
        prune(folder)
        caught.clear()
        with Project(folder, workers=1) as project:
            assert accuracies(project, "validation") == right
    assert not caught


class Inner(Machine):
    """A leaf."""

    version = 1

    def run(self) -> Model:
        return Model(results={"Inner": 1})


class Failing(Machine):
    """Fails after its child has finished."""

    version = 1

    async def run(self, job: Job) -> Model:
        await job.all(job.request(Inner()))
        raise ValueError("on purpose")


def test_pruning_ends_every_warning_that_says_so(tmp_path: Path) -> None:
    with Project(tmp_path, workers=1, failures="forget") as project, pytest.raises(IntemiError, match="on purpose"):
        project.run(Failing(), name="failing")
    with edited(tmp_path) as database:
        database.execute("UPDATE machines SET record = x'00' || substr(record, 2)")
    for _ in range(2):
        with Project(tmp_path) as project, warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            project.query()
        assert "`intemi cache prune` ends this warning" in str(caught[-1].message)
    prune(tmp_path)
    with warnings_are_errors(), Project(tmp_path) as project:
        project.query()
    assert verify(tmp_path).problems == []


@pytest.mark.parametrize("way", ["aside", "deleted"])
def test_no_composite_goes_on_record_without_its_children_if_the_file_is_replaced(tmp_path: Path, way: str) -> None:
    folder, folds = tmp_path / "project", 6
    finished: list[Any] = []

    def replace(event: Any) -> None:
        if event.kind is EventKind.FINISHED and event.config.kind == "ClassificationTest":
            finished.append(event)
            if len(finished) == 3:
                for suffix in ("", "-wal", "-shm"):
                    path = folder / f"machines.sqlite{suffix}"
                    if way == "deleted":
                        path.unlink(missing_ok=True)
                    elif path.exists():
                        path.rename(f"{folder}/aside{suffix}")

    with warnings_are_errors():
        with Project(folder, workers=1) as project:
            project.listen(replace)
            assert len(accuracies(project, request(project, NaiveBayes(), folds))) == folds
        for _ in range(3):
            assert len(ask(folder, NaiveBayes(), folds)[0]) == folds
            assert len(ask_for_all(folder)) == folds
    assert verify(folder).problems == []


# Rows that contradict each other


class Number(Machine):
    """A number."""

    version = 1
    value = Output(int)
    n: int = 0

    def run(self) -> Model:
        return Model(value=self.n, results={"n": self.n})


@pytest.mark.timeout(60)
@pytest.mark.parametrize("pair", [(0, -1), (0, 1), (1, -2), (-1, -2)])
def test_exchanged_pages_are_not_read_for_ever(tmp_path: Path, pair: tuple[int, int]) -> None:
    folder, page = tmp_path / "project", 4096
    with Project(folder, workers=1) as project:
        project.wait(*[project.request(Number(n)) for n in range(400)])
    content = bytearray((folder / "machines.sqlite").read_bytes())
    leaves = [at for at in range(page, len(content), page) if content[at] == 13 and b"intemi\1" in content[at:][:page]]
    one, other = (leaves[number] for number in pair)
    content[one : one + page], content[other : other + page] = content[other : other + page], content[one : one + page]
    (folder / "machines.sqlite").write_bytes(content)
    with warnings.catch_warnings(record=True) as caught, Project(folder, workers=1) as project:
        warnings.simplefilter("always")
        found = sorted(map(int, project.query(type=Number, labels=["n"])["n"]))
        assert caught
        assert set(found) <= set(range(400))
        assert len(found) > 300, "what fits its seal is saved"
        project.wait(*[project.request(Number(n)) for n in range(400)])
        assert sorted(map(int, project.query(type=Number, labels=["n"])["n"])) == list(range(400))


def test_a_machine_that_was_sealed_below_itself_is_one_clear_error(folder: Path) -> None:
    with edited(folder) as database:
        number, machine, _, children = machines(database, b"learner test")[0]
        listed = decode_children(unseal(CHILDREN, machine, children))
        listed.append(Child(len(listed), "itself", machine, {}))
        sealed = seal(CHILDREN, machine, encode_children(listed))
        database.execute("UPDATE machines SET children = ? WHERE rowid = ?", (sealed, number))
    (folder / "results.sqlite").unlink()
    for _ in range(2):
        with pytest.raises(IntemiError, match="is below itself"):
            ask_for_all(folder)


def test_entries_of_the_log_that_were_made_up_are_lost_with_a_warning(folder: Path, right: list[float]) -> None:
    with edited(folder) as database:
        database.execute("UPDATE log SET entry = ? WHERE number = 1", (seal(b"entry", b"1", b"\x91" * 100_000),))
        append(database, [("run", b"x", "name", 0, "no JSON")])
    (folder / "results.sqlite").unlink()
    with warnings.catch_warnings(record=True) as caught, Project(folder, workers=1) as project:
        warnings.simplefilter("always")
        assert accuracies(project) == right
        assert project.runs()[-1].program == {"program": "no JSON"}
    assert caught


def test_special_files_beside_the_store_are_not_opened(folder: Path, right: list[float], tmp_path: Path) -> None:
    os.mkfifo(folder / "results.sqlite-new")
    (folder / "results.sqlite").unlink()
    (folder / "results.sqlite").symlink_to(tmp_path / "outside")
    with pytest.warns(StoreWarning, match="set aside"):
        assert ask_for_all(folder) == right
    assert not (tmp_path / "outside").exists()
