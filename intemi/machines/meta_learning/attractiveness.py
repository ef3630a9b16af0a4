"""Attractiveness: how promising candidates are, in the light of what was tested, as factors that bend an order.

An `Attractiveness` is a configuration; `begin` gives a `Judgement`, which has the state of one search. Factors are
greater than 1 for what is more promising than others, 1 for what nothing is known of, and bounded.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Hashable, Iterator
from dataclasses import dataclass

import numpy as np

from intemi.kernel import Component, parameter
from intemi.machines.meta_learning.generators import Generator, Item
from intemi.machines.meta_learning.strategy import Setting
from intemi.machines.meta_learning.task import Task

BETA = 0.7
"""By how much a standard deviation of quality changes the logarithm of a factor."""
MAX_FACTOR = 8.0
"""The largest factor; the least is its inverse."""


@dataclass(frozen=True)
class Candidate:
    """A candidate, and by which generators it was made, if it was."""

    configuration: Hashable
    item: Item | None = None


class Attractiveness(Component):
    """How to judge candidates."""

    @abstractmethod
    def begin(self, setting: Setting) -> Judgement:
        """The beginning of a search."""


class Judgement(ABC):
    """What one search has learned of its candidates."""

    @abstractmethod
    def score(self, candidate: Candidate) -> float:
        """How promising a candidate is: 1 if nothing is known of it."""

    @abstractmethod
    def analyze(self, candidate: Candidate, task: Task) -> bool:
        """Learn from a test that has finished; whether scores have changed."""


class Neutral(Attractiveness):
    """All candidates are equally promising."""

    def begin(self, setting: Setting) -> Judgement:
        return _Nothing()


class _Nothing(Judgement):
    def score(self, candidate: Candidate) -> float:
        return 1.0

    def analyze(self, candidate: Candidate, task: Task) -> bool:
        return False


class GeneratorCredit(Attractiveness):
    """Generators whose candidates were better than others are trusted more.

    The factor of a generator is exp(beta z n / (n + prior)), where z is by how many standard deviations the mean
    quality of its n tested candidates is above that of all; that of a candidate is the product over all generators
    that it has passed.
    """

    beta: float = parameter(default=BETA, at_least=0)
    prior: float = parameter(default=5.0, above=0)

    def begin(self, setting: Setting) -> Judgement:
        return _Credits(self)


class _Credits(Judgement):
    def __init__(self, module: GeneratorCredit) -> None:
        self._module = module
        self._qualities: list[float] = []
        self._by_generator: dict[Generator, list[float]] = defaultdict(list)

    def score(self, candidate: Candidate) -> float:
        if candidate.item is None or len(self._qualities) < 2:
            return 1.0
        return bounded(math.exp(sum(map(self._credit, set(_passed(candidate.item))))))

    def _credit(self, generator: Generator) -> float:
        own = self._by_generator.get(generator)
        if not own:
            return 0.0
        z = (np.mean(own) - np.mean(self._qualities)) / (np.std(self._qualities) + 1e-6)
        return float(self._module.beta * z * len(own) / (len(own) + self._module.prior))

    def analyze(self, candidate: Candidate, task: Task) -> bool:
        self._qualities.append(task.quality)
        if candidate.item is not None:
            for generator in set(_passed(candidate.item)):
                self._by_generator[generator].append(task.quality)
        return True


def bounded(factor: float) -> float:
    """A factor within its bounds.

    >>> bounded(20.0), bounded(1.5), bounded(0.01)
    (8.0, 1.5, 0.125)
    """
    return min(max(factor, 1 / MAX_FACTOR), MAX_FACTOR)


def _passed(item: Item) -> Iterator[Generator]:
    """The generators that an item, and whatever it was made of, has passed."""
    yield item.origin
    for parent in item.parents:
        yield from _passed(parent)
