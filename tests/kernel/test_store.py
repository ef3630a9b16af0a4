"""Every store keeps the same promises, and the suite that checks them notices when one does not."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

from intemi.kernel import Job, Machine, Model, Output, Project
from intemi.kernel.disk import DiskStore, WriteBehind
from intemi.kernel.record import Child, Record
from intemi.kernel.store import Claim, MemoryStore, Store
from intemi.testing.store import check_store
from tests.kernel.users_store import JournalStore


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


# A store of the user's own


class Square(Machine):
    version = 1
    number: int
    array = Output(np.ndarray)

    def run(self) -> Model:
        return Model(array=np.full(1000, float(self.number**2)), results={"Square": self.number**2})


class Squares(Machine):
    version = 1

    async def run(self, job: Job) -> Model:
        squares = [job.request(Square(number), name="square", comments={"Number": number}) for number in range(3)]
        await job.all(*squares)
        return Model(results={"Sum": sum(each.results["Square"] for each in squares)})


def test_a_store_of_the_users_own_passes_the_checks(tmp_path: Path) -> None:
    check_store(lambda: JournalStore(tmp_path / "journal"))
    check_store(lambda: WriteBehind(JournalStore(tmp_path / "journal")))


def test_a_project_runs_in_a_store_of_the_users_own_and_reuses_it(tmp_path: Path) -> None:
    for runs in (4, 0):
        with Project(store=JournalStore(tmp_path / "journal"), workers=1) as project:
            done = project.run(Squares(), name="squares")
            assert done.results["Sum"] == 5
            assert project.counts().physical.total() == runs
            assert list(project.query(done, type=Square, labels=["Square", "Number"])["Square"]) == [0, 1, 4]
            assert list(project.query("squares", type=Square, labels="Number").values) == [0, 1, 2]
            assert project.run(Square(2)).outputs["array"][0] == 4.0
            assert project.counts().physical.total() == runs
    with Project(store=JournalStore(tmp_path / "journal"), workers=1) as project:
        project.forget(Square(2))
        project.run(Square(2))
        assert dict(project.counts().physical) == {"Square": 1}
        assert len(project.runs()) == 3
