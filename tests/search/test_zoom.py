"""Steps with zoom, followed by hand."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intemi.kernel import ConfigurationError
from intemi.machines.search import Candidate, Steps, StepsWithZoom
from tests.search.driving import Objective, batches_of

REAL = Steps("x", start=0.0, step=1.0, count=5)


def tried(scenario: StepsWithZoom, objective: Objective, path: str = "x") -> list[list[Any]]:
    return [[candidate[path] for candidate in batch] for batch in batches_of(scenario, objective)[0]]


def test_a_best_value_inside_is_looked_at_more_closely() -> None:
    assert tried(StepsWithZoom(REAL, stages=4), lambda each: -abs(each["x"] - 2.3)) == [
        [0.0, 1.0, 2.0, 3.0, 4.0],
        [1.5, 2.5],
        [2.25, 2.75],
        [2.125, 2.375],
    ]


def test_a_best_value_at_the_border_makes_steps_larger_and_go_beyond() -> None:
    assert tried(StepsWithZoom(REAL, stages=4), lambda each: -abs(each["x"] - 11)) == [
        [0.0, 1.0, 2.0, 3.0, 4.0],  # best at the border, 4: steps of 2 around it, 0 and 2 are known
        [6.0, 8.0],  # at the border, 8: steps of 4
        [12.0, 16.0],  # inside, 12: steps of 2
        [10.0, 14.0],
    ]


def test_of_equal_values_the_first_asked_leads_on() -> None:
    assert tried(StepsWithZoom(REAL, stages=2), lambda each: 0.0) == [[0.0, 1.0, 2.0, 3.0, 4.0], [-4.0, -2.0]]
    plateau = tried(StepsWithZoom(REAL, stages=2), lambda each: float(1 <= each["x"] <= 3))
    assert plateau[1] == [0.5, 1.5]


def test_a_failed_value_is_never_where_the_search_goes_on() -> None:
    def objective(candidate: Candidate) -> float | None:
        return None if candidate["x"] < 2 else -1e9 * candidate["x"]

    assert tried(StepsWithZoom(REAL, stages=2), objective)[1] == [1.5, 2.5]


def test_exponents_are_what_is_spaced_evenly() -> None:
    zoom = StepsWithZoom(Steps("x", base=2, start=-2, step=2, count=3), stages=3)
    assert tried(zoom, lambda each: -abs(each["x"] - 2)) == [[0.25, 1.0, 4.0], [0.5, 2.0], [2**0.5, 2**1.5]]


def test_an_even_number_of_steps_lies_around_the_best_value() -> None:
    zoom = StepsWithZoom(Steps("x", start=0.0, step=1.0, count=4), stages=2)
    assert tried(zoom, lambda each: -abs(each["x"] - 1)) == [[0.0, 1.0, 2.0, 3.0], [0.25, 0.75, 1.25, 1.75]]


def test_whole_numbers_stay_whole_and_are_tried_once() -> None:
    zoom = StepsWithZoom(Steps("x", start=1, step=2, count=3), stages=5)
    found = tried(zoom, lambda each: -abs(each["x"] - 4))
    assert found == [[1, 3, 5], [2, 4]]
    assert all(type(value) is int for batch in found for value in batch)


def test_bounds_are_not_left() -> None:
    zoom = StepsWithZoom(Steps("x", start=1, step=2, count=5, at_least=1), stages=4)
    # 1 is best and at the border, but there is nothing beyond; it is looked around more closely then.
    assert tried(zoom, lambda each: -each["x"]) == [[1, 3, 5, 7, 9], [2]]


def test_several_parameters_are_searched_along_a_line() -> None:
    zoom = StepsWithZoom(REAL, Steps("C", base=2, start=4, step=-2, count=5), stages=2)
    batches, search = batches_of(zoom, lambda each: -abs(each["x"] - 1.5))
    assert [tuple(each.values()) for each in batches[0]] == [
        (0.0, 16.0),
        (1.0, 4.0),
        (2.0, 1.0),
        (3.0, 0.25),
        (4.0, 0.0625),
    ]
    assert [tuple(each.values()) for each in batches[1]] == [(0.5, 8.0), (1.5, 2.0)]
    assert search.best == Candidate({"x": 1.5, "C": 2.0})


@given(peak=st.floats(0.75, 3.25), stages=st.integers(1, 8))
def test_each_stage_halves_the_distance_to_a_peak_inside(peak: float, stages: int) -> None:
    _, search = batches_of(StepsWithZoom(REAL, stages=stages), lambda each: -abs(each["x"] - peak))
    assert search.best is not None
    assert abs(search.best["x"] - peak) <= 0.5**stages


@given(peak=st.floats(-1000, 1000), count=st.integers(3, 9), zoom=st.sampled_from([1.5, 2.0, 3.0]))
def test_a_peak_far_away_is_found_in_the_end(peak: float, count: int, zoom: float) -> None:
    steps = Steps("x", start=0.0, step=1.0, count=count)
    _, search = batches_of(StepsWithZoom(steps, stages=60, zoom=zoom), lambda each: -abs(each["x"] - peak))
    assert search.best is not None
    assert search.best["x"] == pytest.approx(peak, abs=0.01)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: StepsWithZoom(), "StepsWithZoom: steps must be at least one, got none"),
        (lambda: StepsWithZoom(REAL, zoom=1), "StepsWithZoom: zoom must be above 1, got 1"),
        (lambda: StepsWithZoom(REAL, stages=0), "StepsWithZoom: stages must be at least 1, got 0"),
        (lambda: StepsWithZoom(Steps("x", 0, 1, 2)), r"the count of its steps must be at least 3, got 2 \(x\)"),
        (lambda: StepsWithZoom(REAL, Steps("y", 0, 1, 4)), "must be equally many, got 5 of x, 4 of y"),
        (lambda: StepsWithZoom(REAL, REAL), "its paths must differ"),
    ],
)
def test_steps_that_cannot_be_zoomed_are_refused(make: Any, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        make()
