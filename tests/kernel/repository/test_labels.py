"""Labelers: fixed labels, comments on the path, parameters of a configuration and of those above, and one's own."""

from __future__ import annotations

from typing import Any

import pytest

from intemi.kernel import Project
from intemi.kernel.repository import Labeler
from intemi.query import Fixed, OnPath, Parameter
from tests.kernel.repository.machines import Grade, Twig
from tests.machines import Judge, Learn, cross_validation


def test_comments_and_parameters_of_ancestors_are_labels() -> None:
    with Project(workers=1) as project:
        done = project.run(cross_validation(2, 2), data=project.given(3))
        found = project.query(done, type=Judge, labels=["Accuracy", "Repetition", "Fold", "repetitions", "test/s.k"])
        assert list(found["Repetition"]) == [1, 1, 1, 1, 2, 2, 2, 2]
        assert set(found["repetitions"]) == {2}, "the repeater's"
        assert set(found["test/s.k"]) == {2}, "a part of the repeater's, by its path"
        learned = project.query(done, type=Learn, labels=[Parameter("k"), Parameter("repetitions"), OnPath()])
        assert learned.labels == ("k", "repetitions", "Repetition", "Fold")
        assert list(learned["k"])[:4] == [1, 2, 1, 2]


def test_fixed_labels_are_the_same_for_all_items() -> None:
    with Project(workers=1) as project:
        done = project.run(Twig((Grade(1), Grade(2))))
        found = project.query(done, type=Grade, labels=["Grade", Fixed(data="iris", version=2), {"more": None}])
        assert found.labels == ("Grade", "data", "version", "more")
        assert found.row(1) == {"Grade": 2, "data": "iris", "version": 2, "more": None}


def test_one_label_need_not_be_in_a_list() -> None:
    with Project(workers=1) as project:
        done = project.run(Grade(1))
        assert project.query(done, labels="Grade").labels == ("Grade",)
        assert project.query(done, labels={"data": "iris"}).labels == ("data",)
        assert project.query(done, labels=Fixed(data="iris")).labels == ("data",)
        assert project.query(done, labels=(label for label in ("Half", "Grade"))).main == "Half"


def test_a_labeler_of_ones_own_sees_the_item_and_those_above_it() -> None:
    class Depth(Labeler):
        names = ("Depth", "Parent's width")

        def labels(self, item: Any) -> dict[str, Any]:
            return {"Depth": len(item.names), "Parent's width": item.above.results["Width"] if item.above else None}

    with Project(workers=1) as project:
        done = project.run(Twig((Twig((Grade(1),)), Grade(2))))
        found = project.query(done, labels=Depth())
        assert list(found["Depth"]) == [0, 1, 2, 1]
        assert list(found["Parent's width"]) == [None, 2, 1, 2]
        assert project.query(done, lambda item: False, Depth()).labels == ("Depth", "Parent's width")


def test_a_labeler_without_labels_says_what_to_write() -> None:
    with pytest.raises(TypeError, match="abstract class Labeler with"):
        Labeler()  # type: ignore[abstract]
