"""Multi-line search, followed by hand and on the landscape of the book's Table 4.5."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intemi.kernel import ConfigurationError
from intemi.machines.search import Candidate, Grid, MultiLineSearch, Steps
from tests.search.driving import batches_of

X, Y = Steps("x", start=0, step=1, count=5), Steps("y", start=0, step=1, count=5)

# Accuracy of an SVM on breast-w, for σ = 2^-10, 2^-8, … 2^4 (columns) and C = 2^-1, 2^1, … 2^11 (rows).
TABLE_4_5 = [
    [0.6635, 0.9393, 0.9642, 0.9671, 0.9674, 0.9588, 0.9419, 0.8798],
    [0.9396, 0.9645, 0.9677, 0.9665, 0.9659, 0.9605, 0.9508, 0.9159],
    [0.9645, 0.9677, 0.9668, 0.9645, 0.9591, 0.9479, 0.9508, 0.9159],
    [0.9677, 0.9668, 0.9634, 0.9474, 0.9428, 0.9451, 0.9508, 0.9159],
    [0.9674, 0.9617, 0.9456, 0.9413, 0.9322, 0.9422, 0.9508, 0.9159],
    [0.9617, 0.9474, 0.9428, 0.9365, 0.9293, 0.9416, 0.9508, 0.9159],
    [0.9476, 0.9416, 0.9391, 0.9339, 0.9273, 0.9416, 0.9508, 0.9159],
]
SIGMA, C = Steps("sigma", base=2, start=-10, step=2, count=8), Steps("C", base=2, start=-1, step=2, count=7)


def accuracy(candidate: Candidate) -> float:
    row, column = (math.log2(candidate["C"]) + 1) / 2, (math.log2(candidate["sigma"]) + 10) / 2
    return TABLE_4_5[int(row)][int(column)]


def test_lines_follow_the_parameters_in_turn_from_the_middle_of_their_steps() -> None:
    def objective(candidate: Candidate) -> float:
        return -abs(candidate["x"] - 1) - abs(candidate["y"] - 4)

    batches, search = batches_of(MultiLineSearch(X, Y, rounds=1, stages=1), objective)
    assert [[tuple(each.values()) for each in batch] for batch in batches] == [
        [(0, 2), (1, 2), (2, 2), (3, 2), (4, 2)],  # y stays in the middle; best at x = 1
        [(1, 0), (1, 1), (1, 3), (1, 4)],  # x stays at 1; best at y = 4
        [(3, 0), (0, 6), (-1, 8)],  # from (2, 2) to (1, 4) and on; these two are known
    ]
    assert search.best == Candidate({"x": 1, "y": 4})


def test_each_line_is_searched_with_zoom() -> None:
    real = Steps("x", start=0.0, step=1.0, count=3), Steps("y", start=0.0, step=1.0, count=3)

    def objective(candidate: Candidate) -> float:
        return -abs(candidate["x"] - 1.5) - abs(candidate["y"] - 1)

    batches, _ = batches_of(MultiLineSearch(*real, rounds=1, stages=2), objective)
    assert [[tuple(each.values()) for each in batch] for batch in batches] == [
        [(0.0, 1.0), (1.0, 1.0), (2.0, 1.0)],  # 1 and 2 are equally good, 1 was asked first
        [(0.5, 1.0), (1.5, 1.0)],
        [(1.5, 0.0), (1.5, 2.0)],
        [(1.5, 0.5), (1.5, 1.5)],
    ]


def test_the_way_of_a_round_is_a_direction_that_no_parameter_has() -> None:
    # A ridge along x = y. From (1, 1) the line along x is best at 5, from there the line along y at 7.
    def objective(candidate: Candidate) -> float:
        x, y = candidate["x"], candidate["y"]
        return -(3 * (x - y) ** 2) - (x + y - 18) ** 2

    both = [Steps(name, start=-7, step=2, count=9) for name in "xy"]
    batches, search = batches_of(MultiLineSearch(*both, rounds=1, stages=2), objective)
    assert [[tuple(each.values()) for each in batch] for batch in batches] == [
        [(x, 1) for x in range(-7, 10, 2)],
        [(x, 1) for x in (2, 4, 6, 8)],
        [(5, y) for y in range(-7, 10, 2) if y != 1],
        [(5, y) for y in (4, 6, 8, 10, 11)],
        [(5 + 4 * t, 7 + 6 * t) for t in (-4, -3, -2, 1, 2, 3, 4)],
        [(-1, -2), (3, 4), (7, 10), (11, 16)],
    ]
    assert search.best == Candidate({"x": 7, "y": 10})  # both at once: neither 6 or 8 for y nor 6 for x was better


def test_rounds_follow_a_ridge_to_its_top() -> None:
    both = [Steps(name, start=-7.0, step=2.0, count=9) for name in "xy"]

    def objective(candidate: Candidate) -> float:
        return -(3 * (candidate["x"] - candidate["y"]) ** 2) - (candidate["x"] + candidate["y"] - 18) ** 2

    _, search = batches_of(MultiLineSearch(*both, rounds=2, stages=4), objective)
    assert search.best == Candidate({"x": 9.0, "y": 9.0})


def test_a_round_that_finds_nothing_better_is_the_last() -> None:
    batches, _ = batches_of(MultiLineSearch(X, Y, rounds=50, stages=1), lambda each: 0.0)
    assert [len(batch) for batch in batches] == [5, 4]
    failed, search = batches_of(MultiLineSearch(X, Y, rounds=50, stages=1), lambda each: None)
    assert [len(batch) for batch in failed] == [5, 4]
    assert search.best is None


def test_the_best_of_table_4_5_is_found_with_fewer_candidates_than_a_grid_has() -> None:
    grid_batches, grid = batches_of(Grid(SIGMA, C), accuracy)
    assert grid.best == Candidate({"sigma": 2.0**-10, "C": 32.0})  # of three with 0.9677 the first
    assert len(grid_batches[0]) == 56

    def on_the_table(candidate: Candidate) -> float | None:
        inside = 2.0**-10 <= candidate["sigma"] <= 16 and 0.5 <= candidate["C"] <= 2048
        return accuracy(candidate) if inside else None

    batches, search = batches_of(MultiLineSearch(SIGMA, C, stages=1), on_the_table)
    assert search.best is not None
    assert on_the_table(search.best) == 0.9677
    assert sum(map(len, batches)) < 56


@given(
    heights=st.lists(st.lists(st.integers(0, 99), min_size=4, max_size=4), min_size=1, max_size=3),
)
def test_one_round_finds_the_best_place_where_parameters_do_not_depend_on_each_other(heights: list[list[int]]) -> None:
    steps = [Steps(f"p{axis}", start=0, step=1, count=4, at_least=0, at_most=3) for axis in range(len(heights))]

    def objective(candidate: Candidate) -> float:
        return sum(own[candidate[each.path]] for own, each in zip(heights, steps, strict=True))

    _, search = batches_of(MultiLineSearch(*steps, rounds=1, stages=1), objective)
    assert search.best is not None
    assert objective(search.best) == max(map(sum, itertools.product(*heights)))


def test_steps_that_are_too_few_or_of_the_same_parameter_are_refused() -> None:
    with pytest.raises(ConfigurationError, match=r"MultiLineSearch: the count of its steps must be at least 3, got 2"):
        MultiLineSearch(X, Steps("y", 0, 1, 2))
    with pytest.raises(ConfigurationError, match="MultiLineSearch: its paths must differ, got 'x' and 'x'"):
        MultiLineSearch(X, X)
    with pytest.raises(ConfigurationError, match="MultiLineSearch: rounds must be at least 1, got 0"):
        MultiLineSearch(X, rounds=0)
