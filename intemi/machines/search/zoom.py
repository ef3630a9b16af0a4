"""Steps with zoom: what is best decides where, and how closely, to look next."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence

import numpy as np

from intemi.kernel import ConfigurationError, parameter
from intemi.machines.search.candidate import Candidate
from intemi.machines.search.scenario import Gathered, Proposals, Scenario
from intemi.machines.search.steps import Steps

DIGITS = 9
"""Positions are rounded, so that one that is reached by different ways is the same."""


class StepsWithZoom(Gathered, Scenario):
    """Steps in several stages. If the best value so far is inside of what was tried, the next stage looks more closely
    around it, `zoom` times; if it is at the border, the next steps are larger by as much, and go beyond.

    Several steps are taken at once: they are points on a line through the space of these parameters.

    >>> search = StepsWithZoom(Steps("x", start=0.0, step=1.0, count=5), stages=2).begin()
    >>> while batch := search.ask():
    ...     print([candidate["x"] for candidate in batch])
    ...     for candidate in batch:
    ...         search.tell(candidate, -abs(candidate["x"] - 1.5))
    [0.0, 1.0, 2.0, 3.0, 4.0]
    [0.5, 1.5]
    >>> search.best
    Candidate({'x': 1.5})
    """

    steps: tuple[Steps, ...]
    stages: int = parameter(default=3, at_least=1)
    zoom: float = parameter(default=2.0, above=1)

    def __init__(self, *steps: Steps, stages: int = 3, zoom: float = 2.0) -> None:
        self._gather(steps=steps, stages=stages, zoom=zoom)

    def check(self) -> None:
        super().check()
        self.check_apart()
        check_counts(self.kind, self.steps)
        if len({each.count for each in self.steps}) > 1:
            counts = ", ".join(f"{each.count} of {each.path}" for each in self.steps)
            raise ConfigurationError(f"StepsWithZoom: steps that are taken at once must be equally many, got {counts}")

    def propose(self, rng: np.random.Generator) -> Proposals:
        def point(position: float) -> Candidate:
            return Candidate({each.path: each.value(position) for each in self.steps})

        yield from search_line(point, range(self.steps[0].count), self.stages, self.zoom)


def check_counts(kind: str, all_steps: Sequence[Steps]) -> None:
    """Refuse steps of which none is inside."""
    for each in all_steps:
        if each.count < 3:
            raise ConfigurationError(
                f"{kind}: the count of its steps must be at least 3, got {each.count} ({each.path})"
            )


def search_line(
    point: Callable[[float], Candidate], positions: Sequence[float], stages: int, zoom: float
) -> Generator[Sequence[Candidate], Sequence[float], tuple[float, float]]:
    """Search along a line, from evenly spaced positions on; returns the best position and its objective."""
    tried: dict[float, float] = {}
    step = positions[1] - positions[0]
    while True:
        objectives = yield [point(position) for position in positions]
        for position, objective in zip(positions, objectives, strict=True):
            tried.setdefault(position, objective)
        best = max(tried, key=tried.__getitem__)
        stages -= 1
        if not stages:
            return best, tried[best]
        step = step * zoom if best in (min(tried), max(tried)) else step / zoom
        positions = around(best, step, len(positions))


def around(center: float, step: float, count: int) -> list[float]:
    """Evenly spaced positions with a center.

    >>> around(2.0, 0.5, 3), around(2.0, 0.5, 4)
    ([1.5, 2.0, 2.5], [1.25, 1.75, 2.25, 2.75])
    """
    return [round(center + (index - (count - 1) / 2) * step, DIGITS) for index in range(count)]
