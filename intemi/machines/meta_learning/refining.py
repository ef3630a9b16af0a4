"""Generators that look at what was found: candidates near the best ones, and committees of them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache
from itertools import islice
from typing import Any

from intemi.kernel import Machine, parameter
from intemi.machines.committees.decision_rules import Average, Vote
from intemi.machines.committees.tie_rules import LargestMeanProbability
from intemi.machines.committees.voting import Voting
from intemi.machines.meta_learning.calibration import signature
from intemi.machines.meta_learning.generators import Arrivals, Generator, Item, Ratings
from intemi.machines.meta_learning.task import QUALITY_OF_FAILED
from intemi.machines.search.defaults import default_values

MAX_REMEMBERED = 4096
"""Candidates whose neighbours are remembered: they are asked for again after every test."""
ON_RECORD = 100.0
"""How attractive a committee is whose members were trained for other tests: it takes a fraction of what they took."""
RULES = (Vote(), Average())
"""How committees decide: some learners are better than the probabilities that they give, others are not."""


class Neighbours(Generator):
    """Candidates with one parameter changed by one step of its default range: first of the best, then of the next.

    It begins when a `share` of what its source produced was tested, and produces `count` new candidates at a time. In a
    `Cycle` that is a best-first search: neighbours that were tested have neighbours themselves.

    >>> from intemi.machines import Logistic
    >>> from intemi.machines.meta_learning import Flow, Set
    >>> flow = Flow((Neighbours(Set((Logistic(C=1.0),))),)).begin()
    >>> flow.poll()
    []
    """

    looks_at_clock = True  # what is the best so far depends on the order in which tests end

    source: Generator
    count: int = parameter(default=8, at_least=1)
    share: float = parameter(default=0.9, at_least=0, at_most=1)
    without: tuple[str, ...] = ()
    """Parameters that are not changed: patterns of their paths, in which "*" stands for anything."""

    @property
    def sources(self) -> tuple[Generator, ...]:
        return (self.source,)

    def produce(self, arrivals: Sequence[Arrivals], ratings: Ratings) -> Iterator[Item]:
        [source] = arrivals
        if _tested_share(source.items, ratings) >= self.share:
            rated = best_first(source.items, ratings)
            yield from (Item(each, self) for each in islice(self._unknown_near(rated, source.items), self.count))

    def _unknown_near(self, rated: Sequence[Item], items: Sequence[Item]) -> Iterator[Machine]:
        known = {item.configuration.digest for item in items}
        for item in rated:
            for each in neighbours(item.configuration, self.without):
                if each.digest not in known:
                    known.add(each.digest)
                    yield each


class CommitteesOfTheBest(Generator):
    """Committees of the best candidates, and of the best candidates of the best kinds, as many as `sizes` say.

    Their members were tested, so their models are on record: a committee costs no more than its answers, and comes
    earlier than the sum of what its members take would let it.

    >>> from intemi.machines import KNN, NaiveBayes
    >>> from intemi.machines.meta_learning import Flow, Set
    >>> flow = Flow((CommitteesOfTheBest(Set((KNN(), NaiveBayes())), sizes=(2,)),)).begin()
    >>> flow.poll()
    []
    """

    looks_at_clock = True  # as above

    source: Generator
    sizes: tuple[int, ...] = (3, 5)
    share: float = parameter(default=0.7, at_least=0, at_most=1)

    @property
    def sources(self) -> tuple[Generator, ...]:
        return (self.source,)

    def produce(self, arrivals: Sequence[Arrivals], ratings: Ratings) -> Iterator[Item]:
        [source] = arrivals
        if _tested_share(source.items, ratings) < self.share:
            return
        rated = best_first(source.items, ratings)
        kinds: dict[str, Item] = {}
        for item in rated:
            kinds.setdefault(signature(item.configuration), item)
        for size in self.sizes:
            for chosen in (rated[:size], list(kinds.values())[:size]):
                if len(chosen) == size:
                    learners = tuple(item.configuration for item in chosen)
                    for rule in RULES:
                        committee = Voting(learners, rule, LargestMeanProbability())
                        yield Item(committee, self, attractiveness=ON_RECORD)


def best_first(items: Sequence[Item], ratings: Ratings) -> list[Item]:
    """Items whose tests have finished, the best first, and the first of equal ones."""
    finished = [item for item in items if ratings.get(item, QUALITY_OF_FAILED) > QUALITY_OF_FAILED]
    return sorted(finished, key=lambda item: -ratings[item])


def _tested_share(items: Sequence[Item], ratings: Ratings) -> float:
    """The share of items that were tested, whether their tests have finished or failed."""
    return sum(item in ratings for item in items) / max(len(items), 1)


@lru_cache(maxsize=MAX_REMEMBERED)
def neighbours(candidate: Machine, without: tuple[str, ...] = ()) -> tuple[Machine, ...]:
    """The candidate with one parameter changed to the next value, up or down, of its default range.

    >>> from intemi.machines import Logistic
    >>> [each.C for each in neighbours(Logistic(C=1.0))]
    [0.1, 10.0]
    """
    return tuple(
        candidate.replace(path, value)
        for path, values in default_values(candidate).items()
        if not any(fnmatchcase(path, pattern) for pattern in without)
        for value in _next_to(candidate.get(path), values)
    )


def _next_to(present: Any, values: tuple[Any, ...]) -> list[Any]:
    """The next lower and the next higher value; all others, if they are no numbers."""
    if not all(_is_number(value) for value in (present, *values)):
        return [value for value in values if value != present]
    lower = [value for value in values if value < present and not math.isclose(value, present)]
    higher = [value for value in values if value > present and not math.isclose(value, present)]
    return [*([max(lower)] if lower else []), *([min(higher)] if higher else [])]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
