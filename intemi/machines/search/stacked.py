"""Scenarios made of scenarios: one after another, each with each, side by side.

Any scenario can be stacked, also one that waits for feedback: a stack proposes what its parts can propose by now.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Generator, Sequence

import numpy as np

from intemi.kernel import ConfigurationError
from intemi.machines.search.candidate import Candidate
from intemi.machines.search.scenario import Gathered, Proposals, Scenario


class Stacked(Gathered, Scenario):
    """Scenarios that make one together. Subclasses write `propose`, and `__init__` again for type checkers."""

    scenarios: tuple[Scenario, ...]

    def __init__(self, *scenarios: Scenario) -> None:
        self._gather(scenarios=scenarios)

    def _generators(self, rng: np.random.Generator) -> Sequence[np.random.Generator]:
        """One for each, so that what one draws does not depend on how often another does."""
        return rng.spawn(len(self.scenarios)) if self.is_random else [rng] * len(self.scenarios)


class InSequence(Stacked):
    """All that the first proposes, then all that the second proposes, and so on; they do not wait for each other.

    >>> from intemi.machines.search import Steps
    >>> InSequence(Steps("k", start=1, step=1, count=2), Steps("m", start=7, step=1, count=1)).begin().ask()
    [Candidate({'k': 1}), Candidate({'k': 2}), Candidate({'m': 7})]
    """

    def __init__(self, *scenarios: Scenario) -> None:
        self._gather(scenarios=scenarios)

    def propose(self, rng: np.random.Generator) -> Proposals:
        generators = self._generators(rng)
        yield from _together([each.propose(own) for each, own in zip(self.scenarios, generators, strict=True)])


class Grid(Stacked):
    """Each candidate of the first with each of the second, and so on; those of the last change fastest.

    If a later one depends on feedback, it is searched anew for each candidate of those before; an earlier one is told
    the best objective that was found with each of its candidates.

    >>> from intemi.machines.search import Steps
    >>> Grid(Steps("k", start=1, step=1, count=2), Steps("m", start=7, step=1, count=2)).begin().ask()
    [Candidate({'k': 1, 'm': 7}), Candidate({'k': 1, 'm': 8}), Candidate({'k': 2, 'm': 7}), Candidate({'k': 2, 'm': 8})]
    """

    def __init__(self, *scenarios: Scenario) -> None:
        self._gather(scenarios=scenarios)

    def check(self) -> None:
        super().check()
        self.check_apart()

    def propose(self, rng: np.random.Generator) -> Proposals:
        yield from _each_with_each(self.scenarios, self._generators(rng))


class Zip(Stacked):
    """The first candidates of all, the second ones of all, and so on; all must propose equally many.

    >>> from intemi.machines.search import Steps
    >>> Zip(Steps("k", start=1, step=1, count=2), Steps("m", start=7, step=1, count=2)).begin().ask()
    [Candidate({'k': 1, 'm': 7}), Candidate({'k': 2, 'm': 8})]
    """

    def __init__(self, *scenarios: Scenario) -> None:
        self._gather(scenarios=scenarios)

    def check(self) -> None:
        super().check()
        self.check_apart()
        unused = np.random.default_rng(0)
        self._check_lengths({each: next(each.propose(unused), ()) for each in self.scenarios if not each.is_random})

    def _check_lengths(self, batches: dict[Scenario, Sequence[Candidate]]) -> None:
        if len({len(batch) for batch in batches.values()}) > 1:
            counts = ", ".join(f"{len(batch)} of {scenario}" for scenario, batch in batches.items())
            raise ConfigurationError(f"Zip: its scenarios must give equally many candidates, got {counts}")

    def propose(self, rng: np.random.Generator) -> Proposals:
        generators = self._generators(rng)
        parts = [each.propose(own) for each, own in zip(self.scenarios, generators, strict=True)]
        batches = [next(part, ()) for part in parts]
        while any(batches):
            self._check_lengths(dict(zip(self.scenarios, batches, strict=True)))
            objectives = yield [_merged(row) for row in zip(*batches, strict=True)]
            batches = [_next_batch(part, objectives) or () for part in parts]


def _merged(candidates: Sequence[Candidate]) -> Candidate:
    return Candidate({path: value for candidate in candidates for path, value in candidate.items()})


def _next_batch(part: Proposals, objectives: Sequence[float]) -> Sequence[Candidate] | None:
    try:
        return part.send(objectives)
    except StopIteration:
        return None


def _together(parts: Sequence[Proposals]) -> Generator[Sequence[Candidate], Sequence[float], list[float]]:
    """Several as one: each batch holds the next batch of all that have one. Returns the best objective of each."""
    best = [-math.inf] * len(parts)
    batches = {index: batch for index, part in enumerate(parts) if (batch := next(part, None)) is not None}
    while batches:
        objectives = yield [candidate for batch in batches.values() for candidate in batch]
        following = {}
        end = 0
        for index, batch in batches.items():
            begin, end = end, end + len(batch)
            own = objectives[begin:end]
            best[index] = max([best[index], *own])
            if (batch_after := _next_batch(parts[index], own)) is not None:
                following[index] = batch_after
        batches = following
    return best


def _each_with_each(scenarios: Sequence[Scenario], generators: Sequence[np.random.Generator]) -> Proposals:
    if not scenarios:
        yield [Candidate()]
        return
    # A scenario that is begun several times draws the same each time: otherwise it would be no grid.
    first = scenarios[0].propose(copy.deepcopy(generators[0]))
    batch: Sequence[Candidate] | None = next(first, None)
    while batch is not None:
        inner = [_each_with(candidate, _each_with_each(scenarios[1:], generators[1:])) for candidate in batch]
        best = yield from _together(inner)
        batch = _next_batch(first, best)


def _each_with(candidate: Candidate, others: Proposals) -> Proposals:
    batch: Sequence[Candidate] | None = next(others, None)
    while batch is not None:
        objectives = yield [candidate | other for other in batch]
        batch = _next_batch(others, objectives)
