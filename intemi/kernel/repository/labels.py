"""Labelers: which labels the items of a series get. A plain name is looked for in all the usual places.

Some labels are beside every answer, so that results do not look like what they are not. A result that is stamped as a
leak or as an oracle's has the stamp beside it. A result on a sample that stays the same has the number of *looks*
beside it: how many different things were ever tried there, in this project. With enough of them something fits by
chance, so the level of a test is to be divided by their number.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from intemi.kernel.errors import ConfigurationError, IntemiError
from intemi.kernel.lineage import INVALIDATING, SAMPLE
from intemi.kernel.repository.item import BUILT_IN, MISSING, Item, Reader, told_apart
from intemi.series import Series, SeriesError
from intemi.series.cells import cell
from intemi.series.display import short_names

_CELLS = frozenset((float, int, bool, type(None)))
"""Types of values that a series holds as they are."""


class Labeler(ABC):
    """Gives labels to items.

    >>> class Initial(Labeler):
    ...     names = ("Initial",)
    ...     def labels(self, item):
    ...         return {"Initial": item.name[0]}
    """

    names: tuple[str, ...] = ()
    """The labels that all items get, as far as they are known beforehand."""

    @abstractmethod
    def labels(self, item: Item) -> dict[str, Any]:
        """The labels of one item."""


Labels = str | Labeler | Mapping[str, Any] | Iterable[str | Labeler | Mapping[str, Any]] | None
"""What a question can say about labels: names, labelers, fixed labels, or several of these; None: all there are."""


class Label(Labeler):
    """One label: a result or comment of the item or of the nearest above it, a name or time, or a parameter."""

    def __init__(self, name: str) -> None:
        self.names = (name,)

    def labels(self, item: Item) -> dict[str, Any]:
        (name,) = self.names
        value = item.label(name)
        if value is MISSING:
            value = item.measured(name)
        if value is MISSING:
            value = item.parameter(name)
        return {name: value}


class Fixed(Labeler):
    """The same labels for all items: `Fixed(data="breast-w")`."""

    def __init__(self, **labels: Any) -> None:
        self.names = tuple(labels)
        self._labels = labels

    def labels(self, item: Item) -> dict[str, Any]:
        return self._labels


class OnPath(Labeler):
    """All comments on the path from the root: such as "Repetition" and "Fold"."""

    def labels(self, item: Item) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for each in reversed([*item.ancestors()]):
            found.update(each.comments)
        return found


class Everything(Labeler):
    """What an item gets if a question names no labels: its results, all comments on its path, and its name."""

    def labels(self, item: Item) -> dict[str, Any]:
        return {**item.results, **OnPath().labels(item), "machine": item.name}


def labelers_of(labels: Labels) -> list[Labeler]:
    """What a question says about labels, as labelers."""
    if labels is None:
        return [Everything()]
    listed = list(labels) if isinstance(labels, Iterable) and not isinstance(labels, str | Mapping) else [labels]
    if not listed:
        raise ConfigurationError("query: labels must name at least one label, got none; without labels= there are all")
    return [_labeler(each) for each in listed]


def _labeler(label: Any) -> Labeler:
    if isinstance(label, str):
        return Label(label)
    if isinstance(label, Mapping) and all(isinstance(name, str) for name in label):
        return Fixed(**label)
    if isinstance(label, Labeler):
        return label
    raise ConfigurationError(
        'query: labels must be names, labelers such as Parameter("C") or OnPath(), or mappings of fixed labels, '
        f"got {label!r}"
    )


def series_of(items: Sequence[Item], labelers: Sequence[Labeler]) -> Series:
    """The labels of items, as a series."""
    rows: list[dict[str, Any]] = []
    for item in items:
        row: dict[str, Any] = {}
        for labeler in labelers:
            try:
                row.update(labeler.labels(item))
            except Exception as error:
                raise told_apart(error, labeler) from error.__cause__
        rows.append(row)
    first: Iterable[str] = (label for item in items for label in item.results)
    listed: Iterable[Iterable[str]] = [first, *rows] if isinstance(labelers[0], Everything) else rows
    names = dict.fromkeys(name for each in (listed if rows else (each.names for each in labelers)) for name in each)
    columns = {name: [row.get(name, MISSING) for row in rows] for name in names}
    for name, column in columns.items():
        if all(value is MISSING for value in column) and _have_all_they_will(items):
            known = sorted({label for item in items for label in (*item.results, *OnPath().labels(item))})
            raise IntemiError(
                f"query: no item has the label {name!r}; their labels are {', '.join(known) or 'none'}; "
                f"every item has {', '.join(BUILT_IN)}"
            )
    return Series({name: list(map(_plain, column)) for name, column in columns.items()} or {"machine": []})


def _have_all_they_will(items: Sequence[Item]) -> bool:
    """Whether a label that no item has is a mistake: none is unfinished, and not all have failed."""
    is_finished = all(item.measured("wall") is not None for item in items)
    return is_finished and any(item.measured("failure") is None for item in items)


def _plain(value: Any) -> Any:
    """A value as a series can hold it: what is no cell, such as a part of a configuration, is shown as text."""
    if type(value) in _CELLS:
        return value
    if value is MISSING:
        return None
    try:
        return cell(value)
    except SeriesError:
        if isinstance(value, Mapping):
            return ", ".join(f"{name}={each}" for name, each in zip(short_names(value), value.values(), strict=True))
        return repr(value)


STAMPS = (*INVALIDATING, SAMPLE)
LOOKS, CORRECTED_LEVEL = "Looks", "Corrected level"
LEVEL = 0.05
"""The level that is divided by the number of looks."""


class Stamps(Labeler):
    """The stamps of items, and how often their samples were looked at."""

    def __init__(self, reader: Reader, items: Sequence[Item], looks_at: Callable[[str], int]) -> None:
        found = {stamp: any(item.result(stamp) is not MISSING for item in items) for stamp in STAMPS}
        self._shown = [stamp for stamp in INVALIDATING if found[stamp]]
        self._has_samples = found[SAMPLE]
        self._looks_at = looks_at
        self._looks: dict[Any, int] = {}

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to show."""
        return not self._shown and not self._has_samples

    def labels(self, item: Item) -> dict[str, Any]:
        shown = {stamp: None if (said := item.result(stamp)) is MISSING else said for stamp in self._shown}
        if self._has_samples:
            sample = item.result(SAMPLE)
            if sample is not MISSING and sample not in self._looks:
                self._looks[sample] = self._looks_at(sample)
            looks = self._looks.get(sample)
            shown |= {LOOKS: looks, CORRECTED_LEVEL: None if looks is None else LEVEL / looks}
        return shown
