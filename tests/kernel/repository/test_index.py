"""The index: read from the store in batches, never wrong about what was finished, and never of half a branch."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from intemi.kernel import entries
from intemi.kernel.decoding import decode
from intemi.kernel.disk import DiskStore
from intemi.kernel.record import Child, Failure, Record, encode_children
from intemi.kernel.repository.index import Index
from intemi.kernel.repository.tables import connect
from intemi.kernel.store import MemoryStore, Store
from tests.kernel.repository.machines import Grade, Twig


@pytest.fixture(params=["memory", "disk"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Any]:
    """A store of each kind."""
    with closing(MemoryStore() if request.param == "memory" else DiskStore(tmp_path / "store")) as opened:
        yield opened


class Read:
    """An index, and what is in it."""

    def __init__(self, image: bytes | None = None) -> None:
        self.connection = connect(image)
        self.index = Index(self.connection)

    def __enter__(self) -> Read:
        return self

    def __exit__(self, *exception: object) -> None:
        self.connection.close()

    def rows(self, statement: str) -> list[Any]:
        return self.connection.execute(statement).fetchall()

    @property
    def grades(self) -> list[int]:
        return [row[0] for row in self.rows("SELECT value FROM results WHERE label = 'Grade' ORDER BY value")]

    @property
    def edges(self) -> list[Any]:
        return self.rows("SELECT position, name FROM edges ORDER BY parent, position")


def grade(number: int, **more: Any) -> Record:
    config = Grade(number)
    results = {"Grade": number, "Half": number / 2}
    return Record(config.digest, "Grade", config.encoding, None, {}, results=results, started=1.0, **more)


def twig(*numbers: int, **more: Any) -> tuple[Record, list[Child]]:
    config = Twig(tuple(map(Grade, numbers)))
    record = Record(config.digest, "Twig", config.encoding, None, {}, started=1.0, **more)
    return record, [Child(at, f"part {at}", Grade(number).digest, {}) for at, number in enumerate(numbers)]


def keep(store: Store, *numbers: int) -> None:
    for number in numbers:
        store.keep(grade(number))


def test_everything_is_read_once_whatever_the_size_of_a_batch(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("intemi.kernel.repository.index.MAX_BATCH_ROWS", 3)
    with Read() as read:
        for upto in (0, 2, 3, 9, 10):
            keep(store, *range(len(read.grades), upto))
            read.index.catch_up(store)
            assert read.grades == list(range(upto))


def test_an_index_goes_on_where_its_image_has_stopped(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("intemi.kernel.repository.index.MAX_BATCH_ROWS", 2)
    image = None
    keep(store, 0)
    for number in range(9):
        record, children = twig(number, number + 1)
        keep(store, number + 1)
        store.keep(record, children=children)
        with Read(image) as read:
            read.index.catch_up(store)
            assert read.index.new == (3 if image is None else 2)
            assert read.grades == list(range(number + 2))
            assert len(read.edges) == 2 * number + 2
            image = read.connection.serialize()


def test_what_was_forgotten_is_dropped_and_numbers_are_not_mixed_up(store: Store) -> None:
    with Read() as read:
        keep(store, 1, 2)
        read.index.catch_up(store)
        store.forget(grade(2).machine)
        read.index.catch_up(store)
        assert read.grades == [1]
        keep(store, 3)
        read.index.catch_up(store)
        assert read.grades == [1, 3]
        store.forget(grade(1).machine)
        keep(store, 1, 2)
        read.index.catch_up(store)
        assert read.grades == [1, 2, 3]


def test_what_was_read_from_another_store_is_dropped(tmp_path: Path) -> None:
    with closing(DiskStore(tmp_path / "a")) as first, closing(DiskStore(tmp_path / "b")) as second:
        keep(first, 1, 2, 3)
        with Read() as read:
            read.index.catch_up(first)
            image = read.connection.serialize()
        keep(second, 4, 5, 6)
        with Read(image) as read:
            read.index.catch_up(second)
            assert read.grades == [4, 5, 6]
            assert read.rows("SELECT count(*) FROM configs") == [(3,)]


def test_what_was_read_stays_if_an_older_copy_is_restored(tmp_path: Path) -> None:
    with closing(DiskStore(tmp_path)) as store:
        keep(store, 1)
    shutil.copy(tmp_path / "machines.sqlite", tmp_path / "backup")
    with closing(DiskStore(tmp_path)) as store, Read() as read:
        keep(store, 2)
        read.index.catch_up(store)
        image = read.connection.serialize()
    shutil.copyfile(tmp_path / "backup", tmp_path / "machines.sqlite")
    with closing(DiskStore(tmp_path)) as store, Read(image) as read:
        keep(store, 3)
        read.index.catch_up(store)
        assert read.grades == [1, 2, 3]


def test_a_mark_on_a_machine_that_was_forgotten_since_still_stands(tmp_path: Path) -> None:
    with closing(DiskStore(tmp_path)) as store:
        keep(store, 1, 2, 3)
        with Read() as read:
            read.index.catch_up(store)
            image = read.connection.serialize()
        store.forget(grade(3).machine)
        keep(store, 4)
        with Read(image) as read:
            read.index.catch_up(store)
            assert read.grades == [1, 2, 4]
            assert read.index.new == 2, "the new machine and the entry of what was forgotten"


def opened(record: Record, children: list[Child]) -> entries.Entry:
    return entries.OPEN, ((record.encode(), encode_children(children)),)


def test_unfinished_composites_have_the_children_that_are_known_so_far(store: Store) -> None:
    with Read() as read:
        record, children = twig(1, 2, 3)
        store.enter([opened(record, children[:1]), opened(record, children[1:2])])
        read.index.catch_up(store)
        assert read.edges == [(0, "part 0"), (1, "part 1")]
        assert read.rows("SELECT kind, wall FROM machines WHERE kind IS NOT NULL") == [("Twig", None)]
        keep(store, 1)
        read.index.catch_up(store)
        assert read.grades == [1]


def test_a_finished_composite_loses_the_children_that_were_given_up(store: Store) -> None:
    with Read() as read:
        record, children = twig(1, 2, 3, wall=2.5)
        store.enter([opened(record, children)])
        read.index.catch_up(store)
        keep(store, 1, 2)
        store.keep(record, children=children[:2])
        read.index.catch_up(store)
        assert read.edges == [(0, "part 0"), (1, "part 1")]
        assert read.rows("SELECT wall FROM machines WHERE kind = 'Twig'") == [(2.5,)]


def test_news_of_the_time_before_it_finished_change_nothing(store: Store) -> None:
    with Read() as read:
        failure = Failure("it failed", "Twig", b"", "")
        record, children = twig(1, 2, wall=2.5, failure=failure)
        keep(store, 1)
        store.keep(record, children=children[:1])
        store.enter([opened(*twig(1, 2))])
        read.index.catch_up(store)
        assert read.edges == [(0, "part 0")]
        assert read.rows("SELECT wall, failure FROM machines WHERE kind = 'Twig'") == [(2.5, "it failed")]


def test_a_composite_without_all_of_its_branch_is_lost_with_all_that_is_above_it_until_it_has_run_again(
    store: Store,
) -> None:
    inner, below = twig(1, 2)
    outer, _ = twig(7)
    keep(store, 1)
    store.keep(inner, children=below)
    store.keep(outer, children=[Child(0, "inner", inner.machine, {})])
    with Read() as read:
        assert read.index.catch_up(store) == {inner.machine, outer.machine}
        assert read.grades == [1]
        assert {machine for machine, _ in read.index.lost()} == {inner.machine, outer.machine}
        assert store.find(inner.machine) is store.find(outer.machine) is None
        assert read.index.catch_up(store) == set()
        keep(store, 2)
        store.keep(inner, children=below)
        read.index.catch_up(store)
        assert [machine for machine, _ in read.index.lost()] == [outer.machine]
        store.keep(outer, children=[Child(0, "inner", inner.machine, {})])
        read.index.catch_up(store)
        assert read.index.lost() == []
    with Read() as anew:
        assert anew.index.catch_up(store) == set()
        assert anew.index.lost() == []
        assert anew.grades == [1, 2]


def test_what_was_forgotten_on_purpose_is_no_loss(store: Store) -> None:
    record, children = twig(1, 2)
    keep(store, 1, 2)
    store.keep(record, children=children)
    store.forget(children[0].machine)
    with Read() as read:
        assert read.index.catch_up(store) == {children[0].machine}
        assert read.grades == [2]
        assert store.find(record.machine) is not None
        assert read.index.lost() == []


def test_what_was_noted_before_it_finished_does_not_stand_in_for_what_is_lost(store: Store) -> None:
    record, children = twig(1, 2)
    outer = Record(b"o" * 16, "Twig", record.config, None, {}, started=1.0)
    keep(store, 1, 2)
    store.enter([opened(record, children[:1])])
    store.keep(record, children=children)
    store.keep(outer, children=[Child(0, "inner", record.machine, {})])
    store.lose([record.machine], "of damage")
    with Read() as read:
        assert read.index.catch_up(store) == {record.machine, outer.machine}
        assert store.find(outer.machine) is None


def test_what_was_forgotten_once_is_missed_when_it_is_lost_later(tmp_path: Path) -> None:
    record, children = twig(1, 2)
    with closing(DiskStore(tmp_path)) as store, Read() as read:
        keep(store, 1, 2)
        store.keep(record, children=children)
        store.forget(children[0].machine)
        read.index.catch_up(store)
        keep(store, 1)
        read.index.catch_up(store)
        assert read.grades == [1, 2]
        assert read.rows("SELECT * FROM forgotten") == []
        store.lose([children[0].machine], "of damage")
        with Read() as anew:
            assert anew.index.catch_up(store) == {children[0].machine, record.machine}
            assert store.find(record.machine) is None


def test_what_was_forgotten_is_missed_once_all_below_is_expected(store: Store) -> None:
    record, children = twig(1, 2)
    keep(store, 1, 2, 3)
    store.keep(record, children=children)
    with Read() as read:
        read.index.catch_up(store)
        assert not read.index.expect_all_below([record.machine])
        store.forget(children[0].machine)
        store.forget(grade(3).machine)
        read.index.catch_up(store)
        assert read.index.expect_all_below([record.machine])
        assert not read.index.expect_all_below([record.machine])
        assert read.index.catch_up(store) == {record.machine}
        assert store.find(record.machine) is None
        assert read.rows("SELECT count(*) FROM forgotten") == [(1,)]


def test_numbers_that_were_taken_back_are_not_used(store: Store) -> None:
    with Read() as read:
        keep(store, 1)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("intemi.kernel.repository.index.results_of", interrupted)
            with pytest.raises(RuntimeError, match="in the midst of it"):
                read.index.catch_up(store)
        store.enter([opened(*twig(7, 8))])
        read.index.catch_up(store)
        kinds = read.rows("SELECT kind FROM machines JOIN results ON machine = number WHERE label = 'Grade'")
        assert kinds == [("Grade",)]


def interrupted(*_: object) -> list[Any]:
    raise RuntimeError("in the midst of it")


def test_the_memory_of_numbers_is_bounded(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("intemi.kernel.repository.index._MAX_CACHED_NUMBERS", 2)
    monkeypatch.setattr("intemi.kernel.repository.index.MAX_BATCH_ROWS", 2)
    with Read() as read:
        keep(store, *range(9))
        record, children = twig(*range(9))
        store.keep(record, children=children)
        read.index.catch_up(store)
        assert read.grades == list(range(9))
        assert read.rows("SELECT count(*), count(kind) FROM machines") == [(10, 10)]
        assert read.rows("SELECT count(*) FROM configs") == [(10,)]


def test_text_that_is_no_valid_unicode_is_indexed(store: Store) -> None:
    with Read() as read:
        failure = Failure("no file \udce9", "Grade", b"", "")
        record, children = twig(1)
        store.keep(grade(1, failure=failure))
        store.keep(record, children=[Child(0, "\ud800", children[0].machine, {"Name": "\udfff"})])
        read.index.catch_up(store)
        assert read.rows("SELECT failure FROM machines WHERE failure IS NOT NULL") == [("no file \\udce9",)]
        ((name, comments),) = read.rows("SELECT name, comments FROM edges")
        assert (name, decode(comments)) == ("\\ud800", {"Name": "\udfff"})
