"""ARFF, the format of WEKA: numeric and nominal attributes, missing values, quotes, comments, weights of instances.

String and date attributes can only be left out; relational ones and sparse instances are refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from intemi.data.assembly import assembled, chosen_target
from intemi.data.cells import Cells, Dictionary, Floats
from intemi.data.choosing import check_choice, kept_columns
from intemi.data.column import Column
from intemi.data.data import Data
from intemi.data.errors import DataError, listed, shown
from intemi.data.file_format import FileFormat
from intemi.data.instances import Instances
from intemi.data.numbering import measurement, numbered
from intemi.data.quoting import QUOTED, between_quotes, pattern, quoted, value_at
from intemi.data.texts import decoded, file_bytes, write_text, written_columns

MISSING = (b"?",)
_NUMERIC = ("numeric", "real", "integer")
_UNREADABLE = ("string", "date")
_KEYWORD = re.compile(r"@(relation|attribute|data)(?![\w-])[ \t]*+", re.IGNORECASE)
_NAME = re.compile(rf"{QUOTED}|([^\s{{}},%'\"][^\s{{}},%]*+)[ \t]*+", re.DOTALL)
_CATEGORY = pattern(",%}")
_CHUNK = 1 << 18
"""So many bytes are read at once: what is computed from them stays in the processor's cache."""


def read_arff(
    path: str | Path,
    target: str | None = None,
    *,
    encoding: str = "utf-8",
    drop: Sequence[str] = (),
    columns: Sequence[str] | None = None,
) -> Data:
    """The data of an ARFF file.

    The target is the column of that name; if none is named, the nominal column called class or else the last nominal
    one; `""` for no target. Whole numbers in a target that is named are classes, fractions are not. `drop` names
    columns to leave out, strings and dates among them; `columns` those to read, beside a target that is named.
    """
    return parse_arff(file_bytes(path), str(path), target, encoding=encoding, drop=drop, columns=columns)


def parse_arff(
    content: bytes,
    file: str,
    target: str | None = None,
    *,
    encoding: str = "utf-8",
    drop: Sequence[str] = (),
    columns: Sequence[str] | None = None,
) -> Data:
    """The data in the bytes of an ARFF file; `file` is what errors call it.

    >>> parse_arff(b"@relation r\\n@attribute x real\\n@attribute class {a,b}\\n@data\\n1.5,a\\n?,b\\n", "r.arff")
    Data(2 rows, 1 numeric and 0 nominal columns, class of 2: a 1, b 1)
    """
    text = decoded(content, file, encoding)
    if b"\r" in text:
        text = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    header = _Header(file)
    begin = header.read(text)
    names = list(header.columns)
    kept = kept_columns(file, names, drop, columns, target)
    read = header.typed(kept)
    values, weights = _Values(file, names, kept, read).read(text, begin, header.lines)
    chosen = chosen_target(file, read, target, _default_target(read))
    if chosen is not None and not read[chosen].is_nominal:
        read[chosen], values[chosen] = _numbered(file, read[chosen].name, values[chosen])
    return assembled(read, values, chosen, weights, header.relation)


class ARFF(FileFormat):
    """ARFF, the format of WEKA: attributes with their types, then rows."""

    extensions = (".arff",)
    declares_types = True

    def parse(
        self,
        content: bytes,
        file: str,
        target: str | None = None,
        *,
        encoding: str = "utf-8",
        drop: Sequence[str] = (),
        columns: Sequence[str] | None = None,
    ) -> Data:
        """The data in the bytes of a file."""
        return parse_arff(content, file, target, encoding=encoding, drop=drop, columns=columns)

    def check_options(self, target: str | None, options: Mapping[str, Any]) -> None:
        """Refuse values of options that make no sense."""
        check_choice("read_arff", options.get("drop", ()), options.get("columns"))

    def write(self, data: Data, path: str | Path) -> None:  # type: ignore[override]
        """Write data to a file."""
        write_arff(data, path)


def _default_target(columns: Sequence[Column]) -> int | None:
    nominal = [index for index, column in enumerate(columns) if column.is_nominal]
    called_class = [index for index in nominal if columns[index].name.lower() == "class"]
    return called_class[-1] if called_class else nominal[-1] if nominal else None


def _numbered(file: str, name: str, numbers: Floats) -> tuple[Column, Floats]:
    fraction = measurement(numbers)
    if fraction is not None:
        expected = "classes there: a nominal attribute, or whole numbers"
        raise DataError(file, None, f"numbers such as {fraction:g} in the target {shown(name)}", expected)
    return numbered(name, numbers, np.isnan(numbers))


@dataclass
class _Header:
    """What stands before the data."""

    file: str
    relation: str = ""
    columns: dict[str, Column] = field(default_factory=dict)
    unreadable: dict[str, tuple[int, str]] = field(default_factory=dict)
    """Attributes of types that no column has: the line and the type. They can be left out."""
    lines: int = 0
    """How many lines have been read."""

    def typed(self, kept: Sequence[int]) -> list[Column]:
        """The columns at some positions; refuse those of a type that no column has."""
        columns = list(self.columns.values())
        for index in kept:
            name = columns[index].name
            if name in self.unreadable:
                line, word = self.unreadable[name]
                expected = f"numeric, real, integer or {{nominal values}} only (drop=[{name!r}] leaves it out)"
                raise DataError(self.file, line, f"the {word} attribute {shown(name)}", expected)
        return [columns[index] for index in kept]

    def read(self, text: bytes) -> int:
        """Read it; where the data begin."""
        at = 0
        while at < len(text):
            end = text.find(b"\n", at)
            end = len(text) if end < 0 else end
            self.lines += 1
            if self._is_last(text[at:end].decode().strip(" \t")):
                return min(end + 1, len(text))
            at = end + 1
        raise DataError(self.file, self.lines + 1, "the end of the file", "@data after the attributes")

    def _is_last(self, line: str) -> bool:
        if not line or line.startswith("%"):
            return False
        keyword = _KEYWORD.match(line)
        if keyword is None:
            self._refuse(shown(line), "@relation, @attribute or @data")
        kind, rest = keyword[1].lower(), line[keyword.end() :]
        if kind == "attribute":
            self._add(rest)
        elif kind == "relation":
            self.relation, rest = self._name(rest, "a name of the relation") if rest else ("", "")
            self._refuse_more(rest)
        else:
            self._refuse_more(rest)
            if not self.columns:
                self._refuse("@data", "at least one @attribute before it")
        return kind == "data"

    def _add(self, text: str) -> None:
        name, kind = self._name(text, "a name of the attribute")
        if name in self.columns:
            self._refuse(f"a second attribute called {shown(name)}", "names that differ")
        if kind.startswith("{"):
            self.columns[name] = Column(name, self._categories(kind))
            return
        match = re.match(r"[\w-]*", kind)
        word = match[0].lower() if match else ""
        if word in _UNREADABLE:
            self.columns[name], self.unreadable[name] = Column(name), (self.lines, word)
            return
        if word == "relational":
            self._refuse(f"the relational attribute {shown(name)}", "numeric, real, integer or {nominal values} only")
        if word not in _NUMERIC:
            given = shown(kind) if kind else "nothing"
            self._refuse(given, f"numeric, real, integer or {{nominal values}} as the type of {shown(name)}")
        self._refuse_more(kind[len(word) :])
        self.columns[name] = Column(name)

    def _name(self, text: str, expected: str) -> tuple[str, str]:
        match = _NAME.match(text)
        if match is None:
            self._refuse(shown(text) if text else "nothing", expected)
        name = between_quotes(match, self.file, self.lines) if match[3] is None else match[3]
        if not name:
            self._refuse(shown(text), expected)
        return name, text[match.end() :]

    def _categories(self, text: str) -> tuple[str, ...]:
        inner = text[1:].lstrip(" \t")
        if inner.startswith("}"):
            self._refuse_more(inner[1:])
            return ()
        found: dict[str, None] = {}
        at = 1
        while True:
            value = value_at(_CATEGORY, text, at, self.file, self.lines)
            if not (value.content or value.is_quoted):
                self._refuse(f"nothing in {shown(text)}", "a value between commas")
            if value.content in found:
                self._refuse(f"the value {shown(value.content)} twice", "values that differ")
            found[value.content] = None
            at = value.next
            if value.stop == "}":
                self._refuse_more(text[at:])
                return tuple(found)
            if value.stop != ",":
                given = shown(value.stop) if value.stop else "the end of the line"
                self._refuse(given, "a comma or } after a nominal value")

    def _refuse_more(self, rest: str) -> None:
        rest = rest.strip(" \t")
        if rest and not rest.startswith("%"):
            self._refuse(shown(rest), "the end of the line")

    def _refuse(self, found: str, expected: str) -> NoReturn:
        raise DataError(self.file, self.lines, found, expected)


@dataclass
class _Values:
    """The values of columns that a header has declared."""

    file: str
    names: Sequence[str]
    """Of all columns of the file."""
    kept: Sequence[int]
    """The positions of those that are read."""
    columns: Sequence[Column]

    def __post_init__(self) -> None:
        alike: dict[tuple[str, ...] | None, list[int]] = {}
        for index, column in enumerate(self.columns):
            alike.setdefault(column.categories, []).append(index)
        self._alike = [
            (None if categories is None else Dictionary.of(categories), indices)
            for categories, indices in alike.items()
        ]

    def read(self, text: bytes, begin: int, lines_before: int) -> tuple[Floats, Floats | None]:
        """The values of all instances, a row for each column, and their weights if any has one."""
        instances = Instances(self.file, self.names)
        values, weights = [np.empty((len(self.columns), 0))], [np.empty(0)]
        is_weighted = False
        for chunk in _chunks(text, begin):
            cells, given = instances.read(chunk, lines_before)
            lines_before += chunk.count(b"\n")
            values.append(self._meant(cells if len(self.kept) == len(self.names) else cells.some_columns(self.kept)))
            weights.append(np.ones(len(cells)) if given is None else given)
            is_weighted |= given is not None
        every = values[1] if len(values) == 2 else np.concatenate(values, axis=1)
        return every, np.concatenate(weights) if is_weighted else None

    def _meant(self, cells: Cells) -> Floats:
        values = np.empty((len(self.columns), len(cells)))
        for dictionary, indices in self._alike:
            if dictionary is None:
                found, wrong = cells.numbers(indices, MISSING)
            else:
                found, wrong = cells.codes(indices, dictionary, MISSING)
            if wrong:
                row, position = min((row, position) for position, row in wrong.items())
                self._refuse(cells, row, indices[position])
            values[indices] = found
        return values

    def _refuse(self, cells: Cells, row: int, index: int) -> NoReturn:
        column = self.columns[index]
        content = cells.content(row, index).decode("utf-8", "replace")
        allowed = "a number" if column.categories is None else listed(column.categories)
        found = shown(content) if content else "nothing"
        raise DataError(self.file, int(cells.lines[row]), found, f"{allowed} or ? for {shown(column.name)}")


def _chunks(text: bytes, begin: int) -> Iterator[bytes]:
    """Whole lines, some at a time, each with its end."""
    while begin < len(text):
        end = text.find(b"\n", min(begin + _CHUNK, len(text)))
        if end < 0:
            last = text[begin:]
            yield last if last.endswith(b"\n") else last + b"\n"
            return
        yield text[begin : end + 1]
        begin = end + 1


def write_arff(data: Data, path: str | Path) -> None:
    """Write data as ARFF, the target last; weights in braces at the ends of lines."""
    write_text(path, arff_text(data))


def arff_text(data: Data) -> str:
    """Data as the text of an ARFF file."""
    lines = [f"@relation {quoted(data.table.name or 'data')}", ""]
    for column in [*data.columns, *([data.target] if data.target else [])]:
        kind = "numeric" if column.categories is None else "{" + ",".join(map(quoted, column.categories)) + "}"
        lines.append(f"@attribute {quoted(column.name)} {kind}")
    written = written_columns("write_arff", data, quoted, "?")
    if data.is_weighted:
        written.append([f"{{{weight!r}}}" for weight in data.weights.tolist()])
    return "\n".join([*lines, "", "@data", *map(",".join, zip(*written, strict=True)), ""])
