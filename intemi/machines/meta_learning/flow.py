"""A flow of generators on its way: what was produced so far, what is new, what became of it."""

from __future__ import annotations

from collections.abc import Iterator

from intemi.kernel import Component
from intemi.machines.meta_learning.generators import Arrivals, Cycle, Generator, Item, Loop


class Flow(Component):
    """Generators whose items are candidates, in the order in which they are produced; equal ones once."""

    outputs: tuple[Generator, ...]

    def begin(self) -> FlowRun:
        """A new run of the flow."""
        return FlowRun(self)


class FlowRun:
    """Produces candidates, as many at a time as are asked for."""

    def __init__(self, flow: Flow) -> None:
        self._flow = flow
        self._order = list(dict.fromkeys(each for output in flow.outputs for each in _sources_first(output)))
        self._produced: dict[Generator, dict[bytes, Item]] = {each: {} for each in self._order}
        self._seen: dict[tuple[Generator, int], int] = {}
        self._emitted: dict[bytes, Item] = {}
        self._buffer: list[Item] = []
        self.ratings: dict[Item, float] = {}
        """The best quality of what was made of an item."""
        self._cycles = {each.name: each for each in self._order if isinstance(each, Cycle)}

    def poll(self, most: int | None = None) -> list[Item]:
        """New candidates, at most so many; the others are kept for the next time."""
        if most is None or len(self._buffer) < most:
            self._produce()
            for output in self._flow.outputs:
                for digest, item in self._produced[output].items():
                    if digest not in self._emitted:
                        self._emitted[digest] = item
                        self._buffer.append(item)
        given, self._buffer = self._buffer[:most], self._buffer[len(self._buffer[:most]) :]
        return given

    def rate(self, item: Item, quality: float) -> None:
        """Say how good a candidate is; everything that it was made of is at least as promising."""
        known = self.ratings.get(item)
        self.ratings[item] = quality if known is None else max(known, quality)
        for parent in item.parents:
            self.rate(parent, quality)

    def _produce(self) -> None:
        """Let every generator produce, until a cycle, if there is one, has nothing new."""
        while True:
            count = sum(map(len, self._produced.values()))
            for generator in self._order:
                self._let_produce(generator)
            if not self._cycles or sum(map(len, self._produced.values())) == count:
                return

    def _let_produce(self, generator: Generator) -> None:
        known = self._produced[generator]
        if isinstance(generator, Loop):
            cycle = self._cycles[generator.name]
            fed = self._produced[cycle].items()
            known.update({digest: item for digest, item in fed if item.depth < cycle.max_depth})
            return
        arrivals = []
        for place, source in enumerate(generator.sources):
            items = list(self._produced[source].values())
            arrivals.append(Arrivals(items, self._seen.get((generator, place), 0)))
            self._seen[generator, place] = len(items)
        for item in generator.produce(arrivals, self.ratings):
            known.setdefault(item.configuration.digest, item)


def _sources_first(generator: Generator) -> Iterator[Generator]:
    for source in generator.sources:
        yield from _sources_first(source)
    yield generator
