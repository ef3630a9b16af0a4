"""What is on record can be dropped, so that it is run again."""

from __future__ import annotations

from pathlib import Path

import pytest

from intemi.kernel import Project, StoreWarning
from intemi.kernel.errors import IncompleteError
from tests.kernel.repository.machines import Grade, Twig
from tests.machines import Number

PARTS = Twig((Grade(1), Grade(2), Grade(3)))
OUTER = Twig((PARTS, Grade(4)))


@pytest.mark.parametrize("durable", [False, True])
def test_what_was_forgotten_is_run_again_and_nothing_else(tmp_path: Path, durable: bool) -> None:
    with Project(tmp_path if durable else None, workers=1) as project:
        project.wait(project.request(Number(1)), project.request(Number(2)))
        project.forget(Number(1))
        project.wait(project.request(Number(1)), project.request(Number(2)))
        assert project.counts().physical["Number"] == 3


def test_forgetting_what_was_never_run_does_nothing() -> None:
    with Project(workers=1) as project:
        project.forget(Number(1))
        assert not project.counts().physical


def grades(project: Project, root: object = None) -> list[object]:
    return sorted(project.query(root, type=Grade, labels="Grade").values)


@pytest.mark.parametrize("durable", [False, True])
@pytest.mark.parametrize("nested", [False, True])
def test_a_question_about_a_request_runs_again_what_was_forgotten_below_it(
    tmp_path: Path, durable: bool, nested: bool
) -> None:
    with Project(tmp_path if durable else None, workers=1) as project:
        done = project.run(OUTER, name="outer")
        asked = done.children[0] if nested else done
        project.forget(Grade(2))
        assert grades(project) == [1, 3, 4]
        before = project.counts().physical["Grade"]
        with pytest.warns(StoreWarning, match="it is run again"):
            assert grades(project, asked) == ([1, 2, 3] if nested else [1, 2, 3, 4])
        assert project.counts().physical["Grade"] == before + 1, "finished siblings are not run again"
        if nested:
            with pytest.warns(StoreWarning, match="it is run again"):
                assert grades(project, done) == [1, 2, 3, 4]
        assert grades(project) == grades(project, "outer") == [1, 2, 3, 4], "nothing is there twice"


def test_the_path_of_a_request_that_lacks_what_was_forgotten_is_an_error_until_it_has_run(tmp_path: Path) -> None:
    with Project(tmp_path, workers=1) as project:
        project.run(OUTER, name="outer")
        project.forget(Grade(2))
    with Project(tmp_path, workers=1) as project, pytest.raises(IncompleteError, match="run outer again"):
        grades(project, "outer")
    with Project(tmp_path, workers=1) as project:
        project.run(OUTER, name="outer")
        assert grades(project, "outer") == grades(project) == [1, 2, 3, 4]


def test_what_is_run_again_for_a_question_keeps_its_place(tmp_path: Path) -> None:
    with Project(tmp_path, workers=1, name="first") as project:
        done = project.run(Twig((Grade(0), PARTS)), name="outer")
        inner = done.children[1]
        project.forget(Grade(2))
        with pytest.warns(StoreWarning, match="outer/part 1 is damaged or gone; it is run again"):
            found = project.query(inner, type=Grade, labels=["Grade", "Place", "run name"])
        assert list(found["run name"]) == ["first"] * 3
        assert list(found["Place"]) == [1, 1, 1], "comments of its parent, and of its own"
