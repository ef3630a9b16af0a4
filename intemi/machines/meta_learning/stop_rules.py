"""Rules that end a search before its time is up or its candidates are used up."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

from intemi.kernel import Component, parameter
from intemi.machines.meta_learning.task import Outcome, Task


class StopRule(Component):
    """Whether it is enough, by the tasks that have ended so far.

    Which these are depends on the order in which tests end, and so on the computer: a search with a rule is run for
    each request. Its tests are on record.
    """

    looks_at_clock = True

    @abstractmethod
    def is_met(self, finished: Sequence[Task]) -> bool:
        """Whether the search should end. `finished`: tasks in the order in which they have ended."""


class MaxTests(StopRule):
    """So many tests have ended, whatever became of them."""

    tests: int = parameter(at_least=1)

    def is_met(self, finished: Sequence[Task]) -> bool:
        return len(finished) >= self.tests


class TargetQuality(StopRule):
    """A candidate is as good as that: the measure is not below it, or not above it where the lowest value is best."""

    version = 2

    quality: float

    def is_met(self, finished: Sequence[Task]) -> bool:
        return any(task.quality >= task.sign * self.quality for task in finished if task.outcome is Outcome.FINISHED)


class NoImprovement(StopRule):
    """So many tests in a row were not better than the best before them, by more than `at_least`."""

    patience: int = parameter(default=30, at_least=1)
    at_least: float = parameter(default=0.0, at_least=0)

    def is_met(self, finished: Sequence[Task]) -> bool:
        best, since = float("-inf"), 0
        for task in finished:
            better = task.outcome is Outcome.FINISHED and task.quality > best + self.at_least
            best, since = (task.quality, 0) if better else (best, since + 1)
        return since >= self.patience


class MaxSeconds(StopRule):
    """Tests have cost so much, in universal seconds."""

    seconds: float = parameter(above=0)

    def is_met(self, finished: Sequence[Task]) -> bool:
        return sum(task.seconds for task in dict.fromkeys(finished)) >= self.seconds
