"""A task: one test of one candidate that a search asks for, and what became of it."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from enum import Enum

import numpy as np

from intemi.machines.interfaces import Floats

QUALITY_OF_FAILED = float("-inf")
"""What a candidate is rated whose test has failed: it was tested, and is not one of the best."""


class Outcome(Enum):
    """What became of a task."""

    WAITING = "waiting"
    FINISHED = "finished"
    TIMED_OUT = "timed out"
    FAILED = "failed"
    STOPPED = "stopped"
    """The search has ended before it."""


@dataclass(eq=False)
class Task:
    """A candidate that is to be tested. A search may hand the same task out again, after it has timed out."""

    candidate: Hashable
    """A configuration, or what stands for one in a knowledge base."""
    priority: float = 0.0
    """Of the tasks that wait, the one with the highest priority is run first."""
    limit: float | None = None
    """How many seconds of computing the test may take, in universal seconds."""
    expected: float | None = None
    """How many universal seconds the test was expected to take at first, if the strategy has asked for that."""
    attempt: int = 0
    outcome: Outcome = Outcome.WAITING
    results: Floats | None = None
    """The result of each split, once it has finished: the highest are best, so those of a loss are negated."""
    sign: int = 1
    """-1 if results are negated."""
    seconds: float = 0.0
    """What the test has cost this search in all attempts, in universal seconds."""
    took: float = 0.0
    """What the test took when it was run, by this search or an earlier one, in universal seconds."""
    number: int = 0
    """Its number among all tasks: in the order in which they were first handed out, unless the strategy gives one."""
    finished: int = 0
    """Its number in the order in which tasks have ended."""

    @property
    def quality(self) -> float:
        """The mean of the results.

        >>> Task("knn", outcome=Outcome.FINISHED, results=np.array([0.8, 0.9])).quality
        0.8500000000000001
        """
        assert self.results is not None, "only a task that has finished has a quality"
        return float(np.mean(self.results))
