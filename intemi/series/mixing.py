"""Data sets must not be averaged together: an accuracy of 0.99 on one and of 0.6 on another have no meaningful mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intemi.series.cells import identity
from intemi.series.columns import cells_of
from intemi.series.errors import listed

if TYPE_CHECKING:
    from intemi.series.rows import Rows

DATA = "data"
"""The label of data sets."""
COMPARABLE = frozenset(("rank", "average rank", "wins", "draws", "losses", "difference"))
"""What has the same unit on all data sets: ranks, counts of wins, and differences in standard deviations."""


def mixed_data(series: Rows) -> str | None:
    """Why the main label must not be averaged, if the rows are of several data sets whose values have no common unit.

    >>> from intemi.series import Series
    >>> mixed_data(Series({"Accuracy": [0.99, 0.6], "data": ["thyroid", "flag"]}))
    'Accuracy of 2 data sets (thyroid, flag) has no meaningful mean: take one data set at a time, as group_by("data") \
does, or ranks, wins, or differences in standard deviations; unsafe=True averages all the same'
    >>> mixed_data(Series({"rank": [1, 2], "data": ["thyroid", "flag"]}))
    """
    if DATA not in series.labels or series.main in COMPARABLE or series.main == DATA:
        return None
    found = {identity(each): each for each in cells_of(series[DATA])}
    if len(found) < 2:
        return None
    return (
        f"{series.main} of {len(found)} data sets ({listed(map(str, found.values()), 3)}) has no meaningful mean: take "
        f'one data set at a time, as group_by("{DATA}") does, or ranks, wins, or differences in standard deviations; '
        "unsafe=True averages all the same"
    )


def is_bare_mean(series: Rows) -> bool:
    """Whether a series has means without their deviations."""
    return "mean" in series.labels and "sd" not in series.labels
