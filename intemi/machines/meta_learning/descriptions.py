"""Descriptions: what is known of a value before it is there, enough to predict what machines that get it will take.

Each type of value that machines give to each other has one. A classifier behind a feature selection gets data that do
not exist yet; their description says how many features they will have.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from intemi.data import Data


@dataclass(frozen=True)
class Description:
    """What is known of one value."""

    origin: int | None = field(default=None, compare=False, kw_only=True)
    """Stands for the value itself within one estimate: equal sizes do not make equal values."""


@dataclass(frozen=True)
class DataDescription(Description):
    """How large data are.

    >>> DataDescription(rows=150, numeric=4, classes=3).scaled(rows=30).rows
    30
    """

    rows: float
    numeric: float
    nominal: float = 0.0
    symbols: float = 2.0
    """How many categories a nominal feature has, in the mean."""
    classes: float = 2.0
    missing: float = 0.0
    """The share of values that are missing."""

    @property
    def features(self) -> float:
        """How many there are of either kind."""
        return self.numeric + self.nominal

    def scaled(self, rows: float | None = None, features: float | None = None) -> DataDescription:
        """The same with another number of rows or features; the shares of kinds stay as they are."""
        share = 1.0 if features is None else features / max(self.features, 1.0)
        return replace(
            self,
            origin=None,
            rows=self.rows if rows is None else rows,
            numeric=self.numeric * share,
            nominal=self.nominal * share,
        )


@dataclass(frozen=True)
class ClassifierDescription(Description):
    """What it takes to classify data."""

    seconds: Callable[[DataDescription], float]


@dataclass(frozen=True)
class TransformationDescription(Description):
    """What it takes to transform data, and what they are like then."""

    seconds: Callable[[DataDescription], float]
    transformed: Callable[[DataDescription], DataDescription]


@dataclass(frozen=True)
class Collection:
    """Several values that are alike, as a distributor gives them."""

    item: Any
    count: int


@dataclass(frozen=True)
class Unknown(Description):
    """A value of which nothing has to be known."""


def describe(data: Data) -> DataDescription:
    """The description of data that are there."""
    nominal = [len(column.categories) for column in data.columns if column.categories is not None]
    features = len(data.columns)
    missing = float(np.isnan(data.features).mean()) if features and len(data) else 0.0
    return DataDescription(
        rows=len(data),
        numeric=features - len(nominal),
        nominal=len(nominal),
        symbols=float(np.mean(nominal)) if nominal else 2.0,
        classes=len(data.labels),
        missing=missing,
    )
