"""What a query gives is what a walk through the capsules gives: order, labels, shared machines, any project."""

from __future__ import annotations

import math
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intemi.kernel import (
    Capsule,
    ConfigurationError,
    Failures,
    IntemiError,
    Machine,
    MachineFailed,
    Project,
    StoreWarning,
)
from intemi.kernel.disk import DiskStore
from intemi.kernel.store import Finished
from intemi.query import Named, OfType, OnPath, Result
from tests.kernel.repository.machines import VALUES, Breaks, GoodGrade, Grade, Leave, Twig, walk
from tests.machines import Draw, Judge, Number, Pass, Repeater, cross_validation, gate


@pytest.fixture(params=["memory", "folder", "not unified"])
def project(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Project]:
    """A project of each kind."""
    options: dict[str, Any] = {"memory": {}, "folder": {"folder": tmp_path}, "not unified": {"unification": 0}}
    with Project(workers=2, **options[request.param]) as opened:
        yield opened


def places(capsule: Capsule, above: int | None = None) -> Iterator[int | None]:
    """What the nearest parent that comments on places says of everything under a capsule, parents first."""
    place = capsule.comments.get("Place", above)
    yield place
    for child in capsule.children:
        yield from places(child, place)


grades = st.builds(Grade, st.integers(0, 3)) | st.builds(GoodGrade, st.integers(0, 3))
trees: Any = st.recursive(grades, lambda parts: st.builds(Twig, st.lists(parts, max_size=4).map(tuple)), max_leaves=12)


class Refusing(DiskStore):
    """A store that refuses some of what it is given, as on a disk that is full now and then."""

    refuses: ClassVar[list[bool]] = []

    def keep_all(self, finished: Sequence[Finished], keys: Sequence[tuple[bytes, bytes]] = ()) -> None:
        if self.refuses and self.refuses.pop():
            raise IntemiError("the disk is full")
        super().keep_all(finished, keys)


@given(tree=trees, refuses=st.lists(st.booleans(), min_size=1, max_size=20), together=st.integers(1, 4))
def test_a_query_finds_what_could_not_be_kept_as_well(tree: Machine, refuses: list[bool], together: int) -> None:
    with (
        pytest.MonkeyPatch.context() as patch,
        warnings.catch_warnings(action="ignore", category=StoreWarning),
        tempfile.TemporaryDirectory() as folder,
    ):
        patch.setattr("intemi.kernel.disk.DiskStore", Refusing)
        patch.setattr("intemi.kernel.disk.write_behind.MAX_BATCH_RECORDS", together)
        patch.setattr(Refusing, "refuses", refuses.copy())
        with Project(folder, workers=1) as project:
            first = paths_under(project, project.run(tree))
        patch.setattr(Refusing, "refuses", [])
        with Project(folder, workers=1) as project:
            assert paths_under(project, project.run(tree)) == first
            assert project.keeps_all


def paths_under(project: Project, done: Capsule) -> list[str]:
    """The paths of all that a query finds, which is what a walk finds."""
    found = project.query(done, labels="path", where=lambda item: True)
    assert list(found.values) == [each.path for each in walk(done)]
    return list(found.values)


@given(tree=trees, level=st.sampled_from([0, 1, 2]))
def test_a_query_gives_what_a_walk_through_the_capsules_gives(tree: Machine, level: Any) -> None:
    with Project(workers=1, unification=level) as project:
        done = project.run(tree)
        found = project.query(done, labels=["path", "machine", OnPath()], where=lambda item: True)
        assert list(found["path"]) == [each.path for each in walk(done)]
        assert list(found["machine"]) == [each.name for each in walk(done)]
        good = [each.path for each in walk(done) if isinstance(each.config, GoodGrade)]
        assert list(project.query(done, type=GoodGrade, labels="path").values) == good
        graded = [each for each in walk(done) if each.results.get("Grade", -1) > 1]
        by_result = project.query(done, Result("Grade") > 1, ["Grade", "Half", "path"])
        assert list(by_result["path"]) == [each.path for each in graded]
        assert list(by_result["Half"]) == [each.results["Half"] for each in graded]
        assert list(found["Place"] if "Place" in found.labels else [None] * len(found)) == list(places(done))
        everything = project.query(labels="path")
        assert list(everything.values) == list(found["path"])


def test_labels_of_the_item_come_before_those_above_it(project: Project) -> None:
    done = project.run(Twig((Twig((Grade(5),)), Twig((Grade(6), Grade(7))))))
    found = project.query(done, type=Grade, labels=["Grade", "Place", "Width", "path"])
    assert list(found["Grade"]) == [5, 6, 7]
    assert list(found["Place"]) == [None, 1, 1], "of the item itself, or of the nearest above it"
    assert list(found["Width"]) == [1, 2, 2]
    assert found["path"][2] == "Twig/part 1/part 1"


def test_items_come_in_the_order_of_requests_not_in_that_of_finishing() -> None:
    with Project(workers=2) as project:
        slow = Twig((Pass("order", 1), Grade(1), Grade(2)))
        running = project.request(slow)
        assert gate("order").reached.wait(30)
        while project.counts().physical["Grade"] < 2:
            pass
        so_far = project.query(running, labels="path")
        assert list(so_far.values) == ["Twig", "Twig/part 1", "Twig/part 2"], "what has not finished is no item yet"
        gate("order").opened.set()
        running.wait()
        paths = ["Twig", "Twig/part 0", "Twig/part 1", "Twig/part 2"]
        assert list(project.query(running, labels="path").values) == paths


def test_a_shared_machine_is_an_item_under_each_of_its_parents(tmp_path: Path) -> None:
    with Project(tmp_path, workers=1) as project:
        done = project.run(Twig((Grade(1), Grade(1), Twig((Grade(1),)))), name="shared")
        found = project.query(done, type=Grade, labels=["Grade", "Place", "path"])
        assert list(found["path"]) == ["shared/part 0", "shared/part 1", "shared/part 2/part 0"]
        assert list(found["Place"]) == [None, 1, None], "a comment belongs to the edge"
        assert project.counts().physical["Grade"] == 1


def test_the_root_may_be_a_capsule_a_run_or_a_path(project: Project) -> None:
    done = project.run(cross_validation(2, 2), data=project.given(7), name="cv")
    project.run(Grade(3), name="other")
    labels = ["Accuracy", "Repetition", "Fold", "machine"]
    (run,) = project.runs()
    by_capsule = project.query(done, type=Judge, labels=labels)
    assert len(by_capsule) == 8
    assert list(by_capsule["Repetition"]) == [1, 1, 1, 1, 2, 2, 2, 2]
    assert list(by_capsule["Fold"]) == [1, 1, 2, 2, 1, 1, 2, 2]
    for root in (run, "cv", "cv/test", None):
        assert project.query(root, type=Judge, labels=labels) == by_capsule
    assert project.query("cv/test", path="kt", labels=labels) == by_capsule.where(machine="kt")
    assert len(project.query("cv/test", path="", labels="Fold")) == 4, "the path of the root is empty"
    assert len(project.query("cv/test/k*")) == 8
    test = done.child("test")
    under_test = project.query(test, type=Judge, labels=labels[2:])
    assert list(under_test["Fold"]) == [1, 1], "comments on the root itself count"
    assert len(project.query(run)) == len(project.query()) == 1 + sum(1 for _ in walk(done))


@pytest.mark.parametrize("value", VALUES)
def test_every_kind_of_value_comes_back_as_it_was(tmp_path: Path, value: str) -> None:
    with Project(tmp_path, workers=1) as project:
        project.run(Leave(value))
    with Project.open(tmp_path, workers=1) as project:
        found = project.query(name="Leave", labels=["Value", "Name"])
        (back,) = found["Value"].tolist() if isinstance(found["Value"], np.ndarray) else found["Value"]
        expected = VALUES[value]
        assert found["Name"][0] == value
        if isinstance(expected, np.ndarray):
            assert np.array_equal(back, expected)
            assert back.shape == expected.shape
        elif isinstance(expected, float) and math.isnan(expected):
            assert math.isnan(back)
        else:
            assert back == expected
            assert str(back) == str(expected), "also the sign of zero"


def test_what_a_series_cannot_hold_is_shown_as_text(project: Project) -> None:
    done = project.run(Twig((Grade(1),)))
    assert project.query(done, labels="parts").values[0] == "(Grade(number=1),)"


def test_without_labels_an_item_has_its_results_all_comments_on_its_path_and_its_name(project: Project) -> None:
    done = project.run(Twig((Grade(4), Twig((Grade(5),)))))
    found = project.query(done)
    assert set(found.labels) == {"Width", "Grade", "Half", "Place", "machine"}
    assert found.main == "Width"
    assert list(found["Place"]) == [None, None, 1, 1]


def test_a_query_that_finds_nothing_has_the_labels_that_were_asked_for(project: Project) -> None:
    done = project.run(Grade(1))
    found = project.query(done, Named("nobody"), ["Grade", {"data": "none"}])
    assert (len(found), found.labels) == (0, ("Grade", "data"))
    assert len(project.query(name="nobody")) == 0


def test_failures_are_items_with_a_message_and_what_had_finished_under_them(project: Project) -> None:
    with pytest.raises(MachineFailed):
        project.run(Breaks((Grade(1), Breaks((Grade(2),)))), name="broken")
    assert list(project.query("broken", type=Grade, labels="Grade").values) == [1, 2]
    broken = project.query("broken", type=Breaks, labels=["failure", "path"])
    assert list(broken["path"]) == ["broken", "broken/part 1"]
    assert "it broke: caf\\udce9" in broken["failure"][0], "what is no valid text is spelled out"


@pytest.mark.parametrize("folder", [False, True])
def test_failures_that_are_not_put_on_record_can_be_asked_about_by_their_capsule(tmp_path: Path, folder: bool) -> None:
    with Project(tmp_path if folder else None, workers=1, failures=Failures.FORGET) as project:
        capsule = project.request(Breaks((Grade(1), Breaks((Grade(2),)))))
        with pytest.raises(MachineFailed):
            capsule.wait()
        assert list(project.query(capsule, type=Grade, labels="Grade").values) == [1, 2]


def test_an_aborted_request_has_what_finished_under_it(tmp_path: Path) -> None:
    with Project(tmp_path, workers=1) as project:
        running = project.request(Twig((Grade(1), Pass("aborted"))), name="stopped")
        assert gate("aborted").reached.wait(30)
        assert list(project.query(running, type=Grade, labels="Grade").values) == [1]
        running.abort()
        gate("aborted").opened.set()
        for root in (running, "stopped"):
            assert list(project.query(root, type=Grade, labels="Grade").values) == [1]


@pytest.mark.parametrize("folder", [False, True])
def test_what_was_forgotten_is_gone_and_what_was_run_again_is_back(tmp_path: Path, folder: bool) -> None:
    with Project(tmp_path if folder else None, workers=1) as project:
        for number in (1, 2):
            project.run(Grade(number))
        project.forget(Grade(2))
        assert list(project.query(type=Grade, labels="Grade").values) == [1]
        project.run(Grade(3))
        project.forget(Grade(1))
        project.run(Grade(1))
        assert sorted(project.query(type=Grade, labels="Grade").values) == [1, 3]
        project.run(Grade(2))
        assert sorted(project.query(type=Grade, labels="Grade").values) == [1, 2, 3]


def test_a_failure_that_is_retried_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "flag").touch()
    for failures in range(2):
        with Project(tmp_path / "project", workers=1) as project:
            capsule = project.request(Twig((Flagged(str(tmp_path / "flag")),)), name="flagged")
            project._engine.wait_for([capsule.context])
            found = project.query("flagged", type=Flagged, labels=["failure", "Grade"])
            assert (found["failure"][0] is None) == bool(failures)
            assert len(found) == 1
        (tmp_path / "flag").unlink(missing_ok=True)


class Flagged(Machine):
    """Fails as long as a file is there."""

    version = 1
    path: str

    def run(self) -> Any:
        from intemi.kernel import Model

        if Path(self.path).exists():
            raise ValueError("not yet")
        return Model(results={"Grade": 1})


def test_a_project_without_a_folder_forgets_its_results_with_itself() -> None:
    with Project(workers=1) as project:
        project.run(Grade(1))
    with Project(workers=1) as project:
        assert len(project.query()) == 0
        assert project.runs() == []


def test_without_unification_each_request_is_an_item() -> None:
    with Project(workers=1, unification=0) as project:
        project.wait(*(project.request(Grade(1)) for _ in range(3)))
        assert list(project.query(type=Grade, labels="Grade").values) == [1, 1, 1]


def test_the_same_request_in_several_runs_is_one_item_and_under_several_names_several(tmp_path: Path) -> None:
    for number in range(2):
        with Project(tmp_path, workers=1, name=f"run {number}") as project:
            project.run(Twig((Grade(1),)), name="first")
            project.run(Twig((Grade(number),)), name="second")
    with Project.open(tmp_path, workers=1) as project:
        assert list(project.query(type=Grade, labels="path").values) == [
            "first/part 0",
            "second/part 0",  # the first run's
            "second/part 0",
        ]
        runs = project.runs()
        assert [run.name for run in runs] == ["run 0", "run 1"]
        assert list(project.query(runs[1], type=Grade, labels="Grade").values) == [1, 1]


def test_more_requests_than_are_noted_at_a_time_are_all_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("intemi.kernel.repository.repository.MAX_PENDING", 5)
    with Project(workers=1) as project:
        project.wait(*(project.request(Grade(number)) for number in range(23)))
        assert sorted(project.query(type=Grade, labels="Grade").values) == list(range(23))


def test_a_query_may_be_asked_while_another_one_judges_an_item(project: Project) -> None:
    done = project.run(Twig((Grade(1), Grade(2))))

    def is_the_best(item: Any) -> bool:
        return item.results.get("Grade") == max(project.query(done, OfType(Grade), "Grade").values)

    assert list(project.query(done, is_the_best, "Grade").values) == [2]


def test_a_large_tree_is_found_from_either_end(monkeypatch: pytest.MonkeyPatch) -> None:
    with Project(workers=1) as project:
        done = project.run(Twig((Twig(tuple(map(Grade, range(9)))), Twig((Grade(3), GoodGrade(1))))), name="tree")
        asked: list[dict[str, Any]] = [{"type": Grade}, {"name": "part 1"}, {"path": "part 1/part 0"}, {"where": None}]
        asked.append({"where": Result("Half") >= 1.5})
        labels = ["path", "Width"]
        whole = [project.query(root, **each, labels=labels) for root in (done, "tree/part 1", None) for each in asked]
        monkeypatch.setattr("intemi.kernel.repository.finding.MAX_UNFILTERED_EDGES", 1)
        again = [project.query(root, **each, labels=labels) for root in (done, "tree/part 1", None) for each in asked]
        assert whole == again
        assert [len(each) for each in whole] == [11, 3, 1, 14, 7, 2, 2, 0, 3, 1, 11, 3, 1, 14, 7]


def test_times_names_and_kinds_can_be_asked_for(project: Project) -> None:
    done = project.run(Twig((Grade(1),)), name="timed")
    row = project.query(done, type=Grade, labels=["wall", "cpu", "queue", "started", "memory", "kind", "failure"]).row(
        0
    )
    assert row["kind"] == "Grade"
    assert 0 < row["wall"] < 10
    assert row["started"] > 1e9
    assert row["failure"] is None


def test_questions_that_make_no_sense_say_what_is_allowed(project: Project) -> None:
    done = project.run(Twig((Grade(1),)), name="known")
    with pytest.raises(IntemiError, match="no item has the label 'Grad'; their labels are Grade, Half"):
        project.query(done, type=Grade, labels="Grad")
    with pytest.raises(IntemiError, match="no request is called 'unknown' in this project; there are known"):
        project.query("unknown")
    with pytest.raises(IntemiError, match="known has no child called 'port 0'; there are part 0"):
        project.query("known/port 0")
    with pytest.raises(ConfigurationError, match="root must be a capsule, a run or the path of a request, got 3"):
        project.query(3)  # type: ignore[arg-type]
    with pytest.raises(ConfigurationError, match=r"where must be a qualifier, .* or a function of an item, got"):
        project.query(done, Result("Grade"))  # type: ignore[arg-type]
    with pytest.raises(ConfigurationError, match=r"labels must be names, labelers .* got 3"):
        project.query(done, labels=["Grade", 3])
    with pytest.raises(ConfigurationError, match="at least one label"):
        project.query(done, labels=[])
    with pytest.raises(IntemiError, match="no machine or component is called 'Grate'"):
        project.query(done, type="Grate")
    with pytest.raises(ConfigurationError, match="machine must be a class of machines or its name, got 3"):
        project.query(done, type=3)  # type: ignore[arg-type]


def test_a_closed_project_says_so(project: Project) -> None:
    project.run(Grade(1))
    project.close()
    with pytest.raises(IntemiError, match="the project is closed"):
        project.query()


def test_seeds_drawn_at_random_do_not_matter(project: Project) -> None:
    done = project.run(
        Repeater(distributor=cross_validation().distributor, test=cross_validation().test), data=project.given(1)
    )
    assert len(project.query(done, type=Judge, labels=["Accuracy", "Fold"])) == 20
    assert project.run(Draw(seed=3)).done
    assert project.run(Number(1)).done
