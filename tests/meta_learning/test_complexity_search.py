"""Complexity search: the cheapest first, limits, and the quarantine of what takes longer than expected."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intemi.machines.meta_learning import Complexity, ComplexitySearch, KnowledgeBase, Outcome, replay
from intemi.machines.meta_learning.complexity import CYCLES_A_SECOND, LEAST_CYCLES
from intemi.machines.meta_learning.complexity_queue import ComplexityQueue
from intemi.machines.meta_learning.complexity_search import ComplexityCourse
from intemi.machines.meta_learning.loop import Reason
from intemi.machines.meta_learning.task import Task


def base(seconds: Mapping[str, float]) -> KnowledgeBase:
    times = np.array([list(seconds.values())])
    return KnowledgeBase(("present",), tuple(seconds), np.full((1, len(seconds), 2), 0.5), times)


def searched(
    true: Mapping[str, float], expected: Mapping[str, float], deadline: float | None = None, **options: float | None
) -> tuple[ComplexityCourse, Reason]:
    strategy = ComplexitySearch(window=1, **options)  # type: ignore[arg-type]
    course, reason = replay(
        strategy, base(true), "present", deadline=deadline, expected=lambda name: Complexity(expected[str(name)])
    )
    assert isinstance(course, ComplexityCourse)
    return course, reason


@given(st.floats(1e-6, 1e6), st.floats(1.001, 10.0))
def test_complexity_grows_with_time(seconds: float, factor: float) -> None:
    assert seconds * CYCLES_A_SECOND >= LEAST_CYCLES
    assert Complexity(seconds * factor).value > Complexity(seconds).value


@given(st.floats(1e-6, 1e6), st.floats(0, 1e9))
def test_a_quarter_of_the_reliability_is_four_times_the_complexity(seconds: float, memory: float) -> None:
    expected = Complexity(seconds, memory)
    assert replace(expected, reliability=0.25).value == pytest.approx(4 * expected.value)
    assert replace(expected, attractiveness=2.0).value == pytest.approx(expected.value / 2)


def test_the_least_complex_is_first_and_changes_are_obeyed() -> None:
    queue, tasks = ComplexityQueue(), {name: Task(name) for name in "abc"}
    for name, seconds in zip("abc", (3.0, 2.0, 2.0), strict=True):
        queue.put(tasks[name], Complexity(seconds))
    assert queue.pop() is tasks["b"]
    queue.change(lambda task, complexity: replace(complexity, attractiveness=9.0 if task is tasks["a"] else 1.0))
    assert [queue.pop().candidate, queue.pop().candidate] == ["a", "c"]
    assert len(queue) == 0


def test_tests_come_in_the_order_of_what_is_expected() -> None:
    seconds = {"slow": 50.0, "fast": 1.0, "medium": 7.0}
    course, _ = searched(seconds, seconds)
    assert [task.candidate for task in course.finished] == ["fast", "medium", "slow"]


def test_which_of_equal_candidates_wins_does_not_depend_on_the_calibration_of_the_computer() -> None:
    one, _ = searched({"a": 1.0, "b": 2.0}, {"a": 1.0, "b": 2.0})
    other, _ = searched({"a": 1.0, "b": 2.0}, {"a": 2.0, "b": 1.0})
    assert [task.candidate for task in one.finished] == [task.candidate for task in reversed(other.finished)]
    assert [task.candidate for task in one.ranking] == [task.candidate for task in other.ranking] == ["a", "b"]


def test_the_limit_is_four_times_larger_at_the_next_attempt() -> None:
    course, _ = searched({"a": 30.0}, {"a": 1.0})
    assert [task.attempt for task in course.finished] == [course.finished[0].attempt] * 3
    assert course.finished[-1].limit == 32.0


@given(st.floats(1.0, 1000.0), st.floats(1e-3, 1.0))
def test_a_wrong_estimate_costs_at_most_seven_thirds(true: float, share: float) -> None:
    course, _ = searched({"a": true}, {"a": true * share})
    assert course.finished[-1].outcome is Outcome.FINISHED
    assert course.ranking[0].seconds <= 7 / 3 * true * (1 + 1e-9)


def test_a_test_that_never_ends_holds_up_no_other() -> None:
    true = {"endless": 1e12, **{f"test {number}": 1.0 + number for number in range(20)}}
    course, reason = searched(true, {**true, "endless": 0.5}, deadline=1000.0)
    assert reason is Reason.DEADLINE
    done = [task.candidate for task in course.finished if task.outcome is Outcome.FINISHED]
    assert len(done) == 20


def test_a_test_may_be_given_up() -> None:
    course, reason = searched({"endless": 1e12, "a": 1.0}, {"endless": 0.5, "a": 1.0}, max_attempts=3)
    assert reason is Reason.EXHAUSTED
    assert [task.candidate for task in course.dropped] == ["endless"]
    assert [task.candidate for task in course.ranking] == ["a"]
