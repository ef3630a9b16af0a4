"""Labelers: which labels the items of a series get. A plain name is looked for in all the usual places."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from intemi.kernel.repository.item import MISSING, Item


class Labeler:
    """Gives labels to items."""

    def labels(self, item: Item) -> dict[str, Any]:
        """The labels of one item."""
        raise NotImplementedError


class Named(Labeler):
    """One label: a result or comment of the item or of the nearest above it, a name or time, or a parameter."""

    def __init__(self, name: str) -> None:
        self.name = name

    def labels(self, item: Item) -> dict[str, Any]:
        for found in (item.label, item.measured, item.parameter):
            value = found(self.name)
            if value is not MISSING:
                return {self.name: value}
        return {self.name: MISSING}


class Fixed(Labeler):
    """The same labels for all items: `Fixed(data="breast-w")`."""

    def __init__(self, **labels: Any) -> None:
        self._labels = labels

    def labels(self, item: Item) -> dict[str, Any]:
        return self._labels


class OnPath(Labeler):
    """All comments on the path from the root: such as "Repetition" and "Fold"."""

    def labels(self, item: Item) -> dict[str, Any]:
        above = {} if item.above is None else self.labels(item.above)
        return {**above, **item.comments}


class Parameters(Labeler):
    """Parameters of the configuration, or of the nearest above it that has them: `Parameters("C", "kernel.sigma")`."""

    def __init__(self, *paths: str) -> None:
        self._paths = paths

    def labels(self, item: Item) -> dict[str, Any]:
        return {path: item.parameter(path) for path in self._paths}


def labelers_of(labels: Any) -> list[Labeler]:
    """What a question says about labels, as labelers."""
    listed = [labels] if isinstance(labels, str | Labeler | Mapping) else list(labels)
    return [
        Named(each) if isinstance(each, str) else Fixed(**each) if isinstance(each, Mapping) else each
        for each in listed
    ]
