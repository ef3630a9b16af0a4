"""Random search: as many draws as asked for, from the generator handed in."""

from __future__ import annotations

import pytest

from intemi.kernel import ConfigurationError
from intemi.machines.search import Choice, Integers, LogUniform, RandomSearch, Uniform
from tests.search.driving import batches_of, candidates_of

SEARCH = RandomSearch(LogUniform("svm.C", 0.01, 100), Uniform("share", 0, 1), count=30)


def test_all_draws_are_one_batch() -> None:
    [batch] = batches_of(SEARCH, lambda candidate: 0.0)[0]
    assert len(batch) == 30
    assert {tuple(candidate) for candidate in batch} == {("svm.C", "share")}


def test_draws_depend_on_the_generator_and_nothing_else() -> None:
    assert candidates_of(SEARCH, seed=1) == candidates_of(SEARCH, lambda candidate: None, seed=1)
    assert not set(candidates_of(SEARCH, seed=1)) & set(candidates_of(SEARCH, seed=2))


def test_more_draws_begin_with_the_same_ones() -> None:
    assert candidates_of(SEARCH)[:10] == candidates_of(SEARCH.replace("count", 10))


def test_what_is_drawn_again_is_tried_once() -> None:
    drawn = candidates_of(RandomSearch(Integers("k", 1, 2), Choice("w", ["a", "b"]), count=100))
    assert sorted(tuple(candidate.values()) for candidate in drawn) == [(1, "a"), (1, "b"), (2, "a"), (2, "b")]


def test_nothing_to_draw_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="RandomSearch: distributions must be at least one, got none"):
        RandomSearch()
    with pytest.raises(ConfigurationError, match="RandomSearch: its paths must differ, got 'k' and 'k'"):
        RandomSearch(Integers("k", 1, 2), Integers("k", 1, 2))
