"""Asking and telling: in turn, each candidate once, whatever the order within a batch."""

from __future__ import annotations

import math

import numpy as np
import pytest

from intemi.machines.search import Candidate, InSequence, ScenarioError, Search, Steps, StepsWithZoom, Values


def three() -> Search:
    return Steps("k", start=1, step=1, count=3).begin()


def test_asking_before_everything_is_told_is_refused() -> None:
    search = three()
    first, *_ = search.ask()
    search.tell(first, 1.0)
    with pytest.raises(ScenarioError, match=r"2 candidates must be told before .* first is Candidate\(\{'k': 2\}\)"):
        search.ask()


def test_telling_what_was_not_asked_for_is_refused() -> None:
    search = three()
    with pytest.raises(ScenarioError, match="was not asked for"):
        search.tell(Candidate({"k": 1}), 1.0)


def test_telling_twice_is_refused() -> None:
    search = three()
    first, *_ = search.ask()
    search.tell(first, 1.0)
    with pytest.raises(ScenarioError, match="has been told already"):
        search.tell(first, 1.0)


def test_an_objective_must_be_a_number() -> None:
    search = three()
    first, *_ = search.ask()
    with pytest.raises(ScenarioError, match="must be a number or None, got 'good'"):
        search.tell(first, "good")  # type: ignore[arg-type]
    search.tell(first, np.float64(0.5))


def test_of_equal_objectives_the_first_asked_is_best_whatever_was_told_first() -> None:
    search = three()
    batch = search.ask()
    for candidate, objective in zip(reversed(batch), [2.0, 2.0, 1.0], strict=True):
        search.tell(candidate, objective)
    assert search.best == batch[1]
    assert list(search.told.items()) == list(zip(batch, [1.0, 2.0, 2.0], strict=True))


def test_a_failure_is_worse_than_any_number() -> None:
    search = three()
    batch = search.ask()
    for candidate, objective in zip(batch, [None, math.nan, -1e300], strict=True):
        search.tell(candidate, objective)
    assert search.best == batch[2]
    assert list(search.told.values()) == [None, None, -1e300]


def test_where_all_failed_nothing_is_best() -> None:
    search = three()
    for candidate in search.ask():
        search.tell(candidate, None)
    assert search.best is None
    assert search.ask() == []


def test_what_is_proposed_again_is_not_asked_for_again_but_its_objective_counts() -> None:
    search = InSequence(Values("k", [1, 2, 1]), Steps("k", start=2, step=1, count=2)).begin()
    assert [candidate["k"] for candidate in search.ask()] == [1, 2, 3]
    # The second stage of the zoom proposes five places, three of which are known by then.
    search = StepsWithZoom(Steps("x", start=0.0, step=1.0, count=5), stages=2).begin()
    for candidate in search.ask():
        search.tell(candidate, -((candidate["x"] - 2) ** 2))
    assert [candidate["x"] for candidate in search.ask()] == [1.5, 2.5]


def test_a_search_that_is_over_stays_over() -> None:
    search = three()
    for candidate in search.ask():
        search.tell(candidate, 0.0)
    assert [search.ask(), search.ask()] == [[], []]
