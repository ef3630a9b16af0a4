"""Whatever happens to the files of a store, each answer is right or absent, and nothing in them is ever executed."""

import os
import pickle
import random
import shutil
import sqlite3
import warnings
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest

from intemi.kernel import encoding
from intemi.kernel.disk import DiskStore
from intemi.kernel.disk.format import seal
from intemi.kernel.errors import IntemiError, StoreWarning
from intemi.kernel.record import Child
from intemi.kernel.store import Claim
from intemi.testing.store import sample_record
from tests.kernel.disk.test_store import (
    CONTENTS,
    IN_FILE,
    IN_TABLE,
    KEY,
    RECORD,
    contents,
    edit,
    filled,
    finds,
    select,
)


@contextmanager
def warned(*parts: str) -> Iterator[None]:
    """Exactly one StoreWarning for each of the parts, and nothing else."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    messages = [str(warning.message) for warning in caught]
    assert len(messages) == len(parts), messages
    assert {warning.category for warning in caught} <= {StoreWarning}
    for part, message in zip(parts, messages, strict=True):
        assert part in message


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
    yield pickle.dumps(Bomb(mark))
    assert not mark.exists()


def value_file(folder: Path) -> Path:
    (file,) = folder.glob("contents/*/*.val")
    return file


def flip(file: Path, position: int, bit: int = 0) -> None:
    damaged = bytearray(file.read_bytes())
    damaged[position] ^= 1 << bit
    file.write_bytes(damaged)


def cut(file: Path) -> None:
    os.truncate(file, file.stat().st_size // 2)


def empty(file: Path) -> None:
    os.truncate(file, 0)


def swap_for_text(file: Path) -> None:
    file.write_text("Dear diary, " * 1000)


def swap_for_folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


def swap_for_foreign_database(file: Path) -> None:
    file.unlink()
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute("PRAGMA user_version = 99")
        connection.execute("CREATE TABLE Settings (name)")
        connection.execute("CREATE TABLE machines (serial_number, colour)")


def damage_all_but_the_first_page(file: Path) -> None:
    content = file.read_bytes()
    file.write_bytes(content[:4096] + b"\x55" * (len(content) - 4096))


WHOLE_FILES = [cut, empty, swap_for_text, swap_for_folder, swap_for_foreign_database, damage_all_but_the_first_page]


@pytest.mark.parametrize("damage", WHOLE_FILES)
def test_a_database_that_cannot_be_used_is_set_aside(tmp_path: Path, damage: Callable[[Path], None]) -> None:
    damage(filled(tmp_path) / "machines.sqlite")
    with warned("set aside as machines.sqlite.damaged-1"):
        store = DiskStore(tmp_path)
        assert not finds(store)
    with closing(store), warned():
        assert contents(store) == {IN_FILE}
        assert store.claim(RECORD.machine) is Claim.MINE
        store.keep(RECORD, [KEY], contents=CONTENTS)
        assert finds(store)
        assert contents(store) == {*CONTENTS}
    assert (tmp_path / "machines.sqlite.damaged-1").exists()
    damage(tmp_path / "machines.sqlite")
    with warned("set aside as machines.sqlite.damaged-2"), closing(DiskStore(tmp_path)) as store:
        assert not finds(store)


def test_a_file_in_place_of_the_contents_is_set_aside(tmp_path: Path) -> None:
    (tmp_path / "contents").write_text("mine")
    with warned("not a folder"):
        filled(tmp_path)
    assert (tmp_path / "contents.damaged-1").read_text() == "mine"


def test_an_older_database_is_set_aside(tmp_path: Path) -> None:
    filled(tmp_path)
    edit(tmp_path, "PRAGMA user_version = 0")
    edit(tmp_path, f"PRAGMA application_id = {int.from_bytes(b'im', 'big') << 16}")
    with warned("version 0"), closing(DiskStore(tmp_path)) as store:
        assert not finds(store)


def test_a_database_that_is_damaged_while_it_is_open_is_set_aside(tmp_path: Path) -> None:
    filled(tmp_path)
    with closing(DiskStore(tmp_path)) as store:
        assert store.find(b"") is None
        assert store.content(b"") is None
        damage_all_but_the_first_page(tmp_path / "machines.sqlite")
        with warned("set aside"):
            store.keep(RECORD, [KEY], (), CONTENTS)
        with warned():
            assert finds(store)
            assert contents(store) == {*CONTENTS}


def test_text_of_its_schema_that_cannot_be_decoded_is_damage_of_a_database(tmp_path: Path) -> None:
    file = "machines.sqlite"
    pristine = (filled(tmp_path / "pristine") / file).read_bytes()
    schema = range(pristine.index(b"CREATE"), 4096)
    for number, position in enumerate(random.Random(1).sample(schema, 40)):
        folder = shutil.copytree(tmp_path / "pristine", tmp_path / f"{number}")
        flip(folder / file, position, 7)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", StoreWarning)  # whether it is noticed depends on what is damaged
            with closing(DiskStore(folder)) as store:
                assert finds(store) in (True, False)
                assert contents(store) <= {*CONTENTS}
                for _ in range(2):  # what is damaged may be noticed only after the first of them were found in order
                    store.keep(RECORD, [KEY], (), {**CONTENTS, b"new": CONTENTS[IN_FILE]})
                assert finds(store)
                assert contents(store) == {*CONTENTS}
                assert store.content(b"new") == CONTENTS[IN_FILE]


@pytest.mark.parametrize(
    "blob",
    [
        b"",
        b"intemi",
        7,
        None,
        "text",
        b"x" * 100,
        RECORD.encode(),
        seal(b"record", b"of another", RECORD.encode()),
        seal(b"children", RECORD.machine, RECORD.encode()),
        seal(b"record", RECORD.machine, b"no record"),
        seal(b"record", RECORD.machine, encoding.encode((0, *[None] * 10))),
        seal(b"record", RECORD.machine, encoding.encode((1, *[None] * 10))),
        b"intemi\x00" + seal(b"record", RECORD.machine, RECORD.encode())[7:],
    ],
)
def test_a_record_that_cannot_be_read_is_absent_and_free(tmp_path: Path, blob: object) -> None:
    filled(tmp_path)
    edit(tmp_path, "UPDATE machines SET record = ?", blob)
    with closing(DiskStore(tmp_path)) as store:
        with warned(f"machine {RECORD.machine.hex()} is treated as absent"):
            assert not finds(store)
            assert not finds(store)
        with warned():
            assert store.claim(RECORD.machine) is Claim.MINE
            store.keep(RECORD, [KEY])
            assert finds(store)


def test_a_damaged_record_can_be_claimed_without_having_been_looked_at(tmp_path: Path) -> None:
    filled(tmp_path)
    edit(tmp_path, "UPDATE machines SET record = x'00'")
    with closing(DiskStore(tmp_path)) as store, closing(DiskStore(tmp_path)) as other:
        with warned("truncated"):
            assert store.claim(RECORD.machine) is Claim.MINE
        assert other.claim(RECORD.machine) is Claim.BUSY


@pytest.mark.parametrize("machine", [b"another", "text", 7, None])
def test_a_machine_whose_id_is_damaged_is_absent_until_it_is_kept_again(tmp_path: Path, machine: object) -> None:
    filled(tmp_path)
    edit(tmp_path, "UPDATE machines SET id = ?", machine)
    with closing(DiskStore(tmp_path)) as store, warned():
        assert not finds(store)
        assert store.claim(RECORD.machine) is Claim.MINE
        store.keep(RECORD, [KEY])
        assert finds(store)
    with closing(DiskStore(tmp_path)) as store, warned():
        assert finds(store)


def test_a_composite_whose_children_are_damaged_is_run_again(tmp_path: Path) -> None:
    filled(tmp_path)
    edit(tmp_path, "UPDATE machines SET children = record")
    with closing(DiskStore(tmp_path)) as store:
        assert finds(store)
        with warned("children"):
            assert store.children(RECORD.machine) == []
        assert store.claim(RECORD.machine) is Claim.MINE


def test_children_of_a_type_that_is_not_known_here_are_absent(tmp_path: Path) -> None:
    filled(tmp_path)
    unknown = encoding.encode([(0, "child", b"d" * 16, {})]).replace(b"M", b"Y")
    edit(tmp_path, "UPDATE machines SET children = ?", seal(b"children", RECORD.machine, unknown))
    with closing(DiskStore(tmp_path)) as store:
        with warned("cannot be read"):
            assert store.children(RECORD.machine) == []
        assert finds(store)


def expect_content_absent_then_written_again(folder: Path, content: bytes) -> None:
    with closing(DiskStore(folder)) as store:
        with warned(f"content {content.hex()} is treated as absent"):
            assert contents(store) == CONTENTS.keys() - {content}
            assert contents(store) == CONTENTS.keys() - {content}
        with warned():
            store.keep(RECORD, contents=CONTENTS)
            assert contents(store) == {*CONTENTS}


@pytest.mark.parametrize("damage", [cut, empty, swap_for_text, swap_for_folder])
def test_a_damaged_content_is_absent_and_can_be_written_again(tmp_path: Path, damage: Callable[[Path], None]) -> None:
    damage(value_file(filled(tmp_path)))
    expect_content_absent_then_written_again(tmp_path, IN_FILE)


FOREIGN_CONTENTS = [
    b"",
    b"intemi",
    7,
    None,
    "text",
    b"x" * 100,
    CONTENTS[IN_TABLE],
    seal(b"content", b"another", CONTENTS[IN_TABLE]),
    seal(b"record", IN_TABLE, CONTENTS[IN_TABLE]),
    seal(b"content", IN_TABLE, CONTENTS[IN_TABLE])[:-1],
    b"intemi\x00" + seal(b"content", IN_TABLE, CONTENTS[IN_TABLE])[7:],
]


@pytest.mark.parametrize("blob", FOREIGN_CONTENTS)
def test_a_content_whose_row_is_damaged_is_absent_and_can_be_written_again(tmp_path: Path, blob: object) -> None:
    filled(tmp_path)
    edit(tmp_path, "UPDATE contents SET bytes = ?", blob)
    expect_content_absent_then_written_again(tmp_path, IN_TABLE)


@pytest.mark.parametrize("content", [b"another", "text", 7, None])
def test_a_content_whose_id_is_damaged_is_absent_and_can_be_written_again(tmp_path: Path, content: object) -> None:
    filled(tmp_path)
    edit(tmp_path, "UPDATE contents SET id = ?", content)
    with closing(DiskStore(tmp_path)) as store:
        with warned():
            assert contents(store) == {IN_FILE}
            store.keep(RECORD, contents=CONTENTS)
            assert contents(store) == {*CONTENTS}
        with warned(*["the checksum does not fit"] if content == b"another" else []):
            assert store.content(b"another") is None


def test_every_byte_of_a_content_counts(tmp_path: Path) -> None:
    file = value_file(filled(tmp_path))
    pristine = file.read_bytes()
    for position in [*range(30), *random.Random(1).sample(range(len(pristine)), 30)]:
        file.write_bytes(pristine)
        flip(file, position)
        with closing(DiskStore(tmp_path)) as store, warned("treated as absent"):
            assert store.content(IN_FILE) is None


def test_every_byte_of_a_content_in_a_row_counts(tmp_path: Path) -> None:
    ((pristine,),) = select(filled(tmp_path), "SELECT bytes FROM contents")
    for position in range(len(pristine)):
        damaged = bytearray(pristine)
        damaged[position] ^= 1 << position % 8
        edit(tmp_path, "REPLACE INTO contents VALUES (?, ?)", IN_TABLE, bytes(damaged))
        with closing(DiskStore(tmp_path)) as store, warned("treated as absent"):
            assert store.content(IN_TABLE) is None


def test_a_pickled_content_is_never_unpickled(tmp_path: Path, bomb: bytes) -> None:
    filled(tmp_path)
    value_file(tmp_path).write_bytes(bomb)
    expect_content_absent_then_written_again(tmp_path, IN_FILE)


def test_a_pickled_content_in_a_row_is_never_unpickled(tmp_path: Path, bomb: bytes) -> None:
    filled(tmp_path)
    edit(tmp_path, "UPDATE contents SET bytes = ?", bomb)
    expect_content_absent_then_written_again(tmp_path, IN_TABLE)


RECORDS = [sample_record(bytes([number]) * 16, Text="x" * (7 * number)) for number in range(40)]
EDGES = {record.machine: [Child(n, f"{n}", b"c" * 16, {"Fold": n}) for n in range(20)] for record in RECORDS[::4]}


TIMES = {0: 5000, 5: 3000, 10: 5000, 20: 5000, 25: 3000, 30: 5000}
"""How long some of the contents are: so long that they are in files of their own, or in rows that need many pages."""


def contents_of(machine: bytes) -> dict[bytes, bytes]:
    return {b"content" + machine: machine * TIMES.get(machine[0], machine[0])}


def keep(store: DiskStore, number: int) -> None:
    record = RECORDS[number]
    store.keep(record, [b"key" + record.machine], EDGES.get(record.machine, ()), contents_of(record.machine))


@pytest.fixture(scope="module")
def pristine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as a killed process leaves it: part of it still in the write-ahead logs."""
    folder, copy = tmp_path_factory.mktemp("store"), tmp_path_factory.mktemp("copy") / "store"
    with closing(DiskStore(folder)) as store:
        for number in range(len(RECORDS) // 2):
            keep(store, number)
    with closing(DiskStore(folder)) as store:
        for number in range(len(RECORDS) // 2, len(RECORDS)):
            keep(store, number)
        shutil.copytree(folder, copy)
    return copy


def absent_after_check(store: DiskStore) -> list[int]:
    """Check that every answer of the store is right or absent; the numbers of the records that lack something."""
    absent = []
    for number, record in enumerate(RECORDS):
        machine = record.machine
        found = [store.find(machine), store.find(b"key" + machine)]
        assert {each.encode() for each in found if each} <= {record.encode()}
        children, expected = store.children(machine), EDGES.get(machine, [])
        assert children in ([], expected)
        contents = contents_of(machine)
        found_contents = {content: store.content(content) for content in contents}
        assert {payload for payload in found_contents.values() if payload is not None} <= set(contents.values())
        if None in found or children != expected or found_contents != contents:
            absent.append(number)
    return absent


def check_right_or_absent(folder: Path) -> None:
    """Every answer of the store is right or absent, and what is absent can be made again."""
    # Damage that is found while writing sets a whole file aside, so that more has to be made again; a store that has
    # seen it keeps no composite whose children are not in the new file.
    for _ in range(4):
        with closing(DiskStore(folder)) as store:
            absent = absent_after_check(store)
            for number in absent:
                store.forget(RECORDS[number].machine)
                assert store.claim(RECORDS[number].machine) is Claim.MINE
                with suppress(IntemiError):
                    keep(store, number)
    assert not absent


def check_with_flipped_bits(pristine: Path, folder: Path, pattern: str, seed: int, bits: int = 1) -> None:
    chance = random.Random(seed)
    shutil.copytree(pristine, folder)
    files = sorted(file for file in folder.glob(pattern) if file.stat().st_size)
    for _ in range(bits):
        file = chance.choice(files)
        flip(file, chance.randrange(file.stat().st_size), chance.randrange(8))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        check_right_or_absent(folder)
    messages = [str(warning.message) for warning in caught]
    assert {warning.category for warning in caught} <= {StoreWarning}
    assert len(set(messages)) == len(messages)


def test_an_undamaged_copy_has_everything(pristine: Path, tmp_path: Path) -> None:
    with warned():
        check_with_flipped_bits(pristine, tmp_path / "copy", "*", 0, bits=0)


@pytest.mark.parametrize("seed", range(15))
@pytest.mark.parametrize(
    "pattern",
    ["machines.sqlite", "machines.sqlite-*", "contents/*/*", "**/*.*"],
)
def test_with_a_flipped_bit_every_answer_is_right_or_absent(
    pristine: Path, tmp_path: Path, pattern: str, seed: int
) -> None:
    check_with_flipped_bits(pristine, tmp_path / "copy", pattern, seed, bits=1 + seed % 3 * 10)
