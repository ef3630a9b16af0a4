"""Stamps: results that say of a machine that it was not fair, and what must not be said of such machines.

A machine leaves a result "Leak" if targets of test data had reached what it learned from, "Oracle" if it looked at them
on purpose, and "Unverified" if that is not known. It may be shown, and be a reference, but it does not compete: it
neither wins nor is the best.
"""

from __future__ import annotations

from collections.abc import Container
from typing import Any

from intemi.analysis.samples import Refuse, column
from intemi.kernel.lineage import INVALIDATING
from intemi.kernel.repository.labels import CORRECTED_LEVEL, LOOKS
from intemi.series import Series

STAMPS = INVALIDATING
"""Labels of results that say that a machine was not fair, "Leak", "Oracle", "Unverified"; the text is why."""
UNASKED = (*STAMPS, LOOKS, CORRECTED_LEVEL)
"""Labels that an answer has without being asked for them: they do not tell items apart."""


def stamps_of(series: Series, of: str = "machine") -> dict[Any, str]:
    """The machines of a series that were not fair, each with its stamps.

    >>> stamps_of(Series({"Accuracy": [0.9, 0.8], "machine": ["seer", "knn"], "Oracle": ["reads test targets", None]}))
    {'seer': 'oracle'}
    """
    found: dict[Any, list[str]] = {}
    for stamp in STAMPS:
        if stamp in series.labels and stamp != series.main and of in series.labels:
            for machine, why in zip(column(series, of), column(series, stamp), strict=True):
                if why is not None and stamp.lower() not in found.setdefault(machine, []):
                    found[machine].append(stamp.lower())
    return {machine: ", ".join(stamps) for machine, stamps in found.items() if stamps}


def stamps_in(series: Series) -> list[str]:
    """The stamps that items of a series have."""
    named = [stamp for stamp in STAMPS if stamp in series.labels and stamp != series.main]
    return [stamp.lower() for stamp in named if any(why is not None for why in column(series, stamp))]


def without_stamps(series: Series) -> Series:
    """The same series without stamps, and without what else an answer has unasked."""
    return series.without(*(label for label in UNASKED if label in series.labels and label != series.main))


def competing(series: Series, of: str = "machine") -> Series:
    """The items of the machines that compete: those without a stamp.

    >>> results = Series({"Accuracy": [0.9, 0.8], "machine": ["seer", "knn"], "Oracle": ["reads test targets", None]})
    >>> competing(results)
    Accuracy*  machine
          0.8  knn
    1 row
    """
    unfair = stamps_of(series, of)
    return without_stamps(series.where(lambda row: row.get(of) not in unfair))


def refuse_unfair(refuse: Refuse, series: Series, of: str, references: Container[Any] = ()) -> None:
    """Refuse a series in which a machine that was not fair would compete; it may be a reference."""
    for machine, stamp in stamps_of(series, of).items():
        if machine not in references:
            refuse(f"{of} {machine} does not compete ({stamp}); competing(series) leaves out what was not fair")
