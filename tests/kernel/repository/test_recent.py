"""What has just finished is answered for without the index, and the answer is the one that the index gives."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intemi.kernel import Capsule, Commentator, Job, Machine, MachineFailed, Model, Project, StoreWarning
from intemi.kernel.disk import DiskStore
from intemi.kernel.repository import finding
from intemi.kernel.repository.file import Opened, read_image
from intemi.kernel.store import Store
from intemi.query import OfType, OnPath, Parameter, Result
from tests.kernel.repository.machines import VALUES, Breaks, GoodGrade, Grade, Leave, Twig


class Remarks(Machine):
    """Says all kinds of things of its child."""

    version = 1

    async def run(self, job: Job) -> Model:
        job.request(Grade(5), name="caf\udce9", comments={"Fold": 3, "Rows": np.arange(2), "Pair": (1, "x")})
        return Model(results={"caf\udce9": 1})


EVERYTHING = Twig(
    (
        Twig((Grade(1), GoodGrade(2), Grade(1)), note="first"),
        Twig((Twig((Grade(1),)), *map(Leave, VALUES))),
        Remarks(),
        GoodGrade(2),
    )
)
QUESTIONS: list[dict[str, Any]] = [
    {},
    {"type": Grade, "labels": ["Grade", "Half", "Place", "Width", "path", "kind", "number"]},
    {"type": GoodGrade, "labels": ["Grade", Parameter("number"), Parameter("note")]},
    {"name": "part *", "labels": ["machine", "started", "wall", "cpu", "queue", "memory", "failure"]},
    {"path": "part 1/part 0/**", "labels": "Width"},
    {"where": Result("Half") >= 1, "labels": "Grade"},
    {"where": ~OfType(Twig) & ~OfType(Leave), "labels": ["Fold", "Rows", "Pair", "Grade"]},
    {"where": lambda item: item.results.get("Value") is not None, "labels": ["Value", "Name"]},
]


def shown(project: Project, root: Capsule, **question: Any) -> dict[str, list[str]]:
    """Labels and values, of which some, such as nan, do not equal themselves."""
    found = project.query(root, **question)
    return {label: [repr(value) for value in found[label]] for label in found.labels}


def has_index(project: Project) -> bool:
    """Whether machines have been read into the index."""

    def count(opened: Opened) -> int:
        return opened.index.size()

    return project._repository._file.do(count) > 0


def by_the_index(patch: pytest.MonkeyPatch) -> None:
    """From now on nothing is at hand."""
    for store in Store.__subclasses__():
        patch.setattr(store, "at_hand", lambda self: None)


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: " ".join(question) or "everything")
def test_the_answer_is_that_of_the_index_here_and_in_another_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, question: dict[str, Any]
) -> None:
    with Project(tmp_path, workers=2) as project:
        done = project.run(EVERYTHING)
        recent = shown(project, done, **question)
        assert len(next(iter(recent.values())))
        assert not has_index(project)
        by_the_index(monkeypatch)
        assert shown(project, done, **question) == recent
        assert has_index(project)
    with Project(tmp_path, workers=2) as project:
        assert shown(project, project.run(EVERYTHING), **question) == recent


parts = st.recursive(
    st.builds(Grade, st.integers(0, 3)),
    lambda parts: st.builds(Twig, st.lists(parts, max_size=4).map(tuple)),
    max_leaves=12,
)


@given(tree=parts, level=st.sampled_from([0, 1, 2]))
def test_trees_of_any_shape_are_answered_for_alike(tree: Machine, level: Any) -> None:
    with Project(workers=1, unification=level) as project, pytest.MonkeyPatch.context() as patch:
        done = project.run(tree)
        recent = shown(project, done), shown(project, done, labels=["path", "kind", OnPath()])
        by_the_index(patch)
        assert (shown(project, done), shown(project, done, labels=["path", "kind", OnPath()])) == recent


def test_a_failure_has_its_message_and_what_finished_under_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Project(tmp_path, workers=1) as project:
        broken = project.request(Breaks((Grade(1), Grade(2))))
        with pytest.raises(MachineFailed):
            broken.wait()
        recent = shown(project, broken, labels=["failure", "Grade", "path"])
        assert len(recent["failure"]) == 3
        assert not has_index(project)
        by_the_index(monkeypatch)
        assert shown(project, broken, labels=["failure", "Grade", "path"]) == recent


def test_what_commentators_say_is_found(tmp_path: Path) -> None:
    with Project(tmp_path, workers=1) as project:
        done = project.run(EVERYTHING, commentators=[Doubles()])
        assert list(project.query(done, type=Grade, labels="Doubled").values) == [2, 4, 2, 2, 10, 4]
        assert list(project.query(done, type=Grade)["Doubled"]) == [2, 4, 2, 2, 10, 4]
        assert not has_index(project)


class Doubles(Commentator):
    """Twice the grade."""

    def applies_to(self, config: Machine) -> bool:
        return isinstance(config, Grade)

    def comments(self, machine: Any) -> dict[str, int]:
        return {"Doubled": 2 * machine.results["Grade"]}


def test_what_another_project_has_forgotten_is_run_again(tmp_path: Path) -> None:
    with Project(tmp_path, workers=1) as project:
        done = project.run(EVERYTHING)
        assert len(project.query(done, type=Grade)) == 6
        with Project(tmp_path, workers=1) as other:
            other.forget(Grade(1))
        with pytest.warns(StoreWarning, match="it is run again"):
            assert len(project.query(done, type=Grade)) == 6
        assert len(project.query(done, type=Grade)) == 6


@pytest.mark.parametrize(
    "limit", [(finding.__name__, "FEW"), (DiskStore.__module__, "REMEMBERED")], ids=["much", "long ago"]
)
def test_what_is_too_much_or_too_long_ago_is_found_in_the_index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: tuple[str, str]
) -> None:
    where, name = limit
    monkeypatch.setattr(f"{where}.{name}", 3)
    with Project(tmp_path, workers=1) as project:
        done = project.run(EVERYTHING)
        assert list(project.query(done, type=Grade, labels="Grade").values) == [1, 2, 1, 1, 5, 2]
        assert has_index(project)


@pytest.mark.parametrize("asks", [True, False])
def test_whoever_has_asked_leaves_the_index_to_other_sessions(tmp_path: Path, asks: bool) -> None:
    with Project(tmp_path, workers=1) as project:
        done = project.run(EVERYTHING)
        if asks:
            project.query(done)
    assert (read_image(tmp_path / "results.sqlite") is not None) is asks
