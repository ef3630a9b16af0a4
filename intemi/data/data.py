"""Data: what machines pass around, a table with a selection of its rows and columns.

A selection costs no copy. Selections are canonical (sorted), so equal ones are equal however they were reached, and so
are their digests.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from intemi.data.column import Column
from intemi.data.table import Codes, Floats, Table
from intemi.kernel import ConfigurationError, storable
from intemi.kernel.encoding import digest, encode, head_of_tuple
from intemi.kernel.errors import MalformedError
from intemi.kernel.protection import Frozen, sealed, set_once

Bits = NDArray[np.uint8]
MOST_ROWS, MOST_COLUMNS = 5, 20
"""So much of it is shown in a notebook."""
MANY_BITS = 1_000_000
"""Rows times parts up to which they are worked out all at once."""


@storable
class Data(Frozen):
    """Rows and columns of a table.

    >>> table = Table([Column("x"), Column("y")], [[1, 2, 3], [4, 5, 6]], Column("class", ("a", "b")), [0, 1, 0])
    >>> data = Data(table)
    >>> part = data.select_rows([2, 0]).select_columns(["y"])
    >>> part
    Data(2 rows, 1 numeric and 0 nominal columns, class of 2: a 2, b 0)
    >>> part == data.select_columns([1]).select_rows([0, 2])
    True
    """

    __slots__ = ("__weakref__", "_bits", "_columns", "_rows", "table")

    is_immutable = True

    table: Table
    _rows: Codes | None
    _columns: Codes | None
    _bits: Bits | None
    """A bit for each row of the table, if that is known of a view."""

    def __init__(self, table: Table, rows: Any = None, columns: Any = None) -> None:
        if rows is not None:
            rows = _unless_all(_canonical(rows, len(table), "row", unique=False), len(table))
        if columns is not None:
            size = len(table.columns)
            columns = _unless_all(_canonical(columns, size, "column", unique=True), size)
        self._fill(table, rows, columns, None)

    def _fill(self, table: Table, rows: Codes | None, columns: Codes | None, bits: Bits | None) -> None:
        """Set all attributes, once."""
        set_once(self, "table", table)
        set_once(self, "_rows", rows)
        set_once(self, "_columns", columns)
        set_once(self, "_bits", bits)

    # What it is

    @property
    def columns(self) -> tuple[Column, ...]:
        """The selected columns."""
        every = self.table.columns
        return every if self._columns is None else tuple(every[index] for index in self._columns.tolist())

    @property
    def name(self) -> str:
        """What its table is called; empty if it has no name."""
        return self.table.name

    @property
    def target(self) -> Column | None:
        """The column to be predicted."""
        return self.table.target

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the classes."""
        if self.target is None or self.target.categories is None:
            raise ConfigurationError(f"{self!r}: it has no target")
        return self.target.categories

    def __len__(self) -> int:
        return len(self.table) if self._rows is None else len(self._rows)

    @property
    def rows(self) -> Codes:
        """The indices of its rows in the table."""
        return np.arange(len(self.table), dtype=np.int32) if self._rows is None else self._rows.view()

    @property
    def column_indices(self) -> Codes:
        """The indices of its columns in the table."""
        return self.table.column_indices.view() if self._columns is None else self._columns.view()

    @property
    def category_counts(self) -> Codes:
        """The number of categories of each of its columns, 0 if it is numeric."""
        counts = self.table.category_counts
        return counts.view() if self._columns is None else counts.take(self._columns)

    # Values. What is not taken out of the table is a view of it: its shape can be set for one reader only.

    @property
    def features(self) -> Floats:
        """Its values, a row for each column; nothing is copied if it is the whole table."""
        values = self.table.features
        if self._columns is not None:
            values = values[self._columns]
        return values.view() if self._rows is None else values.take(self._rows, axis=1)

    def features_between(self, start: int, stop: int) -> Floats:
        """The values of the columns from `start` to `stop`, a row for each; values of other rows are not copied.

        >>> Data(Table([Column("x"), Column("y")], [[1, 2], [3, 4]])).features_between(1, 2)
        array([[3., 4.]])
        """
        if self._columns is not None:
            return np.array([self.feature(index) for index in range(start, stop)])
        values = self.table.features[start:stop]
        return values if self._rows is None else values.take(self._rows, axis=1)

    def feature(self, index: int) -> Floats:
        """The values of one of its columns."""
        values: Floats = self.table.features[index if self._columns is None else self._columns[index]]
        return values if self._rows is None else values.take(self._rows)

    @property
    def classes(self) -> Codes:
        """The indices of the classes of its rows."""
        if self.table.classes is None:
            raise ConfigurationError(f"{self!r}: it has no target")
        return self.table.classes.view() if self._rows is None else self.table.classes.take(self._rows)

    @property
    def weights(self) -> Floats:
        """The weights of its rows."""
        if self.table.weights is None:
            return np.ones(len(self))
        return self.table.weights.view() if self._rows is None else self.table.weights.take(self._rows)

    @property
    def is_weighted(self) -> bool:
        """Whether it has weights of its own."""
        return self.table.weights is not None

    def order(self, index: int) -> Codes:
        """Positions of its rows in ascending order of one of its columns, filtered from the order of the table."""
        order: Codes = self.table.order[index if self._columns is None else self._columns[index]]
        if self._rows is None:
            return order
        counts = np.bincount(self._rows, minlength=len(self.table))
        first = np.searchsorted(self._rows, order)
        repeated = np.repeat(first, counts[order])
        if counts.max(initial=0) <= 1:
            return repeated.astype(np.int32)
        starts = np.cumsum(counts[order]) - counts[order]
        offsets = np.arange(len(repeated)) - np.repeat(starts, counts[order])
        return (repeated + offsets).astype(np.int32)

    # Views and new tables

    def select_rows(self, positions: Any) -> Data:
        """A view of some of its rows, by position or by truth values; a row may be taken several times."""
        positions = np.asarray(positions)
        if positions.dtype == bool:
            chosen = _sized(positions, len(self), "rows").nonzero()[0].astype(np.int32)
        else:
            chosen = _canonical(positions, len(self), "row", unique=False)
        rows = chosen if self._rows is None else self._rows.take(chosen)  # ascending, since both are
        return self._view(_unless_all(rows, len(self.table)), self._columns)

    def parts(self, numbers: Any, count: int) -> tuple[list[Data], list[Data]]:
        """Views of the rows of each of `count` parts, and for each part of all other rows.

        Every row has the number of its part, below `count`.

        >>> data = Data(Table([Column("x")], [[7, 8, 9]]))
        >>> [part.rows.tolist() for part in data.parts([1, 0, 1], 2)[0]]
        [[1], [0, 2]]
        """
        numbers, rows = _sized(np.asarray(numbers), len(self), "rows", "numbers of parts"), self.rows
        together = rows.take(numbers.argsort(kind="stable"))
        ends = np.bincount(numbers, minlength=count).cumsum().tolist()
        if len(ends) != count:
            raise ConfigurationError(f"Data: the numbers of {count} parts must be below {count}, got {len(ends) - 1}")
        parts = [together[start:end] for start, end in pairwise([0, *ends])]
        others = [rows.take((numbers != number).nonzero()[0]) for number in range(count)]
        size, columns = len(self.table), self._columns
        bits, other_bits = _bits_of_parts(rows, numbers, count, size)
        return (
            [self._view(_unless_all(part, size), columns, known) for part, known in zip(parts, bits, strict=True)],
            [
                self._view(_unless_all(rest, size), columns, known)
                for rest, known in zip(others, other_bits, strict=True)
            ],
        )

    def select_columns(self, chosen: Any) -> Data:
        """A view of some of its columns, by position, truth values or names; their order stays that of the table."""
        chosen = list(chosen)
        if chosen and all(isinstance(each, str) for each in chosen):
            positions = {column.name: index for index, column in enumerate(self.columns)}
            unknown = [name for name in chosen if name not in positions]
            if unknown:
                raise ConfigurationError(
                    f"{self!r}: no column is called {unknown[0]!r}; there are {_listed(positions)}"
                )
            chosen = [positions[name] for name in chosen]
        indices = np.asarray(chosen)
        if indices.dtype == bool:
            indices = np.flatnonzero(_sized(indices, len(self.columns), "columns"))
        places = _canonical(indices, len(self.columns), "column", unique=True)
        selected = places if self._columns is None else self._columns.take(places)
        return self._view(self._rows, _unless_all(selected, len(self.table.columns)))

    def _view(self, rows: Codes | None, columns: Codes | None, bits: Bits | None = None) -> Data:
        """A view of selections that are canonical already."""
        view = Data.__new__(Data)
        view._fill(self.table, rows, columns, bits)
        return view

    def with_features(self, columns: Sequence[Column], features: Any) -> Data:
        """New data with other features, and target, weights and rows as here."""
        return Data(self.table.with_features(columns, features, self._rows))

    def with_weights(self, weights: Any) -> Data:
        """The same rows with other weights; those that weigh nothing are left out. Values are not copied, unless a row
        occurs several times.

        >>> data = Data(Table([Column("x")], [[7, 8, 9]]))
        >>> heavier = data.with_weights([1, 0, 2])
        >>> heavier.features.tolist(), heavier.weights.tolist(), heavier.shares_rows(data)
        ([[7.0, 9.0]], [1.0, 2.0], True)
        """
        given = _sized(np.asarray(weights, dtype=np.float64), len(self), "rows", "weights")
        if self._rows is not None and not _distinct(self._rows):
            return self.with_features(self.columns, self.features).with_weights(given)
        everywhere, kept = given, self._rows
        if self._rows is not None:
            everywhere = np.zeros(len(self.table))
            everywhere[self._rows] = given
        if not given.all():
            kept = _unless_all(self.rows.take(np.flatnonzero(given)), len(self.table))
        return Data(self.table.reweighted(everywhere))._view(kept, self._columns)

    # Where rows come from

    @property
    def origins(self) -> Codes:
        """For each row, which row of the table it comes from that was there first: copies of a row have the same."""
        origin = self.table.origin
        return self.rows if origin is None or origin.rows is None else origin.rows.take(self.rows)

    @property
    def has_copies(self) -> bool:
        """Whether several of its rows come from one.

        >>> data = Data(Table([Column("x")], [[7, 8, 9]]))
        >>> data.has_copies, data.select_rows([0, 2, 2]).has_copies
        (False, True)
        """
        if self.table.has_copies:
            return len(np.unique(self.origins)) < len(self)
        return self._rows is not None and self._bits is None and not _distinct(self._rows)

    def shares_rows(self, other: Data) -> bool:
        """Whether a row of one, or a copy of it, is a row of the other.

        >>> data = Data(Table([Column("x")], [[7, 8, 9]]))
        >>> data.select_rows([0, 1]).shares_rows(data.select_rows([2]))
        False
        >>> data.select_rows([0, 1]).shares_rows(data.with_features([Column("y")], [[1, 2, 3]]))
        True
        """
        if not self._has_origin_of(other):
            return False
        have_bits = self.table is other.table and self._bits is not None and other._bits is not None
        if have_bits and not self.table.has_copies:
            return bool((self._bits & other._bits).any())  # type: ignore[operator]
        return bool(np.isin(self.origins, other.origins).any())

    def has_only_rows_of(self, other: Data) -> bool:
        """Whether each of its rows, or a copy of it, is a row of the other."""
        return self._has_origin_of(other) and bool(np.isin(self.origins, other.origins).all())

    def _has_origin_of(self, other: Data) -> bool:
        return self.table is other.table or self.table.origin_digest == other.table.origin_digest

    # Identity

    def state(self) -> tuple[Any, ...]:
        """What the store keeps: which rows and columns, which table they are of, and weights that differ from its."""
        rows = None if self._rows is None else self._packed_rows()
        if self.table.base is not None:
            return self.table.base, rows, self._columns, self.table.weights
        return self.table, rows, self._columns

    def _packed_rows(self) -> Codes | Bits:
        """Rows as a bit for each row of the table, where that is smaller and none of them occurs twice."""
        assert self._rows is not None
        size = len(self.table)
        if 8 * self._rows.nbytes <= size:
            return self._rows
        if self._bits is not None:
            return self._bits
        chosen = np.zeros(size, dtype=bool)
        chosen[self._rows.astype(np.intp)] = True  # as numpy counts by itself: it takes twice as long to translate them
        return np.packbits(chosen) if np.count_nonzero(chosen) == len(self._rows) else self._rows

    @classmethod
    def from_state(cls, state: tuple[Any, ...]) -> Data:
        """The view that was kept."""
        table, rows, columns, *weights = state
        if type(table) is not Table:
            raise MalformedError(f"data are of a table, got {type(table).__name__}")
        if weights:
            table = table.reweighted(*weights)
        if rows is not None and rows.dtype == np.uint8:
            rows = np.unpackbits(rows, count=len(table)).nonzero()[0]
        return cls(table, rows, columns)

    def content_digest(self) -> bytes:
        """The identity of its content: that of the table with the canonical selections."""
        if self._rows is None and self._columns is None:
            return digest(b"data", self.table.content_digest())
        selected = head_of_tuple(2), encode(self._rows), encode(self._columns)
        return digest(b"".join((b"data", self.table.content_digest(), *selected)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Data) and self.content_digest() == other.content_digest()

    def __hash__(self) -> int:
        return hash(self.content_digest())

    @property
    def nbytes(self) -> int:
        """Bytes that the view itself occupies, beside the table."""
        own = (self._rows, self._columns, None if self.table.base is None else self.table.weights)
        return sum(each.nbytes for each in own if each is not None)

    @property
    def shared_parts(self) -> tuple[Table]:
        """What it has in common with other views."""
        return (self.table if self.table.base is None else self.table.base,)

    def __getstate__(self) -> tuple[Any, ...]:
        return self.table, self._rows, self._columns, self._bits

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        """The view that was copied, or sent by another process."""
        table, rows, columns, bits = state
        self._fill(table, None if rows is None else sealed(rows), None if columns is None else sealed(columns), bits)

    # For people

    def __repr__(self) -> str:
        nominal = sum(column.is_nominal for column in self.columns)
        text = f"Data({len(self):,} rows, {len(self.columns) - nominal} numeric and {nominal} nominal columns"
        if self.target is not None:
            counts = np.bincount(self.classes[self.classes >= 0], minlength=len(self.labels))
            shown = ", ".join(f"{label} {count}" for label, count in zip(self.labels[:6], counts[:6], strict=True))
            text += f", {self.target.name} of {len(self.labels)}: {shown}{', …' if len(self.labels) > 6 else ''}"
        return text + ")"

    def _repr_html_(self) -> str:
        from html import escape

        part = self.select_columns(range(min(len(self.columns), MOST_COLUMNS)))
        part = part.select_rows(range(min(len(part), MOST_ROWS)))
        head = [column.name for column in part.columns]
        lines = [[_cell(column, value) for value in part.feature(index)] for index, column in enumerate(part.columns)]
        if more := len(self.columns) - len(part.columns):
            head.append(f"… and {more:,} more")
            lines.append(["…"] * len(part))
        if self.target is not None:
            head.append(self.target.name)
            lines.append([_cell(self.target, np.nan if code < 0 else code) for code in part.classes])
        names = "".join(f"<th>{escape(name)}</th>" for name in head)
        rows = zip(*lines, strict=True)
        body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
        return f"<p>{escape(repr(self))}</p><table><thead><tr>{names}</tr></thead><tbody>{body}</tbody></table>"


def _cell(column: Column, value: float) -> str:
    if np.isnan(value):
        return "?"
    return f"{value:g}" if column.categories is None else column.categories[int(value)]


def _canonical(chosen: Any, size: int, what: str, unique: bool) -> Codes:
    """Indices in ascending order."""
    indices = np.asarray(chosen)
    if indices.size and indices.dtype.kind not in "iu":
        raise ConfigurationError(f"Data: {what}s are chosen by whole numbers, got {indices.dtype}")
    if indices.ndim != 1:
        raise ConfigurationError(f"Data: {what}s are chosen by a list of numbers, got shape {indices.shape}")
    indices = np.sort(indices)
    if len(indices) and (indices[0] < 0 or indices[-1] >= size):
        wrong = indices[0] if indices[0] < 0 else indices[-1]
        raise ConfigurationError(f"Data: {what}s must be 0 to {size - 1}, got {wrong}")
    if unique and not _distinct(indices):
        raise ConfigurationError(f"Data: a {what} can be chosen only once")
    return indices.astype(np.int32, copy=False)


def _bits_of_parts(rows: Codes, numbers: Any, count: int, size: int) -> tuple[Sequence[Bits | None], ...]:
    """The rows of each part, and for each part all others, as bits: all at once that takes as long as for a few."""
    unknown = [None] * count
    if count * size > MANY_BITS:
        return unknown, unknown
    chosen = np.zeros((count, size), dtype=bool)
    chosen[numbers.astype(np.intp), rows.astype(np.intp)] = True
    every = chosen.any(axis=0)
    if np.count_nonzero(every) != len(rows):  # some of them occur twice
        return unknown, unknown
    return tuple(np.packbits(chosen, axis=1)), tuple(np.packbits(every ^ chosen, axis=1))


def _unless_all(indices: Codes, size: int) -> Codes | None:
    """Indices in ascending order, sealed; None if that is everything once."""
    if len(indices) == size and _distinct(indices):
        return None
    return sealed(indices)


def _distinct(ascending: Any) -> bool:
    return bool((ascending[1:] > ascending[:-1]).all())


def _sized(given: Any, size: int, what: str, kind: str = "truth values") -> Any:
    if given.shape != (size,):
        raise ConfigurationError(f"Data: {kind} for {size} {what} are needed, got shape {given.shape}")
    return given


def _listed(names: Any) -> str:
    names = list(names)
    return ", ".join(names[:12]) + (f" and {len(names) - 12} more" if len(names) > 12 else "")
