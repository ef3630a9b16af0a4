"""Stacks: sequence, grid and zip, also of scenarios that draw or wait for feedback."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intemi.kernel import ConfigurationError
from intemi.machines.search import (
    Candidate,
    Grid,
    InSequence,
    Integers,
    RandomSearch,
    Scenario,
    Steps,
    StepsWithZoom,
    Uniform,
    Values,
    Zip,
)
from tests.search.driving import batches_of, candidates_of, draws, flat, rugged, single

PATHS = ("a", "b", "c")
A, B = Steps("a", start=0, step=1, count=2), Steps("b", start=5, step=1, count=3)
DRAWN = RandomSearch(Uniform("x", 0, 1), count=3)
ZOOM = StepsWithZoom(Steps("x", start=0.0, step=1.0, count=5), stages=2)


def merged(candidates: tuple[Candidate, ...]) -> Candidate:
    return Candidate({path: value for candidate in candidates for path, value in candidate.items()})


@given(parts=st.tuples(*map(flat, PATHS)), size=st.integers(1, 3))
def test_a_grid_is_the_product_in_one_batch_and_the_last_changes_fastest(
    parts: tuple[Scenario, ...], size: int
) -> None:
    batches, _ = batches_of(Grid(*parts[:size]), rugged)
    assert batches == [[merged(row) for row in itertools.product(*map(candidates_of, parts[:size]))]]
    assert all(tuple(candidate) == PATHS[:size] for candidate in batches[0])


@given(first=flat("a"), drawn=draws("b"), seed=st.integers(0, 9))
def test_a_grid_with_random_values_is_a_product_as_well(first: Scenario, drawn: Scenario, seed: int) -> None:
    [asked], _ = batches_of(Grid(first, drawn), rugged, seed)
    drawn_values = list(dict.fromkeys(candidate["b"] for candidate in asked))
    firsts = [candidate["a"] for candidate in candidates_of(first)]
    expected = [Candidate({"a": a, "b": b}) for a in firsts for b in drawn_values]
    assert asked == expected


def test_the_grid_of_the_book_has_56_candidates() -> None:
    grid = Grid(
        Steps("test/svm.kernel.sigma", base=2, start=-12, step=2, count=8),
        Steps("test/svm.C", base=2, start=-1, step=2, count=7),
    )
    [asked] = batches_of(grid, rugged)[0]
    assert len(asked) == 56
    assert asked[0] == Candidate({"test/svm.kernel.sigma": 2.0**-12, "test/svm.C": 0.5})
    assert asked[1] == Candidate({"test/svm.kernel.sigma": 2.0**-12, "test/svm.C": 2.0})
    assert asked[-1] == Candidate({"test/svm.kernel.sigma": 4.0, "test/svm.C": 2048.0})


def test_grids_of_grids_are_flat() -> None:
    c = Values("c", ["x", "y"])
    assert candidates_of(Grid(Grid(A, B), c)) == candidates_of(Grid(A, Grid(B, c))) == candidates_of(Grid(A, B, c))


@given(first=single("a"), second=single("b"))
def test_a_sequence_asks_for_what_its_parts_ask_for(first: Scenario, second: Scenario) -> None:
    batches, _ = batches_of(InSequence(first, second), rugged)
    asked = [candidate for batch in batches for candidate in batch]
    for part, path in ((first, "a"), (second, "b")):
        if not part.is_random:
            own = [candidate for candidate in asked if all(each.startswith(path) for each in candidate)]
            assert own == candidates_of(part, rugged)


def test_parts_of_a_sequence_do_not_wait_for_each_other() -> None:
    batches, _ = batches_of(InSequence(ZOOM, A, ZOOM.at("y")), lambda candidate: -sum(candidate.values()))
    assert [len(batch) for batch in batches] == [12, 4]
    assert [tuple(candidate) for candidate in batches[0]] == [("x",)] * 5 + [("a",)] * 2 + [("y.x",)] * 5


@given(values=st.lists(st.tuples(st.integers(), st.text()), min_size=1, max_size=6, unique=True))
def test_a_zip_pairs_what_stands_at_the_same_place(values: list[tuple[int, str]]) -> None:
    numbers, texts = zip(*values, strict=True)
    batches, _ = batches_of(Zip(Values("a", numbers), Values("b", texts)), rugged)
    assert batches == [[Candidate({"a": number, "b": text}) for number, text in values]]


def test_a_zip_of_unequal_parts_is_refused_when_it_is_made() -> None:
    with pytest.raises(ConfigurationError, match=r"Zip: .* equally many candidates, got 2 of Steps\(.*\), 3 of Steps"):
        Zip(A, B)


def test_a_zip_with_random_parts_is_refused_when_it_is_asked() -> None:
    with pytest.raises(ConfigurationError, match=r"Zip: .* got 2 of Steps\(.*\), 3 of RandomSearch"):
        candidates_of(Zip(A, DRAWN))
    assert len(candidates_of(Zip(B, DRAWN))) == 3


def test_a_zip_tells_all_its_parts() -> None:
    both = Zip(ZOOM, ZOOM.at("y"))
    batches, search = batches_of(both, lambda candidate: -abs(candidate["x"] - 1.5))
    assert [[tuple(candidate.values()) for candidate in batch] for batch in batches] == [
        [(0.0, 0.0), (1.0, 1.0), (2.0, 2.0), (3.0, 3.0), (4.0, 4.0)],
        [(0.5, 0.5), (1.5, 1.5)],
    ]
    assert search.best == Candidate({"x": 1.5, "y.x": 1.5})


def test_a_later_part_of_a_grid_is_searched_for_each_candidate_of_the_earlier_ones() -> None:
    best = {"left": 1.0, "right": 3.0}
    batches, search = batches_of(
        Grid(Values("side", list(best)), ZOOM), lambda candidate: -abs(candidate["x"] - best[candidate["side"]] - 0.4)
    )
    assert [[tuple(candidate.values()) for candidate in batch] for batch in batches] == [
        [(side, float(x)) for side in best for x in range(5)],
        [("left", 0.5), ("left", 1.5), ("right", 2.5), ("right", 3.5)],
    ]
    assert search.best == Candidate({"side": "left", "x": 1.5})


def test_an_earlier_part_of_a_grid_is_told_the_best_with_each_of_its_candidates() -> None:
    # With y = 3, x is best at 1; with y = 0 it would be at 4, but nowhere as good.
    def objective(candidate: Candidate) -> float:
        return 10 - abs(candidate["x"] - 1) if candidate["y"] == 3 else candidate["x"]

    batches, _ = batches_of(Grid(ZOOM, Values("y", [0, 3])), objective)
    assert [tuple(candidate.values()) for candidate in batches[1]] == [(0.5, 0), (0.5, 3), (1.5, 0), (1.5, 3)]


def test_what_a_part_draws_does_not_depend_on_what_others_do() -> None:
    one = RandomSearch(Integers("k", 0, 9**9), count=2)
    for other in (A, DRAWN, RandomSearch(Uniform("x", 0, 1), count=9)):
        asked = candidates_of(InSequence(other, one))
        assert [each for each in asked if "k" in each] == candidates_of(InSequence(A, one))[2:]


def test_equal_scenarios_in_a_sequence_draw_different_values() -> None:
    assert len(candidates_of(InSequence(DRAWN, DRAWN))) == 6


@pytest.mark.parametrize("stack", [Grid, Zip])
def test_a_parameter_that_two_parts_change_is_refused(stack: type[Grid] | type[Zip]) -> None:
    with pytest.raises(ConfigurationError, match=f"{stack.__name__}: its paths must differ, got 'a' and 'a'"):
        stack(A, A)


def test_a_component_that_comes_after_its_own_parameter_is_refused() -> None:
    kernels, sigma = Values("svm.kernel", [None]), Steps("svm.kernel.sigma", start=0.1, step=0.1, count=2)
    assert Grid(kernels, sigma).paths == ("svm.kernel", "svm.kernel.sigma")
    with pytest.raises(ConfigurationError, match=r"'svm\.kernel' would replace what holds 'svm\.kernel\.sigma'"):
        Grid(sigma, kernels)


@pytest.mark.parametrize("stack", [Grid, Zip, InSequence])
def test_a_stack_of_nothing_is_refused(stack: type[Grid]) -> None:
    with pytest.raises(ConfigurationError, match=f"{stack.__name__}: scenarios must be at least one, got none"):
        stack()


def test_only_scenarios_can_be_stacked() -> None:
    with pytest.raises(ConfigurationError, match="Grid: scenarios must be a tuple of Scenarios"):
        Grid(Uniform("x", 0, 1))  # type: ignore[arg-type]
