"""JSON: one object with the main label and the columns; nothing that a cell can hold is lost.

A bool, an int, a float that is finite, a text and None are JSON's own (a float always has a point or an exponent). What
JSON lacks is an object of one entry, named after the type: `{"float": "nan"}` (or inf, -inf), `{"int": [1, 2]}` for a
vector, `{"float": [[0.5, "nan"]]}` for a table; a table without rows has its `shape` beside it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from intemi.series.cells import DTYPES, Cell, frozen, name_of
from intemi.series.columns import Column, cells_of
from intemi.series.errors import SeriesError, listed, shown

_NOT_FINITE = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
_MOST_COLUMNS = 2**31
"""Of a table without rows: numpy makes none of arbitrary width."""


def json_text(columns: Mapping[str, Column], main: str) -> str:
    """Columns as JSON, a line for each."""
    lines = [f"{json.dumps(label)}: {json.dumps(list(map(plain, cells_of(each))))}" for label, each in columns.items()]
    return f'{{"main": {json.dumps(main)}, "columns": {{\n' + ",\n".join(lines) + "\n}}\n"


def read_json(text: str, file: str) -> tuple[dict[str, list[Cell]], str]:
    """The columns and the main label that a JSON text has; `file` is what errors call it."""
    content = parsed(text, file)
    if not _is_series(content):
        raise SeriesError(f'{file}: found {shown(content)}, expected {{"main": label, "columns": {{label: cells, …}}}}')
    columns = {}
    for label, cells in content["columns"].items():
        if not isinstance(cells, list):
            raise SeriesError(f"{file}: found {shown(cells)}, expected a list of the cells of {listed([label])}")
        columns[label] = [
            from_plain(each, f"{file}: {listed([label])}, row {row}") if isinstance(each, dict | list) else each
            for row, each in enumerate(cells)
        ]
    return columns, content["main"]


def plain(cell: Cell) -> Any:
    """A cell as what JSON knows.

    >>> plain(float("nan")), plain(np.array([1, 2]))
    ({'float': 'nan'}, {'int': [1, 2]})
    """
    if isinstance(cell, float) and not math.isfinite(cell):
        return {"float": str(cell)}
    if not isinstance(cell, np.ndarray):
        return cell
    content = {name_of(cell): _finite(cell.tolist())}
    return content if cell.ndim == 1 or len(cell) else {**content, "shape": list(cell.shape)}


def from_plain(value: Any, where: str) -> Cell:
    """The cell that `plain` made a value of."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    for kind in DTYPES:
        if not isinstance(value, dict) or set(value) | {"shape"} != {kind, "shape"}:
            continue
        content, shape = value[kind], value.get("shape")
        if kind == "float" and isinstance(content, str) and content in _NOT_FINITE and shape is None:
            return _NOT_FINITE[content]
        array = _array(content, kind, shape)
        if array is not None:
            return array
    raise SeriesError(f'{where}: found {shown(value)}, expected a cell, e.g. {{"float": [0.5, "nan"]}} for a vector')


def parsed(text: str, where: str) -> Any:
    """What a JSON text says; refuses what is not JSON and labels that are there twice."""
    try:
        return json.loads(text, parse_constant=_refused, object_pairs_hook=_different)
    except (ValueError, RecursionError) as error:
        raise SeriesError(f"{where}: found no JSON ({error}), expected JSON") from None


def _is_series(content: Any) -> bool:
    if not isinstance(content, dict) or set(content) != {"main", "columns"}:
        return False
    return isinstance(content["main"], str) and isinstance(content["columns"], dict)


def _finite(value: Any) -> Any:
    if isinstance(value, list):
        return [_finite(each) for each in value]
    return value if math.isfinite(value) else str(value)


def _array(content: Any, kind: str, shape: Any) -> Cell:
    """The vector or table of a list, or None if it is neither."""
    rows = content if isinstance(content, list) else None
    if rows is None or (shape is not None and (rows or not _is_shape(shape))):
        return None
    if shape is not None:
        return frozen(np.zeros(shape), DTYPES[kind])
    is_table = bool(rows) and all(isinstance(row, list) for row in rows)
    if is_table and len({len(row) for row in rows}) > 1:
        return None
    flat = [each for row in rows for each in row] if is_table else rows
    numbers = [_NOT_FINITE.get(each) if kind == "float" and isinstance(each, str) else each for each in flat]
    allowed = {"bool": (bool,), "int": (int,), "float": (float, int)}[kind]
    if not all(type(each) in allowed for each in numbers):
        return None
    try:
        array = np.array(numbers, dtype=DTYPES[kind])
    except OverflowError:
        return None
    return frozen(array.reshape(len(rows), -1 if flat else 0) if is_table else array, DTYPES[kind])


def _is_shape(shape: Any) -> bool:
    is_pair = isinstance(shape, list) and len(shape) == 2 and all(type(each) is int for each in shape)
    return is_pair and shape[0] == 0 <= shape[1] < _MOST_COLUMNS


def _refused(constant: str) -> Any:
    raise ValueError(f"{constant} is not JSON")


def _different(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError(f"an object has one of {listed(found)} twice")
    return found
