"""The data section of an ARFF file: lines of values, one for each attribute, and perhaps a weight in braces.

Lines without anything special are cut all at once; every other line is read by itself, and it is that reading,
`Instances.single`, which defines what a line means.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, NoReturn

import numpy as np

from intemi.data.cells import Cells, Floats, Mask, Positions, bytes_of, find, number_of, trimmed
from intemi.data.errors import DataError, listed, shown
from intemi.data.quoting import pattern, value_at

_CELL = pattern(",%")
_TABS = re.compile(rb"(?<=[^ \t\n]) *+\t[ \t]*+(?=[^ \t\n])")
_WEIGHT = re.compile(r"\{([^{}]*+)\}[ \t]*+(?:%.*+)?+", re.DOTALL)
_NEWLINE, _COMMA, _QUOTE, _OPEN, _CLOSE = b"\n,'{}"


@dataclass
class _Cut:
    """Where the cells of all lines are, one after the other; `first` and `last` are those of each line."""

    starts: Positions
    ends: Positions
    quoted: Mask | None
    first: Positions
    last: Positions


class _Single(NamedTuple):
    """A line that was read by itself."""

    line: int
    contents: list[bytes]
    quoted: list[bool]
    weight: float | None


@dataclass(frozen=True)
class Instances:
    """Reads lines of values for columns with these names."""

    file: str
    names: Sequence[str]

    def read(self, text: bytes, lines_before: int) -> tuple[Cells, Floats | None]:
        """The cells of whole lines, and the weights of the instances if any has one."""
        width = len(self.names)
        if width > 1 and b"," not in text and b"\t" in text and b"'" not in text and b'"' not in text:
            text = _TABS.sub(b",", text)  # several values without a comma can only be separated by tabs
        cut, odd = _cut(text)
        counts = cut.last - cut.first + 1
        array = bytes_of(text)
        begins, closes = array[cut.starts[cut.first]], array[np.maximum(cut.ends[cut.last] - 1, 0)]
        empty = cut.starts[cut.first] >= cut.ends[cut.first]
        blank = (counts == 1) & empty & ~odd & (True if cut.quoted is None else ~cut.quoted[cut.first])
        odd |= (begins == _OPEN) & ~empty
        regular = (counts == width) & ~odd & ~blank & (closes != _CLOSE)
        weighed = (counts == width + 1) & ~odd & (closes == _CLOSE)
        singles = list(self._singles(text, np.flatnonzero(~(regular | weighed | blank)), lines_before))
        usual = np.flatnonzero(regular | weighed)
        weights = None
        if weighed.any() or any(single.weight is not None for single in singles):
            weights = self._weights(text, cut, usual, weighed, lines_before)
        if len(usual) == len(counts) and not weighed.any():
            shape = (-1, width)
            rows = [cut.starts.reshape(shape), cut.ends.reshape(shape)]
            quoted = None if cut.quoted is None else cut.quoted.reshape(shape)
        else:
            picked = cut.first[usual][:, None] + np.arange(width)
            rows = [cut.starts[picked], cut.ends[picked]]
            quoted = None if cut.quoted is None else cut.quoted[picked]
        cells = Cells(text, rows[0], rows[1], quoted, usual + (lines_before + 1))
        return _merged(cells, weights, singles, lines_before) if singles else (cells, weights)

    def _weights(self, text: bytes, cut: _Cut, usual: Positions, weighed: Mask, lines_before: int) -> Floats:
        weights = np.ones(len(usual))
        for index in np.flatnonzero(weighed[usual]).tolist():
            line = int(usual[index])
            cell = cut.last[line]
            content = text[cut.starts[cell] : cut.ends[cell]]
            weights[index] = self._weight(content.decode(), line + lines_before + 1)
        return weights

    def _singles(self, text: bytes, lines: Positions, lines_before: int) -> Iterator[_Single]:
        newlines = np.flatnonzero(bytes_of(text) == _NEWLINE) if len(lines) else lines
        for index in lines.tolist():
            begin = int(newlines[index - 1]) + 1 if index else 0
            line = text[begin : int(newlines[index])].decode().strip(" \t")
            if line and not line.startswith("%"):
                yield self.single(line, index, index + lines_before + 1)

    def single(self, line: str, index: int, number: int) -> _Single:
        """What a line means that is neither blank nor a comment."""
        if line.startswith("{"):
            raise DataError(self.file, number, "a sparse instance in braces", "all its values, separated by commas")
        values = [value_at(_CELL, line, 0, self.file, number)]
        while values[-1].stop == "," and len(values) < len(self.names) + 2:  # one too many may be a weight
            values.append(value_at(_CELL, line, values[-1].next, self.file, number))
        last = values[-1]
        contents = [value.content for value in values]
        flags = [value.is_quoted for value in values]
        weight = None
        if last.stop == "{":  # right after a quoted value
            match = _WEIGHT.fullmatch(line, last.next - 1)
            if match is None:
                raise DataError(self.file, number, shown(line[last.next - 1 :]), "a comma, or a weight in braces")
            weight = self._weight(f"{{{match[1]}}}", number)
        elif last.stop == ",":
            self._refuse_count(f"more than {len(self.names) + 1} values", number)
        elif last.stop not in ("", "%"):
            raise DataError(self.file, number, shown(line[last.next - 1 :]), "a comma after a quoted value")
        elif not last.is_quoted and last.content.endswith("}") and "{" in last.content:
            content, brace, inner = last.content.rpartition("{")
            weight = self._weight(brace + inner, number)
            contents[-1:] = [content.rstrip(" \t")] if content else []
        if len(contents) != len(self.names):
            self._refuse_count("1 value" if len(contents) == 1 else f"{len(contents)} values", number)
        flags = flags[: len(contents)]
        return _Single(index, [content.encode("utf-8", "surrogatepass") for content in contents], flags, weight)

    def _weight(self, text: str, line: int) -> float:
        inner = text[1:-1].strip(" \t") if text.startswith("{") and text.endswith("}") else ""
        weight = number_of(inner.encode())
        if weight is None or not math.isfinite(weight) or weight < 0:
            raise DataError(self.file, line, shown(text), "a weight of at least 0 in braces")
        return weight

    def _refuse_count(self, found: str, number: int) -> NoReturn:
        raise DataError(
            self.file, number, found, f"{len(self.names)}, one for each of {listed(self.names)} (separated by commas)"
        )


def _cut(text: bytes) -> tuple[_Cut, Mask]:
    """Cut lines at their commas; also which lines are odd and must be read by themselves."""
    marks, symbols = find(text, (b"\n", b",", b"'"))
    is_line = symbols == _NEWLINE
    newlines = marks[is_line]
    odd = _odd_lines(text, newlines)
    keep = symbols != _QUOTE
    quotes = marks[~keep]
    if odd.any():
        odd_marks = odd[np.cumsum(is_line) - is_line]
        quotes = marks[~keep & ~odd_marks]
        keep &= is_line | ~odd_marks
    if len(quotes):  # they come in pairs, within one line
        inside = np.searchsorted(quotes, marks) % 2 == 1
        keep &= is_line | ~inside
    bounds = marks if keep.all() else marks[keep]
    is_last = is_line if keep.all() else is_line[keep]
    starts, ends = trimmed(text, np.concatenate([[0], bounds[:-1] + 1]), bounds)
    last = np.flatnonzero(is_last)
    first = np.concatenate([[0], last[:-1] + 1])
    quoted = None
    if len(quotes):
        array = bytes_of(text)
        held = np.bincount(np.searchsorted(bounds, quotes), minlength=len(bounds))
        quoted = (held == 2) & (ends - starts >= 2) & (array[starts] == _QUOTE) & (array[ends - 1] == _QUOTE)
        odd[np.searchsorted(newlines, bounds[(held > 0) & ~quoted])] = True
        starts, ends = starts + quoted, ends - quoted
    return _Cut(starts, ends, quoted, first, last), odd


def _odd_lines(text: bytes, newlines: Positions) -> Mask:
    """Lines with comments, double quotes, escapes, or quotes that do not come in pairs."""
    odd = np.zeros(len(newlines), dtype=bool)
    odd[np.searchsorted(newlines, find(text, (b"%", b'"'))[0])] = True
    if b"'" in text:
        quotes = np.bincount(np.searchsorted(newlines, find(text, (b"'",))[0]), minlength=len(newlines))
        escapes = np.bincount(np.searchsorted(newlines, find(text, (b"\\",))[0]), minlength=len(newlines))
        odd |= (quotes % 2 == 1) | ((quotes > 0) & (escapes > 0))
    return odd


def _merged(
    cells: Cells, weights: Floats | None, singles: Sequence[_Single], lines_before: int
) -> tuple[Cells, Floats | None]:
    """Put the lines that were read by themselves among the others; what they say goes to the end of the text."""
    shape = (len(singles), -1)
    contents = [content for single in singles for content in single.contents]
    sizes = np.array([len(content) for content in contents], dtype=np.int64)
    ends = len(cells.text) + np.cumsum(sizes)
    lines = np.concatenate([cells.lines, [single.line + lines_before + 1 for single in singles]]).astype(np.int64)
    order = np.argsort(lines)
    before = np.zeros(cells.starts.shape, dtype=bool) if cells.quoted is None else cells.quoted
    quoted = np.concatenate([before, np.array([single.quoted for single in singles], dtype=bool)])
    if weights is not None:
        added = [1.0 if single.weight is None else single.weight for single in singles]
        weights = np.concatenate([weights, added])[order]
    starts = np.concatenate([cells.starts, (ends - sizes).reshape(shape)])[order]
    text = b"".join([cells.text, *contents])
    return Cells(
        text, starts, np.concatenate([cells.ends, ends.reshape(shape)])[order], quoted[order], lines[order]
    ), weights
