"""Guessing: how a file is best read, and what is to be predicted, for a file that nothing was said about.

Every guess is stated with its reason, so that it can be written into a file and corrected there.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from intemi.data.csv import CSV, MISSING_NUMBERS, Options, delimiter_of
from intemi.data.data import Data
from intemi.data.errors import DataError, listed, shown
from intemi.data.file_format import FileFormat, format_of, unpacked
from intemi.data.files import notes_on_file
from intemi.data.notes import USELESS, Note
from intemi.data.numbering import measurement
from intemi.data.texts import file_bytes
from intemi.kernel import ConfigurationError

TARGETS = ("class", "target", "label", "outcome", "diagnosis", "y")
"""Names of columns that are predicted more often than not."""
MAX_CLASSES = 20
"""Different values that a guessed target may have."""
MAX_STRAY = 10
"""Different texts among numbers that are taken for missing values; more of them are something else."""


@dataclass(frozen=True)
class Guess:
    """How a file is best read."""

    target: str
    options: dict[str, Any]
    reasons: tuple[str, ...]
    """Why, a sentence for each guess, with what helps, as it is written in an experiment file."""
    done: tuple[str, ...]
    """The same, with what was done: for those who write no file."""
    data: Data
    notes: tuple[Note, ...]
    """What still looks suspicious in the data that are read so."""


def guess(path: str | os.PathLike[str], target: str | None = None) -> Guess:
    """How a file is best read: its delimiter, decimal mark, codes for missing values, columns to drop and target."""
    looked = _Looking(os.fspath(path))
    looked.guess_marks()
    looked.guess_missing()
    chosen = looked.guess_target(target)
    looked.guess_dropped(chosen)
    return looked.guessed(chosen)


class _Looking:
    def __init__(self, path: str) -> None:
        self.path = path
        self.format: FileFormat = format_of(path)
        self.content = file_bytes(path)
        self.options: dict[str, Any] = {}
        self.reasons: list[str] = []
        self.done: list[str] = []
        self.data, self.notes = self._first()

    def _first(self) -> tuple[Data, tuple[Note, ...]]:
        """Data without a target, so that all columns have their own types."""
        try:
            return self._read("")
        except DataError as error:
            if "encoding" not in self.format.reading_options() or "encoding" not in error.expected:
                raise
            self.options["encoding"] = "latin-1"
            self._give(f"line {error.line} is no text in UTF-8", "read as latin-1")
            return self._read("")

    def _read(self, target: str) -> tuple[Data, tuple[Note, ...]]:
        data = self.format.data_in(self.content, self.path, target, self.options)
        return data, notes_on_file(data, self.path, self.options, self.content)

    def _add(self, option: str, value: Any) -> None:
        self.options[option] = value
        self.data, self.notes = self._read("")

    def _give(self, why: Note | str, done: str) -> None:
        """State a guess: why, and what was done."""
        self.reasons.append(str(why))
        self.done.append(f"{why.finding if isinstance(why, Note) else why}; {done}")

    def guess_marks(self) -> None:
        """Delimiter and decimal mark of a CSV file."""
        if not isinstance(self.format, CSV):
            return
        delimiter = delimiter_of(unpacked(self.content, self.path), self.path, Options(**self.options))
        if delimiter != ",":
            self.options["delimiter"] = delimiter
        for note in self.notes:
            if note.kind == "decimal" and delimiter != ",":
                self._give(note, "read as numbers")
                self._add("decimal", ",")

    def guess_missing(self) -> None:
        """Texts that mean missing values, beside the usual ones."""
        if "missing" not in self.format.reading_options():
            return
        codes: dict[str, None] = {}
        for note in self.notes:
            if note.kind == "missing" or (note.kind == "stray" and len(note.values) <= MAX_STRAY):
                codes |= dict.fromkeys(note.values)
                self._give(note, "taken for missing values")
        if codes:
            content = unpacked(self.content, self.path)
            usual = [text for text in MISSING_NUMBERS if text and text.encode() in content]
            self._add("missing", list(dict.fromkeys((*usual, *codes))))

    def guess_target(self, given: str | None) -> str:
        """The column to be predicted: the given one, the one the file names, or the likeliest."""
        columns = self.data.columns
        names = [column.name for column in columns]
        if given is not None:
            if given not in names:
                raise DataError(
                    self.path, None, f"no column called {shown(given)} (target)", f"one of {listed(names, 50)}"
                )
            self._refuse_measurements(names.index(given))
            return given
        if self.format.declares_types:
            found = self.format.data_in(self.content, self.path, None, self.options).target
            if found is not None:
                return found.name
        likely = [index for index in range(len(columns)) if self._may_be_target(index)]
        if not likely:
            raise ConfigurationError(
                f"{self.path}: no column has 2 to {MAX_CLASSES} different values, as classes have; name a target "
                f"(--target), one of {listed(names, 50)}"
            )
        called = [index for index in likely if names[index].lower() in TARGETS]
        chosen = called[-1] if called else len(columns) - 1 if len(columns) - 1 in likely else self._fewest(likely)
        why = "by its name" if called else "as the last column" if chosen == len(columns) - 1 else "it has few values"
        guessed = f"the target is guessed, {why}: {shown(names[chosen])}"
        self.reasons.append(guessed)
        self.done.append(guessed)
        return names[chosen]

    def _refuse_measurements(self, index: int) -> None:
        """Refuse a target whose values are numbers with fractions."""
        column = self.data.columns[index]
        fraction = None if column.is_nominal else measurement(self.data.feature(index))
        if fraction is not None:
            raise ConfigurationError(
                f"{self.path}: the target {shown(column.name)} holds numbers such as {fraction:g}; not amounts but "
                "classes are predicted: name another target, or make classes of them in the file"
            )

    def _may_be_target(self, index: int) -> bool:
        values = self.data.feature(index)
        present = values[~np.isnan(values)]
        whole = self.data.columns[index].is_nominal or bool((present == np.floor(present)).all())
        return whole and 2 <= len(np.unique(present)) <= MAX_CLASSES

    def _fewest(self, indices: Sequence[int]) -> int:
        """The nominal column with the fewest categories, or else the numeric one with the fewest values."""

        def size(index: int) -> tuple[bool, int]:
            return not self.data.columns[index].is_nominal, len(np.unique(self.data.feature(index)))

        return min(indices, key=size)

    def guess_dropped(self, target: str) -> None:
        """Columns from which nothing can be learned."""
        dropped: list[str] = []
        findings = []
        for note in self.notes:
            found = [name for name in note.columns if name != target and note.kind in USELESS]
            if found:
                dropped += found
                findings.append(note.finding)
                self._give(note, "left out")
        if len(dropped) >= len(self.data.columns) - 1:
            raise ConfigurationError(f"{self.path}: nothing can be learned from its columns: {'; '.join(findings)}")
        if dropped:
            self.options["drop"] = dropped

    def guessed(self, target: str) -> Guess:
        data, notes = self._read(target)
        return Guess(target, self.options, tuple(self.reasons), tuple(self.done), data, notes)
