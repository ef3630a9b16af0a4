"""A search on its way: what was asked, what was told, what is next."""

from __future__ import annotations

import math
from collections.abc import Generator, Mapping, Sequence
from typing import Any

from intemi.machines.search.candidate import Candidate
from intemi.machines.search.errors import ScenarioError


class Search:
    """Ask for candidates, tell their objectives, until there are no more.

    The candidates of one batch may be tried in any order, or at once. No candidate is asked for twice.

    >>> from intemi.machines.search import Steps
    >>> search = Steps("knn.k", start=1, step=2, count=3).begin()
    >>> batch = search.ask()
    >>> batch
    [Candidate({'knn.k': 1}), Candidate({'knn.k': 3}), Candidate({'knn.k': 5})]
    >>> for candidate, accuracy in zip(batch, [0.8, None, 0.9], strict=True):
    ...     search.tell(candidate, accuracy)
    >>> search.ask(), search.best
    ([], Candidate({'knn.k': 5}))
    """

    def __init__(self, proposals: Generator[Sequence[Candidate], Sequence[float], Any]) -> None:
        self._proposals = proposals
        self._batch: Sequence[Candidate] | None = None
        self._asked: dict[Candidate, float | None] = {}
        self._waiting: set[Candidate] = set()

    def ask(self) -> list[Candidate]:
        """Everything that can be tried now; nothing if the search is over. All of it must be told before the next."""
        if self._waiting:
            first = next(candidate for candidate in self._asked if candidate in self._waiting)
            raise ScenarioError(
                f"Search: {len(self._waiting)} candidates must be told before more are asked for, the first is {first}"
            )
        while True:
            try:
                self._batch = self._next_batch()
            except StopIteration:
                return []
            fresh = dict.fromkeys(candidate for candidate in self._batch if candidate not in self._asked)
            if fresh:
                self._asked |= fresh
                self._waiting = set(fresh)
                return list(fresh)

    def _next_batch(self) -> Sequence[Candidate]:
        if self._batch is None:
            return next(self._proposals)
        known = [self._asked[candidate] for candidate in self._batch]
        return self._proposals.send([-math.inf if objective is None else objective for objective in known])

    def tell(self, candidate: Candidate, objective: float | None) -> None:
        """How good a candidate is: the larger the better. None (or NaN) says that it failed: nothing is worse."""
        if candidate not in self._waiting:
            state = "has been told already" if candidate in self._asked else "was not asked for"
            raise ScenarioError(f"Search: {candidate} {state}")
        if objective is not None:
            try:
                objective = float(objective)
            except (TypeError, ValueError):
                raise ScenarioError(f"Search: an objective must be a number or None, got {objective!r}") from None
            if math.isnan(objective):
                objective = None
        self._asked[candidate] = objective
        self._waiting.remove(candidate)

    @property
    def told(self) -> Mapping[Candidate, float | None]:
        """The objective of every candidate that was told, in the order in which they were asked for."""
        return {candidate: value for candidate, value in self._asked.items() if candidate not in self._waiting}

    @property
    def best(self) -> Candidate | None:
        """The best so far, of equal ones the first that was asked for; None if all failed."""
        found = {candidate: value for candidate, value in self.told.items() if value is not None}
        return max(found, key=found.__getitem__, default=None)
