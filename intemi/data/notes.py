"""Notes: what looks suspicious in data that were read, and what helps. They are values; nothing is refused.

They are made of the data alone. A reader that knows more (the lines of the rows, the columns whose types were told)
passes it on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from intemi.data.cells import number_of
from intemi.data.data import Data
from intemi.data.errors import shown

Kind = Literal[
    "decimal",
    "stray",
    "missing",
    "id",
    "date",
    "text",
    "many",
    "empty",
    "constant",
    "numbers",
    "unknown class",
    "rare",
    "scales",
]
USELESS: tuple[Kind, ...] = ("id", "date", "text", "many", "empty", "constant")
"""Kinds of columns from which nothing can be learned as they are."""
DIFFERENT_SCALES = 30
"""Where one column varies so many times as much as another, distances are those of the first."""
FEW_ROWS = 10
"""Below so many rows, values that all differ mean nothing."""
MANY_CLASSES = 20
"""More classes than that which are all numbers are rather amounts."""
MAX_SHOWN = 3
LONG_TEXT = 15
"""Characters that the values of a column have on average, from which on they are texts rather than names."""
_DATE = re.compile(
    r"(\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.](\d{4}|\d{2})|\d{1,2}[ -][A-Za-z]{3,9}[ -]\d{2,4})"
    r"([ T]\d{1,2}:\d{2}.*)?"
)
_ID = re.compile(r"(^|[^a-z])(id|ids|nr|no|number|index|key|row|uuid|case)([^a-z]|$)|(?-i:Id|ID)$", re.IGNORECASE)
_MISSING = ("n/a", "n.a.", "#n/a", "<na>", "null", "missing", "-", "--", ".")
_SENTINELS = (-99.0, -999.0, -9999.0, 999.0, 9999.0, 99999.0)


@dataclass(frozen=True)
class Note:
    """Something suspicious: which kind of thing it is, which columns it is about, and what helps."""

    kind: Kind
    columns: tuple[str, ...]
    finding: str
    values: tuple[str, ...] = ()
    """The values that it is about, such as those that mean a missing one."""
    remedy: str = ""
    """What helps, as it is written in an experiment file."""

    @property
    def text(self) -> str:
        """Finding and remedy."""
        return f"{self.finding}; {self.remedy}" if self.remedy else self.finding

    def __str__(self) -> str:
        return self.text


def notes_on(
    data: Data,
    *,
    lines: Callable[[], Sequence[int] | None] | None = None,
    declared: Collection[str] = (),
    decimal: str = ".",
) -> tuple[Note, ...]:
    """What looks suspicious in data.

    `lines` gives the number of the line of each row in its file, and is called if a note needs it. `declared` are
    columns whose types were told, not guessed. `decimal` is what stood before fractions.

    >>> from intemi.data.csv import parse_csv
    >>> rows = "".join(f"P{row};{row % 7},5;{'ab'[row % 2]}\\n" for row in range(20))
    >>> for note in notes_on(parse_csv(f"patient;weight;class\\n{rows}".encode(), "x.csv")):
    ...     print(note)
    'weight' looks like numbers with a decimal comma, but was read as categories; decimal: ',' reads numbers
    'patient' is different in every row, as the name of a row is; drop: ['patient'] leaves it out
    """
    looked = _Looked(data, lines, decimal)
    found: dict[Kind, list[str]] = {}
    single: list[Note] = []
    for index, column in enumerate(data.columns):
        if column.is_nominal:
            kind, notes = looked.nominal(index, column.name in declared)
        else:
            kind, notes = looked.numeric(index)
        single += notes
        if kind is not None:
            found.setdefault(kind, []).append(column.name)
    together = [_on_columns(kind, found[kind], decimal) for kind in _SAID if kind in found]
    first = [note for note in together if note.kind == "decimal"]
    return (*first, *single, *(note for note in together if note.kind != "decimal"), *_on_classes(data))


_SAID: dict[Kind, tuple[str, str, str]] = {
    "decimal": (
        "looks like numbers with a decimal {mark}, but was read as categories",
        "look like numbers with a decimal {mark}, but were read as categories",
        "decimal: '{other}' reads numbers",
    ),
    "id": (
        "is different in every row, as the name of a row is",
        "are different in every row, as the names of rows are",
        "drop: {names} leaves {it} out",
    ),
    "date": (
        "holds dates, each of them a category",
        "hold dates, each of them a category",
        "make numbers of them, such as days, or leave {it} out, drop: {names}",
    ),
    "text": (
        "holds texts, nearly each of them a category",
        "hold texts, nearly each of them a category",
        "drop: {names} leaves {it} out",
    ),
    "many": (
        "has a category of its own for more than half of the rows",
        "have a category of their own for more than half of the rows",
        "drop: {names} leaves {it} out",
    ),
    "empty": ("has no value", "have no value", "drop: {names} leaves {it} out"),
    "constant": ("has the same value everywhere", "have the same value everywhere", "drop: {names} leaves {it} out"),
}
"""By kind: what is said of one column, of several, and what helps."""


def _on_columns(kind: Kind, names: Sequence[str], decimal: str) -> Note:
    one, several, remedy = _SAID[kind]
    mark, other = ("comma", ",") if decimal == "." else ("point", ".")
    what, it = (one, "it") if len(names) == 1 else (several, "them")
    quoted = list(map(shown, names))
    subject = quoted[0] if len(names) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"
    given = {"mark": mark, "other": other, "names": f"[{', '.join(quoted)}]", "it": it}
    return Note(kind, tuple(names), f"{subject} {what.format(**given)}", remedy=remedy.format(**given))


class _Looked:
    """Looks at columns one by one."""

    def __init__(self, data: Data, lines: Callable[[], Sequence[int] | None] | None, decimal: str) -> None:
        self.data = data
        self._find_lines = lines
        self._lines: Sequence[int] | None = None
        self._decimal = decimal

    def numeric(self, index: int) -> tuple[Kind | None, list[Note]]:
        """Which kind of column it is, if it is suspicious, and notes on it alone."""
        every = self.data.feature(index)
        values = every[~np.isnan(every)]
        if not len(values):
            return "empty", []
        low, high = float(values.min()), float(values.max())
        if low == high:
            return ("constant" if len(values) == len(every) else None), []
        name = self.data.columns[index].name
        if (
            len(values) == len(every) >= FEW_ROWS
            and np.isfinite([low, high]).all()
            and (values == np.floor(values)).all()
        ):
            in_a_row = high - low == len(values) - 1
            if (in_a_row or _ID.search(name)) and len(np.unique(values)) == len(values):
                return "id", []
        return None, list(self._sentinels(name, values, low, high))

    def _sentinels(self, name: str, values: Any, low: float, high: float) -> Iterator[Note]:
        for code in _SENTINELS:
            if code != (low if code < 0 else high):
                continue
            others = values[values != code]
            count = len(values) - len(others)
            lonely = others.min() >= 0 if code < 0 else others.max() < code / 3
            if count > 1 and lonely and len(others):
                text = f"{code:g}"
                yield Note(
                    "missing",
                    (name,),
                    f"{text} occurs {count:,} times in {shown(name)}, where all others are {others.min():g} to "
                    f"{others.max():g}",
                    (text,),
                    f"if a value is missing there, add it to missing: ['{text}']",
                )

    def nominal(self, index: int, is_declared: bool) -> tuple[Kind | None, list[Note]]:
        """Which kind of column it is, if it is suspicious, and notes on it alone."""
        column, codes = self.data.columns[index], self.data.feature(index)
        assert column.categories is not None
        present = codes[~np.isnan(codes)].astype(np.int64)
        counts = np.bincount(present, minlength=len(column.categories))
        used = {column.categories[code]: int(counts[code]) for code in np.flatnonzero(counts).tolist()}
        rows = len(present)
        if not rows:
            return "empty", []
        if len(used) == 1:
            return ("constant" if rows == len(codes) else None), []
        if not is_declared:
            notes, is_decimal = self._numbers(index, used, rows)
            if notes or is_decimal:
                return ("decimal" if is_decimal else None), notes
        codes_of_missing = list(self._codes_of_missing(column.name, used))
        if sum(count for text, count in used.items() if _DATE.fullmatch(text)) > 0.9 * rows:
            return "date", codes_of_missing
        if rows < FEW_ROWS or len(used) <= rows / 2:
            return None, codes_of_missing
        if sum(map(len, used)) > LONG_TEXT * len(used) and sum(" " in text for text in used) > len(used) / 2:
            return "text", codes_of_missing
        return ("id" if len(used) == len(codes) else "many"), codes_of_missing

    def _numbers(self, index: int, used: dict[str, int], rows: int) -> tuple[list[Note], bool]:
        """A note on what is no number among numbers, and whether they have the other decimal mark."""
        read = {text for text in used if _is_number(text, self._decimal)}
        other = {text for text in used if text not in read and _is_number(text, "," if self._decimal == "." else ".")}
        if sum(used[text] for text in read | other) < rows / 2:
            return [], False
        fractions = sum(used[text] for text in read if "." in text or "," in text)
        is_decimal = sum(used[text] for text in other) > fractions
        stray = {text: count for text, count in used.items() if text not in read and not (is_decimal and text in other)}
        return ([self._stray(index, stray, len(used), rows)] if stray else []), is_decimal

    def _stray(self, index: int, stray: dict[str, int], categories: int, rows: int) -> Note:
        column = self.data.columns[index]
        assert column.categories is not None
        shown_ones = list(stray)[:MAX_SHOWN]
        places = [f"{shown(text)} in {self._place(index, column.categories.index(text))}" for text in shown_ones]
        more = f" and {len(stray) - len(places):,} more" if len(stray) > len(places) else ""
        count = sum(stray.values())
        what = "is no number" if count == 1 else "are no numbers"
        listed = ", ".join(map(repr, shown_ones))
        return Note(
            "stray",
            (column.name,),
            f"{count:,} of {rows:,} values of {shown(column.name)} {what}: {', '.join(places)}{more}, so it was read "
            f"as {categories:,} categories",
            tuple(stray),
            f"correct the file, or add to missing: [{listed}]",
        )

    def _place(self, index: int, code: int) -> str:
        """Where a category occurs first: the line of the file if that is known, else the row."""
        if self._find_lines is not None:
            self._lines, self._find_lines = self._find_lines(), None
        row = int(np.flatnonzero(self.data.feature(index) == code)[0])
        return f"row {row + 1}" if self._lines is None else f"line {int(self._lines[row])}"

    def _codes_of_missing(self, name: str, used: dict[str, int]) -> Iterator[Note]:
        for text, count in used.items():
            if text.lower() in _MISSING:
                times = "once" if count == 1 else f"{count:,} times"
                yield Note(
                    "missing",
                    (name,),
                    f"{shown(text)} occurs {times} in {shown(name)} as a category",
                    (text,),
                    f"if a value is missing there, add it to missing: [{text!r}]",
                )


def _is_number(text: str, decimal: str) -> bool:
    if decimal == ",":
        text = text.translate({ord(","): ".", ord("."): ","})
    return number_of(text.encode("utf-8", "surrogatepass")) is not None


def _on_classes(data: Data) -> Iterator[Note]:
    if data.target is None:
        return
    name, classes = data.target.name, data.classes
    counts = {label: int(count) for label, count in zip(data.labels, class_counts(data), strict=True) if count}
    absent = int((classes < 0).sum())
    if len(counts) > MANY_CLASSES and all(_is_number(label, ".") for label in counts):
        yield Note(
            "numbers",
            (name,),
            f"the target {shown(name)} looks like amounts: {len(counts):,} different numbers in {len(data):,} rows, "
            "each a class of its own; not amounts but classes are predicted: name another target, or make classes",
        )
    elif single := [label for label, count in counts.items() if count == 1]:
        more = f" and {len(single) - MAX_SHOWN:,} more" if len(single) > MAX_SHOWN else ""
        listed = ", ".join(map(shown, single[:MAX_SHOWN])) + more
        what = f"the class {listed} of {shown(name)} has" if len(single) == 1 else f"classes of {shown(name)} have"
        also = "" if len(single) == 1 else f" each: {listed}"
        yield Note(
            "rare", (name,), f"{what} one row{also}; what has one row cannot be both learned and tested", tuple(single)
        )
    if absent:
        rows = "1 row has" if absent == 1 else f"{absent:,} rows have"
        yield Note(
            "unknown class", (name,), f"{rows} no class in {shown(name)}; nothing is learned from or tested on them"
        )


def class_counts(data: Data) -> list[int]:
    """How many rows each class has, in the order of the labels."""
    classes = data.classes
    counts: list[int] = np.bincount(classes[classes >= 0], minlength=len(data.labels)).tolist()
    return counts


def note_on_folds(data: Data, folds: int) -> Note | None:
    """A note on classes that have fewer rows than there are folds, if there are such.

    >>> from intemi.data import from_numpy
    >>> print(note_on_folds(from_numpy([[1.0], [2.0], [3.0], [4.0]], ["a", "a", "a", "b"]), folds=3))
    the class 'b' has 1 row, fewer than the 3 folds: in some folds it is not tested, in others perhaps not learned
    """
    if data.target is None:
        return None
    counts = zip(data.labels, class_counts(data), strict=True)
    few = [f"{shown(label)} has {count} row{'s' * (count > 1)}" for label, count in counts if 0 < count < folds]
    if not few:
        return None
    more = f" and {len(few) - MAX_SHOWN} more have few" if len(few) > MAX_SHOWN else ""
    what = "the class" if len(few) == 1 else "the classes"
    said = ", ".join(few[:MAX_SHOWN]) + more
    which = "it is" if len(few) == 1 else "they are"
    return Note(
        "rare",
        (data.target.name,),
        f"{what} {said}, fewer than the {folds} folds: in some folds {which} not tested, in others perhaps not learned",
    )


def note_on_scales(data: Data, learners: Sequence[str]) -> Note | None:
    """A note on columns that vary very differently, for learners by name that compare distances as they are.

    >>> from intemi.data import from_numpy
    >>> print(note_on_scales(from_numpy([[1.0, 100.0], [2.0, 900.0]], ["a", "b"]), ["knn"]))
    'x2' varies 800 times as much as 'x1'; preprocessing: Standardization helps knn
    """
    numeric = [index for index, column in enumerate(data.columns) if not column.is_nominal]
    with np.errstate(all="ignore"):
        deviations = {data.columns[index].name: float(_deviation(data.feature(index))) for index in numeric}
    varying = {name: value for name, value in deviations.items() if 0 < value < np.inf}
    if not learners or len(varying) < 2:
        return None
    small, large = min(varying, key=varying.__getitem__), max(varying, key=varying.__getitem__)
    if varying[large] < DIFFERENT_SCALES * varying[small]:
        return None
    who = learners[0] if len(learners) == 1 else f"{learners[0]} and {len(learners) - 1} more"
    return Note(
        "scales",
        (small, large),
        f"{shown(large)} varies {varying[large] / varying[small]:,.0f} times as much as {shown(small)}; "
        f"preprocessing: Standardization helps {who}",
    )


def _deviation(values: np.ndarray) -> float:
    known = values[~np.isnan(values)]
    return float(known.std()) if len(known) else 0.0
