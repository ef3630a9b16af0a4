"""Multi-line search: along one parameter after another, then along the way that these steps have led."""

from __future__ import annotations

import math
from collections.abc import Generator, Sequence

import numpy as np

from intemi.kernel import parameter
from intemi.machines.search.candidate import Candidate
from intemi.machines.search.scenario import Gathered, Proposals, Scenario
from intemi.machines.search.steps import Steps
from intemi.machines.search.zoom import DIGITS, around, check_counts, search_line

Place = tuple[float, ...]


class MultiLineSearch(Gathered, Scenario):
    """Steps with zoom along each parameter in turn, the others staying where they are best; they begin in the middle of
    their steps. After each round, the line from where it began to where it ended is searched as well, a direction that
    no parameter has by itself. It ends after `rounds`, or with one that found nothing better.

    Grids of many parameters are large; the lines grow with their number only, but may end in a place that is merely
    better than all places around it.

    >>> x, y = Steps("x", start=0, step=1, count=5), Steps("y", start=0, step=1, count=5)
    >>> search = MultiLineSearch(x, y, stages=1).begin()
    >>> while batch := search.ask():
    ...     print([tuple(candidate.values()) for candidate in batch])
    ...     for candidate in batch:
    ...         search.tell(candidate, -abs(candidate["x"] - 3) - abs(candidate["y"] - 2))
    [(0, 2), (1, 2), (2, 2), (3, 2), (4, 2)]
    [(3, 0), (3, 1), (3, 3), (3, 4)]
    >>> search.best
    Candidate({'x': 3, 'y': 2})
    """

    steps: tuple[Steps, ...]
    rounds: int = parameter(default=3, at_least=1)
    stages: int = parameter(default=2, at_least=1)
    zoom: float = parameter(default=2.0, above=1)

    def __init__(self, *steps: Steps, rounds: int = 3, stages: int = 2, zoom: float = 2.0) -> None:
        self._gather(steps=steps, rounds=rounds, stages=stages, zoom=zoom)

    def check(self) -> None:
        super().check()
        self.check_apart()
        check_counts(self.kind, self.steps)

    def propose(self, rng: np.random.Generator) -> Proposals:
        place: Place = tuple(float((each.count - 1) // 2) for each in self.steps)
        objective = -math.inf
        for _ in range(self.rounds):
            begin, known = place, objective
            for axis, each in enumerate(self.steps):
                direction = tuple(float(axis == other) for other in range(len(self.steps)))
                positions = [round(index - place[axis], DIGITS) for index in range(each.count)]
                place, objective = yield from self._along(place, objective, direction, positions)
            way = tuple(end - start for start, end in zip(begin, place, strict=True))
            if sum(map(bool, way)) > 1:
                ahead = around(0.0, 1.0, max(each.count for each in self.steps))
                place, objective = yield from self._along(place, objective, way, ahead)
            if objective <= known:
                return

    def _along(
        self, place: Place, objective: float, direction: Place, positions: Sequence[float]
    ) -> Generator[Sequence[Candidate], Sequence[float], tuple[Place, float]]:
        """Search the line through a place; returns where it is best, the place itself if nowhere is better."""

        def moved(position: float) -> Place:
            return tuple(round(at + position * by, DIGITS) for at, by in zip(place, direction, strict=True))

        def point(position: float) -> Candidate:
            here = moved(position)
            return Candidate({each.path: each.value(at) for each, at in zip(self.steps, here, strict=True)})

        best, found = yield from search_line(point, positions, self.stages, self.zoom)
        return (moved(best), found) if found > objective else (place, objective)
