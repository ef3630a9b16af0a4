from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from intemi.kernel import (
    ConfigurationError,
    Failures,
    Input,
    Job,
    Machine,
    MachineFailed,
    Model,
    Output,
    Project,
    State,
)
from tests.machines import Add, Chain, Demand, Fail, Log, Number, Scale


class Moody(Machine):
    """Fails as long as a file is there."""

    version = 1
    result = Output(int)
    file: str

    def run(self) -> Model:
        if Path(self.file).exists():
            raise OSError("not today")
        return Model(result=1)


class Around(Machine):
    """A composite around a moody machine and a good one."""

    version = 1
    result = Output(int)
    file: str

    async def run(self, job: Job) -> Model:
        good = job.request(Number(2), name="good")
        moody = job.request(Moody(self.file), name="moody")
        total = job.request(Add(), left=good.result, right=moody.result, name="total")
        await total
        return Model(result=total.result)


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "mood"
    path.touch()
    return str(path)


def fails(project: Project, config: Machine, **bindings: Any) -> MachineFailed:
    with pytest.raises(MachineFailed) as caught:
        project.run(config, **bindings)
    return caught.value


def test_failures_are_reused_across_sessions(tmp_path: Path, file: str) -> None:
    with Project(tmp_path, workers=1, failures="reuse") as project:
        first = fails(project, Around(file))
    Path(file).unlink()
    with Project(tmp_path, workers=1, failures="reuse") as project:
        log = Log(project)
        again = fails(project, Around(file))
        assert not log.started
    for error in (first, again):
        assert error.message == "Around/moody failed: OSError: not today"
        assert error.path == "Around/moody"
        assert 'raise OSError("not today")' in error.traceback
    assert first.key == again.key


def test_failures_are_tried_once_more_by_every_session(tmp_path: Path, file: str) -> None:
    for session in range(3):
        with Project(tmp_path, workers=1) as project:
            log = Log(project)
            for _ in range(2):
                fails(project, Around(file))
            expected = ["Around", "Around/moody"]
            assert log.started == (["Around", "Around/good", "Around/moody"] if session == 0 else expected)


def test_what_succeeds_when_it_is_tried_again_takes_the_place_of_the_failure(tmp_path: Path, file: str) -> None:
    with Project(tmp_path, workers=1) as project:
        fails(project, Around(file))
    Path(file).unlink()
    with Project(tmp_path, workers=1) as project:
        assert project.run(Around(file)).outputs["result"] == 3
    with Project(tmp_path, workers=1, failures="reuse") as project:
        around = project.run(Around(file))
        assert [child.state for child in around.children] == [State.FINISHED] * 3
        assert not project.counts().physical


def test_failures_that_are_to_be_forgotten_are_not_put_on_record(tmp_path: Path, file: str) -> None:
    with Project(tmp_path, workers=1, failures="forget") as project:
        fails(project, Around(file))
    with Project(tmp_path, workers=1, failures="reuse") as project:
        log = Log(project)
        fails(project, Around(file))
        assert log.started == ["Around", "Around/moody"]


def test_a_session_that_forgets_tries_what_others_have_put_on_record(tmp_path: Path, file: str) -> None:
    with Project(tmp_path, workers=1, failures="retry") as project:
        fails(project, Moody(file))
    with Project(tmp_path, workers=1, failures="forget") as project:
        log = Log(project)
        fails(project, Moody(file))
        assert log.started == ["Moody"]
    Path(file).unlink()
    with Project(tmp_path, workers=1, failures="reuse") as project:
        assert project.run(Moody(file)).outputs["result"] == 1, "the failure is gone"


def test_without_a_folder_a_failure_is_remembered_for_the_session(file: str) -> None:
    for mode in ("reuse", "retry"):
        with Project(workers=1, failures=mode) as project:
            log = Log(project)
            for _ in range(3):
                fails(project, Moody(file))
            assert log.started == ["Moody"]


@pytest.mark.parametrize("mode", [*Failures, *(mode.value for mode in Failures)])
def test_a_mode_can_be_given_by_name(mode: Failures | str) -> None:
    with Project(workers=1, failures=mode) as project:
        assert fails(project, Fail("so")).message == "Fail failed: ValueError: so"


def test_a_mode_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="failures must be one of reuse, retry, forget, got 'ignore'"):
        Project(failures="ignore")


def test_what_depends_on_a_failure_on_record_fails_with_the_same_cause(tmp_path: Path) -> None:
    with Project(tmp_path, workers=1, failures="reuse") as project:
        fails(project, Fail("long ago"))
    with Project(tmp_path, workers=1, failures="reuse") as project:
        source = project.request(Fail("long ago"))
        error = fails(project, Chain(2), number=source.result)
        assert error.message == "Fail failed: ValueError: long ago"
        assert not project.counts().physical


def test_a_failure_is_recognised_by_content_like_any_machine(tmp_path: Path) -> None:
    with Project(tmp_path, workers=1, failures="reuse") as project:
        fails(project, Demand(2), number=project.given(3))
        three = project.run(Add(), left=project.given(1), right=project.given(2))
        log = Log(project)
        fails(project, Demand(2), number=three.result)
        assert not log.started


def test_the_rest_goes_on(tmp_path: Path) -> None:
    with Project(tmp_path, workers=2) as project:
        bad = [project.request(Fail(f"{index}")) for index in range(20)]
        good = [project.request(Scale(index), number=project.given(1)) for index in range(20)]
        worse = [project.request(Scale(), number=each.result) for each in bad]
        project.wait(*good)
        for index, (capsule, dependant) in enumerate(zip(bad, worse, strict=True)):
            for each in (capsule, dependant):
                with pytest.raises(MachineFailed, match=f"Fail failed: ValueError: {index}"):
                    each.wait(30)
                assert each.state is State.FAILED


def test_the_children_of_what_failed_can_be_seen_in_the_next_session(tmp_path: Path, file: str) -> None:
    with Project(tmp_path, workers=1, failures="reuse") as project:
        fails(project, Around(file))
    with Project(tmp_path, workers=1, failures="reuse") as project:
        around = project.request(Around(file))
        states = {child.name: child.state for child in around.children}
        assert states == {"good": State.FINISHED, "moody": State.FAILED}, "the third was never run"
        with pytest.raises(MachineFailed, match="not today"):
            around.child("moody").wait()


def test_two_projects_on_one_folder_each_try_a_failure_once(tmp_path: Path, file: str) -> None:
    with Project(tmp_path, workers=1) as one, Project(tmp_path, workers=1) as other:
        logs = [Log(one), Log(other)]
        for project in (one, other, one, other):
            fails(project, Moody(file))
        assert [log.started for log in logs] == [["Moody"], ["Moody"]]
        Path(file).unlink()
    with Project(tmp_path, workers=1) as project:
        assert project.run(Moody(file)).outputs["result"] == 1


def test_a_failure_that_cannot_be_printed_is_still_a_failure() -> None:
    class Silent(Exception):
        def __str__(self) -> str:
            raise RuntimeError("I will not say")

    class Strange(Machine):
        """Raises something that cannot be shown."""

        number = Input(int)

        def run(self, number: int) -> Model:
            raise Silent

    with Project(workers=1) as project:
        capsule = project.request(Strange(), number=project.given(1))
        with pytest.raises(MachineFailed):
            capsule.wait(30)
        assert project.request(Number(1)).wait(30).outputs["result"] == 1
