"""Pairing: which item of one series belongs to which item of another, told by their labels and never guessed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from intemi.analysis.samples import Floats, Refuse, column, numbers
from intemi.analysis.stamps import UNASKED
from intemi.analysis.transformation import Transformation
from intemi.errors import IntemiError
from intemi.series import Series

On = str | Sequence[str] | None


@dataclass(frozen=True)
class Pairs:
    """Two series whose items of the same position belong together, and the labels that say so."""

    first: Series
    second: Series
    by: tuple[str, ...]

    @property
    def told_by(self) -> str:
        return ", ".join(self.by) or "position"

    def values(self, refuse: Refuse) -> tuple[Floats, Floats]:
        return numbers(self.first, refuse), numbers(self.second, refuse)

    def column(self, label: str, refuse: Refuse) -> list[Any]:
        """The values of a label that both series have and agree upon."""
        if label not in self.first.labels or label not in self.second.labels:
            refuse(f"both series must have the label {label!r}")
        first, second = column(self.first, label), column(self.second, label)
        for position, (one, other) in enumerate(zip(first, second, strict=True)):
            if one != other:
                refuse(f"pair {position} is of {label} {one!r} and of {label} {other!r}")
        return first


@dataclass(frozen=True, repr=False, kw_only=True)
class PairedComparison(Transformation):
    """The options of all tests that compare the paired items of two series.

    Items are paired by all labels but the main one and `of`, which tells the two series apart, or by the labels `on`.
    Series that have no such labels are paired by position. `over` is the label of the data set.
    """

    on: On = None
    of: str = "machine"
    over: str = "data"

    def _pairs(self, first: Series, second: Series) -> Pairs:
        self._check_measures(first, second)
        for series, name in ((first, "first"), (second, "second")):
            if not len(series):
                self._refuse(f"the {name} series is empty")
            if self.of in series.labels and len(found := set(column(series, self.of))) > 1:
                self._refuse(f"the {name} series is of {len(found)} values of {self.of!r}, not of one")
        pairs = self._matched(first, second)
        if self.over in first.labels and self.over in second.labels:
            pairs.column(self.over, self._refuse)
        return pairs

    def _matched(self, first: Series, second: Series) -> Pairs:
        labels = self._identifying(first, second)
        if labels:
            return Pairs(first, second[self._positions(first, second, labels)], labels)
        if len(first) != len(second):
            self._refuse(f"items without labels are paired by position, but there are {len(first)} and {len(second)}")
        return Pairs(first, second, ())

    def _identifying(self, first: Series, second: Series) -> tuple[str, ...]:
        if self.on is not None:
            labels = listed_labels(self.on)
            for label in labels:
                if label not in first.labels or label not in second.labels:
                    self._refuse(f"both series must have the label {label!r}, by which they are to be paired")
            return labels
        ours, theirs = (tuple(x for x in s.labels if x not in (s.main, self.of, *UNASKED)) for s in (first, second))
        if odd := set(ours) ^ set(theirs):
            label = min(odd)
            self._refuse(f"label {label!r} is in the {'first' if label in ours else 'second'} series only; {HINT}")
        return ours

    def _positions(self, first: Series, second: Series, labels: tuple[str, ...]) -> list[int]:
        """For each item of the first series, the position of its partner in the second."""
        try:
            return partners(first, second, labels, ("the first series", "the second series"))
        except Unpaired as error:
            self._refuse(f"{error}; {HINT}" if self.on is None else str(error))


HINT = "on= names the labels that tell items apart, where not all of them do"


class Unpaired(IntemiError, ValueError):
    """Items of two series that do not belong together one by one; the message names the first of them."""


def partners(first: Series, second: Series, labels: tuple[str, ...], names: tuple[str, str]) -> list[int]:
    """For each item of one series, the position of the one item of the other that has the same values of the labels."""
    here, there = (_positions(series, labels, name) for series, name in zip((first, second), names, strict=True))
    for items, others, name in ((here, there, names[0]), (there, here, names[1])):
        for item in items:
            if item not in others:
                raise Unpaired(f"{_described(labels, item)} is in {name} only")
    return [there[item] for item in here]


def listed_labels(on: str | Sequence[str]) -> tuple[str, ...]:
    """One label or several, as several."""
    return (on,) if isinstance(on, str) else tuple(on)


def _positions(series: Series, labels: tuple[str, ...], name: str) -> dict[tuple[Any, ...], int]:
    found: dict[tuple[Any, ...], int] = {}
    for position, item in enumerate(zip(*(column(series, label) for label in labels), strict=True)):
        try:
            known = found.setdefault(item, position)
        except TypeError:
            raise Unpaired(f"{_described(labels, item)} cannot identify an item") from None
        if known != position:
            raise Unpaired(f"{_described(labels, item)} is twice in {name}, at items {known} and {position}")
    return found


def _described(labels: tuple[str, ...], item: tuple[Any, ...]) -> str:
    return ", ".join(f"{label} {value}" for label, value in zip(labels, item, strict=True))
