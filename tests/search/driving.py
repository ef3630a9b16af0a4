"""A loop that asks and tells, as a machine would, and scenarios to put into it."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st

from intemi.kernel.encoding import digest, encode
from intemi.machines.search import (
    Candidate,
    Choice,
    Grid,
    InSequence,
    Integers,
    LogUniform,
    MultiLineSearch,
    RandomSearch,
    Scenario,
    Search,
    Steps,
    StepsWithZoom,
    Uniform,
    Values,
    Zip,
)

Objective = Callable[[Candidate], float | None]


def batches_of(
    scenario: Scenario, objective: Objective, seed: int = 0, shuffle: int | None = None
) -> tuple[list[list[Candidate]], Search]:
    """Search to the end; `shuffle` is the seed of the order in which the candidates of a batch are told."""
    search = scenario.begin(np.random.default_rng(seed))
    batches = []
    while batch := search.ask():
        batches.append(batch)
        order = list(batch)
        if shuffle is not None:
            random.Random(shuffle).shuffle(order)
        for candidate in order:
            search.tell(candidate, objective(candidate))
    return batches, search


def candidates_of(scenario: Scenario, objective: Objective = lambda candidate: 0.0, seed: int = 0) -> list[Candidate]:
    return [candidate for batch in batches_of(scenario, objective, seed)[0] for candidate in batch]


def rugged(candidate: Candidate) -> float | None:
    """An objective without any pattern, with ties and failures, that depends on nothing but the values."""
    drawn = digest(encode(tuple(candidate.values())))[0] % 8
    return None if drawn == 7 else float(drawn)


def steps(path: str, least: int = 1) -> st.SearchStrategy[Steps]:
    return st.one_of(
        st.builds(Steps, st.just(path), st.integers(-9, 9), st.integers(1, 4), st.integers(least, 5)),
        st.builds(Steps, st.just(path), st.just(0.5), st.just(0.25), st.integers(least, 5)),
        st.builds(Steps, st.just(path), st.integers(-3, 3), st.integers(1, 2), st.integers(least, 5), base=st.just(2)),
    )


def values(path: str) -> st.SearchStrategy[Values]:
    return st.builds(Values, st.just(path), st.lists(st.sampled_from(["a", "b", 1, 1.0, None]), min_size=1, max_size=4))


def flat(path: str) -> st.SearchStrategy[Scenario]:
    """Scenarios of one parameter that draw nothing and need no feedback."""
    return st.one_of(steps(path), values(path))


def draws(path: str) -> st.SearchStrategy[Scenario]:
    distributions: list[Any] = [
        Uniform(path, 0, 1),
        LogUniform(path, 0.01, 10),
        Integers(path, 1, 3),
        Choice(path, ["a", 2]),
    ]
    return st.builds(
        lambda chosen, count: RandomSearch(chosen, count=count), st.sampled_from(distributions), st.integers(1, 5)
    )


def zooms(path: str) -> st.SearchStrategy[Scenario]:
    return st.builds(lambda each, stages: StepsWithZoom(each, stages=stages), steps(path, least=3), st.integers(1, 3))


def lines(path: str) -> st.SearchStrategy[Scenario]:
    return st.builds(
        lambda first, second, rounds: MultiLineSearch(first, second, rounds=rounds),
        steps(f"{path}.x", least=3),
        steps(f"{path}.y", least=3),
        st.integers(1, 2),
    )


def single(path: str) -> st.SearchStrategy[Scenario]:
    return st.one_of(flat(path), draws(path), zooms(path), lines(path))


def pairs(path: str) -> st.SearchStrategy[Scenario]:
    return st.one_of(
        st.builds(Zip, st.just(Steps(f"{path}.a", 0, 1, 3)), st.just(Values(f"{path}.b", ["x", "y", "z"]))),
        st.builds(Grid, single(f"{path}.a"), flat(f"{path}.b") | zooms(f"{path}.b")),
        st.builds(InSequence, single(f"{path}.a"), single(f"{path}.b")),
    )


def scenarios() -> st.SearchStrategy[Scenario]:
    """Any scenario, stacked up to two deep."""
    return st.one_of(
        single("p"),
        pairs("p"),
        st.builds(Grid, pairs("p"), flat("q") | draws("q")),
        st.builds(InSequence, pairs("p"), pairs("q")),
    )
