"""Whatever happens to the files of a project's folder: results are right, a warning says what was lost, nothing runs.

A first session leaves a few machines behind, whose arrays live in a record, in a row beside it, or in a file of their
own that diskcache has. Then somebody is at the folder. A second session asks for the same machines, and for a new one
that needs their arrays.
"""

import os
import pickle
import random
import shutil
import sqlite3
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from intemi.kernel import Capsule, Input, Machine, MachineFailed, Model, Output, Project, StoreWarning
from intemi.kernel.disk.format import seal
from intemi.kernel.errors import IncompleteError
from intemi.kernel.values import PICKLE
from tests.machines import Chain, Log, Ramp

IN_RECORD, IN_ROW, IN_FILE = 100, 1_000, 20_000
RECORDS = "machines.sqlite"


class LateRamp(Machine):
    """An array that takes its time."""

    result = Output(np.ndarray)
    size: int = IN_FILE

    def run(self) -> Model:
        time.sleep(0.3)
        return Model(result=np.arange(float(self.size)))


class Double(Machine):
    """Twice an array."""

    array = Input(np.ndarray)
    result = Output(np.ndarray)

    def run(self, array: np.ndarray) -> Model:
        return Model(result=2 * array)


class Mean(Machine):
    """The mean of an array."""

    array = Input(np.ndarray)

    def run(self, array: np.ndarray) -> Model:
        return Model(results={"Mean": float(array.mean())})


class Largest(Machine):
    """The largest entry of an array."""

    array = Input(np.ndarray)

    def run(self, array: np.ndarray) -> Model:
        return Model(results={"Largest": float(array.max())})


class Session:
    """A project in a folder: the machines that every session asks for."""

    def __init__(self, project: Project, size: int) -> None:
        self.log = Log(project)
        self.ramp = project.request(Ramp(size), name="ramp")
        self.double = project.request(Double(), array=self.ramp.result, name="double")
        self.mean = project.request(Mean(), array=self.double.result, name="mean")
        self.chain = project.request(Chain(4), number=project.given(5), name="chain")
        self.largest: Capsule | None = None
        self._project = project
        self._size = size

    def ask_for_something_new(self) -> None:
        self.largest = self._project.request(Largest(), array=self.double.result, name="largest")

    def check(self) -> None:
        """Everything is as it must be."""
        assert self.mean.wait(60).results == {"Mean": self._size - 1.0}
        assert self.chain.wait(60).outputs["result"] == 9
        assert self.chain.results == {"Steps": 4}
        if self.largest is not None:
            assert self.largest.wait(60).results == {"Largest": 2 * (self._size - 1.0)}
        assert np.array_equal(self.ramp.wait(60).outputs["result"], np.arange(self._size))
        assert np.array_equal(self.double.wait(60).outputs["result"], 2 * np.arange(self._size))


@contextmanager
def session(folder: Path, size: int = IN_FILE, memory: int | None = None) -> Iterator[Session]:
    with Project(folder, workers=2, memory=memory) as project:
        yield Session(project, size)


def filled(folder: Path, size: int = IN_FILE) -> Path:
    with session(folder, size) as first:
        first.check()
        assert len(first.log.started) == 9
    return folder


@contextmanager
def warned(*parts: str) -> Iterator[None]:
    """Exactly one StoreWarning for each of the parts, in any order, and nothing else."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    messages = [str(warning.message) for warning in caught]
    assert {warning.category for warning in caught} <= {StoreWarning}, messages
    assert len(messages) == len(parts), messages
    for part in parts:
        assert any(part in message for message in messages), (part, messages)


def edit(folder: Path, statement: str, *parameters: Any, file: str = RECORDS) -> None:
    with closing(sqlite3.connect(folder / file)) as database, database:
        assert database.execute(statement, parameters).rowcount


def machine_of(folder: Path, name: str, size: int = IN_FILE) -> bytes:
    with session(folder, size) as one:
        one.check()
        record = getattr(one, name).context.record
        assert isinstance(record.machine, bytes)
        return record.machine


def content_of(folder: Path, name: str, size: int = IN_FILE) -> str:
    with session(folder, size) as one:
        one.check()
        record = getattr(one, name).context.record
        return str(record.outputs["result"].content.hex())


def value_file(folder: Path, content: str) -> Path:
    return folder / "contents" / content[:2] / f"{content}.val"


def replace_content(folder: Path, content: str, change: Callable[[bytes], bytes]) -> None:
    """Change the bytes of a content, wherever they are."""
    with closing(sqlite3.connect(folder / RECORDS)) as database, database:
        rows = database.execute("SELECT bytes FROM contents WHERE id = ?", (bytes.fromhex(content),)).fetchall()
        for (sealed,) in rows:
            row = change(sealed), bytes.fromhex(content)
            database.execute("UPDATE contents SET bytes = ? WHERE id = ?", row)
    if not rows:
        file = value_file(folder, content)
        file.write_bytes(change(file.read_bytes()))


def spoilt(sealed: bytes) -> bytes:
    return sealed[:-100] + bytes([sealed[-100] ^ 1]) + sealed[-99:]


class Bomb:
    """Leaves a mark when it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Callable[[str], None], tuple[str]]:
        return os.mkdir, (str(self.mark),)


@pytest.fixture
def bomb(tmp_path: Path) -> Iterator[bytes]:
    """Bytes that must never be unpickled."""
    mark = tmp_path / "exploded"
    bomb = pickle.dumps(Bomb(mark))
    yield bomb
    assert not mark.exists()
    pickle.loads(bomb)
    assert mark.exists(), "the bomb was no bomb"


def flip(file: Path, position: int = -100) -> None:
    damaged = bytearray(file.read_bytes())
    damaged[position] ^= 1
    file.write_bytes(damaged)


def cut(file: Path) -> None:
    os.truncate(file, file.stat().st_size // 2)


def empty(file: Path) -> None:
    os.truncate(file, 0)


def write_diary(file: Path) -> None:
    file.write_text("Dear diary, " * 1000)


def behead(file: Path) -> None:
    """Leave nothing but the first page."""
    os.truncate(file, 4096)


# Contents


@pytest.mark.parametrize("damage", [flip, cut, empty, write_diary])
@pytest.mark.parametrize("memory", [None, 1])
def test_an_array_whose_file_was_damaged_is_made_again_when_it_is_needed(
    tmp_path: Path, damage: Callable[[Path], None], memory: int | None
) -> None:
    folder = filled(tmp_path / "folder")
    damaged = content_of(folder, "double")
    damage(value_file(folder, damaged))
    with warned(f"content {damaged} is treated as absent"), session(folder, memory=memory) as second:
        second.ask_for_something_new()
        second.check()
        assert second.log.started == ["largest"], "a record that is in order answers for its machine"
    with warned(), session(folder) as third:
        third.check()
        assert third.log.started == []


@pytest.mark.parametrize("how", ["substr(bytes, 1, 500)", "zeroblob(length(bytes))", "x''", "'Dear diary'", "NULL"])
@pytest.mark.parametrize("memory", [None, 1])
def test_an_array_whose_row_was_damaged_is_made_again_when_it_is_needed(
    tmp_path: Path, how: str, memory: int | None
) -> None:
    folder = filled(tmp_path / "folder", IN_ROW)
    damaged = content_of(folder, "double", IN_ROW)
    edit(folder, f"UPDATE contents SET bytes = {how} WHERE id = ?", bytes.fromhex(damaged))
    with warned(f"content {damaged} is treated as absent"), session(folder, IN_ROW, memory) as second:
        second.ask_for_something_new()
        second.check()
        assert second.log.started == ["largest"]
    with warned(), session(folder, IN_ROW) as third:
        third.check()
        assert third.log.started == []


@pytest.mark.parametrize("size", [IN_ROW, IN_FILE])
def test_arrays_that_were_all_damaged_are_made_again_one_from_the_other(tmp_path: Path, size: int) -> None:
    folder = filled(tmp_path / "folder", size)
    damaged = [content_of(folder, name, size) for name in ("ramp", "double")]
    for content in damaged:
        replace_content(folder, content, spoilt)
    with warned(*(f"content {content} is treated as absent" for content in damaged)), session(folder, size) as second:
        second.ask_for_something_new()
        second.check()
        assert second.log.started == ["largest"]
    with warned(), session(folder, size) as third:
        third.check()


@pytest.mark.parametrize("size", [IN_ROW, IN_FILE])
def test_contents_that_are_gone_without_a_trace_are_made_again(tmp_path: Path, size: int) -> None:
    folder = filled(tmp_path / "folder", size)
    if size == IN_ROW:
        edit(folder, "DELETE FROM contents")
    else:
        shutil.rmtree(folder / "contents")
    with warned(), session(folder, size) as second:
        second.ask_for_something_new()
        second.check()
        assert second.log.started == ["largest"]


@pytest.mark.parametrize("size", [IN_ROW, IN_FILE])
def test_a_damaged_array_that_nobody_needs_is_not_even_noticed(tmp_path: Path, size: int) -> None:
    folder = filled(tmp_path / "folder", size)
    replace_content(folder, content_of(folder, "ramp", size), spoilt)
    with warned(), session(folder, size) as second:
        assert second.mean.wait(60).results == {"Mean": size - 1.0}


@pytest.mark.parametrize("size", [IN_ROW, IN_FILE])
def test_a_value_that_was_given_can_be_given_again(tmp_path: Path, size: int) -> None:
    folder = tmp_path / "folder"
    given = np.arange(float(size))
    with Project(folder) as project:
        mean = project.run(Mean(), array=project.given(given))
        ((machine, _, _),) = mean.context.record.inputs["array"][1]
        content = project._engine.record_of(machine).outputs["value"].content.hex()
    replace_content(folder, content, spoilt)
    with warned(), Project(folder) as project:
        assert project.run(Largest(), array=project.given(given)).results == {"Largest": size - 1.0}


# Records


@pytest.mark.parametrize("name", ["ramp", "double", "mean", "chain"])
@pytest.mark.parametrize("how", ["substr(record, 1, 40)", "x'00' || substr(record, 2)", "NULL"])
def test_a_machine_whose_record_was_damaged_is_run_again(tmp_path: Path, name: str, how: str) -> None:
    folder = filled(tmp_path / "folder")
    machine = machine_of(folder, name)
    edit(folder, f"UPDATE machines SET record = {how} WHERE id = ?", machine)
    with warned(f"machine {machine.hex()} is treated as absent"), session(folder) as second:
        second.check()
        assert second.log.started == [name], "everything else is on record"
    with warned(), session(folder) as third:
        third.check()
        assert third.log.started == []


def test_the_record_of_a_machine_inside_of_another_can_be_damaged_too(tmp_path: Path) -> None:
    folder = filled(tmp_path / "folder")
    with session(folder) as one:
        step = one.chain.wait(60).child("step 2").context.record
    assert step is not None
    edit(folder, "UPDATE machines SET record = x'00' WHERE id = ?", step.machine)
    edit(folder, "UPDATE machines SET record = x'00' WHERE id = ?", machine_of(folder, "chain"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StoreWarning)
        with session(folder) as second:
            second.check()
            assert second.log.started == ["chain", "chain/step 2"]
    with warned(), session(folder) as third:
        third.check()
        assert [child.name for child in third.chain.children] == ["one", "step 0", "step 1", "step 2", "step 3"]


@pytest.mark.parametrize("size", [IN_ROW, IN_FILE])
def test_an_array_that_cannot_be_made_again_as_other_things_are_lost_too_is_right_next_time(
    tmp_path: Path, size: int
) -> None:
    folder = tmp_path / "folder"
    with Project(folder, workers=2) as project:
        ramp = project.request(LateRamp(size))
        double = project.run(Double(), array=ramp.result)
        machine, content = ramp.context.record.machine, double.context.record.outputs["result"].content.hex()
    replace_content(folder, content, spoilt)
    edit(folder, "UPDATE machines SET record = x'00' WHERE id = ?", machine)
    with warned(f"content {content}", f"machine {machine.hex()}"), Project(folder, workers=2) as project:
        ramp = project.request(LateRamp(size))
        largest = project.request(Largest(), array=project.request(Double(), array=ramp.result).result)
        ramp.wait(60)
        with suppress(MachineFailed):  # unless it is late, and the ramp is there again
            largest.wait(60)
        assert largest.error is None or "gone from the store" in str(largest.error)
    with warned(), Project(folder, workers=2) as project:
        double = project.request(Double(), array=project.request(LateRamp(size)).result)
        assert project.run(Largest(), array=double.result).results == {"Largest": 2 * (size - 1.0)}


def test_keys_that_were_damaged_lead_nowhere(tmp_path: Path) -> None:
    folder = filled(tmp_path / "folder")
    edit(folder, "UPDATE machines SET key = x'0123456789abcdef0123456789abcdef' WHERE key IS NOT NULL")
    with warned(), session(folder) as second:
        second.check()
        assert second.log.started == [], "contents still tell which machine it is"


def test_a_list_of_children_that_was_damaged_is_made_again_by_the_next_run(tmp_path: Path) -> None:
    folder = filled(tmp_path / "folder")
    machine = machine_of(folder, "chain")
    edit(folder, "UPDATE machines SET children = x'00' WHERE id = ?", machine)
    with warned(f"machine {machine.hex()}"), session(folder) as second:
        second.check()
        with pytest.raises(IncompleteError):
            second.chain.children  # noqa: B018
    with warned(), session(folder) as third:
        third.check()
        assert third.log.started == ["chain"]
        assert len(third.chain.children) == 5


def test_a_child_whose_record_was_damaged_is_made_again_by_the_next_run(tmp_path: Path) -> None:
    folder = filled(tmp_path / "folder")
    with session(folder) as one:
        step = one.chain.wait(60).child("step 2").context.record
    assert step is not None
    edit(folder, "UPDATE machines SET record = x'00' WHERE id = ?", step.machine)
    with warned(f"machine {step.machine.hex()}"), session(folder) as second:
        second.check()
        with pytest.raises(IncompleteError, match="chain: records of its children are missing or corrupt"):
            second.chain.children  # noqa: B018
    with warned(), session(folder) as third:
        third.check()
        assert third.log.started == ["chain", "chain/step 2"]
        assert len(third.chain.children) == 5
    with warned(), session(folder) as fourth:
        fourth.check()
        assert len(fourth.chain.children) == 5


# Whole files


@pytest.mark.parametrize("damage", [behead, empty, write_diary, Path.unlink])
@pytest.mark.parametrize(("file", "size"), [(RECORDS, IN_ROW), (RECORDS, IN_FILE)])
def test_a_database_that_was_destroyed_is_begun_afresh(
    tmp_path: Path, damage: Callable[[Path], None], file: str, size: int
) -> None:
    folder = filled(tmp_path / "folder", size)
    damage(folder / file)
    with warned(*[] if damage is Path.unlink else ["set aside"]), session(folder, size) as second:
        second.ask_for_something_new()
        second.check()
        assert len(second.log.started) == (10 if file == RECORDS else 1)
    with warned(), session(folder, size) as third:
        third.check()
        assert third.log.started == []


@pytest.mark.parametrize(("file", "size"), [(RECORDS, IN_ROW), (RECORDS, IN_FILE)])
def test_a_database_may_be_destroyed_while_a_project_works_with_it(tmp_path: Path, file: str, size: int) -> None:
    folder = filled(tmp_path / "folder", size)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StoreWarning)  # whether it is noticed depends on what SQLite has in memory
        with session(folder, size) as second:
            second.check()
            content = (folder / file).read_bytes()
            (folder / file).write_bytes(content[:4096] + b"\x55" * (len(content) - 4096))
            with Project(folder) as project:
                assert project.run(Ramp(size, 3.0)).outputs["result"][1] == 3.0
                assert project.run(Double(), array=project.run(Ramp(size, 4.0)).result).outputs["result"][1] == 8.0
            second.ask_for_something_new()
            second.check()
        with session(folder, size) as third:
            third.check()


def test_files_of_another_program_are_left_alone(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    theirs = ["notes.txt", "contents/notes.txt", "contents/ab/notes.val", "owners/notes", "machines.sqlite.bak"]
    for name in theirs:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("mine")
    with warned():
        filled(folder)
        with session(folder) as second:
            second.ask_for_something_new()
            second.check()
    assert all((folder / name).read_text() == "mine" for name in theirs)


def test_a_database_of_another_program_is_set_aside_and_not_touched(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    with closing(sqlite3.connect(folder / RECORDS)) as database, database:
        database.execute("CREATE TABLE machines (serial_number, colour)")
        database.execute("INSERT INTO machines VALUES (7, 'green')")
    before = (folder / RECORDS).read_bytes()
    with warned("set aside as machines.sqlite.damaged-1"):
        filled(folder)
    assert (folder / "machines.sqlite.damaged-1").read_bytes() == before


# Bombs


def test_a_bomb_in_place_of_a_content_does_not_go_off(tmp_path: Path, bomb: bytes) -> None:
    folder = filled(tmp_path / "folder", IN_ROW)
    edit(folder, "UPDATE contents SET bytes = ?", bomb)
    with warned("absent", "absent"), session(folder, IN_ROW) as second:
        second.ask_for_something_new()
        second.check()


def test_a_bomb_in_place_of_a_file_does_not_go_off(tmp_path: Path, bomb: bytes) -> None:
    folder = filled(tmp_path / "folder")
    for file in (folder / "contents").glob("*/*.val"):
        file.write_bytes(bomb)
    with warned("absent", "absent"), session(folder) as second:
        second.ask_for_something_new()
        second.check()


@pytest.mark.parametrize("column", ["record", "children"])
def test_a_bomb_in_place_of_a_record_does_not_go_off(tmp_path: Path, bomb: bytes, column: str) -> None:
    folder = filled(tmp_path / "folder")
    edit(folder, f"UPDATE machines SET {column} = ?", bomb)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StoreWarning)
        with session(folder) as second:
            second.ask_for_something_new()
            second.check()
            if column == "record":
                assert len(second.log.started) == 10
                assert len(second.chain.children) == 5
            else:  # the record of a composite is in order, without children it is of no use
                with pytest.raises(IncompleteError):
                    second.chain.children  # noqa: B018
        with session(folder) as third:
            third.check()
            assert len(third.chain.children) == 5


@pytest.mark.parametrize("file", [RECORDS, "contents"])
def test_a_bomb_in_place_of_a_database_does_not_go_off(tmp_path: Path, bomb: bytes, file: str) -> None:
    folder = filled(tmp_path / "folder")
    if file == "contents":
        shutil.rmtree(folder / file)
    (folder / file).write_bytes(bomb)
    with warned("set aside"), session(folder) as second:
        second.ask_for_something_new()
        second.check()


@pytest.mark.parametrize("prefix", [b"", PICKLE])
@pytest.mark.parametrize("size", [IN_ROW, IN_FILE])
def test_a_bomb_with_a_seal_that_fits_does_not_go_off(tmp_path: Path, bomb: bytes, prefix: bytes, size: int) -> None:
    folder = filled(tmp_path / "folder", size)
    damaged = content_of(folder, "double", size)
    replace_content(folder, damaged, lambda _: seal(b"content", bytes.fromhex(damaged), prefix + bomb))
    with nullcontext() if prefix else warned("is treated as absent"), session(folder, size) as second:
        second.ask_for_something_new()
        second.check()
        assert second.log.started == ["largest"]


def test_bombs_that_lie_about_do_not_go_off(tmp_path: Path, bomb: bytes) -> None:
    folder = filled(tmp_path / "folder")
    for name in ("bomb.pkl", "contents/bomb.pkl", "contents/00/bomb.val", "owners/bomb", f"owners/{'0' * 16}"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(bomb)
    with warned(), session(folder) as second:
        second.ask_for_something_new()
        second.check()
        assert second.log.started == ["largest"]


# Anything anywhere


@pytest.fixture(scope="module")
def pristine(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    """Folders by the size of their arrays."""
    return {size: filled(tmp_path_factory.mktemp("pristine") / "folder", size) for size in (IN_ROW, IN_FILE)}


@pytest.mark.parametrize(("size", "seed"), [(size, seed) for size in (IN_ROW, IN_FILE) for seed in range(40)])
def test_with_random_damage_to_one_file_all_results_are_right(
    pristine: dict[int, Path], tmp_path: Path, size: int, seed: int
) -> None:
    chance = random.Random(seed)
    folder = tmp_path / "folder"
    shutil.copytree(pristine[size], folder)
    files = [folder / RECORDS, folder / RECORDS, *folder.glob("contents/*/*.val")]
    file = chance.choice(files) if size == IN_FILE else folder / RECORDS
    for _ in range(chance.choice([1, 1, 10])):
        flip(file, chance.randrange(file.stat().st_size))
    if chance.random() < 0.2:
        os.truncate(file, chance.randrange(file.stat().st_size))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StoreWarning)
        with session(folder, size) as second:
            second.ask_for_something_new()
            second.check()
            with suppress(IncompleteError):  # then the next session runs it again
                assert all(child.results for child in second.chain.children if child.name != "one")
        with session(folder, size) as third:
            third.check()
            assert len(third.chain.children) == 5
