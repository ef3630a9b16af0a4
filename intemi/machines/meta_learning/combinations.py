"""Combinations: which items of several sources are put together."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from intemi.kernel import Component, ConfigurationError, parameter
from intemi.machines.meta_learning.task import QUALITY_OF_FAILED

if TYPE_CHECKING:
    from intemi.machines.meta_learning.generators import Arrivals, Item, Ratings


class Combination(Component):
    """Says which items of the sources are combined, one of each; those of items that were there before, once."""

    @abstractmethod
    def combined(self, arrivals: Sequence[Arrivals], ratings: Ratings) -> Iterator[tuple[Item, ...]]:
        """New combinations, in the order of the sources."""


class EveryPair(Combination):
    """Every item of each source with every item of the others; the first source is the outer loop."""

    def combined(self, arrivals: Sequence[Arrivals], ratings: Ratings) -> Iterator[tuple[Item, ...]]:
        for places in product(*(range(len(each.items)) for each in arrivals)):
            if any(place >= each.seen for place, each in zip(places, arrivals, strict=True)):
                yield tuple(each.items[place] for place, each in zip(places, arrivals, strict=True))


class InParallel(Combination):
    """The first items of all sources, then the second ones, and so on. There must be equally many."""

    def combined(self, arrivals: Sequence[Arrivals], ratings: Ratings) -> Iterator[tuple[Item, ...]]:
        lengths = [len(each.items) for each in arrivals]
        if len(set(lengths)) > 1:
            raise ConfigurationError(
                f"{self.kind}: sources must produce equally many items, got {', '.join(map(str, lengths))}"
            )
        start = min(each.seen for each in arrivals)
        yield from zip(*(each.items[start:] for each in arrivals), strict=True)


class Sampled(Combination):
    """Some of all new combinations, drawn at random; the same ones for the same seed."""

    count: int = parameter(at_least=1)
    draw: int = parameter(default=0, at_least=0)
    """The seed of the choice."""

    def combined(self, arrivals: Sequence[Arrivals], ratings: Ratings) -> Iterator[tuple[Item, ...]]:
        every = list(EveryPair().combined(arrivals, ratings))
        chosen = np.random.default_rng(self.draw).permutation(len(every))[: self.count]
        yield from (every[place] for place in sorted(chosen))


class OfTheBest(Combination):
    """Every combination of the best items of each source, as far as something is known of them."""

    looks_at_clock = True  # what is the best so far depends on the order in which tests end

    count: int = parameter(default=3, at_least=1)

    def combined(self, arrivals: Sequence[Arrivals], ratings: Ratings) -> Iterator[tuple[Item, ...]]:
        best = []
        for each in arrivals:
            rated = [item for item in each.items if ratings.get(item, QUALITY_OF_FAILED) > QUALITY_OF_FAILED]
            best.append(sorted(rated, key=lambda item: -ratings[item])[: self.count])
        yield from product(*best)
