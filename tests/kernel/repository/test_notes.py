"""Notes of a session: what is on its way is noted step by step, however much has been noted before."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from intemi.kernel import Job, Machine, Model, Project
from intemi.kernel.repository.notes import Notes
from tests.kernel.repository.machines import Grade, Twig
from tests.machines import Pass, Scale, gate


@pytest.fixture
def project() -> Iterator[Project]:
    """One with two workers."""
    with Project(workers=2) as opened:
        yield opened


def notes_of(project: Project) -> Notes:
    """Notes that have seen nothing."""
    return Notes(project._engine)


class Waves(Machine):
    """Requests grades in waves, one after each gate."""

    version = 1
    gates: tuple[str, ...]

    async def run(self, job: Job) -> Model:
        for number, name in enumerate(self.gates):
            await job.all(*(job.request(Grade(10 * number + each)) for each in range(3)))
            await job.request(Pass(name), name=name)
        return Model()


def test_only_what_is_new_is_collected(project: Project) -> None:
    notes = notes_of(project)
    running = project.request(Waves(("wave 0", "wave 1")))
    notes.add(running.context)
    assert gate("wave 0").reached.wait(30)
    first = notes.collect()
    assert [(root.position, root.name) for root in first.roots] == [(0, "Waves")]
    ((record, children),) = first.composites
    assert (record.kind, [child.name for child in children]) == ("Waves", ["Grade"] * 3 + ["wave 0"])
    assert notes.collect() == ([], [])
    gate("wave 0").opened.set()
    assert gate("wave 1").reached.wait(30)
    ((_, children),) = notes.collect().composites
    assert [child.index for child in children] == [4, 5, 6, 7]
    notes.take_back()
    ((_, children),) = notes.collect().composites
    assert [child.index for child in children] == list(range(8)), "what could not be written is news again"
    assert notes.are_open
    gate("wave 1").opened.set()
    running.wait()
    assert notes.collect() == ([], [])
    assert not notes.are_open


def test_a_request_is_noted_again_once_its_machine_is_known(project: Project) -> None:
    notes = notes_of(project)
    waiting = project.request(Scale(2), number=project.request(Pass("late")).result, name="late")
    notes.add(waiting.context)
    assert [root.machine for root in notes.collect().roots] == [None]
    assert notes.collect().roots == []
    gate("late").opened.set()
    waiting.wait()
    ((position, name, key, machine, comments),) = notes.collect().roots
    assert (position, name, key) == (0, "late", waiting.key)
    assert machine is not None
    assert comments is None


def test_a_request_is_noted_again_after_another_of_its_name(project: Project) -> None:
    notes = notes_of(project)
    for factor in (2, 3, 3, 2):
        notes.add(project.run(Scale(factor), number=project.given(1), name="a").context)
    assert [root.position for root in notes.collect().roots] == [0, 1, 3]


def test_the_same_request_is_noted_once(project: Project) -> None:
    notes = notes_of(project)
    for name in ("a", "a", "b"):
        notes.add(project.run(Grade(1), name=name).context)
    assert [root.name for root in notes.collect().roots] == ["a", "b"]
    assert [root.name for root in notes.collect_all().roots] == ["a", "b"]


def test_a_refused_request_is_not_waited_for(tmp_path: Path) -> None:
    project = Project(tmp_path, workers=1)
    project.close()
    notes = notes_of(project)
    with Project(workers=1) as other:
        capsule = other.request(Twig((Grade(1),)))
        context = capsule.wait().context
    context.record, context.state = None, type(context.state).WAITING
    notes.add(context)
    notes.collect()
    notes.collect()
    assert not notes.are_open
