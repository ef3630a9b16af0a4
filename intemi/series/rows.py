"""Rows: labelled columns of one length, one of them the main one; how they are made, read and compared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Self, overload

import numpy as np
from numpy.typing import NDArray

from intemi.series.cells import Cell, cell
from intemi.series.columns import Column, cell_at, cells_of, column, same_columns, taken
from intemi.series.display import html_table, text_table
from intemi.series.errors import SeriesError, listed, shown


class Rows:
    """What a series is, without what can be done with it."""

    __slots__ = ("_columns", "_main")
    is_immutable = True

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, columns: Mapping[str, Iterable[Any]], main: str | None = None) -> None:
        """`columns` has the cells of each label, `main` is the first label unless another is named."""
        if not isinstance(columns, Mapping) or not columns:
            raise SeriesError(
                f"Series: columns must be a mapping of at least one label to its cells, got {shown(columns)}"
            )
        self._columns: dict[str, Column] = {_label(label): _read(label, columns[label]) for label in columns}
        self._main = next(iter(self._columns)) if main is None else main
        self._known([self._main], "main")
        first = next(iter(self._columns))
        for label, values in self._columns.items():
            if len(values) != len(self):
                raise SeriesError(
                    "Series: columns must be equally long, "
                    f"got {len(self)} cells of {first} and {len(values)} of {label}"
                )

    @classmethod
    def _of(cls, columns: dict[str, Column], main: str) -> Self:
        """The rows of columns that need no check."""
        rows = object.__new__(cls)
        rows._columns = columns
        rows._main = main
        return rows

    def state(self) -> dict[str, Any]:
        """Everything it is made of, as plain values and arrays: what a store keeps."""
        return {"columns": dict(self._columns), "main": self._main}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Self:
        """The series of a state."""
        return cls(state["columns"], state["main"])

    @property
    def labels(self) -> tuple[str, ...]:
        """All labels, in order.

        >>> from intemi.series import Series
        >>> Series({"Accuracy": [0.9, 0.8], "Fold": [0, 1]}).labels
        ('Accuracy', 'Fold')
        """
        return tuple(self._columns)

    @property
    def main(self) -> str:
        """The label that arithmetic, statistics and tests are about.

        >>> from intemi.series import Series
        >>> Series({"Accuracy": [0.9, 0.8], "Fold": [0, 1]}).main
        'Accuracy'
        """
        return self._main

    @property
    def values(self) -> Any:
        """The column of the main label: an array or a tuple, as the caller knows.

        >>> from intemi.series import Series
        >>> Series({"Accuracy": [0.9, 0.8], "Fold": [0, 1]}).values
        array([0.9, 0.8])
        """
        return self._columns[self._main]

    def __len__(self) -> int:
        return len(next(iter(self._columns.values())))

    @overload
    def __getitem__(self, key: str) -> Any: ...
    @overload
    def __getitem__(self, key: slice | list[int] | list[bool] | NDArray[Any]) -> Self: ...
    def __getitem__(self, key: Any) -> Any:
        """The column of a label; the rows of a slice, a mask (a bool for each row) or positions."""
        if isinstance(key, str):
            self._known([key])
            return self._columns[key]
        if isinstance(key, slice):
            return self._taken(np.arange(len(self))[key])
        chosen = np.asarray(key)
        if chosen.ndim != 1 or (chosen.dtype.kind not in "biu" and len(chosen)):
            raise SeriesError(
                "Series: [...] takes a label, a slice, a mask or a list of positions (row(n) gives one row), "
                f"got {shown(key)}"
            )
        if chosen.dtype.kind == "b":
            if len(chosen) != len(self):
                raise SeriesError(f"Series: a mask must have a bool for each of {len(self)} rows, got {len(chosen)}")
            return self._taken(np.flatnonzero(chosen))
        wrong = chosen[(chosen < -len(self)) | (chosen >= len(self))]
        if len(wrong):
            raise SeriesError(f"Series: a position must be less than {len(self)}, the number of rows, got {wrong[0]}")
        return self._taken(np.arange(len(self))[chosen.astype(np.int64)])

    def row(self, position: int) -> dict[str, Cell]:
        """The cells of one row by their labels.

        >>> from intemi.series import Series
        >>> Series({"Accuracy": [0.9, 0.8], "Fold": [0, 1]}).row(1)
        {'Accuracy': 0.8, 'Fold': 1}
        """
        if not -len(self) <= position < len(self):
            raise SeriesError(f"row: a position must be less than {len(self)}, the number of rows, got {position}")
        return {label: cell_at(values, position) for label, values in self._columns.items()}

    def __iter__(self) -> Iterator[dict[str, Cell]]:
        """All rows, as `row` gives them."""
        for cells in zip(*map(cells_of, self._columns.values()), strict=True):
            yield dict(zip(self._columns, cells, strict=True))

    def __eq__(self, other: object) -> bool:
        """Whether labels, their order, the main one and all cells are the same; NaN equals NaN, 1 and 1.0 differ."""
        if not isinstance(other, Rows):
            return NotImplemented
        return (
            self.labels == other.labels
            and self._main == other._main
            and all(same_columns(values, other._columns[label]) for label, values in self._columns.items())
        )

    def __repr__(self) -> str:
        return text_table(self._columns, self._main)

    def _repr_html_(self) -> str:
        return html_table(self._columns, self._main)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._columns, self._main)

    def _taken(self, positions: NDArray[np.int64]) -> Self:
        return self._of({label: taken(values, positions) for label, values in self._columns.items()}, self._main)

    def _known(self, labels: Iterable[str], what: str = "a label") -> None:
        """Refuse labels that are not there."""
        for label in labels:
            if label not in self._columns:
                raise SeriesError(f"Series: {what} must be one of {listed(self._columns)}, got {shown(label)}")


def _label(label: object) -> str:
    if not isinstance(label, str) or not label:
        raise SeriesError(f"Series: a label must be a text and not empty, got {shown(label)}")
    return str(cell(label))


def _read(label: str, values: Iterable[Any]) -> Column:
    try:
        return column(values)
    except SeriesError as error:
        raise SeriesError(f"Series: {label}: {error}") from None
