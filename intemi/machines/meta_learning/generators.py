"""Generators: where candidates come from. A generator may take what others produce, and so they form a flow.

A generator is a configuration. It refers to the generators it takes items from, so a flow is written as an expression;
equal generators are one. What has been produced so far is the business of `flow`.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from intemi.kernel import Component, Machine, parameter
from intemi.machines.meta_learning.combinations import Combination, EveryPair
from intemi.machines.tuning import FIVE_FOLDS, default_ranges, tuned_by


@dataclass(frozen=True, eq=False)
class Item:
    """A configuration that was produced, and by what from what."""

    configuration: Machine
    origin: Generator
    parents: tuple[Item, ...] = ()
    attractiveness: float = 1.0
    """More than 1 if its test should come earlier than its complexity says."""

    @property
    def depth(self) -> int:
        """How many generators it has passed after the first."""
        return 1 + max(parent.depth for parent in self.parents) if self.parents else 0


@dataclass(frozen=True)
class Arrivals:
    """What a source of a generator has produced: everything so far, and how much of it was there the last time."""

    items: Sequence[Item]
    seen: int = 0


Ratings = Mapping[Item, float]
"""The best quality of what was made of an item, as far as it is known."""


class Generator(Component):
    """Produces configurations from those of its sources. Write `sources` and `produce`, or `produce` alone."""

    @property
    def sources(self) -> tuple[Generator, ...]:
        """The generators whose items it takes."""
        return ()

    @abstractmethod
    def produce(self, arrivals: Sequence[Arrivals], ratings: Ratings) -> Iterator[Item]:
        """New items, given what the sources have produced. Those that were produced before are dropped.

        It is asked again and again, so it may produce more in the light of the ratings.
        """


class Set(Generator):
    """A set of configurations, in their order.

    >>> from intemi.machines import KNN, NaiveBayes
    >>> [item.configuration.kind for item in Set((KNN(), NaiveBayes())).produce([], {})]
    ['KNN', 'NaiveBayes']
    """

    configurations: tuple[Machine, ...]

    def produce(self, arrivals: Sequence[Arrivals], ratings: Ratings) -> Iterator[Item]:
        for configuration in self.configurations:
            yield Item(configuration, self)


class Filled(Generator):
    """A template whose placeholders are filled by what other generators produce.

    >>> from intemi.machines import KNN, NaiveBayes, Normalization, Standardization, TransformAndClassify
    >>> from intemi.machines.meta_learning import Flow
    >>> learners, scalings = Set((KNN(), NaiveBayes())), Set((Standardization(), Normalization()))
    >>> both = Filled(TransformAndClassify(), {"transformation": scalings, "learner": learners})
    >>> len(Flow((learners, both)).begin().poll())
    6
    """

    template: Machine
    slots: Mapping[str, Generator]
    """For each placeholder, by name or path, where its fillings come from; the first of the template's varies last."""
    combination: Combination = EveryPair()

    @property
    def paths(self) -> list[str]:
        """The placeholders that are filled, in the order of the template's parts."""
        parts = list(self.template.part_names())
        return sorted(self.slots, key=lambda path: parts.index(re.split("[./]", path)[0]))

    @property
    def sources(self) -> tuple[Generator, ...]:
        return tuple(self.slots[path] for path in self.paths)

    def check(self) -> None:
        for path in self.slots:
            self.template.get(path)  # says what is there, if this is not

    def produce(self, arrivals: Sequence[Arrivals], ratings: Ratings) -> Iterator[Item]:
        paths = self.paths
        for parents in self.combination.combined(arrivals, ratings):
            fillings = {path: parent.configuration for path, parent in zip(paths, parents, strict=True)}
            yield Item(self.template.fill(fillings), self, parents)


class Tuned(Generator):
    """What another generator produces, each with parameters that are chosen by an inner test in its default ranges.

    What has nothing to tune is produced as a search that chooses nothing: it takes what the learner alone takes.

    >>> from intemi.machines import KNN, Majority
    >>> from intemi.machines.meta_learning import Flow
    >>> tuned = Tuned(Set((KNN(), Majority())), only=("*k",), max_values=3)
    >>> [item.configuration.scenario.begin().ask() for item in Flow((tuned,)).begin().poll()]  # doctest: +ELLIPSIS
    [[Candidate({'test/learner.k': 1}), Candidate({'test/learner.k': 9}), ...], [Candidate({})]]
    """

    source: Generator
    only: tuple[str, ...] = ("*",)
    """Which parameters: patterns of their paths, in which "*" stands for anything."""
    max_values: int | None = parameter(default=None, at_least=1)
    """How many values of one parameter are tried; evenly spaced ones if there are more."""
    distributor: Machine = FIVE_FOLDS
    """The splits of the inner test."""
    measure: str = "Accuracy"

    @property
    def sources(self) -> tuple[Generator, ...]:
        return (self.source,)

    def produce(self, arrivals: Sequence[Arrivals], ratings: Ratings) -> Iterator[Item]:
        [source] = arrivals
        for item in source.items[source.seen :]:
            learner = item.configuration
            scenario = default_ranges(learner, self.only, self.max_values)
            yield Item(tuned_by(scenario, learner, self.distributor, self.measure), self, (item,))


class Loop(Generator):
    """Inside of a `Cycle` of the same name: what that has produced so far."""

    name: str = "loop"

    def produce(self, arrivals: Sequence[Arrivals], ratings: Ratings) -> Iterator[Item]:
        return iter(())


class Cycle(Generator):
    """Feeds what a generator produces back to it, wherever there is a `Loop` of the same name in it, down to a depth.

    >>> from intemi.machines import KNN, Standardization, TransformAndClassify
    >>> from intemi.machines.meta_learning import Flow
    >>> slots = {"transformation": Set((Standardization(),)), "learner": Union((Set((KNN(),)), Loop()))}
    >>> len(Flow((Cycle(Filled(TransformAndClassify(), slots), max_depth=3),)).begin().poll())
    3
    """

    body: Generator
    name: str = "loop"
    max_depth: int = parameter(default=4, at_least=1)

    @property
    def sources(self) -> tuple[Generator, ...]:
        return (self.body,)

    def produce(self, arrivals: Sequence[Arrivals], ratings: Ratings) -> Iterator[Item]:
        [body] = arrivals
        yield from (item for item in body.items[body.seen :] if item.depth <= self.max_depth)


class Union(Generator):
    """Everything that some generators produce."""

    parts: tuple[Generator, ...]

    @property
    def sources(self) -> tuple[Generator, ...]:
        return self.parts

    def produce(self, arrivals: Sequence[Arrivals], ratings: Ratings) -> Iterator[Item]:
        for each in arrivals:
            yield from each.items[each.seen :]
