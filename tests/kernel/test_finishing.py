from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from intemi.kernel import EventKind, Input, IntemiError, Machine, MachineFailed, Model, Output, Project, StoreWarning
from intemi.kernel.disk import DiskStore, WriteBehind
from intemi.kernel.disk.write_behind import MAX_BATCH_RECORDS
from intemi.kernel.store import Finished
from tests.kernel.repository.machines import Breaks, Grade, Twig
from tests.machines import Number, Pass, gate

NUMBER = 20 * MAX_BATCH_RECORDS


class Watched(DiskStore):
    """A store that notes how many machines it is given at a time, and can be made to refuse them."""

    def __init__(self, folder: Path, *options: Any) -> None:
        super().__init__(folder, *options)
        self.handfuls: list[int] = []
        self.trouble: Exception | None = None
        self.refused: set[str] = set()

    def keep_all(self, finished: Sequence[Finished], keys: Sequence[tuple[bytes, bytes]] = ()) -> None:
        self.handfuls.append(len(finished))
        if self.trouble is not None:
            raise self.trouble
        if self.refused.intersection(each.record.kind for each in finished):
            raise IntemiError("the disk is full")
        super().keep_all(finished, keys)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setattr("intemi.kernel.disk.DiskStore", Watched)
    return Project(tmp_path)


def store_of(project: Project) -> Watched:
    store = project._engine.store
    assert isinstance(store, WriteBehind)
    assert isinstance(store._store, Watched)
    return store._store


def test_short_leaves_are_recorded_together_and_none_is_left_out(project: Project, tmp_path: Path) -> None:
    with project:
        project.wait(*[project.request(Number(value)) for value in range(NUMBER)])
        handfuls = store_of(project).handfuls
    assert sum(handfuls) == NUMBER
    assert len(handfuls) < NUMBER / 2
    with Project(tmp_path) as again:
        assert [again.run(Number(value)).outputs["result"] for value in range(NUMBER)] == list(range(NUMBER))
        assert not again.counts().physical


def test_what_is_told_finished_is_on_record(project: Project, tmp_path: Path) -> None:
    other = DiskStore(tmp_path)
    missing = []

    def look(event: object) -> None:
        if event.kind is EventKind.FINISHED and other.find(event.key) is None:  # type: ignore[attr-defined]
            missing.append(event)

    with project:
        project.listen(look)
        project.wait(*[project.request(Number(value)) for value in range(200)])
    other.close()
    assert not missing


def test_what_has_run_when_a_project_is_closed_is_kept(tmp_path: Path) -> None:
    with Project(tmp_path, workers=1) as project:
        started = [project.request(Number(value)) for value in range(5)]
        started[-1].wait()
    with Project(tmp_path) as again:
        again.wait(*[again.request(Number(value)) for value in range(5)])
        assert not again.counts().physical


def test_a_store_in_trouble_keeps_a_handful_in_memory(project: Project) -> None:
    store_of(project).trouble = IntemiError("the disk is full")
    with project:
        with pytest.warns(
            StoreWarning,
            match=r"results could not be written to .*: the disk is full",
        ):
            project.wait(*[project.request(Number(value)) for value in range(100)])
        assert [project.run(Number(value)).outputs["result"] for value in range(100)] == list(range(100))
        assert project.counts().physical["Number"] == 100
        assert not project.keeps_all


def test_a_store_that_breaks_keeps_a_handful_in_memory_and_says_why(project: Project) -> None:
    store_of(project).trouble = RuntimeError("broken")
    with project:
        with pytest.warns(StoreWarning, match=r"results could not be written to .*: RuntimeError: broken"):
            project.wait(*[project.request(Number(value)) for value in range(100)])
        assert [project.run(Number(value)).outputs["result"] for value in range(100)] == list(range(100))


_together: dict[str, threading.Barrier] = {}


class Sudden(Machine):
    """Short at first; later ones wait until two of them are running at the same time."""

    result = Output(int)
    version = 1
    number: int

    def run(self) -> Model:
        if self.number >= 100:
            _together.setdefault("here", threading.Barrier(2)).wait(60)
        return Model(result=self.number)


def test_another_thread_comes_when_a_leaf_turns_out_not_to_be_short() -> None:
    with Project(workers=2) as project:
        project.wait(*[project.request(Sudden(number)) for number in range(100)])
        together = [project.request(Sudden(100)), project.request(Sudden(101))]
        project.wait(*together)
        assert [each.outputs["result"] for each in together] == [100, 101]


class Double(Machine):
    number = Input(int)
    result = Output(int)

    def run(self, number: int) -> Model:
        return Model(result=2 * number)


@pytest.mark.parametrize("unification", [1, 2])
def test_on_new_ground_finished_machines_are_still_found(tmp_path: Path, unification: int) -> None:
    with Project(tmp_path) as project:  # at level 2, so that at level 1 only their keys lead to them
        project.run(Double(), number=project.run(Number(1)).result)
    with Project(tmp_path, unification=unification) as project:  # type: ignore[arg-type]
        project.run(Number(2))
        known = project.request(Number(1))
        assert project.run(Double(), number=known.result).outputs["result"] == 2
        assert dict(project.counts().physical) == {"Number": 1}


@pytest.mark.filterwarnings("ignore:.*kept in memory only:intemi.kernel.StoreWarning")
@pytest.mark.parametrize("is_noted", [False, True])
@pytest.mark.parametrize("refused", [{"Grade"}, {"Pass"}, {"Grade", "Pass"}])
def test_questions_are_answered_about_what_is_kept_in_memory_only(
    project: Project, refused: set[str], is_noted: bool
) -> None:
    store_of(project).refused = refused
    name = f"{refused} {is_noted}"
    tree = Twig((Twig(tuple(map(Grade, range(6)))), Grade(7), Pass(name)))
    with project:
        asked = project.request(tree)
        assert gate(name).reached.wait(30)
        project._engine.flush()
        if is_noted:  # as it is every now and then while a request is on its way
            project._repository.write()
        gate(name).opened.set()
        asked.wait()
        found = project.query(asked, type=Grade, labels=["Grade", "path"])
        assert sorted(found["Grade"]) == [0, 1, 2, 3, 4, 5, 7]


class Odd(Machine):
    """Leaves a result that nothing can keep."""

    version = 1

    def run(self) -> Model:
        return Model(results={"Odd": object()})


@pytest.mark.filterwarnings("ignore:.*kept in memory only:intemi.kernel.StoreWarning")
def test_nothing_above_one_that_cannot_be_kept_is_kept(tmp_path: Path) -> None:
    tree = Twig((Twig((Odd(), Grade(1))), Grade(2)))
    for ran in ({"Twig": 2, "Odd": 1, "Grade": 2}, {"Twig": 2, "Odd": 1}):
        with Project(tmp_path) as project:
            project.run(tree)
            assert dict(project.counts().physical) == ran
            assert not project.keeps_all


@pytest.mark.filterwarnings("ignore:.*Odd could not be written:intemi.kernel.StoreWarning")
def test_one_that_cannot_be_kept_is_in_the_way_of_no_question_about_others(tmp_path: Path) -> None:
    with Project(tmp_path) as project:
        project.run(Odd())
        graded = project.run(Grade(3))
        assert list(project.query(graded, labels="Grade").values) == [3]
        assert list(project.query(type=Grade, labels="Grade").values) == [3]
        assert set(project.query(labels="path").values) == {"Grade", "Odd"}
    with Project(tmp_path) as again:
        assert list(again.query(labels="path").values) == ["Grade"]


def test_failures_that_are_to_be_forgotten_are_unknown_to_the_next_session(tmp_path: Path) -> None:
    with Project(tmp_path, failures="forget") as project:
        failed = project.request(Breaks((Grade(1),)))
        with pytest.raises(MachineFailed):
            failed.wait()
        assert list(project.query(failed, labels="path").values) == ["Breaks", "Breaks/part 0"]
    with Project(tmp_path) as again:
        assert "Breaks" not in again.query(labels="kind").values
