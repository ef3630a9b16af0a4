"""The log of a search: every attempt to test a candidate, in the order in which they were started."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from intemi.machines.meta_learning.names import distinct_names
from intemi.machines.meta_learning.task import Outcome
from intemi.series import Series


@dataclass
class Attempt:
    """One attempt to test a candidate, and what became of it. Times are seconds since the search began."""

    candidate: Hashable
    number: int
    """1 for the first attempt to test this candidate."""
    expected: float | None
    """Universal seconds that the whole test was expected to take, if the strategy has asked for that."""
    started: float
    ended: float | None = None
    seconds: float = 0.0
    """Universal seconds that this attempt has cost; 0 if all of it was on record."""
    quality: float | None = None
    outcome: Outcome = Outcome.WAITING


def log_table(attempts: Sequence[Attempt]) -> Series:
    """The log as a table: quality, candidate, attempt, outcome, expected, seconds, started, ended.

    >>> done = Attempt("knn", 1, 0.5, started=0.1, ended=0.7, seconds=0.4, quality=0.9, outcome=Outcome.FINISHED)
    >>> log_table([done]).without("started", "ended")
    quality*  candidate  attempt  outcome   expected  seconds
         0.9  knn              1  finished       0.5      0.4
    1 row
    """
    names = distinct_names(each.candidate for each in attempts)
    return Series(
        {
            "quality": [each.quality for each in attempts],
            "candidate": [names[each.candidate] for each in attempts],
            "attempt": [each.number for each in attempts],
            "outcome": [each.outcome.value for each in attempts],
            "expected": [each.expected for each in attempts],
            "seconds": [each.seconds for each in attempts],
            "started": [each.started for each in attempts],
            "ended": [each.ended for each in attempts],
        }
    )
