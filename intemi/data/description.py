"""Description: what is in a table, column by column, for people and for programs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from intemi.data.column import Column
from intemi.data.data import Data
from intemi.data.exchange import from_pandas
from intemi.data.files import check_reading, notes_on_file
from intemi.data.notes import Note, class_counts, notes_on
from intemi.data.texts import file_bytes
from intemi.kernel import ConfigurationError

EXAMPLES = 3
MAX_EXAMPLE = 20
"""Characters of a value that are shown."""
MAX_CLASSES = 12
"""Classes whose counts are shown as text."""


@dataclass(frozen=True)
class ColumnDescription:
    """What is in a column."""

    name: str
    is_numeric: bool
    is_target: bool
    categories: int
    """How many categories it has; 0 if it is numeric."""
    missing: int
    examples: tuple[str, ...]
    """The first different values."""
    low: float | None = None
    high: float | None = None

    @property
    def type(self) -> str:
        return "target" if self.is_target else "numeric" if self.is_numeric else "nominal"


@dataclass(frozen=True)
class Description:
    """What is in a table: its columns, its classes, and notes on what looks suspicious."""

    name: str
    rows: int
    columns: tuple[ColumnDescription, ...]
    """The target is the last."""
    classes: Mapping[str, int]
    """How many rows each class has; empty without a target."""
    notes: tuple[Note, ...]

    def to_plain(self) -> dict[str, Any]:
        """It as JSON can have it."""
        return {
            "name": self.name,
            "rows": self.rows,
            "columns": [
                {
                    "name": each.name,
                    "type": each.type,
                    "categories": None if each.is_numeric else each.categories,
                    "missing": each.missing,
                    "least": each.low,
                    "greatest": each.high,
                    "examples": list(each.examples),
                }
                for each in self.columns
            ],
            "classes": dict(self.classes),
            "notes": [{"kind": each.kind, "columns": list(each.columns), "text": each.text} for each in self.notes],
        }

    def __str__(self) -> str:
        lines = [f"{self.name or 'data'}: {self.rows:,} rows, {len(self.columns)} columns", ""]
        table = [["column", "type", "values", "missing", "examples"]]
        table += [
            [each.name, each.type, _values(each), f"{each.missing:,}" if each.missing else "", "; ".join(each.examples)]
            for each in self.columns
        ]
        widths = [max(len(row[place]) for row in table) for place in range(4)]
        lines += ["  ".join([*map(str.ljust, row[:4], widths), row[4]]).rstrip() for row in table]
        if self.classes:
            shown = [f"{label} {count:,}" for label, count in list(self.classes.items())[:MAX_CLASSES]]
            more = len(self.classes) - len(shown)
            lines += ["", f"Classes: {', '.join(shown)}{f' and {more:,} more' if more else ''}"]
        return "\n".join([*lines, *([""] if self.notes else []), *(f"Note: {note}" for note in self.notes)])


def describe(source: Data | str | Path | Any, target: str | None = None, **options: Any) -> Description:
    """What is in data, in a pandas frame, or in a file, which is read with the options of its format.

    >>> from intemi.data import from_numpy
    >>> print(describe(from_numpy([[1.5, 7], [2.5, float("nan")]], ["yes", "no"], names=["size", "age"])))
    data: 2 rows, 3 columns
    <BLANKLINE>
    column  type     values      missing  examples
    size    numeric  1.5 to 2.5           1.5; 2.5
    age     numeric  7 to 7      1        7
    class   target   2 classes            yes; no
    <BLANKLINE>
    Classes: no 1, yes 1
    <BLANKLINE>
    Note: classes of 'class' have one row each: 'no', 'yes'; what has one row cannot be both learned and tested
    """
    if isinstance(source, str | Path):
        found = check_reading(source, target, options)
        content = file_bytes(source)
        data = found.data_in(content, str(source), target, options)
        return _described(data, notes_on_file(data, source, options, content))
    if isinstance(source, Data):
        if target is not None or options:
            raise ConfigurationError("describe: data have been read already, options are for files and frames")
        return _described(source, notes_on(source))
    data = from_pandas(source, target, **options)
    return _described(data, notes_on(data))


def _described(data: Data, notes: tuple[Note, ...]) -> Description:
    columns = [_column(column, data.feature(index)) for index, column in enumerate(data.columns)]
    classes: dict[str, int] = {}
    if data.target is not None:
        codes = data.classes
        columns.append(_column(data.target, np.where(codes < 0, np.nan, codes), is_target=True))
        classes = dict(zip(data.labels, class_counts(data), strict=True))
    return Description(data.name, len(data), tuple(columns), classes, notes)


def _column(column: Column, values: Any, is_target: bool = False) -> ColumnDescription:
    present = values[~np.isnan(values)]
    different = list(dict.fromkeys(present[:1000].tolist()))[:EXAMPLES]
    if column.categories is None:
        texts = [f"{value:g}" for value in different]
    else:
        texts = [_shortened(column.categories[int(code)]) for code in different]
    limits = (
        (float(present.min()), float(present.max())) if column.categories is None and len(present) else (None, None)
    )
    return ColumnDescription(
        column.name,
        column.categories is None,
        is_target,
        0 if column.categories is None else len(column.categories),
        len(values) - len(present),
        tuple(texts),
        *limits,
    )


def _values(column: ColumnDescription) -> str:
    if column.is_numeric:
        return "none" if column.low is None else f"{column.low:g} to {column.high:g}"
    what = "class" if column.is_target else "category"
    many = "classes" if column.is_target else "categories"
    return f"{column.categories:,} {what if column.categories == 1 else many}"


def _shortened(text: str) -> str:
    return text if len(text) <= MAX_EXAMPLE else f"{text[: MAX_EXAMPLE - 1]}…"
