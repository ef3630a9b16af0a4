"""What is wrong with a data file, in one shape: file, line, what was found, what was expected."""

from __future__ import annotations

from collections.abc import Iterable

from intemi.kernel import IntemiError


class DataError(IntemiError, ValueError):
    """A file does not hold a table; the text says where, what was found and what was expected.

    >>> raise DataError("iris.arff", 75, "'x'", "a number for sepallength")
    Traceback (most recent call last):
    ...
    intemi.data.errors.DataError: iris.arff:75: found 'x', expected a number for sepallength
    """

    def __init__(self, file: str, line: int | None, found: str, expected: str) -> None:
        place = file if line is None else f"{file}:{line}"
        super().__init__(f"{place}: found {found}, expected {expected}")
        self.file = file
        self.line = line
        self.found = found
        self.expected = expected

    def __reduce__(self) -> tuple[type, tuple[str, int | None, str, str]]:
        return type(self), (self.file, self.line, self.found, self.expected)


def shown(text: str, most: int = 60) -> str:
    """A text as an error shows it: quoted, and not the whole of a long one."""
    return repr(text if len(text) <= most else f"{text[:most]}…")


def listed(names: Iterable[str], most: int = 10) -> str:
    """Names as an error shows them."""
    every = list(names)
    text = ", ".join(name if name.isprintable() and 0 < len(name) <= 60 else shown(name) for name in every[:most])
    return f"{text} and {len(every) - most} more" if len(every) > most else text or "none"
