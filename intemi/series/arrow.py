"""Arrow: a pyarrow table with the main label in its metadata, which Parquet and Feather files keep.

Bools, ints, floats and texts are Arrow's own types, None is null, vectors and tables are lists of numbers. Columns of
mixed cells, for which Arrow has no type, are texts of JSON, one a cell, and their field says so.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from intemi.series.cells import Cell, cell, frozen
from intemi.series.columns import Column, cells_of
from intemi.series.errors import SeriesError, listed, shown
from intemi.series.json import from_plain, parsed, plain
from intemi.series.libraries import needed

_MAIN = b"intemi.main"
_JSON = {b"intemi.cells": b"json"}


def arrow_table(columns: Mapping[str, Column], main: str) -> Any:
    """Columns as an Arrow table."""
    pyarrow = needed("pyarrow", "to_arrow")
    fields, arrays = [], []
    for label, values in columns.items():
        kind = _arrow_type(pyarrow, values)
        if kind is None:
            arrays.append(pyarrow.array([json.dumps(plain(each)) for each in cells_of(values)], pyarrow.string()))
            fields.append(pyarrow.field(label, pyarrow.string(), metadata=_JSON))
        else:
            cells = values if isinstance(values, np.ndarray) else [_listed(each) for each in values]
            arrays.append(pyarrow.array(cells, kind, from_pandas=False))
            fields.append(pyarrow.field(label, kind))
    return pyarrow.Table.from_arrays(arrays, schema=pyarrow.schema(fields, metadata={_MAIN: main.encode()}))


def read_arrow(table: Any) -> tuple[dict[str, Any], str | None]:
    """The columns of an Arrow table and its main label, if it has one."""
    pyarrow = needed("pyarrow", "from_arrow")
    labels = table.column_names
    if len(set(labels)) < len(labels):
        raise SeriesError(f"from_arrow: labels must differ, got {listed(labels)}")
    columns = {label: _read(pyarrow, table.field(label), table.column(label)) for label in labels}
    main = (table.schema.metadata or {}).get(_MAIN)
    return columns, None if main is None or main.decode() not in columns else main.decode()


def _arrow_type(pyarrow: Any, column: Column) -> Any:
    """The Arrow type that holds all cells of a column and nothing else, or None."""
    simple = {bool: pyarrow.bool_(), int: pyarrow.int64(), float: pyarrow.float64(), str: pyarrow.string()}
    inside = {"b": pyarrow.bool_(), "i": pyarrow.int64(), "f": pyarrow.float64()}
    if isinstance(column, np.ndarray):
        return inside[column.dtype.kind]
    kinds = {_kind(each) for each in column if each is not None}
    if not kinds:
        return pyarrow.null()
    kind = kinds.pop()
    if kinds or kind is None:
        return None
    if isinstance(kind, type):
        return simple[kind]
    letter, dimensions = kind
    return pyarrow.list_(inside[letter] if dimensions == 1 else pyarrow.list_(inside[letter]))


def _kind(cell: Cell) -> Any:
    """What cells of one Arrow type have in common; None if there is no such type."""
    if isinstance(cell, np.ndarray):
        return None if cell.ndim == 2 and not len(cell) else (cell.dtype.kind, cell.ndim)
    if isinstance(cell, int) and not -(2**63) <= cell < 2**63:
        return None
    return type(cell)


def _listed(cell: Cell) -> Any:
    return cell.tolist() if isinstance(cell, np.ndarray) else cell


def _read(pyarrow: Any, field: Any, values: Any) -> Any:
    types = pyarrow.types
    kind = field.type
    if (field.metadata or {}).get(b"intemi.cells") == b"json":
        where = f"from_arrow: {field.name}"
        return [from_plain(parsed(text, where), where) for text in values.to_pylist()]
    is_number = types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)
    if is_number and not values.null_count:
        return values.to_numpy()
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        return [None if each is None else _array(pyarrow, kind, each, field.name) for each in values.to_pylist()]
    return values.to_pylist()


def _array(pyarrow: Any, kind: Any, value: list[Any], label: str) -> Cell:
    """A list as a vector or a table, of the type that the Arrow type says: an empty one does not show it."""
    inner = kind.value_type
    if pyarrow.types.is_nested(inner):
        inner = inner.value_type
    types = pyarrow.types
    dtype = np.bool_ if types.is_boolean(inner) else np.int64 if types.is_integer(inner) else np.float64
    found = cell(value)
    if not isinstance(found, np.ndarray):
        raise SeriesError(f"from_arrow: {label} must hold vectors or tables of numbers, got {shown(value)}")
    return frozen(found, dtype)
