"""How new data are made column by column, without a copy more than they need."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, count

import numpy as np

from intemi.data import Column, Data
from intemi.kernel import ConfigurationError
from intemi.machines.interfaces import Floats


def numeric(columns: Sequence[Column]) -> list[int]:
    """The positions of the numeric columns."""
    return [index for index, column in enumerate(columns) if not column.is_nominal]


def with_columns(data: Data, columns: Sequence[Column], features: Iterable[Floats]) -> Data:
    """Data with other features, which are needed one at a time."""
    values = np.empty((len(columns), len(data)))
    for row, feature in zip(values, features, strict=True):
        row[:] = feature
    values.flags.writeable = False  # so the table need not copy them
    return data.with_features(columns, values)


def refuse_unknown(who: str, data: Data, indices: Iterable[int]) -> None:
    """Refuse missing and infinite values in some columns, and say what helps."""
    for index in indices:
        values = data.feature(index)
        if np.isfinite(values).all():
            continue
        missing = int(np.isnan(values).sum())
        what = f"{missing} missing values; put an Imputation before it" if missing else "infinite values"
        raise ConfigurationError(f"{who}: the column {data.columns[index].name!r} has {what}")


def names_apart(names: Iterable[str], taken: Iterable[str] = ()) -> Iterator[str]:
    """Names for new columns, numbered where they would be the same as others.

    >>> list(names_apart(["x=1", "x=2"], taken=["x=1"]))
    ['x=1 (2)', 'x=2']
    """
    known = set(taken)
    for name in names:
        free = next(each for each in chain([name], (f"{name} ({n})" for n in count(2))) if each not in known)
        known.add(free)
        yield free
