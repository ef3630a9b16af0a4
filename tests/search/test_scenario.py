"""What holds for any scenario, stacked in any way."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intemi.kernel import from_plain
from intemi.machines.search import Grid, RandomSearch, Scenario, ScenarioError, Steps, Uniform
from tests.search.driving import batches_of, candidates_of, rugged, scenarios


@given(scenario=scenarios())
def test_no_candidate_is_asked_for_twice_and_no_batch_is_empty(scenario: Scenario) -> None:
    batches, search = batches_of(scenario, rugged)
    asked = [candidate for batch in batches for candidate in batch]
    assert batches
    assert len(set(asked)) == len(asked)
    assert list(search.told) == asked
    assert search.ask() == []


@given(scenario=scenarios(), shuffle=st.integers(0, 99))
def test_the_order_of_telling_within_a_batch_changes_nothing(scenario: Scenario, shuffle: int) -> None:
    batches, search = batches_of(scenario, rugged)
    shuffled, other = batches_of(scenario, rugged, shuffle=shuffle)
    assert shuffled == batches
    assert other.best == search.best


@given(scenario=scenarios())
def test_a_scenario_that_draws_nothing_does_not_depend_on_the_generator(scenario: Scenario) -> None:
    if not scenario.is_random:
        assert batches_of(scenario, rugged, seed=1)[0] == batches_of(scenario, rugged, seed=2)[0]
        assert scenario.begin().ask() == batches_of(scenario, rugged)[0][0]


@given(scenario=scenarios())
def test_the_best_is_the_first_of_those_with_the_largest_objective(scenario: Scenario) -> None:
    batches, search = batches_of(scenario, rugged)
    ranked = [(rugged(candidate), candidate) for batch in batches for candidate in batch]
    reached = [objective for objective, _ in ranked if objective is not None]
    expected = next((each for objective, each in ranked if reached and objective == max(reached)), None)
    assert search.best == expected


@given(scenario=scenarios())
def test_a_scenario_at_a_place_proposes_the_same_there(scenario: Scenario) -> None:
    here = batches_of(scenario, rugged)[0]
    there = batches_of(scenario.at("test/svm"), rugged)[0]
    assert [[dict(candidate) for candidate in batch] for batch in there] == [
        [{f"test/svm.{path}": value for path, value in candidate.items()} for candidate in batch] for batch in here
    ]
    assert scenario.at("test/svm").paths == tuple(f"test/svm.{path}" for path in scenario.paths)


@given(scenario=scenarios())
def test_candidates_are_about_the_paths_of_the_scenario(scenario: Scenario) -> None:
    named = {path for candidate in candidates_of(scenario, rugged) for path in candidate}
    assert named == set(scenario.paths)


@given(scenario=scenarios())
def test_a_scenario_survives_plain_data_and_pickling(scenario: Scenario) -> None:
    assert from_plain(json.loads(json.dumps(scenario.to_plain()))) == scenario
    assert pickle.loads(pickle.dumps(scenario)) == scenario
    assert repr(from_plain(scenario.to_plain())) == repr(scenario)


def test_a_part_of_a_scenario_can_be_replaced() -> None:
    grid = Grid(Steps("a", start=0, step=1, count=2), Steps("b", start=0, step=1, count=2))
    assert grid.replace("scenarios.1.count", 5) == Grid(Steps("a", 0, 1, 2), Steps("b", 0, 1, 5))


def test_a_scenario_that_draws_needs_a_generator() -> None:
    with pytest.raises(ScenarioError, match="Grid: it draws, so begin needs a numpy Generator, got None"):
        Grid(Steps("a", 0, 1, 2), RandomSearch(Uniform("b", 0, 1), count=2)).begin()
    assert Grid(RandomSearch(Uniform("b", 0, 1))).is_random
    assert not Grid(Steps("a", 0, 1, 2)).is_random


def test_nothing_is_drawn_before_it_is_asked_for() -> None:
    rng = np.random.default_rng(0)
    RandomSearch(Uniform("b", 0, 1)).begin(rng)
    assert rng.random() == np.random.default_rng(0).random()
