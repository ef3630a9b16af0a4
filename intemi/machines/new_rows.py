"""New rows for a classifier: a file, a frame or data, of which the columns are taken that it was made for, by name."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from intemi.data import Column, Data, Table
from intemi.data.errors import listed
from intemi.data.exchange import from_pandas
from intemi.data.file_format import format_of
from intemi.data.files import read
from intemi.data.numbering import numbered
from intemi.machines.interfaces import ColumnsError


def new_rows(columns: Sequence[Column], given: Any, options: Mapping[str, Any] | None = None) -> Data:
    """Rows with exactly the columns of a classifier, in their order; others are left out, such as an id or the target.

    `given` is the name of a file, read with the `options` of its format, a pandas frame, or data.

    >>> data = Data(Table([Column("id"), Column("size")], [[7, 8], [1, 2]]))
    >>> new_rows([Column("size")], data).features
    array([[1., 2.]])
    """
    if isinstance(given, str | os.PathLike):
        return arranged(columns, _read(columns, given, options or {}), os.fspath(given))
    if isinstance(given, Data):
        return arranged(columns, given, "the data")
    if hasattr(given, "iloc") and hasattr(given, "columns"):
        names = {str(each) for each in given.columns}
        wanted = [column.name for column in columns if column.name in names]
        return arranged(columns, from_pandas(given, "", columns=wanted), "the frame")
    raise ColumnsError(f"new rows must be a file, a pandas frame or Data, got {type(given).__name__}")


def arranged(columns: Sequence[Column], data: Data, who: str) -> Data:
    """The features of data by name, in the order of columns; numbers are taken for categories where these are asked."""
    places = {column.name: index for index, column in enumerate(data.columns)}
    missing = [column.name for column in columns if column.name not in places]
    if missing:
        raise ColumnsError(f"{who}: the model needs the column {missing[0]!r}, got {listed(places) or 'none'}")
    found: list[Column] = []
    values = np.empty((len(columns), len(data)))
    for index, expected in enumerate(columns):
        own, numbers = data.columns[places[expected.name]], data.feature(places[expected.name])
        if expected.is_nominal and not own.is_nominal:
            own, numbers = numbered(expected.name, numbers, np.isnan(numbers))
        found.append(own)
        values[index] = numbers
    return Data(Table(found, values, name=data.name))


def _read(columns: Sequence[Column], path: str | os.PathLike[str], options: Mapping[str, Any]) -> Data:
    """The rows of a file: types of columns are those of the classifier, where the format leaves them open."""
    known = format_of(os.fspath(path)).reading_options()
    given = {name: value for name, value in options.items() if name in known}
    data = read(os.fspath(path), "", **given)
    if "numeric" not in known:
        return data
    there = {column.name for column in data.columns}
    wanted = [column for column in columns if column.name in there]
    return read(
        os.fspath(path),
        "",
        **given,
        columns=[column.name for column in wanted],
        nominal=[column.name for column in wanted if column.is_nominal],
        numeric=[column.name for column in wanted if not column.is_nominal],
    )
