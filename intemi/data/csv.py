"""CSV: values separated by commas, semicolons, tabs or bars; types are inferred and can be overridden.

A column is numeric if every value in it is a number or missing, else nominal; its categories are sorted, so that they
do not depend on the order of the rows. A value in double quotes is never taken for a missing one, except among numbers.
Among numbers, more texts mean that one is missing than among texts, where `NULL` may well be a name.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from intemi.data.assembly import assembled
from intemi.data.cells import LONGEST_MARKER, Cells, Dictionary, Mask, Positions, find, number_of, trimmed
from intemi.data.choosing import check_choice, kept_columns
from intemi.data.column import Column
from intemi.data.data import Data
from intemi.data.errors import DataError, listed, shown
from intemi.data.file_format import FileFormat, stem_of
from intemi.data.numbering import measurement
from intemi.data.texts import decoded, file_bytes, write_text, written_columns
from intemi.kernel import ConfigurationError

DELIMITERS = (",", ";", "\t", "|")
DECIMALS = (".", ",")
MISSING = ("", "?", "NA", "nan", "NaN")
MISSING_NUMBERS = (*MISSING, "N/A", "n/a", "#N/A", "<NA>", "NULL", "null")
"""What is missing in a column that is numeric otherwise; nobody would mix these with numbers and mean a category."""
_SAMPLE = 50
_HEAD = 1 << 16
_NEWLINE, _RETURN, _QUOTE = b'\n\r"'
_SWAP = bytes.maketrans(b",.", b".,")
_QUOTED_PART = re.compile(rb'"[^"]*+"?+')
Nominal = Sequence[str] | Mapping[str, Sequence[str]]


def read_csv(
    path: str | Path,
    target: str | None = None,
    *,
    nominal: Nominal = (),
    numeric: Sequence[str] = (),
    weights: str | None = None,
    delimiter: str | None = None,
    header: bool = True,
    missing: Sequence[str] | None = None,
    decimal: str = ".",
    encoding: str = "utf-8",
    drop: Sequence[str] = (),
    columns: Sequence[str] | None = None,
) -> Data:
    """The data of a CSV file.

    The target is the column of that name, or the last one if none is named; `""` for no target. Whole numbers in it
    are classes; fractions are only if it is among the `nominal` columns. `nominal` and `numeric` name columns whose
    type is not to be inferred; as a mapping, `nominal` tells their categories too. `weights` names the column with the
    weights of the rows. Without a `header`, columns are called `column 1` and so on. `missing` are the texts that mean
    that a value is missing, beside an empty cell, instead of the usual ones. `drop` names columns to leave out,
    `columns` those to read, beside the target and the weights that are named.
    """
    options = Options(target, nominal, numeric, weights, delimiter, header, missing, decimal, encoding, drop, columns)
    return parse_csv(file_bytes(path), str(path), options)


@dataclass(frozen=True)
class Options:
    """How a CSV file is to be read."""

    target: str | None = None
    nominal: Nominal = ()
    numeric: Sequence[str] = ()
    weights: str | None = None
    delimiter: str | None = None
    header: bool = True
    missing: Sequence[str] | None = None
    decimal: str = "."
    encoding: str = "utf-8"
    drop: Sequence[str] = ()
    columns: Sequence[str] | None = None

    def __post_init__(self) -> None:
        check_choice("read_csv", self.drop, self.columns)
        for what, text in (("weights", self.weights), ("delimiter", self.delimiter), ("encoding", self.encoding)):
            if text is not None and not isinstance(text, str):
                raise ConfigurationError(f"read_csv: {what} must be a text, got {text!r}")
        if not isinstance(self.header, bool):
            raise ConfigurationError(f"read_csv: header must be True or False, got {self.header!r}")
        if self.delimiter is not None and (len(self.delimiter) != 1 or not self.delimiter.isascii()):
            raise ConfigurationError(f"read_csv: delimiter must be one ASCII character, got {self.delimiter!r}")
        if self.delimiter in ('"', "\n", "\r", "\0"):
            raise ConfigurationError(f"read_csv: delimiter must not be a quote or a line end, got {self.delimiter!r}")
        if self.decimal not in DECIMALS:
            raise ConfigurationError(f"read_csv: decimal must be one of '.' and ',', got {self.decimal!r}")
        if self.decimal == self.delimiter:
            raise ConfigurationError(f"read_csv: decimal and delimiter must differ, got {self.decimal!r} for both")
        for what, names in (("nominal", self.nominal), ("numeric", self.numeric), ("missing", self.missing or ())):
            if isinstance(names, str) or not all(isinstance(name, str) for name in names):
                raise ConfigurationError(f"read_csv: {what} must be a list of texts, got {names!r}")
        for text in self.missing or ():
            if len(text.encode("utf-8", "surrogatepass")) > LONGEST_MARKER:
                raise ConfigurationError(
                    f"read_csv: texts in missing must have at most {LONGEST_MARKER} bytes, got {shown(text)}"
                )
        numeric = frozenset(self.numeric)
        both = [name for name in self.nominal if name in numeric]
        if both:
            raise ConfigurationError(f"read_csv: a column is nominal or numeric, got {both[0]!r} as both")
        if isinstance(self.nominal, Mapping):
            for name, categories in self.nominal.items():
                Column(name, categories)  # type: ignore[arg-type]  # refuses categories that are none

    def missing_among(self, usual: Sequence[str]) -> tuple[bytes, ...]:
        """The texts of missing values: the usual ones, unless others were told."""
        texts = usual if self.missing is None else ("", *self.missing)
        return tuple(dict.fromkeys(text.encode("utf-8", "surrogatepass") for text in texts))


def parse_csv(content: bytes, file: str, options: Options | None = None) -> Data:
    """The data in the bytes of a CSV file; `file` is what errors call it.

    >>> parse_csv(b"height;class\\n1.5;a\\nNA;b\\n", "people.csv")
    Data(2 rows, 1 numeric and 0 nominal columns, class of 2: a 1, b 1)
    """
    options = options or Options()
    cells = _all_cells(content, file, options)
    if len(cells) <= options.header:
        raise DataError(file, 1, "no rows", "at least one after the names of the columns")
    cells = _without_empty_end(cells)
    names = _names(cells, file, options.header)
    if len(names) == 1 and options.delimiter is None and options.target != "":
        raise DataError(
            file,
            None,
            f"no column beside {shown(names[0])}",
            f"several, separated by one of {' '.join(map(repr, DELIMITERS))} or by what delimiter= says "
            "(target='' if there is only one)",
        )
    kept = kept_columns(file, names, options.drop, options.columns, options.target, options.weights)
    if len(kept) < len(names):
        names, cells = [names[index] for index in kept], cells.some_columns(kept)
    return _Reading(file, names, cells.after(0) if options.header else cells, options).data()


def delimiter_of(content: bytes, file: str, options: Options) -> str:
    """What separates the values of a file: what was told, or else found in its first lines."""
    return _delimiter(decoded(content, file, options.encoding), options)


def _delimiter(text: bytes, options: Options) -> str:
    return options.delimiter or _detected(text, [each for each in DELIMITERS if each != options.decimal])


def _all_cells(content: bytes, file: str, options: Options) -> Cells:
    text = decoded(content, file, options.encoding)
    return _cells(text, file, _delimiter(text, options).encode())


class CSV(FileFormat):
    """Values separated by commas, semicolons, tabs or bars; types are inferred and can be overridden."""

    extensions = (".csv", ".tsv")

    def parse(
        self,
        content: bytes,
        file: str,
        target: str | None = None,
        *,
        nominal: Nominal = (),
        numeric: Sequence[str] = (),
        weights: str | None = None,
        delimiter: str | None = None,
        header: bool = True,
        missing: Sequence[str] | None = None,
        decimal: str = ".",
        encoding: str = "utf-8",
        drop: Sequence[str] = (),
        columns: Sequence[str] | None = None,
    ) -> Data:
        """The data in the bytes of a file."""
        options = Options(
            target, nominal, numeric, weights, delimiter, header, missing, decimal, encoding, drop, columns
        )
        return parse_csv(content, file, options)

    def check_options(self, target: str | None, options: Mapping[str, Any]) -> None:
        """Refuse values of options that make no sense."""
        Options(target, **options)

    def row_lines(self, content: bytes, file: str, options: Mapping[str, Any]) -> Sequence[int] | None:
        """For each row the number of the line on which it begins."""
        told = Options(**options)
        lines: list[int] = _all_cells(content, file, told).lines.tolist()
        return lines[1:] if told.header else lines

    def write(  # type: ignore[override]
        self, data: Data, path: str | Path, *, delimiter: str | None = None, weights: str = "weight"
    ) -> None:
        """Write data to a file; tabs separate the values of a .tsv file."""
        usual = "\t" if Path(path).suffix.lower() == ".tsv" else ","
        write_csv(data, path, delimiter=usual if delimiter is None else delimiter, weights=weights)


def _without_empty_end(cells: Cells) -> Cells:
    """Cells without the columns that delimiters at the ends of all lines would make: no name, no value."""
    width = cells.starts.shape[1]
    while width > 1 and bool((cells.starts[:, width - 1] >= cells.ends[:, width - 1]).all()):
        width -= 1
    return cells if width == cells.starts.shape[1] else cells.some_columns(range(width))


def _detected(text: bytes, delimiters: Sequence[str]) -> str:
    """The delimiter of which the first lines hold the same number, and many."""
    head = _QUOTED_PART.sub(b"", text[:_HEAD])
    lines = head.replace(b"\r", b"\n").split(b"\n")
    lines = [line for line in (lines[:-1] if len(lines) > 1 else lines)[:20] if line.strip()]
    if not lines:
        return delimiters[0]

    def quality(delimiter: str) -> tuple[bool, int]:
        counts = [line.count(delimiter.encode()) for line in lines]
        return min(counts) == max(counts) > 0, counts[0]

    return max(delimiters, key=quality)


def _cells(text: bytes, file: str, delimiter: bytes) -> Cells:
    """All cells of a file, each row with as many as the first."""
    if not text.endswith((b"\n", b"\r")):
        text += b"\n"
    marks, symbols = find(text, (b"\n", b"\r", delimiter, b'"'))
    is_quote = symbols == _QUOTE
    outside = np.cumsum(is_quote) % 2 == 0
    is_line = symbols == _NEWLINE
    if b"\r" in text:
        following = np.frombuffer(text + b"\n", np.uint8)[marks + 1]
        alone = (symbols == _RETURN) & ((following != _NEWLINE) | (marks == len(text) - 1))
        is_line |= alone
    if not outside[-1]:
        begin = int(marks[is_quote][-1])
        line = text.count(b"\n", 0, begin) + 1
        raise DataError(file, line, "a quote that is never closed", "quotes in pairs, doubled inside of values")
    keep = outside & (is_line | (symbols == delimiter[0]))
    before = np.cumsum(is_line) - is_line
    ends = marks[keep]
    starts = np.concatenate([[0], ends[:-1] + 1])
    is_last = is_line[keep]
    last = np.flatnonzero(is_last)
    first = np.concatenate([[0], last[:-1] + 1])
    line_numbers = np.concatenate([[1], before[keep][last[:-1]] + 2])
    starts, ends = trimmed(text, starts, ends)
    blank = (last == first) & (starts[first] >= ends[first])
    first, last, line_numbers = first[~blank], last[~blank], line_numbers[~blank]
    if not len(first):
        raise DataError(file, 1, "nothing but blank lines", "a line with the names of the columns")
    counts = last - first + 1
    if (counts != counts[0]).any():
        wrong = int(np.flatnonzero(counts != counts[0])[0])
        raise DataError(
            file,
            int(line_numbers[wrong]),
            "1 value" if counts[wrong] == 1 else f"{counts[wrong]} values",
            f"{counts[0]}, as on line {line_numbers[0]} (separated by {shown(delimiter.decode())})",
        )
    quoted = None
    if is_quote.any():
        held = np.bincount(np.searchsorted(marks[keep], marks[is_quote]), minlength=len(starts))
        text, starts, ends, quoted = _unquoted(text, file, starts, ends, held)
    if blank.any():
        picked = first[:, None] + np.arange(counts[0])
        starts, ends, quoted = starts[picked], ends[picked], None if quoted is None else quoted[picked]
    else:
        shape = (len(first), int(counts[0]))
        starts, ends = starts.reshape(shape), ends.reshape(shape)
        quoted = None if quoted is None else quoted.reshape(shape)
    return Cells(text, starts, ends, quoted, line_numbers)


def _unquoted(
    text: bytes, file: str, starts: Positions, ends: Positions, held: Positions
) -> tuple[bytes, Positions, Positions, Mask]:
    """Cells without their quotes; `held` says how many quotes there are in each."""
    array = np.frombuffer(text, np.uint8)
    opened = (held > 0) & (ends - starts >= 2) & (array[np.minimum(starts, len(array) - 1)] == _QUOTE)
    quoted = opened & (array[np.maximum(ends - 1, 0)] == _QUOTE)
    starts, ends = starts + quoted, ends - quoted
    contents = []
    size = len(text)
    for index in np.flatnonzero((held > 0) & ~(quoted & (held == 2))).tolist():
        content = text[starts[index] : ends[index]]
        if not quoted[index] or b'"' in content.replace(b'""', b""):
            line = text.count(b"\n", 0, int(starts[index])) + 1
            whole = content.decode("utf-8", "replace")
            raise DataError(
                file, line, f"a quote within {shown(whole)}", "the whole value in quotes, inner ones doubled"
            )
        content = content.replace(b'""', b'"')
        contents.append(content)
        starts[index], ends[index] = size, size + len(content)
        size += len(content)
    return b"".join([text, *contents]), starts, ends, quoted


def _names(cells: Cells, file: str, header: bool) -> list[str]:
    width = cells.starts.shape[1]
    if not header:
        return [f"column {index + 1}" for index in range(width)]
    names: dict[str, None] = {}
    for index in range(width):
        name = cells.content(0, index).decode() or f"column {index + 1}"
        if name in names:
            raise DataError(
                file,
                int(cells.lines[0]),
                f"the name {shown(name)} twice",
                "names of columns that differ (header=False if there are none)",
            )
        names[name] = None
    return list(names)


class _Reading:
    """Cells with names, on the way to columns."""

    def __init__(self, file: str, names: list[str], cells: Cells, options: Options) -> None:
        self.file = file
        self.names = names
        self.cells = cells
        self.options = options
        self._places = {name: index for index, name in enumerate(names)}
        self._missing = options.missing_among(MISSING)
        # Numbers are read with a point; a point among numbers with commas must not be taken for one.
        self._swapped = options.decimal == ","
        self._numbers = cells.translated(_SWAP) if self._swapped else cells
        self._no_numbers = tuple(map(self._plain, options.missing_among(MISSING_NUMBERS)))

    def data(self) -> Data:
        """The columns with their values as data."""
        options = self.options
        for name in (*options.nominal, *options.numeric, options.weights, options.target):
            if name and name not in self._places:
                raise DataError(self.file, None, f"no column called {shown(name)}", f"one of {listed(self.names)}")
        weights = self._places[options.weights] if options.weights else None
        target = self._target()
        values = np.empty((len(self.names), len(self.cells)))
        numeric = self._read_numbers(values, target, weights)
        columns = [Column(name) for name in self.names]
        for index, name in enumerate(self.names):
            if index not in numeric:
                columns[index], values[index] = self._nominal(index, name, index == target)
        if weights is None:
            return self._assembled(columns, values, target, None)
        given = values[weights]
        wrong = ~(np.isfinite(given) & (given >= 0))
        if wrong.any():
            self._refuse(int(np.flatnonzero(wrong)[0]), weights, "a weight of at least 0")
        target = None if target is None else target - (weights < target)
        return self._assembled(
            [column for index, column in enumerate(columns) if index != weights],
            np.delete(values, weights, axis=0),
            target,
            given,
        )

    def _assembled(self, columns: list[Column], values: Any, target: int | None, weights: Any) -> Data:
        return assembled(columns, values, target, weights, stem_of(self.file))

    def _target(self) -> int | None:
        if self.options.target is None:
            candidates = [index for index, name in enumerate(self.names) if name != self.options.weights]
            return candidates[-1] if candidates else None
        return self._places[self.options.target] if self.options.target else None

    def _read_numbers(self, values: Any, target: int | None, weights: int | None) -> set[int]:
        """Read the columns that hold numbers, those that must and those that do; which these are."""
        must = {self._places[name] for name in self.options.numeric}
        if weights is not None:
            must.add(weights)
        if target is not None and target in must:
            raise DataError(self.file, None, f"numbers in the target {shown(self.names[target])}", "a nominal column")
        told = {target, *(self._places[name] for name in self.options.nominal)}
        may = [
            index
            for index in range(len(self.names))
            if index in must or (index not in told and self._seems_numeric(index))
        ]
        found, wrong = self._numbers.numbers(may, self._no_numbers, even_quoted=True)
        for position, row in sorted(wrong.items(), key=lambda item: item[1]):
            if may[position] in must:
                self._refuse(row, may[position], "a number")
        good = [position for position in range(len(may)) if position not in wrong]
        numeric = [may[position] for position in good]
        values[numeric] = found[good]
        return set(numeric)

    def _seems_numeric(self, index: int) -> bool:
        """Whether a look at a few cells finds nothing but numbers."""
        contents = (self._numbers.content(row, index) for row in range(min(_SAMPLE, len(self.cells))))
        return all(content in self._no_numbers or number_of(content) is not None for content in contents)

    def _plain(self, content: bytes) -> bytes:
        """A cell as it would be written with a decimal point."""
        return content.translate(_SWAP) if self._swapped else content

    def _nominal(self, index: int, name: str, is_target: bool) -> tuple[Column, Any]:
        given = self.options.nominal
        if isinstance(given, Mapping) and name in given:
            categories = tuple(given[name])
            (codes,), wrong = self.cells.codes([index], Dictionary.of(categories), self._missing)
            if wrong:
                self._refuse(wrong[0], index, listed(categories))
            return Column(name, categories), codes
        distinct, found = self.cells.distinct(index, self._missing)
        numbers = {content.decode(): number_of(self._plain(content)) for content in distinct}
        if is_target:
            self._check_classes(name, numbers)
        categories = _sorted(numbers)
        places = {category: code for code, category in enumerate(categories)}
        codes = np.array([*(places[text] for text in numbers), math.nan])[
            np.where(np.isnan(found), len(numbers), found).astype(np.int64)
        ]
        return Column(name, categories), codes

    def _check_classes(self, name: str, numbers: Mapping[str, float | None]) -> None:
        """Refuse classes that are numbers with fractions, and a target that nobody named and that is empty."""
        is_last = self.options.target is None
        which = f"the last column, {shown(name)}" if is_last else f"the target {shown(name)}"
        allowed = "classes there, or the name of another target (target='' for none)"
        if not numbers and is_last:
            raise DataError(self.file, None, f"no value in {which}", allowed)
        if name in self.options.nominal or any(number is None for number in numbers.values()):
            return
        fraction = measurement(np.array(list(numbers.values()), dtype=np.float64))
        if fraction is not None:
            raise DataError(
                self.file,
                None,
                f"numbers such as {fraction:g} in {which}",
                f"{allowed}; nominal=[{name!r}] to have them as classes",
            )

    def _refuse(self, row: int, index: int, expected: str) -> None:
        content = self.cells.content(row, index).decode("utf-8", "replace")
        raise DataError(
            self.file, int(self.cells.lines[row]), shown(content), f"{expected} for {shown(self.names[index])}"
        )


def _sorted(numbers: Mapping[str, float | None]) -> tuple[str, ...]:
    """Categories in order of their values if all are numbers, else of their texts."""
    if any(number is None or number != number for number in numbers.values()):
        return tuple(sorted(numbers))
    return tuple(sorted(numbers, key=lambda category: (numbers[category], category)))


# Writing


def write_csv(data: Data, path: str | Path, *, delimiter: str = ",", weights: str = "weight") -> None:
    """Write data as CSV, the target last; weights, if there are any, in a column of their own before it."""
    write_text(path, csv_text(data, delimiter=delimiter, weights=weights))


def csv_text(data: Data, *, delimiter: str = ",", weights: str = "weight") -> str:
    """Data as the text of a CSV file."""
    Options(delimiter=delimiter)
    quoted = _quoting(delimiter)
    names = [column.name for column in [*data.columns, *([data.target] if data.target else [])]]
    alone = len(names) + data.is_weighted == 1
    written = written_columns("write_csv", data, quoted, "NA" if alone else "")
    if data.is_weighted:
        if weights in names or not weights:
            raise ConfigurationError(f"write_csv: weights must be the name of no other column, got {weights!r}")
        place = len(data.columns)
        names.insert(place, weights)
        written.insert(place, list(map(repr, data.weights.tolist())))
    rows = zip(*written, strict=True)
    return "\n".join([delimiter.join(map(quoted, names)), *map(delimiter.join, rows), ""])


def _quoting(delimiter: str) -> Callable[[str], str]:
    special = re.compile(rf'[{re.escape(delimiter)}"\r\n]')

    def quoted(text: str) -> str:
        if "\0" in text:
            raise ConfigurationError(f"write_csv: names and categories must not hold zero characters, got {text!r}")
        missing = text.lower() in ("", "?", "na", "nan")
        if missing or special.search(text) or text != text.strip() or not text.isprintable():
            return '"' + text.replace('"', '""') + '"'
        return text

    return quoted
