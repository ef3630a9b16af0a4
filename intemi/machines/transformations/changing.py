"""How new data are made column by column, without a copy more than they need."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

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


def refuse_missing(who: str, data: Data, indices: Iterable[int]) -> None:
    """Refuse missing values in some columns, and say what helps."""
    for index in indices:
        missing = int(np.isnan(data.feature(index)).sum())
        if missing:
            raise ConfigurationError(
                f"{who}: the column {data.columns[index].name!r} has {missing} missing values; "
                "put an Imputation before it"
            )
