"""Pairing: which row of one series belongs to which row of another, by the labels that both have."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from intemi.series.cells import identity
from intemi.series.columns import cells_of
from intemi.series.errors import SeriesError, listed, shown
from intemi.series.rows import Rows


def identities(rows: Rows, labels: Sequence[str]) -> list[Hashable]:
    """What tells the rows apart by some of their labels."""
    return list(zip(*([identity(cell) for cell in cells_of(rows[label])] for label in labels), strict=True))


def shared_labels(left: Rows, right: Rows) -> tuple[str, ...]:
    """The labels that both have, without the main ones."""
    mains = (left.main, right.main)
    return tuple(label for label in left.labels if label in right.labels and label not in mains)


def partners(left: Rows, right: Rows, labels: Sequence[str], who: str, hint: str) -> NDArray[np.int64]:
    """For each row on the left, the position of its one partner on the right; refuses rows with none or several."""
    of_left = _positions(left, labels, who, "left", hint)
    of_right = _positions(right, labels, who, "right", hint)
    for one, other, rows, side in ((of_left, of_right, left, "right"), (of_right, of_left, right, "left")):
        lonely = next((key for key in one if key not in other), None)
        if lonely is not None:
            raise SeriesError(
                f"{who}: rows are paired by {listed(labels)}; "
                f"{_described(rows, one[lonely], labels)} has no partner on the {side}; {hint}"
            )
    return np.array([of_right[key] for key in of_left], dtype=np.int64)


def _positions(rows: Rows, labels: Sequence[str], who: str, side: str, hint: str) -> dict[Hashable, int]:
    found: dict[Hashable, int] = {}
    for position, key in enumerate(identities(rows, labels)):
        if found.setdefault(key, position) != position:
            raise SeriesError(
                f"{who}: rows are paired by {listed(labels)}; "
                f"{_described(rows, position, labels)} is there twice on the {side}, "
                f"in rows {found[key]} and {position}; {hint}"
            )
    return found


def _described(rows: Rows, position: int, labels: Sequence[str]) -> str:
    row = rows.row(position)
    return ", ".join(f"{label}={shown(row[label])}" for label in labels)
