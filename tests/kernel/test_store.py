"""Every store keeps the same promises, and the suite that checks them notices when one does not."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import pytest

from intemi.kernel.disk import DiskStore, WriteBehind
from intemi.kernel.record import Child, Record
from intemi.kernel.store import Claim, MemoryStore, Store
from intemi.testing.store import check_store


def test_the_store_in_memory_keeps_the_promises() -> None:
    check_store(MemoryStore)


def test_the_store_on_disk_keeps_the_promises(tmp_path: Path) -> None:
    check_store(lambda: DiskStore(tmp_path / "store"))


def test_the_store_that_is_written_behind_keeps_the_promises(tmp_path: Path) -> None:
    check_store(lambda: WriteBehind(DiskStore(tmp_path / "store")))


class Forgetful(MemoryStore):
    """Loses the keys."""

    def keep(
        self,
        record: Record,
        keys: Iterable[bytes] = (),
        children: Sequence[Child] = (),
        contents: Mapping[bytes, bytes] | None = None,
    ) -> None:
        super().keep(record, (), children, contents)


class Stubborn(MemoryStore):
    """Never lets go of a record."""

    def forget(self, machine: bytes) -> None:
        pass


class Careless(MemoryStore):
    """Claims what is finished."""

    def claim(self, machine: bytes) -> Claim | Record:
        return Claim.MINE


class Mixed(MemoryStore):
    """Answers with the children in another order."""

    def children(self, machine: bytes) -> list[Child]:
        return super().children(machine)[::-1]


class Braggart(MemoryStore):
    """Says that it is durable."""

    durable = True


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (Forgetful, "every key"),
        (Stubborn, "forgotten machine"),
        (Careless, "finished machine"),
        (Mixed, "in that order"),
        (Braggart, "opened again"),
    ],
)
def test_a_store_that_breaks_a_promise_is_noticed(make: Callable[[], Store], complaint: str) -> None:
    with pytest.raises(AssertionError, match=complaint):
        check_store(make)
