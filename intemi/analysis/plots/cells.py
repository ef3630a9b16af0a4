"""Numbers out of series for pictures: what was measured, by the values of labels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from intemi.analysis.samples import Floats, column, require
from intemi.kernel.errors import IntemiError
from intemi.series import Series

Key = tuple[Any, ...]


class PictureError(IntemiError, ValueError):
    """A picture cannot be drawn of what was given: the message says why."""


def refusing(who: str) -> Any:
    """What refuses a series, on behalf of a picture."""

    def refuse(why: str) -> NoReturn:
        raise PictureError(f"{who}: {why}")

    return refuse


def labels_of(labels: str | Sequence[str]) -> tuple[str, ...]:
    """One label or several, as several."""
    return (labels,) if isinstance(labels, str) else tuple(labels)


def floats(series: Series, label: str, who: str) -> Floats:
    """The numbers of a label; what is missing, as of machines that failed, is NaN."""
    refuse = refusing(who)
    require(series, label, refuse)
    given = column(series, label)
    for position, each in enumerate(given):
        if each is not None and not isinstance(each, int | float):
            refuse(f"{label!r} must be a number, got {each!r} at item {position}")
    return np.array([math.nan if each is None else float(each) for each in given])


def keys(series: Series, labels: Sequence[str], who: str) -> list[Key]:
    """The values of some labels, for each item."""
    for label in labels:
        require(series, label, refusing(who))
    return list(zip(*(column(series, label) for label in labels), strict=True)) if labels else [()] * len(series)


def gathered(series: Series, labels: Sequence[str], who: str, main: str | None = None) -> dict[Key, Floats]:
    """The finite numbers of the main label (or another one), by the values of some labels, in order of appearance.

    >>> gathered(Series({"Accuracy": [0.9, 0.8, None], "machine": ["knn", "knn", "svm"]}), ["machine"], "picture")
    {('knn',): array([0.9, 0.8]), ('svm',): array([], dtype=float64)}
    """
    if not len(series):
        refusing(who)("the series is empty")
    numbers = floats(series, main or series.main, who)
    found: dict[Key, list[float]] = {}
    for key, number in zip(keys(series, labels, who), numbers.tolist(), strict=True):
        of_key = found.setdefault(key, [])
        if math.isfinite(number):
            of_key.append(number)
    return {key: np.array(values) for key, values in found.items()}
