"""The last step of every reader: columns with their values become data, one of them perhaps the target."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from intemi.data.column import Column
from intemi.data.data import Data
from intemi.data.errors import DataError, listed, shown
from intemi.data.table import MISSING, Floats, Table


def chosen_target(file: str, columns: Sequence[Column], target: str | None, default: int | None) -> int | None:
    """The index of the target: the column of that name, the default for None, and none for the empty name."""
    if target is None:
        return default
    if not target:
        return None
    for index, column in enumerate(columns):
        if column.name == target:
            return index
    raise DataError(
        file, None, f"no column called {shown(target)}", f"a target among {listed([each.name for each in columns])}"
    )


def assembled(columns: Sequence[Column], values: Floats, target: int | None, weights: Floats | None, name: str) -> Data:
    """Data of columns and their values, a row for each; `values` must not be used afterwards."""
    if target is None:
        values.flags.writeable = False
        return Data(Table(columns, values, weights=weights, name=name))
    classes = np.where(np.isnan(values[target]), MISSING, values[target]).astype(np.int32)
    features = values[:target].copy() if target == len(columns) - 1 else np.delete(values, target, axis=0)
    features.flags.writeable = False
    others = [column for index, column in enumerate(columns) if index != target]
    return Data(Table(others, features, columns[target], classes, weights, name))
