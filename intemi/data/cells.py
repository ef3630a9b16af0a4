"""Cells: the values of a text file as positions in its bytes, and what whole columns of them mean, all at once.

Readers find where the cells begin and end; numbers and categories are then read eight bytes at a time by arithmetic on
whole arrays. What does not fit that (an exponent, seventeen digits, an unknown category) is looked at one by one, so
the answer is always the one that Python's `float` and `==` would give.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from copy import copy
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

Positions = NDArray[np.int64]
Words = NDArray[np.uint64]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Wrong = dict[int, int]
"""By position among the columns that were asked for: the first row with something that does not belong there."""

BLANKS = b" \t\r"
_PAD = 24
_BLOCK = 1 << 13
_SAMPLE = 64
_TRIMS = 4
_MOST_WORDS = 8
LONGEST_MARKER = 8 * _MOST_WORDS
"""So many bytes a text may have that means a missing value."""
_NUMBER = re.compile(rb"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_INFINITE = re.compile(rb"[+-]?inf(?:inity)?", re.IGNORECASE)
_POWERS: Floats = np.array([10.0**power for power in range(23)])
_WHOLE_POWERS = 10 ** np.arange(9, dtype=np.uint64)
_KEEP = np.array([0, *((1 << 8 * size) - 1 for size in range(1, 9))], dtype=np.uint64)
_MIX = np.array([1, *(0x9E3779B97F4A7C15 * (2 * k + 1) % 2**64 | 1 for k in range(1, _MOST_WORDS))], dtype=np.uint64)


def _all_bytes(byte: int) -> np.uint64:
    return np.uint64(byte * 0x0101010101010101)


_ONES, _HIGH, _ZEROS, _DOTS, _NOT_DIGIT = (_all_bytes(byte) for byte in (0x01, 0x80, 0x30, 0x2E, 0x46))


class Dictionary:
    """Texts that cells may hold, prepared once for being looked up in all cells of a file."""

    def __init__(self, words: Sequence[bytes]) -> None:
        self.words = words
        self.longest = max((len(word) for word in words), default=0)
        self.many = min((self.longest + 7) // 8, _MOST_WORDS)
        """How many pieces of eight bytes of a text are compared."""
        if self.longest == 1:
            self.by_byte = np.full(256, -1.0)
            for code, word in enumerate(words):
                if word:
                    self.by_byte[word[0]] = code
        elif self.longest:
            size = 8 * self.many
            padded = b"".join(word[:size].ljust(size, b"\0") for word in words)
            parts = np.frombuffer(padded, "<u8").reshape(len(words), self.many)
            keys = (parts * _MIX[: self.many]).sum(axis=1, dtype=np.uint64)
            self.order = np.argsort(keys)
            self.keys = keys[self.order]
            self.parts = np.ascontiguousarray(parts[self.order].T)
            self.sizes = np.array([len(word) for word in words])[self.order]

    @classmethod
    def of(cls, categories: Iterable[str]) -> Dictionary:
        """That of the categories of a column."""
        return cls([category.encode("utf-8", "surrogatepass") for category in categories])

    @cached_property
    def codes(self) -> dict[bytes, int]:
        """The index of each word."""
        return {word: code for code, word in enumerate(self.words)}


class Cells:
    """Where the cells of a file are: `starts` and `ends` by row and column, and which of them were quoted."""

    def __init__(self, text: bytes, starts: Positions, ends: Positions, quoted: Mask | None, lines: Positions) -> None:
        """`lines` are the numbers of the lines on which the rows begin."""
        self.text = text
        self.starts = starts
        self.ends = ends
        self.quoted = quoted
        self.lines = lines
        self._padded = bytes(_PAD) + text + bytes(_PAD)
        self._bytes = np.frombuffer(self._padded, np.uint8)
        # Eight bytes from any position, which need not be aligned.
        self._words: Words = np.ndarray((len(self._padded) - 7,), "<u8", self._padded, strides=(1,))

    def __len__(self) -> int:
        return len(self.starts)

    def after(self, row: int) -> Cells:
        """The rows after one."""
        rest = copy(self)
        rest.starts, rest.ends, rest.lines = self.starts[row + 1 :], self.ends[row + 1 :], self.lines[row + 1 :]
        rest.quoted = None if self.quoted is None else self.quoted[row + 1 :]
        return rest

    def some_columns(self, columns: Sequence[int]) -> Cells:
        """The cells of some columns."""
        some = copy(self)
        chosen = _adjacent(columns)
        some.starts, some.ends = self.starts[:, chosen], self.ends[:, chosen]
        some.quoted = None if self.quoted is None else self.quoted[:, chosen]
        return some

    def translated(self, table: bytes) -> Cells:
        """The cells with other bytes for some."""
        return Cells(self.text.translate(table), self.starts, self.ends, self.quoted, self.lines)

    def content(self, row: int, column: int) -> bytes:
        """The bytes of a cell."""
        return self.text[self.starts[row, column] : self.ends[row, column]]

    # Missing values

    def _is_one_of(self, starts: Positions, ends: Positions, words: Sequence[bytes]) -> Mask:
        """Which cells are one of a few words."""
        sizes = ends - starts
        brief = [word for word in words if len(word) <= 8]
        found: Mask = sizes <= max(map(len, brief), default=-1)
        short = np.flatnonzero(found)
        keys = self._words[starts[short] + _PAD] & _KEEP[sizes[short]]
        found[short] = np.isin(keys, np.array([int.from_bytes(word, "little") for word in brief], dtype=np.uint64))
        if len(brief) < len(words):
            found |= self._matched(starts, ends, Dictionary([word for word in words if len(word) > 8])) >= 0
        return found

    # Numbers

    def numbers(
        self, columns: Sequence[int], markers: Sequence[bytes], even_quoted: bool = False
    ) -> tuple[Floats, Wrong]:
        """The numbers in some columns, a row for each; NaN where a value is missing or where there is no number."""
        values = np.empty((len(columns), len(self)))
        wrong: Wrong = {}
        step = max(_BLOCK // max(len(columns), 1), 64)
        digits = [marker for marker in markers if number_of(marker) is not None and marker.lower() != b"nan"]
        chosen = _adjacent(columns)
        for begin in range(0, len(self) if len(columns) else 0, step):
            block = slice(begin, begin + step)
            starts, ends = self.starts[block, chosen].ravel(), self.ends[block, chosen].ravel()
            found, odd = _decimal(self._bytes, self._words, starts + _PAD, ends + _PAD)
            if odd.any():
                positions = np.flatnonzero(odd)
                absent = self._is_one_of(starts[positions], ends[positions], markers)
                if self.quoted is not None and not even_quoted:
                    absent &= ~self.quoted[block, chosen].ravel()[positions]
                found[positions[absent]] = math.nan
                left = positions[~absent]
                found[left] = singly = self._one_by_one(starts[left], ends[left])
                for position in left[np.isnan(singly)].tolist():
                    if number_of(self.text[starts[position] : ends[position]]) is None:
                        row, index = divmod(position, len(columns))
                        wrong.setdefault(index, begin + row)
            if digits:
                found[self._is_one_of(starts, ends, digits)] = math.nan
            values[:, block] = found.reshape(-1, len(columns)).T
        return values, wrong

    def _one_by_one(self, starts: Positions, ends: Positions) -> Floats:
        """What Python reads in cells that are odd in any way; NaN where that is no number."""
        text = self.text
        contents = [text[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
        if not self._has_strange_bytes:
            try:
                values = np.array(list(map(float, contents)), dtype=np.float64)
            except ValueError:
                pass
            else:
                if np.isfinite(values).all():
                    return values
        numbers = map(number_of, contents)
        return np.array([math.nan if number is None else number for number in numbers], dtype=np.float64)

    @cached_property
    def _has_strange_bytes(self) -> bool:
        """Whether there are bytes that `float` puts up with inside numbers, or around them, and we do not."""
        return any(byte in self.text for byte in (b"_", b"\v", b"\f", b"\x1c", b"\x1d", b"\x1e", b"\x1f"))

    # Categories

    def codes(self, columns: Sequence[int], dictionary: Dictionary, markers: Sequence[bytes]) -> tuple[Floats, Wrong]:
        """The indices of the categories in some columns, a row for each; NaN where missing or no category."""
        starts, ends = self.starts[:, list(columns)].T, self.ends[:, list(columns)].T
        shape = starts.shape
        starts, ends = starts.ravel(), ends.ravel()
        values = self._matched(starts, ends, dictionary)
        quoted = None if self.quoted is None else self.quoted[:, list(columns)].T.ravel()
        absent = self._is_one_of(starts, ends, markers)
        if quoted is not None:
            absent &= ~quoted
        values[absent] = math.nan
        wrong: Wrong = {}
        for position in np.flatnonzero(values < 0).tolist():
            code = dictionary.codes.get(self.text[starts[position] : ends[position]])
            if code is None:
                index, row = divmod(position, len(self))
                wrong[index] = min(row, wrong.get(index, row))
            values[position] = math.nan if code is None else code
        return values.reshape(shape), wrong

    def _matched(self, starts: Positions, ends: Positions, dictionary: Dictionary) -> Floats:
        """For each cell the index of the word that it is, or -1; very long words are not always found."""
        sizes = ends - starts
        if dictionary.longest == 0:
            return np.full(len(starts), -1.0)
        if dictionary.longest == 1:
            codes: Floats = dictionary.by_byte[self._bytes[starts + _PAD]]
            codes[sizes != 1] = -1.0
            return codes
        parts = [self._part(starts, sizes, index) for index in range(dictionary.many)]
        wanted = parts[0].copy()
        for index in range(1, dictionary.many):
            wanted += parts[index] * _MIX[index]
        nearest = np.minimum(np.searchsorted(dictionary.keys, wanted), len(dictionary.keys) - 1)
        same = (dictionary.sizes[nearest] == sizes) & (sizes <= 8 * dictionary.many)
        for part, known in zip(parts, dictionary.parts, strict=True):
            same &= known[nearest] == part
        return np.where(same, dictionary.order[nearest], -1.0)

    def _part(self, starts: Positions, sizes: Positions, index: int) -> Words:
        """The eight bytes of each cell from the `8 * index`-th on, zeros where it ends before."""
        last = len(self._words) - 1
        part: Words = self._words[np.minimum(starts + (_PAD + 8 * index), last)]
        part &= _KEEP[np.minimum(np.maximum(sizes - 8 * index, 0), 8)]
        return part

    def distinct(self, column: int, markers: Sequence[bytes]) -> tuple[list[bytes], Floats]:
        """The different values of a column in no particular order, and for each row the index of its value, or NaN."""
        starts, ends = np.ascontiguousarray(self.starts[:, column]), np.ascontiguousarray(self.ends[:, column])
        absent = self._is_one_of(starts, ends, markers)
        if self.quoted is not None:
            absent &= ~self.quoted[:, column]
        codes = np.full(len(starts), math.nan)
        known: dict[bytes, int] = {}
        left = np.flatnonzero(~absent)
        some = _SAMPLE
        while len(left):
            for row in left[:some].tolist():
                codes[row] = known.setdefault(self.text[starts[row] : ends[row]], len(known))
            left = left[some:]
            codes[left] = found = self._matched(starts[left], ends[left], Dictionary(list(known)))
            left = left[found < 0]
            some *= 4
        return list(known), codes


def _adjacent(columns: Sequence[int]) -> Any:
    """Columns as an index into an array: a slice, which copies nothing, where they are neighbours."""
    first, size = (columns[0], len(columns)) if columns else (0, 0)
    every = list(columns)
    return slice(first, first + size) if every == list(range(first, first + size)) else every


def number_of(content: bytes) -> float | None:
    """The number that a cell holds; None if it holds none, or one that is too large."""
    if _NUMBER.fullmatch(content):
        number = float(content)
        return number if math.isfinite(number) else None
    if _INFINITE.fullmatch(content):
        return float(content)
    return math.nan if content.lower() == b"nan" else None


def trimmed(text: bytes, starts: Positions, ends: Positions) -> tuple[Positions, Positions]:
    """Cells without the blanks around them."""
    if not any(blank in text for blank in (b" ", b"\t", b"\r")):
        return starts, ends
    padded = np.frombuffer(b"\0" + text + b"\0", np.uint8)
    is_blank = np.zeros(256, dtype=bool)
    is_blank[list(BLANKS)] = True
    starts, ends = starts.copy(), ends.copy()
    for _ in range(_TRIMS):
        before = is_blank[padded[starts + 1]] & (starts < ends)
        starts += before
        after = is_blank[padded[ends]] & (starts < ends)
        ends -= after
        if not (before.any() or after.any()):
            return starts, ends
    for index in np.flatnonzero((is_blank[padded[starts + 1]] | is_blank[padded[ends]]) & (starts < ends)).tolist():
        cell = text[starts[index] : ends[index]]
        starts[index] += len(cell) - len(cell.lstrip(BLANKS))
        ends[index] -= len(cell) - len(cell.rstrip(BLANKS))
        ends[index] = max(starts[index], ends[index])
    return starts, ends


def bytes_of(text: bytes) -> NDArray[np.uint8]:
    """The bytes of a text as an array."""
    return np.frombuffer(text, np.uint8)


def find(text: bytes, marks: Iterable[bytes]) -> tuple[Positions, NDArray[np.uint8]]:
    """Where some single bytes are, in order, and which each is."""
    array = bytes_of(text)
    mask = np.zeros(len(array), dtype=bool)
    for mark in marks:
        if mark in text:
            mask |= array == mark[0]
    positions = np.flatnonzero(mask)
    return positions, array[positions]


def _decimal(array: NDArray[np.uint8], words: Words, starts: Positions, ends: Positions) -> tuple[Floats, Mask]:
    """Decimal numbers of up to sixteen bytes and fifteen digits, and which cells are none; padded positions.

    An integer below 2^53 divided by a power of ten up to 10^22 is the nearest double, because both are exact.
    """
    first = array[starts]
    negative = first == 45
    sizes = ends - starts
    signed = (negative | (first == 43)) & (sizes > 0)
    sizes = sizes - signed
    mantissas, points, odd = _eight(words[ends - 8], sizes)
    found = mantissas.astype(np.float64)
    fraction = points > 0
    if fraction.any():
        found /= _POWERS[points - fraction]
        odd |= sizes <= fraction
    odd |= sizes == 0
    long = np.flatnonzero(sizes > 8)
    if len(long):
        found[long], odd[long] = _long_decimal(words, ends[long], sizes[long])
    np.negative(found, out=found, where=negative)
    return found, odd


def _eight(last: Words, sizes: Positions) -> tuple[Words, Positions, Mask]:
    """Of the last (up to) eight bytes: the digits as a number, one more than the digits after the point, what is odd.

    All arithmetic is within one 64-bit word whose lowest byte is the first character.
    """
    kept = ~_KEEP[8 - np.minimum(sizes, 8)]
    word = (last & kept) | (_ZEROS & ~kept)
    different = word ^ _DOTS
    dots = (different - _ONES) & ~different & _HIGH
    points = np.zeros(len(word), dtype=np.int64)
    if dots.any():
        dot = dots & (~dots + np.uint64(1))
        before = (dot >> np.uint64(7)) - np.uint64(1)
        after = ~((dot << np.uint64(1)) - np.uint64(1))
        has = dot != 0
        word = np.where(has, (word & after) | ((word & before) << np.uint64(8)) | np.uint64(0x30), word)
        points[has] = 8 - (np.bitwise_count(dot[has] - np.uint64(1)) >> 3)
    digits = word - _ZEROS
    odd = ((word + _NOT_DIGIT) | digits) & _HIGH != 0
    digits = (digits * np.uint64(10) + (digits >> np.uint64(8))) & np.uint64(0x00FF00FF00FF00FF)
    digits = (digits * np.uint64(100) + (digits >> np.uint64(16))) & np.uint64(0x0000FFFF0000FFFF)
    digits = (digits * np.uint64(10000) + (digits >> np.uint64(32))) & np.uint64(0x00000000FFFFFFFF)
    return digits, points, odd


def _long_decimal(words: Words, ends: Positions, sizes: Positions) -> tuple[Floats, Mask]:
    """Numbers of nine to twenty-four bytes without their sign, of up to nineteen digits."""
    mantissas, points, odd = _eight(words[ends - 8], np.minimum(sizes, 8))
    has = points > 0
    after = points - has
    below = 8 - has  # digits in the word that comes after
    total = mantissas
    scale = _WHOLE_POWERS[below]
    seen = has
    for index in range(1, 3 if sizes.max() > 16 else 2):
        digits, points, strange = _eight(words[ends - 8 * (index + 1)], np.clip(sizes - 8 * index, 0, 8))
        has = points > 0
        odd |= strange | (has & seen)
        total = total + digits * scale
        scale = scale * _WHOLE_POWERS[8 - has]
        after = np.where(has, points - 1 + 8 * index, after)
        seen = seen | has
    odd |= (sizes > 24) | (sizes - seen > 19)
    found, uncertain = _divided(total, _POWERS[np.minimum(after, 22)])
    return found, odd | uncertain


def _divided(mantissas: Words, powers: Floats) -> tuple[Floats, Mask]:
    """Integers divided by exact powers of ten, and where the nearest double is uncertain.

    Below 2^53 both are exact, so the quotient is the nearest double. Above, the quotient gets a correction from the
    remainder, computed with twice the digits (Dekker 1971); only next to the middle of two doubles is that not enough.
    """
    quotients = mantissas.astype(np.float64)
    large = np.flatnonzero(mantissas >= np.uint64(1 << 53))
    rounded, divisors = quotients[large], powers[large]
    quotients /= powers
    uncertain = np.zeros(len(mantissas), dtype=bool)
    if len(large):
        lost = (mantissas[large] - rounded.astype(np.uint64)).astype(np.int64).astype(np.float64)
        first = quotients[large]
        high, low = _product(first, divisors)
        correction = ((rounded - high) - low + lost) / divisors
        quotients[large] = sums = first + correction
        error = correction - (sums - first)
        uncertain[large] = np.abs(np.abs(error) / np.spacing(sums) - 0.5) < 1e-6
    return quotients, uncertain


def _product(one: Floats, other: Floats) -> tuple[Floats, Floats]:
    """The product of doubles and what it lost by rounding."""
    product = one * other
    (high, low), (other_high, other_low) = _halves(one), _halves(other)
    return product, ((high * other_high - product) + high * other_low + low * other_high) + low * other_low


def _halves(numbers: Floats) -> tuple[Floats, Floats]:
    scaled = numbers * 134217729.0  # 2^27 + 1
    high = scaled - (scaled - numbers)
    return high, numbers - high
