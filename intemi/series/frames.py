"""Frames of pandas, with the main label among their attributes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from intemi.series.columns import Column
from intemi.series.errors import SeriesError, listed
from intemi.series.libraries import needed

_MAIN = "intemi.main"


def pandas_frame(columns: Mapping[str, Column], main: str) -> Any:
    """Columns as a frame: arrays stay what they are, tuples are columns of objects."""
    pandas = needed("pandas", "to_pandas")
    size = len(next(iter(columns.values())))
    arrays = {label: _array(values) for label, values in columns.items()}
    kept = {label: pandas.Series(array, dtype=array.dtype) for label, array in arrays.items()}
    frame = pandas.DataFrame(kept, index=range(size))
    frame.attrs[_MAIN] = main
    return frame


def read_pandas(frame: Any) -> tuple[dict[str, Any], str | None]:
    """The columns of a frame and its main label, if it has one."""
    pandas = needed("pandas", "from_pandas")
    labels = list(frame.columns)
    if len(set(labels)) < len(labels):
        raise SeriesError(f"from_pandas: labels must differ, got {listed(map(str, labels))}")
    columns = {label: _cells(pandas, frame[label]) for label in labels}
    main = frame.attrs.get(_MAIN)
    return columns, main if main in columns else None


def _array(column: Column) -> NDArray[Any]:
    if isinstance(column, np.ndarray):
        return column.copy()
    objects = np.empty(len(column), dtype=object)
    for position, cell in enumerate(column):
        objects[position] = cell
    return objects


def _cells(pandas: Any, values: Any) -> Any:
    """What is missing is None in pandas' own types, where it cannot be told from NaN, and NaN in numpy's."""
    if isinstance(values.dtype, np.dtype):
        cells = values.to_numpy()
        return cells if cells.dtype.kind != "O" else [None if each is pandas.NA else each for each in cells]
    missing = values.isna().tolist()
    return [None if is_missing else each for each, is_missing in zip(values.tolist(), missing, strict=True)]
