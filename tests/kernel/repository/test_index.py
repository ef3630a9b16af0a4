"""The index: read from the store in batches, by several at a time, and never wrong about what was finished."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from intemi.kernel.decoding import decode
from intemi.kernel.disk import DiskStore
from intemi.kernel.record import Child, Failure, Record
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

    def __init__(self, path: Path | None = None) -> None:
        self.connection = connect(path)
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


def test_everything_is_read_once_whatever_the_size_of_a_batch(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("intemi.kernel.repository.index.AT_A_TIME", 3)
    with Read(tmp_path / "results.sqlite") as read:
        for upto in (0, 2, 3, 9, 10):
            keep(store, *range(len(read.grades), upto))
            read.index.catch_up(store, "one")
            assert read.grades == list(range(upto))


def test_several_readers_share_the_work(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("intemi.kernel.repository.index.AT_A_TIME", 2)
    path = tmp_path / "results.sqlite"
    with Read(path) as one, Read(path) as other:
        for number in range(9):
            record, children = twig(number, number + 1)
            keep(store, number)
            store.keep(record, children=children)
            (one if number % 2 else other).index.catch_up(store, "one")
        keep(store, 9)
        one.index.catch_up(store, "one")
        assert one.grades == other.grades == list(range(10))
        assert len(one.edges) == 18
        assert one.rows("SELECT count(*) FROM machines") == [(19,)]


def test_what_was_forgotten_is_dropped_and_numbers_are_not_mixed_up(store: Store) -> None:
    with Read() as read:
        keep(store, 1, 2)
        read.index.catch_up(store, "one")
        store.forget(grade(2).machine)
        read.index.catch_up(store, "one")
        assert read.grades == [1]
        keep(store, 3)
        read.index.catch_up(store, "one")
        assert read.grades == [1, 3]
        store.forget(grade(1).machine)
        keep(store, 1, 2)
        read.index.catch_up(store, "one")
        assert read.grades == [1, 2, 3]


def test_another_file_is_read_from_its_beginning(tmp_path: Path) -> None:
    with Read() as read, closing(DiskStore(tmp_path / "a")) as first, closing(DiskStore(tmp_path / "b")) as second:
        keep(first, 1, 2, 3)
        read.index.catch_up(first, "first")
        keep(second, 4)
        read.index.catch_up(second, "second")
        assert read.grades == [1, 2, 3, 4], "and what came from the other one stays"


def test_unfinished_composites_have_the_children_that_are_known_so_far(store: Store) -> None:
    with Read() as read:
        record, children = twig(1, 2, 3)
        read.index.add_unfinished([(record, children[:1])])
        read.index.add_unfinished([(record, children[1:2])])
        assert read.edges == [(0, "part 0"), (1, "part 1")]
        assert read.rows("SELECT kind, wall FROM machines WHERE kind IS NOT NULL") == [("Twig", None)]
        keep(store, 1)
        read.index.catch_up(store, "one")
        assert read.grades == [1]


def test_a_finished_composite_loses_the_children_that_were_given_up(store: Store) -> None:
    with Read() as read:
        record, children = twig(1, 2, 3, wall=2.5)
        read.index.add_unfinished([(record, children)])
        store.keep(record, children=children[:2])
        read.index.catch_up(store, "one")
        assert read.edges == [(0, "part 0"), (1, "part 1")]
        assert read.rows("SELECT wall FROM machines WHERE kind IS NOT NULL") == [(2.5,)]


def test_news_of_the_time_before_it_finished_change_nothing(store: Store) -> None:
    with Read() as read:
        failure = Failure("it failed", "Twig", b"", "")
        record, children = twig(1, 2, wall=2.5, failure=failure)
        store.keep(record, children=children[:1])
        read.index.catch_up(store, "one")
        read.index.add_unfinished([twig(1, 2)])
        assert read.edges == [(0, "part 0")]
        assert read.rows("SELECT wall, failure FROM machines WHERE kind IS NOT NULL") == [(2.5, "it failed")]


def test_numbers_that_were_taken_back_are_not_used(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "results.sqlite"
    with Read(path) as one, Read(path) as other:
        keep(store, 1)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("intemi.kernel.repository.index.results_of", interrupted)
            with pytest.raises(RuntimeError, match="in the midst of it"):
                one.index.catch_up(store, "one")
        other.index.add_unfinished([twig(7, 8)])
        one.index.catch_up(store, "one")
        kinds = one.rows("SELECT kind FROM machines JOIN results ON machine = number WHERE label = 'Grade'")
        assert kinds == [("Grade",)]


def interrupted(*_: object) -> list[Any]:
    raise RuntimeError("in the midst of it")


def test_the_memory_of_numbers_is_bounded(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("intemi.kernel.repository.index._REMEMBERED", 2)
    monkeypatch.setattr("intemi.kernel.repository.index.AT_A_TIME", 2)
    with Read() as read:
        keep(store, *range(9))
        record, children = twig(*range(9))
        store.keep(record, children=children)
        read.index.catch_up(store, "one")
        assert read.grades == list(range(9))
        assert read.rows("SELECT count(*), count(kind) FROM machines") == [(10, 10)]
        assert read.rows("SELECT count(*) FROM configs") == [(10,)]


def test_text_that_is_no_valid_unicode_is_indexed(store: Store) -> None:
    with Read() as read:
        failure = Failure("no file \udce9", "Grade", b"", "")
        record, children = twig(1)
        store.keep(grade(1, failure=failure))
        store.keep(record, children=[Child(0, "\ud800", children[0].machine, {"Name": "\udfff"})])
        read.index.catch_up(store, "one")
        assert read.rows("SELECT failure FROM machines WHERE failure IS NOT NULL") == [("no file \\udce9",)]
        ((name, comments),) = read.rows("SELECT name, comments FROM edges")
        assert (name, decode(comments)) == ("\\ud800", {"Name": "\udfff"})
