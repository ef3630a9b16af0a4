"""What is wrong with a series or with what was asked of it, in one sentence."""

from __future__ import annotations

from collections.abc import Iterable

from intemi.errors import IntemiError


class SeriesError(IntemiError, ValueError):
    """A series cannot be made, or not used in this way; the text says what was given and what is allowed.

    >>> raise SeriesError("mean: Accuracy must hold numbers, got None in row 3")
    Traceback (most recent call last):
    ...
    intemi.series.errors.SeriesError: mean: Accuracy must hold numbers, got None in row 3
    """


def listed(names: Iterable[str], most: int = 10) -> str:
    """Names as an error shows them.

    >>> listed(["Accuracy", "Fold"]), listed([])
    ('Accuracy, Fold', 'none')
    """
    every = list(names)
    text = ", ".join(name if name.isprintable() and 0 < len(name) <= 60 else shown(name) for name in every[:most])
    return f"{text} and {len(every) - most} more" if len(every) > most else text or "none"


def shown(value: object, most: int = 60) -> str:
    """A value as an error shows it, and not the whole of a long one."""
    text = repr(value)
    return text if len(text) <= most else f"{text[:most]}…"
